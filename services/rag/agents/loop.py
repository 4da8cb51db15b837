"""Drives an agent over many questions side by side: decide, act, observe, until each has an answer.

In each turn every question that is still open decides, in one call of the agent; the calls of each tool are
run together; and every question takes in what came of its own. A question that has used up its calls, or
whose turns came to nothing too often, must answer from what it knows. Nothing that an agent does wrong ends
the run: faults are told to it, and kept as steps.

The seconds of a step are those of its turn, shared evenly by the questions that took part, so that the
seconds of all questions add up to those of the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Generic

from services.rag.agents.course import Course
from services.rag.agents.protocol import (
    Agent,
    Call,
    Decided,
    Fault,
    Final,
    M,
    Observation,
    PendingCall,
)
from services.rag.protocol import Answered, RagQuestion, Step

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _Calling(Generic[M]):
    """A call of a question's agent, with what the decision took."""

    course: Course[M]
    decided: Decided
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

    def answer(self, questions: Sequence[RagQuestion]) -> list[Answered]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: the agent's model can't go on.
        """
        courses = [Course(self.agent.begin(question)) for question in questions]
        while going := [course for course in courses if not course.ended]:
            most = self.agent.most_steps
            self._conclude([course for course in going if course.must_conclude(most)])
            self._turn([course for course in going if not course.must_conclude(most)])
        return [course.result() for course in courses]

    def _turn(self, courses: Sequence[Course[M]]) -> None:
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
            if course.stuck and not course.ended:
                self._stop(course)

    def _note(self, course: Course[M], decided: Decided, seconds: float) -> None:
        course.decided(decided, seconds)
        decision = decided.decision
        if not course.ended:
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
                self._observe(calling, _repeated(course.steps[course.sought[sought] - 1]), 0.0)
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
        calling.course.called(calling.decided, calling.call, seen, calling.seconds + seconds)
        if not calling.course.ended:
            calling.course.mind.observe(calling.call, seen)

    def _unknown(self, call: Call) -> Observation:
        tools = ", ".join(self.agent.tools)
        told = f"there is no tool {call.tool[:_LONGEST_NAME]!r}; the tools are: {tools}"
        return Observation(told, fault="unknown tool")

    def _stop(self, course: Course[M]) -> None:
        told = "too many turns came to nothing; it has to answer now"
        course.stopped(told)
        course.mind.observe(Fault("loop", told), Observation(told, fault="loop"))

    def _conclude(self, courses: Sequence[Course[M]]) -> None:
        """Let questions answer that may do nothing else any more; what is no answer is their error."""
        if not courses:
            return
        started = monotonic()
        decisions = self.agent.conclude([course.mind for course in courses])
        share = (monotonic() - started) / len(courses)
        for course, decided in zip(courses, decisions, strict=True):
            course.decided(_final(decided), share)


def _repeated(first: Step) -> Observation:
    """What an agent is told that looks for something again; `first` is the step that did before."""
    told = f"the same was looked for in step {first.index}, and is not looked for again"
    return Observation(told, query=first.query, filters=first.filters, fault="repeated query")


def _final(decided: Decided) -> Decided:
    """A decision that ends the question."""
    decision = decided.decision
    if decided.error or isinstance(decision, Final):
        return decided
    why = f"{decision.kind}: {decision.message}" if isinstance(decision, Fault) else "it gave none"
    return Decided(decision, decided.usage, decided.cost, decided.prompt, f"no answer at the end: {why}")
