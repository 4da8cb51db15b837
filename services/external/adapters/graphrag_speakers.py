"""Who answers for neo4j-graphrag's GraphRAG: a model by our endpoint, or our reader by rules.

The library hands its language model a prompt and forgets what the answer took, so each question gets an
`OwnLlm` of its own, which remembers.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from neo4j_graphrag.generation.prompts import RagTemplate
from neo4j_graphrag.llm import LLMInterfaceV2, LLMResponse
from neo4j_graphrag.types import LLMMessage

from kg.llm.protocol import Failure, Message, Model, ModelRequest, Usage
from kg.store.graph import Graph
from services.answers import INSUFFICIENT
from services.rag.model_generator import short_answer
from services.rag.passages import read_passages
from services.rag.protocol import Generated, Generator, ReadTask

PROMPT = f"neo4j-graphrag@{version('neo4j-graphrag')}"
"""What answers of a model record as their prompt: it is the library's, and changes with it."""

SHORT_ANSWERS = (
    f"{RagTemplate.DEFAULT_SYSTEM_INSTRUCTIONS} Answer with as few words as name the thing, or with Yes or "
    f"No; write nothing else. If the context does not tell the answer, answer: {INSUFFICIENT}"
)
"""The library's instructions, and the form of answer that all systems here are asked for."""

ANSWER_TOKENS = 2_048


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that a retriever of the library found, with claims of other chunks as (chunk, text)."""

    id: str
    text: str
    score: float
    claims: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who answers: its name, what it says to the messages of a prompt, the prompt, and what of a found chunk
    goes into it."""

    name: str
    say: Callable[[Sequence[LLMMessage]], Generated]
    template: RagTemplate
    show: Callable[[FoundChunk], str]


class OwnLlm(LLMInterfaceV2):
    """A speaker as the library asks a language model; `said` is its last answer, with what that took."""

    def __init__(self, speaker: Speaker) -> None:
        """For one question."""
        super().__init__(speaker.name)
        self._say = speaker.say
        self.said = Generated("")

    def invoke(self, input: list[LLMMessage], **_: object) -> LLMResponse:  # noqa: A002
        """The answer to a prompt; a failure is an empty answer here, and told by `said`."""
        self.said = self._say(input)
        return LLMResponse(content=self.said.text)

    async def ainvoke(self, input: list[LLMMessage], **_: object) -> LLMResponse:  # noqa: A002
        """The same; nothing is awaited."""
        return self.invoke(input)


def model_speaker(model: Model, cost_of: Callable[[Usage], float | None]) -> Speaker:
    """A model, asked with the library's own prompt for a short answer.

    Its answers raise ModelRefusedError, ModelUnavailableError and BudgetReachedError as `Model.ask` does.
    """

    def say(messages: Sequence[LLMMessage]) -> Generated:
        request = ModelRequest(
            tuple(Message(one["role"], one["content"]) for one in messages),
            PROMPT,
            max_output_tokens=ANSWER_TOKENS,
        )
        (outcome,) = model.ask([request])
        if isinstance(outcome, Failure):
            return Generated("", PROMPT, outcome.usage, cost_of(outcome.usage), outcome.message)
        return Generated(short_answer(outcome.text), PROMPT, outcome.usage, cost_of(outcome.usage))

    return Speaker(model.name, say, RagTemplate(system_instructions=SHORT_ANSWERS), _as_text)


def rules_speaker(graph: Graph, generator: Generator) -> Speaker:
    """Our reader: its prompt names the question and the chunks, which it reads in the graph, with the names
    and facts in them."""

    def say(messages: Sequence[LLMMessage]) -> Generated:
        asked = json.loads(messages[-1]["content"])
        found = read_passages(graph, asked["chunks"])
        passages = tuple(found[chunk] for chunk in asked["chunks"] if chunk in found)
        (made,) = generator.answer([ReadTask(asked["question"], passages)])
        return made

    return Speaker(generator.name, say, _ChunkList(), _as_chunks)


class _ChunkList(RagTemplate):
    """A prompt for a reader that looks chunks up by itself."""

    def format(self, query_text: str, context: str, examples: str) -> str:
        """The question and the chunks of the context, each once, as JSON."""
        return json.dumps({"question": query_text, "chunks": list(dict.fromkeys(context.split()))})


def _as_text(found: FoundChunk) -> str:
    related = "".join(f"\nRelated: {text}" for _, text in found.claims)
    return f"{found.text}{related}\n"


def _as_chunks(found: FoundChunk) -> str:
    return "\n".join((found.id, *(chunk for chunk, _ in found.claims)))
