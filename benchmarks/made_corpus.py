"""Corpora of any size made from a seed, with the skew of real ones.

The shares are those of the encyclopedia passages of kg_rag_multihop: 72 words, 9 names and 9 facts a chunk,
half of the names in one chunk only, a few in many. Vectors are random: they cost as much as real ones.
`made_articles` are texts for the whole job, of short sentences that the rules can read, with the same skew.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from services.rag.graph_search.load import plain_spelling, spellings_of
from services.rag.graph_search.snapshot import (
    Chunks,
    Claims,
    Entities,
    Facts,
    Floats,
    QuantizedVectors,
    Snapshot,
    quantize,
)

Numbers = NDArray[np.int64]

DIMENSIONS = 384
FACTS_A_CHUNK = 9
CLAIMS_A_CHUNK = 3
NEW_NAMES = 7.0
"""Names a chunk that stand nowhere before."""
OLD_NAME = 0.4
"""How often a fact's end is a name that stands elsewhere; the rest are the chunk's own."""
WORDS = 40_000
WORDS_A_CLAIM = 6
SKEW = 0.9
"""Exponent of how often words, and names of other chunks, are used by their rank (Zipf)."""
KINDS = ("PERSON", "PERSON", "PERSON", "CONCEPT", "CONCEPT", "DATE", "WORK", "ORG", "GPE", "MISC")
SENTENCES = 8
"""Sentences of a made article, about as long as a chunk."""
OWN_NAMES = {"person": 3, "firm": 2, "town": 1}
"""Names that an article brings, by kind."""
FIRMS = ("Foods", "Shipping", "Motors", "Press", "Labs", "Airlines", "Bank", "Records", "Steel", "Energy")
SAYINGS = (
    ("person", "{} founded {} in {year}.", "firm"),
    ("person", "{} was born in {}.", "town"),
    ("firm", "{} is based in {}.", "town"),
    ("firm", "{} bought {} in {year}.", "firm"),
    ("person", "{} married {} in {year}.", "person"),
    ("person", "{} leads {}.", "firm"),
    ("firm", "{} opened a plant in {} in {year}.", "town"),
    ("person", "{} lives in {}.", "town"),
)
_STARTS = "b br c ch d dr f g gr h j k kl l m n p pr r s sh st t tr v w z"
_ENDS = "a al an ar e el en er i il in is o ol on or u um un us"


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question about the made corpus, with a vector near its chunk's."""

    text: str
    vector: Floats


def made_snapshot(chunks: int, seed: int) -> Snapshot:
    """A corpus of so many one-chunk articles as the graph retriever sees it."""
    random = np.random.default_rng(seed)
    words = _words(random, WORDS)
    names = int(chunks * NEW_NAMES)
    called = _names(random, words, names)
    kinds = tuple(KINDS[at] for at in random.integers(0, len(KINDS), names))
    own = np.minimum((np.arange(names) / NEW_NAMES).astype(np.int64), chunks - 1)
    first = np.searchsorted(own, np.arange(chunks + 1))
    facts = chunks * FACTS_A_CHUNK
    of_fact = np.repeat(np.arange(chunks), FACTS_A_CHUNK)
    subjects, objects = (_ends(random, of_fact, first, names) for _ in range(2))
    said = _ranks(random, facts * 2, WORDS).reshape(facts, 2)
    filler = _ranks(random, chunks * CLAIMS_A_CHUNK * WORDS_A_CLAIM, WORDS).reshape(-1, WORDS_A_CLAIM)
    claims = tuple(
        _claims(words, called, subjects, objects, said, filler, np.arange(chunks * CLAIMS_A_CHUNK))
    )
    texts = tuple(" ".join(claims[at : at + CLAIMS_A_CHUNK]) for at in range(0, len(claims), CLAIMS_A_CHUNK))
    spellings: dict[str, tuple[int, ...]] = {}
    for entity, name in enumerate(called):
        spelling = plain_spelling(name)
        spellings[spelling] = (*spellings.get(spelling, ()), entity)
    none = ("",) * chunks
    return Snapshot(
        corpus="made",
        version=f"made-{chunks}-{seed}",
        embedder="made",
        chunks=Chunks(
            ids=tuple(f"chunk-{at:09}" for at in range(chunks)),
            texts=texts,
            titles=tuple(called[at] for at in first[:-1]),
            articles=tuple(f"article-{at:09}" for at in range(chunks)),
            sources=none,
            categories=none,
            authors=none,
            published=none,
            vectors=unit_vectors(random, chunks),
        ),
        entities=Entities(
            ids=tuple(f"entity-{at:09}" for at in range(names)),
            names=called,
            types=kinds,
            spellings=spellings_of(spellings),
            vectors=_packed_vectors(random, names),
        ),
        facts=Facts(
            ids=tuple(f"triple-{at:09}" for at in range(facts)),
            subjects=subjects.astype(np.int32),
            objects=objects.astype(np.int32),
            predicates=tuple(words[at] for at in said[:, 0].tolist()),
            chunks=_ones(np.arange(facts), of_fact, (facts, chunks)),
            vectors=_packed_vectors(random, facts),
        ),
        claims=Claims(
            tuple(f"claim-{at:09}" for at in range(len(claims))),
            claims,
            _ones(np.arange(len(claims)), np.arange(len(claims)) // CLAIMS_A_CHUNK, (len(claims), chunks)),
            _packed_vectors(random, len(claims)),
        ),
        naming=_ones(np.tile(of_fact, 2), np.concatenate((subjects, objects)), (chunks, names)),
    )


def made_questions(snapshot: Snapshot, count: int, seed: int) -> list[MadeQuestion]:
    """Questions of two hops in form: each names an entity and says some words of one of its chunks."""
    random = np.random.default_rng(seed)
    facts, names = snapshot.facts, snapshot.entities.names
    asked = list[MadeQuestion]()
    for fact in random.integers(0, len(facts.ids), count).tolist():
        start, end = facts.chunks.indptr[fact : fact + 2]
        (chunk,) = facts.chunks.indices[start:end]
        claim = snapshot.claims.texts[fact * CLAIMS_A_CHUNK // FACTS_A_CHUNK]
        said = " ".join(claim.split()[-6:]).rstrip(".")
        text = f"Who {facts.predicates[fact]} the {said} that {names[facts.subjects[fact]]} is known for?"
        near = snapshot.chunks.vectors[chunk] + 0.08 * random.normal(size=DIMENSIONS).astype(np.float32)
        asked.append(MadeQuestion(text, near / np.linalg.norm(near)))
    return asked


def write_made_articles(path: Path, count: int, seed: int) -> Path:
    """So many made articles as JSONL of id, title and body; the path."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in made_articles(count, seed))
    return path


def made_articles(count: int, seed: int) -> Iterator[dict[str, str]]:
    """Articles about people, firms and towns; names are the article's own, or those that others use too."""
    random = np.random.default_rng(seed)
    words = _words(random, WORDS)
    names = {kind: _names_of(random, words, kind, own * count) for kind, own in OWN_NAMES.items()}
    elsewhere = {
        kind: cycle(random.permutation(len(those))[_ranks(random, count * SENTENCES, len(those))].tolist())
        for kind, those in names.items()
    }
    for article in range(count):
        said = list[str]()
        for at in islice(cycle(random.permutation(len(SAYINGS)).tolist()), SENTENCES):
            subject, form, object_ = SAYINGS[at]
            ends = [
                names[kind][next(elsewhere[kind])]
                if random.random() < OLD_NAME
                else names[kind][article * OWN_NAMES[kind] + int(random.integers(0, OWN_NAMES[kind]))]
                for kind in (subject, object_)
            ]
            if ends[0] != ends[1]:
                said.append(form.format(*ends, year=int(random.integers(1850, 2025))))
        yield {"id": f"made-{article:07}", "title": f"News {article}", "body": " ".join(said)}


def _names_of(random: np.random.Generator, words: Sequence[str], kind: str, count: int) -> tuple[str, ...]:
    """Names of two words for people, of one for towns, and of one with what it does for firms."""
    first, last = (random.integers(0, len(words), count).tolist() for _ in range(2))
    if kind == "person":
        pairs = zip(first, last, strict=True)
        return tuple(f"{words[one].capitalize()} {words[other].capitalize()}" for one, other in pairs)
    if kind == "town":
        return tuple(words[one].capitalize() for one in first)
    return tuple(
        f"{words[one].capitalize()} {FIRMS[other % len(FIRMS)]}"
        for one, other in zip(first, last, strict=True)
    )


def unit_vectors(random: np.random.Generator, rows: int) -> Floats:
    """Directions by chance, shape (rows, DIMENSIONS), made in bounded room."""
    made = np.empty((rows, DIMENSIONS), np.float32)
    for start in range(0, rows, 10_000):
        part = random.standard_normal((min(10_000, rows - start), DIMENSIONS), dtype=np.float32)
        made[start : start + len(part)] = part / np.linalg.norm(part, axis=1, keepdims=True)
    return made


def _packed_vectors(random: np.random.Generator, rows: int) -> QuantizedVectors:
    """As `unit_vectors`, packed."""
    parts = [quantize(unit_vectors(random, min(10_000, rows - start))) for start in range(0, rows, 10_000)]
    return QuantizedVectors(
        np.concatenate([part.numbers for part in parts]), np.concatenate([part.scales for part in parts])
    )


def _words(random: np.random.Generator, count: int) -> list[str]:
    """Different words of two to four syllables, shorter ones first."""
    syllables = [start + end for start in _STARTS.split() for end in _ENDS.split()]
    found: dict[str, None] = {}
    while len(found) < count:
        length = 2 + (len(found) * 2) // count
        found.setdefault("".join(syllables[at] for at in random.integers(0, len(syllables), length)))
    return list(found)


def _names(random: np.random.Generator, words: Sequence[str], count: int) -> tuple[str, ...]:
    """Names of one to three words; a fifth have one, and some share it."""
    lengths = random.choice((1, 2, 2, 2, 3), count).tolist()
    picked = random.integers(0, len(words), (count, 3)).tolist()
    return tuple(
        " ".join(words[at].capitalize() for at in row[:length])
        for row, length in zip(picked, lengths, strict=True)
    )


def _ends(random: np.random.Generator, chunk: Numbers, first: Numbers, names: int) -> Numbers:
    """One end of each fact: mostly a name of its chunk's own, else one by Zipf."""
    size = len(chunk)
    width = np.maximum(first[chunk + 1] - first[chunk], 1)
    own = np.minimum(first[chunk] + (random.random(size) * width).astype(np.int64), names - 1)
    # Which names are used everywhere has nothing to do with where they stood first.
    elsewhere = random.permutation(names)[_ranks(random, size, names)]
    return np.where(random.random(size) < OLD_NAME, elsewhere, own)


def _ranks(random: np.random.Generator, size: int, ranks: int) -> Numbers:
    weights = np.arange(1, ranks + 1, dtype=np.float64) ** -SKEW
    found = np.searchsorted(np.cumsum(weights) / weights.sum(), random.random(size))
    return np.minimum(found, ranks - 1)


def _claims(
    words: Sequence[str],
    called: Sequence[str],
    subjects: Numbers,
    objects: Numbers,
    said: Numbers,
    filler: Numbers,
    order: Numbers,
) -> Iterator[str]:
    """One sentence a claim, which states its facts."""
    per = FACTS_A_CHUNK // CLAIMS_A_CHUNK
    ends = zip(subjects.tolist(), said.tolist(), objects.tolist(), strict=True)
    for claim in order.tolist():
        stated = [
            f"{called[subject]} {words[verb]} {called[object_]} {words[more]}"
            for subject, (verb, more), object_ in (next(ends) for _ in range(per))
        ]
        yield f"{', '.join(stated)} {' '.join(words[at] for at in filler[claim].tolist())}."


def _ones(
    rows: Numbers,
    columns: Numbers,
    shape: tuple[int, int],
) -> csr_matrix:
    return csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
