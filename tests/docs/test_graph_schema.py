"""The reference of the graph says what stands in a real one."""

import re
from collections.abc import Iterator
from pathlib import Path

from kg.queries import query
from kg.store.graph import Graph
from services.datasets.graph_content import EDGES as EDGE_MEANINGS
from services.datasets.graph_content import NODES as NODE_MEANINGS
from tests.docs.graph_properties import EDGES, EVERY_NODE, NODES, Properties, documented
from tests.examples import examples

ROOT = Path(__file__).parents[2]
_INNER = re.compile(r"(?:LIST|VECTOR)<(\w+)")


def test_every_kind_that_has_a_meaning_has_its_properties_told() -> None:
    assert list(NODES) == list(NODE_MEANINGS)
    assert list(EDGES) == list(EDGE_MEANINGS)


def test_what_a_corpus_holds_is_told_with_its_type(graph: Graph, small_corpus: str) -> None:
    assert list(_untold(graph, small_corpus)) == []


def test_what_is_told_is_written_somewhere() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("cypher", "kg", "services")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".cypher", ".py"} and path.name != "graph_vocabulary.py"
    )
    words = set(re.findall(r"\w+", source))
    listed = [(kind, name) for kinds in (NODES, EDGES) for kind, told in kinds.items() for name in told]
    assert [(kind, name) for kind, name in listed if name.rstrip("*") and not _written(name, words)] == []


@examples("name, types, expected")
def test_a_wrong_page_would_be_noticed(name: str, types: list[str], expected: str | None) -> None:
    assert _trouble("Chunk", NODES["Chunk"], name, types) == expected


def _untold(graph: Graph, corpus: str) -> Iterator[str]:
    """What a corpus has that the page doesn't tell, in words."""
    for label, listed in NODES.items():
        for row in graph.rows(query("corpus/list_node_properties"), corpus=corpus, label=label):
            trouble = _trouble(label, {**EVERY_NODE, **listed}, row["name"], row["types"])
            if trouble:
                yield trouble
        for row in graph.rows(
            query("corpus/list_edge_properties"), corpus=corpus, label=label, labels=list(NODES)
        ):
            if row["type"] not in EDGES:
                yield f"{row['type']} is not told"
            elif row["name"] is not None:
                trouble = _trouble(row["type"], EDGES[row["type"]], row["name"], row["types"])
                if trouble:
                    yield trouble


def _trouble(kind: str, listed: Properties, name: str, types: list[str]) -> str | None:
    told = documented(listed, name)
    if told is None:
        return f"{kind}.{name} is not told"
    found = {_plain(type_) for type_ in types} - {"LIST<NOTHING>"}
    if told[0] == "ANY" or found <= {told[0]}:
        return None
    return f"{kind}.{name} is {', '.join(sorted(found))}, not {told[0]}"


def _plain(type_: str) -> str:
    inner = _INNER.match(type_)
    if inner:
        return f"LIST<{inner[1].removesuffix('32').removesuffix('64')}>"
    return type_.removesuffix(" NOT NULL")


def _written(name: str, words: set[str]) -> bool:
    stem = name.rstrip("*")
    return any(word.startswith(stem) for word in words) if name.endswith("*") else name in words
