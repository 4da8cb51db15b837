"""Small snapshots written by hand."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix

from services.rag.graph_search.load import plain_spelling, spellings_of
from services.rag.graph_search.snapshot import Chunks, Claims, Entities, Facts, Snapshot

DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class Page:
    """A chunk that is a whole article: what it names, how often, and what it states."""

    title: str
    names: Mapping[str, int] = field(default_factory=dict)
    facts: Sequence[tuple[str, str, str]] = ()
    source: str = ""
    category: str = ""
    author: str = ""
    published: str = ""


def made_snapshot(
    pages: Sequence[Page],
    aliases: Mapping[str, Sequence[str]] | None = None,
    types: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Snapshot:
    """A snapshot of these pages, with vectors by chance; entities stand in the order of their names."""
    random = np.random.default_rng(seed)
    entities = sorted(
        {name for page in pages for name in page.names}
        | {end for page in pages for fact in page.facts for end in (fact[0], fact[2])}
    )
    index = {name: at for at, name in enumerate(entities)}
    spellings: defaultdict[str, set[int]] = defaultdict(set)
    for name in entities:
        for spelling in (name, *(aliases or {}).get(name, ())):
            spellings[plain_spelling(spelling)].add(index[name])
    facts = [(fact, at) for at, page in enumerate(pages) for fact in page.facts]
    claims = [" ".join(fact) for fact, _ in facts]
    size = len(pages)
    stated = csr_matrix(
        (np.ones(len(facts), np.float32), (range(len(facts)), [at for _, at in facts])),
        shape=(len(facts), size),
    )
    namings = [
        (at, index[name], count) for at, page in enumerate(pages) for name, count in page.names.items()
    ]
    return Snapshot(
        corpus="made",
        version="1",
        embedder="by chance",
        chunks=Chunks(
            ids=tuple(f"chunk-{at:03}" for at in range(size)),
            texts=tuple(" ".join(page.names) for page in pages),
            titles=tuple(page.title for page in pages),
            articles=tuple(f"article-{at:03}" for at in range(size)),
            sources=tuple(page.source for page in pages),
            categories=tuple(page.category for page in pages),
            authors=tuple(page.author for page in pages),
            published=tuple(page.published for page in pages),
            vectors=_vectors(random, size),
        ),
        entities=Entities(
            ids=tuple(f"entity-{name}" for name in entities),
            names=tuple(entities),
            types=tuple((types or {}).get(name, "MISC") for name in entities),
            spellings=spellings_of(spellings),
            vectors=_vectors(random, len(entities)),
        ),
        facts=Facts(
            ids=tuple(f"fact-{at:03}" for at in range(len(facts))),
            subjects=np.array([index[fact[0]] for fact, _ in facts], np.int32),
            objects=np.array([index[fact[2]] for fact, _ in facts], np.int32),
            predicates=tuple(fact[1] for fact, _ in facts),
            chunks=stated,
            vectors=_vectors(random, len(facts)),
        ),
        claims=Claims(
            tuple(f"claim-{at:03}" for at in range(len(facts))),
            tuple(claims),
            stated,
            _vectors(random, len(facts)),
        ),
        naming=csr_matrix(
            (
                np.array([count for _, _, count in namings], np.float32),
                ([chunk for chunk, _, _ in namings], [entity for _, entity, _ in namings]),
            ),
            shape=(size, len(entities)),
        ),
    )


def _vectors(random: np.random.Generator, rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    made = random.normal(size=(rows, DIMENSIONS)).astype(np.float32)
    unit: np.ndarray[tuple[int, int], np.dtype[np.float32]] = made / np.linalg.norm(
        made, axis=1, keepdims=True
    )
    return unit
