"""From paths in the graph to what a question is made of: entities with their names, facts with chunks."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.composed.answer_forms import date_forms
from services.questions.draft import Chain, Draft, Fact, Prefix, Stop
from services.questions.evidence import read_stating_chunks
from services.questions.wording.chain import GENERATOR, chain_question


def read_chains(graph: Graph, paths: Sequence[str]) -> list[Chain]:
    """The chains of some paths, in their order."""
    rows = {row["id"]: row for row in graph.rows(query("paths/read_paths"), ids=list(paths))}
    chunks = read_stating_chunks(graph, (hop["triple"] for row in rows.values() for hop in row["edges"]))
    claims = _claims(graph, rows.values())
    nouns = _nouns(graph, rows.values())
    return [
        Chain(
            path,
            tuple(_stop(stop, nouns) for stop in rows[path]["entities"]),
            tuple(_fact(hop, claims, chunks.get(hop["triple"], ())) for hop in rows[path]["edges"]),
        )
        for path in paths
    ]


def draft_chain(chain: Chain) -> Draft:
    """The question that leads along the whole chain, worded by rules, with those of its first hops."""
    text = chain_question(chain.stops, chain.facts)
    draft = worded_chain(chain, text, (), GENERATOR)
    return replace(draft, prefixes=tuple(prefix_by_rules(draft, hops) for hops in range(1, draft.hops)))


def worded_chain(chain: Chain, text: str, steps: Sequence[str], generator: str) -> Draft:
    """The question of a chain in somebody's words; `steps` are those of its first hops, 1 and up.

    A step without words is no question, and there may be fewer of them than hops.
    """
    stops, facts = chain.stops, chain.facts
    return Draft(
        kind="chain",
        text=text,
        answer=stops[-1].name,
        accepted=accepted_names(chain, len(facts)),
        answer_type=stops[-1].type,
        generator=generator,
        stops=stops,
        facts=facts,
        answered_by=stops[-1].id,
        path=chain.path,
        hidden=tuple(dict.fromkeys(name for stop in stops[1:-1] for name in stop.names)),
        prefixes=tuple(
            _prefix(chain, hops, step, generator)
            for hops, step in enumerate(steps[: len(facts) - 1], 1)
            if step
        ),
    )


def accepted_names(chain: Chain, hops: int) -> tuple[str, ...]:
    """Every name of the entity to which so many hops lead, with the one that the last fact uses.

    A date is accepted in the usual ways to write it.
    """
    last = chain.facts[hops - 1]
    said = last.subject if last.reversed else last.object
    names = (*chain.stops[hops].names, said)
    return tuple(dict.fromkeys((*names, *(form for name in names for form in date_forms(name)))))


def prefix_by_rules(draft: Draft, hops: int) -> Prefix:
    """The question of a chain's first hops in the words of rules."""
    chain = Chain(draft.path, draft.stops, draft.facts)
    return _prefix(chain, hops, chain_question(chain.stops[: hops + 1], chain.facts[:hops]), GENERATOR)


def prefix_draft(draft: Draft, prefix: Prefix) -> Draft:
    """The question of a chain's first hops as a draft of its own, for the filters of wholes."""
    stops = draft.stops[: prefix.hops + 1]
    return replace(
        draft,
        text=prefix.text,
        answer=prefix.answer,
        accepted=prefix.accepted,
        answer_type=prefix.answer_type,
        generator=prefix.generator,
        stops=stops,
        facts=draft.facts[: prefix.hops],
        answered_by=prefix.answered_by,
        path="",
        hidden=tuple(dict.fromkeys(name for stop in stops[1:-1] for name in stop.names)),
        prefixes=(),
    )


def _prefix(chain: Chain, hops: int, text: str, generator: str) -> Prefix:
    stop = chain.stops[hops]
    return Prefix(
        hops=hops,
        text=text,
        answer=stop.name,
        accepted=accepted_names(chain, hops),
        answer_type=stop.type,
        answered_by=stop.id,
        generator=generator,
    )


def _stop(entity: Row, nouns: dict[str, tuple[str, ...]]) -> Stop:
    aliases = tuple(entity["aliases"] or ())
    return Stop(entity["id"], entity["name"], entity["type"], aliases, nouns.get(entity["id"], ()))


def _fact(hop: Row, claims: dict[str, Row], chunks: tuple[str, ...]) -> Fact:
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
        chunks=chunks,
        reversed=bool(hop["reversed"]),
        link=hop["link"],
    )


def _claims(graph: Graph, paths: Collection[Row]) -> dict[str, Row]:
    ids = sorted({hop["claim"] for path in paths for hop in path["edges"]})
    return {row["id"]: row for row in graph.read_in_batches(query("paths/read_claims"), ids)}


def _nouns(graph: Graph, paths: Collection[Row]) -> dict[str, tuple[str, ...]]:
    ids = sorted({stop["id"] for path in paths for stop in path["entities"]})
    rows = graph.read_in_batches(query("questions/read_nouns"), ids)
    return {row["id"]: tuple(row["nouns"]) for row in rows}
