"""The conversation of ReAct with a model about one question.

What a model that searches is shown: passages with numbers that go on from search to search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg.llm.prompts import fenced, load_prompt, on_one_line
from kg.llm.protocol import Message, Reply
from kg.llm.tool_calls import call_as_text
from services.rag.agents.protocol import Call, Decision, FaultKind, Observation, Plan
from services.rag.agents.react import ACTING, PLANNING
from services.rag.citations import Cited, read_citations
from services.rag.context import Block, Context, build_context
from services.rag.model_generator import CONTEXT_TOKENS
from services.rag.protocol import Asked, Hit, Passage


@dataclass(slots=True)
class Shown:
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
        parts = [fenced(block.shown, f"passage {block.number}") for block in new]
        if again:
            parts.append(f"Found again: {', '.join(f'passage {number}' for number in again)}.")
        return "\n\n".join(parts) or "The search found no passage."

    def cited(self, answer: str) -> Cited:
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

    asked: Asked
    searches: int
    messages: list[Message] = field(default_factory=list)
    shown: Shown = field(default_factory=Shown)
    found: list[tuple[Hit, ...]] = field(default_factory=list)
    reply: Reply | None = None
    unread: tuple[Hit, ...] | None = None
    calls: int = 0
    nudge: str = _NUDGE

    @property
    def planned(self) -> bool:
        """Whether there is a plan."""
        return bool(self.messages)

    @property
    def opening(self) -> tuple[Message, ...]:
        """What the model is asked first: a plan."""
        return load_prompt(PLANNING).fill(question=fenced(self.asked.text, "question"))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in a plan, what a search found, or what was wrong with the turn."""
        if isinstance(decision, Call) and observation.fault not in {"malformed call", "unknown tool"}:
            self.calls += 1
        match decision:
            case Plan(text=text):
                self.messages = list(
                    load_prompt(ACTING).fill(
                        question=fenced(self.asked.text, "question"),
                        plan=fenced(text, "plan"),
                        searches=str(self.searches),
                    )
                )
            case Call() if observation.fault is None:
                self.unread = observation.hits
                self.found.append(observation.hits)
            case _ if self.planned and observation.fault is not None:
                self._reproach(observation.fault, observation.text)

    def show(self, query: str, passages: tuple[Passage, ...]) -> None:
        """Add the last turn's call and the passages that its search found."""
        left = self.searches - self.calls
        parts = [self.shown.show(query, passages)]
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
        said = _said(self.reply)
        if said:
            self.messages += [Message("assistant", said), Message("user", remark)]
        else:
            last = self.messages[-1]
            self.messages[-1] = replace(last, content=f"{last.content}\n\n{remark}")


def _said(reply: Reply | None) -> str:
    """A turn as text. A call that can't be made never goes back natively: endpoints refuse broken ones."""
    if reply is None:
        return ""
    calls = [call_as_text(call) for call in reply.calls[:1] if call.id]
    return "\n\n".join(part for part in (reply.text, *calls) if part)[:_LONGEST_SAID]
