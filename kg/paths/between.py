"""All shortest paths between two entities, with what each edge says and where it says it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from kg.paths.choose import count_paths, list_paths
from kg.paths.cypher import ArcSources, read_arcs, web_of
from kg.paths.links import Link, links
from kg.paths.path_rows import Step, Way, read_steps
from kg.paths.walk import Walk
from kg.queries import query
from kg.store.graph import Graph, Row


@dataclass(frozen=True, slots=True)
class ToldPath:
    """A path as people read it: its entities, how each edge joins the one before, what it says where."""

    way: Way
    entities: tuple[Row, ...]
    links: tuple[Link, ...]
    hops: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The shortest paths of a pair: their length, how many there are, and the first of them."""

    hops: int
    alternatives: int
    paths: tuple[ToldPath, ...]


def paths_between(
    graph: Graph, corpus: str, start: str, end: str, walk: Walk, max_hops: int, limit: int
) -> Between | None:
    """The shortest paths from one entity's id to another's; None where that is farther than `max_hops`.

    At most `limit` paths are told, in the order of their entities and then of article and sentence; all
    are counted.
    """
    if start == end:
        return None
    arcs = read_arcs(graph, walk, [(start, end)]).get((start, end), [])
    ids = sorted({place for _, _, tail, head, *_ in arcs for place in (tail, head)})
    web = web_of(arcs, {id_: number for number, id_ in enumerate(ids)}, ids, ArcSources())
    if not 0 < len(web) <= max_hops:
        return None
    total = count_paths(web)
    ways = [
        Way(
            tuple(ids[stop] for stop in (path[0].tail, *(arc.head for arc in path))),
            tuple(arc.edge for arc in path),
            alternatives=total,
            fitting=total,
        )
        for path in islice(list_paths(web), limit)
    ]
    return Between(len(web), total, _tell(graph, ways))


def _tell(graph: Graph, ways: Sequence[Way]) -> tuple[ToldPath, ...]:
    walked = read_steps(graph, ways)
    ids = sorted({step.edge["claim"] for steps in walked for step in steps})
    claims = {row["id"]: row for row in graph.read_in_batches(query("paths/read_claims"), ids)}
    return tuple(
        ToldPath(
            way=way,
            entities=(steps[0].stops[0], *(step.stops[1] for step in steps)),
            links=tuple(links([step.joint for step in steps])),
            hops=tuple(_hop(step, claims.get(step.edge["claim"], {})) for step in steps),
        )
        for way, steps in zip(ways, walked, strict=True)
    )


def _hop(step: Step, claim: Row) -> Row:
    said = ("id", "mirrored", "triple", "claim", "subject", "predicate", "object", "article")
    told = ("text", "sentence", "title", "source", "published_at")
    return {
        **{name: step.edge[name] for name in said},
        "reversed": step.reversed,
        **{name: claim.get(name) for name in told},
    }
