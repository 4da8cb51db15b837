"""A path as the graph keeps it: a node, a hop along each claim, a visit to each entity."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.ids import node_id
from kg.paths.links import Joint, Link, Replaced, links
from kg.queries import query
from kg.store.graph import Graph, Row, batches

PATHS_A_BATCH = 200
_OTHER_END: Mapping[Replaced, Replaced] = {"": "", "subject": "object", "object": "subject"}


@dataclass(frozen=True, slots=True)
class Way:
    """A path by its entities and the edges between them, with how many there were to choose from.

    `place` counts from 1 in the draw of its depth; 0 for a path that was not drawn.
    """

    stops: tuple[str, ...]
    edges: tuple[str, ...]
    alternatives: int
    fitting: int
    place: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """An edge as a path walks it: what it says, and whether it is walked against its direction."""

    edge: Row
    reversed: bool

    @property
    def stops(self) -> tuple[Row, Row]:
        """The entities before and behind it, in the path's order."""
        before, behind = self.edge["from"], self.edge["to"]
        return (behind, before) if self.reversed else (before, behind)

    @property
    def joint(self) -> Joint:
        """The edge's own names for these two entities."""
        subject, object_, replaced = (self.edge[name] for name in ("subject", "object", "replaced"))
        if not self.reversed:
            return Joint(subject, object_, replaced)
        return Joint(object_, subject, _OTHER_END[replaced])


def write_ways(
    graph: Graph, corpus: str, ways: Iterable[Way], mark: Literal["drawn", "saved"], round_: int | None = None
) -> Iterator[str]:
    """Write paths, a bounded batch a transaction, marked as drawn or saved; their ids as they are written.

    `round_` is that of a later draw, from 2 on.
    """
    for batch in batches(ways, PATHS_A_BATCH):
        details = read_steps(graph, batch)
        rows = [path_row(corpus, way, steps) for way, steps in zip(batch, details, strict=True)]
        for row in rows:
            row["path"] |= {mark: True} | ({} if round_ is None else {"round": round_})
        graph.rows(query("paths/write_paths"), corpus=corpus, rows=rows)
        yield from (row["path"]["id"] for row in rows)


def read_steps(graph: Graph, ways: Sequence[Way]) -> list[list[Step]]:
    """What the edges of some paths say."""
    ids = sorted({edge for way in ways for edge in way.edges})
    details: Mapping[str, Row] = {
        row["id"]: row for row in graph.read_in_batches(query("paths/read_edges"), ids)
    }
    return [
        [
            Step(details[edge], reversed=details[edge]["from"]["id"] != start)
            for edge, start in zip(way.edges, way.stops, strict=False)
        ]
        for way in ways
    ]


def path_row(corpus: str, way: Way, steps: Sequence[Step]) -> Row:
    """A path with its hops and entities as `paths/write_paths` takes it."""
    joined = links([step.joint for step in steps])
    stops = [steps[0].stops[0], *(step.stops[1] for step in steps)]
    path = {
        "id": node_id(corpus, "path", *way.edges),
        "hops": len(steps),
        "signature": " > ".join(stop["type"] for stop in stops),
        "alternatives": way.alternatives,
        "fitting": way.fitting,
        "crosses_articles": len({step.edge["article"] for step in steps}) > 1,
        "uses_exact": "exact" in joined,
        "uses_context": any(step.edge["mirrored"] for step in steps),
    }
    if way.place:
        path["place"] = way.place
    return {
        "path": path,
        "hops": list(_hop_rows(steps, joined)),
        "entities": [{"index": index, "id": stop["id"]} for index, stop in enumerate(stops)],
    }


def _hop_rows(steps: Iterable[Step], joined: Iterable[Link]) -> Iterator[Row]:
    for index, (step, link) in enumerate(zip(steps, joined, strict=True), start=1):
        before, behind = step.stops
        yield {
            "index": index,
            "link": link,
            "edge": step.edge["id"],
            "triple": step.edge["triple"],
            "claim": step.edge["claim"],
            "predicate": step.edge["predicate"],
            "subject": step.edge["subject"],
            "object": step.edge["object"],
            "from": before["id"],
            "to": behind["id"],
            "reversed": step.reversed,
        }
