"""Agents that were trained to search by tags: text goes on, search after search, to an answer in tags.

Search-R1, R-Search and ReSearch, which AgenticRAGTracer measures (section 4.1), were trained on texts in
which a model thinks in `<think>`, searches in `<search>`, is given `<information>`, and ends in `<answer>`.
They know neither tools nor a plan. Here a turn of the model ends behind the first search or answer: what it
made up behind that, its own information above all, is dropped. A chat endpoint lets nobody go on with a turn,
so information comes as the next message; what was written stands before it as it was, thoughts included.
Numbers of documents begin anew with each search, as in the training.
"""

import re
from dataclasses import dataclass
from typing import Literal

from kg.errors import SettingsError
from kg.llm.prompts import fence, load_prompt, on_one_line
from kg.llm.protocol import Message, ModelRequest, Reply
from services.rag.agents.loop import AgentSystem
from services.rag.agents.protocol import SEARCH, AgentContext, Call, Decision, Fault, Final, SearchTool
from services.rag.agents.react import LONGEST_THOUGHT, Conversation, ModelReact, steps_of
from services.rag.context import build_context
from services.rag.model_generator import ANSWER_TOKENS, CONTEXT_TOKENS
from services.rag.protocol import Passage, RagQuestion, RagSystem

SEARCH_TAGS: Literal["search-tags"] = "search-tags"
TURN = "search-tags"
"""The name of the prompt."""

USUAL_TAGGED_TURN = 50
"""Tokens that an ordinary turn takes, a thought of a sentence or two included; for estimates."""

_STOPS = ("</search>", "</answer>")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_TURN = re.compile(
    r"<(?P<tag>search|answer)>(?P<said>.*?)(?:</(?:search|answer)>|(?=<information>)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?(?:think|search|information|answer)>", re.IGNORECASE)
_NUDGE = (
    "Search by a query between <search> and </search>, or end by the answer between <answer> and </answer>."
)


@dataclass(slots=True)
class TaggedText(Conversation):
    """What was written on one question: `text` is the last turn as far as it counts.

    `chunks_seen` are the chunks that it was shown.
    """

    nudge: str = _NUDGE
    text: str = ""
    chunks_seen: frozenset[str] = frozenset()

    def show(self, query: str, passages: tuple[Passage, ...]) -> None:
        """Add the last turn's search and the information that it brought."""
        blocks = build_context(query, passages, CONTEXT_TOKENS, repeats=True).blocks if passages else ()
        told = "\n".join(_document(block.number, block.heading, block.text) for block in blocks)
        self.chunks_seen |= {chunk for block in blocks for chunk in block.chunks}
        found = fence(told, "documents") if told else "No document was found."
        self._answer_call(f"<information>\n{found}\n</information>")
        self.unread = None

    def _answer_call(self, result: str) -> None:
        self.messages += [Message("assistant", self.text), Message("user", result)]


def _document(number: int, heading: str, text: str) -> str:
    """A document as the agents were trained on it; a tag in an article is broken up."""
    shown = f"Doc {number} ({on_one_line(heading)}) {on_one_line(text)}"
    return _ANY_TAG.sub(lambda match: f"{match[0][0]} {match[0][1:]}", shown)


@dataclass(frozen=True, slots=True)
class TaggedSearch(ModelReact):
    """Writes on, one search a turn, until it has written an answer."""

    name: str = SEARCH_TAGS

    def begin(self, asked: RagQuestion) -> Conversation:
        """The question alone: there is no plan."""
        question = fence(asked.text, "question")
        searches = str(self.most_steps)
        messages = load_prompt(TURN).fill(question=question, searches=searches)
        return TaggedText(asked, self.most_steps, list(messages))

    def _request(self, mind: Conversation) -> ModelRequest:
        return ModelRequest(
            tuple(mind.messages),
            load_prompt(TURN).id,
            max_output_tokens=ANSWER_TOKENS,
            expected_output_tokens=USUAL_TAGGED_TURN,
            stops=_STOPS,
            with_thinking=True,
        )

    def read(self, mind: Conversation, reply: Reply) -> Decision:
        """The first search or answer of a turn."""
        turn = _first_turn(reply.text)
        if turn is None:
            return Fault("no call", reply.text[:LONGEST_THOUGHT])
        tag, words = turn["tag"].lower(), " ".join(turn["said"].split())
        thought = _ANY_TAG.sub(" ", reply.text[: turn.start()]).strip()[:LONGEST_THOUGHT]
        if not words:
            return Fault("malformed call", f"there is nothing in <{tag}>")
        if tag == "answer":
            shown = len(mind.chunks_seen) if isinstance(mind, TaggedText) else None
            return Final(words, thought, passages_shown=shown)
        if isinstance(mind, TaggedText):
            mind.text = f"{reply.text[: turn.start()]}<search> {words} </search>"
        return Call(SEARCH, {"query": words, "top_k": self.place.top}, thought)


def _first_turn(text: str) -> re.Match[str] | None:
    """The first search or answer outside of thoughts; inside where a model never stops thinking."""
    blanked = _THOUGHT.sub(lambda match: " " * len(match[0]), text)
    return _TURN.search(blanked)


def make_search_tags(place: AgentContext) -> RagSystem:
    """The agent at this place.

    Raises:
        SettingsError: there is no model.
    """
    if place.model is None:
        raise SettingsError(
            "search-tags writes as trained models do, and no rules can play it.", "Add --generator model."
        )
    tool = SearchTool(place.retriever, place.embedder, place.top)
    return AgentSystem(TaggedSearch(place, place.model, {tool.name: tool}, steps_of(place)))
