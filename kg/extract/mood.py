"""Whether a clause states a fact, and in whose name."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spacy.tokens import Token

from kg.extract.noun_phrases import phrase
from kg.extract.reading import Reading
from kg.extract.verbs import has_passive, subjects, to_infinitive
from kg.model import UNNAMED_SOURCE
from kg.text.lexicon import (
    DENYING_VERBS,
    DOUBT_ADVERBS,
    FAILING_VERBS,
    FICTION_NOUNS,
    HEARSAY_ADVERBS,
    HEARSAY_NOUNS,
    REPORTING_VERBS,
    SATIRICAL,
    UNREAL_MODALS,
    UNREAL_VERBS,
    UNTRUE_ADJECTIVES,
    WISHING_VERBS,
)

ATTRIBUTED_CONFIDENCE = 0.8
PLANNED_CONFIDENCE = 0.7
MAX_CLAUSES_ABOVE = 20

_CONDITIONS = frozenset({"if", "unless", "whether", "lest"})
_CLAUSES_ABOVE = frozenset({"ccomp", "conj", "xcomp", "advcl", "relcl", "acl", "pcomp", "prep", "parataxis"})
_WILL = frozenset({"will", "'ll", "wo"})


@dataclass(frozen=True, slots=True)
class Mood:
    """How a fact is put: denied, in someone's name, how sure; `aside` if no verb of the sentence says it."""

    confidence: float = 1.0
    negated: bool = False
    attributed_to: str = ""
    aside: bool = False

    def times(self, factor: float) -> "Mood":
        """The same with a lower confidence."""
        return replace(self, confidence=self.confidence * factor)


PLAIN = Mood(aside=True)
"""The mood of what stands around a name without a verb: an apposition, an office, a place in a place."""


def mood_of(reading: Reading, verb: Token, negated: bool) -> Mood | None:
    """The verb's mood; None for what is only possible, wished for or asked.

    A clause is read together with the clauses that it lies in, from the inner to the outer.
    """
    if _takes_activity(verb) or _awaits_another(verb):
        return None
    confidence = 1.0
    denied = negated
    source = ""
    for clause, above, inherits in _clauses_above(verb):
        if _is_condition(clause) or _is_fiction(clause) or (inherits and _is_unreal(clause)):
            return None
        if inherits and any(child.tag_ == "MD" and child.lower_ in _WILL for child in clause.children):
            confidence = PLANNED_CONFIDENCE
        if inherits and any(
            child.dep_ == "advmod" and child.lower_ in HEARSAY_ADVERBS for child in clause.children
        ):
            source = source or UNNAMED_SOURCE
        source = source or _according_to(reading, clause) or _inserted_speaker(reading, clause)
        if _follows_hearsay(clause):
            source = source or UNNAMED_SOURCE
        if above is None:
            break
        if _is_wish(clause, above) or _is_untrue(clause, above):
            return None
        if _is_denied(clause, above):
            denied = not denied
        source = source or _reported_by(reading, clause, above)
    if not source and verb.i in reading.quoted:
        source = UNNAMED_SOURCE
    return Mood(confidence * (ATTRIBUTED_CONFIDENCE if source else 1.0), denied, source)


def _takes_activity(verb: Token) -> bool:
    """ "denied robbing Barclays Bank" where the parser made one name of the last three words."""
    after = verb.i + 1
    followed = after < len(verb.doc) and verb.doc[after].tag_ == "VBG" and verb.doc[after].dep_ == "compound"
    return followed and verb.lemma_ in DENYING_VERBS | FAILING_VERBS


def _awaits_another(verb: Token) -> bool:
    """ "Is expected to speak after invoking Article 50": neither has happened."""
    above = verb.head.head
    later = verb.dep_ == "pcomp" and verb.head.lower_ in {"after", "before"}
    return later and (
        to_infinitive(above) or any(child.dep_ == "aux" and child.tag_ == "MD" for child in above.children)
    )


def _clauses_above(verb: Token) -> Iterator[tuple[Token, Token | None, bool]]:
    """Each clause with the one above it, and whether the verb has its modals and doubts from it."""
    clause, inherits = verb, True
    for _ in range(MAX_CLAUSES_ABOVE):
        above = clause.head
        if above.i == clause.i or clause.dep_ not in _CLAUSES_ABOVE:
            break
        yield clause, above, inherits
        # a finite clause has its own mood; a participle or infinitive lives in the one above
        inherits = clause.dep_ in {"xcomp", "conj"} or (
            clause.dep_ == "advcl" and clause.tag_ in {"VBG", "VBN"}
        )
        clause = above
    yield clause, None, inherits


def _is_wish(clause: Token, above: Token) -> bool:
    if clause.dep_ == "xcomp":
        return (above.lemma_ in WISHING_VERBS or above.lemma_ == "have") and to_infinitive(clause)
    return clause.dep_ == "ccomp" and above.lemma_ in UNREAL_VERBS


def _is_untrue(clause: Token, above: Token) -> bool:
    """ "It is not true that ...", "it is false that ...", "X did not say that ...", "no proof that ..."."""
    if clause.dep_ == "acl" and above.pos_ == "NOUN":
        return _states(clause) and any(child.lower_ == "no" for child in above.children)
    if clause.dep_ != "ccomp":
        return False
    if above.lemma_ == "be" and any(
        child.dep_ == "acomp" and child.lower_ in UNTRUE_ADJECTIVES for child in above.children
    ):
        return True
    verb = above if above.pos_ in {"VERB", "AUX"} else above.head
    knows = verb.lemma_ in REPORTING_VERBS or verb.lemma_ == "be"
    return knows and any(child.dep_ == "neg" for child in verb.children)


def _is_denied(clause: Token, above: Token) -> bool:
    if clause.dep_ == "ccomp":
        return above.lemma_ in DENYING_VERBS
    return (
        _is_hearsay(clause, above) and above.dep_ in {"dobj", "pobj"} and above.head.lemma_ in DENYING_VERBS
    )


def _is_hearsay(clause: Token, above: Token) -> bool:
    """Whether the clause is what a rumour says: "reports that ...", "the claim she ..."."""
    about_noun = above.pos_ == "NOUN" and above.lemma_.lower() in HEARSAY_NOUNS
    told = about_noun and clause.dep_ in {"acl", "ccomp", "relcl"}
    return told and _states(clause)


def _states(clause: Token) -> bool:
    """Whether the clause says something whole, "that ..." or with a subject, not "which was made by ..."."""
    marks = [child for child in clause.children if child.dep_ == "mark"]
    if marks:
        return any(mark.lower_ == "that" for mark in marks)
    about = [child for child in clause.children if child.dep_ in {"nsubj", "nsubjpass", "dobj", "pobj"}]
    return any(child.dep_.startswith("nsubj") for child in about) and not any(
        child.tag_ in {"WDT", "WP"} for child in about
    )


def _follows_hearsay(clause: Token) -> bool:
    """Whether a rumour's noun stands right before the subject, where the parser joined the two."""
    for child in clause.children:
        if child.dep_ in {"nsubj", "nsubjpass"}:
            named = [part for part in child.children if part.dep_ == "appos"] or [child]
            before = child.doc[max(named[0].left_edge.i - 1, 0)]
            if before.pos_ == "NOUN" and before.lemma_.lower() in HEARSAY_NOUNS:
                return True
    return False


def _is_fiction(clause: Token) -> bool:
    """ "In the novel, X marries Y" (told as stories are, in the present), "in a satirical article, ..."."""
    for child in clause.children:
        if child.dep_ == "prep" and child.lower_ == "in":
            for place in child.children:
                work = place.dep_ == "pobj" and place.pos_ == "NOUN"
                if work and any(part.lemma_.lower() in SATIRICAL for part in place.children):
                    return True
                if work and place.lemma_.lower() in FICTION_NOUNS and clause.tag_ in {"VBZ", "VBP"}:
                    return True
    return False


def _reported_by(reading: Reading, clause: Token, above: Token) -> str:
    """Who says so, where the clause is what somebody says; "" where nobody does."""
    if _is_hearsay(clause, above):
        return UNNAMED_SOURCE
    if above.lemma_ in DENYING_VERBS and clause.dep_ in {"ccomp", "xcomp"}:
        return _speaker(reading, above)
    if clause.dep_ == "ccomp" and above.lemma_ in REPORTING_VERBS:
        return _speaker(reading, above)
    if clause.dep_ == "xcomp" and has_passive(above) and above.lemma_ in REPORTING_VERBS:
        return UNNAMED_SOURCE if to_infinitive(clause) else ""
    return ""


def _is_condition(clause: Token) -> bool:
    if clause.pos_ not in {"VERB", "AUX"}:
        return False
    return any(child.dep_ in {"mark", "advmod"} and child.lower_ in _CONDITIONS for child in clause.children)


def _is_unreal(clause: Token) -> bool:
    for child in clause.children:
        word = child.lower_
        if child.dep_ == "aux" and child.tag_ == "MD" and (word in UNREAL_MODALS or word == "'d"):
            return True
        if child.dep_ == "advmod" and word in DOUBT_ADVERBS:
            return True
        if (
            child.dep_ == "advcl"
            and _is_condition(child)
            and any(aux.tag_ == "MD" for aux in clause.children)
        ):
            return True
    return False


def _speaker(reading: Reading, verb: Token) -> str:
    """Who says it; an unnamed speaker counts as "unnamed source"."""
    for subject in subjects(reading, verb):
        found = phrase(reading, subject)
        if found is not None:
            return found.text
    return UNNAMED_SOURCE


def _inserted_speaker(reading: Reading, verb: Token) -> str:
    """Who says it, where the verb of saying is put in between: "she was, X testified, ..."."""
    for child in verb.children:
        if child.dep_ == "parataxis" and child.lemma_ in REPORTING_VERBS:
            return _speaker(reading, child)
    return ""


def _according_to(reading: Reading, verb: Token) -> str:
    """The source in "according to X"."""
    for child in verb.children:
        if child.lower_ != "according":
            continue
        for part in child.subtree:
            if part.dep_ == "pobj":
                found = phrase(reading, part)
                return found.text if found is not None else ""
    return ""
