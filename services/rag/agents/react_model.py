"""ReAct by a model: a plan first, then one search a turn, until it calls the tool "answer".

The set-up is that of AgenticRAGTracer (section 4.1, appendix C): query and number of passages are the
model's choice. Calls are native where the endpoint knows tools, else text; "Final answer: ..." ends the work
as the tool does. Of several calls in a turn the first is made. When the searches are used up, the answer is
read from what was found, with the prompt that all other systems use.

The answer in what a model wrote in a turn without a call, where it clearly means to end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import load_prompt
from kg.llm.protocol import (
    Failure,
    JsonValue,
    Model,
    ModelOutcome,
    ModelRequest,
    Reply,
    ToolSpec,
    Usage,
)
from kg.llm.reading import NotTheJsonError
from kg.llm.tool_calls import read_arguments
from services.rag.agents.course import best_ranked
from services.rag.agents.final_reading import Seen, read_finally
from services.rag.agents.place import AgentPlace
from services.rag.agents.protocol import Call, Decided, Decision, Fault, Final, Plan, Tool
from services.rag.agents.react import ACTING, PLANNING, REACT, USUAL_PLAN, USUAL_TURN, steps_of
from services.rag.agents.react_conversation import Conversation
from services.rag.agents.search_tool import SearchTool
from services.rag.evidence_budget import admitted_passages
from services.rag.model_generator import ANSWER_TOKENS
from services.rag.passages import passages_of
from services.rag.protocol import Asked
from services.rag.short_answers import short_answer

_LABELLED = re.compile(
    r"^[ \t>*_#`-]*(?:final[ _-]*)?answer\b[ \t*_`]*[:=][ \t*_`]*(?P<answer>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_IN_JSON = re.compile(r'^(?:```\w*\n)?\s*\{\s*"(?:final_|short_)?answer"\s*:', re.IGNORECASE)


def final_words(text: str) -> str:
    """The answer behind the last "Final answer:" or in an object with the member "answer"; "" without one."""
    if _IN_JSON.match(text.strip()):
        found = short_answer(text)
        return "" if found.startswith("{") else found
    labelled = [match["answer"] for match in _LABELLED.finditer(text)]
    return short_answer(labelled[-1]) if labelled else ""


ANSWER = "answer"
ANSWER_TOOL = ToolSpec(
    ANSWER,
    "End the work with the answer to the question.",
    {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "description": "The answer, in as few words as name the thing."},
            "passages": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "The numbers of the passages that the answer rests on.",
            },
        },
        "required": ["answer"],
    },
)

_LONGEST_THOUGHT = 2_000
"""Characters of what a model says beside a call that are kept with the step."""


@dataclass(frozen=True, slots=True)
class ModelReact:
    """A plan first, then one search a turn, by a model."""

    place: AgentPlace
    model: Model
    tools: Mapping[str, Tool]
    most_steps: int
    name: str = REACT

    def begin(self, asked: Asked) -> Conversation:
        """Nothing was said yet."""
        return Conversation(asked, self.most_steps)

    def decide(self, minds: Sequence[Conversation]) -> list[Decided]:
        """The model's plan, call or answer for each question; all are asked at once.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        self._show([mind for mind in minds if mind.unread is not None])
        requests = [self._request(mind) for mind in minds]
        return [
            _decided(mind, request, outcome, self.place.cost_of)
            for mind, request, outcome in zip(minds, requests, self.model.ask(requests), strict=True)
        ]

    def conclude(self, minds: Sequence[Conversation]) -> list[Decided]:
        """The answers from all that was found.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        seen = [Seen(mind.asked, *best_ranked(mind.found)) for mind in minds]
        return read_finally(self.place.generator, self.place.read, seen)

    def _show(self, minds: Sequence[Conversation]) -> None:
        """Tell the model what the last searches found, within the budget of evidence if there is one."""
        read = passages_of(self.place.read, [mind.unread or () for mind in minds])
        for mind, passages in zip(minds, read, strict=True):
            admitted = admitted_passages(self.place.generator, mind.asked.id, passages, last=False)
            mind.show(mind.asked.text, admitted)

    def _request(self, mind: Conversation) -> ModelRequest:
        if not mind.planned:
            return plan_request(mind, PLANNING)
        return turn_request(mind, ACTING, self.tools)


def plan_request(mind: Conversation, prompt: str) -> ModelRequest:
    """What a model is asked for a plan, by the prompt of this name."""
    return ModelRequest(
        mind.opening,
        load_prompt(prompt).id,
        max_output_tokens=ANSWER_TOKENS,
        expected_output_tokens=USUAL_PLAN,
    )


def turn_request(mind: Conversation, prompt: str, tools: Mapping[str, Tool]) -> ModelRequest:
    """What a model is asked for a turn: to call one of these tools, or to answer."""
    specs = (ToolSpec(tool.name, tool.about, tool.parameters) for tool in tools.values())
    return ModelRequest(
        tuple(mind.messages),
        load_prompt(prompt).id,
        max_output_tokens=ANSWER_TOKENS,
        expected_output_tokens=USUAL_TURN,
        tools=(*specs, ANSWER_TOOL),
    )


def model_react(place: AgentPlace, model: Model) -> ModelReact:
    """The agent at this place."""
    tool = SearchTool(place.retriever, place.embedder, place.top)
    return ModelReact(place, model, {tool.name: tool}, steps_of(place))


def _decided(
    mind: Conversation,
    request: ModelRequest,
    outcome: ModelOutcome,
    cost_of: Callable[[Usage], float | None],
) -> Decided:
    """What the model's outcome means; only a failure that asking on can't mend ends the question."""
    cost = cost_of(outcome.usage)
    match outcome:
        case Failure(kind="refusal"):
            mind.reply = None
            return Decided(Fault("refusal", outcome.told), outcome.usage, cost, request.prompt)
        case Failure(kind="empty"):
            mind.reply = None
            return Decided(Fault("no call", outcome.told), outcome.usage, cost, request.prompt)
        case Failure(kind="invalid JSON"):
            mind.reply = None
            return Decided(Fault("malformed call", outcome.told), outcome.usage, cost, request.prompt)
        case Failure():
            fault = Fault("no call", outcome.told)
            return Decided(fault, outcome.usage, cost, request.prompt, outcome.told)
        case Reply() if not mind.planned:
            return Decided(Plan(outcome.text), outcome.usage, cost, request.prompt)
        case Reply():
            mind.reply = outcome
            return Decided(_decision(mind, outcome), outcome.usage, cost, request.prompt)


def _decision(mind: Conversation, reply: Reply) -> Decision:
    """The first call of a turn, or the answer that it gives in words."""
    thought = reply.text[:_LONGEST_THOUGHT]
    if not reply.calls:
        words = final_words(reply.text)
        return _final(mind, words, thought) if words else Fault("no call", thought)
    call = reply.calls[0]
    try:
        arguments = read_arguments(call)
    except NotTheJsonError as error:
        return Fault("malformed call", f"{call.name}: {error}")
    if call.name != ANSWER:
        return Call(call.name, arguments, thought)
    answer = _answer(arguments)
    return (
        _final(mind, answer, thought) if answer else Fault("malformed call", f"{ANSWER}: it holds no answer")
    )


def _answer(arguments: Mapping[str, JsonValue]) -> str:
    """The answer in the arguments, with the passages that they name as citations; "" without one."""
    given, listed = arguments.get("answer"), arguments.get("passages")
    text = " ".join(str(given).split()) if isinstance(given, str | int | float) else ""
    numbers = listed if isinstance(listed, list) else [listed]
    return text + "".join(f" [{number}]" for number in numbers if isinstance(number, int)) if text else ""


def _final(mind: Conversation, answer: str, thought: str) -> Final:
    cited = mind.shown.cited(answer)
    return Final(
        cited.text,
        thought,
        chunk=cited.chunks[0] if cited.chunks else "",
        cited=cited.chunks,
        unknown_citations=len(cited.unknown),
        passages_shown=len(mind.shown.blocks),
    )
