"""What is known of one question while its goal is sought: insights, and behind the boundary results."""

from dataclasses import dataclass, field, replace

from services.evaluate.answers import INSUFFICIENT
from services.rag.agents.goal_seeking.boundary import replaces, update_context
from services.rag.agents.goal_seeking.insights import LONGEST_WHY, Insights, PlanTried, insights_as_json
from services.rag.agents.goal_seeking.plans import PlanStep, SearchPlan
from services.rag.agents.goal_seeking.primitives import EVALUATE, RETRIEVING
from services.rag.agents.goal_seeking.results import Answer, Documents, Observed, Result, Verdict
from services.rag.agents.goal_seeking.retrieving import search_key
from services.rag.agents.goal_seeking.status import Ending, Status, ending_text
from services.rag.agents.goal_seeking.workspace import call_of, nothing
from services.rag.agents.protocol import Call, Decision, Fault, Final, Observation
from services.rag.protocol import Asked

MOST_FRUITLESS = 2
"""So many plans on end that bring nothing new, and the seeking ends."""

LAST_STEP = PlanStep("synthesize_answer")
"""What is done at the end where no plan asked for an answer."""


@dataclass(slots=True)
class GoalMind:
    """A question, its insights, and the plan that is under way.

    `results` are what the steps of the plan gave so far, `found` the chunks of each search by its key, and
    `answer` the last answer with where it was read. `verdict` is the evaluator's on the plan, None before it
    spoke. `closing` tells why the seeking ends, empty while it goes on; `failed` what was wrong with the
    answer that was then asked for, None where nothing was.
    """

    asked: Asked
    insights: Insights
    plan: SearchPlan | None = None
    results: list[Result] = field(default_factory=list)
    found: dict[str, Documents] = field(default_factory=dict)
    answer: Answer = field(default_factory=Answer)
    verdict: Verdict | None = None
    closing: str = ""
    failed: Fault | None = None
    _answering: bool = False
    _before: Insights | None = None

    @property
    def fruitless(self) -> bool:
        """Whether the last plans brought nothing new, so many as are too many."""
        last = self.insights.plans[-MOST_FRUITLESS:]
        return len(last) == MOST_FRUITLESS and all(plan.fruitless for plan in last)

    def next_call(self, usual_k: int) -> Call | None:
        """The call of the next step that has something to work on; None at the end of the plan."""
        steps = self.plan.steps if self.plan else ()
        while len(self.results) < len(steps):
            step = steps[len(self.results)]
            call = call_of(step, self.results, self.insights, usual_k)
            if call is not None:
                return call
            self.results.append(nothing(step.primitive))
        if self.plan is not None and self.verdict is None:
            return Call(EVALUATE, insights_as_json(self.insights))
        return None

    def last_call(self) -> Call | None:
        """A call for an answer where there is evidence and no plan asked for one; it is made once."""
        if self._answering or self.insights.answer or not self.insights.evidence:
            return None
        self._answering = True
        return call_of(LAST_STEP, (), self.insights, 0, "no plan asked for an answer")

    def begin(self, plan: SearchPlan) -> None:
        """A new iteration."""
        self.plan, self.results, self.verdict = plan, [], None
        self._before = self.insights.found
        made = PlanTried(plan.pattern[:LONGEST_WHY], plan.why[:LONGEST_WHY])
        self.insights = replace(
            self.insights,
            iteration=self.insights.iteration + 1,
            rejected="",
            plans=(*self.insights.plans, made),
        )

    def reject(self, why: str) -> None:
        """An iteration came to nothing, because its plan could not be used."""
        self.plan, self.results, self.verdict = None, [], None
        self.insights = replace(self.insights, iteration=self.insights.iteration + 1, rejected=why)

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what came of the last decision; it reaches the insights through the boundary alone."""
        if isinstance(decision, Fault) and decision.kind == "loop":
            self.closing = decision.told
        if not isinstance(decision, Call):
            return
        result = self._result(decision, observation)
        if decision.tool == EVALUATE:
            self.verdict = result if isinstance(result, Verdict) else Verdict(False, observation.text)
            self._compare()
            return
        if self._answering and observation.fault is not None:
            self.failed = Fault(observation.fault, observation.text)
        if not self._answering and self.plan is not None:
            self.results.append(result)
        if isinstance(observation, Observed) and observation.fault is None:
            self.keep(observation)

    def _compare(self) -> None:
        """Note with a plan that came to its end if nothing more is known than before it."""
        if self.insights.plans and self.insights.found == self._before:
            plans = self.insights.plans
            self.insights = replace(self.insights, plans=(*plans[:-1], replace(plans[-1], fruitless=True)))

    def keep(self, observed: Observed) -> None:
        """Let what was observed pass the boundary, and note where an answer was read."""
        if isinstance(observed.result, Answer) and replaces(self.insights.answer, observed.result.text):
            self.answer = observed.result
        self.insights = update_context(self.insights, observed)

    def final(self, status: Status, reason: str) -> Final:
        """The answer at the end, with how the seeking ended."""
        ending = Ending(status, self.insights.iteration)
        return Final(
            self.insights.answer or INSUFFICIENT,
            ending_text(ending, " ".join(reason.split())),
            self.answer.entity,
            self.answer.chunk,
            self.answer.sentence,
            self.answer.cited,
            self.answer.unknown_citations,
            self.answer.passages_shown,
        )

    def _result(self, call: Call, observation: Observation) -> Result:
        """What a call gave; a search that was made before gives the chunks that it gave then."""
        if isinstance(observation, Observed) and observation.fault is None:
            if isinstance(observation.result, Documents) and observation.retrieves:
                self.found[search_key(observation.query, observation.filters)] = observation.result
            return observation.result
        if call.tool in RETRIEVING:
            return self.found.get(search_key(observation.query, observation.filters), Documents())
        return Documents() if call.tool == EVALUATE else nothing(call.tool)
