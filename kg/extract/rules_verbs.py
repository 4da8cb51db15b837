"""Facts that a full verb states: subject, verb group, object."""

from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Found
from kg.extract.clauses import Clause, when_base, with_object
from kg.extract.complements import is_asked_to_act, is_set_apart, object_is_half, preposition_is_half
from kg.extract.lexicon import MAKING_VERBS, NAMING_VERBS, REPORTING_VERBS, SETTING_NOUNS
from kg.extract.noun_phrases import Phrase, bare_head, objects_of, phrase
from kg.extract.verbs import has_passive, participle, plain_lemma, to_infinitive

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
