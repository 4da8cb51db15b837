"""Which of the verified questions of a depth are kept: no domain too often, and few from one beginning.

How composed questions spread over domains, and which of them stay when none may have too large a share.

What came of composing: where questions fell, by kind and hops, and the domains of the kept ones.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kg.corpus import recall
from kg.ledger import counts_of, read_stage
from kg.queries import query
from kg.store.graph import Graph
from services.questions.composed.protocol import Composed, Topology
from services.questions.draft import Check
from services.questions.funnel import Column, composed_columns, tally
from services.questions.kinds.spread import chance

NOT_TOLD = "not told"
"""The domain of articles without a category."""


LEEWAY = Fraction(3, 2)
"""How many equal shares a domain may have where there are too few domains for the share asked for."""


def fair_share(share: float, domains: int) -> Fraction:
    """The share that a domain may have: the one asked for, or more where there are too few domains for it.

    With three domains a sixth each would leave half of everything out, whatever is chosen, and a third each
    as much as the rarest domain leaves out; so it is one and a half times an equal share.
    """
    wanted = Fraction(share).limit_denominator(10_000)
    if not domains or wanted * domains >= 1:
        return min(wanted, Fraction(1))
    return min(LEEWAY / domains, Fraction(1))


def within_share(domains: Sequence[str], share: float, most: int) -> list[bool]:
    """Which items stay, in order of preference: the most, up to `most`, with no domain above its fair share.

    `domains` has the domain of each item. The first ones of each domain stay. Where even one of each domain
    is above the share, that one stays.
    """
    counts = Counter(domains)
    allowed = fair_share(share, len(counts))
    total, limit = _largest(counts, allowed, min(most, len(domains)))
    taken: defaultdict[str, int] = defaultdict(int)
    stays = []
    for domain in domains:
        stay = sum(taken.values()) < total and taken[domain] < limit
        taken[domain] += stay
        stays.append(stay)
    return stays


def _largest(counts: Counter[str], share: Fraction, most: int) -> tuple[int, int]:
    """The largest total, and how many of a domain it allows."""
    for total in range(most, 0, -1):
        limit = int(share * total)
        if sum(min(count, limit) for count in counts.values()) >= total:
            return total, limit
    return (1, 1) if most else (0, 0)


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
    kept = recall(graph, corpus)
    tallies = tally(graph.rows(query("questions/count_questions"), corpus=corpus))
    domains: dict[str, dict[int, int]] = {}
    for row in graph.rows(query("questions/count_domains"), corpus=corpus):
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


DOMAIN_SHARE = "domain share"
"""The filter that rejects what would give a domain too large a share."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The kept questions of a depth, those left out for their domain, and how many more there were."""

    kept: tuple[Composed, ...]
    left_out: tuple[Composed, ...]
    surplus: int


def select(
    verified: Mapping[Topology, Sequence[Composed]], per_hops: int, share: float, seed: int
) -> Selected:
    """Up to `per_hops` questions of each way, in none of which a domain has more than its fair share."""
    kept: list[Composed] = []
    left_out: list[Composed] = []
    for way in verified.values():
        order = _preferred(_even(way, seed), seed)
        stays = within_share([one.domain for one in order], share, per_hops)
        kept += [one for one, stay in zip(order, stays, strict=True) if stay]
        first = zip(order[:per_hops], stays[:per_hops], strict=True)
        left_out += [_over(one) for one, stay in first if not stay]
    surplus = sum(map(len, verified.values())) - len(kept) - len(left_out)
    return Selected(tuple(kept), tuple(left_out), surplus)


def _even(questions: Sequence[Composed], seed: int) -> list[Composed]:
    """As many that are answered by "Yes" as by "No", so that nobody is right by always saying one of them."""
    said = {answer: [one for one in questions if one.last.answer == answer] for answer in ("Yes", "No")}
    fewest = min(map(len, said.values()))
    even = [one for some in said.values() for one in _by_chance(some, seed)[:fewest]]
    return [*even, *(one for one in questions if one.last.answer not in said)]


def _by_chance(questions: Sequence[Composed], seed: int) -> list[Composed]:
    return sorted(questions, key=lambda one: chance(seed, *(hop.atom.id for hop in one.hops)))


def _preferred(questions: Sequence[Composed], seed: int) -> list[Composed]:
    """Questions from beginnings that were not had yet come first, then from domains that were had least."""
    began: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    domains: Counter[str] = Counter()
    ranked: list[tuple[int, int, int, Composed]] = []
    for one in _by_chance(questions, seed):
        first, last = one.hops[0].atom, one.last.atom
        turn = began[first.question] + ended[last.question]
        ranked.append((turn, domains[one.domain], len(ranked), one))
        began[first.question] += 1
        ended[last.question] += 1
        domains[one.domain] += 1
    return [one for *_, one in sorted(ranked, key=lambda rank: rank[:3])]


def _over(question: Composed) -> Composed:
    reason = (
        f'the domain "{question.domain}" has its share' if question.domain else "its domain has its share"
    )
    return replace(question, checks=(*question.checks, Check(DOMAIN_SHARE, passed=False, reason=reason)))
