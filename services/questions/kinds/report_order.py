"""Order of reports: which of two articles of two sources on one entity came out first."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from lemminflect import getInflection

from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.kinds.askable import list_askable
from services.questions.kinds.bridges import Bridge, read_bridges
from services.questions.kinds.known_facts import FACTS_A_BATCH, KnownFact, read_facts
from services.questions.kinds.spread import Candidate, chance
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import GENERATOR
from services.questions.wording.pairs import event_clause

REPORT_BUNDLES = (("report: before", "report: after"),)
MOST_KEYS = 300
PAIRS_AN_ENTITY = 4
_PAST = frozenset({"was", "were", "has", "have", "had"})


def report_candidates(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Candidate]:
    """Pairs of facts about one entity that two sources reported on two days, each in one article only."""
    predicates = [one for one in list_askable(graph, corpus, fewest=1, limit=MOST_KEYS) if _is_past(one)]
    bridges = read_bridges(graph, corpus, predicates, seed)[: 4 * limit]
    facts = read_facts(graph, (fact.triple for bridge in bridges for fact in bridge.facts))
    once = _told_once(graph, facts)
    for bridge in bridges:
        known = [facts[fact.triple] for fact in bridge.facts if fact.triple in once]
        yield from _pairs(bridge, known, seed)


def _told_once(graph: Graph, facts: Mapping[str, KnownFact]) -> set[str]:
    """The facts whose entities no other article names in one sentence, where it might say the same."""
    asked = [
        triple for triple, fact in facts.items() if fact.source and fact.published and len(fact.articles) == 1
    ]
    rows = graph.read_in_batches(query("kinds/list_tellings"), sorted(asked), FACTS_A_BATCH)
    return {row["id"] for row in rows if {*row["articles"]} <= {facts[row["id"]].article}}


def _pairs(bridge: Bridge, facts: Sequence[KnownFact], seed: int) -> Iterator[Candidate]:
    """Each pair in either order, of which one may be taken."""
    order = sorted(facts, key=lambda fact: chance(seed, bridge.entity, fact.triple))
    made = 0
    for one, other in combinations(order[: 2 * PAIRS_AN_ENTITY], 2):
        same = one.source == other.source or one.published == other.published or one.key == other.key
        if same or "DATE" in {one.object.type, other.object.type} or made == PAIRS_AN_ENTITY:
            continue
        made += 1
        draw = chance(seed, "report", one.triple, other.triple)
        yield _candidate(bridge, one, other, draw)
        yield _candidate(bridge, other, one, draw)


def _candidate(bridge: Bridge, first: KnownFact, second: KnownFact, draw: str) -> Candidate:
    # Days as ISO text sort as days.
    word = "Before" if first.published < second.published else "After"
    stops = {stop.id: stop for fact in (first, second) for stop in (fact.subject, fact.object)}
    draft = Draft(
        kind="temporal",
        text=(
            f"Did {first.source} report that {_clause(first)} before or after "
            f"{second.source} reported that {_clause(second)}?"
        ),
        answer=word,
        accepted=(word,),
        answer_type="ORDER",
        generator=GENERATOR,
        stops=(stops.pop(bridge.entity), *stops.values()),
        facts=(first.fact(1), second.fact(2, "shared")),
        sources=(first.source, second.source),
    )
    return Candidate(draft, f"report: {word.lower()}", bridge.entity, 0.0, draw)


def _clause(fact: KnownFact) -> str:
    return event_clause(fact.subject_in_text, fact.predicate, fact.object_in_text)


def _is_past(predicate: str) -> bool:
    """Whether it tells what happened, not what is: "acquired", "has joined", "was born in"."""
    word, *_ = predicate.casefold().split()
    verb, *_ = predicate_key(predicate).split()
    return word in _PAST or (word != verb and word in getInflection(verb, "VBD"))
