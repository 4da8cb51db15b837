"""Evidence as passages: of each chunk only the facts that were extracted from it, and the names in them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from services.rag.agents.goal_seeking.insights import EvidencePiece
from services.rag.passages import PassageReader
from services.rag.protocol import Passage
from services.rag.sentence_match import stands_in


def evidence_passages(
    read: PassageReader, lists: Sequence[Sequence[EvidencePiece]]
) -> list[tuple[Passage, ...]]:
    """For each list of evidence a passage for each chunk that it is from, in its order, by one reading."""
    known = read(sorted({piece.chunk for pieces in lists for piece in pieces}))
    found = []
    for pieces in lists:
        facts: defaultdict[str, list[str]] = defaultdict(list)
        for piece in pieces:
            facts[piece.chunk].append(piece.dated)
        found.append(tuple(condensed(known[chunk], own) for chunk, own in facts.items() if chunk in known))
    return found


def condensed(passage: Passage, facts: Sequence[str]) -> Passage:
    """A passage with nothing in it but these facts: its other sentences, names and triples are left out."""
    text = " ".join(facts)
    sentences = set(facts)
    return replace(
        passage,
        text=text,
        names=tuple(
            name for name in passage.names if stands_in(name.surface, text) or stands_in(name.name, text)
        ),
        facts=tuple(fact for fact in passage.facts if fact.sentence in sentences),
        next_chunk="",
    )
