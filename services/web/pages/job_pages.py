"""The jobs of this server about a corpus, and what those found that left a page: judges, sweeps, others."""

import json
from collections.abc import Iterator, Mapping, Sequence

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import TypeAdapter

from services.benchmarks.sweep import SweepRow
from services.benchmarks.sweep_report import sweep_verdict, sweep_views
from services.datasets.contamination import ALIKE_FROM, Contamination, Overlap
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.evaluate.write_back import ClosedBook, KnownCell
from services.questions.composed.selection import ComposedFunnel, fair_share
from services.questions.funnel import Column as Composed
from services.questions.funnel import in_order
from services.report.html_runs import agreement_table
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    name,
    none,
    percent,
    percent_range,
    plural,
    whole,
)
from services.statistics.agreement import Agreement
from services.web.api.jobs import Job
from services.web.api.resources import Shared
from services.web.api.work import COMPOSED_FILE, JUDGING_FILE
from services.web.pages.parameters import CorpusName, Id, require_known
from services.web.pages.rendering import PageRoute, page
from services.web.views.cursors import MissingError


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


router = APIRouter(route_class=PageRoute, include_in_schema=False)

SWEEP_FILE, CONTAMINATION_FILE = "sweep.json", "contamination.json"
_AGREEMENTS = TypeAdapter(list[Agreement])
_FAILURES = TypeAdapter(list[object])
_FUNNEL = TypeAdapter(ComposedFunnel)
_SHARE = TypeAdapter(float)
_ROWS = TypeAdapter(list[SweepRow])
_FOUND = TypeAdapter(Contamination)


@router.get("/c/{corpus}/jobs")
async def jobs(shared: Shared, corpus: CorpusName) -> Response:
    """Every job about a corpus that this process remembers, the newest first."""
    await require_known(shared.graph, corpus)
    found = [one for one in shared.jobs.list() if one.corpus == corpus]
    return page("jobs.html", "Jobs", corpus, "runs", jobs=found)


@router.get("/c/{corpus}/jobs/{id}")
async def job(shared: Shared, corpus: CorpusName, name: Id) -> Response:
    """One job: how far it is; what it found, its verdict first, where it left what has a page."""
    await require_known(shared.graph, corpus)
    found = shared.jobs.find(name)
    if found is None or found.now.corpus != corpus:
        raise MissingError(
            f"corpus {corpus!r} has no job {name!r}.",
            "Jobs are forgotten when the server ends: see the list.",
        )
    verdict, views = await shared.in_thread(_result, found)
    return page(
        "one_job.html", f"Job {found.now.kind}", corpus, "runs", job=found.now, verdict=verdict, views=views
    )


def _result(found: Job) -> tuple[str, tuple[TableView, ...]]:
    """What a job found, in a sentence and in tables; both empty where it left none that has a page."""
    if JUDGING_FILE in found.now.files:
        told = _written(found, JUDGING_FILE)
        pairs = _AGREEMENTS.validate_python(told["agreements"])
        return judging_verdict(told), (agreement_table(pairs),) if pairs else ()
    if COMPOSED_FILE in found.now.files:
        told = _written(found, COMPOSED_FILE)
        funnel = _FUNNEL.validate_python(told)
        share = _SHARE.validate_python(told["max_domain_share"])
        return composed_verdict(funnel), tuple(composed_views(funnel, share))
    if SWEEP_FILE in found.now.files:
        rows = _ROWS.validate_python(_written(found, SWEEP_FILE)["rows"])
        return sweep_verdict(rows), sweep_views(rows)
    if CONTAMINATION_FILE in found.now.files:
        known = _FOUND.validate_python(_written(found, CONTAMINATION_FILE))
        return contamination_verdict(known), tuple(contamination_views(known))
    return "", ()


def judging_verdict(told: Mapping[str, object]) -> str:
    """What a judge said of a run, and whose verdicts count there now."""
    text = f"What counts as right in run {told['run']} goes by {told['follows']}."
    if "judge" not in told:
        return text
    failures = len(_FAILURES.validate_python(told["failures"]))
    lost = f" The judge gave no usable reply about {failures:,}: start the job again." if failures else ""
    return (
        f"{told['judge']} called {told['right']:,} of {told['judged']:,} answers right, {told['exact']:,} of "
        f"them exact matches. {text}{lost}"
    )


def contamination_verdict(found: Contamination) -> str:
    """What a model could have known: by the age of articles, by heart, from published questions."""
    age = found.age
    if age is None:
        sentences = ["How old the articles are to a model is not known: no last day of its data was given."]
    else:
        sentences = [age.warning or f"No dated article is as old as the model's data ({age.cutoff})."]
    for run in found.closed_book:
        if (total := run.cells[-1]).share is not None:
            sentences.append(f"From memory alone {run.run} got {percent(total.share)} of {total.n:,} right.")
    for one in found.sets:
        alike = max((of.alike for of in one.likeness), default=0)
        sentences.append(f"Questions that ask nearly the same as one of {one.name}: {alike:,}.")
    return " ".join(sentences)


def contamination_views(found: Contamination) -> Iterator[TableView]:
    """What runs without evidence got right, by cell, and how like the questions are to published ones."""
    yield from map(_known_view, found.closed_book)
    if found.sets:
        yield _likeness_view(found.sets)
    yield from (_nearest_view(one) for one in found.sets if one.nearest)


def _known_view(run: ClosedBook) -> TableView:
    columns = (*BIN_NAMES.values(), "all")
    width = len(BINS) + 1
    lines = [run.cells[at : at + width] for at in range(0, len(run.cells), width)]
    return TableView(
        f"Right without any evidence: run {run.run} by {run.generator}, judged by {run.judge}",
        "depth",
        tuple(map(Column, columns)),
        tuple(
            Row(f"{line[0].hops} hops" if line[0].hops else "all", tuple(map(_known_entry, line)))
            for line in lines
        ),
        (f"Shares of chain questions with 95% intervals by cluster; * marks fewer than {SMALL}.",),
    )


def _known_entry(cell: KnownCell) -> Entry:
    if cell.share is None:
        return none("no questions")
    notes = (f"{cell.right:,} of {cell.n:,}", *((percent_range(cell.interval),) if cell.interval else ()))
    return Entry(percent(cell.share), notes, small=cell.small)


def _likeness_view(sets: Sequence[Overlap]) -> TableView:
    figures = ("mean", "median", "highest", f"from {ALIKE_FROM} on")
    return TableView(
        "Each kept question's cosine to the nearest one of a set",
        "set",
        (Column("questions", number=False), Column("measure", number=False), *map(Column, figures)),
        tuple(
            Row(
                f"{one.name} ({one.questions:,})",
                (
                    Entry(f"{of.questions:,} {of.origin}"),
                    Entry(of.measure),
                    *(Entry(f"{value:.2f}") for value in (of.mean, of.median, of.highest)),
                    Entry(f"{of.alike:,}"),
                ),
            )
            for one in sets
            for of in one.likeness
        ),
    )


def _nearest_view(one: Overlap) -> TableView:
    return TableView(
        f"Most like those of {one.name}",
        "question",
        (Column("the other", number=False), Column("words"), Column("meaning")),
        tuple(
            Row(pair.question, (Entry(pair.other), Entry(f"{pair.words:.2f}"), Entry(f"{pair.meaning:.2f}")))
            for pair in one.nearest
        ),
    )


def _written(found: Job, name: str) -> dict[str, object]:
    content: dict[str, object] = json.loads((found.folder / name).read_bytes())
    return content
