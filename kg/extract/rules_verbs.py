"""Facts that a verb states: subject, verb group, object."""

from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Token

from kg.extract.candidates import Candidate
from kg.extract.lexicon import INTRANSITIVE_VERBS, NAMING_VERBS, REPORTING_VERBS, SETTING_NOUNS
from kg.extract.mood import Mood, mood_of
from kg.extract.noun_phrases import Phrase, bare_head, conjuncts, is_relative, objects_of, phrase
from kg.extract.reading import Reading
from kg.extract.rules_qualifiers import fits_kind, predicate_nouns, qualifiers
from kg.extract.verbs import has_passive, is_copula, subjects, to_infinitive, verb_group

QUALIFIER_FACTOR = 0.9
FAR_QUALIFIER_FACTOR = 0.7
MAX_OBJECT_CHARACTERS = 30

_ADDRESSING_VERBS = frozenset({"tell", "inform", "remind", "say"})
"""Their object is the listener: "told Reuters" would tie everyone to every paper."""
_SPOKEN_ABOUT = frozenset({"by", "about", "as", "against", "to"})


@dataclass(frozen=True, slots=True)
class _Clause:
    reading: Reading
    verb: Token
    predicate: str
    mood: Mood
    ahead: bool
    actors: tuple[tuple[Token, Phrase], ...]

    def propose(self, subject: Phrase, predicate: str, target: Phrase, rule: str) -> Candidate:
        return Candidate(subject, predicate, target, rule, self.mood, self.ahead)


def facts_of_verb(reading: Reading, verb: Token) -> Iterator[Candidate]:
    """What the clause of a full verb or a copula states."""
    group = verb_group(verb)
    mood = mood_of(reading, verb, group.negated)
    if mood is None:
        return
    actors = [(token, phrase(reading, token)) for token in subjects(reading, verb)]
    if verb.tag_ == "VB" and " " not in group.text:
        return  # a command, or an infinitive whose modal verb the parser lost
    known = tuple((token, found) for token, found in actors if found is not None)
    if not known:
        return
    ahead = any(word in {"will", "shall"} for word in group.text.split()) or " to " in group.text
    clause = _Clause(reading, verb, group.text, mood, ahead, known)
    yield from _copula(clause) if is_copula(verb) else _full_verb(clause)


def _copula(clause: _Clause) -> Iterator[Candidate]:
    attributes = [child for child in clause.verb.children if child.dep_ == "attr"]
    for token, subject in clause.actors:
        for attribute in attributes:
            yield from _attribute(clause, token, subject, attribute)
        for child in clause.verb.children:
            if child.dep_ == "prep" and not attributes:
                for place in objects_of(clause.reading, child):
                    target = phrase(clause.reading, place)
                    if target is not None:
                        yield clause.propose(
                            subject, f"{clause.predicate} {child.lower_}", target, "copula-prep"
                        )
            elif child.dep_ == "acomp":
                yield from _adjective(clause, subject, child)


def _attribute(clause: _Clause, token: Token, subject: Phrase, attribute: Token) -> Iterator[Candidate]:
    reading = clause.reading
    for noun, target in predicate_nouns(reading, attribute):
        if reading.entity(noun) is None and not fits_kind(subject, noun):
            continue
        if target is not None:
            yield clause.propose(subject, clause.predicate, target, "copula")
        if reading.entity(noun) is None:
            base = f"{clause.predicate} {bare_head(reading, noun)}"
            yield from qualifiers(reading, subject, base, noun, "copula", clause.mood)
        elif target is not None and target.named and reading.name_at(token) is None:
            # "The capital of X is Y" says of Y that it is the capital of X
            base = f"is {bare_head(reading, token)}"
            yield from qualifiers(reading, target, base, token, "copula-inverse", clause.mood)


def _adjective(clause: _Clause, subject: Phrase, adjective: Token) -> Iterator[Candidate]:
    for child in adjective.children:
        if child.dep_ == "prep":
            for token in objects_of(clause.reading, child):
                target = phrase(clause.reading, token)
                if target is not None:
                    predicate = f"{clause.predicate} {adjective.lower_} {child.lower_}"
                    yield clause.propose(subject, predicate, target, "copula-adjective")


def _full_verb(clause: _Clause) -> Iterator[Candidate]:
    objects = _objects(clause)
    yield from _direct(clause, objects)
    first = objects[0] if objects else None
    for child in clause.verb.children:
        if child.pos_ == "ADP" and child.dep_ in {"prep", "agent", "dative"}:
            yield from _prepositional(clause, child, first)
        elif child.dep_ == "npadvmod" and clause.verb.lemma_ not in REPORTING_VERBS:
            span = clause.reading.entity(child)
            if span is not None and span.type == "DATE":
                yield from _dated(clause, Phrase(span.text, "DATE"), first)


def _objects(clause: _Clause) -> list[Token]:
    verb = clause.verb
    objects: list[Token] = []
    for child in verb.children:
        if child.dep_ == "dobj" and verb.lemma_ in INTRANSITIVE_VERBS:
            continue
        if child.dep_ in {"dobj", "oprd", "attr"} or (child.dep_ == "dative" and child.pos_ != "ADP"):
            objects += conjuncts(clause.reading, child)
    relative = any(child.dep_ == "dobj" and is_relative(child) for child in verb.children)
    own_subject = all(token.i != verb.head.i for token, _ in clause.actors)
    if verb.dep_ == "relcl" and own_subject and any(c.dep_ in {"nsubj", "nsubjpass"} for c in verb.children):
        # "the film that X directed": the noun above is the object
        bare = not objects and not any(child.dep_ in {"prep", "agent"} for child in verb.children)
        if (relative or bare) and not any(is_relative(c) for c in verb.children if c.dep_ == "nsubj"):
            return [verb.head]
    return [token for token in objects if not is_relative(token)]


def _direct(clause: _Clause, objects: list[Token]) -> Iterator[Candidate]:
    verb = clause.verb
    if verb.lemma_ in _ADDRESSING_VERBS:
        return
    if verb.lemma_ in NAMING_VERBS and not has_passive(verb) and verb.tag_ != "VBN":
        return
    if any(child.dep_ in {"xcomp", "ccomp"} and to_infinitive(child) for child in verb.children):
        return
    for token in objects:
        target = phrase(clause.reading, token)
        for _, subject in clause.actors:
            if target is not None:
                rule = "verb-role" if token.dep_ in {"attr", "oprd"} else "verb"
                yield clause.propose(subject, clause.predicate, target, rule)
            if clause.reading.entity(token) is None:
                base = f"{clause.predicate} {bare_head(clause.reading, token)}"
                mood = clause.mood.times(QUALIFIER_FACTOR)
                yield from qualifiers(clause.reading, subject, base, token, "verb", mood)


def _prepositional(clause: _Clause, preposition: Token, first: Token | None) -> Iterator[Candidate]:
    verb = clause.verb
    spoken = verb.lemma_ in REPORTING_VERBS and verb.dep_ != "acl" and not has_passive(verb) and first is None
    if spoken and preposition.lower_ not in _SPOKEN_ABOUT:
        return
    base = _with_object(clause, preposition, first)
    if base is None:
        return
    for words, token in _prepositional_objects(clause, preposition):
        target = phrase(clause.reading, token)
        if target is None:
            continue
        common = clause.reading.entity(token) is None
        place = _companion(clause, preposition) if target.type == "DATE" and first is None else ""
        for _, subject in clause.actors:
            if not (common and token.lemma_.lower() in SETTING_NOUNS):
                yield clause.propose(subject, f"{base}{place} {words}", target, "verb-prep")
            if common:
                deeper = f"{base} {words} {bare_head(clause.reading, token)}"
                mood = clause.mood.times(FAR_QUALIFIER_FACTOR)
                yield from qualifiers(clause.reading, subject, deeper, token, "verb-prep", mood)


def _companion(clause: _Clause, preposition: Token | None) -> str:
    """The verb's other complement, without which its date says little: "fell into water on"."""
    for child in clause.verb.children:
        if child.dep_ != "prep" or (preposition is not None and child.i == preposition.i):
            continue
        for token in objects_of(clause.reading, child):
            found = phrase(clause.reading, token)
            if found is not None and not found.literal and len(found.text) < MAX_OBJECT_CHARACTERS:
                return f" {child.lower_} {found.text}"
    return ""


def _prepositional_objects(clause: _Clause, preposition: Token) -> Iterator[tuple[str, Token]]:
    """The words that lead to an object and the object: "of", "out of", "from behind"."""
    for token in objects_of(clause.reading, preposition):
        yield preposition.lower_, token
    for child in preposition.children:
        if child.pos_ == "ADP" and child.dep_ in {"prep", "pcomp"}:
            for token in objects_of(clause.reading, child):
                yield f"{preposition.lower_} {child.lower_}", token


def _with_object(clause: _Clause, before: Token, first: Token | None) -> str | None:
    """The predicate with the direct object between verb and preposition; None if the object says nothing."""
    if first is None or (first.dep_ == "oprd" and first.i > before.i):
        return clause.predicate
    found = phrase(clause.reading, first)
    if found is None or len(found.text) >= MAX_OBJECT_CHARACTERS:
        return None
    return f"{clause.predicate} {found.text}"


def _dated(clause: _Clause, day: Phrase, first: Token | None) -> Iterator[Candidate]:
    base = _with_object(clause, clause.reading.doc[len(clause.reading.doc) - 1], first)
    if base is None:
        return
    place = _companion(clause, None) if first is None else ""
    for _, subject in clause.actors:
        if subject.named:
            yield clause.propose(subject, f"{base}{place} on", day, "verb-date")
