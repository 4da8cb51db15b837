"""Reading by a model: it extracts facts from fenced passages, says what to look for, and what is missing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import fenced, on_one_line
from kg.llm.protocol import Failure, JsonValue, Model, Schema, json_object
from services.evaluate.answers import is_abstention
from services.rag.agents.goal_seeking.asking_model import (
    ASSESSING,
    EXTRACTING,
    NEXT_QUERY,
    CostOf,
    ask,
    evidence_shown,
    failed,
    question_shown,
    request,
    silences_shown,
    tried_shown,
)
from services.rag.agents.goal_seeking.insights import EvidencePiece, Silence, items
from services.rag.agents.goal_seeking.reading import EvidenceTask, ExtractTask, Read, coverage, fault_of
from services.rag.agents.goal_seeking.results import Answer, Evidence, NextQuery, Sufficiency
from services.rag.context import Context, build_context
from services.rag.model_generator import CONTEXT_TOKENS
from services.rag.protocol import Generated, Generator, Passage, ReadTask

MOST_PIECES = 8
LONGEST_FACT = 600
"""Characters of a fact; a model that copies whole passages would carry them over the boundary."""

MOST_MISSING = 4
MOST_SILENT = 8
"""Notes on what passages do not tell that stand beside the evidence of an answer, the last ones."""

FOCUSED = 3
"""Where passages of more sources than this were read, it says little that one of them tells nothing."""

LONGEST_DAY = 40

_EXTRACTED = Schema(
    "evidence",
    json_object(
        evidence={
            "type": "array",
            "items": json_object(
                passage={"type": "integer"}, fact={"type": "string"}, happened={"type": "string"}
            ),
        }
    ),
)
_QUERY = Schema("query", json_object(query={"type": "string"}))
_ASSESSED = Schema(
    "assessment",
    json_object(enough={"type": "boolean"}, missing={"type": "array", "items": {"type": "string"}}),
)


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Reads by a model; `cost_of` tells what tokens cost, None where the model has no price.

    `generator` answers from evidence as it answers for every other system, by the same prompt.
    """

    model: Model
    cost_of: CostOf
    generator: Generator

    def extract(self, tasks: Sequence[ExtractTask]) -> list[Read]:
        """The facts that help with each question; a task without passages is not asked."""
        contexts = [build_context(task.question, task.passages, CONTEXT_TOKENS) for task in tasks]
        full = [number for number, context in enumerate(contexts) if context.blocks]
        requests = [
            request(
                EXTRACTING,
                _EXTRACTED,
                question=question_shown(tasks[number].question),
                known=_known(tasks[number].known),
                passages=_passages(contexts[number]),
            )
            for number in full
        ]
        found = [Read(Evidence()) for _ in tasks]
        for number, (asked, outcome) in zip(full, ask(self.model, requests), strict=True):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found[number] = failed(outcome, asked, cost, Evidence())
                continue
            task, context = tasks[number], contexts[number]
            pieces = _pieces(outcome.value, context, task.passages)
            silences = _silences(task, context, pieces)
            found[number] = Read(Evidence(pieces, silences), outcome.usage, cost, asked.prompt)
        return found

    def next_query(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """What to look for next for each question."""
        requests = [
            request(
                NEXT_QUERY,
                _QUERY,
                question=question_shown(task.question),
                evidence=evidence_shown(task.evidence),
                tried=tried_shown(task.tried),
            )
            for task in tasks
        ]
        found = []
        for asked, outcome in ask(self.model, requests):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found.append(failed(outcome, asked, cost, NextQuery()))
                continue
            query = outcome.value.get("query") if isinstance(outcome.value, Mapping) else ""
            found.append(Read(NextQuery(_line(query)), outcome.usage, cost, asked.prompt))
        return found

    def assess(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """Whether the evidence is enough for each question; where nothing was read it is not, and nobody is
        asked."""
        full = [number for number, task in enumerate(tasks) if task.evidence or task.silences]
        requests = [
            request(
                ASSESSING,
                _ASSESSED,
                question=question_shown(tasks[number].question),
                evidence=evidence_shown(tasks[number].evidence),
                searches=tried_shown(tasks[number].searches),
                silences=silences_shown(tasks[number].silences),
            )
            for number in full
        ]
        found = [Read(Sufficiency(missing=(task.question,))) for task in tasks]
        for number, (asked, outcome) in zip(full, ask(self.model, requests), strict=True):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found[number] = failed(outcome, asked, cost, Sufficiency())
                continue
            found[number] = Read(_sufficiency(outcome.value), outcome.usage, cost, asked.prompt)
        return found

    def answer(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """The generator's answers, with the share of the question's words in the evidence as confidence."""
        given = self.generator.answer(
            [
                ReadTask(task.question, task.passages, task.silences[-MOST_SILENT:], asked=task.asked)
                for task in tasks
            ]
        )
        return [_answer(task, one) for task, one in zip(tasks, given, strict=True)]


def _answer(task: EvidenceTask, given: Generated) -> Read:
    answer = Answer(
        given.text,
        0.0 if is_abstention(given.text) else coverage(task.question, task.evidence),
        given.entity,
        given.chunk,
        given.sentence,
        given.cited,
        given.unknown_citations,
        given.passages_shown,
    )
    fault = fault_of(given.failure) if given.failure is not None else None
    error = "" if fault else given.error
    return Read(answer, given.usage, given.cost, given.prompt, fault, error, given.error)


def _pieces(value: JsonValue, context: Context, passages: Sequence[Passage]) -> tuple[EvidencePiece, ...]:
    """The facts of an answer; one of a passage that was not shown is left out."""
    by_number = {block.number: block for block in context.blocks}
    by_chunk = {passage.chunk: passage for passage in passages}
    found = []
    for one in items(value.get("evidence") if isinstance(value, Mapping) else None):
        number = one.get("passage") if isinstance(one, Mapping) else None
        fact = _line(one.get("fact"))[:LONGEST_FACT] if isinstance(one, Mapping) else ""
        if not isinstance(number, int) or number not in by_number or not fact:
            continue
        first = by_chunk[by_number[number].chunks[0]]
        happened = _line(one.get("happened"))[:LONGEST_DAY] if isinstance(one, Mapping) else ""
        found.append(EvidencePiece(fact, first.chunk, first.source, first.published, happened))
    return tuple(dict.fromkeys(found))[:MOST_PIECES]


def _silences(task: ExtractTask, context: Context, pieces: Sequence[EvidencePiece]) -> tuple[Silence, ...]:
    """Which sources were read and tell nothing; where many were, only that none of them tells anything."""
    by_chunk = {passage.chunk: passage for passage in task.passages}
    read = Counter(by_chunk[chunk].source for block in context.blocks for chunk in block.chunks)
    if len(read) > FOCUSED:
        return () if pieces else (Silence(task.question, "", read.total()),)
    telling = {piece.source for piece in pieces}
    return tuple(
        Silence(task.question, source, count) for source, count in read.items() if source not in telling
    )


def _known(facts: Sequence[str]) -> str:
    """The facts that are known already, as data."""
    return fenced("\n".join(map(on_one_line, facts)), "facts known already") if facts else ""


def _sufficiency(value: JsonValue) -> Sufficiency:
    if not isinstance(value, Mapping):
        return Sufficiency()
    missing = tuple(filter(None, (_line(one) for one in items(value.get("missing")))))[:MOST_MISSING]
    return Sufficiency(bool(value.get("enough")), missing)


def _passages(context: Context) -> str:
    return "\n\n".join(fenced(block.shown, f"passage {block.number}") for block in context.blocks)


def _line(value: JsonValue) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
