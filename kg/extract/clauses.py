"""A clause as the rules of verbs read it: who, the verb group as a predicate, in what mood."""

from collections.abc import Sequence
from dataclasses import dataclass

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description
from kg.extract.complements import day_is_half
from kg.extract.lexicon import EMPTY_VERBS, EVENTFUL_VERBS, INTRANSITIVE_VERBS, VAGUE_ADJECTIVES, VAGUE_NOUNS
from kg.extract.mood import Mood, mood_of
from kg.extract.noun_phrases import (
    Phrase,
    conjuncts,
    denoted_ones,
    is_counted,
    is_relative,
    objects_of,
    phrase,
)
from kg.extract.reading import Reading
from kg.extract.verbs import has_passive, subjects, verb_group
from kg.model import EntityType

MAX_OBJECT_CHARACTERS = 30

_PLURAL = frozenset({"are", "were", "'re", "have"})
_SINGULAR = {"are": "is", "were": "was", "have": "has"}
_SINGLE: frozenset[EntityType] = frozenset({"PERSON", "GPE", "LOC", "ORG", "FAC"})
_POINTED_AT = VAGUE_NOUNS - {"role", "position", "work", "job", "term"}
"""Objects that say nothing behind "the" or "this"."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stated clause; `actors` are the heads of its subjects with their phrases, `objects` heads."""

    reading: Reading
    verb: Token
    predicate: str
    mood: Mood
    ahead: bool
    actors: Sequence[tuple[Token, Phrase]]
    objects: Sequence[Token]

    def states(self, subject: Phrase, predicate: str, target: Phrase, rule: str) -> Candidate:
        """A candidate in the clause's mood."""
        return Candidate(subject, predicate, target, rule, self.mood, self.ahead)

    def describes(
        self, subject: Phrase, base: str, noun: Token, *, says_what: bool, factor: float = 1.0
    ) -> Description:
        """A description in the clause's mood."""
        return Description(subject, base, noun, self.mood.times(factor), says_what, self.ahead)


def read_clause(reading: Reading, verb: Token) -> Clause | None:
    """The clause of a full verb or a copula; None when it states nothing of anyone we can name."""
    if verb.lemma_ in EMPTY_VERBS:
        return None
    group = verb_group(verb)
    mood = mood_of(reading, verb, group.negated)
    if mood is None:
        return None
    if verb.tag_ == "VB" and " " not in group.text:
        return None  # a command, or an infinitive whose modal verb the parser lost
    actors = [(token, phrase(reading, token)) for token in subjects(reading, verb)]
    # "two Democratic Representatives" are not all of them
    known = tuple(
        (token, found)
        for token, found in actors
        if found is not None and not (found.named and is_counted(token))
    )
    if not known:
        return None
    plural = _is_plural(verb) or group.text.split(" ", 1)[0] in _SINGULAR
    alone = len(actors) == 1 and known[0][1].type in {"PERSON", "GPE"} and not known[0][1].text.endswith("s")
    if alone and plural:
        return None  # "were" is said of others than the one that the parser found
    ahead = any(word in {"will", "shall"} for word in group.text.split()) or " to " in group.text
    objects = _objects(reading, verb, [token for token, _ in known])
    each = plural and len(actors) > 1 and all(found.type in _SINGLE for _, found in known)
    predicate = of_one(group.text) if each else group.text
    return Clause(reading, verb, predicate, mood, ahead, known, objects)


def of_one(predicate: str) -> str:
    """The predicate as it is said of each of several: "were convicted" becomes "was convicted"."""
    first, blank, rest = predicate.partition(" ")
    return f"{_SINGULAR.get(first, first)}{blank}{rest}"


def _is_plural(verb: Token) -> bool:
    """Whether the finite word of the verb's group is "are", "were" or "have"."""
    words = [verb, *(child for child in verb.children if child.dep_ in {"aux", "auxpass"})]
    return any(word.lower_ in _PLURAL and word.tag_ in {"VBP", "VBD"} for word in words)


def _objects(reading: Reading, verb: Token, actors: Sequence[Token]) -> Sequence[Token]:
    objects: list[Token] = []
    for child in verb.children:
        if child.dep_ == "dobj" and verb.lemma_ in INTRANSITIVE_VERBS:
            continue
        if child.dep_ in {"dobj", "oprd", "attr"} or (child.dep_ == "dative" and child.pos_ != "ADP"):
            objects += conjuncts(reading, child)
    relative = any(child.dep_ == "dobj" and is_relative(child) for child in verb.children)
    own_subject = all(token.i != verb.head.i for token in actors)
    if verb.dep_ == "relcl" and own_subject and any(c.dep_ in {"nsubj", "nsubjpass"} for c in verb.children):
        # "the film that X directed": the noun above is the object
        bare = not objects and not any(child.dep_ in {"prep", "agent"} for child in verb.children)
        if (relative or bare) and not any(is_relative(c) for c in verb.children if c.dep_ == "nsubj"):
            return (verb.head,)
    return tuple(part for token in objects if not is_relative(token) for part in denoted_ones(reading, token))


def companion(clause: Clause, preposition: Token | None) -> str:
    """The verb's other complement, without which its date says little: "fell into water on"."""
    for child in clause.verb.children:
        if child.dep_ != "prep" or (preposition is not None and child.i == preposition.i):
            continue
        for token in objects_of(clause.reading, child):
            found = phrase(clause.reading, token)
            if (
                found is not None
                and not (found.literal or found.cut)
                and len(found.text) < MAX_OBJECT_CHARACTERS
            ):
                return f" {child.lower_} {found.text}"
    return ""


def with_object(clause: Clause, before: int) -> str | None:
    """The predicate with the direct object between verb and preposition; None if the object says nothing.

    `before` is the token number of the preposition.
    """
    first = clause.objects[0] if clause.objects else None
    if first is None or (first.dep_ == "oprd" and first.i > before):
        return clause.predicate
    found = phrase(clause.reading, first)
    if found is None or len(found.text) >= MAX_OBJECT_CHARACTERS:
        return None
    if found.article == "the" and found.text.lower() in _POINTED_AT:
        return None  # "disclosed the matter to"
    return f"{clause.predicate} {found.text}"


def when_base(clause: Clause, preposition: Token | None) -> str | None:
    """The predicate before a date; None where it would leave open what happened on that day."""
    verb = clause.verb
    if not clause.objects:
        place = companion(clause, preposition)
        if not place and day_is_half(verb, preposition):
            return None
        alone = place or has_passive(verb) or verb.tag_ == "VBN" or verb.lemma_ in EVENTFUL_VERBS
        return f"{clause.predicate}{place}" if alone else None
    found = phrase(clause.reading, clause.objects[0])
    if found is not None and found.named and clause.objects[0].dep_ in {"attr", "oprd"}:
        return None  # "became the first Dane" loses its "first"
    if found is None or (not found.named and not found.holds_name and not _is_specific(found)):
        return None
    return with_object(clause, len(clause.reading.doc))


def _is_specific(found: Phrase) -> bool:
    """Whether a common noun phrase names an event by itself: "400 metres hurdles", not "the move"."""
    if found.cut or not VAGUE_ADJECTIVES.isdisjoint(found.text.lower().split()):
        return False
    return " " in found.text and (found.article != "the" or any(letter.isdigit() for letter in found.text))
