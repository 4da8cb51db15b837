"""What came of composing: where questions fell, by kind and hops, and the domains of the kept ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.corpus import corpus_id
from kg.ledger import counts_of, read_stage
from kg.queries import query
from kg.store.graph import Graph
from services.questions.composed.domains import NOT_TOLD
from services.questions.funnel import Column, composed_columns, tally

STAGE = "composed"
"""The name of the stage in the ledger."""
FELL = "composed_fell"
REASONS = "composed_reasons"
NOT_MADE = "composed_not_made"
"""Properties of the corpus: where atomic questions fell, why most pairs were not joined, and why some facts
or chunks gave none."""
UNCHECKED = "not_checked"
"""What the ledger calls those of which a model that failed said nothing."""


@dataclass(frozen=True, slots=True)
class AtomFunnel:
    """Atomic questions: of how many chunks, how many were made, fell at each filter, and are kept.

    `not_made` counts the facts and chunks of which none came, by reason.
    """

    chunks: int
    made: int
    fell: Mapping[str, int]
    kept: int
    not_made: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ComposedFunnel:
    """What came of composing.

    `tried` and `not_joined` count pairs by number of hops; `reasons` are the most frequent ones for which no
    question came of a pair. `over` are verified questions beyond the number wanted, `mended` those that
    passed at their second try, `not_checked` what a model that failed left without a verdict. `domains`
    counts kept questions by number of hops.
    """

    atoms: AtomFunnel
    tried: Mapping[int, int]
    not_joined: Mapping[int, int]
    reasons: Mapping[str, int]
    over: Mapping[int, int]
    mended: int
    not_checked: int
    columns: tuple[Column, ...]
    domains: Mapping[str, Mapping[int, int]]


def read_composed_funnel(graph: Graph, corpus: str) -> ComposedFunnel:
    """The funnel of a corpus' composed questions, from the ledger and the questions themselves."""
    line = read_stage(graph, corpus, STAGE)
    counts = counts_of(line) if line is not None else {}
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    kept = found[0]["settings"] if found else {}
    tallies = tally(graph.rows(query("questions/count_questions"), corpus=corpus))
    domains: dict[str, dict[int, int]] = {}
    for row in graph.rows(query("composed/count_domains"), corpus=corpus):
        held = domains.setdefault(row["domain"] or NOT_TOLD, {})
        held[row["hops"]] = held.get(row["hops"], 0) + row["questions"]

    def by_hops(what: str) -> dict[int, int]:
        names = ((hops, f"{what}_{hops}_hops") for hops in (2, 3, 4))
        return {hops: int(counts[name]) for hops, name in names if name in counts}

    def number(what: str) -> int:
        return int(counts.get(what, 0))

    return ComposedFunnel(
        atoms=AtomFunnel(
            number("chunks"),
            number("atoms"),
            _listed(kept.get(FELL)),
            number("atoms_kept"),
            _listed(kept.get(NOT_MADE)),
        ),
        tried=by_hops("tried"),
        not_joined=by_hops("not_joined"),
        reasons=_listed(kept.get(REASONS)),
        over=by_hops("over"),
        mended=number("mended"),
        not_checked=number(UNCHECKED),
        columns=tuple(composed_columns(tallies)),
        domains=domains,
    )


def _listed(texts: Sequence[str] | None) -> dict[str, int]:
    """What the corpus has as "only answer 74", "well formed 60"."""
    pairs = (text.rpartition(" ") for text in texts or ())
    return {name: int(number) for name, _, number in pairs}
