"""The course of one question in an agent: what was done, what it took, and when it must come to an end.

Steps count from 1. Each decision is a step: a plan is "plan", an answer "answer", a turn that came to nothing
"fault", a call has the name of its tool. A call that was not run because the same was looked for before keeps
its tool's name and has the fault "repeated query"; it does not count as looking for chunks.

Drives an agent over many questions side by side: decide, act, observe, until each has an answer.

In each turn every question that is still open decides, in one call of the agent; the calls of each tool are
run together; and every question takes in what came of its own. A question that has used up its calls, or
whose turns came to nothing too often, must answer from what it knows. Nothing that an agent does wrong ends
the run: faults are told to it, and kept as steps.

The seconds of a step are those of its turn, shared evenly by the questions that took part, so that the
seconds of all questions add up to those of the whole.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic

from kg.llm.protocol import JsonValue, Usage
from services.rag.agents.protocol import (
    Agent,
    Call,
    CostedDecision,
    Fault,
    FaultKind,
    Final,
    M,
    Observation,
    PendingCall,
    Plan,
)
from services.rag.protocol import Hit, RagAnswer, RagQuestion, RetrievedChunk, Step

MOST_IDLE_TURNS = 5
"""So many turns without a call, and the agent must answer; the first plan is none of them."""

MOST_REPEATS = 3
"""So many repeated searches on end, and the agent must answer."""

MOST_REFUSALS = 2
"""So many refusals, and the agent must answer."""

NO_RUN: tuple[FaultKind, ...] = ("malformed call", "unknown tool")
"""A call with such a fault is none: nothing was run."""


@dataclass(slots=True)
class AgentRun(Generic[M]):
    """A question on its way; `sought` has the step that looked for something first."""

    mind: M
    steps: list[Step] = field(default_factory=list)
    sought: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    seconds: float = 0.0
    final: Final | None = None
    error: str = ""
    _idle: int = 0
    _repeats: int = 0
    _refusals: int = 0
    _planned: bool = False
    _costs: list[float] = field(default_factory=list)
    _prompts: dict[str, None] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether there is an answer or an error."""
        return self.final is not None or bool(self.error)

    def must_conclude(self, most_steps: int) -> bool:
        """Whether the agent has used up its calls, or its turns came to nothing too often."""
        return self.calls >= most_steps or self.is_stuck

    @property
    def is_stuck(self) -> bool:
        """Whether turns came to nothing too often."""
        return (
            self._idle >= MOST_IDLE_TURNS or self._repeats >= MOST_REPEATS or self._refusals >= MOST_REFUSALS
        )

    def note_decision(self, decided: CostedDecision, seconds: float) -> None:
        """Note a decision that calls nothing: a plan, a fault, an answer or an error."""
        self._add_cost(decided.cost, decided.prompt)
        question = self.mind.question.text
        match decided.decision:
            case _ if decided.error:
                self.error = decided.error
                self._step("answer", question, decided.error, decided, seconds)
            case Final(text=text, thought=thought) as final:
                self.final = final
                self._step("answer", question, text, decided, seconds, thought)
            case Plan(text=text):
                self._idle += self._planned
                self._planned = True
                self._step("plan", question, text, decided, seconds)
            case Fault(kind=kind, message=told):
                self._idle += 1
                self._refusals += kind == "refusal"
                self._step("fault", "", told, decided, seconds, fault=kind)
            case Call():
                raise TypeError("a call is noted with what came of it")

    def note_call(self, decided: CostedDecision, call: Call, seen: Observation, seconds: float) -> None:
        """Note a call with what came of it."""
        self._add_cost(decided.cost, decided.prompt)
        self._add_cost(seen.cost, seen.prompt)
        self._planned = False
        if seen.fault in NO_RUN:
            self._idle += 1
        else:
            self.calls += 1
        self._refusals += seen.fault == "refusal"
        self._repeats = self._repeats + 1 if seen.fault == "repeated query" else 0
        self.error = seen.error
        known = seen.fault != "unknown tool"
        usage = decided.usage + seen.usage
        self._add(
            Step(
                index=len(self.steps) + 1,
                action=call.tool if known else "fault",
                query=seen.query,
                observation=seen.error or seen.text,
                hits=seen.hits,
                retrieves=seen.retrieves,
                top_k=seen.top_k,
                filters=seen.filters,
                thought=call.thought,
                arguments=_as_json(call.arguments if known else {call.tool: call.arguments}),
                fault=seen.fault or "",
                usage=usage,
                seconds=seconds,
            )
        )

    def note_stop(self, told: str) -> None:
        """Note that the agent was stopped because it goes round in a circle."""
        self._add(Step(len(self.steps) + 1, "fault", "", told, fault="loop"))

    def result(self) -> RagAnswer:
        """The answer with all steps, and all chunks that were seen; see `in_order_of_rank`."""
        final = self.final or Final("")
        return RagAnswer(
            question=self.mind.question.id,
            text="" if self.error else final.text,
            retrieved=in_order_of_rank(self.steps),
            steps=tuple(self.steps),
            prompts=tuple(self._prompts),
            usage=sum((step.usage for step in self.steps), Usage()),
            cost=sum(self._costs) if self._costs else None,
            seconds=self.seconds,
            error=self.error,
            entity=final.entity,
            chunk=final.chunk,
            sentence=final.sentence,
            cited=final.cited,
            unknown_citations=final.unknown_citations,
            passages_shown=final.passages_shown,
            confidence=final.confidence,
        )

    def _step(
        self,
        action: str,
        query: str,
        observation: str,
        decided: CostedDecision,
        seconds: float,
        thought: str = "",
        fault: FaultKind | None = None,
    ) -> None:
        step = Step(
            len(self.steps) + 1,
            action,
            query,
            observation,
            thought=thought,
            fault=fault or "",
            usage=decided.usage,
            seconds=seconds,
        )
        self._add(step)

    def _add(self, step: Step) -> None:
        self.seconds += step.seconds or 0.0
        self.steps.append(step)

    def _add_cost(self, cost: float | None, prompt: str) -> None:
        if cost is not None:
            self._costs.append(cost)
        if prompt:
            self._prompts[prompt] = None


def in_order_of_rank(steps: Sequence[Step]) -> tuple[RetrievedChunk, ...]:
    """Every chunk that was seen, in the order of `merge_searches`; `step` is the step that saw it first."""
    hits, first = merge_searches([step.hits for step in steps])
    return tuple(
        RetrievedChunk(hit.chunk, rank, hit.score, first[hit.chunk]) for rank, hit in enumerate(hits, start=1)
    )


def merge_searches(searches: Sequence[Sequence[Hit]]) -> tuple[tuple[Hit, ...], dict[str, int]]:
    """Every chunk of some searches, once, and the search, from 1, that found it first.

    The order is that of a chunk's best rank in any search, at the same rank that of the searches: the first
    of each search stand before the second of each, so that few chunks can cover all hops. The hit is that of
    the best rank.
    """
    best: dict[str, tuple[int, int, Hit]] = {}
    first: dict[str, int] = {}
    for number, hits in enumerate(searches, start=1):
        for rank, hit in enumerate(hits):
            first.setdefault(hit.chunk, number)
            if hit.chunk not in best or rank < best[hit.chunk][0]:
                best[hit.chunk] = (rank, number, hit)
    ordered = sorted(best.values(), key=lambda one: one[:2])
    return tuple(hit for _, _, hit in ordered), first


def _as_json(arguments: Mapping[str, JsonValue]) -> str:
    return json.dumps(_plain(arguments), ensure_ascii=False)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value


_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _Calling(Generic[M]):
    """A call of a question's agent, with what the decision took."""

    course: AgentRun[M]
    decision: CostedDecision
    call: Call
    seconds: float


@dataclass(frozen=True, slots=True)
class AgentSystem(Generic[M]):
    """An agent as a RAG system."""

    agent: Agent[M]

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.agent.name

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: the agent's model can't go on.
        """
        courses = [AgentRun(self.agent.begin(question)) for question in questions]
        while going := [course for course in courses if not course.is_over]:
            most = self.agent.most_steps
            self._conclude([course for course in going if course.must_conclude(most)])
            self._turn([course for course in going if not course.must_conclude(most)])
        return [course.result() for course in courses]

    def _turn(self, courses: Sequence[AgentRun[M]]) -> None:
        """One decision of each question, and what comes of it."""
        if not courses:
            return
        started = monotonic()
        decisions = self.agent.decide([course.mind for course in courses])
        share = (monotonic() - started) / len(courses)
        callings = []
        for course, decided in zip(courses, decisions, strict=True):
            if isinstance(decided.decision, Call) and not decided.error:
                callings.append(_Calling(course, decided, decided.decision, share))
            else:
                self._note(course, decided, share)
        self._call(callings)
        for course in courses:
            if course.is_stuck and not course.is_over:
                self._stop(course)

    def _note(self, course: AgentRun[M], decided: CostedDecision, seconds: float) -> None:
        course.note_decision(decided, seconds)
        decision = decided.decision
        if not course.is_over:
            fault = decision.kind if isinstance(decision, Fault) else None
            course.mind.observe(decision, Observation(course.steps[-1].observation, fault=fault))

    def _call(self, callings: Sequence[_Calling[M]]) -> None:
        """Run the calls, those of a tool together, but none that can't be run or was run before."""
        by_tool: dict[str, list[_Calling[M]]] = {}
        for calling in callings:
            call, course = calling.call, calling.course
            tool = self.agent.tools.get(call.tool)
            if tool is None:
                self._observe(calling, self._unknown(call), 0.0)
                continue
            sought = tool.sought(call)
            if sought in course.sought:
                self._observe(calling, _report_repetition(course.steps[course.sought[sought] - 1]), 0.0)
                continue
            if sought is not None:
                course.sought[sought] = len(course.steps) + 1
            by_tool.setdefault(call.tool, []).append(calling)
        for name, some in by_tool.items():
            started = monotonic()
            seen = self.agent.tools[name].run(
                [PendingCall(one.course.mind.question, one.call) for one in some]
            )
            share = (monotonic() - started) / len(some)
            for calling, observation in zip(some, seen, strict=True):
                self._observe(calling, observation, share)

    def _observe(self, calling: _Calling[M], seen: Observation, seconds: float) -> None:
        calling.course.note_call(calling.decision, calling.call, seen, calling.seconds + seconds)
        if not calling.course.is_over:
            calling.course.mind.observe(calling.call, seen)

    def _unknown(self, call: Call) -> Observation:
        tools = ", ".join(self.agent.tools)
        told = f"there is no tool {call.tool[:_LONGEST_NAME]!r}; the tools are: {tools}"
        return Observation(told, fault="unknown tool")

    def _stop(self, course: AgentRun[M]) -> None:
        told = "too many turns came to nothing; it has to answer now"
        course.note_stop(told)
        course.mind.observe(Fault("loop", told), Observation(told, fault="loop"))

    def _conclude(self, courses: Sequence[AgentRun[M]]) -> None:
        """Let questions answer that may do nothing else any more; what is no answer is their error."""
        if not courses:
            return
        started = monotonic()
        decisions = self.agent.conclude([course.mind for course in courses])
        share = (monotonic() - started) / len(courses)
        for course, decided in zip(courses, decisions, strict=True):
            course.note_decision(_final(decided), share)


def _report_repetition(first: Step) -> Observation:
    """What an agent is told that looks for something again; `first` is the step that did before."""
    told = f"the same was looked for in step {first.index}, and is not looked for again"
    return Observation(told, query=first.query, filters=first.filters, fault="repeated query")


def _final(decided: CostedDecision) -> CostedDecision:
    """A decision that ends the question."""
    decision = decided.decision
    if decided.error or isinstance(decision, Final):
        return decided
    why = f"{decision.kind}: {decision.message}" if isinstance(decision, Fault) else "it gave none"
    return CostedDecision(
        decision, decided.usage, decided.cost, decided.prompt, f"no answer at the end: {why}"
    )
