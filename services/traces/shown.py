"""A trace as a person looks at it: the steps of an answer, what each saw, and the gold chain beside them.

What a trace shows, in sentences: for a terminal, for files, and for whoever can't see the drawing.

Traces out of the graph.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.errors import NothingToDoError, UserError, command
from kg.ids import run_id
from kg.model import ChunkSource, Step
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from services.answers import answered_unread, remarks_on_support
from services.evaluate.causes import Attribution, Behaviour
from services.evaluate.diagnose import Diagnosis, diagnose
from services.evaluate.hop_traces import read_traces_of
from services.rag.answering import describe_filters


@dataclass(frozen=True, slots=True)
class SeenChunk(ChunkSource):
    """A chunk that a step saw; `hops` are the hops of the question that it is gold evidence for."""

    rank: int
    score: float | None
    text: str
    hops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownStep(Step):
    """A step; `filters` is told for a reader ("source: The Courier")."""

    seen: tuple[SeenChunk, ...] = ()

    @property
    def gold(self) -> tuple[int, ...]:
        """The hops whose evidence this step saw, in order."""
        return tuple(sorted({hop for chunk in self.seen for hop in chunk.hops}))


@dataclass(frozen=True, slots=True)
class GoldHop:
    """A hop of the gold chain: what it states, its question and answer, and its evidence.

    `first_seen` is the first step that saw any of its evidence, None where none did. `right` tells whether
    the run answered the question of the first hops up to this one; None where that was not asked. `fact` and
    `question` are empty where nothing is known of the hop but its evidence.
    """

    hop: int
    fact: str
    question: str
    answer: str
    evidence: tuple[ChunkSource, ...]
    first_seen: int | None
    right: bool | None


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """An answer with all that led to it; `answer` is the answer's id, `answer_text` its text.

    `retrieval_reported` is False where the system keeps to itself what it retrieved, and `steps_reported`
    where it doesn't list its steps: then they are made of what it retrieved. `score` is a judge's 0, 1 or 2,
    None where none judged so. `failure` tells why the answer is not right, None where it is; `behaviours` are
    those that it shows then. `unknown_citations` counts cited passages that were never shown; `unread` tells
    that a model answered without having been shown any.
    """

    answer: str
    run: str
    system: str
    generator: str
    question: str
    text: str
    kind: str
    query_type: str
    hops: int
    gold: str
    accepted: tuple[str, ...]
    answer_text: str
    correct: bool
    abstained: bool
    error: str
    judged_by: str
    score: int | None
    seconds: float | None
    input_tokens: int
    output_tokens: int
    cost: float | None
    prompts: tuple[str, ...]
    retrieval_reported: bool
    steps: tuple[ShownStep, ...]
    chain: tuple[GoldHop, ...]
    steps_reported: bool = True
    failure: Attribution | None = None
    behaviours: tuple[Behaviour, ...] = ()
    unknown_citations: int = 0
    unread: bool = False

    @property
    def verdict(self) -> str:
        """The outcome in a word or two."""
        if self.error:
            return "error"
        if self.correct:
            return "right"
        return "abstained" if self.abstained else "wrong"

    @property
    def faults(self) -> tuple[str, ...]:
        """What was wrong with its steps, in their order."""
        return tuple(step.fault for step in self.steps if step.fault)


def facts_of(trace: ShownTrace) -> str:
    """What kind of question it is, who answered, and what it took, in one line."""
    kind = trace.kind if not trace.query_type or trace.query_type == trace.kind else (
        f"{trace.kind} ({trace.query_type})"
    )  # fmt: skip
    parts = [
        kind,
        format_count(trace.hops, "hop"),
        f"run {trace.run}",
        f"answered by {trace.generator or trace.system}",
    ]
    if trace.seconds is not None:
        parts.append(f"{trace.seconds:.2f} s")
    if trace.input_tokens or trace.output_tokens:
        parts.append(f"{trace.input_tokens:,} tokens in, {trace.output_tokens:,} out")
    if trace.cost is not None:
        parts.append(f"cost {trace.cost:.4f}")
    return ", ".join(part for part in parts if part)


def outcome_of(trace: ShownTrace) -> str:
    """Whether the answer is right, and who says so."""
    if trace.error:
        return f"no answer: {trace.error}"
    score = "" if trace.score is None else f", {trace.score} of 2"
    return f"{trace.verdict}, judged by {trace.judged_by}{score}"


def cause_of(trace: ShownTrace) -> str:
    """Why an answer is not right: the cause, the first hop that failed, and what shows it; empty if right."""
    if trace.failure is None:
        return ""
    hop = f" at hop {trace.failure.hop}" if trace.failure.hop is not None else ""
    return f"{trace.failure.cause}{hop}: {trace.failure.why}"


def behaviour_summary(trace: ShownTrace) -> str:
    """How a system went wrong, in the names that are known for it; empty where it shows none of them."""
    return ", ".join(trace.behaviours)


def first_sighting(hop: GoldHop, retrieval_reported: bool = True) -> str:
    """Where the evidence of a hop was seen first."""
    if not hop.evidence:
        return "no evidence known"
    if hop.first_seen is not None:
        return f"seen in step {hop.first_seen}"
    return "never seen" if retrieval_reported else "not told"


def prefix_result(hop: GoldHop) -> str:
    """What came of the question of the first hops, empty where it was not asked."""
    return "" if hop.right is None else "right" if hop.right else "wrong"


def search_summary(step: ShownStep, retrieval_reported: bool = True) -> str:
    """How a step looked and what it found of the gold chain; empty where it looked for nothing.

    Where `retrieval_reported` is False, the system keeps to itself what it retrieved.
    """
    if not step.retrieves:
        return ""
    unknown = not retrieval_reported and not step.seen
    parts = ["not told" if unknown else format_count(len(step.seen), "chunk")]
    if step.top_k is not None:
        parts.append(f"top-k {step.top_k}")
    if step.filters:
        parts.append(f"only {step.filters}")
    seen = [f"hop {hop} at rank {rank}" for hop, rank in best_ranks(step)]
    parts += seen if seen or unknown else ["no gold"]
    return ", ".join(parts)


def step_cost(step: ShownStep) -> str:
    """Seconds and tokens of a step, empty where nothing was measured."""
    parts = [] if step.seconds is None else [f"{step.seconds:.2f} s"]
    if step.input_tokens or step.output_tokens:
        parts.append(f"{step.input_tokens:,} tokens in, {step.output_tokens:,} out")
    return ", ".join(parts)


def remarks_on(trace: ShownTrace) -> tuple[str, ...]:
    """What a reader must know: what the answer doesn't rest on, and what the system does not tell."""
    found = list(remarks_on_support(trace.unknown_citations, trace.unread))
    if not trace.retrieval_reported:
        found.append("This system does not tell what it retrieved.")
    if not trace.steps_reported:
        found.append(
            "This system does not list its steps: those below are made of what it gave, and how often it "
            "searched is not known."
        )
    return tuple(found)


def gold_marks(chunk: SeenChunk) -> str:
    """For which hops a chunk is gold, empty for none."""
    return f"gold: hop {' and '.join(map(str, chunk.hops))}" if chunk.hops else ""


def best_ranks(step: ShownStep) -> list[tuple[int, int]]:
    """Each hop whose evidence a step saw, with the best rank of it."""
    return [(hop, min(chunk.rank for chunk in step.seen if hop in chunk.hops)) for hop in step.gold]


def format_count(number: int, noun: str) -> str:
    """ "1 hop", "3 hops"; empty for none of hops that are not known."""
    return f"{number} {noun}{'' if number == 1 else 's'}" if number or noun != "hop" else ""


def describe_drawing(trace: ShownTrace) -> str:
    """The drawing of a trace in words: the chain, where each hop was seen, and how it ended."""
    parts = [f"The gold chain has {format_count(len(trace.chain), 'hop') or 'no hops'}"]
    parts.append(f"the system took {format_count(len(trace.steps), 'step')}")
    parts += [
        f"the evidence of hop {hop.hop}: {first_sighting(hop, trace.retrieval_reported)}"
        for hop in trace.chain
    ]
    parts += [f"step {step.index}, {step.action}: {step.fault}" for step in trace.steps if step.fault]
    ended = [f"The answer is {outcome_of(trace)}."]
    if trace.failure is not None:
        ended.append(f"Cause: {cause_of(trace)}.")
    if trace.behaviours:
        ended.append(f"Behaviour: {behaviour_summary(trace)}.")
    return " ".join([f"{'; '.join(parts)}.", *ended])


A_BATCH = 50
"""Answers that are read at once: their chunks' texts are in memory."""


def find_trace(graph: Graph, corpus: str, id_: str, run: str = "") -> ShownTrace:
    """The trace that is meant by an answer's id, or by a question's id and a run's name.

    Raises:
        NothingToDoError: there is no such answer.
        UserError: several runs answered the question, and none was named.
    """
    found = graph.rows(query("answers/find_answers"), corpus=corpus, id=id_, run=run)
    if not found:
        of_run = f" by run {run!r}" if run else ""
        raise NothingToDoError(
            f"corpus {corpus!r} has no answer {id_!r}, and no answer{of_run} to a question of that id.",
            f"See the questions: {command('questions list --corpus', corpus)}; the runs: "
            f"{command('run list --corpus', corpus)}",
        )
    if len(found) > 1:
        names = ", ".join(repr(row["run"]) for row in found)
        raise UserError(
            f"question {id_!r} was answered by {len(found)} runs: {names}.",
            f"Say which one: {command('run trace', id_, found[0]['run'])}",
        )
    (trace,) = read_traces(graph, run_id(corpus, found[0]["run"]), [found[0]["answer"]])
    return trace


def traces_of_run(graph: Graph, corpus: str, run: str) -> Iterator[ShownTrace]:
    """The traces of a run's answers one after the other, by kind, hops and id of the question."""
    identifier = run_id(corpus, run)
    rows = graph.rows(query("answers/list_answers"), run=identifier)
    rows.sort(key=lambda row: (row["kind"], row["hops"]))
    for ids in batches([row["answer"] for row in rows], A_BATCH):
        yield from read_traces(graph, identifier, ids)


def read_traces(graph: Graph, run: str, ids: Sequence[str]) -> list[ShownTrace]:
    """The traces of these answers of a run, given its id, in this order, with why the wrong ones failed."""
    rows = {row["answer"]["id"]: row for row in graph.rows(query("answers/read_traces"), ids=list(ids))}
    diagnoses = {one.answer: diagnose(one) for one in read_traces_of(graph, run, ids)}
    # An answer that is deleted between the two readings is in neither.
    return [_trace(rows[id_], diagnoses[id_]) for id_ in ids if id_ in rows and id_ in diagnoses]


def _trace(row: Row, diagnosis: Diagnosis) -> ShownTrace:
    answer, run, question = row["answer"], row["run"], row["question"]
    gold: dict[str, set[int]] = {}
    for one in row["evidence"]:
        gold.setdefault(one["chunk"], set()).add(one["hop"])
    steps = tuple(_step(step, gold) for step in row["steps"])
    return ShownTrace(
        answer=answer["id"],
        run=run["name"],
        system=run["system"] or "",
        generator=run["generator"] or "",
        question=question["id"],
        text=question["text"] or "",
        kind=question["kind"] or "",
        query_type=question["query_type"] or "",
        hops=question["hops"] or 0,
        gold=question["answer"] or "",
        accepted=tuple(question["accepted"] or ()),
        answer_text=answer["text"] or "",
        correct=bool(answer["correct"]),
        abstained=bool(answer["abstained"]),
        error=answer["error"] or "",
        judged_by=answer["judged_by"] or "exact match",
        score=answer["judge_score"],
        seconds=answer["seconds"],
        input_tokens=answer["input_tokens"] or 0,
        output_tokens=answer["output_tokens"] or 0,
        cost=answer["cost"],
        prompts=tuple(answer["prompts"] or ()),
        retrieval_reported=answer["told"],
        steps_reported=answer["steps_told"],
        steps=steps,
        chain=_chain(row, steps),
        failure=diagnosis.failure,
        behaviours=diagnosis.behaviours,
        unknown_citations=answer["unknown_citations"],
        unread=answered_unread(answer["passages_shown"], bool(answer["abstained"]), answer["error"] or ""),
    )


def _step(row: Row, gold: dict[str, set[int]]) -> ShownStep:
    # In a run from before steps had chunks of their own, those of the answer tell.
    kept = row["retrieves"] is not None
    seen = row["saw"] if kept else row["brought"]
    return ShownStep(
        index=row["index"],
        action=row["action"] or "",
        query=row["query"] or "",
        observation=row["observation"] or "",
        retrieves=bool(row["retrieves"]) if kept else bool(seen),
        top_k=row["top_k"],
        filters=describe_filters(row["filters"] or ""),
        thought=row["thought"] or "",
        arguments=row["arguments"] or "",
        fault=row["fault"] or "",
        input_tokens=row["input_tokens"] or 0,
        output_tokens=row["output_tokens"] or 0,
        seconds=row["seconds"],
        seen=tuple(
            SeenChunk(
                one["chunk"],
                one["article"],
                one["title"] or "",
                rank,
                one["score"],
                one["text"] or "",
                tuple(sorted(gold.get(one["chunk"], ()))),
            )
            for rank, one in enumerate(seen, start=1)
        ),
    )


def _chain(row: Row, steps: Sequence[ShownStep]) -> tuple[GoldHop, ...]:
    hops = sorted({one["hop"] for part in ("facts", "evidence", "hop_questions") for one in row[part]})
    return tuple(_hop(row, steps, hop, last=hop == hops[-1]) for hop in hops)


def _hop(row: Row, steps: Sequence[ShownStep], hop: int, last: bool) -> GoldHop:
    fact = next((one for one in row["facts"] if one["hop"] == hop), None)
    own = next((one for one in row["hop_questions"] if one["hop"] == hop), None)
    prefix = next((one for one in row["prefixes"] if one["hop"] == hop), None)
    asked = own or prefix
    right = prefix["correct"] if prefix is not None else None
    # The question itself is the one of all hops: no prefix stands for it.
    whole = last and prefix is None and any(one["correct"] is not None for one in row["prefixes"])
    return GoldHop(
        hop=hop,
        fact=_fact_text(fact),
        question=asked["text"] if asked is not None else "",
        answer=asked["answer"] if asked is not None else row["question"]["answer"] or "" if last else "",
        evidence=tuple(
            ChunkSource(one["chunk"], one["article"], one["title"] or "")
            for one in row["evidence"]
            if one["hop"] == hop
        ),
        first_seen=next((step.index for step in steps if hop in step.gold), None),
        right=bool(row["answer"]["correct"]) if whole else right,
    )


def _fact_text(fact: Row | None) -> str:
    """What a hop states: its triple in words, or the statement where no path holds one."""
    if fact is None:
        return ""
    if fact["predicate"]:
        return f"{fact['subject']} {fact['predicate']} {fact['object']}"
    return str(fact["statement"] or "")
