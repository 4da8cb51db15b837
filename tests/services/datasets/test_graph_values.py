"""Values of every kind, hostile ones too, come out of a written file as they went in."""

import csv
import io
import json
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import rdflib
from hypothesis import example, given, settings
from hypothesis import strategies as st
from neo4j import GraphDatabase, Session
from neo4j import Query as DriverQuery

from services.datasets.folder import Item, export_folder
from services.datasets.graph_content import Column, Columns, Edge, GraphData, Node, Value, column_of
from services.datasets.graph_csv import write_import_csv
from services.datasets.graph_cypher import FIELD, pack_properties, quote
from services.datasets.graph_graphml import plain_text, xml_text
from services.datasets.graph_nquads import iri, term
from services.datasets.graph_write import GRAPH_FORMATS
from tests.conftest import ServerAddress

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
HOSTILE = [
    "\\u0027",
    "\\\\u0027 + '",
    "'); MATCH (n) DETACH DELETE n //",
    "a\x1fb\x1ec\x1dd",
    "`$rows`",
    "\x00\r\n\u2028",
]
SCALARS: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    TEXTS,
    st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 2), max_value=datetime(9998, 1, 1)),
    st.dates(),
)
LISTS: st.SearchStrategy[Value] = st.one_of(
    st.lists(TEXTS, max_size=4),
    st.lists(st.floats(allow_nan=False), max_size=4),
    st.lists(st.booleans(), max_size=4),
)


@pytest.fixture(scope="module")
def session(server_address: ServerAddress) -> Iterator[Session]:
    address = server_address
    with (
        GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver,
        driver.session(database=address.database) as opened,
    ):
        yield opened


@settings(max_examples=60)
@given(values=st.lists(SCALARS | LISTS, min_size=1, max_size=8))
@example(values=list(HOSTILE))
@example(values=[list(HOSTILE), [], [""], ["", ""], "", math.inf, -0.0, 5e-324, -(2**63)])
def test_neo4j_reads_what_a_script_says(session: Session, values: list[Value]) -> None:
    properties = {f"p{number}": value for number, value in enumerate(values)}
    made = pack_properties(properties)
    row = quote(FIELD.join(made.fields))
    text = f"CYPHER 25 WITH split({row}, '\\u001F') AS f RETURN {made.map} AS made"
    assert "\n" not in text
    record = session.run(DriverQuery(text)).single(strict=True)
    assert {name: native(value) for name, value in record["made"].items()} == properties


def native(value: object) -> object:
    return value.to_native() if hasattr(value, "to_native") else value


@given(TEXTS)
@example("a\r\nb\t\"<&>'")
def test_xml_keeps_all_that_xml_can_hold(text: str) -> None:
    held = "".join("\ufffd" if not (c in "\t\n\r" or c >= " ") or c in "\ufffe\uffff" else c for c in text)
    assert (ET.fromstring(f"<a>{xml_text(text)}</a>").text or "") == held


@given(TEXTS)
@example(HOSTILE[1])
def test_rdflib_reads_a_text_as_it_was(text: str) -> None:
    quad = f"{iri('urn:x:', 's')} {iri('urn:x:', text)} {term(text)} <urn:x:g> .\n"
    read = rdflib.Dataset()
    read.parse(data=quad, format="nquads")
    ((_, _, value, _),) = read.quads()
    assert str(value) == text


def test_values_have_the_form_of_their_datatype() -> None:
    assert term(True) == '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    assert term(7) == '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert term(math.inf) == '"INF"^^<http://www.w3.org/2001/XMLSchema#double>'
    assert term(date(2031, 5, 2)) == '"2031-05-02"^^<http://www.w3.org/2001/XMLSchema#date>'
    assert term(["a", "b"]).endswith("rdf-syntax-ns#JSON>")
    assert plain_text(["a", "é"]) == json.dumps(["a", "é"], ensure_ascii=False)
    assert plain_text(datetime(2031, 5, 2, tzinfo=UTC)) == "2031-05-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("types", "column"),
    [
        (["STRING NOT NULL"], Column("p", "string")),
        (["INTEGER NOT NULL", "FLOAT NOT NULL"], Column("p", "float")),
        (["LIST<NOTHING> NOT NULL", "LIST<STRING NOT NULL> NOT NULL"], Column("p", "string", is_list=True)),
        (["LIST<NOTHING> NOT NULL"], Column("p", "string", is_list=True)),
        (["LIST<FLOAT NOT NULL> NOT NULL"], Column("p", "float", is_list=True)),
        (["ZONED DATETIME NOT NULL"], Column("p", "datetime")),
        (["INTEGER NOT NULL", "LIST<INTEGER NOT NULL> NOT NULL"], Column("p", "string")),
    ],
)
def test_a_column_has_the_type_of_its_values(types: list[str], column: Column) -> None:
    assert column_of("p", types) == column


@pytest.mark.parametrize("name", GRAPH_FORMATS)
@settings(max_examples=30)
@given(value=SCALARS | LISTS)
@example(value="a\r\nb\t\"<&>'")
@example(value=list(HOSTILE))
@example(value=[])
@example(value=[""])
@example(value=math.nan)
@example(value="".join(HOSTILE))
def test_our_reader_finds_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: Value
) -> None:
    column = _column("p", value)
    columns = Columns({"Entity": (Column("id", "string"), column)}, {"KNOWS": (column,)})
    nodes = [Node("Entity", ("Entity", "A b"), id_, {"id": id_, "p": value}) for id_ in ("e-1", "e'2")]
    edges = [
        Edge("x1", "KNOWS", "Entity", "e-1", "Entity", "e'2", {"p": value}),
        Edge("x2", "KNOWS", "Entity", "e-1", "Entity", "e-1"),
    ]
    form, folder = GRAPH_FORMATS[name], tmp_path_factory.mktemp("graph") / "out"
    with export_folder(folder) as writer:
        form.write(writer, GraphData("c", columns, nodes, edges))
    written: list[Node | Edge] = [*nodes, *edges]
    expected = [item for one in written for item in form.expect(one)]
    assert sorted(map(_shown, form.read(folder))) == sorted(map(_shown, expected))


def _column(name: str, value: Value) -> Column:
    first = value[0] if isinstance(value, list) and value else "" if isinstance(value, list) else value
    kinds = {bool: "BOOLEAN", int: "INTEGER", float: "FLOAT", str: "STRING", date: "DATE"}
    kind = kinds.get(type(first), "ZONED DATETIME")
    return column_of(name, [f"LIST<{kind} NOT NULL> NOT NULL" if isinstance(value, list) else kind])


def _shown(item: Item) -> str:
    return repr((item.table, item.key, sorted(item.properties.items())))


def test_an_import_file_tells_missing_from_empty(tmp_path: Path) -> None:
    columns = (Column("id", "string"), Column("name", "string"), Column("tags", "string", is_list=True))
    nodes = [
        Node(
            "Entity", ("Entity", "Person"), "e1", {"id": "e1", "name": 'say "hi",\nyou', "tags": ["a", "b"]}
        ),
        Node("Entity", ("Entity",), "e2", {"id": "e2", "name": "", "tags": []}),
        Node("Entity", ("Entity",), "e3", {"id": "e3"}),
    ]
    with export_folder(tmp_path / "out") as writer:
        write_import_csv(writer, GraphData("c", Columns({"Entity": columns}, {}), nodes, []))
    text = (tmp_path / "out" / "nodes-Entity.csv").read_text(encoding="utf-8")
    assert text.startswith("id:ID,name:string,tags:string[],empty_lists:string[],:LABEL\n")
    assert text.endswith('"e2","","","tags","Entity"\n"e3",,,,"Entity"\n')
    first = list(csv.reader(io.StringIO(text)))[1]
    assert first == ["e1", 'say "hi",\nyou', "a\x1fb", "", "Entity\x1fPerson"]
    script = (tmp_path / "out" / "after-import.cypher").read_text(encoding="utf-8")
    assert "WHERE 'tags' IN n.empty_lists" in script
