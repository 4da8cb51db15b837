"""Entities as people ask for them: by any of their names, with all that the graph says of them."""

import re
from collections.abc import Sequence

from kg.errors import NothingToDoError, command
from kg.queries import query
from kg.resolve.name_pool import entity_key
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row

MOST_SHOWN = 50
"""Facts and mirrored edges that a description holds at most, of each kind."""

MOST_NAMED = 5
"""Entities that an ambiguous text lists at most."""


def find_entity(graph: Graph, corpus: str, text: str) -> Row:
    """The entity (id, name, type) that a text means: by its id or how it begins, a name, or its normal form.

    `entity-f86caba9` and `f86caba9` mean the same where no entity is called so.

    Raises:
        NothingToDoError: none does, or several do equally well; the message lists them.
    """
    found = graph.rows(query("entities/find_entities"), corpus=corpus, text=text, key=entity_key(text))
    best = [row for row in found if row["rank"] == found[0]["rank"]]
    if len(best) == 1:
        return {name: best[0][name] for name in ("id", "name", "type")}
    if best:
        listed = ", ".join(f"{row['name']!r} ({row['type']}, {row['id']})" for row in best[:MOST_NAMED])
        listed += " ..." if len(best) > MOST_NAMED else ""
        raise NothingToDoError(f"{text!r} may mean {len(best)} entities: {listed}.", "Give the id instead.")
    near = _suggestions(graph, corpus, text)
    raise NothingToDoError(
        f"corpus {corpus!r} has no entity {text!r}{f' (near: {near})' if near else ''}.",
        f"Check the spelling, or build the graph first: {command('corpus build --corpus', corpus)}.",
    )


def describe_entity(graph: Graph, corpus: str, entity: Row) -> Row:
    """All that the graph says of an entity that was found: see `entities/read_entity` for the parts."""
    described = graph.rows(query("entities/read_entity"), id=entity["id"], limit=MOST_SHOWN)[0]
    return {
        **described,
        "names": read_names(graph, entity),
        "articles": graph.rows(query("articles/read_naming"), id=entity["id"]),
        "namesakes": graph.rows(
            query("entities/read_namesakes"),
            corpus=corpus,
            id=entity["id"],
            key=normal_form(entity["name"]),
            name=entity["name"],
        ),
    }


def read_names(graph: Graph, entity: Row) -> Sequence[Row]:
    """The names that articles use for an entity, with the number of articles, most used first."""
    return graph.rows(query("entities/read_names"), id=entity["id"])


MOST_SUGGESTED = 5


def _suggestions(graph: Graph, corpus: str, text: str) -> str:
    # The tilde asks the index for words within two edits too.
    words = " ".join(f"{word} {word}~" for word in re.findall(r"\w+", text.lower()))
    if not words:
        return ""
    found = graph.rows(query("entities/search_words"), corpus=corpus, words=words, limit=MOST_SUGGESTED)
    return ", ".join(repr(row["name"]) for row in found)
