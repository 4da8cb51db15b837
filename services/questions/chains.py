"""From paths in the graph to what a question is made of: entities with their names, facts with chunks.

The chunks that state a fact, in whatever words: news repeats itself.

A claim restates a fact if it is verified, not denied, and says the same of both ends: by a triple between the
two with the same predicate in any tense, or by naming both and having every word of the predicate that means
something ("killed" in "was killed by a United States airstrike"). Whatever restates a fact is the same
evidence: a question's difficulty, its gold chunks and what is left out to see whether a hop is needed all
count it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text import inflection
from kg.text.words import whole_places
from services.questions.composed.comparing import date_forms
from services.questions.draft import Chain, Draft, Fact, Prefix, Stop, Wording
from services.questions.filters.form import WELL_FORMED
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import GENERATOR, chain_question
from services.questions.wording.doubts import scene
from services.questions.wording.stepwise import STEPWISE, stepwise_question

CLAIMS_READ = 1_000
"""Claims that are looked at for one fact: of its end that fewer claims mention."""
TRIPLES_A_BATCH = 200


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EMPTY_WORDS = _set_of(
    """a about after against also an and are as at be been before being between by can did do does during for
    from had has have having her him his if in into is it its last may more most new not of off on or out over
    own said says she so some than that the their them then they this to under until up upon was were what
    when which who will with would"""
)
_DENIALS = frozenset({"deny", "never", "no", "nor", "not", "without"})
_WORD = re.compile(r"[^\W_]+")


def read_stating_chunks(graph: Graph, triples: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each triple the ids of all chunks that state it, those of its own claim among them, in order."""
    found: dict[str, set[str]] = {}
    statement, ids = query("claims/read_restatements"), sorted(set(triples))
    rows = graph.read_in_batches(statement, ids, TRIPLES_A_BATCH, most=CLAIMS_READ)
    for row in rows:
        if row["own"] or _restates(row):
            found.setdefault(row["id"], set()).update(row["chunks"])
    return {triple: tuple(sorted(chunks)) for triple, chunks in found.items()}


def with_all_evidence(graph: Graph, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with every chunk that states a fact of theirs.

    Those that name their sources stay as they are: what another source states is no evidence for them.
    """
    wanted = {fact.triple for draft in drafts if not draft.sources for fact in draft.facts if fact.triple}
    chunks = read_stating_chunks(graph, wanted)
    return [widened(draft, chunks) if not draft.sources else draft for draft in drafts]


def widened(draft: Draft, chunks: Mapping[str, tuple[str, ...]]) -> Draft:
    """The draft with the chunks of each of its triples beside those that its facts have."""
    facts = tuple(
        replace(fact, chunks=tuple(sorted({*fact.chunks, *chunks.get(fact.triple, ())})))
        for fact in draft.facts
    )
    return replace(draft, facts=facts)


def _restates(row: Row) -> bool:
    """Whether a claim says of both ends what the triple says."""
    key = predicate_key(row["predicate"])
    if any(predicate_key(said) == key for said in row["said"]):
        return True
    if not all(_names_one(row["text"], names) for names in (row["subject"], row["object"])):
        return False
    wanted = [word for word in _words(row["predicate"]) if word not in _EMPTY_WORDS]
    there = {lemma for word in _words(row["text"]) for lemma in _lemmas(word)}
    return bool(wanted) and not there & _DENIALS and all(_lemmas(word) & there for word in wanted)


def _names_one(text: str, names: Sequence[str]) -> bool:
    return any(True for name in names for _ in whole_places(name, text))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


@lru_cache(maxsize=65_536)
def _lemmas(word: str) -> frozenset[str]:
    """The word and what it may be a form of: "killing" is of "kill" too."""
    return frozenset({word, *(lemma for found in inflection.known_lemmas(word).values() for lemma in found)})


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


def draft_chain(chain: Chain, wording: Wording = "any", *, whatever_it_tells: bool = False) -> Draft:
    """The question that leads along the whole chain, worded by rules; those of its first hops come later.

    With `any` wording it is nested where that reads well, else stepwise, but only of facts by which somebody
    would be described (or with `whatever_it_tells`): of the others readers found three stepwise ones in ten
    wrong (decision 58). What is only reported is always worded stepwise, where a sentence can begin with
    whose word it is.
    """
    if any(fact.attributed_to for fact in chain.facts):
        return worded_chain(chain, stepwise_question(chain.stops, chain.facts), (), STEPWISE)
    nested = worded_chain(chain, chain_question(chain.stops, chain.facts), (), GENERATOR)
    if wording == "nested" or len(chain.facts) == 1:
        return nested
    if wording == "any":
        well_formed = all(verdict.passed for verdict in WELL_FORMED.check([nested]))
        if well_formed or not (whatever_it_tells or _describes(chain)):
            return nested
    return worded_chain(chain, stepwise_question(chain.stops, chain.facts), (), STEPWISE)


def _describes(chain: Chain) -> bool:
    """Whether every fact tells something that lasts, or what happened on a date: no mere scene."""
    ends = chain.stops[1:]
    return not any(
        scene(fact.predicate, dated=not fact.reversed and end.type == "DATE")
        for fact, end in zip(chain.facts, ends, strict=True)
    )


def worded_chain(chain: Chain, text: str, steps: Sequence[str], generator: str) -> Draft:
    """The question of a chain in somebody's words; `steps` are those of its first hops, 1 and up.

    A step without words is no question, and there may be fewer of them than hops.
    """
    stops, facts = chain.stops, chain.facts
    return Draft(
        kind="chain",
        text=text,
        answer=_as_written(stops[-1]),
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
    first = _as_written(chain.stops[hops])
    return tuple(dict.fromkeys((first, *names, *(form for name in names for form in date_forms(name)))))


def _as_written(stop: Stop) -> str:
    """The name of an entity, a date as a newspaper writes it: "31 August 2020"."""
    return next(iter(date_forms(stop.name)), stop.name) if stop.type == "DATE" else stop.name


def prefix_by_rules(draft: Draft, hops: int, wording: Wording = "any") -> Prefix:
    """The question of a chain's first hops in the words of rules."""
    chain = Chain(draft.path, draft.stops, draft.facts)
    first = Chain("", chain.stops[: hops + 1], chain.facts[:hops])
    worded = draft_chain(first, wording, whatever_it_tells=draft.by_model)
    return _prefix(chain, hops, worded.text, worded.generator)


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
        hidden=tuple(dict.fromkeys(name for stop in stops[1:-1] for name in stop.names)),
        prefixes=(),
    )


def _prefix(chain: Chain, hops: int, text: str, generator: str) -> Prefix:
    stop = chain.stops[hops]
    return Prefix(
        hops=hops,
        text=text,
        answer=_as_written(stop),
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
        statement=claim["text"] or "",
        attributed_to=hop.get("attributed_to") or "",
        published=claim["published"],
    )


def _claims(graph: Graph, paths: Collection[Row]) -> dict[str, Row]:
    ids = sorted({hop["claim"] for path in paths for hop in path["edges"]})
    return {row["id"]: row for row in graph.read_in_batches(query("claims/read_claims"), ids)}


def _nouns(graph: Graph, paths: Collection[Row]) -> dict[str, tuple[str, ...]]:
    ids = sorted({stop["id"] for path in paths for stop in path["entities"]})
    rows = graph.read_in_batches(query("entities/read_nouns"), ids)
    return {row["id"]: tuple(row["nouns"]) for row in rows}
