"""The reference of the graph: what stands in it, and the statements that read and write it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from kg.queries import Query, all_queries, area_queries
from services.datasets.graph_content import EDGES as EDGE_MEANINGS
from services.datasets.graph_content import NODES as NODE_MEANINGS
from tests.docs.graph_properties import EDGES, EVERY_NODE, NODES, Properties
from tests.docs.markdown import WRITTEN, joined, page, table
from tests.examples import read_examples

TYPE_LABELS = "Person, Organisation, Place, People, Event, Thing, Concept, Literal"
"""The second label of an entity, by which Neo4j Browser colours it."""

_INDEX = re.compile(
    r"CREATE (?P<kind>[A-Z]*) ?(?P<what>INDEX|CONSTRAINT) (?P<name>\w+) .*?"
    r"FOR \(?\)?-?[(\[]\w:(?P<on>\w+)[)\]]-?\(?\)?.*?(?P<properties>ON .*|REQUIRE .*)$",
    re.S,
)
_DROPPED = re.compile(r"DROP INDEX (\w+)")
_PROPERTY = re.compile(r"\b[nr]\.(\w+)")

AREAS: Mapping[str, str] = read_examples("docs/reference_graph")["areas"]


def graph_schema() -> str:
    """The kinds of node and edge with their properties, and the indexes."""
    return page(
        [
            "# The graph",
            WRITTEN,
            "What a corpus is in Neo4j. Several corpora share a database; every node carries the name of its "
            "corpus. Ids are derived from content, never from a counter. To see it drawn, open "
            "[Neo4j Browser](../browser.md); to look at a kind: `MATCH (n:Path) RETURN n LIMIT 5`.",
            "`error_rate` and `answers` are written after each run, over all runs of the corpus.",
            "## Kinds of node",
            *table(
                ("label", "what it is"),
                ((f"[{label}](#{label.lower()})", meaning) for label, meaning in NODE_MEANINGS.items()),
            ),
            f"An entity has a second label for its type: {TYPE_LABELS}; and one for its error rate, if it "
            "has twenty answers: WrongOver25, WrongOver50 or WrongOver75, in percent. `Migration` nodes note "
            "which migrations ran, `Lease` nodes who writes at the moment; neither is part of a corpus.",
            "## Kinds of edge",
            *table(
                ("type", "what it says", "properties"),
                (
                    (f"`{type_}`", meaning, ", ".join(f"`{name}`" for name in EDGES[type_]))
                    for type_, meaning in EDGE_MEANINGS.items()
                ),
            ),
            "## Properties of every node",
            *_properties(EVERY_NODE),
            *(part for label, listed in NODES.items() for part in (f"## {label}", *_properties(listed))),
            *(
                part
                for type_, listed in EDGES.items()
                if listed
                for part in (f"## {type_}", *_properties(listed))
            ),
            "## Indexes and constraints",
            "Made by the [migrations](cypher.md#schema) at the first connection.",
            *table(("index", "of", "properties", "kind"), _indexes()),
        ]
    )


def cypher_files() -> str:
    """Every statement by area: purpose, parameters, columns, mode."""
    areas = dict.fromkeys(statement.name.partition("/")[0] for statement in all_queries())
    return page(
        [
            "# Cypher files",
            WRITTEN,
            "Every statement that Hopgrade runs is a file `cypher/AREA/NAME.cypher`, and can be pasted into "
            "Neo4j Browser; `:param` sets parameters there. A statement marked *write alone* runs outside "
            "a transaction: put `:auto` in front.",
            *table(("area", "what about"), ((f"[{area}](#{area})", AREAS[area]) for area in areas)),
            *(part for area in areas for part in _area(area)),
        ]
    )


def _properties(listed: Properties) -> Iterator[str]:
    rows = ((f"`{name}`", type_, meaning) for name, (type_, meaning) in listed.items())
    yield from table(("property", "type", "meaning"), rows)


def _area(area: str) -> Iterator[str]:
    yield f"## {area}"
    yield from table(("statement", "purpose", "parameters", "columns", "mode"), map(_row, area_queries(area)))


def _row(one: Query) -> tuple[str, ...]:
    name = f"`{one.name.partition('/')[2]}`"
    return name, joined(one.purpose), _typed(one.params), _typed(one.returns), one.mode


def _typed(listed: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in listed.items()).replace("<", "&lt;")


def _indexes() -> Iterator[tuple[str, str, str, str]]:
    """The indexes that are left when all migrations ran, the constraints included."""
    left: dict[str, tuple[str, str, str, str]] = {}
    for statement in area_queries("schema"):
        dropped = _DROPPED.search(statement.text)
        if dropped:
            left.pop(dropped[1])
        elif "CREATE" in statement.text:  # others mend what is stored
            row = _index(statement)
            left[row[0]] = row
    kinds = defaultdict(list)
    for row in left.values():
        kinds[row[3]].append(row)
    for kind in sorted(kinds):
        yield from kinds[kind]


def _index(statement: Query) -> tuple[str, str, str, str]:
    match = _INDEX.search(statement.text.partition("OPTIONS")[0].strip())
    assert match, statement.name
    kind = "unique" if match["what"] == "CONSTRAINT" else (match["kind"] or "range").lower()
    # What stands after WITH narrows a vector search.
    properties = ", ".join(f"`{name}`" for name in _PROPERTY.findall(match["properties"]))
    return match["name"], match["on"], properties, kind
