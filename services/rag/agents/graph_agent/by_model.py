"""The graph agent by a model: a plan of hops first, then one call of a tool a turn, until it answers.

It is driven as ReAct is, with other tools and prompts. When the calls are used up, the answer is read from
the chunks that were seen, with the prompt that all other systems use.

The conversation of the graph agent with a model about one question.
"""

from dataclasses import dataclass, field

from kg.llm.prompts import fenced, load_prompt
from kg.llm.protocol import Message, ModelRequest
from services.rag.agents.graph_agent.seen import (
    ACTING,
    GRAPH_AGENT,
    PLANNING,
    SeenClaims,
    SeenEntities,
    SeenFacts,
)
from services.rag.agents.protocol import Call, Decision, Observation, Plan
from services.rag.agents.react import Conversation, ModelReact, plan_request, turn_request
from services.rag.context import Block
from services.rag.protocol import RagQuestion

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
        return load_prompt(PLANNING).fill(question=fenced(self.question.text, "question"))

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in a plan, what a tool showed, or what was wrong with the turn."""
        match decision, observation:
            case Plan(text=text), _:
                self.messages = list(
                    load_prompt(ACTING).fill(
                        question=fenced(self.question.text, "question"),
                        plan=fenced(text, "plan"),
                        calls=str(self.searches),
                    )
                )
            case Call(), SeenEntities(text=text):
                self._report_call(fenced(text, "entities"))
            case Call(), SeenFacts() as seen:
                self._report_call(fenced(seen.lines_for(self.facts), "facts"))
                for fact in sorted(seen.facts, key=lambda fact: fact.mirrored):
                    self.facts.setdefault(fact.id, fact.mirrored)
            case Call(), SeenClaims():
                self.hits.append(observation.hits)
                self._report_call(self._numbered(observation))
            case _:
                Conversation.observe(self, decision, observation)

    def _report_call(self, shown: str) -> None:
        self.calls += 1
        left = f"Calls left: {self.searches - self.calls}."
        ignored = len(self.reply.calls) - 1 if self.reply is not None else 0
        only = f"Only the first of your {ignored + 1} calls was made.\n\n" if ignored > 0 else ""
        self._answer_call(f"{shown}\n\n{only}{left}")

    def _numbered(self, seen: SeenClaims) -> str:
        """The claims as passages, those shown before by their numbers only."""
        numbers = {block.text: block.number for block in self.shown_blocks.blocks}
        parts = []
        for claim in seen.claims:
            if claim.line in numbers:
                parts.append(f"Shown before: passage {numbers[claim.line]}.")
                continue
            block = Block(len(self.shown_blocks.blocks) + 1, claim.chunks, f"Claim {claim.id}", claim.line)
            self.shown_blocks.blocks.append(block)
            parts.append(fenced(block.as_read, f"passage {block.number}"))
        return "\n\n".join(parts) or fenced(seen.text, "claims")


@dataclass(frozen=True, slots=True)
class ModelWalker(ModelReact):
    """Walks the graph by a model."""

    name: str = GRAPH_AGENT

    def begin(self, question: RagQuestion) -> Conversation:
        """Nothing was said yet."""
        return WalkConversation(question, self.most_steps)

    def _request(self, mind: Conversation) -> ModelRequest:
        if not mind.planned:
            return plan_request(mind, PLANNING)
        return turn_request(mind, ACTING, self.tools)
