"""What came of composing questions, as sentences and tables."""

from collections.abc import Iterator, Sequence

from services.questions.composed.selection import ComposedFunnel, fair_share
from services.questions.funnel import Column as Composed
from services.questions.funnel import in_order
from services.report.html_values import Column, Entry, Row, TableView, name, percent, plural, whole


def composed_verdict(found: ComposedFunnel) -> str:
    """How many questions were composed, of how many atomic ones, and what is left to ask."""
    kept = sum(column.kept for column in found.columns)
    atoms = found.atoms
    left = (
        f" Models left {plural(found.not_checked, 'request')} without a usable answer: start the job again."
        if found.not_checked
        else ""
    )
    return (
        f"{plural(kept, 'composed question')} kept, of {plural(atoms.kept, 'atomic question')} that passed "
        f"of {atoms.made:,} from {plural(atoms.chunks, 'chunk')}.{left}"
    )


def composed_views(found: ComposedFunnel, share: float) -> Iterator[TableView]:
    """Where atomic and composed questions fell, why pairs were not joined, and the domains of the kept."""
    atoms = found.atoms
    yield TableView(
        "Atomic questions",
        "filter",
        (Column("questions"),),
        (
            Row("made", (Entry(whole(atoms.made)),)),
            *(Row(f"fell at {one}", (Entry(whole(atoms.fell[one])),)) for one in in_order(atoms.fell)),
            Row("kept", (Entry(whole(atoms.kept)),), total=True),
        ),
    )
    if found.tried:
        yield _pairs(found)
    for kind in dict.fromkeys(column.kind for column in found.columns):
        yield _kind(kind, [column for column in found.columns if column.kind == kind])
    if found.domains:
        yield _domains(found, share)


def _pairs(found: ComposedFunnel) -> TableView:
    reasons = ", ".join(f"{reason} ({number:,})" for reason, number in found.reasons.items())
    counted = (("tried", found.tried), ("not joined", found.not_joined))
    return TableView(
        "Questions so far, each with one atomic question",
        "pairs",
        tuple(Column(f"{hops} hops") for hops in found.tried),
        tuple(
            Row(label, tuple(Entry(whole(numbers.get(hops, 0))) for hops in found.tried))
            for label, numbers in counted
        ),
        (f"Most were not joined because: {reasons}.",) if reasons else (),
    )


def _kind(kind: str, columns: Sequence[Composed]) -> TableView:
    filters = in_order({one for column in columns for one in column.fell})
    lines = (
        ("drawn", [column.drawn for column in columns]),
        *((f"fell at {one}", [column.fell.get(one, 0) for column in columns]) for one in filters),
        ("kept", [column.kept for column in columns]),
    )
    return TableView(
        f"{kind.capitalize()} questions",
        "filter",
        tuple(Column(f"{column.hops} hops") for column in columns),
        tuple(
            Row(label, tuple(Entry(whole(number)) for number in numbers), total=label == "kept")
            for label, numbers in lines
        ),
    )


def _domains(found: ComposedFunnel, share: float) -> TableView:
    total = sum(sum(numbers.values()) for numbers in found.domains.values())
    sizes = {domain: sum(numbers.values()) for domain, numbers in found.domains.items()}
    allowed = fair_share(share, len(sizes))
    return TableView(
        "Kept questions by domain",
        "domain",
        (Column("questions"), Column("share")),
        tuple(
            Row(name(domain), (Entry(whole(number)), Entry(percent(number / total))))
            for domain, number in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
        ),
        (f"Of a kind and a number of hops a domain has {percent(float(allowed))} at most.",),
    )
