"""Splits of a dataset such that no article is in two of them.

Questions join articles, and in a well connected corpus they join all of them, so that a cut always goes
through some questions: those that straddle it are left out. Each split but the largest is grown from one
question on: of the questions that touch it, that one is taken next whose articles make the fewest others
straddle, and the growth ends where few straddle. The largest split gets the articles that are left.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from kg.errors import SettingsError

CANDIDATES = 200
"""Questions that are compared at each step of the growth: a step of a large dataset takes no longer."""
SLACK = 0.2
"""How far the size of a split may be from its share, so that it can end where few questions are cut."""
STARTS = 8
LARGE = 2_500
"""How many growths of a split are tried; one fewer for each so many questions, which make each slower."""
_Rank = tuple[float, int, float]
"""By how much a split misses its size and slack, how many questions it cuts, how far it is from its size."""
_NOTHING: _Rank = (inf, 0, 0.0)
_REMEDY = "Give shares that add up to 1: --splits train=.8,dev=.1,test=.1"


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of each article and of each question that is whole in one.

    `straddling` counts for each split the left-out questions with an article in it.
    """

    names: tuple[str, ...]
    articles: Mapping[str, str]
    questions: Mapping[str, str]
    straddling: Mapping[str, int]
    left_out: int


def parse_splits(text: str) -> dict[str, float]:
    """Shares by the name of their split: "train=.8,dev=.1,test=.1".

    Raises:
        SettingsError: a name comes twice or can't be a file's, or the shares don't add up to 1.
    """
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            share = float(value)
        except ValueError:
            share = 0.0
        if not name.isalnum() or not name.isascii() or name in shares or not (isfinite(share) and share > 0):
            raise SettingsError(f"{part!r} in --splits is not a new name with a share above 0.", _REMEDY)
        shares[name] = share
    if len(shares) < 2 or abs(sum(shares.values()) - 1) > 1e-6:
        raise SettingsError(f"the shares in {text!r} are not two or more that add up to 1.", _REMEDY)
    return shares


def split_questions(
    articles: Sequence[str], questions: Mapping[str, Sequence[str]], shares: Mapping[str, float], seed: int
) -> Splits:
    """Put articles into splits, and questions, given with the articles that each needs.

    A share is one of the questions that are left; a question without articles goes where its number falls.
    The same input and seed give the same splits.
    """
    rng = np.random.default_rng(seed)
    joining = {key: frozenset(needed) for key, needed in sorted(questions.items()) if needed}
    growth = _Growth(joining)
    largest = max(shares, key=lambda name: shares[name])
    placed: dict[str, str] = {}
    left = 1.0
    for name in sorted(set(shares) - {largest}, key=lambda one: (shares[one], one)):
        placed |= dict.fromkeys(growth.take(shares[name] / left, rng), name)
        left -= shares[name]
    # Articles without a question are shared out like questions are; the draw is over all, in order.
    free = [one for one in sorted(articles) if one not in placed and one not in growth.by_article]
    placed |= dict(zip(free, _draw(len(free), shares, rng), strict=True))
    split_of = {article: placed.get(article, largest) for article in sorted({*articles, *growth.by_article})}
    found: dict[str, str] = {}
    straddling: dict[str, int] = dict.fromkeys(shares, 0)
    left_out = 0
    for key, needed in joining.items():
        homes = {split_of[article] for article in needed}
        if len(homes) == 1:
            found[key] = homes.pop()
        else:
            left_out += 1
            for home in homes:
                straddling[home] += 1
    lone = [key for key in sorted(questions) if key not in joining]
    found |= dict(zip(lone, _draw(len(lone), shares, rng), strict=True))
    return Splits(tuple(shares), split_of, found, straddling, left_out)


def _draw(number: int, shares: Mapping[str, float], rng: np.random.Generator) -> list[str]:
    """Names in the proportion of their shares, as near as whole numbers allow, in a random order."""
    bounds = np.round(np.cumsum(list(shares.values())) * number).astype(int)
    names = list(shares)
    drawn = [names[int(np.searchsorted(bounds, at, side="right"))] for at in range(number)]
    return [drawn[at] for at in rng.permutation(number)]


class _Growth:
    """Articles that no split has yet, with the questions that still may be whole in one."""

    def __init__(self, joining: Mapping[str, frozenset[str]]) -> None:
        self.open = dict(joining)
        by_article: defaultdict[str, set[str]] = defaultdict(set)
        for key, needed in joining.items():
            for article in needed:
                by_article[article].add(key)
        self.by_article: Mapping[str, Set[str]] = by_article

    def take(self, share: float, rng: np.random.Generator) -> Sequence[str]:
        """The articles of a split with about this share of the questions that are whole or left for others.

        Of several growths that which ends best; none where the questions are joined too closely.
        """
        keys = sorted(self.open)
        tries = max(1, STARTS - len(keys) // LARGE)
        starts = [keys[at] for at in rng.permutation(len(keys))[:tries]]
        _, articles = min((self._grow(share, start, rng) for start in starts), default=(_NOTHING, ()))
        for key in [key for key in keys if not self.open[key].isdisjoint(articles)]:
            del self.open[key]
        return articles

    def _grow(self, share: float, start: str, rng: np.random.Generator) -> tuple[_Rank, Sequence[str]]:
        """How well a growth from one question on ends, and the articles that it has there.

        Of the sets on the way within the slack, else nearest to it, it is that which cuts the fewest.
        """
        inside: set[str] = set()
        whole: set[str] = set()
        touched: set[str] = set()
        best: tuple[_Rank, Sequence[str]] = (_NOTHING, ())
        chosen = start
        while True:
            new = self.open[chosen] - inside
            inside |= new
            fresh = {key for article in new for key in self.by_article[article] if key in self.open}
            touched |= fresh
            whole |= {key for key in fresh if self.open[key] <= inside}
            left = len(self.open) - len(touched)
            if not left:
                return best
            found = len(whole) / (len(whole) + left) / share
            off = abs(found - 1)
            rank = (max(0.0, off - SLACK), len(touched - whole), off)
            if rank < best[0]:
                best = rank, sorted(inside)
            if found >= 1 + SLACK:
                return best
            near = sorted(touched - whole or self.open.keys() - touched)
            # Of equals the first in a random order.
            chosen = min(
                (near[at] for at in rng.permutation(len(near))[:CANDIDATES]),
                key=lambda key: self._cost(key, inside, touched),
            )

    def _cost(self, key: str, inside: Set[str], touched: Set[str]) -> float:
        """How many more questions straddle with this one's articles inside, a question that is whole."""
        new = self.open[key] - inside
        held = inside | new
        fresh = {other for article in new for other in self.by_article[article] if other in self.open}
        won = sum(self.open[other] <= held for other in fresh)
        return (len(fresh - touched) - won) / max(won, 1)
