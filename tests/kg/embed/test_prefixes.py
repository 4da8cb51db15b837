"""What models want before queries and passages: the table, who goes by it, stale vectors."""

import sys
from fnmatch import fnmatchcase
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from kg.corpus import CorpusSettings, open_corpus
from kg.embed.choose import make_embedder, prefix_table, prefixes_of
from kg.errors import CorpusError
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.retrieval.choose import open_retriever
from tests.scripted_endpoint import scripted_endpoint

SENTENCE = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
WANTED = {
    "intfloat/e5-large-v2": ("query: ", "passage: "),
    "intfloat/multilingual-e5-small": ("query: ", "passage: "),
    "intfloat/multilingual-e5-large-instruct": (INSTRUCT, ""),
    "intfloat/e5-mistral-7b-instruct": (INSTRUCT, ""),
    "Qwen/Qwen3-Embedding-0.6B": (INSTRUCT.rstrip(" "), ""),
    "NovaSearch/stella_en_1.5B_v5": (INSTRUCT.replace("query\n", "query.\n"), ""),
    "BAAI/bge-large-en-v1.5": (SENTENCE, ""),
    "/models/BGE-base-en/": (SENTENCE, ""),
    "BAAI/bge-small-zh-v1.5": ("为这个句子生成表示以用于检索相关文章\uff1a", ""),
    "BAAI/llm-embedder": (
        "Represent this query for retrieving relevant documents: ",
        "Represent this document for retrieval: ",
    ),
    "hkunlp/instructor-large": (
        "Represent the question for retrieving supporting documents: ",
        "Represent the document for retrieval: ",
    ),
    "jinaai/jina-embeddings-v3": (
        "Represent the query for retrieving evidence documents: ",
        "Represent the document for retrieval: ",
    ),
    "nomic-embed-text:latest": ("search_query: ", "search_document: "),
    "Snowflake/snowflake-arctic-embed-m-v1.5": (SENTENCE, ""),
    "Snowflake/snowflake-arctic-embed-l-v2.0": ("query: ", ""),
    "mixedbread-ai/mxbai-embed-large-v1": (SENTENCE, ""),
    "google/embeddinggemma-300m": ("task: search result | query: ", "title: none | text: "),
}
NONE = (
    "BAAI/bge-m3",
    "all-MiniLM-L6-v2",
    "thenlper/gte-base",
    "text-embedding-3-small",
    "jina-embeddings-v2-base-en",
)


@pytest.mark.parametrize("model", WANTED)
def test_a_model_gets_what_its_card_says(model: str) -> None:
    found = prefixes_of(model)
    assert found is not None
    assert (found.query, found.passage) == WANTED[model]


@pytest.mark.parametrize("model", NONE)
def test_other_models_get_nothing(model: str) -> None:
    assert prefixes_of(model) is None


def test_every_line_of_the_table_is_held_by_a_model_of_it() -> None:
    names = [model.rstrip("/").rpartition("/")[2].partition(":")[0].lower() for model in WANTED]
    for patterns, prefixes in prefix_table():
        held = [name for name in names if any(fnmatchcase(name, one) for one in patterns)]
        assert held, patterns
        assert all(one == one.lower() for one in patterns)
        assert prefixes.query


def test_an_endpoint_is_sent_queries_and_passages_apart() -> None:
    with scripted_endpoint() as endpoint:
        settings = Settings(openai_api_key=None, openai_base_url=endpoint.base_url)
        plain = make_embedder("openai:words", settings)
        made = make_embedder("openai:intfloat/e5-base-v2", settings)
        assert plain.name == "openai/words"
        assert made.name.startswith("openai/intfloat/e5-base-v2+prefixes-")
        queries, passages = made.embed_queries(["Bergen", ""]), made.embed(["Bergen", ""])
        told = plain.embed(["query: Bergen", "query: ", "passage: Bergen", "passage: "])
    np.testing.assert_array_equal(np.concatenate((queries, passages)), told)


def test_a_local_model_gets_its_prefixes_as_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is a stand-in that tells what it was asked: no model can be fetched here."""
    asked = []
    sizes: dict[str, object] = {}

    class SentenceTransformer:
        max_seq_length = 512

        def __init__(self, model: str, device: str | None) -> None:
            self.model = model
            self.device = SimpleNamespace(type="cuda" if "bge" in model else "cpu")

        def encode(self, texts: str | list[str], **options: object) -> np.ndarray:
            if isinstance(texts, str):
                return np.ones(2, np.float32)
            asked.append((self.model, texts, options["prompt"]))
            sizes[self.model] = options["batch_size"]
            return np.ones((len(texts), 2), np.float32)

    library = ModuleType("sentence_transformers")
    monkeypatch.setattr(library, "SentenceTransformer", SentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    for model in ("BAAI/bge-small-en-v1.5", "all-MiniLM-L6-v2"):
        made = make_embedder(f"sentence-transformers:{model}", Settings())
        made.embed_queries(["Who?"])
        made.embed(["Bergen"])
        assert ("+prefixes-" in made.name) == (prefixes_of(model) is not None)
    assert asked == [
        ("BAAI/bge-small-en-v1.5", ["Who?"], SENTENCE),
        ("BAAI/bge-small-en-v1.5", ["Bergen"], ""),
        ("all-MiniLM-L6-v2", ["Who?"], None),
        ("all-MiniLM-L6-v2", ["Bergen"], None),
    ]
    # On a GPU, which the first of them is on, four times as many texts go through the model at once.
    assert sizes == {"BAAI/bge-small-en-v1.5": 128, "all-MiniLM-L6-v2": 32}


def test_vectors_made_with_other_prefixes_are_noticed_before_a_search(graph: Graph, corpus: str) -> None:
    with scripted_endpoint() as endpoint:
        settings = Settings(openai_api_key=None, openai_base_url=endpoint.base_url)
        made = make_embedder("openai:e5-base-v2", settings)
        before = CorpusSettings("openai:e5-base-v2", "openai/e5-base-v2", 8, "64-128/25", "rules")
        open_corpus(graph, corpus, before)
        with pytest.raises(CorpusError, match="was made with vectors 'openai/e5-base-v2'"):
            open_retriever("vector", graph, corpus, made)
