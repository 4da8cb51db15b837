"""Entities as people ask for them: by any of their names, with all that the graph says of them.

Corrections by hand in the graph: kept with who, when and why, and applied by every resolution.

They are part of the key of the resolution (`corrections_key`), so the next build applies what is new.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import get_args

from kg.errors import NothingToDoError, command
from kg.ids import content_hash, node_id
from kg.model import LITERAL_TYPES
from kg.queries import query
from kg.resolve.bonds import Correction, CorrectionKind
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


PENDING = "not applied yet"


@dataclass(frozen=True, slots=True)
class Signature:
    """Who corrects, when and why."""

    by: str
    created_at: datetime
    reason: str = ""


def read_corrections(graph: Graph, corpus: str) -> list[Correction]:
    """The corrections of a corpus in the order in which they were made."""
    return [_correction(row) for row in _rows(graph, corpus)]


def list_corrections(graph: Graph, corpus: str) -> list[Row]:
    """The corrections of a corpus as rows, with what became of each."""
    return [
        {**asdict(_correction(row)), "effect": row.get("effect") or PENDING} for row in _rows(graph, corpus)
    ]


def corrections_key(graph: Graph, corpus: str) -> str:
    """A hash over what was corrected, for the key of the stage that applies it."""
    made = read_corrections(graph, corpus)
    return content_hash(sorted(repr((one.kind, *sorted((one.name, one.other)))) for one in made))


def merge_entities(graph: Graph, corpus: str, one: str, other: str, signature: Signature) -> Correction:
    """Keep that two entities, each given by any of its names, are one thing.

    Raises:
        NothingToDoError: a name means none or several, both mean one already, or one is a date or a number.
    """
    found = [_find_named(graph, corpus, text) for text in (one, other)]
    if found[0]["id"] == found[1]["id"]:
        raise NothingToDoError(
            f"{one!r} and {other!r} are one entity already, {found[0]['name']!r}.",
            f"See its names: {command('graph entity show NAME')}.",
        )
    return _write(graph, corpus, "merge", (found[0]["name"], found[1]["name"]), signature)


def split_entity(
    graph: Graph, corpus: str, alias: str, owner: str | None, signature: Signature
) -> Correction:
    """Keep that a name is not the entity that it was merged into, or is linked to by context.

    Without `owner` it is the entity that holds the name as an alias.

    Raises:
        NothingToDoError: the name or the owner means none or several, or there is nothing to take apart.
    """
    entity = _find_named(graph, corpus, owner if owner is not None else alias)
    alike = [
        row["name"] for row in read_names(graph, entity) if normal_form(row["name"]) == normal_form(alias)
    ]
    name = alias if alias in alike else alike[0] if len(alike) == 1 else ""
    if name == entity["name"] or (not name and normal_form(alias) == normal_form(entity["name"])):
        others = [row["name"] for row in read_names(graph, entity) if row["name"] != entity["name"]]
        raise NothingToDoError(
            f"{alias!r} is the entity's own name (other names: {', '.join(map(repr, others)) or 'none'}).",
            "Name one of these, or the entity to keep it apart from: --from ENTITY.",
        )
    if not name:
        other = find_entity(graph, corpus, alias)
        if other["id"] == entity["id"]:
            raise NothingToDoError(
                f"{alias!r} is what articles call {entity['name']!r} after its full name: no merge.",
                f"See what can be split: {command('graph entity show NAME')}.",
            )
        name = other["name"]
    return _write(graph, corpus, "split", (name, entity["name"]), signature)


def undo_correction(graph: Graph, corpus: str, given: str | None) -> Correction:
    """Forget the correction of this id, or the last one; what it did goes with the next resolution.

    Raises:
        NothingToDoError: there is none.
    """
    made = read_corrections(graph, corpus)
    chosen = [one for one in made if given in (None, one.id)]
    if not chosen:
        raise NothingToDoError(
            f"corpus {corpus!r} has no correction{f' {given!r}' if given else ''} to undo.",
            f"See them: {command('graph entity corrections')}.",
        )
    graph.rows(query("corpus/delete_by_ids"), ids=[chosen[-1].id])
    return chosen[-1]


def write_effects(graph: Graph, effects: Mapping[str, str]) -> None:
    """Write what became of each correction."""
    rows = [{"id": found, "properties": {"effect": effect}} for found, effect in effects.items()]
    graph.write_rows(query("corpus/write_properties"), rows)


def _find_named(graph: Graph, corpus: str, text: str) -> Row:
    entity = find_entity(graph, corpus, text)
    if entity["type"] in LITERAL_TYPES:
        raise NothingToDoError(
            f"{entity['name']!r} is a {entity['type'].lower()}, which is never merged with a name.",
            "Give the name of a person, an organisation, a place or a thing.",
        )
    return entity


def _write(
    graph: Graph, corpus: str, kind: CorrectionKind, names: tuple[str, str], signature: Signature
) -> Correction:
    """Keep a correction; it takes the place of the opposite one on the same two names.

    What was said before stays as it is, with who said it and why, unless a new reason is given.
    """
    ids = {one: node_id(corpus, "correction", one, *sorted(names)) for one in get_args(CorrectionKind)}
    before = next((one for one in read_corrections(graph, corpus) if one.id == ids[kind]), None)
    if before is not None and not signature.reason:
        return before
    graph.rows(query("corpus/delete_by_ids"), ids=list(ids.values()))
    made = Correction(ids[kind], kind, *names, signature.reason, signature.by, signature.created_at)
    graph.rows(query("links/write_correction"), id=made.id, correction={**asdict(made), "corpus": corpus})
    return made


def _rows(graph: Graph, corpus: str) -> list[Row]:
    return [row["correction"] for row in graph.rows(query("links/read_corrections"), corpus=corpus)]


def _correction(row: Row) -> Correction:
    return Correction(
        id=row["id"],
        kind=row["kind"],
        name=row["name"],
        other=row["other"],
        reason=row["reason"],
        by=row["by"],
        created_at=row["created_at"].to_native(),
    )
