"""Sixth stage: shortest directed acyclic paths of two to five hops, drawn by seed, written with their claims.

Two phases, both in Cypher: a pruned breadth-first search gives the distance between all pairs, and only for
the drawn pairs is the path itself looked for. Between a start and an end there is one path, chosen by seed
among the shortest ones; how many there were is kept (GRADE, section 3.2).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kg.corpus import corpus_id
from kg.ids import node_id
from kg.ledger import Counts
from kg.paths.draw import Draw, ordered, pick
from kg.paths.links import Joint, Link, links
from kg.progress import Progress
from kg.queries import query
from kg.stages.forgetting import forget_questions
from kg.store.graph import Graph, Row, batches

DEPTHS = (2, 3, 4, 5)
SOURCES_A_BATCH = 20
PAIRS_A_BATCH = 200
ENOUGH_PAIRS = 2_000_000
"""Pairs after which no further start is searched: starts come in a seeded order, so the draw stays fair."""


@dataclass(frozen=True, slots=True)
class PathOptions:
    """How many paths to draw for each depth, and the seed."""

    per_depth: int = 400
    seed: int = 0


def read_path_options(graph: Graph, corpus: str) -> PathOptions:
    """How the paths of a corpus were drawn last; the defaults where they never were."""
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    kept = found[0]["settings"] if found else {}
    defaults = PathOptions()
    return PathOptions(kept.get("per_depth", defaults.per_depth), kept.get("seed", defaults.seed))


def find_paths(graph: Graph, corpus: str, options: PathOptions, progress: Progress) -> Counts:
    """Draw and write the paths of a corpus; the counts tell how many pairs there were to draw from."""
    graph.rows(
        query("corpus/write_draw"), id=corpus_id(corpus), per_depth=options.per_depth, seed=options.seed
    )
    draws, searched, sources = _draw_pairs(graph, corpus, options, progress)
    wanted = [(depth, pair) for depth in DEPTHS for pair in draws[depth].drawn()]
    progress.step("paths", len(wanted))
    for batch in batches(wanted, PAIRS_A_BATCH):
        rows = _path_rows(graph, corpus, [pair for _, pair in batch], options.seed)
        graph.rows(query("paths/write_paths"), corpus=corpus, rows=rows)
        progress.advance(len(batch))
    counts: Counts = {f"pairs_{depth}_hops": draws[depth].offered for depth in DEPTHS}
    written = {row["hops"]: row for row in graph.rows(query("paths/count_paths"), corpus=corpus)}
    for depth, row in written.items():
        counts[f"paths_{depth}_hops"] = row["paths"]
    for what in ("crossing", "exact", "context"):
        counts[what] = sum(row[what] for row in written.values())
    return counts | {"starts_searched": searched, "starts": sources}


def clear_paths(graph: Graph, corpus: str) -> None:
    """Delete the paths of an earlier draw, and what was made from them."""
    forget_questions(graph, corpus)
    graph.rows(query("paths/delete_paths"), corpus=corpus)


def _draw_pairs(
    graph: Graph, corpus: str, options: PathOptions, progress: Progress
) -> tuple[dict[int, Draw], int, int]:
    draws = {depth: Draw(options.per_depth, options.seed) for depth in DEPTHS}
    found = [row["id"] for row in graph.rows(query("paths/list_sources"), corpus=corpus)]
    sources = ordered(options.seed, found)
    progress.step("distances", len(sources))
    searched = 0
    for ids in batches(sources, SOURCES_A_BATCH):
        for row in graph.stream(query("paths/read_distances"), ids=ids):
            draws[row["hops"]].offer(row["from"], row["to"])
        searched += len(ids)
        progress.advance(len(ids))
        if sum(draw.offered for draw in draws.values()) > ENOUGH_PAIRS:
            break
    return draws, searched, len(sources)


def _path_rows(graph: Graph, corpus: str, pairs: Iterable[tuple[str, str]], seed: int) -> list[Row]:
    found = graph.rows(query("paths/read_shortest"), pairs=[list(pair) for pair in pairs])
    chosen = [(row["alternatives"], pick(seed, row["candidates"])) for row in found]
    ids = sorted({edge for _, edges in chosen for edge in edges})
    details = {row["id"]: row for row in graph.read_in_batches(query("paths/read_edges"), ids)}
    return [
        _path_row(corpus, alternatives, [details[edge] for edge in edges]) for alternatives, edges in chosen
    ]


def _path_row(corpus: str, alternatives: int, edges: list[Row]) -> Row:
    joined = links([Joint(edge["subject"], edge["object"], edge["mirrored"]) for edge in edges])
    stops = [edges[0]["from"], *(edge["to"] for edge in edges)]
    path = {
        "id": node_id(corpus, "path", *(edge["id"] for edge in edges)),
        "hops": len(edges),
        "signature": " > ".join(stop["type"] for stop in stops),
        "alternatives": alternatives,
        "crosses_articles": len({edge["article"] for edge in edges}) > 1,
        "uses_exact": "exact" in joined,
        "uses_context": "context" in joined,
    }
    return {
        "path": path,
        "hops": list(_hop_rows(edges, joined)),
        "entities": [{"index": index, "id": stop["id"]} for index, stop in enumerate(stops)],
    }


def _hop_rows(edges: Iterable[Row], joined: Iterable[Link]) -> Iterator[Row]:
    for index, (edge, link) in enumerate(zip(edges, joined, strict=True), start=1):
        yield {
            "index": index,
            "link": link,
            "edge": edge["id"],
            "triple": edge["triple"],
            "claim": edge["claim"],
            "predicate": edge["predicate"],
            "subject": edge["subject"],
            "object": edge["object"],
            "from": edge["from"]["id"],
            "to": edge["to"]["id"],
        }
