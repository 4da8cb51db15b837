"""Every statement under cypher/: its header is true, and a real server plans it without a deprecation."""

import re

import pytest

from kg.errors import QueryFileError
from kg.files import bundled_folder
from kg.queries import Query, all_queries, parse_query, query
from kg.store.graph import Graph
from tests.examples import examples

STATEMENTS = list(all_queries())


# Migrations ran when the session's server was made ready.
PLANNED = [one for one in STATEMENTS if not one.name.startswith("schema/")]


def test_a_server_plans_them_as_declared(graph: Graph) -> None:
    # test_gds.py plans those that need a plugin which this server may lack.
    gds = graph.rows(query("gds/is_installed"))[0]["installed"]
    for statement in PLANNED:
        if gds or "gds." not in statement.text:
            columns, deprecated = graph.explain(statement)
            assert (columns, deprecated) == (list(statement.returns), []), statement.name


def test_a_deprecation_would_be_noticed(graph: Graph) -> None:
    header = "// Old.\n// params: none\n// returns: id: INTEGER\n// mode: read\n"
    text = f"{header}CYPHER 5\nMATCH (n) RETURN id(n) AS id"
    _, deprecated = graph.explain(parse_query("old", text))
    assert deprecated


def test_they_are_written_in_cypher_25_and_say_what_they_do() -> None:
    other = [one.name for one in STATEMENTS if not one.text.startswith("CYPHER 25\n")]
    assert other == []
    assert [one.name for one in STATEMENTS if not one.purpose.endswith(".")] == []


def test_those_that_write_say_so() -> None:
    silent = [one.name for one in STATEMENTS if writes(one) != (one.mode != "read")]
    assert silent == []


def writes(statement: Query) -> bool:
    words = set(statement.text.replace("(", " ").split())
    changes = words & {"MERGE", "CREATE", "SET", "DELETE", "REMOVE", "DROP"}
    return bool(changes) or "CALL db.create." in statement.text


def test_every_statement_is_used() -> None:
    root = bundled_folder("cypher").parent
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for area in ("kg", "services", "cli")
        for path in (root / area).rglob("*.py")
    )
    # Collected once: to look for each of the statements in all of the code took seconds.
    named = set(re.findall(r'"([^"\s]+/[^"\s]+)"', code))
    of_each_noun = {verb for noun, verb in map(_parts, named) if noun in {"{noun}", "{target}"}}
    unused = [
        one.name
        for one in STATEMENTS
        if _parts(one.name)[0] not in {"schema", "browser"}
        and one.name not in named
        and _parts(one.name)[1] not in of_each_noun
    ]
    assert unused == []


def _parts(name: str) -> tuple[str, str]:
    noun, _, verb = name.partition("/")
    return noun, verb


GOOD = """// Does it.
// params: a: STRING,
//   b: INTEGER
// returns: n: MAP
// mode: read
RETURN $a, $b AS n;
"""


def test_a_header_is_read() -> None:
    statement = parse_query("area/do_it", GOOD)
    assert statement.purpose == "Does it."
    assert statement.params == {"a": "STRING", "b": "INTEGER"}
    assert statement.returns == {"n": "MAP"}
    assert statement.mode == "read"
    assert statement.text == "RETURN $a, $b AS n"


@examples("find, replace, complaint")
def test_a_broken_header_is_refused_with_the_file(find: str, replace: str, complaint: str) -> None:
    with pytest.raises(QueryFileError, match=complaint) as caught:
        parse_query("area/do_it", GOOD.replace(find, replace))
    assert "cypher/area/do_it.cypher" in str(caught.value)


def test_an_unknown_statement_is_refused() -> None:
    with pytest.raises(QueryFileError, match="no statement cypher/no/such"):
        query("no/such")


def test_a_call_with_wrong_parameters_is_refused(graph: Graph) -> None:
    with pytest.raises(QueryFileError, match=r"missing parameters \['id'\], unknown parameters \['name'\]"):
        graph.rows(query("corpus/read_properties"), name="x")
