"""What ReAct by rules and ReAct by a model have in common (AgenticRAGTracer, section 4.1 and appendix C).

The conversation of ReAct with a model about one question.

What a model that searches is shown: passages with numbers that go on from search to search.

ReAct by a model: a plan first, then one search a turn, until it calls the tool "answer".

The set-up is that of AgenticRAGTracer (section 4.1, appendix C): query and number of passages are the
model's choice. Calls are native where the endpoint knows tools, else text; "Final answer: ..." ends the work
as the tool does. Of several calls in a turn the first is made. When the searches are used up, the answer is
read from what was found, with the prompt that all other systems use.

The answer in what a model wrote in a turn without a call, where it clearly means to end.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kg.llm.prompts import fence, load_prompt, on_one_line
from kg.llm.protocol import (
    Failure,
    FailureKind,
    JsonValue,
    Message,
    Model,
    ModelOutcome,
    ModelRequest,
    Reply,
    ToolSpec,
)
from kg.llm.reading import NotTheJsonError, call_as_text, read_arguments
from services.rag.agents.loop import merge_searches
from services.rag.agents.protocol import (
    AgentContext,
    Call,
    CostedDecision,
    Decision,
    Fault,
    FaultKind,
    Final,
    Observation,
    Plan,
    SearchTool,
    SeenEvidence,
    Tool,
    read_finally,
)
from services.rag.answering import passages_of
from services.rag.context import Block, CitedAnswer, Context, admitted_passages, build_context, read_citations
from services.rag.model_generator import ANSWER_TOKENS, CONTEXT_TOKENS, short_answer
from services.rag.protocol import Hit, Passage, RagQuestion

REACT: Literal["react"] = "react"

PLANNING = "react-plan"
ACTING = "react-step"
"""The names of the prompts."""

USUAL_PLAN, USUAL_TURN = 65, 35
"""Tokens that an ordinary plan of three hops and an ordinary turn of the graph agent take, thinking aside;
for estimates. On average its turns took 28 to 35 in the recordings of docs/evaluation/model.md."""

USUAL_LINE = 21
"""Tokens of a line of a plan, which has one for each hop: 20 to 25 on average in each of these recordings,
and 19 and 22 in the two jobs of ReAct."""

USUAL_SEARCH = 25
"""Tokens of an ordinary turn that searches or answers: 33 on average in one recorded job, with a word on what
is missing, and 17 without in another."""

USUAL_TOP = 5
"""How many passages a model asks for where the number is its choice: 3 or 4 in one recorded job whose default
was 4, 5 in another whose default was 10."""

MOST_STEPS = 10
"""So many searches for a question, where a run doesn't say otherwise."""


def steps_of(place: AgentContext) -> int:
    """How many searches an agent may make at this place."""
    return MOST_STEPS if place.most_iterations is None else place.most_iterations


def format_plan(parts: Sequence[str]) -> str:
    """A plan as lines: "1. Who ...?"."""
    return "\n".join(f"{number}. {part}" for number, part in enumerate(parts, start=1))


@dataclass(slots=True)
class ShownBlocks:
    """The blocks that a model has been shown for one question, numbered from 1."""

    blocks: list[Block] = field(default_factory=list)

    def show(self, query: str, passages: Sequence[Passage]) -> str:
        """What the model gets to read of a search: new passages in fences, the numbers of those it has."""
        numbers = {chunk: block.number for block in self.blocks for chunk in block.chunks}
        fresh = [one for one in passages if one.chunk not in numbers]
        again = sorted({numbers[one.chunk] for one in passages if one.chunk in numbers})
        found = build_context(query, fresh, CONTEXT_TOKENS).blocks if fresh else ()
        new = [replace(block, number=len(self.blocks) + block.number) for block in found]
        self.blocks += new
        parts = [fence(block.full_text, f"passage {block.number}") for block in new]
        if again:
            parts.append(f"Found again: {', '.join(f'passage {number}' for number in again)}.")
        return "\n\n".join(parts) or "The search found no passage."

    def read_citations(self, answer: str) -> CitedAnswer:
        """An answer without its citations, and the chunks that it cites."""
        return read_citations(answer, Context(tuple(self.blocks)))


_NUDGE = 'Call the tool "search" for the next search, or the tool "answer" to end the work.'
_REMARKS: Mapping[FaultKind, str] = {
    "malformed call": "That call could not be made: {}.",
    "unknown tool": "That call could not be made: {}.",
    "no call": "That turn called no tool.",
    "repeated query": "That search was not made: {}.",
    "refusal": "That turn gave nothing.",
    "loop": "That turn gave nothing.",
}
_LONGEST_SAID = 4_000
"""Characters of a turn that came to nothing that stay in the conversation."""


@dataclass(slots=True)
class Conversation:
    """What a model knows of a question: `messages` begin once there is a plan.

    `reply` is the last turn's; `unread` is what its search found, before the model was shown it. `searches`
    is how many it may make in all, `nudge` what it is told after a turn that came to nothing.
    """

    question: RagQuestion
    searches: int
    messages: list[Message] = field(default_factory=list)
    shown_blocks: ShownBlocks = field(default_factory=ShownBlocks)
    hits: list[tuple[Hit, ...]] = field(default_factory=list)
    reply: Reply | None = None
    unread: tuple[Hit, ...] | None = None
    calls: int = 0
    nudge: str = _NUDGE

    @property
    def has_plan(self) -> bool:
        """Whether there is a plan."""
        return bool(self.messages)

    @property
    def opening(self) -> tuple[Message, ...]:
        """What the model is asked first: a plan."""
        return load_prompt(PLANNING).fill(question=fence(self.question.text, "question"))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in a plan, what a search found, or what was wrong with the turn."""
        if isinstance(decision, Call) and observation.fault not in {"malformed call", "unknown tool"}:
            self.calls += 1
        match decision:
            case Plan(text=text):
                self.messages = list(
                    load_prompt(ACTING).fill(
                        question=fence(self.question.text, "question"),
                        plan=fence(text, "plan"),
                        searches=str(self.searches),
                    )
                )
            case Call() if observation.fault is None:
                self.unread = observation.hits
                self.hits.append(observation.hits)
            case _ if self.has_plan and observation.fault is not None:
                self._reproach(observation.fault, observation.text)

    def show(self, query: str, passages: tuple[Passage, ...]) -> None:
        """Add the last turn's call and the passages that its search found."""
        left = self.searches - self.calls
        parts = [self.shown_blocks.show(query, passages)]
        if self.reply is not None and len(self.reply.calls) > 1:
            parts.append(f"Only the first of your {len(self.reply.calls)} calls was made.")
        parts.append(f"Searches left: {left}.")
        self._answer_call("\n\n".join(parts))
        self.unread = None

    def _answer_call(self, result: str) -> None:
        """The call goes back as it came: natively, or as the text in which it was written."""
        if self.reply is None or not self.reply.calls:
            return
        call = self.reply.calls[0]
        if call.id:
            self.messages.append(Message("assistant", self.reply.text, (call,)))
            self.messages.append(Message("tool", result, answers=call.id))
        else:
            self.messages.append(Message("assistant", self.reply.text))
            self.messages.append(Message("user", result))

    def _reproach(self, fault: FaultKind, told: str) -> None:
        """Say what was wrong; a turn in which nothing was said leaves a remark behind the last message."""
        remark = f"{_REMARKS[fault].format(on_one_line(told))} {self.nudge}"
        if fault == "repeated query":
            self._answer_call(remark)
            return
        said = _turn_text(self.reply)
        if said:
            self.messages += [Message("assistant", said), Message("user", remark)]
        else:
            last = self.messages[-1]
            self.messages[-1] = replace(last, content=f"{last.content}\n\n{remark}")


def _turn_text(reply: Reply | None) -> str:
    """A turn as text. A call that can't be made never goes back natively: endpoints refuse broken ones."""
    if reply is None:
        return ""
    calls = [call_as_text(call) for call in reply.calls[:1] if call.id]
    return "\n\n".join(part for part in (reply.text, *calls) if part)[:_LONGEST_SAID]


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

_FAULTS: Mapping[FailureKind, FaultKind] = {
    "refusal": "refusal",
    "empty": "no call",
    "invalid JSON": "malformed call",
}
"""What a model did wrong in a turn, by how it failed; of other failures none can be mended by asking on."""

LONGEST_THOUGHT = 2_000
"""Characters of what a model says beside a call that are kept with the step."""


@dataclass(frozen=True, slots=True)
class ModelReact:
    """A plan first, then one search a turn, by a model."""

    place: AgentContext
    model: Model
    tools: Mapping[str, Tool]
    most_steps: int
    name: str = REACT

    def begin(self, question: RagQuestion) -> Conversation:
        """Nothing was said yet."""
        return Conversation(question, self.most_steps)

    def decide(self, minds: Sequence[Conversation]) -> list[CostedDecision]:
        """The model's plan, call or answer for each question; all are asked at once.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        self._show([mind for mind in minds if mind.unread is not None])
        requests = [self._request(mind) for mind in minds]
        return [
            self._read_outcome(mind, request, outcome)
            for mind, request, outcome in zip(minds, requests, self.model.ask(requests), strict=True)
        ]

    def conclude(self, minds: Sequence[Conversation]) -> list[CostedDecision]:
        """The answers from all that was found.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        seen = [SeenEvidence(mind.question, *merge_searches(mind.hits)) for mind in minds]
        return read_finally(self.place.generator, self.place.read, seen)

    def _show(self, minds: Sequence[Conversation]) -> None:
        """Tell the model what the last searches found, within the budget of evidence if there is one."""
        read = passages_of(self.place.read, [mind.unread or () for mind in minds])
        for mind, passages in zip(minds, read, strict=True):
            admitted = admitted_passages(self.place.generator, mind.question.id, passages, last=False)
            mind.show(mind.question.text, admitted)

    def _request(self, mind: Conversation) -> ModelRequest:
        if not mind.has_plan:
            return plan_request(mind, PLANNING)
        return turn_request(mind, ACTING, self.tools)

    def _read_outcome(
        self, mind: Conversation, request: ModelRequest, outcome: ModelOutcome
    ) -> CostedDecision:
        """What the model's outcome means; only a failure that asking on can't mend ends the question."""
        cost = self.place.cost_of(outcome.usage)
        match outcome:
            case Failure():
                mind.reply = None
                kind = _FAULTS.get(outcome.kind)
                error = "" if kind else outcome.message
                fault = Fault(kind or "no call", outcome.message)
                return CostedDecision(fault, outcome.usage, cost, request.prompt, error)
            case Reply() if not mind.has_plan:
                return CostedDecision(Plan(outcome.text), outcome.usage, cost, request.prompt)
            case Reply():
                mind.reply = outcome
                return CostedDecision(self.read(mind, outcome), outcome.usage, cost, request.prompt)

    def read(self, mind: Conversation, reply: Reply) -> Decision:
        """What the model decides by a turn."""
        return read_turn(mind, reply)


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


def model_react(place: AgentContext, model: Model) -> ModelReact:
    """The agent at this place."""
    tool = SearchTool(place.retriever, place.embedder, place.top)
    return ModelReact(place, model, {tool.name: tool}, steps_of(place))


def read_turn(mind: Conversation, reply: Reply) -> Decision:
    """The first call of a turn, or the answer that it gives in words."""
    thought = reply.text[:LONGEST_THOUGHT]
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
    cited = mind.shown_blocks.read_citations(answer)
    return Final(
        cited.text,
        thought,
        chunk=cited.chunks[0] if cited.chunks else "",
        cited=cited.chunks,
        unknown_citations=len(cited.unknown),
        passages_shown=len(mind.shown_blocks.blocks),
    )
