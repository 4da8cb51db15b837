"""Who answers for neo4j-graphrag's GraphRAG: a model by our endpoint, or our reader by rules.

The library hands its language model a prompt and forgets what the answer took, so each question gets an
`OwnLlm` of its own, which remembers.

neo4j-graphrag's GraphRAG over a corpus of ours: its Vector, VectorCypher and Hybrid retrievers.

Its hybrid retriever can't be kept to one corpus, and its filters need an index with a fixed number of
dimensions, so all three search in copies of the chunks (`services.benchmarks.graphrag`). VectorCypher goes on
from there into the graph: claims of other chunks about the entities that a found chunk names.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

from neo4j_graphrag.exceptions import Neo4jGraphRagError
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.generation.prompts import RagTemplate
from neo4j_graphrag.llm import LLMInterfaceV2, LLMResponse
from neo4j_graphrag.retrievers import HybridRetriever, VectorCypherRetriever, VectorRetriever
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import LLMMessage, RetrieverResultItem

from kg.embed.choose import Embedder
from kg.errors import StoreError
from kg.llm.protocol import Failure, Message, Model, ModelRequest, Usage
from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from kg.queries import query
from kg.store.graph import Graph, lent_driver
from services.answers import INSUFFICIENT
from services.benchmarks.graphrag import LIBRARY, VECTORS, WORDS, SharedEmbedder, passage_copies
from services.external.adapters.graphrag_outside import GraphragRetrieverName
from services.rag.answering import read_passages
from services.rag.model_generator import short_answer
from services.rag.protocol import Generation, Generator, ReadTask

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
    say: Callable[[Sequence[LLMMessage]], Generation]
    template: RagTemplate
    show: Callable[[FoundChunk], str]


class OwnLlm(LLMInterfaceV2):
    """A speaker as the library asks a language model; `said` is its last answer, with what that took."""

    def __init__(self, speaker: Speaker) -> None:
        """For one question."""
        super().__init__(speaker.name)
        self._say = speaker.say
        self.said = Generation("")

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

    def say(messages: Sequence[LLMMessage]) -> Generation:
        request = ModelRequest(
            tuple(Message(one["role"], one["content"]) for one in messages),
            PROMPT,
            max_output_tokens=ANSWER_TOKENS,
        )
        (outcome,) = model.ask([request])
        if isinstance(outcome, Failure):
            return Generation("", PROMPT, outcome.usage, cost_of(outcome.usage), outcome.message)
        return Generation(short_answer(outcome.text), PROMPT, outcome.usage, cost_of(outcome.usage))

    return Speaker(model.name, say, RagTemplate(system_instructions=SHORT_ANSWERS), _as_text)


def rules_speaker(graph: Graph, generator: Generator) -> Speaker:
    """Our reader: its prompt names the question and the chunks, which it reads in the graph, with the names
    and facts in them."""

    def say(messages: Sequence[LLMMessage]) -> Generation:
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


PROCEDURE_FAILED = "Neo.ClientError.Procedure.ProcedureCallFailed"

_PROPERTIES = ["id", "text"]
_FOUND = "found"


class _Record(Protocol):
    """A row as the driver gives it."""

    def __getitem__(self, key: str, /) -> Any: ...  # noqa: ANN401


@contextmanager
def graphrag_system(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    retriever: GraphragRetrieverName,
    speaker: Speaker,
    top: int = 10,
) -> Iterator[OwnSystem]:
    """A GraphRAG over a corpus, for as long as this lasts; one at a time in a database.

    An error of the library becomes the answer's; those of the database and of a model's endpoint are raised.
    """
    with passage_copies(graph, corpus):
        searching = _retriever(graph, retriever, embedder, speaker.show)

        def system(question: str, /) -> OwnAnswer:
            llm = OwnLlm(speaker)
            pipeline = GraphRAG(searching, llm, speaker.template)
            try:
                with lent_driver(graph, LIBRARY):
                    result = pipeline.search(
                        question, return_context=True, retriever_config={"top_k": top}
                    ).retriever_result
            except Neo4jGraphRagError as error:
                return OwnAnswer("", error=f"{type(error).__name__}: {error}")
            except StoreError as error:
                if not _is_lucenes(error):
                    raise
                return OwnAnswer("", error=f"Lucene can't read the question: {error}")
            found = [] if result is None else [(item.metadata or {})[_FOUND] for item in result.items]
            said = llm.said
            return OwnAnswer(
                said.text,
                _chunks_as_texts(found),
                (
                    OwnStep("retrieve", question, f"{len(found)} chunks"),
                    OwnStep("answer", question, said.error or said.text),
                ),
                said.usage.input_tokens,
                said.usage.output_tokens,
                said.cost,
                error=said.error,
            )

        yield system


def _is_lucenes(error: StoreError) -> bool:
    """Whether full-text search failed at a question.

    The library hands questions to Lucene as they are, where quotes, brackets and slashes mean something, and
    takes only some of its errors for its own.
    """
    return getattr(error.__cause__, "code", "") == PROCEDURE_FAILED


def _retriever(
    graph: Graph,
    name: GraphragRetrieverName,
    embedder: Embedder,
    show: Callable[[FoundChunk], str],
) -> Retriever:
    shared = SharedEmbedder(embedder)

    def formatter(read: Callable[[_Record], FoundChunk]) -> Callable[[_Record], RetrieverResultItem]:
        def item(record: _Record) -> RetrieverResultItem:
            found = read(record)
            return RetrieverResultItem(content=show(found), metadata={_FOUND: found})

        return item

    of_node, of_row, database = formatter(_found_node), formatter(_found_row), graph.database
    with lent_driver(graph, LIBRARY) as driver:
        match name:
            case "vector":
                return VectorRetriever(driver, VECTORS, shared, _PROPERTIES, of_node, database)
            case "vector-cypher":
                return VectorCypherRetriever(driver, VECTORS, _after_search(), shared, of_row, database)
            case "hybrid":
                return HybridRetriever(driver, VECTORS, WORDS, shared, _PROPERTIES, of_node, database)


def _after_search() -> str:
    """The statement without its version and the line that stands in for the library's search."""
    _, _, *rest = query("chunks/read_around").text.splitlines()
    return "\n".join(rest)


def _found_node(record: _Record) -> FoundChunk:
    node = record["node"]
    return FoundChunk(node["id"], node["text"], record["score"])


def _found_row(record: _Record) -> FoundChunk:
    claims = tuple((claim["chunk"], claim["text"]) for claim in record["claims"])
    return FoundChunk(record["chunk"], record["text"], record["score"], claims)


def _chunks_as_texts(found: list[FoundChunk]) -> tuple[RetrievedText, ...]:
    """The chunks that were found, then those of the claims around them, each once."""
    own = {one.id: RetrievedText(one.text, one.id, score=one.score) for one in found}
    around = {chunk: RetrievedText(text, chunk) for one in found for chunk, text in one.claims}
    return tuple((around | own)[chunk] for chunk in dict.fromkeys((*own, *around)))
