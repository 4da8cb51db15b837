"""The graph of a corpus in files of other tools, read back by those tools."""

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
import rdflib
from neo4j import GraphDatabase
from neo4j import Query as DriverQuery

from kg.corpus import drop_corpus
from kg.errors import HopgradeError, InputError
from kg.progress import Silent
from kg.store.graph import Graph
from services.datasets.export_dataset import verify_export
from services.datasets.graph_content import GraphContent, read_edges, read_nodes
from services.datasets.graph_nquads import NODE, TERM
from services.datasets.graph_write import GRAPH_FORMATS, GraphExport, compare_graph, export_graph
from tests.conftest import ServerAddress
from tests.small_world import ARTICLES

OUR_ID = re.compile(r"([a-z]+-[0-9a-f]{16}(?:[0-9a-f]{8})?)(?![0-9a-f])")
SMALL = GraphContent(vectors=False)
VICTIMS = {"graph.graphml", "graph.cypher", "graph.nq", "nodes-Article.csv"}
"""The files in which the bodies of articles stand."""


@pytest.fixture(scope="module")
def exported(
    graph: Graph, small_corpus: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, GraphExport]:
    """The small world in every format."""
    folder = tmp_path_factory.mktemp("graph")
    return {
        name: export_graph(graph, small_corpus, found, SMALL, folder / name, Silent(), verify=True)
        for name, found in GRAPH_FORMATS.items()
    }


def sizes(done: GraphExport) -> tuple[int, int]:
    return sum(done.nodes.values()), sum(done.edges.values())


def test_every_format_holds_the_same_graph(exported: dict[str, GraphExport]) -> None:
    first, *others = exported.values()
    assert sizes(first) > (50, 100)
    assert all((other.nodes, other.edges) == (first.nodes, first.edges) for other in others)
    manifest = json.loads((first.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["nodes"] == dict(sorted(first.nodes.items()))


def test_networkx_reads_the_graphml(exported: dict[str, GraphExport]) -> None:
    done = exported["graphml"]
    read = nx.read_graphml(done.folder / "graph.graphml", force_multigraph=True)
    assert (read.number_of_nodes(), read.number_of_edges()) == sizes(done)
    (club,) = [data for _, data in read.nodes(data=True) if data.get("name") == "Ostby Rovers"]
    assert club["labels"].startswith(":Entity:")
    assert isinstance(club["degree"], int)
    assert isinstance(json.loads(club["aliases"]), list)
    facts = {
        (read.nodes[start]["name"], read.nodes[end]["name"])
        for start, end, data in read.edges(data=True)
        if data["label"] == "RELATES"
    }
    assert ("Mira Tolland", "Ostby Rovers") in facts


def test_rdflib_reads_the_quads_and_their_vocabulary(exported: dict[str, GraphExport]) -> None:
    done = exported["nquads"]
    read = rdflib.Dataset(default_union=True)
    read.parse(done.folder / "graph.nq", format="nquads")
    ask = f"SELECT ?e WHERE {{ ?e <{TERM}name> 'Mira Tolland'; a <{TERM}Entity> }}"
    assert len(list(read.query(ask))) == 1
    statements = set(read.subjects(rdflib.RDF.type, rdflib.RDF.Statement))
    with_ends = {edge for edge in statements if str(read.value(edge, rdflib.RDF.object)).startswith(NODE)}
    assert len(with_ends) == len(statements)
    relates = rdflib.URIRef(f"{TERM}RELATES")
    assert len(set(read.subjects(rdflib.RDF.predicate, relates))) == done.edges["RELATES"]
    words = rdflib.Graph().parse(done.folder / "vocabulary.nt", format="nt")
    used = {str(predicate) for predicate in read.predicates() if str(predicate).startswith(TERM)}
    assert used <= {str(word) for word in words.subjects()}


def test_the_import_files_hold_every_row_and_every_end(exported: dict[str, GraphExport]) -> None:
    done, ids = exported["neo4j-csv"], set[str]()
    for kind, number in done.nodes.items():
        rows = read_csv(done.folder / f"nodes-{kind}.csv")
        assert len(rows) == number
        assert all(row[":LABEL"].split("\x1f")[0] == kind for row in rows)
        ids |= {row["id:ID"] for row in rows}
    for kind, number in done.edges.items():
        rows = read_csv(done.folder / f"edges-{kind}.csv")
        assert len(rows) == number
        assert {row[":START_ID"] for row in rows} | {row[":END_ID"] for row in rows} <= ids
    bodies = {
        row["given_id:string"]: row["body:string"] for row in read_csv(done.folder / "nodes-Article.csv")
    }
    assert bodies == ARTICLES
    arguments = (done.folder / "import.args").read_text(encoding="utf-8")
    named = set(re.findall(r"\./(\S+)", arguments))
    assert named == {one.name for one in done.files if one.name.endswith(".csv")}


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def copy(graph: Graph, small_corpus: str) -> Iterator[str]:
    """The name of a copy of the small world, dropped afterwards."""
    yield f"{small_corpus}-copy"
    drop_corpus(graph, f"{small_corpus}-copy")


@pytest.mark.campaign
def test_the_script_makes_the_same_graph(
    graph: Graph,
    small_corpus: str,
    copy: str,
    exported: dict[str, GraphExport],
    server_address: ServerAddress,
) -> None:
    def renamed(text: str) -> str:
        return OUR_ID.sub(r"\1x", text).replace(small_corpus, copy)

    script = (exported["cypher"].folder / "graph.cypher").read_text(encoding="utf-8")
    address = server_address
    with (
        GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver,
        driver.session(database=address.database) as session,
    ):
        for line in renamed(script).split("\n"):
            if line and not line.startswith("//"):
                session.run(DriverQuery(line.removesuffix(";"))).consume()
    assert found(graph, copy) == Counter(map(renamed, found(graph, small_corpus).elements()))


def found(graph: Graph, corpus: str) -> Counter[str]:
    """Every node and edge as text, but for ids that are made of what an edge joins."""
    nodes = (repr((node.labels, node.properties)) for node in read_nodes(graph, corpus, SMALL))
    edges = (
        repr((edge.type, edge.start, edge.end, edge.properties)) for edge in read_edges(graph, corpus, SMALL)
    )
    return Counter([*nodes, *edges])


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_a_graph_is_verified_and_a_change_is_noticed(
    name: str, tmp_path: Path, exported: dict[str, GraphExport]
) -> None:
    done = exported[name]
    assert all(one.equal for one in done.compared)
    assert sum(one.found for one in done.compared) >= sum(sizes(done))
    sound = verify_export(done.folder)
    assert sound.sound
    assert sound.compared == done.compared
    copied = Path(shutil.copytree(done.folder, tmp_path / "copied"))
    (victim,) = [path for path in copied.rglob("*") if path.name in VICTIMS]
    text = victim.read_text(encoding="utf-8")
    victim.write_text(text.replace("short temper", "short tember", 1), encoding="utf-8")
    found = verify_export(copied)
    assert found.changed == (victim.name,)
    tables = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))["tables"]
    compared = compare_graph(GRAPH_FORMATS[name], copied, tables)
    assert [one.table for one in compared if not one.equal] == ["Article nodes"]
    victim.write_text(text[: len(text) // 2] + "\x01\n", encoding="utf-8")
    with pytest.raises(InputError, match="anew"):
        compare_graph(GRAPH_FORMATS[name], copied, tables)


def test_a_graph_that_is_not_read_back_is_not_exported(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    lossy = replace(GRAPH_FORMATS["graphml"], read=lambda folder: iter(()))
    with pytest.raises(HopgradeError, match="0 were read back"):
        export_graph(graph, small_corpus, lossy, SMALL, tmp_path / "out", Silent(), verify=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.campaign
@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_the_same_graph_gives_the_same_bytes(
    name: str, graph: Graph, small_corpus: str, tmp_path: Path, exported: dict[str, GraphExport]
) -> None:
    again = export_graph(graph, small_corpus, GRAPH_FORMATS[name], SMALL, tmp_path / "again", Silent())
    assert again.files == exported[name].files


def test_texts_can_be_left_out(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    content = GraphContent(texts=False, vectors=False)
    done = export_graph(
        graph, small_corpus, GRAPH_FORMATS["cypher"], content, tmp_path / "out", Silent(), "CC BY 4.0"
    )
    script = (done.folder / "graph.cypher").read_text(encoding="utf-8")
    assert "short temper" not in script
    assert "Ostby Rovers" in script
    assert "Stage" not in done.nodes
    assert "CC BY 4.0" in (done.folder / "README.md").read_text(encoding="utf-8")


def test_the_ledger_of_a_part_says_only_what_is_in_it(graph: Graph, small_corpus: str) -> None:
    content = GraphContent(part="knowledge", vectors=False)
    nodes = list(read_nodes(graph, small_corpus, content))
    stages = {node.properties["name"] for node in nodes if node.kind == "Stage"}
    assert stages == {"articles", "chunks", "claims", "resolution", "paths"}
    ids = {node.id for node in nodes}
    edges = list(read_edges(graph, small_corpus, content))
    assert edges
    assert {edge.end for edge in edges} | {edge.start for edge in edges} <= ids
    assert not {"Question", "Run", "Answer"} & {node.kind for node in nodes}


def test_vectors_come_as_they_are_stored(graph: Graph, small_corpus: str) -> None:
    nodes = read_nodes(graph, small_corpus, GraphContent(part="knowledge"))
    chunk = next(node for node in nodes if node.kind == "Chunk")
    vector = chunk.properties["embedding"]
    assert isinstance(vector, list)
    assert len(vector) == 384
    assert sum(float(str(number)) ** 2 for number in vector) == pytest.approx(1, abs=1e-5)
