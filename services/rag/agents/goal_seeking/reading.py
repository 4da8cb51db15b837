"""What reading primitives need of whoever reads, a model or the rules, for many questions at once.

Reading by rules, from words alone: the honest baseline for the primitives of goal seeking.

A question is taken apart as for query decomposition. Evidence is the sentences that share the rarest words
with a question. The next query is the first part that the evidence does not answer, with earlier answers in
it; evidence is enough where it answers every part, and where each source that the question names has a piece.
Absence is evidence too: a named source that the corpus lacks, or in which so many different searches brought
nothing that tells it, is silent, and then nothing is missing that another search could bring.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kg.llm.protocol import FailureKind, Usage
from services.answers import INSUFFICIENT, is_abstention
from services.rag.agents.goal_seeking.insights import EvidencePiece, PastQuery, Silence
from services.rag.agents.goal_seeking.primitives import Evidence, NextQuery, Result, Sufficiency
from services.rag.agents.protocol import FaultKind, Final, same_search
from services.rag.cited_articles import citations
from services.rag.metadata import MetadataIndex, recognise
from services.rag.protocol import Passage
from services.rag.question_words import question_weights, weight_share, words
from services.rag.reader import RulesGenerator, read_answer, read_on_the_way
from services.rag.sentence_match import Reading, Sentence, sentences_of
from services.rag.trace import fill_marks


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """Passages from which facts are to be extracted for a question; `known_facts` need not come again."""

    question: str
    passages: tuple[Passage, ...]
    known_facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceTask:
    """A question with the evidence for it; `passages` are the same pieces by their chunks, with the names and
    facts in them. `query_texts` are queries that were looked for, `searches` the same with where and how much
    came, `silences` what passages were found not to tell, `question_id` the id of the run's question."""

    question: str
    evidence: tuple[EvidencePiece, ...]
    passages: tuple[Passage, ...]
    query_texts: tuple[str, ...] = ()
    question_id: str = ""
    searches: tuple[PastQuery, ...] = ()
    silences: tuple[Silence, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What a reader gave, with what it took. With a `fault` or an `error`, `fault_text` says what was
    wrong."""

    result: Result
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    fault: FaultKind | None = None
    error: str = ""
    fault_text: str = ""


class EvidenceReader(Protocol):
    """Reads for the primitives that need understanding; one `TaskResult` a task, in order.

    A model's raise ModelRefusedError, ModelUnavailableError and BudgetReachedError, as
    `kg.llm.protocol.Model.ask`.
    """

    def extract(self, tasks: Sequence[ExtractTask]) -> list[TaskResult]:
        """The facts that help with each question, as `Evidence`."""
        ...

    def next_query(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """What to look for next for each question, as `NextQuery`."""
        ...

    def assess(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """Whether the evidence is enough for each question, as `Sufficiency`."""
        ...

    def answer(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """The answer to each question, which has evidence, as `Final`."""
        ...


def fault_of(failure: FailureKind) -> FaultKind | None:
    """What the model did wrong; None where the endpoint failed, which ends the question."""
    match failure:
        case "refusal":
            return "refusal"
        case "invalid JSON" | "empty" | "cut off":
            return "malformed call"
        case _:
            return None


FOCUSED = 3
"""Where passages of more sources than this were read, it says little that one of them tells nothing."""

LEAST_SEARCHES = 2
"""So many searches that differ must have looked in a source before its silence counts."""


def silences_of(
    question: str, read: Sequence[Passage], pieces: Sequence[EvidencePiece]
) -> tuple[Silence, ...]:
    """Which sources were read and tell nothing; where many were, only that none of them tells anything."""
    counts = Counter(passage.source for passage in read)
    if len(counts) > FOCUSED:
        return () if pieces else (Silence(question, "", counts.total()),)
    telling = {piece.source for piece in pieces}
    return tuple(
        Silence(question, source, count) for source, count in counts.items() if source not in telling
    )


def is_silent(source: str, searches: Sequence[PastQuery], evidence: Sequence[EvidencePiece]) -> bool:
    """Whether enough searches that differ looked in a source, and no evidence is from it."""
    queries = {same_search("retrieve", one.query) for one in searches if source in one.sources}
    return len(queries) >= LEAST_SEARCHES and all(piece.source != source for piece in evidence)


MOST_PIECES = 8
"""Sentences that one extraction takes."""

MOST_CITED = 24
"""Sentences that are taken of each article that a question cites by title, whatever their words."""

LEAST_SHARE = 0.1
"""The least share of a question's weight that a sentence must have to be evidence."""


@dataclass(frozen=True, slots=True)
class RulesReader:
    """Reads by rules; `metadata` tells which sources a question names."""

    metadata: MetadataIndex

    def extract(self, tasks: Sequence[ExtractTask]) -> list[TaskResult]:
        """The sentences that fit each question best."""
        found = []
        for task in tasks:
            pieces = tuple(_pieces(task))
            lacking = recognise(task.question, self.metadata).lacking
            absent = tuple(Silence(task.question, source, 0) for source in lacking)
            silent = silences_of(task.question, task.passages, pieces)
            found.append(TaskResult(Evidence(pieces, (*absent, *silent))))
        return found

    def next_query(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """The first part of each question that is open and was not looked for."""
        return [TaskResult(NextQuery(next(_fresh(task), ""))) for task in tasks]

    def assess(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """Whether each part has an answer, and each named source a piece, or whether one is silent."""
        return [TaskResult(self._assess(task)) for task in tasks]

    def answer(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """What was read for the last part of a chain whose parts all have answers, or for the whole."""
        return [TaskResult(_answer_task(task)) for task in tasks]

    def _assess(self, task: EvidenceTask) -> Sufficiency:
        recognised = recognise(task.question, self.metadata)
        has = {piece.source for piece in task.evidence}
        lacking = [one.sources for one in recognised.reports if one.sources and has.isdisjoint(one.sources)]
        silent = [
            sources
            for sources in lacking
            if all(is_silent(source, task.searches, task.evidence) for source in sources)
        ]
        if (recognised.lacking or silent) and len(silent) == len(lacking):
            return Sufficiency(True)
        open_parts = _open_parts(task)
        sought = (f"a report of {sources[0]}" for sources in lacking if sources not in silent)
        missing = tuple(dict.fromkeys((*open_parts, *sought)))
        return Sufficiency(bool(task.evidence) and not missing, missing)


@dataclass(frozen=True, slots=True)
class PartReading:
    """A part of a question with earlier answers in it, and its own answer; None for none."""

    text: str
    reading: Reading | None


def chain(question: str, passages: Sequence[Passage]) -> list[PartReading]:
    """The parts of a question in order, as they were read.

    A part that waits for one without an answer is left out.
    """
    found: list[PartReading] = []
    for part in _parts(question):
        if any(found[number].reading is None for number in _waits_for(part, len(found))):
            break
        answers = [one.reading.answer if one.reading else "" for one in found]
        text = fill_marks(part, [one.text for one in found], answers)
        found.append(PartReading(text, _read_passages(text, passages)))
    return found


def _read_passages(text: str, passages: Sequence[Passage]) -> Reading | None:
    """The answer to a text, from the passages in the order in which they fit it: evidence has no ranks."""
    sentences = [[one.words for one in sentences_of([passage])] for passage in passages]
    weights = question_weights(text, (one for some in sentences for one in some))
    fits = [max((weight_share(weights, one) for one in some), default=0.0) for some in sentences]
    best = sorted(range(len(passages)), key=lambda number: -fits[number])
    reading = read_answer(text, [passages[number] for number in best])
    return None if is_abstention(reading.answer) else reading


def _answer_task(task: EvidenceTask) -> Final:
    if is_chain(task.question):
        parts = chain(task.question, task.passages)
        whole = len(parts) == len(_parts(task.question)) and all(one.reading for one in parts)
        reading = parts[-1].reading if whole else None
    else:
        reading = _read_passages(task.question, task.passages)
    if reading is None:
        return Final(INSUFFICIENT, confidence=0.0)
    confidence = coverage(task.question, task.evidence)
    return Final(
        reading.answer,
        entity=reading.entity,
        chunk=reading.chunk,
        sentence=reading.sentence,
        confidence=confidence,
    )


def coverage(question: str, evidence: Sequence[EvidencePiece]) -> float:
    """The share of a question's content words that stand in the evidence, in [0, 1]."""
    found = {word for piece in evidence for word in words(piece.fact)}
    return round(weight_share(dict.fromkeys(words(question), 1.0), found), 3)


def _pieces(task: ExtractTask) -> Iterator[EvidencePiece]:
    """The sentences of articles that the question cites by title, else those that share its words."""
    sentences = sentences_of(task.passages)
    titles = citations(task.question)
    best = [
        one for title in titles for one in [own for own in sentences if title.fits(own.passage)][:MOST_CITED]
    ]
    if not best:
        weights = question_weights(task.question, (one.words for one in sentences))
        fits = [(weight_share(weights, one.words) * one.decay, one) for one in sentences]
        ranked = sorted(fits, key=lambda pair: -pair[0])
        best = [one for fit, one in ranked if fit >= LEAST_SHARE]
    # Neighbouring chunks share sentences, and copies of an article all of theirs.
    once: dict[tuple[str, str], Sentence] = {}
    for one in best:
        once.setdefault((one.text, one.passage.source), one)
    for one in list(once.values())[: MOST_CITED * len(titles) or MOST_PIECES]:
        yield _piece(one)


def _piece(sentence: Sentence) -> EvidencePiece:
    passage = sentence.passage
    return EvidencePiece(sentence.text, passage.chunk, passage.source, passage.published)


def _fresh(task: EvidenceTask) -> Iterator[str]:
    """What to look for next, best first: open parts, then the question with what was found on the way."""
    tried = {same_search("retrieve", query) for query in task.query_texts}
    parts = chain(task.question, task.passages)
    candidates = [one.text for one in parts if one.reading is None]
    found = [one.reading.answer for one in parts if one.reading is not None][-1:]
    on_the_way = read_on_the_way(task.question, task.passages).answer
    found += [on_the_way] if not is_abstention(on_the_way) else []
    for text in (*candidates, *(f"{task.question} {name}" for name in found)):
        if same_search("retrieve", text) not in tried:
            yield text


def _open_parts(task: EvidenceTask) -> tuple[str, ...]:
    """The parts without an answer; where parts don't wait for each other, the whole question counts."""
    if is_chain(task.question):
        return tuple(one.text for one in chain(task.question, task.passages) if one.reading is None)
    return (task.question,) if _read_passages(task.question, task.passages) is None else ()


def is_chain(question: str) -> bool:
    """Whether the parts of a question lead to each other, or it has but one."""
    parts = _parts(question)
    return len(parts) == 1 or any("#1" in part for part in parts)


def _waits_for(part: str, answered: int) -> list[int]:
    """Which earlier parts, counted from 0, a part needs the answers to."""
    return [number for number in range(answered) if f"#{number + 1}" in part]


def _parts(question: str) -> tuple[str, ...]:
    ((parts, _),) = RulesGenerator().decompose([question])
    return parts
