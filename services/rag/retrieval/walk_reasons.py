"""The ways that walks took into chunks, told in names and titles."""

from collections.abc import Callable, Sequence

from services.rag.graph_search.entity_graph import EntityGraph, Walked
from services.rag.graph_search.explanation import (
    Explained,
    Flow,
    Linked,
    Reason,
    Source,
    Stop,
    Way,
    chunk_stop,
    entity_stop,
    explain,
    linked_entities,
)
from services.rag.graph_search.link import Named
from services.rag.graph_search.snapshot import Snapshot, shown

Origin = Callable[[int], Stop]
"""What gave a node its mass at the start of a walk."""


def linked_nodes(snapshot: Snapshot, graph: EntityGraph, named: Sequence[Named]) -> tuple[Linked, ...]:
    """What a question names of the graph, with the number of chunks where each stands."""
    return linked_entities(snapshot, named, graph.frequency.tolist(), graph.titles)


def walk_reasons(
    snapshot: Snapshot, graph: EntityGraph, walked: Walked, chunks: Sequence[int], origin: Origin
) -> list[Reason]:
    """Why a walk came to each of some chunks, its greatest ways first."""
    return [_reason(snapshot, graph, one, origin) for one in explain(walked, chunks)]


def joined(first: Reason, second: Reason) -> Reason:
    """The ways of two walks into one chunk, the greatest first; a way that both took has the mass of both."""
    masses: dict[tuple[Stop, ...], float] = {}
    for way in (*first.ways, *second.ways):
        masses[way.stops] = masses.get(way.stops, 0.0) + way.mass
    ways = sorted((Way(shown(mass), stops) for stops, mass in masses.items()), key=lambda way: -way.mass)
    return Reason(first.chunk, shown(first.own + second.own), tuple(ways), shown(first.rest + second.rest))


def _reason(snapshot: Snapshot, graph: EntityGraph, told: Explained, origin: Origin) -> Reason:
    ways = [
        Way(
            source.mass,
            (_start(snapshot, graph, flow, source, origin), entity_stop(snapshot, flow.entity, graph.titles)),
        )
        for flow in told.flows
        for source in flow.sources
    ]
    ways.sort(key=lambda way: -way.mass)
    rest = told.mass - told.own - sum(way.mass for way in ways)
    # What significant digits cut off is no way of its own.
    left = shown(rest) if rest > told.mass / 10_000 else 0.0
    return Reason(snapshot.chunks.ids[told.chunk], told.own, tuple(ways), left)


def _start(snapshot: Snapshot, graph: EntityGraph, flow: Flow, source: Source, origin: Origin) -> Stop:
    match source.kind:
        case "question":
            return origin(flow.entity)
        case "chunk":
            return chunk_stop(snapshot, source.index)
        case "entity":
            return entity_stop(snapshot, source.index, graph.titles)
