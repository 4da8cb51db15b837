"""What `kg questions compose` shows in a terminal: where questions fell, and their domains."""

from collections.abc import Mapping

from cli.console import out, say
from cli.path_tables import number_table
from cli.question_tables import composed_tables
from services.questions.composed.domains import fair_share
from services.questions.composed.funnel import AtomFunnel, ComposedFunnel
from services.questions.funnel import in_order


def print_composed(corpus: str, found: ComposedFunnel, share: float) -> None:
    """The atomic questions, the composed ones by kind and hops, and their domains."""
    _print_atoms(corpus, found.atoms)
    _print_pairs(found)
    filters = in_order({name for column in found.columns for name in column.fell})
    for shown in composed_tables(found.columns, filters):
        out.print(shown)
    _print_domains(found.domains, share)
    for number, hops in ((number, hops) for hops, number in found.over.items() if number):
        say(
            f"{number:,} more questions of {hops} hops passed than were wanted; longer ones begin there.",
            "dim",
        )
    if found.mended:
        say(f"{found.mended:,} passed at their second try, in other words.", "dim")


def _print_atoms(corpus: str, atoms: AtomFunnel) -> None:
    rows: list[list[object]] = [["made", atoms.made]]
    rows += [[f"- {name}", atoms.fell[name]] for name in in_order(atoms.fell)]
    rows.append(["kept", atoms.kept])
    title = f"Atomic questions of {corpus!r}, from {atoms.chunks:,} chunks"
    out.print(number_table(title, ("",), ("questions",), rows))
    if atoms.not_made:
        told = ", ".join(f"{reason} ({number:,})" for reason, number in atoms.not_made.items())
        say(f"Of some facts or chunks no question was made: {told}.", "dim")


def _print_pairs(found: ComposedFunnel) -> None:
    heads = [f"{hops} hops" for hops in found.tried]
    rows: list[list[object]] = [
        ["pairs tried", *found.tried.values()],
        ["- not joined", *(found.not_joined.get(hops, 0) for hops in found.tried)],
    ]
    if heads:
        out.print(number_table("Questions so far, each with one atomic question", ("",), heads, rows))
    if found.reasons:
        told = ", ".join(f"{reason} ({number:,})" for reason, number in found.reasons.items())
        say(f"Most were not joined because: {told}.", "dim")


def _print_domains(domains: Mapping[str, Mapping[int, int]], share: float) -> None:
    depths = sorted({hops for numbers in domains.values() for hops in numbers})
    if not depths:
        return
    total = sum(sum(numbers.values()) for numbers in domains.values())
    rows: list[list[object]] = [
        [name, *(numbers.get(hops, 0) for hops in depths), f"{sum(numbers.values()) / total:.1%}"]
        for name, numbers in sorted(domains.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
    heads = [*(f"{hops} hops" for hops in depths), "share"]
    out.print(number_table("Kept questions by domain", ("domain",), heads, rows))
    allowed = fair_share(share, len(domains))
    if float(allowed) > share:
        say(
            f"With {len(domains)} {'domain' if len(domains) == 1 else 'domains'} none can stay below "
            f"{share:.0%} of a kind: each has {float(allowed):.0%} at most.",
            "dim",
        )
