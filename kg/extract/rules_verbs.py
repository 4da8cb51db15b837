"""Facts that a full verb states: subject, verb group, object.

What a verb needs beside an object or a name: without it the statement would be half of one.

A clause as the rules of verbs read it: who, the verb group as a predicate, in what mood.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description, Found
from kg.extract.mood import Mood, mood_of
from kg.extract.noun_phrases import (
    Phrase,
    bare_head,
    conjuncts,
    denoted_ones,
    is_counted,
    is_relative,
    objects_of,
    phrase,
)
from kg.extract.reading import Reading
from kg.extract.verbs import has_passive, participle, plain_lemma, subjects, to_infinitive, verb_group
from kg.model import PLACE_TYPES, EntityType
from kg.text.lexicon import (
    EMPTY_VERBS,
    EVENTFUL_VERBS,
    INTRANSITIVE_VERBS,
    MAKING_VERBS,
    NAMING_VERBS,
    REPORTING_VERBS,
    SETTING_NOUNS,
    VAGUE_ADJECTIVES,
    VAGUE_NOUNS,
)

_BESIDE = frozenset({"of", "near", "from", "outside"})
_NEVER_PLACES = frozenset({"who", "whom"})
_PUTTING_VERBS = frozenset({"place", "put", "withdraw"})


_PREPOSITIONS_BY_VERBS = {
    "suggest describe see view regard use portray treat list cite characterize characterise brand depict "
    "denounce dismiss hail label recognise recognize": "as",
    "credit charge tie replace associate acquaint entrust equate equip provide supply": "with",
    "blame thank praise criticize criticise sue fault exchange mistake trade": "for",
    "accuse convict remind strip suspect deprive acquit assure convince cure inform notify relieve rid rob "
    "warn": "of",
    "sentence compare subject commit link ascribe attribute condemn confine devote expose liken limit reduce "
    "relegate restrict": "to",
    "prevent stop ban bar deter discourage disqualify dissuade distance exclude exempt hinder prohibit "
    "restrain shield": "from",
    "coerce convert divide split talk transform trick turn": "into",
}
_NEEDED_BEHIND = {
    verb: frozenset({word}) for verbs, word in _PREPOSITIONS_BY_VERBS.items() for verb in verbs.split()
}
"""What behind the object says what the deed was: "credited her with", "sentenced him to"."""
_OFFICE_VERBS = frozenset({"appoint", "nominate", "name", "drop", "describe", "credit", "accuse", "sentence"})
"""Passives whose day says little without what else is told: "was dropped by MSNBC in"."""
_ANSWERING_VERBS = frozenset({"react", "respond", "reply"})
_ANSWERED = frozenset({"to", "against", "with"})
_TELLING_WHAT = frozenset({"to", "as", "into", "with", "of"})
_ASKING_VERBS = frozenset({"call", "appeal", "press", "push", "rely", "count", "wait", "pay", "ask", "wish"})


def object_is_half(verb: Token, thing: Token) -> bool:
    """Whether more than the object is needed: "placed Ohio under a warning", "credited NASA with"."""
    behind = {child.lower_ for child in verb.children if child.dep_ == "prep" and child.i > thing.i}
    if verb.lemma_ in _PUTTING_VERBS:
        return bool(behind)
    return not behind.isdisjoint(_NEEDED_BEHIND.get(verb.lemma_, ()))


def preposition_is_half(verb: Token, preposition: Token) -> bool:
    """Whether the verb needs another preposition's object: "described by X as", "reacted on Twitter"."""
    if verb.lemma_ in _ANSWERING_VERBS:
        return preposition.lower_ not in _ANSWERED
    needed = _NEEDED_BEHIND.get(verb.lemma_, frozenset())
    others = {child.lower_ for child in verb.children if child.dep_ == "prep" and child.i != preposition.i}
    return preposition.dep_ == "agent" and not needed.isdisjoint(others)


def day_is_half(verb: Token, preposition: Token | None) -> bool:
    """Whether a passive's day or place leaves open what was done: "was elected to his first term in"."""
    if not (has_passive(verb) or verb.tag_ == "VBN"):
        return False
    others = [child for child in verb.children if child.dep_ in {"prep", "agent"} and child != preposition]
    if verb.lemma_ in _OFFICE_VERBS:
        return bool(others)
    return verb.lemma_ == "elect" or any(child.lower_ in _TELLING_WHAT for child in others)


def is_asked_to_act(verb: Token, preposition: Token) -> bool:
    """Whether a deed is asked of what the preposition leads to: "called on X to help", "for X to stop"."""
    if verb.lemma_ not in _ASKING_VERBS or preposition.lower_ not in {"on", "upon", "for"}:
        return False
    return any(child.i > preposition.i and to_infinitive(child) for child in verb.subtree)


def is_set_apart(preposition: Token) -> bool:
    """Whether "out of" behind a comma counts those there are: "won, out of 100 members"."""
    return preposition.lower_ in {"out", "of"} and preposition.i > 0 and preposition.nbor(-1).text == ","


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
        if child.dep_ == "dobj" and verb.lemma_ in INTRANSITIVE_VERBS | _ANSWERING_VERBS:
            continue
        if child.dep_ in {"dobj", "oprd", "attr"} or (child.dep_ == "dative" and child.pos_ != "ADP"):
            objects += conjuncts(reading, child)
    pronouns = [child.lower_ for child in verb.children if child.dep_ == "dobj" and is_relative(child)]
    relative, above = bool(pronouns), reading.name_at(verb.head)
    if above is not None and above.type in PLACE_TYPES:
        # "migrants from Ohio, whom X met" were met, and in "north of Paris, where X lives" X lives elsewhere
        beside = verb.head.dep_ == "pobj" and verb.head.head.lower_ in _BESIDE
        where = any(child.dep_ == "advmod" and child.lower_ == "where" for child in verb.children)
        if not _NEVER_PLACES.isdisjoint(pronouns) or (where and beside):
            return ()
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
        if _has_its_object_above(verb):
            return None
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


def _has_its_object_above(verb: Token) -> bool:
    """ "The order X signed on Monday": what was signed stands before the clause."""
    own = [child for child in verb.children if child.dep_ == "nsubj"]
    return verb.dep_ == "relcl" and bool(own) and not any(is_relative(child) for child in own)


def _is_specific(found: Phrase) -> bool:
    """Whether a common noun phrase names an event by itself: "400 metres hurdles", not "the move"."""
    if found.cut or not VAGUE_ADJECTIVES.isdisjoint(found.text.lower().split()):
        return False
    return " " in found.text and (found.article != "the" or any(letter.isdigit() for letter in found.text))


QUALIFIER_FACTOR = 0.9
FAR_QUALIFIER_FACTOR = 0.7

_ADDRESSING_VERBS = frozenset({"tell", "inform", "remind", "say"})
"""Their object is the listener: "told Reuters" would tie everyone to every paper."""
_SPOKEN_ABOUT = frozenset({"by", "about", "as", "against", "to"})
_COMPLEMENTS = frozenset({"prep", "dative", "xcomp"})
_FINDING_VERBS = frozenset({"find", "discover", "announce", "confirm", "reveal", "declare", "show"})
_LOCATING_VERBS = frozenset({"locate", "situate", "lie"})
_COUNTLESS = frozenset({"off", "from", "of", "in", "on", "near"})
"""Prepositions behind which a bare number is a distance or a share: "located off 1,100 miles"."""
_ROLE_DEPS = frozenset({"attr", "oprd"})


def verb_object(clause: Clause) -> Iterator[Found]:
    """ "John Carter visited Berlin." -> (John Carter, visited, Berlin)."""
    return _direct(clause, "verb-object", roles=False)


def verb_role(clause: Clause) -> Iterator[Found]:
    """ "Anna Keller became chief of Siemens." -> (Anna Keller, became, chief of Siemens)."""
    return _direct(clause, "verb-role", roles=True)


def _direct(clause: Clause, rule: str, *, roles: bool) -> Iterator[Found]:
    verb = clause.verb
    if verb.lemma_ in _ADDRESSING_VERBS:
        return
    if verb.lemma_ in NAMING_VERBS and not has_passive(verb) and verb.tag_ != "VBN":
        return
    if any(child.dep_ in {"xcomp", "ccomp"} and to_infinitive(child) for child in verb.children):
        return
    for token in clause.objects:
        if (token.dep_ in _ROLE_DEPS) != roles:
            continue
        target = phrase(clause.reading, token)
        if target is not None and not roles and _says_half(clause, token, target):
            continue
        for _, subject in clause.actors:
            if target is not None:
                whole = target if roles else _with_what_follows(clause, token, target)
                yield clause.states(subject, clause.predicate, whole, rule)
            if clause.reading.entity(token) is None and verb.lemma_ not in REPORTING_VERBS:
                base = f"{clause.predicate} {bare_head(clause.reading, token)}"
                yield clause.describes(subject, base, token, says_what=roles, factor=QUALIFIER_FACTOR)


def _says_half(clause: Clause, token: Token, target: Phrase) -> bool:
    """Whether the verb needs more than its object: "placed Ohio under a warning", "cited Reuters as"."""
    verb = clause.verb
    if target.type == "NUMBER":
        return verb.lemma_ in _LOCATING_VERBS or verb.lemma_ in REPORTING_VERBS
    if target.type == "CONCEPT":
        return verb.lemma_ == "do" or verb.lemma_ in REPORTING_VERBS - _FINDING_VERBS
    return object_is_half(verb, token)


def _with_what_follows(clause: Clause, token: Token, target: Phrase) -> Phrase:
    """The object, cut where the verb goes on behind it: "credited the media with ..."."""
    if target.type != "CONCEPT":
        return target
    if clause.verb.lemma_ in REPORTING_VERBS:
        return replace(target, cut=True)  # what is described or mentioned is not done
    more = any(
        child.i > token.i and child.dep_ in _COMPLEMENTS and not _tells_when(clause, child)
        for child in clause.verb.children
    )
    return replace(target, cut=target.cut or more)


def _tells_when(clause: Clause, preposition: Token) -> bool:
    spans = [clause.reading.entity(child) for child in preposition.children if child.dep_ == "pobj"]
    return bool(spans) and all(span is not None and span.type == "DATE" for span in spans)


def verb_preposition(clause: Clause) -> Iterator[Found]:
    """ "Peter Novak works at Siemens." -> (Peter Novak, works at, Siemens)."""
    for child in clause.verb.children:
        if child.pos_ == "ADP" and child.dep_ in {"prep", "agent", "dative"}:
            yield from _prepositional(clause, child)


def _prepositional(clause: Clause, preposition: Token) -> Iterator[Found]:
    verb = clause.verb
    spoken = verb.lemma_ in REPORTING_VERBS and verb.dep_ != "acl" and not has_passive(verb)
    telling = verb.lemma_ in _ADDRESSING_VERBS and not has_passive(verb)
    if (telling or (spoken and not clause.objects)) and preposition.lower_ not in _SPOKEN_ABOUT:
        return
    if verb.lemma_ in _ADDRESSING_VERBS and any(child.dep_ == "ccomp" for child in verb.children):
        return  # what he "was told by" her is what counts
    base = with_object(clause, preposition.i)
    if verb.lemma_ == "refer" and not has_passive(verb) and preposition.lower_ not in {"to", "as"}:
        return
    if base is not None and verb.lemma_ == "refer" and preposition.lower_ == "as" and not has_passive(verb):
        about = _referred_to(clause)
        base = f"{base} to {about}" if about else None
    if base is None or is_set_apart(preposition) or preposition_is_half(verb, preposition):
        return
    for words, token in _prepositional_objects(clause, preposition):
        target = phrase(clause.reading, token)
        if target is None or (words == "for" and _shall_act(token)):
            continue
        if is_asked_to_act(verb, preposition) and not target.literal:
            continue
        if target.type == "NUMBER" and words in _COUNTLESS:
            continue
        common = clause.reading.entity(token) is None
        leading = when_base(clause, preposition) if target.type == "DATE" else base
        for _, subject in clause.actors:
            if leading is not None and not (common and token.lemma_.lower() in SETTING_NOUNS):
                yield clause.states(subject, f"{leading} {words}", target, "verb-preposition")
            if common:
                deeper = f"{base} {words} {bare_head(clause.reading, token)}"
                yield clause.describes(subject, deeper, token, says_what=False, factor=FAR_QUALIFIER_FACTOR)


def _referred_to(clause: Clause) -> str:
    """What is referred to, without which "referred as" is turned round; "" where no name says it."""
    for child in clause.verb.children:
        if child.dep_ == "prep" and child.lower_ == "to":
            for token in objects_of(clause.reading, child):
                found = phrase(clause.reading, token)
                return found.text if found is not None and (found.named or found.holds_name) else ""
    return ""


def _shall_act(token: Token) -> bool:
    """Whether what is called for is a deed of the token's: "called for Iran to stop"."""
    return any(child.dep_ in {"acl", "relcl"} and to_infinitive(child) for child in token.children)


def _prepositional_objects(clause: Clause, preposition: Token) -> Iterator[tuple[str, Token]]:
    """The words that lead to an object and the object: "of", "out of", "from behind"."""
    for token in objects_of(clause.reading, preposition):
        yield preposition.lower_, token
    for child in preposition.children:
        if child.pos_ == "ADP" and child.dep_ in {"prep", "pcomp"}:
            for token in objects_of(clause.reading, child):
                yield f"{preposition.lower_} {child.lower_}", token


def verb_date(clause: Clause) -> Iterator[Candidate]:
    """ "John Carter resigned on 2 May 2010." without its "on": "resigned yesterday"."""
    if clause.verb.lemma_ in REPORTING_VERBS:
        return
    for child in clause.verb.children:
        span = clause.reading.entity(child)
        if child.dep_ != "npadvmod" or span is None or span.type != "DATE":
            continue
        base = when_base(clause, None)
        if base is None:
            continue
        for _, subject in clause.actors:
            if subject.named:
                day = Phrase(span.text, "DATE")
                yield clause.states(subject, f"{base} on", day, "verb-date")


def object_setting(clause: Clause) -> Iterator[Candidate]:
    """ "The band released Renegades in 2000." -> (Renegades, was released in, 2000)."""
    verb = clause.verb
    if clause.ahead or clause.mood.negated or has_passive(verb):
        return
    if plain_lemma(verb) not in MAKING_VERBS:
        return
    made = [found for token in clause.objects if (found := phrase(clause.reading, token)) is not None]
    made = [found for found in made if found.named and found.type != "NORP"]
    for child in verb.children:
        if child.dep_ != "prep" or child.lower_ not in {"in", "on", "at"}:
            continue
        for token in objects_of(clause.reading, child):
            target = phrase(clause.reading, token)
            if target is None or target.type not in {"DATE", "GPE"}:
                continue
            for thing in made:
                predicate = f"was {participle(verb)} {child.lower_}"
                yield clause.states(thing, predicate, target, "object-setting")


VERB_RULES = (verb_object, verb_role, verb_preposition, verb_date, object_setting)
