"""The hops of a question with a question for each: a composed one has them, a chain's are worded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from kg.model import EntityType
from services.exports.records import FactRecord, QuestionRecord, StopRecord
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import chain_question


@dataclass(frozen=True, slots=True)
class RecordHop:
    """A hop from 1: what it asks alone, and the question so far; `accepted` are other answers to that."""

    hop: int
    topology: str
    text: str
    answer: str
    so_far: str
    so_far_answer: str
    accepted: tuple[str, ...]


def hops_of(question: QuestionRecord) -> tuple[RecordHop, ...]:
    """The hops of a question in their order; none for one whose hops have no questions."""
    alone = dict(_alone(question))
    if not alone or len(question.prefixes) + 1 != len(alone):
        return ()
    so_far = {one.hops: (one.text, one.answer, one.accepted) for one in question.prefixes}
    so_far[len(alone)] = (question.text, question.answer, question.accepted)
    return tuple(
        RecordHop(hop, topology, text, answer, *so_far[hop][:2], _others(*so_far[hop][1:]))
        for hop, (topology, text, answer) in sorted(alone.items())
    )


def _others(answer: str, accepted: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in accepted if one != answer)


def _alone(question: QuestionRecord) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """For each hop how it is joined, its question and its answer."""
    if question.hop_questions:
        for one in question.hop_questions:
            yield one.hop, (one.topology, one.text, one.answer)
    elif len(question.stops) == len(question.facts) + 1 and all(fact.predicate for fact in question.facts):
        for number, fact in enumerate(question.facts, start=1):
            start, end = (_stop(stop) for stop in question.stops[number - 1 : number + 1])
            text = chain_question((start, end), (_fact(fact),))
            yield fact.hop, ("start" if number == 1 else "inference", text, end.name)


def _stop(stop: StopRecord) -> Stop:
    # Types come from a graph or from an export of one; an unknown one only makes the wording plainer.
    return Stop("", stop.name, cast("EntityType", stop.type or "MISC"))


def _fact(fact: FactRecord) -> Fact:
    return Fact(
        index=1,
        claim="",
        triple="",
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        article=fact.article,
        sentence=fact.sentence,
        reversed=fact.reversed,
    )
