"""What became of the questions of a corpus: drawn, fallen at a filter, kept; and why a depth is short."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kg.ledger import Counts, counts_of, read_stage
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.stages.path_finding import Pool
from kg.store.graph import Graph, Row
from services.questions.choice import QuestionChoice, read_question_choice
from services.questions.draft import COMPOSED_KINDS, QuestionKind
from services.questions.filters.choose import CLOSED_BOOK, KNOWN_FILTERS, WORDED_BY_RULES, describe
from services.questions.generate import FOUND, FOUND_SHARE, PROBLEMS, WRITER_CHECKS
from services.questions.rewording import SAME_NAMES
from services.questions.variety import GIVEN_UP_FROM

Status = Literal["kept", "rejected", "dropped"]


@dataclass(frozen=True, slots=True)
class Column:
    """The questions of one depth of chains or of a composed kind, or of one other kind (`hops` is None).

    `fell` counts those that each filter rejected, in the filters' order; `dropped` are those that reviewers
    took out. `short` says why there are fewer kept than wanted, empty where there are enough.
    `refused` counts the problems for which a model made no question. `by_heart` are those that fell only
    because the model knows their answer: no fault of theirs, so `kept_of_unknown` is the share of the others.
    """

    kind: QuestionKind
    hops: int | None
    drawn: int
    fell: Mapping[str, int]
    dropped: int
    kept: int
    target: int
    short: str = ""
    refused: Mapping[str, int] = field(default_factory=dict)
    by_heart: int = 0
    kept_of_drawn: float | None = None
    kept_of_unknown: float | None = None


@dataclass(slots=True)
class Tally:
    """What became of the questions of one depth or kind so far."""

    kept: int = 0
    dropped: int = 0
    fell: Counter[str] = field(default_factory=Counter)

    @property
    def drawn(self) -> int:
        """All of them."""
        return self.kept + self.dropped + self.fell.total()

    def add(self, status: str, rejected_by: str | None, questions: int = 1) -> None:
        """Count questions of one status."""
        match status:
            case "kept":
                self.kept += questions
            case "dropped":
                self.dropped += questions
            case _:
                self.fell[rejected_by or "unknown"] += questions


def read_funnel(graph: Graph, corpus: str) -> list[Column]:
    """The funnel of a corpus: chains by depth, then the other kinds that there are or should be.

    Composed ones come last, by kind and depth; of these nothing is wanted by the corpus' own choice.
    """
    choice = read_question_choice(graph, corpus)
    line = read_stage(graph, corpus, "questions")
    counts = counts_of(line) if line is not None else {}
    tallies = tally(graph.rows(query("questions/count_questions"), corpus=corpus))
    refused = _refusals(graph, corpus)
    columns = [
        _column("chain", depth, tallies.get(("chain", depth), Tally()), choice.target, counts, refused[depth])
        for depth in DEPTHS
        if "chain" in choice.kinds
    ]
    columns += [
        _column(kind, None, tallies.get((kind, None), Tally()), choice.per_kind, counts)
        for kind in choice.other_kinds
    ]
    return columns + composed_columns(tallies)


def composed_columns(tallies: Mapping[tuple[QuestionKind, int | None], Tally]) -> list[Column]:
    """The columns of composed questions, sequential ones first; none where there are none."""
    found = sorted(
        (COMPOSED_KINDS.index(kind), hops or 0) for kind, hops in tallies if kind in COMPOSED_KINDS
    )
    return [_column(COMPOSED_KINDS[at], hops, tallies[COMPOSED_KINDS[at], hops], 0, {}) for at, hops in found]


def tally(rows: Iterable[Row]) -> dict[tuple[QuestionKind, int | None], Tally]:
    """Counted questions by kind, those of chains and composed ones by depth as well."""
    found: dict[tuple[QuestionKind, int | None], Tally] = {}
    deep = {"chain", *COMPOSED_KINDS}
    for row in rows:
        key = (row["kind"], row["hops"] if row["kind"] in deep else None)
        found.setdefault(key, Tally()).add(row["status"], row["rejected_by"], row["questions"])
    return found


def funnel_counts(graph: Graph, corpus: str, choice: QuestionChoice, short: Mapping[int, str]) -> Counts:
    """What came of the questions, for the ledger; `short` says for each depth that is short why."""
    counted = tally(graph.rows(query("questions/count_questions"), corpus=corpus))
    tallies = {key: one for key, one in counted.items() if key[0] not in COMPOSED_KINDS}
    counts: Counts = {
        "drawn": sum(one.drawn for one in tallies.values()),
        "kept": sum(one.kept for one in tallies.values()),
    }
    if "chain" in choice.kinds:
        for depth in DEPTHS:
            counts[f"kept_{depth}_hops"] = tallies.get(("chain", depth), Tally()).kept
    for kind in choice.other_kinds:
        counts[f"kept_{_named(kind)}"] = tallies.get((kind, None), Tally()).kept
    return counts | {f"short_{depth}_hops": why for depth, why in sorted(short.items())}


def shortages(counts: Counts) -> dict[int, str]:
    """For each depth that the ledger's counts call short, why."""
    found = {depth: counts.get(f"short_{depth}_hops") for depth in DEPTHS}
    return {depth: str(why) for depth, why in found.items() if why is not None}


def shortage(tally: Tally, target: int, pool: Pool) -> str:
    """Why a depth has fewer questions than wanted: its paths are used up, and what took most of them."""
    why = f"{tally.kept:,} of {target:,}: "
    if not tally.drawn and not pool.pairs:
        return why + "the graph has no two entities that are so many hops apart"
    paths = "1 path is" if tally.drawn == 1 else f"{tally.drawn:,} paths are"
    why += f"{paths} all that the graph has" if tally.drawn else "the graph has no path to ask about"
    passed_over = [
        f"{number:,} {'more ' if tally.drawn else ''}{what}{'' if number == 1 else 's'} {reason}"
        for number, what, reason in (
            (pool.over_caps, "pair", "left for others"),
            (pool.unfit, "pair", "without a path that fits"),
            (
                pool.given_up,
                "path",
                f"with a fact that other evidence tells or at which {GIVEN_UP_FROM} questions fell, "
                "or about what was asked about often enough",
            ),
        )
        if number
    ]
    if passed_over:
        why += f" ({', '.join(passed_over)})"
    return why + _most_fell(tally)


def bounded(tally: Tally, target: int, most: int) -> str:
    """Why a depth is short though there may be more paths: a model is shown no more than so many of them."""
    why = f"{tally.kept:,} of {target:,}: the model was shown {most:,} paths, the most of a depth"
    return f"{why} that HOPGRADE_PATHS_PER_QUESTION allows{_most_fell(tally)}"


def _most_fell(tally: Tally) -> str:
    if not tally.fell:
        return ""
    # Of equals the first by name, so that the same graph always gives the same sentence.
    name, number = min(tally.fell.items(), key=lambda item: (-item[1], item[0]))
    remedy = "; --known keep leaves them in" if name == CLOSED_BOOK else ""
    return f"; most fell at {name!r} ({number:,}){remedy}"


def why_few(columns: Sequence[Column]) -> list[str]:
    """Why a corpus has few chain questions and what helps, a sentence a line."""
    chains = [column for column in columns if column.kind == "chain"]
    drawn, kept = (sum(getattr(column, name) for column in chains) for name in ("drawn", "kept"))
    fell: Counter[str] = Counter()
    for column in chains:
        fell.update(column.fell)
    if not drawn:
        return [
            "The graph has no path of 2 to 5 hops to ask about. More articles on the same subject give paths."
        ]
    lines = [f"{kept:,} of the {drawn:,} paths that were drawn gave a question.{_most_fell_at(fell)}"]
    worded = sum(fell[name] for name in WORDED_BY_RULES)
    if worded:
        lines.append(
            f"A model as writer (HOPGRADE_GENERATE_MODEL) could be shown {worded:,} that rules can't word; "
            f"models made a question of {FOUND_SHARE:.0%} of such paths (docs/evaluation/model.md)."
        )
    if 2 * fell["checkable facts"] > drawn:
        lines.append(
            "The rules read few whole facts in this kind of text. A model as reader (--extractor model) and "
            "as writer serves it better; more articles on the same subject give more paths to either."
        )
    else:
        lines.append("More articles on the same subject give more paths.")
    if other := [
        f"{column.kind} {column.kept:,}" for column in columns if column.kind != "chain" and column.kept
    ]:
        lines.append(f"Questions of other kinds are kept too, outside the matrix: {', '.join(other)}.")
    return lines


def _most_fell_at(fell: Counter[str]) -> str:
    if not fell:
        return ""
    name, number = min(fell.items(), key=lambda item: (-item[1], item[0]))
    return f" Most fell at {name!r} ({number:,}): a question needs that {describe(name)}."


def too_short(depth: int, target: int, clusters: int) -> str:
    """Why a depth has no question that spans so many clusters: it has fewer hops."""
    return f"0 of {target:,}: the evidence of {depth} hops can't lie in {clusters} clusters"


def in_order(filters: Iterable[str]) -> list[str]:
    """Names of filters in the order in which questions meet them; unknown ones come last."""
    known: Sequence[str] = (*WRITER_CHECKS, SAME_NAMES, *KNOWN_FILTERS)
    place = {name: number for number, name in enumerate(known)}
    return sorted(set(filters), key=lambda name: (place.get(name, len(place)), name))


def _refusals(graph: Graph, corpus: str) -> dict[int, dict[str, int]]:
    """By depth, which problem a model named how often, in the order of the prompt."""
    found: dict[int, dict[str, int]] = {depth: {} for depth in DEPTHS}
    rows = list(graph.rows(query("questions/count_refusals"), corpus=corpus, filter=FOUND))
    for row in sorted(rows, key=lambda row: _problem_place(row["problem"])):
        found.setdefault(row["hops"], {})[row["problem"]] = row["questions"]
    return found


def _problem_place(problem: str) -> tuple[int, str]:
    return (PROBLEMS.index(problem) if problem in PROBLEMS else len(PROBLEMS), problem)


def problems_in_order(columns: Iterable[Column]) -> list[str]:
    """The problems that models named in these columns, in the order of the prompt."""
    return sorted({problem for column in columns for problem in column.refused}, key=_problem_place)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _column(
    kind: QuestionKind,
    hops: int | None,
    tally: Tally,
    target: int,
    counts: Counts,
    refused: Mapping[str, int] | None = None,
) -> Column:
    fell = {name: tally.fell[name] for name in in_order(tally.fell)}
    short = str(counts.get(f"short_{hops}_hops", "")) if hops and tally.kept < target else ""
    by_heart = tally.fell[CLOSED_BOOK]
    return Column(
        kind,
        hops,
        tally.drawn,
        fell,
        tally.dropped,
        tally.kept,
        target,
        short,
        refused or {},
        by_heart,
        _share(tally.kept, tally.drawn),
        _share(tally.kept, tally.drawn - by_heart),
    )


def _named(kind: QuestionKind) -> str:
    return kind.replace(" ", "_")
