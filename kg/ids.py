"""Stable ids: a short hash of what a thing is, never a counter, so that a re-run merges.

Much is drawn, sorted and cut in the order of ids. So that a corpus' name decides none of it, the ids of what
a corpus is made of, from articles to questions, begin with a hash of their content alone and end with a mark
of the corpus; ids that content refers to count without that mark. Ids of graphs made before have no mark.

Where a chunk stands for the indexes: what a search can be narrowed to before it ranks anything.

A filter of a vector index compares whole values, joined by AND; a full-text index knows nothing but words.
So every chunk carries tokens besides its article's fields: `shelf`, one value for its corpus, source,
category and author together, and for full text `keys`, one word for each of them, and `day`, its date as a
word that sorts. Tokens are hashes, so that no name can be mistaken for a word of a text or for the syntax of
a query; each ends in a digit, which keeps the stemmer of the English analyser away.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Literal


def content_hash(parts: Iterable[str], length: int = 16) -> str:
    """The first `length` hex digits of the SHA-256 over `parts`; parts can't run into each other."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:length]


def node_id(corpus: str, kind: str, *content: str) -> str:
    """The id of a node or an edge: its kind and a hash over its corpus and content."""
    return f"{kind}-{content_hash((corpus, kind, *content))}"


_MARK = 8
_MARKED = re.compile(rf"\b([a-z]+-[0-9a-f]{{16}})[0-9a-f]{{{_MARK}}}\b")


def content_id(corpus: str, kind: str, *content: str) -> str:
    """The id of a part of a corpus: in corpora of any name the same order, in each corpus ids of its own."""
    return f"{kind}-{content_hash((kind, *map(bare_id, content)))}{content_hash((corpus,), _MARK)}"


def bare_id(text: str) -> str:
    """A text with its ids as they are without the mark of their corpus; any other text as it is."""
    return _MARKED.sub(r"\1", text)


def run_id(corpus: str, name: str) -> str:
    """The id of a corpus' run, by its name."""
    return node_id(corpus, "run", name)


Field = Literal["corpus", "source", "category", "author"]

_LETTERS: Mapping[Field, str] = {"corpus": "k", "source": "s", "category": "c", "author": "a"}


def fold_name(name: str) -> str:
    """A name as names are compared: without regard to case and to the white space in it."""
    return " ".join(name.casefold().split())


def shelf_of(corpus: str, source: str, category: str, author: str) -> str:
    """The shelf of the articles of a corpus that share source, category and author."""
    return content_hash((corpus, *map(fold_name, (source, category, author))))


def key_of(corpus: str, field: Field, name: str) -> str:
    """The word that stands for a name in the full-text index; names of different corpora differ."""
    return f"{_LETTERS[field]}{content_hash((corpus, field, fold_name(name)))}0"


def corpus_key(corpus: str) -> str:
    """The word in the full-text index that every chunk of a corpus has."""
    return key_of(corpus, "corpus", "")


def day_word(published: str) -> str:
    """An ISO date as a word; "d0" for an unknown one sorts before all others."""
    return f"d{published.replace('-', '')}" if published else "d0"


def shelf_marks(corpus: str, source: str, category: str, author: str, published: str) -> dict[str, str]:
    """What a chunk holds for the indexes, by property; `published` is an ISO date or empty."""
    keys = (
        corpus_key(corpus),
        key_of(corpus, "source", source),
        key_of(corpus, "category", category),
        key_of(corpus, "author", author),
    )
    return {
        "shelf": shelf_of(corpus, source, category, author),
        "keys": " ".join(keys),
        "day": day_word(published),
    }
