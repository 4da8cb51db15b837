"""Paths that a model is paid for are tried in waves: what falls in one tells which to try in the next."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil

from kg.errors import ModelError
from kg.ledger import counts_of, read_stage
from kg.paths.path_rows import Way
from kg.paths.protocol import DEPTHS
from kg.stages.path_finding import FIRST_LATER_ROUND, LaterDraws, Pool, write_round
from kg.store.graph import Graph
from services.questions.choice import QuestionJob
from services.questions.funnel import bounded, shortage, too_short
from services.questions.making import Making

FEWEST_A_BATCH = 4
"""Where a model works no more paths are taken at once than questions are wanted, but so many."""
LOOKS = 8
"""How many paths are looked at for each one that is taken in a wave."""
WAVES = 4
"""Of a depth no more paths are taken at once than this part of the target: what falls tells of the next."""
GROWTH = 2
"""How many times larger the draw of each further round is."""


@dataclass(slots=True)
class Stock:
    """The paths of a depth that no question was made of yet: written ones, and those that were only drawn.

    Those `aside` promise little, and come when no other is left of what was drawn so far. Those `crowded` are
    about what was asked about often enough: they are looked at again when the graph has no other left and
    more than `kept_then` questions are kept. So many as are `given_up` were not tried.
    """

    ids: deque[str]
    known: int
    drawn: int
    ways: deque[Way] = field(default_factory=deque)
    aside: deque[str] = field(default_factory=deque)
    crowded: deque[str] = field(default_factory=deque)
    kept_then: int = 0
    given_up: int = 0
    exhausted: bool = False

    @property
    def left(self) -> int:
        """How many there are at hand."""
        return len(self.ids) + len(self.ways) + len(self.aside)

    def has_more(self, kept: int) -> bool:
        """Whether there may be paths to try, now that so many questions are kept."""
        if self.exhausted and not self.left and kept > self.kept_then:
            self.aside, self.crowded, self.kept_then = self.crowded, deque(), kept
        return bool(self.left) or not self.exhausted

    def next(self, number: int, write: Callable[[Sequence[Way]], list[str]]) -> list[str]:
        """Up to so many that were not set aside; `write` writes those that were only drawn."""
        ids = [self.ids.popleft() for _ in range(min(number, len(self.ids)))]
        ways = [self.ways.popleft() for _ in range(min(number - len(ids), len(self.ways)))]
        return ids + (write(ways) if ways else [])


def make_few(making: Making, job: QuestionJob, drawn: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Questions of the drawn paths and of further ones, a few at a time, until each depth has enough.

    All depths that want some go together, so that a model has much to do at once. No depth takes more paths
    than `QuestionTools.paths_a_question` for each question wanted. For each depth that stays short, why.

    Raises:
        ModelError: a model can't go on; the message says how many questions there are.
    """
    target, clusters, most = job.choice.target, job.choice.span_clusters, job.most_paths
    stocks = {
        depth: Stock(deque(ids), len(ids), job.draw.per_depth, exhausted=len(ids) < job.draw.per_depth)
        for depth, ids in drawn.items()
        if depth >= clusters
    }
    later = LaterDraws(job.graph, job.corpus, job.draw, making.progress, workers=job.engine)
    pools, round_ = first_pools(job.graph, job.corpus), FIRST_LATER_ROUND
    while wanting := {
        depth: min(
            max(FEWEST_A_BATCH, min(target - making.count_kept("chain", depth), ceil(target / WAVES))), room
        )
        for depth, stock in stocks.items()
        if making.count_kept("chain", depth) < target
        and (room := most - making.count_drawn("chain", depth)) > 0
        and stock.has_more(making.count_kept("chain", depth))
    }:
        dry = {depth: stocks[depth] for depth in wanting if not stocks[depth].left}
        for stock in dry.values():
            stock.drawn *= GROWTH
        known = {depth: stock.known for depth, stock in dry.items()}
        numbers = {depth: stock.drawn for depth, stock in dry.items()}
        for depth, beyond in later.beyond(known, numbers).items() if dry else ():
            stocks[depth].ways.extend(beyond.ways)
            stocks[depth].known += len(beyond.ways)
            stocks[depth].exhausted, pools[depth] = beyond.exhausted, beyond.pool
        round_ += bool(dry)
        making.begin_wave()
        ids = [
            id_
            for depth, number in wanting.items()
            for id_ in _next_paths(making, job, stocks[depth], number, round_ - 1)
        ]
        try:
            making.from_paths(ids)
        except ModelError as error:
            kept = sum(making.count_kept("chain", depth) for depth in DEPTHS)
            made = sum(making.count_drawn("chain", depth) for depth in DEPTHS)
            error.message += f" {made:,} paths have their question, {kept:,} of these are kept."
            raise
    return {
        depth: _why_short(making, job, depth, pools[depth], stocks.get(depth))
        for depth in DEPTHS
        if making.count_kept("chain", depth) < target
    }


def _next_paths(making: Making, job: QuestionJob, stock: Stock, number: int, round_: int) -> list[str]:
    """Up to so many paths; those that promise little come last, and those that promise nothing are left.

    Those that stake too much on one fact wait for the next wave; there are no more looks than `LOOKS` a path.
    """
    write = partial(write_round, job.graph, job.corpus, round_=round_)
    taken: list[str] = []
    waiting: list[str] = []
    looks = LOOKS * number
    while len(taken) < number and looks > 0 and (ids := stock.next(number - len(taken), write)):
        choice = making.choose(ids)
        taken += choice.paths
        waiting += choice.waiting
        stock.aside.extend(choice.poor)
        stock.given_up += choice.given_up
        looks -= len(ids)
    stock.ids.extendleft(reversed(waiting))
    waiting = []
    while len(taken) < number and looks > 0 and stock.aside and not (stock.ids or stock.ways):
        some = [stock.aside.popleft() for _ in range(min(number - len(taken), len(stock.aside)))]
        choice = making.choose(some, poor_too=True)
        taken += choice.paths
        waiting += choice.waiting
        stock.crowded += choice.crowded
        stock.given_up += choice.given_up
        looks -= len(some)
    stock.aside.extendleft(reversed(waiting))
    return taken


def _why_short(making: Making, job: QuestionJob, depth: int, pool: Pool, stock: Stock | None) -> str:
    """Why a depth is short; it has a `stock` where its paths reach as many clusters as are wanted."""
    tally, target = making.tallies["chain", depth], job.choice.target
    if stock is None:
        return too_short(depth, target, job.choice.span_clusters)
    if tally.drawn >= job.most_paths:
        return bounded(tally, target, job.most_paths)
    return shortage(tally, target, replace(pool, given_up=stock.given_up + len(stock.crowded)))


_MISFITS = ("not_fitting", "one_sentence", "by_context", "circular", "unaskable")
"""Why pairs have no path that fits, as the ledger counts them."""


def first_pools(graph: Graph, corpus: str) -> dict[int, Pool]:
    """What the first draw was drawn from, as the ledger tells."""
    line = read_stage(graph, corpus, "paths")
    counts = counts_of(line) if line is not None else {}

    def count(what: str, depth: int) -> int:
        return int(counts.get(f"{what}_{depth}_hops", 0))

    return {
        depth: Pool(
            count("pairs", depth),
            count("over_caps", depth),
            sum(count(why, depth) for why in _MISFITS),
        )
        for depth in DEPTHS
    }
