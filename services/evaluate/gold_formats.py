"""Readers of extraction gold: the seed corpus', kg_rag's, Re-DocRED's and MuSiQue's OpenIE file.

What others annotated: documents with entities, and the pairs of entities that some fact relates.

The text of a gold file, or one sentence on why it can't be had.

Whether two names, written by different hands, name the same: the measure by which gold is matched.

Equal words count, without articles and accents; so does one name within the other at half its length or more
("Curie" and "Marie Curie"), and a token-sorted ratio of rapidfuzz from `MATCH_RATIO` on.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Literal

from rapidfuzz import fuzz

from kg.errors import InputError, SettingsError
from kg.ingest.read import read_articles
from kg.model import ArticleRow
from kg.text.lexicon import countries


@dataclass(frozen=True, slots=True)
class GoldEntity:
    """All names of one thing in a document, in matching form; `sentences` where they stand, if that is known.

    `named` is false for dates, numbers and common nouns.
    """

    names: frozenset[str]
    sentences: frozenset[int] = frozenset()
    named: bool = False


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A text with its annotations; `pairs` are indices into `entities`, the smaller first."""

    id: str
    title: str
    text: str
    published_at: datetime | None
    entities: tuple[GoldEntity, ...]
    pairs: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Gold:
    """Annotated documents of one kind.

    `complete` says that all related pairs are annotated, so that what is found beyond them is wrong; `named`
    that all named entities are.
    """

    format: str
    documents: tuple[GoldDocument, ...]
    complete: bool
    named: bool


def pair_of(left: int, right: int) -> tuple[int, int]:
    """A pair without direction."""
    return (left, right) if left < right else (right, left)


def draw(
    documents: Sequence[GoldDocument], sample: int | None, seed: int, held_out: bool
) -> tuple[GoldDocument, ...]:
    """`sample` documents drawn by `seed`, or the others when they are to be `held_out`; all without a sample.

    Raises:
        SettingsError: there are not so many documents, or none is left.
    """
    if sample is None:
        if held_out:
            raise SettingsError("--held-out needs to know what is not to be used.", "Give --sample N too.")
        return tuple(documents)
    if not 1 <= sample <= len(documents):
        raise SettingsError(
            f"{sample} documents can't be drawn from {len(documents)}.", f"Give 1 to {len(documents)}."
        )
    # Drawn as in the first measurements, so that new figures compare with old ones.
    drawn = Random(seed).sample(documents, sample)  # noqa: S311
    if not held_out:
        return tuple(drawn)
    used = {document.id for document in drawn}
    rest = tuple(document for document in documents if document.id not in used)
    if not rest:
        raise SettingsError("no document is left to hold out.", "Draw fewer: --sample N.")
    return rest


def without_empty(pairs: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs of matching forms that name two things."""
    return {(left, right) for left, right in pairs if left and right and left != right}


def read_gold_text(path: Path, remedy: str) -> str:
    """The text of a gold file; `remedy` says what it should hold.

    Raises:
        InputError: there is no such file, it can't be opened, or it is no UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path} can't be read: there is no such file.", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} can't be read: it is no UTF-8 text.", remedy) from error
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.", remedy) from error


MATCH_RATIO = 88

_STOP_WORDS = frozenset({"the", "a", "an", "of", "and"})
_POSSESSIVE = re.compile(r"'s\b")
_PUNCTUATION = re.compile(r"[^\w\s]")


def matching_form(name: str) -> str:
    """The words of a name that are compared: small letters, no accents, marks, articles or possessives."""
    parts = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter)).lower()
    plain = _PUNCTUATION.sub(" ", _POSSESSIVE.sub("", plain.replace("\u2019", "'")))
    return " ".join(word for word in plain.split() if word not in _STOP_WORDS)


def same_name(left: str, right: str) -> bool:
    """Whether two matching forms name the same; an empty one names nothing."""
    if not left or not right:
        return False
    if left == right:
        return True
    few, many = sorted((set(left.split()), set(right.split())), key=len)
    if few <= many and 2 * len(few) >= len(many):
        return True
    return fuzz.token_sort_ratio(left, right) >= MATCH_RATIO


GoldFormat = Literal["seed", "kg_rag", "redocred", "musique"]
FORMATS: tuple[GoldFormat, ...] = ("seed", "kg_rag", "redocred", "musique")

_FORMATS_REMEDY = (
    "Give the seed corpus' triples.jsonl, kg_rag's triples, Re-DocRED's JSON or MuSiQue's OpenIE."
)
_SEED_KEYS = frozenset({"article", "subject", "object", "subject_form", "object_form"})
_KG_RAG_KEYS = frozenset({"chunk_id", "subject", "object"})
_REDOCRED_KEYS = frozenset({"title", "vertexSet", "labels", "sents"})
_MUSIQUE_KEYS = frozenset({"title", "text", "extracted_triples"})
_LITERAL_TYPES = frozenset({"TIME", "NUM"})

Row = Mapping[str, object]


def read_gold(path: Path, format: str = "auto", articles: Path | None = None) -> Gold:  # noqa: A002
    """The gold in a file.

    `articles` is where the seed corpus' and kg_rag's texts are; without it they are looked for where those
    corpora keep them.

    Raises:
        InputError: the file or its articles can't be read, or are not of the format.
        SettingsError: there is no such format.
    """
    if format not in {"auto", *FORMATS}:
        raise SettingsError(f"there is no gold format {format!r}.", f"Formats: auto, {', '.join(FORMATS)}.")
    rows = _rows(path)
    chosen = _format_of(path, rows) if format == "auto" else format
    reader, keys = _READERS[chosen]
    for number, row in enumerate(rows, start=1):
        if missing := sorted(keys - row.keys()):
            raise InputError(f"{path}: entry {number} has no {', '.join(missing)}.", _FORMATS_REMEDY)
    try:
        return reader(path, rows, articles)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise InputError(f"{path} is not {chosen} gold as it should be: {error}.", _FORMATS_REMEDY) from error


def _rows(path: Path) -> list[Row]:
    text = read_gold_text(path, _FORMATS_REMEDY)
    try:
        whole = json.loads(text)
    except ValueError:
        whole = [_line(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if isinstance(whole, dict):
        whole = whole.get("docs", [whole])
    if not isinstance(whole, list) or not whole or not all(isinstance(row, dict) for row in whole):
        raise InputError(f"{path} holds no list of annotations.", _FORMATS_REMEDY)
    return whole


def _line(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{number} is no JSON: {error.msg}.", _FORMATS_REMEDY) from error


def _format_of(path: Path, rows: Sequence[Row]) -> GoldFormat:
    for name in FORMATS:
        if rows[0].keys() >= _READERS[name][1]:
            return name
    raise InputError(f"{path} is no gold that we know.", _FORMATS_REMEDY)


def _seed(path: Path, rows: Sequence[Row], articles: Path | None) -> Gold:
    texts = _articles(articles or path.parent.parent / "articles")
    aliases = _seed_aliases(path.parent / "aliases.jsonl")
    by_article: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_article[str(row["article"])].append(row)
    documents = []
    for key in sorted(by_article):
        names: dict[str, set[str]] = {}
        for name, (everywhere, here) in aliases.items():
            used = {one for one in everywhere | here.get(key, set()) if _stands_in(one, _text(texts, key))}
            if used:
                names[name] = used | {name}
        named = set(names)
        pairs = set()
        for row in by_article[key]:
            for end in ("subject", "object"):
                names.setdefault(str(row[end]), set()).update({str(row[end]), str(row[f"{end}_form"])})
            pairs.add((str(row["subject"]), str(row["object"])))
        documents.append(_document(texts, key, names, named, pairs))
    return Gold("seed", tuple(documents), complete=False, named=bool(aliases))


def _seed_aliases(path: Path) -> dict[str, tuple[set[str], dict[str, set[str]]]]:
    """Names that hold everywhere, and those of single articles; nothing where the file is not there."""
    if not path.is_file():
        return {}
    found: dict[str, tuple[set[str], dict[str, set[str]]]] = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        here: dict[str, set[str]] = defaultdict(set)
        for alias in row["aliases"]:
            for article in alias["articles"]:
                here[article].add(alias["alias"])
        found[row["name"]] = ({row["name"]}, here)
    return found


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _kg_rag(path: Path, rows: Sequence[Row], articles: Path | None) -> Gold:
    texts = _articles(articles or path.parent / "data__processed__corpus.jsonl")
    by_chunk: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        by_chunk[str(row["chunk_id"])].add((str(row["subject"]), str(row["object"])))
    documents = [_pair_document(texts, key, by_chunk[key]) for key in sorted(by_chunk)]
    return Gold("kg_rag", tuple(documents), complete=False, named=False)


def _musique(_path: Path, rows: Sequence[Row], _articles_path: Path | None) -> Gold:
    documents = []
    for number, row in enumerate(rows):
        found = row["extracted_triples"]
        if not isinstance(found, list):
            raise TypeError("extracted_triples is no list")
        whole = [one for one in found if len(one) == 3 and all(isinstance(part, str) for part in one)]
        if found:
            key, text = f"{row['title']}#{number}", str(row["text"])
            article = ArticleRow(str(row["title"]), text, "", given_id=key)
            documents.append(_pair_document({key: article}, key, {(one[0], one[2]) for one in whole}))
    return Gold("musique", tuple(documents), complete=False, named=False)


def _redocred(_path: Path, rows: Sequence[Row], _articles_path: Path | None) -> Gold:
    return Gold("redocred", tuple(map(_redocred_document, rows)), complete=True, named=True)


def _redocred_document(row: Mapping[str, object]) -> GoldDocument:
    vertices, labels, sentences = row["vertexSet"], row["labels"], row["sents"]
    if not (isinstance(vertices, list) and isinstance(labels, list) and isinstance(sentences, list)):
        raise TypeError("vertexSet, labels or sents is no list")
    entities = []
    for vertex in vertices:
        names = {form for one in vertex for form in (one["name"], join_tokens(one["name"].split()))}
        names |= {countries()[name] for name in set(names) if name in countries()}
        entities.append(
            GoldEntity(
                names=frozenset(filter(None, map(matching_form, names))),
                sentences=frozenset(one["sent_id"] for one in vertex),
                named=vertex[0]["type"] not in _LITERAL_TYPES,
            )
        )
    return GoldDocument(
        id=str(row["title"]),
        title=str(row["title"]),
        text=" ".join(map(join_tokens, sentences)),
        published_at=None,
        entities=tuple(entities),
        pairs=frozenset(pair_of(label["h"], label["t"]) for label in labels),
    )


def join_tokens(tokens: Sequence[str]) -> str:
    """Text out of tokens: no blanks before marks, within brackets and quotes, or before endings."""
    text = re.sub(r"\s+([,.;:!?)\]%])", r"\1", " ".join(tokens))
    text = re.sub(r"([(\[])\s+", r"\1", text)
    text = re.sub(r"\s+('s|'re|'ve|'ll|n't|'m|'d)\b", r"\1", text)
    return re.sub(r'" ([^"]*?) "', r'"\1"', text)


def _articles(path: Path) -> dict[str, ArticleRow]:
    if not path.exists():
        raise InputError(f"the articles of this gold are not at {path}.", "Say where they are: --articles.")
    rows = read_articles([path], {})
    return {row.given_id: row for row in rows if isinstance(row, ArticleRow)}


def _text(texts: Mapping[str, ArticleRow], key: str) -> str:
    if key not in texts:
        raise InputError(f"the article {key!r} of this gold is missing.", "Say where it is: --articles.")
    return texts[key].body


def _pair_document(
    texts: Mapping[str, ArticleRow], key: str, written: Collection[tuple[str, str]]
) -> GoldDocument:
    """A document whose entities are known by one name each."""
    pairs = without_empty({(matching_form(left), matching_form(right)) for left, right in written})
    names = {name: {name} for pair in sorted(pairs) for name in pair}
    return _document(texts, key, names, frozenset(), pairs)


def _document(
    texts: Mapping[str, ArticleRow],
    key: str,
    names: Mapping[str, Collection[str]],
    named: Collection[str],
    pairs: Collection[tuple[str, str]],
) -> GoldDocument:
    text = _text(texts, key)
    index = {name: number for number, name in enumerate(names)}
    return GoldDocument(
        id=key,
        title=texts[key].title,
        text=text,
        published_at=texts[key].published_at,
        entities=tuple(
            GoldEntity(frozenset(filter(None, map(matching_form, forms))), named=name in named)
            for name, forms in names.items()
        ),
        pairs=frozenset(pair_of(index[left], index[right]) for left, right in pairs),
    )


_Reader = Callable[[Path, Sequence[Row], Path | None], Gold]
_READERS: Mapping[str, tuple[_Reader, frozenset[str]]] = {
    "seed": (_seed, _SEED_KEYS),
    "kg_rag": (_kg_rag, _KG_RAG_KEYS),
    "redocred": (_redocred, _REDOCRED_KEYS),
    "musique": (_musique, _MUSIQUE_KEYS),
}
