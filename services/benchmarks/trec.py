"""Rankings and judgements as TREC files, which `trec_eval` and `ir_measures` read.

A run's line is `query Q0 document rank score tag`, a judgement's `query 0 document 1`. Scores count down from
the length of the ranking, so that no tool orders ties in its own way.

Judgements know documents, our measures pieces of evidence: a piece that several ids hold is found with any of
them, and only the first time. So such a piece is a document of its own, named after its ids, and the first of
them that a ranking has is written under that name. A piece that the corpus lacks is a document that no
ranking has. Then the tools count what `services.benchmarks.measures` counts, unless one id holds two pieces
that differ in others: on one rank there is room for one document, and the second piece waits for its next id.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote as quote_url

Group = tuple[str, ...]

_NOT_IN_IDS = re.compile(r"[\s\x00-\x1f\x7f%]")
_MOST_IDS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Ranked:
    """A query's ranking, each document once and best first, and its pieces of gold, empty where missing."""

    query: str
    ranking: tuple[str, ...]
    gold: tuple[Group, ...]

    @property
    def overlapping(self) -> bool:
        """Whether a document holds two pieces, of which TREC's files can count only one on its rank."""
        return any(number > 1 for number in Counter(id_ for group in self.gold for id_ in group).values())


def run_lines(ranked: Iterable[Ranked], tag: str) -> Iterator[str]:
    """The lines of a run file; a query without a ranking has none."""
    for one in ranked:
        documents = _documents(one)
        for rank, document in enumerate(documents, start=1):
            yield f"{one.query} Q0 {document} {rank} {len(documents) + 1 - rank} {trec_id(tag)}\n"


def qrels_lines(ranked: Iterable[Ranked]) -> Iterator[str]:
    """The lines of a judgement file; a query without gold has none, so that no tool counts it."""
    for one in ranked:
        for name in _piece_names(one.gold):
            yield f"{one.query} 0 {name} 1\n"


def trec_id(id_: str) -> str:
    """An id as TREC's files can hold it: blanks, control characters and per cent signs as %XX."""
    return _NOT_IN_IDS.sub(lambda found: quote_url(found[0], safe=""), id_)


def known_ids(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """For (our id, the set's id) what a file calls each: the set's where it has one for nothing else."""
    given = dict(pairs)
    uses = Counter(trec_id(id_) for id_ in given.values() if id_)
    return {
        ours: name if (name := trec_id(theirs)) and uses[name] == 1 else trec_id(ours)
        for ours, theirs in given.items()
    }


def _documents(one: Ranked) -> list[str]:
    waiting = dict(enumerate(_piece_names(one.gold)))
    documents = []
    for id_ in one.ranking:
        piece = next((at for at in waiting if id_ in one.gold[at]), None)
        documents.append(id_ if piece is None else waiting.pop(piece))
    return documents


def _piece_names(gold: Sequence[Group]) -> list[str]:
    """A name for each piece: of one id, that id."""
    names: list[str] = []
    for number, group in enumerate(gold, start=1):
        name = "+".join(group[:_MOST_IDS_NAMED]) or f"missing-{number}"
        if len(group) > _MOST_IDS_NAMED:
            name += f"+{len(group) - _MOST_IDS_NAMED}-more"
        names.append(name if name not in names else f"{name}#{number}")
    return names
