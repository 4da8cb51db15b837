"""The graph agent by a model: a plan of hops first, then one call of a tool a turn, until it answers.

It is driven as ReAct is, with other tools and prompts. When the calls are used up, the answer is read from
the chunks that were seen, with the prompt that all other systems use.

The conversation of the graph agent with a model about one question.

From a place to the graph agent at work there.

The graph agent without a model: the question taken apart, and for each part a hop along the facts.

For each part it finds the names in it, expands them and what earlier parts led to, reads the claims behind
the facts that fit best, and goes on along the best ones. Where no fact fits it jumps to what means the same.
The chain is closed when every part has its fact: then the last one's end is the answer. Where it breaks off,
the part that has no fact is looked for by the retriever, and where that is the last one, it is read. What is
no chain, because it compares, asks for yes or no or for several things side by side, is looked for part by
part, and read with all that was seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kg.llm.prompts import fence, load_prompt
from kg.llm.protocol import Message, ModelRequest
from kg.model import Entity
from services.rag.agents.graph_agent.seen import (
    ACTING,
    GRAPH_AGENT,
    MOST_CALLS,
    PLANNING,
    Claim,
    EntityMention,
    SeenClaims,
    SeenEntities,
    SeenFacts,
)
from services.rag.agents.graph_agent.tools import EXPAND, FIND_ENTITIES, READ_CLAIMS, SAME_AS, graph_tools
from services.rag.agents.graph_agent.walk import Way, go_on, read_again, speaks_of_answers
from services.rag.agents.loop import AgentSystem, merge_searches
from services.rag.agents.protocol import (
    SEARCH,
    AgentContext,
    Call,
    CostedDecision,
    Decision,
    Final,
    Observation,
    Plan,
    SeenEvidence,
    Tool,
    read_finally,
)
from services.rag.agents.react import Conversation, ModelReact, format_plan, plan_request, turn_request
from services.rag.context import Block
from services.rag.protocol import Hit, RagQuestion, RagSystem
from services.rag.question_words import question_form

_NUDGE = 'Call one tool for the next hop, or the tool "answer" to end the work.'


@dataclass(slots=True)
class WalkConversation(Conversation):
    """What a model knows of a question: as in ReAct, with entities, facts and claims that it was shown.

    Claims are numbered among the passages, so that an answer cites them like these. `facts` are the ids of
    those that were shown, with whether they were mirrored where that was first.
    """

    facts: dict[str, bool] = field(default_factory=dict)
    nudge: str = _NUDGE

    @property
    def opening(self) -> tuple[Message, ...]:
        """What the model is asked first: a plan."""
        return load_prompt(PLANNING).fill(question=fence(self.question.text, "question"))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in a plan, what a tool showed, or what was wrong with the turn."""
        match decision, observation:
            case Plan(text=text), _:
                self.messages = list(
                    load_prompt(ACTING).fill(
                        question=fence(self.question.text, "question"),
                        plan=fence(text, "plan"),
                        calls=str(self.searches),
                    )
                )
            case Call(), SeenEntities(text=text):
                self._report_call(fence(text, "entities"))
            case Call(), SeenFacts() as seen:
                self._report_call(fence(seen.lines_for(self.facts), "facts"))
                for fact in sorted(seen.facts, key=lambda fact: fact.mirrored):
                    self.facts.setdefault(fact.id, fact.mirrored)
            case Call(), SeenClaims():
                self.hits.append(observation.hits)
                self._report_call(self._number_claims(observation))
            case _:
                Conversation.observe(self, decision, observation)

    def _report_call(self, shown: str) -> None:
        self.calls += 1
        left = f"Calls left: {self.searches - self.calls}."
        ignored = len(self.reply.calls) - 1 if self.reply is not None else 0
        only = f"Only the first of your {ignored + 1} calls was made.\n\n" if ignored > 0 else ""
        self._answer_call(f"{shown}\n\n{only}{left}")

    def _number_claims(self, seen: SeenClaims) -> str:
        """The claims as passages, those shown before by their numbers only."""
        numbers = {block.text: block.number for block in self.shown_blocks.blocks}
        parts = []
        for claim in seen.claims:
            if claim.line in numbers:
                parts.append(f"Shown before: passage {numbers[claim.line]}.")
                continue
            block = Block(len(self.shown_blocks.blocks) + 1, claim.chunks, f"Claim {claim.id}", claim.line)
            self.shown_blocks.blocks.append(block)
            parts.append(fence(block.full_text, f"passage {block.number}"))
        return "\n\n".join(parts) or fence(seen.text, "claims")


@dataclass(frozen=True, slots=True)
class ModelWalker(ModelReact):
    """Walks the graph by a model."""

    name: str = GRAPH_AGENT

    def begin(self, question: RagQuestion) -> Conversation:
        """Nothing was said yet."""
        return WalkConversation(question, self.most_steps)

    def _request(self, mind: Conversation) -> ModelRequest:
        if not mind.has_plan:
            return plan_request(mind, PLANNING)
        return turn_request(mind, ACTING, self.tools)


Stage = Literal["plan", "link", "expand", "read", "jump", "search", "closed", "given up"]

CLOSES = 0.4
"""A chain is closed when each of its facts answers its part at least as well."""


@dataclass(slots=True)
class WalkingMind:
    """What is known of a question: its parts, the ways so far, and what comes next.

    `starts` are the entities of the part at hand that its text names, with these names; `longer` the ways
    through the facts that were shown last.
    """

    question: RagQuestion
    parts: tuple[str, ...] = ()
    ways: list[Way] = field(default_factory=lambda: [Way()])
    longer: list[Way] = field(default_factory=list)
    starts: dict[Entity, tuple[str, ...]] = field(default_factory=dict)
    hits: list[tuple[Hit, ...]] = field(default_factory=list)
    claims: dict[str, Claim] = field(default_factory=dict)
    searches: int = 0
    stage: Stage = "plan"
    jumped: bool = False

    @property
    def part(self) -> str:
        """The part at hand."""
        return self.parts[len(self.ways[0].facts)]

    @property
    def parts_answered(self) -> int:
        """How many parts of the chain have a fact that answers them well enough."""
        fits = self.ways[0].fits
        return next((at for at, fit in enumerate(fits) if fit < CLOSES), len(fits))

    @property
    def queries(self) -> tuple[str, ...]:
        """What the retriever looks for: the part where the chain broke off, or all parts where none waits
        for another."""
        if not _is_chain(self.question.text, self.parts):
            waiting = any(speaks_of_answers(part) for part in self.parts)
            return (self.question.text,) if waiting else self.parts
        return (self.ways[0].asks(self.parts[self.parts_answered]),)

    @property
    def entities(self) -> list[str]:
        """What is expanded for the part at hand."""
        ids = [node.id for node in self.starts]
        ids += [node.id for way in self.ways for node in way.starts(self.part)]
        return list(dict.fromkeys(ids))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what a call showed, and settle what comes next."""
        if not isinstance(decision, Call):
            return
        match observation:
            case SeenEntities(mentions=named):
                self._add_starts(named)
            case SeenFacts(facts=facts):
                self.longer = go_on(self.ways, self.part, self.starts, facts)
                self.stage = "read" if self.longer else "jump"
            case SeenClaims(claims=claims, hits=hits):
                self.hits.append(hits)
                self.claims |= {claim.id: claim for claim in claims}
                self._judge_paths()
            case _ if decision.tool == SEARCH:
                self.hits.append(observation.hits)
                self.searches += 1
                self.stage = "search" if self.searches < len(self.queries) else "given up"
            case _:
                self.stage = "search"
        if self.stage == "jump" and self.jumped:
            self.stage = "search"

    def begin_part(self) -> None:
        """Turn to the part at hand: to its names, or to what earlier parts led to."""
        self.starts, self.jumped = {}, False
        self.stage = "expand" if speaks_of_answers(self.part) else "link"

    def _add_starts(self, named: Sequence[EntityMention]) -> None:
        """Entities that the part names, or that mean the same as those that were expanded."""
        names = tuple(dict.fromkeys(name for some in self.starts.values() for name in some))
        own = tuple(node.name for way in self.ways for node in way.starts(self.part))
        fresh = [one for one in named if one.node not in self.starts]
        self.starts |= {one.node: (one.words, *names, *own) for one in fresh}
        self.stage = "expand" if fresh else "search"

    def _judge_paths(self) -> None:
        self.longer = read_again(self.longer, self.claims, self.starts)
        if not self.longer:
            self.stage = "jump"
            return
        self.ways, self.longer = self.longer, []
        if len(self.ways[0].facts) < len(self.parts):
            self.begin_part()
        else:
            self.stage = "closed" if self.ways[0].weakest >= CLOSES else "search"


@dataclass(frozen=True, slots=True)
class RulesWalker:
    """Walks the graph by rules."""

    place: AgentContext
    tools: Mapping[str, Tool]
    most_steps: int
    name: str = GRAPH_AGENT

    def begin(self, question: RagQuestion) -> WalkingMind:
        """Nothing is known yet."""
        return WalkingMind(question)

    def decide(self, minds: Sequence[WalkingMind]) -> list[CostedDecision]:
        """The plan, the next call, or the answer."""
        fresh = [mind for mind in minds if mind.stage == "plan"]
        plans = {mind.question.id: plan for mind, plan in zip(fresh, self._plans(fresh), strict=True)}
        ended = [mind for mind in minds if mind.stage in {"closed", "given up"}]
        finals = dict(zip((mind.question.id for mind in ended), self.conclude(ended), strict=True))
        return [
            plans.get(mind.question.id) or finals.get(mind.question.id) or CostedDecision(self._next(mind))
            for mind in minds
        ]

    def conclude(self, minds: Sequence[WalkingMind]) -> list[CostedDecision]:
        """The end of a closed chain, else what can be read from all that was seen."""
        closed = {mind.question.id: _end_of(mind) for mind in minds if mind.stage == "closed"}
        others = [mind for mind in minds if mind.question.id not in closed]
        read = read_finally(self.place.generator, self.place.read, [_last_evidence(mind) for mind in others])
        finals = dict(zip((mind.question.id for mind in others), read, strict=True))
        return [closed.get(mind.question.id) or finals[mind.question.id] for mind in minds]

    def _plans(self, minds: Sequence[WalkingMind]) -> list[CostedDecision]:
        decided = []
        parts = self.place.generator.decompose([mind.question.text for mind in minds])
        for mind, (found, _) in zip(minds, parts, strict=True):
            mind.parts = found
            mind.begin_part()
            if not _is_chain(mind.question.text, found):
                mind.stage = "search"
            decided.append(CostedDecision(Plan(format_plan(found))))
        return decided

    def _next(self, mind: WalkingMind) -> Call:
        match mind.stage:
            case "link":
                return Call(FIND_ENTITIES, {"text": mind.part}, f"what does {_which(mind)} name?")
            case "expand":
                about = mind.ways[0].asks(mind.part)
                return Call(EXPAND, {"entities": mind.entities, "about": about}, f"to answer {_which(mind)}")
            case "jump":
                mind.jumped = True
                return Call(SAME_AS, {"entities": mind.entities}, "no fact of these fits")
            case "read":
                claims = list(dict.fromkeys(way.facts[-1].claim for way in mind.longer))
                return Call(
                    READ_CLAIMS, {"claims": claims, "about": mind.longer[0].texts[-1]}, "do they say so?"
                )
            case _:
                chain = _is_chain(mind.question.text, mind.parts)
                why = "facts alone don't lead to an answer" if chain else "it is no chain of hops"
                query = mind.queries[mind.searches]
                return Call(SEARCH, {"query": query, "top_k": self.place.top}, why)


def _is_chain(question: str, parts: Sequence[str]) -> bool:
    """Whether a question asks for the end of a chain: each part but the first speaks of earlier answers."""
    return question_form(question).kind == "open" and all(speaks_of_answers(part) for part in parts[1:])


def _which(mind: WalkingMind) -> str:
    return f"part {len(mind.ways[0].facts) + 1} of the plan"


def _last_evidence(mind: WalkingMind) -> SeenEvidence:
    """What is read where no chain closed: the last part alone where only that is missing."""
    hits, steps = merge_searches(mind.hits)
    way = mind.ways[0]
    if len(mind.parts) > 1 and mind.parts_answered == len(mind.parts) - 1:
        return SeenEvidence(replace(mind.question, text=way.asks(mind.parts[-1])), hits, steps)
    found = zip(way.texts, way.facts, strict=True)
    notes = tuple(f"{text}: {fact.end.name}" for text, fact in list(found)[: mind.parts_answered])
    return SeenEvidence(mind.question, hits, steps, notes)


def _end_of(mind: WalkingMind) -> CostedDecision:
    """The answer of a closed chain."""
    last = mind.ways[0].facts[-1]
    claim = mind.claims[last.claim]
    chunk = claim.chunks[0] if claim.chunks else ""
    return CostedDecision(Final(last.end.name, "the chain is closed", last.end.id, chunk, claim.sentence))


def make_graph_agent(place: AgentContext) -> RagSystem:
    """The graph agent: by the place's model, or by rules where it has none."""
    tools = graph_tools(place)
    most = MOST_CALLS if place.most_iterations is None else place.most_iterations
    if place.model is None:
        return AgentSystem(RulesWalker(place, tools, most))
    return AgentSystem(ModelWalker(place, place.model, tools, most))
