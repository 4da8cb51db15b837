"""Graphs to be drawn: nodes in layers and edges with their claims, as JSON for the page's script."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

from kg.store.graph import Row
from services.rag.ask import PathStep
from services.report.html_environment import heat_step
from services.report.html_values import plural, share_or_counts, visible
from services.web.pages.parameters import address
from services.web.views.page_entity import Expansion, Fact, Named
from services.web.views.page_question import Hop


@dataclass(frozen=True, slots=True)
class Node:
    """An entity; `layer` is how far from the start it lies, `heat` the step of its error rate or -1, `rate`
    the same in words."""

    id: str
    label: str
    type: str
    layer: int
    role: str = ""
    heat: int = -1
    address: str = ""
    rate: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact with the sentence that states it; `kind` is one of EDGE_KINDS, `why` as of `ExploredEdge`."""

    id: str
    source: str
    target: str
    label: str
    fact: str
    claim: str
    title: str
    kind: str = "paths"
    address: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A graph; `alt` says in words what it shows, for whoever does not see it."""

    alt: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def heated(self) -> bool:
        """Whether an entity is coloured by its error rate."""
        return any(node.heat >= 0 for node in self.nodes)

    @property
    def json(self) -> str:
        """The graph for the script."""
        return json.dumps(elements(self.nodes, self.edges), ensure_ascii=False)


def elements(nodes: Iterable[Node], edges: Iterable[Edge]) -> dict[str, list[dict[str, object]]]:
    """Nodes and edges as the script takes them; what is unseen in their texts is written out."""
    return {
        "nodes": [_all_visible(asdict(node)) for node in nodes],
        "edges": [_all_visible(asdict(edge)) for edge in edges],
    }


def question_picture(corpus: str, stops: Sequence[Named], hops: Sequence[Hop]) -> Picture | None:
    """The path of a question, from what it names to its answer; None where it follows no path."""
    if len(stops) < 2:
        return None
    last = len(stops) - 1
    nodes = tuple(
        _node(
            corpus, stop.id, stop.name, stop.type, (stop.error_rate, stop.answers), layer, _role(layer, last)
        )
        for layer, stop in enumerate(stops)
    )
    edges = []
    for number, (hop, (before, after)) in enumerate(zip(hops, pairwise(stops), strict=False), 1):
        tail, head = (after, before) if hop.backwards else (before, after)
        edges.append(
            Edge(
                f"hop-{number}",
                tail.id,
                head.id,
                f"{number}. {hop.predicate}",
                f"{hop.subject} {hop.predicate} {hop.object}",
                hop.sentence,
                hop.title,
                _kind(hop.link == "context"),
                _source(corpus, hop.article, hop.claim),
            )
        )
    names = ", ".join(stop.name for stop in stops)
    return Picture(
        f"A path of {plural(len(edges), 'hop')}: {names}. The table below has its facts.", nodes, tuple(edges)
    )


def paths_picture(corpus: str, paths: Iterable[tuple[Sequence[Row], Sequence[Row]]]) -> Picture:
    """Shortest paths of one pair, drawn over each other; each path is its entities and its hops."""
    nodes: dict[str, Node] = {}
    edges: dict[str, Edge] = {}
    for stops, hops in paths:
        for layer, stop in enumerate(stops):
            told = (stop["id"], stop["name"], stop["type"] or "", (stop["error_rate"], stop.get("answers")))
            nodes.setdefault(stop["id"], _node(corpus, *told, layer, _role(layer, len(stops) - 1)))
        for hop, before, after in zip(hops, stops, stops[1:], strict=False):
            tail, head = (after, before) if hop["reversed"] else (before, after)
            edges.setdefault(hop["id"], _path_edge(corpus, hop, tail["id"], head["id"]))
    return Picture(
        f"{len(nodes)} entities joined by {plural(len(edges), 'fact')}. The tables below have every path.",
        tuple(nodes.values()),
        _joined(edges.values()),
    )


def neighbour_picture(corpus: str, centre: str, facts: Sequence[Fact]) -> Picture | None:
    """An entity amid its facts; None where it has none."""
    if not facts:
        return None
    nodes: dict[str, Node] = {}
    for fact in facts:
        for one in (fact.subject, fact.object):
            place = (0, "start") if one.id == centre else (1, "")
            nodes[one.id] = _node(corpus, one.id, one.name, one.type, (one.error_rate, one.answers), *place)
    edges = _joined(
        Edge(
            fact.id,
            fact.subject.id,
            fact.object.id,
            fact.predicate,
            f"{fact.subject.name} {fact.predicate} {fact.object.name}",
            fact.sentence,
            fact.title,
            _kind(fact.mirrored),
            _source(corpus, fact.article, fact.claim),
        )
        for fact in facts
    )
    return Picture(
        f"{nodes[centre].label} and around it {plural(len(nodes) - 1, 'entity', 'entities')}, joined by "
        f"{plural(len(facts), 'fact')}. "
        "The table below has them.",
        tuple(nodes.values()),
        edges,
    )


def expansion_picture(corpus: str, found: Expansion) -> dict[str, object]:
    """An entity with neighbours as the script takes it: how many of `total` are `shown`, nodes, edges."""
    names = {one.id: one.name for one in (found.entity, *found.neighbours)}
    edges = _joined(
        Edge(
            edge.id,
            edge.source,
            edge.target,
            edge.predicate or "same in context",
            f"{names[edge.source]} {edge.predicate or 'is, in a context, the same as'} {names[edge.target]}",
            edge.sentence,
            edge.title,
            edge.kind,
            _source(corpus, edge.article, edge.claim),
            edge.why,
        )
        for edge in found.edges
    )
    nodes = (
        _node(corpus, one.id, one.name, one.type, (one.error_rate, one.answers))
        for one in (found.entity, *found.neighbours)
    )
    counts = {"id": found.entity.id, "total": found.total, "shown": len(found.neighbours)}
    return counts | elements(nodes, edges)


def _node(
    corpus: str,
    id_: str,
    name: str,
    type_: str,
    wrong: tuple[float | None, int | None],
    layer: int = 0,
    role: str = "",
) -> Node:
    """A node; `wrong` is its error rate over all runs, and of how many answers where that is known."""
    error_rate, answers = wrong
    return Node(
        id_,
        name,
        type_,
        layer,
        role,
        -1 if error_rate is None else heat_step(error_rate),
        address(corpus, "entities", id_),
        "" if error_rate is None else f"{share_or_counts(error_rate, answers)} wrong",
    )


def _role(layer: int, last: int) -> str:
    return "start" if layer == 0 else "end" if layer == last else ""


def _kind(mirrored: bool) -> str:
    return "mirrored" if mirrored else "paths"


def _source(corpus: str, article: str, claim: str) -> str:
    """Where an article states a claim; empty without an article."""
    return address(corpus, "articles", article, claim=claim) if article else ""


def _path_edge(corpus: str, hop: Row, tail: str, head: str) -> Edge:
    return Edge(
        hop["id"],
        tail,
        head,
        hop["predicate"],
        f"{hop['subject']} {hop['predicate']} {hop['object']}",
        hop["sentence"] or "",
        hop["title"] or "",
        _kind(hop["mirrored"]),
        _source(corpus, hop["article"], hop["claim"]),
    )


def _joined(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Edges that say the same of the same two as one, with their number; the first one's claim is told."""
    alike: dict[tuple[str, ...], list[Edge]] = {}
    for edge in edges:
        alike.setdefault((edge.source, edge.target, edge.label, edge.kind), []).append(edge)
    return tuple(
        replace(group[0], label=f"{group[0].label} ({len(group)})") if len(group) > 1 else group[0]
        for group in alike.values()
    )


def _all_visible(values: dict[str, object]) -> dict[str, object]:
    return {key: visible(value) if isinstance(value, str) else value for key, value in values.items()}


def answer_picture(path: Sequence[PathStep]) -> Picture | None:
    """The path from what a question names to its answer; None where none was found.

    A step may be walked against its direction, so the layers follow the names as they come.
    """
    if not path:
        return None
    names = list(dict.fromkeys(name for step in _in_order(path) for name in step))
    nodes = tuple(
        Node(name, name, "", layer, _role(layer, len(names) - 1)) for layer, name in enumerate(names)
    )
    edges = tuple(
        Edge(
            f"step-{number}",
            step.subject,
            step.object,
            step.predicate,
            f"{step.subject} {step.predicate} {step.object}",
            "",
            "",
        )
        for number, step in enumerate(path, start=1)
    )
    return Picture(f"The path to the answer: {', '.join(names)}.", nodes, edges)


def _in_order(path: Sequence[PathStep]) -> list[tuple[str, str]]:
    """The ends of each step in the order in which the path visits them."""
    first = path[0]
    ends = (first.subject, first.object)
    if len(path) > 1 and first.subject in (path[1].subject, path[1].object):
        ends = (first.object, first.subject)
    ordered = [ends]
    for step in path[1:]:
        before = ordered[-1][1]
        ordered.append((before, step.object if step.subject == before else step.subject))
    return ordered
