"""Which of the verified questions of a depth are kept: no domain too often, and few from one beginning."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from services.questions.composed.domains import within_share
from services.questions.composed.protocol import Composed, Topology
from services.questions.draft import Check
from services.questions.kinds.spread import chance

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
