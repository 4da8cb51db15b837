"""A model that plans, reads and evaluates for goal seeking, from what its requests hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.answers import is_abstention
from services.rag.agents.goal_seeking.make import goal_seeking
from services.rag.agents.loop import AgentSystem
from services.rag.metadata import index_metadata
from services.rag.protocol import RagAnswer, Step
from tests.scripted_endpoint import Answer, Asked, Endpoint, Fault, scripted_endpoint
from tests.services.rag.agents.world import QUESTION, ByLastName, asked, model_place
from tests.services.rag.scripted_answers import answer_as_told, fences

SOURCES = ("The Ostby Post", "Norholm Echo")
METADATA = index_metadata(SOURCES, ["Sport"], [], "2021-03-05", "2023-01-15")

_TASKS = {
    "plan": "You plan how to find",
    "evaluate": "You decide whether the search",
    "extract": "You extract evidence",
    "next query": "You say what to look for next",
    "assess": "You judge whether facts",
}

Play = Callable[[Asked, Mapping[str, str]], Answer]


def task(request: Asked) -> str:
    """What a request asks for: one of the tasks of goal seeking, or "answer"."""
    return next((name for name, words in _TASKS.items() if request.system.startswith(words)), "answer")


def step(primitive: str, text: str = "", *inputs: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A step of a plan as a model writes it."""
    return {"primitive": primitive, "text": text, "inputs": list(inputs), **more}


def plan(*steps: Mapping[str, Any], pattern: str = "two-hop inference", why: str = "") -> dict[str, Any]:
    return {"pattern": pattern, "why": why, "steps": list(steps)}


TWO_HOPS = plan(
    step("retrieve", "club of Mira Tolland"),
    step("extract_evidence", QUESTION, "$1"),
    step("generate_next_query", QUESTION, "$evidence"),
    step("retrieve", "$3", k=2),
    step("extract_evidence", "$3", "$4"),
    step("assess_sufficiency", QUESTION, "$evidence"),
    step("synthesize_answer", QUESTION, "$evidence"),
)


ONE_SEARCH = (step("retrieve", "Mira Tolland"), step("extract_evidence", QUESTION, "$1"))
ANSWERED = step("synthesize_answer", QUESTION, "$evidence")


def extracted(*facts: tuple[int, str], happened: str = "") -> dict[str, Any]:
    """What an extraction gives: for each fact the number of its passage."""
    return {"evidence": [{"passage": number, "fact": fact, "happened": happened} for number, fact in facts]}


def in_turn(*answers: Answer) -> Iterator[Answer]:
    """The answers one after another, the last again and again."""
    yield from answers
    while True:
        yield answers[-1]


def _evaluated(given: Mapping[str, str]) -> Answer:
    answer = given.get("answer so far", "")
    return {"achieved": not is_abstention(answer), "reason": "the facts tell it"}


_PLAYS: Mapping[str, Callable[[Mapping[str, str]], Answer]] = {
    "plan": lambda _: TWO_HOPS,
    "extract": lambda given: extracted((1, _text(given["passage 1"]))),
    "next query": lambda _: {"query": "owner of the Ostby Rovers"},
    "assess": lambda given: {"enough": "Halden" in given["facts"], "missing": []},
    "evaluate": _evaluated,
}


def player(**plays: "Play | Answer") -> Callable[[Asked], Answer]:
    """A model that follows `TWO_HOPS` well; tasks (with _ for blanks) can be played otherwise."""

    def respond(request: Asked) -> Answer:
        what, given = task(request), fences(request)
        play = plays.get(what.replace(" ", "_"))
        if play is not None:
            return play(request, given) if callable(play) else play
        known = _PLAYS.get(what)
        return _answered(request, given) if known is None else known(given)

    return respond


def _answered(request: Asked, given: Mapping[str, str]) -> Answer:
    owner = next((label for label, text in given.items() if "Halden Shipping" in text), "")
    return f"Halden Shipping [{owner.removeprefix('passage ')}]" if owner else answer_as_told(request)


def run(
    tmp_path: Path,
    responder: Callable[[Asked], Answer],
    questions: Sequence[str] = (QUESTION,),
    most_iterations: int | None = None,
    faults: Sequence[Fault] = (),
    evidence_tokens: int | None = None,
) -> tuple[list[RagAnswer], Endpoint]:
    """What comes of questions, and the endpoint that was asked."""
    with (
        scripted_endpoint(responder, faults) as endpoint,
        model_place(
            endpoint,
            tmp_path,
            ByLastName(),
            most_iterations=most_iterations,
            evidence_tokens=evidence_tokens,
        ) as here,
    ):
        return AgentSystem(goal_seeking(here, METADATA)).answer(asked(*questions)), endpoint


def actions(found: RagAnswer) -> list[str]:
    return [one.action for one in found.steps]


def faults_of(found: RagAnswer) -> list[str]:
    return [one.fault for one in found.steps if one.fault]


def last(found: RagAnswer) -> Step:
    return found.steps[-1]


def _text(shown: str) -> str:
    return shown.partition("\n\n")[2]
