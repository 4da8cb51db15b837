"""How many ordered pairs of entities lie at each distance, and how many of them need two articles."""

from dataclasses import dataclass

from kg.paths.crossing import WithinArticles
from kg.paths.edges import EdgeTable
from kg.paths.protocol import PathEngine
from kg.paths.sparse import SparseEngine
from kg.paths.walk import MAX_HOPS, Walk
from kg.progress import Progress, Silent


@dataclass(frozen=True, slots=True)
class Census:
    """Ordered pairs at 1, 2, ... 5 hops; `crossing` are those that no single article leads through.

    `crossing` is None where the engine did not count it. `starts` is how many entities a path may start from.
    """

    pairs: tuple[int, ...]
    crossing: tuple[int, ...] | None
    starts: int


def census(table: EdgeTable, walk: Walk | None = None, block: int | None = None) -> Census:
    """Count the pairs of an edge table in memory, with those that need two articles."""
    return census_by(SparseEngine(table, walk, block), table=table)


def census_by(engine: PathEngine, table: EdgeTable | None = None, progress: Progress | None = None) -> Census:
    """Count by an engine; only the sparse one over `table` counts the pairs that need two articles."""
    progress = progress or Silent()
    within = (
        WithinArticles(table, engine.arcs) if table is not None and isinstance(engine, SparseEngine) else None
    )
    pairs, held = [0] * MAX_HOPS, [0] * MAX_HOPS
    sources = engine.sources()
    progress.step(f"pairs by the {engine.name} engine", len(sources))
    for reach in engine.reach(sources):
        pairs[reach.hops - 1] += len(reach.ends)
        if within is not None:
            held[reach.hops - 1] += within.pairs_held(reach)
        if reach.hops == 1:
            progress.advance(len(reach.sources))
    crossing = tuple(one - other for one, other in zip(pairs, held, strict=True)) if within else None
    return Census(tuple(pairs), crossing, len(sources))
