"""The chunks that state a fact, in whatever words: news repeats itself.

A claim restates a fact if it is verified, not denied, and says the same of both ends: by a triple between the
two with the same predicate in any tense, or by naming both and having every word of the predicate that means
something ("killed" in "was killed by a United States airstrike"). Whatever restates a fact is the same
evidence: a question's difficulty, its gold chunks and what is left out to see whether a hop is needed all
count it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from lemminflect import getAllLemmas

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.draft import Draft
from services.questions.predicate_key import predicate_key

CLAIMS_READ = 1_000
"""Claims that are looked at for one fact: of its end that fewer claims mention."""
TRIPLES_A_BATCH = 200


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EMPTY_WORDS = _set_of(
    """a about after against also an and are as at be been before being between by can did do does during for
    from had has have having her him his if in into is it its last may more most new not of off on or out over
    own said says she so some than that the their them then they this to under until up upon was were what
    when which who will with would"""
)
_DENIALS = frozenset({"deny", "never", "no", "nor", "not", "without"})
_WORD = re.compile(r"[^\W_]+")


def read_stating_chunks(graph: Graph, triples: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each triple the ids of all chunks that state it, those of its own claim among them, in order."""
    found: dict[str, set[str]] = {}
    statement, ids = query("questions/read_restatements"), sorted(set(triples))
    rows = graph.read_in_batches(statement, ids, TRIPLES_A_BATCH, most=CLAIMS_READ)
    for row in rows:
        if row["own"] or _restates(row):
            found.setdefault(row["id"], set()).update(row["chunks"])
    return {triple: tuple(sorted(chunks)) for triple, chunks in found.items()}


def with_all_evidence(graph: Graph, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with every chunk that states a fact of theirs.

    Those that name their sources stay as they are: what another source states is no evidence for them.
    """
    wanted = {fact.triple for draft in drafts if not draft.sources for fact in draft.facts if fact.triple}
    chunks = read_stating_chunks(graph, wanted)
    return [_widened(draft, chunks) if not draft.sources else draft for draft in drafts]


def _widened(draft: Draft, chunks: dict[str, tuple[str, ...]]) -> Draft:
    facts = tuple(
        replace(fact, chunks=tuple(sorted({*fact.chunks, *chunks.get(fact.triple, ())})))
        for fact in draft.facts
    )
    return replace(draft, facts=facts)


def _restates(row: Row) -> bool:
    """Whether a claim says of both ends what the triple says."""
    key = predicate_key(row["predicate"])
    if any(predicate_key(said) == key for said in row["said"]):
        return True
    if not all(_names_one(row["text"], names) for names in (row["subject"], row["object"])):
        return False
    wanted = [word for word in _words(row["predicate"]) if word not in _EMPTY_WORDS]
    there = {lemma for word in _words(row["text"]) for lemma in _lemmas(word)}
    return bool(wanted) and not there & _DENIALS and all(_lemmas(word) & there for word in wanted)


def _names_one(text: str, names: Sequence[str]) -> bool:
    return any(name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names if name)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


@lru_cache(maxsize=65_536)
def _lemmas(word: str) -> frozenset[str]:
    """The word and what it may be a form of: "killing" is of "kill" too."""
    return frozenset({word, *(lemma for found in getAllLemmas(word).values() for lemma in found)})
