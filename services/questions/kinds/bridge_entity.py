"""Bridge entity: two to four claims of different articles describe an entity, which is the answer.

The question never names the entity; each claim is given with the source that makes it, where articles have
more than one (MultiHop-RAG, 3.1, steps 3 and 4, inference queries). Only an entity that alone fits all claims
of its question is asked for.

Entities of which two articles or more tell: what joins claims (MultiHop-RAG, 3.1, step 3).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kg.queries import query
from kg.store.graph import Graph
from kg.text import inflection
from services.questions.draft import Draft, Stop
from services.questions.kinds.askable import list_askable
from services.questions.kinds.known_facts import (
    TOO_VAGUE,
    KnownFact,
    names_apart,
    noun_by_facts,
    read_facts,
    read_sources,
)
from services.questions.kinds.spread import Candidate, chance, spread
from services.questions.predicate_key import predicate_key, same_predicates
from services.questions.wording.articles import with_article
from services.questions.wording.chain import GENERATOR, event_clause

MOST_BRIDGES = 2_000
"""More such entities than this are drawn by chance."""


@dataclass(frozen=True, slots=True)
class BridgeFact:
    """A fact about a bridge: the other end, and whether the bridge is its subject."""

    triple: str
    predicate: str
    article: str
    other: str
    other_name: str
    out: bool


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity with its facts, in the order of their triples."""

    entity: str
    name: str
    facts: tuple[BridgeFact, ...]


def read_bridges(graph: Graph, corpus: str, predicates: Iterable[str], seed: int) -> list[Bridge]:
    """The bridges of a corpus over some predicates, a bounded number, in an order by chance."""
    found: dict[str, Bridge] = {}
    for row in graph.stream(query("facts/list_bridges"), corpus=corpus, predicates=sorted(predicates)):
        facts = tuple(
            BridgeFact(
                triple=fact["triple"],
                predicate=fact["predicate"],
                article=fact["article"],
                other=fact["other"],
                other_name=fact["name"],
                out=fact["out"],
            )
            for fact in row["facts"]
        )
        found[row["entity"]] = Bridge(row["entity"], row["name"], facts)
        if len(found) > 2 * MOST_BRIDGES:
            found = {entity: found[entity] for entity in _by_chance(found, seed)[:MOST_BRIDGES]}
    return [found[entity] for entity in _by_chance(found, seed)[:MOST_BRIDGES]]


def _by_chance(entities: Iterable[str], seed: int) -> list[str]:
    return sorted(entities, key=lambda entity: chance(seed, "bridge", entity))


MOST_KEYS = 300
MOST_FACTS = 4
_TRIES_AN_ENTITY = 3
_ROWS_A_BATCH = 200
BUNDLES = (("2",), ("3",), ("2",), ("3",), ("2",), ("4",))
"""Three questions of two claims for two of three and one of four, as MultiHop-RAG, table 4, about has it."""


@dataclass(frozen=True, slots=True)
class _Description:
    """Some facts of a bridge, each of another article."""

    bridge: Bridge
    facts: tuple[BridgeFact, ...]

    @property
    def id(self) -> str:
        return " ".join((self.bridge.entity, *(fact.triple for fact in self.facts)))


def bridge_entities(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` questions for an entity; those are first for which no single claim is enough."""
    predicates = list_askable(graph, corpus, fewest=1, limit=MOST_KEYS)
    bridges = read_bridges(graph, corpus, predicates, seed)
    drawn = [one for bridge in bridges for one in _descriptions(bridge, seed)][: 10 * limit]
    enough = _alone_enough(graph, drawn, same_predicates(predicates))
    facts = read_facts(graph, (fact.triple for one in drawn if one.id in enough for fact in one.facts))
    if len(read_sources(graph, corpus)) < 2:
        facts = {triple: replace(fact, source="") for triple, fact in facts.items()}
    yield from spread(_candidates(drawn, enough, facts, seed), BUNDLES, limit)


def _descriptions(bridge: Bridge, seed: int) -> Iterator[_Description]:
    """Descriptions by two, three and four facts, drawn by chance."""
    named_apart = [fact for fact in bridge.facts if names_apart([bridge.name], [fact.other_name])]
    for size in range(2, MOST_FACTS + 1):
        seen: set[frozenset[str]] = set()
        for number in range(_TRIES_AN_ENTITY):
            order = sorted(named_apart, key=lambda fact: chance(seed, str(size), str(number), fact.triple))
            chosen = _of_different_articles(order, size)
            if len(chosen) == size and (triples := frozenset(fact.triple for fact in chosen)) not in seen:
                seen.add(triples)
                yield _Description(bridge, chosen)


def _of_different_articles(facts: Sequence[BridgeFact], size: int) -> tuple[BridgeFact, ...]:
    articles: set[str] = set()
    others: set[str] = set()
    keys: set[str] = set()
    chosen: list[BridgeFact] = []
    for fact in facts:
        key = predicate_key(fact.predicate)
        if (
            len(chosen) < size
            and fact.article not in articles
            and fact.other not in others
            and key not in keys
        ):
            articles.add(fact.article)
            others.add(fact.other)
            keys.add(key)
            chosen.append(fact)
    return tuple(chosen)


def _alone_enough(
    graph: Graph, drawn: Sequence[_Description], tenses: dict[str, tuple[str, ...]]
) -> dict[str, int]:
    """The descriptions that one entity fits only, with how many of their facts fit others as well."""
    rows = [
        {
            "id": one.id,
            "facts": [
                {"other": fact.other, "out": fact.out, "predicates": list(tenses[fact.predicate])}
                for fact in one.facts
            ],
        }
        for one in drawn
    ]
    found = graph.read_rows(query("facts/count_fitting"), rows, _ROWS_A_BATCH)
    return {row["id"]: sum(count > 1 for count in row["each"]) for row in found if row["all"] == 1}


def _candidates(
    drawn: Sequence[_Description], enough: dict[str, int], facts: dict[str, KnownFact], seed: int
) -> Iterator[Candidate]:
    for one in drawn:
        known = [facts[fact.triple] for fact in one.facts if fact.triple in facts]
        if one.id not in enough or len(known) < len(one.facts) or _share_a_chunk(known):
            continue
        unsure = enough[one.id]
        sources = len({fact.source for fact in known})
        vague = noun_by_facts(one.bridge.entity, known) in TOO_VAGUE
        worth = -3.0 * vague + 2.0 * (unsure == len(known)) + unsure / len(known) + 0.25 * sources
        draft = _draft(one, known)
        yield Candidate(draft, str(len(known)), known[0].key, worth, chance(seed, one.id))


def _share_a_chunk(facts: Sequence[KnownFact]) -> bool:
    return any({*one.chunks} & {*other.chunks} for at, one in enumerate(facts) for other in facts[:at])


def _draft(description: _Description, facts: Sequence[KnownFact]) -> Draft:
    entity = description.bridge.entity
    # What the entity is said to be reads best first, what others do with it behind that.
    order = sorted(facts, key=lambda fact: (fact.subject.id != entity, fact.predicate, fact.triple))
    bridge = order[0].subject if order[0].subject.id == entity else order[0].object
    return Draft(
        kind="bridge entity",
        text=_question(bridge, order),
        answer=bridge.name,
        accepted=bridge.names,
        answer_type=bridge.type,
        generator=GENERATOR,
        stops=(bridge, *dict.fromkeys(fact.end(entity) for fact in order)),
        facts=tuple(fact.fact(at, "shared" if at > 1 else "start") for at, fact in enumerate(order, 1)),
        answered_by=entity,
        hidden=bridge.names,
        sources=tuple(dict.fromkeys(fact.source for fact in order if fact.source)),
    )


def _question(bridge: Stop, facts: Sequence[KnownFact]) -> str:
    """ "Which club was founded in 1904, according to the Post, and is the one that A plays for?"."""
    noun = noun_by_facts(bridge.id, facts)
    source, *others = {fact.source for fact in facts}
    if source and not others:
        # Where one source says all, it is named once.
        facts = [replace(fact, source="") for fact in facts]
    said = [_says(bridge, fact) for fact in facts if fact.subject.id == bridge.id]
    done = [_is_told(bridge, fact) for fact in facts if fact.subject.id != bridge.id]
    if done:
        said.append(f"is the {noun if said else 'one'} {_and(done)}")
    asking = "Who" if noun == "person" else f"Which {noun}"
    behind = _according_to("" if others else source)
    return f"{asking} {_and(said)}".rstrip(",") + f"{behind.removesuffix(',')}?"


def _says(bridge: Stop, fact: KnownFact) -> str:
    """ "Is the daughter of Otto Pelham, according to the Post,": the clause without the bridge's name."""
    clause = event_clause(bridge.name, _singular(fact.predicate), fact.object_in_text)
    return f"{clause.removeprefix(with_article(bridge.name)).strip()}{_according_to(fact.source)}"


def _singular(predicate: str) -> str:
    """ "Compete in" as "competes in", "were founded in" as "was founded in"."""
    verb, *rest = predicate.split()
    one = {"are": "is", "were": "was", "have": "has"}.get(verb, verb)
    if one == verb == predicate_key(predicate).split()[0] and verb not in inflection.forms(verb, "VBD"):
        one = next(iter(inflection.forms(verb, "VBZ")), verb)
    return " ".join((one, *rest))


def _is_told(bridge: Stop, fact: KnownFact) -> str:
    """ "That Mira Brel is the captain of, according to the Post,": the clause up to the bridge's name."""
    clause = event_clause(fact.subject_in_text, fact.predicate, bridge.name)
    return f"that {clause.removesuffix(with_article(bridge.name)).strip()}{_according_to(fact.source)}"


def _according_to(source: str) -> str:
    return f", according to {source}," if source else ""


def _and(parts: Sequence[str]) -> str:
    *before, last = parts
    if len(before) > 1:
        # Sources bring commas of their own.
        before = [f"{part.removesuffix(',')}," for part in before]
    return f"{' '.join(before)} and {last}".strip() if before else last
