"""Names and triples that a set brings along for its passages, in the form of HippoRAG's OpenIE results.

That is {"docs": [{"passage", "extracted_entities", "extracted_triples"}]}.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg.errors import InputError
from kg.model import Reject

_NOT_READ = "Give the file that HippoRAG writes as its OpenIE results."


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """What is given for one passage: names, and triples of subject, predicate and object."""

    names: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class GivenTriples:
    """A file of given triples: passages by `passage_key`, and what can't be used of it."""

    path: Path
    sha256: str
    passages: Mapping[str, GivenPassage]
    rejected: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """How a file fits a corpus: passages with something given, those without, and what was given for none."""

    matched: int
    without: int
    unmatched: tuple[Reject, ...]


def read_given(path: Path) -> GivenTriples:
    """The names and triples in a file; a passage that stands there twice has both.

    Raises:
        InputError: it can't be read, or has another form.
    """
    try:
        content = path.read_bytes()
        found = json.loads(content)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the triples can't be read ({error}).", _NOT_READ) from None
    docs = found.get("docs") if isinstance(found, dict) else None
    if not isinstance(docs, list):
        raise InputError(f"{path}: it has no list of docs.", _NOT_READ)
    passages: dict[str, GivenPassage] = {}
    rejected: list[Reject] = []
    for number, doc in enumerate(docs, start=1):
        place = f"{path.name}, doc {number}"
        if not isinstance(doc, dict) or not isinstance(doc.get("passage"), str):
            rejected.append(Reject(place, "it has no passage"))
            continue
        given, unusable = _given(doc)
        if unusable:
            rejected.append(Reject(place, f"{unusable} of its triples are not three texts"))
        key = passage_key(doc["passage"])
        known = passages.get(key, GivenPassage((), ()))
        passages[key] = GivenPassage(known.names + given.names, known.triples + given.triples)
    return GivenTriples(path, hashlib.sha256(content).hexdigest(), passages, tuple(rejected))


def passage_key(*parts: str) -> str:
    """What passages are compared by: their words, title first."""
    return " ".join(" ".join(parts).split())


def given_for(given: GivenTriples, title: str, body: str) -> GivenPassage | None:
    """What is given for a passage, which may be written there with its title or without."""
    return given.passages.get(passage_key(title, body)) or given.passages.get(passage_key(body))


def match_given(given: GivenTriples, articles: Iterable[tuple[str, str]]) -> Matched:
    """How many articles, as title and body, have something given, and what is given for none of them."""
    keys = [(passage_key(title, body), passage_key(body)) for title, body in articles]
    used = {next((key for key in both if key in given.passages), "") for both in keys}
    matched = sum(any(key in given.passages for key in both) for both in keys)
    unmatched = (
        Reject(given.path.name, f"no passage of the corpus reads: {key[:60]}")
        for key in given.passages
        if key not in used
    )
    return Matched(matched, len(keys) - matched, tuple(unmatched))


def _given(doc: Mapping[str, object]) -> tuple[GivenPassage, int]:
    """What a passage has, and how many of its triples are none."""
    names, triples = doc.get("extracted_entities"), doc.get("extracted_triples")
    listed = triples if isinstance(triples, list) else []
    good = tuple(_three(listed))
    return GivenPassage(tuple(_texts(names)), good), len(listed) - len(good)


def _three(triples: Sequence[object]) -> Iterator[tuple[str, str, str]]:
    for triple in triples:
        match triple:
            case [str(subject), str(predicate), str(target)]:
                yield subject, predicate, target


def _texts(names: object) -> Iterator[str]:
    if isinstance(names, list):
        yield from (name for name in names if isinstance(name, str))
