"""A run's traces as they are read from the graph: what was done for each question, beside its gold chain.

What hop-aware analysis keeps of a trace: a few numbers an answer, so that runs of any size fit.

How deep into its chain a system gets: the prefix questions that it answers right.

What an answer's searches were like: how many, how wide, and how many asked what was asked before.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kg.model import Step
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import answered_unread, counted_kind, question_cluster
from services.rag.question_words import words

TRACES_A_BATCH = 200


@dataclass(frozen=True, slots=True)
class TraceStep(Step):
    """A step with the chunks that it saw, best first."""

    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldHop:
    """A hop of the gold chain: any one of `chunks` is evidence for it.

    `starts` are the names of the entity from which the hop goes on, `ends` those of the one to which it
    leads: its answer. Both are empty where no fact of the graph is known, as in imported questions.
    `question` asks for this hop alone, empty where there is no such question. `compares` tells that the hop
    does not go on from the one before but stands beside it.
    """

    number: int
    chunks: tuple[str, ...]
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    predicate: str = ""
    question: str = ""
    sentences: tuple[str, ...] = ()
    compares: bool = False


@dataclass(frozen=True, slots=True)
class PrefixAnswer:
    """What the same system answered to the question of the first `hops` hops; `score` is of a judge, 0-2."""

    hops: int
    text: str
    correct: bool
    exact: bool = False
    f1: float = 0.0
    score: int | None = None
    abstained: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """An answer of a run with the steps that led to it and the gold chain of its question.

    `answer` and `question` are ids; `question_text` is the question's text, `answer_text` the answer's,
    `gold` and `accepted` what would be right. `correct` is by hand, judge or exact match, whichever decides;
    `score` is a judge's on the scale 0 to 2, None where none gave one. `hops` is what the question takes,
    also where the chain is shorter because evidence is missing. `retrieval_reported` is False where a system
    keeps to itself what it retrieved, `steps_reported` where it doesn't list its steps. `cluster` is the
    article in which the last fact stands: answers of one cluster are not independent. `prefixes` has only
    those that were asked. `unknown_citations` counts cited passages that were never shown, `passages_shown`
    those that a model was shown before it answered, None where that isn't known. `unfit_prefixes` counts
    prefix questions that a filter rejected: what is answered to such a one proves nothing.
    """

    answer: str
    question: str
    question_text: str
    kind: str
    query_type: str
    hops: int
    bin: int | None
    cluster: str
    answer_text: str
    gold: str
    accepted: tuple[str, ...]
    correct: bool
    exact: bool
    f1: float
    score: int | None
    judged_by: str
    abstained: bool
    error: str
    retrieval_reported: bool
    steps: tuple[TraceStep, ...]
    chain: tuple[GoldHop, ...]
    prefixes: tuple[PrefixAnswer, ...]
    steps_reported: bool = True
    unknown_citations: int = 0
    passages_shown: int | None = None
    unfit_prefixes: int = 0

    @property
    def searches(self) -> tuple[TraceStep, ...]:
        """The steps that looked for chunks."""
        return tuple(step for step in self.steps if step.retrieves)

    @property
    def chunks_seen(self) -> frozenset[str]:
        """Every chunk that any step saw."""
        return frozenset(chunk for step in self.steps for chunk in step.seen)


def read_traces(graph: Graph, run: str) -> Iterator[Trace]:
    """The traces of a run's answers to kept questions, given the run's id, by question; a batch at a time."""
    rows = graph.rows(query("answers/list_answers"), run=run)
    yield from read_traces_of(graph, run, [row["answer"] for row in rows if row["kept"]])


def read_traces_of(graph: Graph, run: str, answers: Sequence[str]) -> Iterator[Trace]:
    """The traces of these answers (ids) of a run, given its id; those to prefix questions, too."""
    statement = query("answers/read_hops")
    for row in graph.read_in_batches(statement, answers, TRACES_A_BATCH, run=run):
        yield _trace(row)


def _trace(row: Row) -> Trace:
    answer, question = row["answer"], row["question"]
    return Trace(
        answer=answer["id"],
        question=question["id"],
        question_text=question["text"],
        kind=counted_kind(question["kind"], question["query_type"]),
        query_type=question["query_type"] or "",
        hops=question["hops"] or 0,
        bin=question["bin"],
        cluster=question_cluster(question["id"], ((one["hop"], one["article"]) for one in row["chunks"])),
        answer_text=answer["text"] or "",
        gold=question["answer"] or "",
        accepted=tuple(question["accepted"] or ()),
        correct=bool(answer["correct"]),
        exact=bool(answer["exact_match"]),
        f1=answer["f1"] or 0.0,
        score=answer["judge_score"],
        judged_by=answer["judged_by"] or "",
        abstained=bool(answer["abstained"]),
        error=answer["error"] or "",
        retrieval_reported=answer["told"],
        steps=tuple(map(_step, row["steps"])) or _implied_steps(row["retrieved"]),
        chain=_chain(row),
        prefixes=tuple(map(_prefix, row["prefixes"])),
        unfit_prefixes=row["unfit_prefixes"],
        steps_reported=answer["steps_told"],
        unknown_citations=answer["unknown_citations"],
        passages_shown=answer["passages_shown"],
    )


def _step(row: Row) -> TraceStep:
    seen = tuple(row["saw"] or row["brought"])
    # Traces from before steps noted whether they look for chunks tell it by what they brought.
    retrieves = bool(seen) or row["action"] == "retrieve" if row["retrieves"] is None else row["retrieves"]
    return TraceStep(
        index=row["index"],
        action=row["action"] or "",
        query=row["query"] or "",
        observation=row["observation"] or "",
        retrieves=retrieves,
        top_k=row["top_k"],
        filters=row["filters"] or "",
        fault=row["fault"] or "",
        seen=seen,
        thought=row["thought"] or "",
    )


def _implied_steps(retrieved: Sequence[str]) -> tuple[TraceStep, ...]:
    """The one step that a system must have taken which tells what it retrieved, and no steps."""
    return (TraceStep(1, "retrieve", "", retrieves=True, seen=tuple(retrieved)),) if retrieved else ()


def _prefix(row: Row) -> PrefixAnswer:
    return PrefixAnswer(
        hops=row["hops"],
        text=row["text"] or "",
        correct=bool(row["correct"]),
        exact=bool(row["exact_match"]),
        f1=row["f1"] or 0.0,
        score=row["judge_score"],
        abstained=bool(row["abstained"]),
        error=row["error"] or "",
    )


def _chain(row: Row) -> tuple[GoldHop, ...]:
    facts, asked = _by_hop(row["facts"]), _by_hop(row["hop_questions"])
    chunks = _by_hop(row["chunks"])
    return tuple(
        _gold_hop(hop, chunks.get(hop, []), facts.get(hop, []), asked.get(hop, []))
        for hop in sorted(facts.keys() | chunks.keys() | asked.keys())
    )


def _by_hop(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["hop"], []).append(row)
    return found


def _gold_hop(number: int, chunks: Sequence[Row], facts: Sequence[Row], asked: Sequence[Row]) -> GoldHop:
    starts = [name for fact in facts for name in _start_names(fact)]
    ends = [name for fact in facts for name in _end_names(fact)]
    answers = [name for one in asked for name in (one["answer"], *(one["accepted"] or ()))]
    return GoldHop(
        number=number,
        chunks=tuple(row["chunk"] for row in chunks),
        starts=_once(starts),
        ends=_once(answers or ends),
        predicate=next((fact["predicate"] for fact in facts if fact["predicate"]), ""),
        question=next((one["text"] for one in asked), ""),
        sentences=_once(fact["sentence"] for fact in facts),
        compares=any(one["topology"] == "comparison" for one in asked),
    )


def _start_names(fact: Row) -> list[str]:
    """Where the hop goes on from; a fact of no path begins at its subject."""
    if fact["predicate"] is None:
        return list(fact["subjects"])
    return [*fact["start"], fact["object"] if fact["reversed"] else fact["subject"]]


def _end_names(fact: Row) -> list[str]:
    if fact["predicate"] is None:
        return list(fact["objects"])
    return [*fact["end"], fact["subject"] if fact["reversed"] else fact["object"]]


def _once(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


@dataclass(frozen=True, slots=True)
class Depth:
    """`reached` is MaxD, the most hops of a prefix, or of the question itself, that is answered right;
    `unbroken` the most hops such that every prefix up to there is. Both are 0 where none is."""

    reached: int
    unbroken: int


def depth_of(hops: int, right: bool, prefixes: Mapping[int, bool]) -> Depth | None:
    """The depth on a question of so many hops, from whether each prefix question was answered right.

    MaxD is AgenticRAGTracer's (section 4.3): the highest of the shorter questions that is right; the whole
    question counts as the last of them, since its table 2 has means above hops - 1. None where a prefix
    question was not asked, and for a question of one hop.
    """
    if hops < 2 or any(depth not in prefixes for depth in range(1, hops)):
        return None
    verdicts = [*(prefixes[depth] for depth in range(1, hops)), right]
    reached = max((depth for depth, fits in enumerate(verdicts, start=1) if fits), default=0)
    unbroken = next((depth for depth, fits in enumerate(verdicts) if not fits), hops)
    return Depth(reached, unbroken)


REPEATED = "repeated query"
"""The fault of a search that was not run, because the same one was run before."""

_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of an answer.

    `run` counts the steps that looked for chunks. `top_k` has what each asked for in their order, None where
    that isn't known, and `seen` how many chunks each brought. Of `attempts` searches, among them those that
    were not run because they repeat one, `redundant` look for what an earlier one looked for.
    """

    run: int
    top_k: tuple[int | None, ...]
    seen: tuple[int, ...]
    attempts: int
    redundant: int


def searches_of(trace: Trace) -> Searches | None:
    """The searches of an answer; None where the system tells no step, or none that retrieves."""
    run = trace.searches
    if not trace.steps_reported or not trace.steps or (not run and not trace.retrieval_reported):
        return None
    wanted = [step for step in trace.steps if step.retrieves or step.fault == REPEATED]
    return Searches(
        run=len(run),
        top_k=tuple(step.top_k for step in run),
        seen=tuple(len(step.seen) for step in run) if trace.retrieval_reported else (),
        attempts=len(wanted),
        redundant=sum(_is_redundant(step, wanted[:number]) for number, step in enumerate(wanted)),
    )


def near_same(one: str, other: str) -> bool:
    """Whether two queries have the same content words, in any order and form, and don't ask differently.

    "Owner of the Ostby Rovers" and "Who owns Ostby Rovers?" are near the same; "Where was Ann born?" and
    "When was Ann born?" are not.
    """
    content = frozenset(words(one))
    if content != frozenset(words(other)):
        return False
    if not content:
        return one.split() == other.split()
    asking, other_asking = _asking(one), _asking(other)
    return not asking or not other_asking or asking == other_asking


def _asking(query: str) -> frozenset[str]:
    return frozenset(_ASKING.findall(query.casefold()))


def _is_redundant(step: TraceStep, before: Sequence[TraceStep]) -> bool:
    if step.fault == REPEATED:
        return True
    return any(
        step.filters == earlier.filters
        and step.action == earlier.action
        and near_same(step.query, earlier.query)
        for earlier in before
    )


@dataclass(frozen=True, slots=True)
class Track:
    """One answer.

    `right` is by whatever decides in the run. `score` is a judge's, 0 to 2, None where none gave one. `depth`
    is None where prefix questions were not asked in full, `searches` where the system doesn't tell how it
    searched, and `faults` where it doesn't list its steps; `retrieval_reported` is False where it keeps to
    itself what it retrieved. `miscited` tells that it cites a passage that was never shown, `unread` that a
    model gave it without any passage, `unfit` that a filter rejected a prefix question, so that the depth
    can't be known.
    """

    kind: str
    query_type: str
    hops: int
    cluster: str
    right: bool
    exact: bool
    f1: float
    score: int | None
    abstained: bool
    error: str
    depth: Depth | None
    searches: Searches | None
    faults: tuple[str, ...] | None
    retrieval_reported: bool = True
    miscited: bool = False
    unread: bool = False
    unfit: bool = False


def track_of(trace: Trace) -> Track:
    """What is kept of a trace."""
    failed = bool(trace.error)
    abstained = trace.abstained and not failed
    prefixes = {one.hops: one.correct for one in trace.prefixes}
    return Track(
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        cluster=trace.cluster,
        right=trace.correct,
        exact=trace.exact and not failed,
        f1=0.0 if failed else trace.f1,
        score=trace.score,
        abstained=abstained,
        error=trace.error,
        depth=depth_of(trace.hops, trace.correct, prefixes) if prefixes else None,
        searches=searches_of(trace),
        faults=tuple(step.fault for step in trace.steps if step.fault) if trace.steps_reported else None,
        retrieval_reported=trace.retrieval_reported,
        miscited=trace.unknown_citations > 0,
        unread=answered_unread(trace.passages_shown, abstained, trace.error),
        unfit=trace.unfit_prefixes > 0,
    )
