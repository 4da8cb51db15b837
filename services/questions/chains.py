"""From paths in the graph to what a question is made of: entities with their names, facts with chunks."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.composed.answer_forms import date_forms
from services.questions.draft import Chain, Draft, Fact, Prefix, Stop
from services.questions.wording.chain import GENERATOR, chain_question


def read_chains(graph: Graph, paths: Sequence[str]) -> list[Chain]:
    """The chains of some paths, in their order."""
    rows = {row["id"]: row for row in graph.rows(query("paths/read_paths"), ids=list(paths))}
    chunks = _chunks(graph, paths)
    claims = _claims(graph, rows.values())
    nouns = _nouns(graph, rows.values())
    return [
        Chain(
            path,
            tuple(_stop(stop, nouns) for stop in rows[path]["entities"]),
            tuple(_fact(hop, claims, chunks[path]) for hop in rows[path]["edges"]),
        )
        for path in paths
    ]


def draft_chain(chain: Chain) -> Draft:
    """The question that leads along the whole chain, worded by rules, with those of its first hops."""
    stops, facts = chain.stops, chain.facts
    return Draft(
        kind="chain",
        text=chain_question(stops, facts),
        answer=stops[-1].name,
        accepted=accepted_names(chain, len(facts)),
        answer_type=stops[-1].type,
        generator=GENERATOR,
        stops=stops,
        facts=facts,
        answered_by=stops[-1].id,
        path=chain.path,
        hidden=tuple(dict.fromkeys(name for stop in stops[1:-1] for name in stop.names)),
        prefixes=tuple(_prefix(chain, hops) for hops in range(1, len(facts))),
    )


def accepted_names(chain: Chain, hops: int) -> tuple[str, ...]:
    """Every name of the entity to which so many hops lead, with the one that the last fact uses.

    A date is accepted in the usual ways to write it.
    """
    last = chain.facts[hops - 1]
    said = last.subject if last.reversed else last.object
    names = (*chain.stops[hops].names, said)
    return tuple(dict.fromkeys((*names, *(form for name in names for form in date_forms(name)))))


def _prefix(chain: Chain, hops: int) -> Prefix:
    stop = chain.stops[hops]
    return Prefix(
        hops=hops,
        text=chain_question(chain.stops[: hops + 1], chain.facts[:hops]),
        answer=stop.name,
        accepted=accepted_names(chain, hops),
        answer_type=stop.type,
        answered_by=stop.id,
    )


def _stop(entity: Row, nouns: dict[str, tuple[str, ...]]) -> Stop:
    aliases = tuple(entity["aliases"] or ())
    return Stop(entity["id"], entity["name"], entity["type"], aliases, nouns.get(entity["id"], ()))


def _fact(hop: Row, claims: dict[str, Row], chunks: dict[int, list[str]]) -> Fact:
    claim = claims[hop["claim"]]
    return Fact(
        index=hop["index"],
        claim=hop["claim"],
        triple=hop["triple"],
        subject=hop["subject"],
        predicate=hop["predicate"],
        object=hop["object"],
        article=claim["article"],
        sentence=claim["sentence"],
        chunks=tuple(sorted(chunks.get(hop["index"], ()))),
        reversed=bool(hop["reversed"]),
        link=hop["link"],
    )


def _chunks(graph: Graph, paths: Sequence[str]) -> dict[str, dict[int, list[str]]]:
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in graph.rows(query("paths/read_support"), ids=list(paths)):
        found[row["path"]][row["hop"]].append(row["chunk"])
    return found


def _claims(graph: Graph, paths: Collection[Row]) -> dict[str, Row]:
    ids = sorted({hop["claim"] for path in paths for hop in path["edges"]})
    return {row["id"]: row for row in graph.read_in_batches(query("paths/read_claims"), ids)}


def _nouns(graph: Graph, paths: Collection[Row]) -> dict[str, tuple[str, ...]]:
    ids = sorted({stop["id"] for path in paths for stop in path["entities"]})
    rows = graph.read_in_batches(query("questions/read_nouns"), ids)
    return {row["id"]: tuple(row["nouns"]) for row in rows}
