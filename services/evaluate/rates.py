"""Error rates to write back onto the graph's nodes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodeRate:
    """How often questions that touch a node were answered wrong.

    `answers` counts the judged questions; `error_rate` is None where there are none, so that writing it
    removes a rate of an earlier run instead of leaving it or claiming 0.
    """

    id: str
    answers: int
    errors: int
    error_rate: float | None


def error_rates(wrong: Mapping[str, bool], questions_of: Mapping[str, Collection[str]]) -> list[NodeRate]:
    """The error rate of each node, in the order of node ids.

    `wrong` maps a judged question to whether its answer was wrong; `questions_of` maps a node (a claim,
    chunk, entity, article, path ...) to the questions that touch it. A question counts once a node however
    often it touches it, and not at all where it was not judged.
    """
    rates = []
    for node in sorted(questions_of):
        verdicts = [wrong[question] for question in set(questions_of[node]) if question in wrong]
        rates.append(
            NodeRate(
                id=node,
                answers=len(verdicts),
                errors=sum(verdicts),
                error_rate=sum(verdicts) / len(verdicts) if verdicts else None,
            )
        )
    return rates
