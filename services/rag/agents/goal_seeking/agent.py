"""Goal seeking: plan, take the plan's steps, evaluate, and plan anew, until the goal is reached.

An iteration is a plan, its primitives as calls one by one, and the evaluator's verdict. It ends when the
evaluator is content ("achieved"), when the iterations are used up, when plan after plan brings nothing new,
or when the planner has nothing left to try ("stopped"); what is known then is the answer. A plan that can't
be used costs an iteration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.rag.agents.goal_seeking.insights import Insights
from services.rag.agents.goal_seeking.mind import MOST_FRUITLESS, GoalMind
from services.rag.agents.goal_seeking.planning import Planned, Planner
from services.rag.agents.goal_seeking.plans import MOST_STEPS, plan_text
from services.rag.agents.goal_seeking.results import Observed
from services.rag.agents.names import AgentName
from services.rag.agents.protocol import Asking, Decided, Fault, Plan, Tool
from services.rag.protocol import Asked

MOST_ITERATIONS = 5

_USED_UP = "its iterations are used up"
_FRUITLESS = f"{MOST_FRUITLESS} plans on end brought nothing new"


@dataclass(frozen=True, slots=True)
class GoalSeeking:
    """The agent; `tools` are the ten primitives and the evaluator, `top` the usual number of chunks."""

    planner: Planner
    tools: Mapping[str, Tool]
    top: int = 10
    most_iterations: int = MOST_ITERATIONS
    name: AgentName = "goal-seeking"

    @property
    def most_steps(self) -> int:
        """The calls of all plans, the evaluator's after each, and one for an answer at the end."""
        return self.most_iterations * (MOST_STEPS + 1) + 1

    def begin(self, asked: Asked) -> GoalMind:
        """Nothing is known yet but the question."""
        return GoalMind(asked, Insights(asked.text))

    def decide(self, minds: Sequence[GoalMind]) -> list[Decided]:
        """The next step of each plan, the verdict on it, a new plan, or the end."""
        decided = {mind.asked.id: self._going_on(mind) for mind in minds}
        to_plan = [mind for mind in minds if decided[mind.asked.id] is None]
        plans = self.planner.plan([mind.insights for mind in to_plan]) if to_plan else []
        for mind, planned in zip(to_plan, plans, strict=True):
            decided[mind.asked.id] = self._taken_up(mind, planned)
        return [decision for mind in minds if (decision := decided[mind.asked.id]) is not None]

    def conclude(self, minds: Sequence[GoalMind]) -> list[Decided]:
        """The answers of questions whose calls are used up, or that were stopped."""
        calls = [(mind, call) for mind in minds if (call := mind.last_call()) is not None]
        tool = self.tools["synthesize_answer"]
        seen = tool.run([Asking(mind.asked, call) for mind, call in calls]) if calls else []
        took = {mind.asked.id: one for (mind, _), one in zip(calls, seen, strict=True)}
        for mind, _ in calls:
            observed = took[mind.asked.id]
            if isinstance(observed, Observed) and not observed.fault and not observed.error:
                mind.keep(observed)
        decided = []
        for mind in minds:
            final = mind.final("stopped", mind.closing or "its calls are used up")
            one = took.get(mind.asked.id)
            # An answer that the model did not give is no answer that says that the information is lacking.
            error = one.error or (one.text if one.fault else "") if one else ""
            decided.append(Decided(final, one.usage, one.cost, one.prompt, error) if one else Decided(final))
        return decided

    def _going_on(self, mind: GoalMind) -> Decided | None:
        """What needs no planner: a call, or the end; None where a plan is wanted."""
        call = None if mind.closing else mind.next_call(self.top)
        if call is not None:
            return Decided(call)
        if mind.verdict is not None and mind.verdict.achieved:
            return Decided(mind.final("achieved", mind.verdict.reason))
        if not mind.closing and mind.insights.iteration >= self.most_iterations:
            mind.closing = _USED_UP
        elif not mind.closing and mind.fruitless:
            mind.closing = _FRUITLESS
        return self._closed(mind) if mind.closing else None

    def _closed(self, mind: GoalMind) -> Decided:
        last = mind.last_call()
        if mind.failed is not None:
            return Decided(mind.failed, error=mind.failed.told)
        return Decided(last) if last is not None else Decided(mind.final("stopped", mind.closing))

    def _taken_up(self, mind: GoalMind, planned: Planned) -> Decided:
        """A plan is begun, a fault costs an iteration, and a plan without steps ends the seeking."""
        if planned.error:
            return Decided(
                Fault("no call", planned.error), planned.usage, planned.cost, planned.prompt, planned.error
            )
        if planned.plan is None:
            mind.reject(planned.told)
            fault = Fault(planned.fault or "malformed call", planned.told)
            return Decided(fault, planned.usage, planned.cost, planned.prompt)
        if planned.plan.steps:
            mind.begin(planned.plan)
            text = plan_text(planned.plan)
            return Decided(Plan(text), planned.usage, planned.cost, planned.prompt)
        mind.closing = planned.plan.why or "nothing is left to try"
        end = self._closed(mind)
        return Decided(end.decision, planned.usage, planned.cost, planned.prompt)
