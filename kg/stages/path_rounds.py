"""Paths beyond the first draw, for depths whose paths did not give enough questions.

A later draw of a depth begins with the paths of the one before, so what it has beyond them is new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.paths.engines import open_engine
from kg.paths.path_rows import Way, write_ways
from kg.paths.protocol import PathEngine
from kg.paths.sample import draw_sample
from kg.progress import Progress
from kg.stages.path_finding import PathOptions, ways_of
from kg.store.graph import Graph

FIRST_LATER_ROUND = 2


@dataclass(frozen=True, slots=True)
class Pool:
    """What a depth can be drawn from: its pairs, those over the caps, and those without a path that fits."""

    pairs: int
    over_caps: int
    unfit: int


@dataclass(frozen=True, slots=True)
class Beyond:
    """The paths of a larger draw beyond the known ones, in its order; `exhausted`: no larger one has more."""

    ways: tuple[Way, ...]
    exhausted: bool
    pool: Pool


class LaterDraws:
    """Larger draws of a corpus' paths; the edges are read when the first one is asked for."""

    def __init__(self, graph: Graph, corpus: str, options: PathOptions, progress: Progress) -> None:
        self._graph = graph
        self._corpus = corpus
        self._options = options
        self._progress = progress
        self._engine: PathEngine | None = None

    def beyond(self, known: Mapping[int, int], numbers: Mapping[int, int]) -> dict[int, Beyond]:
        """For each depth of `numbers`, what a draw of so many paths has beyond the `known` first ones."""
        options = self._options
        if self._engine is None:
            self._progress.step("edges")
            self._engine = open_engine(self._graph, self._corpus, options.walk, options.engine).engine
        engine = self._engine
        sample = draw_sample(engine, numbers, options.rules(self._graph, self._corpus), self._progress)
        found: dict[int, Beyond] = {}
        for depth, number in numbers.items():
            ways = ways_of(engine.entities, sample, depth)
            found[depth] = Beyond(
                tuple(ways[known[depth] :]),
                len(ways) < number,
                Pool(sample.pairs[depth], sample.over_caps[depth], sample.without_a_path(depth)),
            )
        return found


def write_round(graph: Graph, corpus: str, ways: Sequence[Way], round_: int) -> list[str]:
    """Write the paths of a later round; their ids, in their order."""
    return list(write_ways(graph, corpus, ways, "drawn", round_))
