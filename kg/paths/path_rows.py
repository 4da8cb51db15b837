"""A path as the graph keeps it: a node, a hop along each claim, a visit to each entity.

How the consecutive triples of a path join: through the same name, a merged name, or context.

All shortest paths between two entities, with what each edge says and where it says it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal

from kg.ids import content_id
from kg.paths.engines import ArcSources, read_arcs, web_of
from kg.paths.protocol import Arc, Walk, Web
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row, batches

Link = Literal["start", "shared", "exact", "context"]
"""`start` is the first triple's; `exact` needed an exact equivalence, `context` a contextual one."""

LINK_WORDS: Mapping[Link, str] = {
    "start": "the first fact",
    "shared": "the same name",
    "exact": "two names of one thing",
    "context": "two names that mean the same here",
}
"""How people read what joins a fact to the one before it."""

ReplacedSide = Literal["", "subject", "object"]
"""The end of an edge at which context put another entity than its triple names; "" where it put none."""


@dataclass(frozen=True, slots=True)
class Joint:
    """What a link is told from: a triple's own names for its ends, in the path's order, and the end that
    context replaced; an edge is mirrored where it replaced one."""

    subject: str
    object: str
    replaced: ReplacedSide = ""


def links(joints: Sequence[Joint]) -> list[Link]:
    """The link before each triple of a path (GRADE, section 4.3, Table 4).

    Where both edges still have their own names for the entity between them, and these have different normal
    forms, they are joined by an exact equivalence, also if one of them is mirrored at its other end. Beside
    that an edge that is mirrored is joined by context; all others share a name.
    """
    found: list[Link] = []
    for index, joint in enumerate(joints):
        before = joints[index - 1] if index else None
        if before is not None and _needs_exact(before, joint):
            found.append("exact")
        elif joint.replaced or (before is not None and before.replaced):
            found.append("context")
        else:
            found.append("start" if before is None else "shared")
    return found


def _needs_exact(before: Joint, joint: Joint) -> bool:
    if before.replaced == "object" or joint.replaced == "subject":
        return False
    return normal_form(before.object) != normal_form(joint.subject)


PATHS_A_BATCH = 200
_OTHER_END: Mapping[ReplacedSide, ReplacedSide] = {"": "", "subject": "object", "object": "subject"}


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


def way_id(corpus: str, way: Way) -> str:
    """The id of a way's path in a corpus."""
    return content_id(corpus, "path", *way.edges)


def path_row(corpus: str, way: Way, steps: Sequence[Step]) -> Row:
    """A path with its hops and entities as `paths/write_paths` takes it."""
    joined = links([step.joint for step in steps])
    stops = [steps[0].stops[0], *(step.stops[1] for step in steps)]
    path = {
        "id": way_id(corpus, way),
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
            **({"attributed_to": by} if (by := step.edge["attributed_to"]) else {}),
        }


@dataclass(frozen=True, slots=True)
class ToldPath:
    """A path as people read it: its entities, how each edge joins the one before, what it says where."""

    way: Way
    entities: tuple[Row, ...]
    links: tuple[Link, ...]
    hops: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The shortest paths of a pair: their length, how many differ in their facts, and the first of these."""

    hops: int
    alternatives: int
    paths: tuple[ToldPath, ...]


def paths_between(
    graph: Graph, corpus: str, start: str, end: str, walk: Walk, max_hops: int, limit: int
) -> Between | None:
    """The shortest paths from one entity's id to another's; None where that is farther than `max_hops`.

    At most `limit` paths are told, first those without a mirrored edge, each part in the order of their
    entities and then of article and sentence; all are counted. Paths along the same facts, which differ only
    in what context calls an entity, are one: that with the fewest mirrored edges.
    """
    if start == end:
        return None
    arcs = read_arcs(graph, walk, [(start, end)]).get((start, end), [])
    ids = sorted({place for _, _, tail, head, *_ in arcs for place in (tail, head)})
    web = web_of(arcs, {id_: number for number, id_ in enumerate(ids)}, ids, ArcSources())
    if not 0 < len(web) <= max_hops:
        return None
    facts = _facts_of(graph, web)
    total = count_by_facts(web, facts)
    ways = [
        Way(
            tuple(ids[stop] for stop in (path[0].tail, *(arc.head for arc in path))),
            tuple(arc.edge for arc in path),
            alternatives=total,
            fitting=total,
        )
        for path in islice(list_by_facts(web, facts), limit)
    ]
    return Between(len(web), total, _tell(graph, ways))


def _facts_of(graph: Graph, web: Web) -> Mapping[str, str]:
    """The fact that each edge of a web states: its own, of a mirrored one that which it mirrors."""
    mirrored = sorted({arc.edge for arcs in web for arc in arcs if arc.mirrored})
    facts = {arc.edge: arc.edge for arcs in web for arc in arcs}
    rows = graph.read_in_batches(query("paths/read_edges"), mirrored)
    return facts | {row["id"]: row["triple"] for row in rows}


def _onward(arcs: Iterable[Arc], facts: Mapping[str, str], tails: Collection[int]) -> Mapping[str, list[Arc]]:
    """The arcs of a step that leave any of these entities, by the fact that they state."""
    found: dict[str, list[Arc]] = {}
    for arc in arcs:
        if arc.tail in tails:
            found.setdefault(facts[arc.edge], []).append(arc)
    return found


def count_by_facts(web: Web, facts: Mapping[str, str]) -> int:
    """How many sequences of facts lead through a web: each step counts the entities that one may have reached
    as one place, so that no path is listed."""

    @cache
    def ways(step: int, tails: frozenset[int]) -> int:
        if step == len(web):
            return 1
        onward = _onward(web[step], facts, tails).values()
        return sum(ways(step + 1, frozenset(arc.head for arc in arcs)) for arcs in onward)

    return ways(0, frozenset(arc.tail for arc in web[0]))


def list_by_facts(web: Web, facts: Mapping[str, str]) -> Iterator[tuple[Arc, ...]]:
    """A path of each sequence of facts, that with the fewest mirrored edges; those without any come first."""
    start = web[0][0].tail
    direct = tuple(tuple(arc for arc in arcs if not arc.mirrored) for arcs in web)
    yield from _list_from(start, direct, facts)
    yield from filter(_count_mirrored, _list_from(start, web, facts))


def _list_from(start: int, web: Web, facts: Mapping[str, str]) -> Iterator[tuple[Arc, ...]]:

    def go_on(step: int, reached: Mapping[int, tuple[Arc, ...]]) -> Iterator[tuple[Arc, ...]]:
        if step == len(web):
            yield from reached.values()
            return
        for arcs in _onward(web[step], facts, reached).values():
            further: dict[int, tuple[Arc, ...]] = {}
            for arc in arcs:
                path = (*reached[arc.tail], arc)
                further[arc.head] = min(further.get(arc.head, path), path, key=_count_mirrored)
            yield from go_on(step + 1, further)

    yield from go_on(0, {start: ()})


def _count_mirrored(path: Iterable[Arc]) -> int:
    return sum(arc.mirrored for arc in path)


def _tell(graph: Graph, ways: Sequence[Way]) -> tuple[ToldPath, ...]:
    walked = read_steps(graph, ways)
    ids = sorted({step.edge["claim"] for steps in walked for step in steps})
    claims = {row["id"]: row for row in graph.read_in_batches(query("claims/read_claims"), ids)}
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
    said = ("id", "mirrored", "triple", "claim", "subject", "predicate", "object", "attributed_to", "article")
    told = ("text", "sentence", "title", "source")
    return {
        **{name: step.edge[name] for name in said},
        "reversed": step.reversed,
        **{name: claim.get(name) for name in told},
        "published_at": claim.get("published") or None,
    }
