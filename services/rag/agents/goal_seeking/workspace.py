"""From a step of a plan to a call: variables become what the steps before gave.

What a step gave lies here, behind the boundary, for the later steps of the same plan; the planner knows the
variables' numbers only.
"""

from collections.abc import Mapping, Sequence

from kg.llm.protocol import JsonValue
from services.rag.agents.goal_seeking.insights import Insights, evidence_as_json
from services.rag.agents.goal_seeking.plans import ALL_EVIDENCE, PlanStep, reference, references, with_words
from services.rag.agents.goal_seeking.primitives import PRIMITIVES, RETRIEVING
from services.rag.agents.goal_seeking.results import (
    Answer,
    Documents,
    Entities,
    Evidence,
    NextQuery,
    Result,
    Sufficiency,
    chunks_of,
    pieces_of,
    shown_in_text,
)
from services.rag.agents.protocol import Call

MOST_KNOWN = 20
"""So many of the facts that are known already are told to an extraction, the last ones."""


def call_of(
    step: PlanStep, results: Sequence[Result], known: Insights, usual_k: int, why: str = ""
) -> Call | None:
    """The call of a step, given the results of the steps before it; None where it has nothing to work on.

    A retrieval has nothing to work on where the words of all its variables are empty, an extraction where
    nothing was retrieved.
    """
    text = with_words(step.text, lambda number: _words(results, number)).strip()
    empty = bool(references(step.text)) and not any(
        _words(results, number) for number in references(step.text)
    )
    if step.primitive in RETRIEVING:
        return None if empty or not text else Call(step.primitive, _search(step, text, usual_k), why)
    given = [results[number - 1] for name in step.inputs if 0 < (number := reference(name)) <= len(results)]
    chunks = list(chunks_of(given))
    evidence = pieces_of(given)
    if ALL_EVIDENCE in step.inputs or not step.inputs:
        evidence = tuple(dict.fromkeys((*known.evidence, *evidence)))
    question = known.question if empty or not text else text
    arguments: dict[str, JsonValue] = {
        "question": question,
        "chunks": chunks,
        "evidence": evidence_as_json(evidence),
        "tried": list(known.tried),
        "searches": [one.told for one in known.queries],
        "silences": [one.told for one in known.silences],
        "known": [piece.fact for piece in known.evidence[-MOST_KNOWN:]],
    }
    takes = PRIMITIVES[step.primitive].takes
    has_something = bool(chunks and "documents" in takes) or bool(evidence and "evidence" in takes)
    judges = step.primitive in {"synthesize_answer", "assess_sufficiency"}
    if not has_something and not judges:
        return None
    return Call(step.primitive, _wanted(step.primitive, arguments), why)


def nothing(primitive: str) -> Result:
    """What a step gives that was not taken, or came to nothing."""
    match PRIMITIVES[primitive].gives:
        case "documents":
            return Documents()
        case "evidence":
            return Evidence()
        case "entities":
            return Entities()
        case "query":
            return NextQuery()
        case "answer":
            return Answer()
        case "sufficiency":
            return Sufficiency()


def _wanted(primitive: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Those of the arguments that a primitive has."""
    names = PRIMITIVES[primitive].parameters["properties"]
    return (
        {name: arguments[name] for name in names if name in arguments} if isinstance(names, Mapping) else {}
    )


def _search(step: PlanStep, text: str, usual_k: int) -> dict[str, JsonValue]:
    filtered = step.primitive != "retrieve"
    return {
        "query": text,
        "sources": list(step.sources) if filtered else [],
        "category": step.category if filtered else "",
        "since": step.since if filtered else "",
        "until": step.until if filtered else "",
        "k": step.k or usual_k,
    }


def _words(results: Sequence[Result], number: int) -> str:
    return shown_in_text(results[number - 1]) if 0 < number <= len(results) else ""
