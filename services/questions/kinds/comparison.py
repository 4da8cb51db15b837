"""Comparison: two entities and one predicate, whose values are equal or surely different.

Asked is whether they are the same, never which of the two has a value: one fact would settle that.
"""

import re
from collections.abc import Iterator, Sequence

from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.kinds.askable import list_askable
from services.questions.kinds.known_facts import (
    TOO_VAGUE,
    KnownFact,
    Relation,
    Value,
    doubled,
    names_apart,
    pairwise_shuffled,
    read_facts,
    read_relations,
    related_pairs,
    types_agree,
)
from services.questions.kinds.spread import Candidate, chance, spread
from services.questions.wording.chain import GENERATOR, same_object_question
from services.questions.wording.nouns import known_place, noun_of
from services.questions.wording.paraphrases import is_placing
from services.questions.wording.predicates import parse

MOST_KEYS = 300
_YEAR = re.compile(r"\d{4}")
PAIRS_A_KEY = 160
PAIRS_A_DRAFT = 8
"""So many pairs are looked at for each draft that is wanted, equal ones and different ones each."""
BUNDLES = (("yes", "no"),)


def comparisons(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` comparisons (MultiHop-RAG, 3.1): as many "Yes" as "No"."""
    yield from spread(comparison_candidates(graph, corpus, limit, seed), BUNDLES, limit)


def comparison_candidates(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Candidate]:
    """Every question over pairs that can be compared, a bounded multiple of `limit`."""
    predicates = list_askable(graph, corpus, fewest=2, limit=MOST_KEYS)
    pairs = _comparable(graph, _pairs(read_relations(graph, corpus, predicates, seed), limit, seed))
    facts = read_facts(graph, (value.triple for pair in pairs for value in pair))
    known = [
        (facts[one.triple], facts[other.triple])
        for one, other in pairs
        if one.triple in facts and other.triple in facts
    ]
    yield from _candidates(known, seed)


def _pairs(relations: Sequence[Relation], limit: int, seed: int) -> list[tuple[Value, Value]]:
    """Pairs of subjects with one value each, equal and different: a bounded number of each predicate."""
    equal: list[tuple[int, str, Value, Value]] = []
    unequal: list[tuple[int, str, Value, Value]] = []
    for relation in relations:
        if len(relation.singles) < 2 or not relation.mostly_single:
            continue
        order = sorted(relation.singles, key=lambda subject: chance(seed, relation.key, subject))
        for found, pairs in (
            (equal, _equal(relation.singles, order)),
            (unequal, _unequal(relation.singles, order)),
        ):
            found += [
                (at, chance(seed, one.triple, other.triple), one, other)
                for at, (one, other) in enumerate(pairs)
            ]
    chosen = [
        *sorted(equal, key=_turn)[: PAIRS_A_DRAFT * limit],
        *sorted(unequal, key=_turn)[: PAIRS_A_DRAFT * limit],
    ]
    return [(one, other) for _, _, one, other in chosen]


def _turn(pair: tuple[int, str, Value, Value]) -> tuple[int, str]:
    """The first pairs of all predicates come before their second ones."""
    return pair[:2]


def _comparable(graph: Graph, pairs: Sequence[tuple[Value, Value]]) -> list[tuple[Value, Value]]:
    """The pairs that no missing link touches: neither of the two subjects nor of the two values."""
    unsure = doubled(graph, (value for pair in pairs for value in pair))
    related = related_pairs(graph, (ids for one, other in pairs for ids in _entity_pairs(one, other)))
    return [
        (one, other)
        for one, other in pairs
        if not {one.triple, other.triple} & unsure
        and not any(frozenset(ids) in related for ids in _entity_pairs(one, other))
    ]


def _equal(values: dict[str, Value], order: Sequence[str]) -> Iterator[tuple[Value, Value]]:
    by_value: dict[str, list[str]] = {}
    for subject in order:
        by_value.setdefault(values[subject].value, []).append(subject)
    for subjects in by_value.values():
        for one, other in pairwise_shuffled(subjects, PAIRS_A_KEY // max(1, len(by_value))):
            if _two_subjects(values[one], values[other]):
                yield values[one], values[other]


def _unequal(values: dict[str, Value], order: Sequence[str]) -> Iterator[tuple[Value, Value]]:
    for one, other in pairwise_shuffled(order, PAIRS_A_KEY):
        first, second = values[one], values[other]
        different = first.value != second.value and types_agree(first, second)
        if different and names_apart([first.name], [second.name]) and _two_subjects(first, second):
            yield first, second


def _two_subjects(one: Value, other: Value) -> bool:
    if one.subject_name[:1].islower() or other.subject_name[:1].islower():
        # "Du Nord" without its first words: part of a name, perhaps of the other's.
        return False
    return one.subject_type == other.subject_type and names_apart([one.subject_name], [other.subject_name])


def _entity_pairs(one: Value, other: Value) -> list[tuple[str, str]]:
    pairs = [(one.subject, other.subject)]
    return pairs if one.value == other.value else [*pairs, (one.value, other.value)]


def _candidates(pairs: Sequence[tuple[KnownFact, KnownFact]], seed: int) -> Iterator[Candidate]:
    for one, other in pairs:
        # Of facts in one chunk nothing has to be brought together; "Ostby Bank" tells where it is by itself.
        if {*one.chunks} & {*other.chunks} or not (_hides_its_value(one) and _hides_its_value(other)):
            continue
        yield from _same(one, other, seed)


def _same(one: KnownFact, other: KnownFact, seed: int) -> Iterator[Candidate]:
    equal = one.object.id == other.object.id
    if not equal and not names_apart(one.object.names, other.object.names):
        return
    draw = chance(seed, "same", one.triple, other.triple)
    first, second = (one, other) if draw < "8" else (other, one)
    noun = _noun_of_both(first, second)
    if not noun:
        return
    answer = "Yes" if equal else "No"
    draft = Draft(
        kind="comparison",
        text=same_object_question(first.subject_in_text, second.subject_in_text, first.predicate, noun),
        answer=answer,
        accepted=(answer,),
        answer_type="YES_NO",
        generator=GENERATOR,
        stops=(first.subject, second.subject),
        facts=(first.fact(1), second.fact(2)),
        hidden=tuple(dict.fromkeys((*first.object.names, *second.object.names))),
    )
    yield Candidate(draft, answer.lower(), one.key, _worth(one, other), draw)


def _noun_of_both(first: KnownFact, second: KnownFact) -> str:
    """What both values are, by their sort only: what they are called would tell whether they are one thing.

    It is "" for dates other than years, as nobody asks for "the same month", and where nothing tells it.
    """
    if first.object.type == "DATE":
        return "year" if _YEAR.fullmatch(first.object.name) and _YEAR.fullmatch(second.object.name) else ""
    noun = noun_of(Stop("", "", first.object.type), (first.predicate,))
    if noun == "place" and is_placing(parse(first.predicate)):
        # All things lie in a place: it takes two countries or two towns to ask for the same one.
        known = {known_place(first.object), known_place(second.object)}
        noun = known.pop() if len(known) == 1 else ""
    return "" if noun in TOO_VAGUE else noun


def _hides_its_value(fact: KnownFact) -> bool:
    return names_apart(fact.subject.names, fact.object.names)


def _worth(one: KnownFact, other: KnownFact) -> float:
    """Two articles are worth more than one, two sources more than that."""
    return (one.article != other.article) + 0.5 * (one.source != other.source)
