"""Chain questions by a language model that reads triples, claims and what stands around them.

As in GRADE (sections 3.2 and A.9.5) the model words the question, and the path says what it asks for. An
answer that is not the end of the path is a question about something else and is rejected; so is one for which
the model gave nothing that can be used, or found that no good question can be made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import (
    Estimate,
    Failure,
    JsonValue,
    Model,
    ModelOutcome,
    ModelRequest,
    Schema,
    json_object,
)
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, batches
from services.questions.chains import draft_chain, read_chains, worded_chain
from services.questions.draft import Chain, Check, Draft, Made
from services.questions.shown_facts import ShownFacts, read_shown_facts

WRITTEN = "written by the model"
FOUND = "writer found a question"
ENDS_RIGHT = "model's answer is the end"
WRITER_CHECKS = (WRITTEN, FOUND, ENDS_RIGHT)
"""What is checked of a model's question before any filter sees it."""

MODEL_WRITER = 2
PATHS_A_BATCH = 200
ROOM_TOKENS = 800
FOUND_SHARE = 0.42
"""The share of paths of which a model made a question: 60 of the 142 of the jobs in docs/evaluation/model.md;
of those that rules would reject it makes none."""
EXPECTED_OF_A_HOP, EXPECTED_REFUSAL = 45, 38
"""Tokens of an ordinary answer: a question for each hop behind the first, which is the longer the later it
comes (63, 107 and 173 in all for 2, 3 and 4 hops); and the reason why there is none."""
LONGEST_DETAIL = 200

NO_PROBLEM = "none"
PROBLEMS = (
    NO_PROBLEM,
    "unclear start",
    "no relation",
    "same fact twice",
    "names differ",
    "unclear answer",
    "several answers",
    "fact can be skipped",
    "circular",
    "other",
)
"""Why a model may find that a chain makes no good question."""

_TEXT: Mapping[str, JsonValue] = {"type": "string"}
SCHEMA = Schema(
    "question",
    json_object(
        problem={"type": "string", "enum": list(PROBLEMS)},
        why=_TEXT,
        steps={"type": "array", "items": _TEXT},
        question=_TEXT,
        answer=_TEXT,
    ),
)


def writer_name(model: str) -> str:
    """What is recorded with a model's questions: "model-2/MODEL/write-question@3"."""
    return f"model-{MODEL_WRITER}/{model}/{_prompt().id}"


def write_by_model(graph: Graph, model: Model, chains: Sequence[Chain]) -> list[Made]:
    """A draft for each chain, with what was checked of it; one whose checks failed is a rejected question.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: the endpoint does not answer.
        BudgetReachedError: the budget is spent. What was answered comes from the cache next time.
    """
    outcomes = model.ask(_requests(graph, chains))
    return [_made(chain, outcome, model.name) for chain, outcome in zip(chains, outcomes, strict=True)]


def estimate_writing(graph: Graph, model: Model, paths: Sequence[str]) -> Estimate:
    """What the questions of some paths would take; nothing is sent."""

    def requests() -> Iterator[ModelRequest]:
        for some in batches(paths, PATHS_A_BATCH):
            yield from _requests(graph, read_chains(graph, some))

    return model.estimate(requests())


def stand_in(chain: Chain) -> Draft:
    """The rules' question as if a model had worded it, to count what its checks would take."""
    draft = draft_chain(chain)
    return replace(draft, generator=writer_name("any"), prefixes=())


def _made(chain: Chain, outcome: ModelOutcome, model: str) -> Made:
    if isinstance(outcome, Failure):
        check = Check(WRITTEN, passed=False, reason=outcome.told[:LONGEST_DETAIL])
        return Made(worded_chain(chain, "", (), writer_name(model)), (check,))
    value = outcome.value if isinstance(outcome.value, Mapping) else {}
    problem, why, text, answer = (_line(value.get(key)) for key in ("problem", "why", "question", "answer"))
    given = value.get("steps")
    steps = [_line(step) for step in given] if isinstance(given, list) else []
    # Where steps are left out or too many, nothing tells which hop one of them ends at.
    fit = len(steps) == len(chain.facts) - 1
    draft = worded_chain(chain, text, steps if fit else (), writer_name(model))
    written = Check(WRITTEN, passed=True)
    if problem != NO_PROBLEM:
        reason = f"{problem}: {why}".rstrip(": ")[:LONGEST_DETAIL]
        return Made(draft, (written, Check(FOUND, passed=False, reason=reason)))
    if not text:
        return Made(draft, (Check(WRITTEN, passed=False, reason="empty: the question holds nothing"),))
    found = Check(FOUND, passed=True)
    if normal_form(answer) not in {normal_form(name) for name in draft.accepted}:
        reason = f"the model answers {answer[:LONGEST_DETAIL]!r}, the path ends at {draft.answer!r}"
        return Made(draft, (written, found, Check(ENDS_RIGHT, passed=False, reason=reason)))
    return Made(draft, (written, found, Check(ENDS_RIGHT, passed=True)))


def _line(value: object) -> str:
    return " ".join(str(value or "").split())


def _requests(graph: Graph, chains: Sequence[Chain]) -> list[ModelRequest]:
    facts = (fact for chain in chains for fact in chain.facts)
    shown = read_shown_facts(graph, facts, (chain.path for chain in chains))
    return [question_request(chain, shown) for chain in chains]


def question_request(chain: Chain, shown: ShownFacts) -> ModelRequest:
    """A chain with what is shown of its facts, to be worded as a question."""
    messages = _prompt().fill(
        chain=fenced(" > ".join(on_one_line(stop.name) for stop in chain.stops), "chain"),
        facts=shown.facts(chain.facts),
        names=shown.names(chain.stops, chain.facts, chain.path),
    )
    return ModelRequest(
        messages,
        _prompt().id,
        SCHEMA,
        max_output_tokens=ROOM_TOKENS,
        expected_output_tokens=_expected_tokens(len(chain.facts)),
    )


def _expected_tokens(hops: int) -> int:
    """What an answer takes on average, whether the model makes a question or finds that there is none."""
    made = EXPECTED_OF_A_HOP * (hops - 1) + EXPECTED_OF_A_HOP // 2
    return round(FOUND_SHARE * made + (1 - FOUND_SHARE) * EXPECTED_REFUSAL)


def _prompt() -> Prompt:
    return load_prompt("write-question")
