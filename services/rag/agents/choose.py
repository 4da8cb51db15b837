"""From an agent's name, as on the command line, to a system that answers.

ReAct without a model: the plan is the question taken apart, each turn searches for its next part.

An honest baseline. The answer to a part is read from what its search found and stands in for "#1" in later
parts. The first part that finds no answer is looked for once more with the whole question. A part that waits
for one without an answer is left out: nobody knows what to look for. When nothing is left to look for, the
answer is read from all that was seen. The agent always wants the same number of chunks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from services.answers import is_abstention
from services.rag.agents.goal_seeking.make import make_goal_seeking
from services.rag.agents.graph_agent.make import make_graph_agent
from services.rag.agents.loop import AgentSystem, merge_searches
from services.rag.agents.protocol import (
    SEARCH,
    AgentContext,
    AgentName,
    Call,
    CostedDecision,
    Decision,
    Observation,
    Plan,
    SearchTool,
    SeenEvidence,
    Tool,
    read_finally,
)
from services.rag.agents.react import REACT, format_plan, model_react, steps_of
from services.rag.agents.search_tags import make_search_tags
from services.rag.answering import passages_of
from services.rag.protocol import Hit, RagQuestion, RagSystem, ReadTask
from services.rag.trace import fill_marks, waits_for


@dataclass(slots=True)
class RulesMind:
    """What is known of a question: its parts, what was asked and answered, and what each search found.

    `unread` is the search whose answer was not read yet; `again` tells that it is, or will be, that for the
    whole question, which is made once.
    """

    question: RagQuestion
    parts: tuple[str, ...] = ()
    queries: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hits: list[tuple[Hit, ...]] = field(default_factory=list)
    unread: tuple[Hit, ...] | None = None
    again: bool = False
    whole: bool = False

    @property
    def part(self) -> str:
        """The part that is looked for, with earlier answers in it."""
        return fill_marks(self.parts[len(self.answers)], self.queries, self.answers)

    def settle(self, part: str, answer: str) -> None:
        """Note the answer to a part, empty for none, and leave out the parts that can't be asked then."""
        self.again = False
        self.queries.append(part)
        self.answers.append(answer)
        while len(self.answers) < len(self.parts) and self._is_lost():
            self.queries.append(self.part)
            self.answers.append("")

    def _is_lost(self) -> bool:
        waits = waits_for(self.parts[len(self.answers)])
        return any(not self.answers[number - 1] for number in waits if number <= len(self.answers))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what a search found; a repeated one found nothing new."""
        if isinstance(decision, Call):
            self.unread = observation.hits
            self.hits.append(observation.hits)


@dataclass(frozen=True, slots=True)
class RulesReact:
    """A plan first, then one search a turn, by rules."""

    place: AgentContext
    tools: Mapping[str, Tool]
    most_steps: int
    name: str = REACT

    def begin(self, question: RagQuestion) -> RulesMind:
        """Nothing is known yet."""
        return RulesMind(question)

    def decide(self, minds: Sequence[RulesMind]) -> list[CostedDecision]:
        """The plan, the next search, or the answer where every part was searched for."""
        self._read_passages([mind for mind in minds if mind.unread is not None])
        fresh = {mind.question.id: mind for mind in minds if not mind.parts}
        plans = self.place.generator.decompose([mind.question.text for mind in fresh.values()])
        for mind, (parts, _) in zip(fresh.values(), plans, strict=True):
            mind.parts = parts
        done = [mind for mind in minds if len(mind.answers) == len(mind.parts)]
        finals = dict(zip((mind.question.id for mind in done), self.conclude(done), strict=True))
        return [
            CostedDecision(Plan(format_plan(mind.parts)))
            if mind.question.id in fresh
            else finals.get(mind.question.id) or CostedDecision(self._next(mind))
            for mind in minds
        ]

    def conclude(self, minds: Sequence[RulesMind]) -> list[CostedDecision]:
        """The answers from all that was seen."""
        return read_finally(
            self.place.generator,
            self.place.read,
            [SeenEvidence(mind.question, *merge_searches(mind.hits), tuple(mind.notes)) for mind in minds],
        )

    def _next(self, mind: RulesMind) -> Call:
        query = mind.question.text if mind.again else mind.part
        why = (
            "no answer was found for this part" if mind.again else f"part {len(mind.answers) + 1} of the plan"
        )
        return Call(SEARCH, {"query": query, "top_k": self.place.top}, why)

    def _read_passages(self, minds: Sequence[RulesMind]) -> None:
        """Read what the last searches found; the first part without an answer is looked for once more."""
        passages = passages_of(self.place.read, [mind.unread or () for mind in minds])
        tasks = [
            ReadTask(mind.part, found, question_id=mind.question.id, part=True)
            for mind, found in zip(minds, passages, strict=True)
        ]
        for mind, generated in zip(minds, self.place.generator.answer(tasks), strict=True):
            mind.unread = None
            known = not is_abstention(generated.text)
            if not known and not mind.whole and len(mind.parts) > 1:
                mind.again = mind.whole = True
                continue
            part = mind.part
            if known:
                mind.notes.append(f"{part}: {generated.text}")
            mind.settle(part, generated.text if known else "")


def rules_react(place: AgentContext) -> RulesReact:
    """The agent at this place."""
    tool = SearchTool(place.retriever, place.embedder, place.top)
    return RulesReact(place, {tool.name: tool}, steps_of(place))


def make_agent(name: AgentName, place: AgentContext) -> RagSystem:
    """The system of an agent; by rules where the place has no model.

    Raises:
        SettingsError: the agent needs a model, and the place has none.
    """
    return _MAKERS[name](place)


def _react(place: AgentContext) -> RagSystem:
    if place.model is None:
        return AgentSystem(rules_react(place))
    return AgentSystem(model_react(place, place.model))


def _goal_seeking(place: AgentContext) -> RagSystem:
    return AgentSystem(make_goal_seeking(place))


_MAKERS: Mapping[AgentName, Callable[[AgentContext], RagSystem]] = {
    "react": _react,
    "goal-seeking": _goal_seeking,
    "graph-agent": make_graph_agent,
    "search-tags": make_search_tags,
}
