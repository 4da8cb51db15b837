"""Goal seeking: plan, take the plan's steps, evaluate, and plan anew, until the goal is reached.

An iteration is a plan, its primitives as calls one by one, and the evaluator's verdict. It ends when the
evaluator is content ("achieved"), when the iterations are used up, when plan after plan brings nothing new,
or when the planner has nothing left to try ("stopped"); what is known then is the answer. A plan that can't
be used costs an iteration.

What is known of one question while its goal is sought: insights, and behind the boundary results.

The introspection boundary: what a primitive gave, turned into insights.

This is the only way by which anything that was retrieved or read comes to whoever plans or evaluates. Of a
retrieval only the query, its filters and the number of chunks pass; texts pass as extracted evidence alone,
and of passages that told nothing their number and their source.

From a step of a plan to a call: variables become what the steps before gave.

What a step gave lies here, behind the boundary, for the later steps of the same plan; the planner knows the
variables' numbers only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg.llm.protocol import JsonValue
from services.answers import INSUFFICIENT, is_abstention
from services.rag.agents.goal_seeking.insights import (
    LONGEST_WHY,
    MOST_ENTITIES,
    MOST_EVIDENCE,
    MOST_SILENCES,
    Insights,
    PastPlan,
    PastQuery,
    evidence_as_json,
    filters_in_words,
    insights_as_json,
    silences_as_json,
    tried_as_json,
)
from services.rag.agents.goal_seeking.plans import (
    ALL_EVIDENCE,
    MOST_STEPS,
    Planner,
    PlanResult,
    PlanStep,
    SearchPlan,
    plan_text,
    reference,
    references,
    with_words,
)
from services.rag.agents.goal_seeking.primitives import (
    EVALUATE,
    PRIMITIVES,
    RETRIEVING,
    Documents,
    Ending,
    Entities,
    Evidence,
    NextQuery,
    PrimitiveResult,
    Result,
    Status,
    Sufficiency,
    Verdict,
    chunks_of,
    ending_text,
    pieces_of,
    result_text,
)
from services.rag.agents.goal_seeking.tools import search_key
from services.rag.agents.protocol import (
    AgentName,
    Call,
    CostedDecision,
    Decision,
    Fault,
    Final,
    Observation,
    PendingCall,
    Plan,
    Tool,
)
from services.rag.protocol import RagQuestion

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
        "tried": list(known.query_texts),
        "searches": tried_as_json(known.queries),
        "silences": silences_as_json(known.silences),
        "known": [piece.fact for piece in known.evidence[-MOST_KNOWN:]],
    }
    takes = PRIMITIVES[step.primitive].takes
    has_something = bool(chunks and "documents" in takes) or bool(evidence and "evidence" in takes)
    judges = step.primitive in {"synthesize_answer", "assess_sufficiency"}
    if not has_something and not judges:
        return None
    return Call(step.primitive, _known_arguments(step.primitive, arguments), why)


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
            return Final("")
        case "sufficiency":
            return Sufficiency()


def _known_arguments(primitive: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
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
    return result_text(results[number - 1]) if 0 < number <= len(results) else ""


def update_context(known: Insights, observed: PrimitiveResult) -> Insights:
    """The insights after a primitive."""
    after = known
    match observed.result:
        case Documents(chunks=chunks) if observed.retrieves:
            tried = PastQuery(
                observed.query, filters_in_words(observed.filters), len(chunks), observed.filters.sources
            )
            after = replace(known, queries=(*known.queries, tried))
        case Evidence(pieces=pieces, silences=silences):
            evidence = tuple(dict.fromkeys((*known.evidence, *pieces)))[:MOST_EVIDENCE]
            silent = tuple(dict.fromkeys((*known.silences, *silences)))[-MOST_SILENCES:]
            after = replace(known, evidence=evidence, silences=silent)
        case Entities(names=names):
            entities = tuple(dict.fromkeys((*known.entities, *names)))[:MOST_ENTITIES]
            after = replace(known, entities=entities)
        case Sufficiency(enough=enough, missing=missing):
            after = replace(known, sufficient=enough, missing=missing)
        case Final(text=text, confidence=confidence) if replaces(known.answer, text):
            after = replace(known, answer=text, confidence=confidence or 0.0)
    return after


def replaces(old: str, new: str) -> bool:
    """Whether a new answer takes the place of an old one: an abstention takes that of no answer alone."""
    return bool(new) and (not is_abstention(new) or is_abstention(old))


MOST_FRUITLESS = 2
"""So many plans on end that bring nothing new, and the seeking ends."""

LAST_STEP = PlanStep("synthesize_answer")
"""What is done at the end where no plan asked for an answer."""


@dataclass(slots=True)
class GoalMind:
    """A question, its insights, and the plan that is under way.

    `results` are what the steps of the plan gave so far, `documents` the chunks of each search by its key,
    and `answer` the last answer with where it was read. `verdict` is the evaluator's on the plan, None before
    it spoke. `closing` tells why the seeking ends, empty while it goes on; `fault` what was wrong with the
    answer that was then asked for, None where nothing was.
    """

    question: RagQuestion
    insights: Insights
    plan: SearchPlan | None = None
    results: list[Result] = field(default_factory=list)
    documents: dict[str, Documents] = field(default_factory=dict)
    answer: Final = field(default_factory=lambda: Final(""))
    verdict: Verdict | None = None
    closing: str = ""
    fault: Fault | None = None
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
        self._before = self.insights.without_plans
        made = PastPlan(plan.pattern[:LONGEST_WHY], plan.why[:LONGEST_WHY])
        self.insights = replace(
            self.insights,
            iteration=self.insights.iteration + 1,
            rejection="",
            plans=(*self.insights.plans, made),
        )

    def reject(self, why: str) -> None:
        """An iteration came to nothing, because its plan could not be used."""
        self.plan, self.results, self.verdict = None, [], None
        self.insights = replace(self.insights, iteration=self.insights.iteration + 1, rejection=why)

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what came of the last decision; it reaches the insights through the boundary alone."""
        if isinstance(decision, Fault) and decision.kind == "loop":
            self.closing = decision.message
        if not isinstance(decision, Call):
            return
        result = self._result(decision, observation)
        if decision.tool == EVALUATE:
            self.verdict = result if isinstance(result, Verdict) else Verdict(False, observation.text)
            self._compare()
            return
        if self._answering and observation.fault is not None:
            self.fault = Fault(observation.fault, observation.text)
        if not self._answering and self.plan is not None:
            self.results.append(result)
        if isinstance(observation, PrimitiveResult) and observation.fault is None:
            self.keep(observation)

    def _compare(self) -> None:
        """Note with a plan that came to its end if nothing more is known than before it."""
        if self.insights.plans and self.insights.without_plans == self._before:
            plans = self.insights.plans
            self.insights = replace(self.insights, plans=(*plans[:-1], replace(plans[-1], fruitless=True)))

    def keep(self, observed: PrimitiveResult) -> None:
        """Let what was observed pass the boundary, and note where an answer was read."""
        if isinstance(observed.result, Final) and replaces(self.insights.answer, observed.result.text):
            self.answer = observed.result
        self.insights = update_context(self.insights, observed)

    def final(self, status: Status, reason: str) -> Final:
        """The answer at the end, with how the seeking ended."""
        ending = Ending(status, self.insights.iteration)
        return replace(
            self.answer,
            text=self.insights.answer or INSUFFICIENT,
            thought=ending_text(ending, " ".join(reason.split())),
            confidence=self.insights.confidence if self.insights.answer else None,
        )

    def _result(self, call: Call, observation: Observation) -> Result:
        """What a call gave; a search that was made before gives the chunks that it gave then."""
        if isinstance(observation, PrimitiveResult) and observation.fault is None:
            if isinstance(observation.result, Documents) and observation.retrieves:
                self.documents[search_key(observation.query, observation.filters)] = observation.result
            return observation.result
        if call.tool in RETRIEVING:
            return self.documents.get(search_key(observation.query, observation.filters), Documents())
        return Documents() if call.tool == EVALUATE else nothing(call.tool)


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

    def begin(self, question: RagQuestion) -> GoalMind:
        """Nothing is known yet but the question."""
        return GoalMind(question, Insights(question.text))

    def decide(self, minds: Sequence[GoalMind]) -> list[CostedDecision]:
        """The next step of each plan, the verdict on it, a new plan, or the end."""
        decided = {mind.question.id: self._going_on(mind) for mind in minds}
        to_plan = [mind for mind in minds if decided[mind.question.id] is None]
        plans = self.planner.plan([mind.insights for mind in to_plan]) if to_plan else []
        for mind, planned in zip(to_plan, plans, strict=True):
            decided[mind.question.id] = self._begin_plan(mind, planned)
        return [decision for mind in minds if (decision := decided[mind.question.id]) is not None]

    def conclude(self, minds: Sequence[GoalMind]) -> list[CostedDecision]:
        """The answers of questions whose calls are used up, or that were stopped."""
        calls = [(mind, call) for mind in minds if (call := mind.last_call()) is not None]
        tool = self.tools["synthesize_answer"]
        seen = tool.run([PendingCall(mind.question, call) for mind, call in calls]) if calls else []
        took = {mind.question.id: one for (mind, _), one in zip(calls, seen, strict=True)}
        for mind, _ in calls:
            observed = took[mind.question.id]
            if isinstance(observed, PrimitiveResult) and not observed.fault and not observed.error:
                mind.keep(observed)
        decided = []
        for mind in minds:
            final = mind.final("stopped", mind.closing or "its calls are used up")
            one = took.get(mind.question.id)
            # An answer that the model did not give is no answer that says that the information is lacking.
            error = one.error or (one.text if one.fault else "") if one else ""
            decided.append(
                CostedDecision(final, one.usage, one.cost, one.prompt, error)
                if one
                else CostedDecision(final)
            )
        return decided

    def _going_on(self, mind: GoalMind) -> CostedDecision | None:
        """What needs no planner: a call, or the end; None where a plan is wanted."""
        call = None if mind.closing else mind.next_call(self.top)
        if call is not None:
            return CostedDecision(call)
        if mind.verdict is not None and mind.verdict.achieved:
            return CostedDecision(mind.final("achieved", mind.verdict.reason))
        if not mind.closing and mind.insights.iteration >= self.most_iterations:
            mind.closing = _USED_UP
        elif not mind.closing and mind.fruitless:
            mind.closing = _FRUITLESS
        return self._final_decision(mind) if mind.closing else None

    def _final_decision(self, mind: GoalMind) -> CostedDecision:
        last = mind.last_call()
        if mind.fault is not None:
            return CostedDecision(mind.fault, error=mind.fault.message)
        return (
            CostedDecision(last) if last is not None else CostedDecision(mind.final("stopped", mind.closing))
        )

    def _begin_plan(self, mind: GoalMind, planned: PlanResult) -> CostedDecision:
        """A plan is begun, a fault costs an iteration, and a plan without steps ends the seeking."""
        if planned.error:
            return CostedDecision(
                Fault("no call", planned.error), planned.usage, planned.cost, planned.prompt, planned.error
            )
        if planned.plan is None:
            mind.reject(planned.fault_text)
            fault = Fault(planned.fault or "malformed call", planned.fault_text)
            return CostedDecision(fault, planned.usage, planned.cost, planned.prompt)
        if planned.plan.steps:
            mind.begin(planned.plan)
            text = plan_text(planned.plan)
            return CostedDecision(Plan(text), planned.usage, planned.cost, planned.prompt)
        mind.closing = planned.plan.why or "nothing is left to try"
        end = self._final_decision(mind)
        return CostedDecision(end.decision, planned.usage, planned.cost, planned.prompt)
