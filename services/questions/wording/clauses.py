"""A noun phrase for the unknown end of a fact: "the organism that the Northern Fever Institute sequenced"."""

from dataclasses import dataclass

from services.questions.wording.articles import (
    IDIOMS,
    QUANTITIES,
    bare_complement,
    complement_as_subject,
    complement_of,
    is_of_many,
    is_plural_phrase,
    role_of,
)
from services.questions.wording.nouns import sorts_of
from services.questions.wording.paraphrases import in_tense, nominal_of, paraphrase_of
from services.questions.wording.predicates import (
    PARTICLES,
    Predicate,
    agentive,
    can_be_reduced,
    finite,
    is_present,
    participle,
    passive,
)
from services.questions.wording.verbs import plural_noun

IN_PLACES = frozenset({"in", "at", "on"})
GIVING = frozenset({"give", "award", "grant", "offer", "lend", "pay"})

_NEVER_PASSIVE = """
have become remain resemble lack cost fit get mean suit equal weigh last belong consist contain include leave
enter flee face near total keep come go
"""
NEVER_PASSIVE = frozenset(_NEVER_PASSIVE.split())


@dataclass(frozen=True, slots=True)
class Known:
    """What a clause starts from: a name, or the description so far.

    `heavy` tells that it has a clause of its own, so that it should stand at the end of the next one;
    `nested` that another clause will follow, so that even a name should; `plural` that a verb behind it takes
    the plural; `noun` what it is ("hospital").
    """

    text: str
    heavy: bool = False
    nested: bool = False
    plural: bool = False
    noun: str = ""

    @property
    def at_end(self) -> bool:
        """Whether it should stand behind the verb."""
        return self.heavy or self.nested


def describe(known: Known, found: Predicate, noun: str, backwards: bool = False) -> str:
    """The phrase for what the predicate leads to from `known`, or, `backwards`, for its subject."""
    return f"the {_subject_phrase(known, found, noun) if backwards else _object_phrase(known, found, noun)}"


def who_or_that(noun: str) -> str:
    """The relative pronoun of a noun as a subject."""
    return "who" if "person" in sorts_of(noun) else "that"


def _subject_phrase(known: Known, found: Predicate, noun: str) -> str:
    if found.is_role and found.verb in {"is", "are"}:
        return f"{found.complement} {found.preposition} {known.text}"
    behind = joined(complement_of(found), found.preposition, known.text)
    if can_be_reduced(found):
        return f"{noun} {found.verb} {behind}"
    return f"{noun} {who_or_that(noun)} {finite(found)} {behind}"


def _object_phrase(known: Known, found: Predicate, noun: str) -> str:
    if found.has_agent:
        return f"{noun} {who_or_that(noun)} {joined(agentive(found), known.text, complement_of(found))}"
    if found.is_role:
        return f"{noun} {_role_clause(known, found, noun)}"
    other = _in_other_words(known, found, noun)
    if other:
        return other
    if is_transitive(found):
        return _transitive(known, found, noun)
    return (
        _with_complement(known, found, noun) if has_complement(found) else _prepositional(known, found, noun)
    )


def _role_clause(known: Known, found: Predicate, noun: str) -> str:
    """ "Whose mayor is Ann", but "that Ann is a citizen of", as a country has more of these."""
    if found.is_sent:
        return f"that {known.text} {group_of(known, found)} {role_of(found)} {found.preposition}"
    if not is_of_many(found):
        return f"whose {found.complement} {finite(found)} {known.text}"
    if known.heavy or "person" in sorts_of(noun) or found.complement.startswith("former "):
        return many_with(known, found)
    return f"that {known.text} {group_of(known, found)} {role_of(found)} {found.preposition}"


def many_with(known: Known, found: Predicate) -> str:
    """ "Whose citizens include the person who ..."."""
    verb = "include" if is_present(found) else "included"
    return f"whose {plural_noun(found.complement)} {verb} {known.text}"


def _in_other_words(known: Known, found: Predicate, noun: str) -> str:
    if nominal_of(found) and known.at_end:
        return f"{nominal_of(found)} of {known.text}"
    other = paraphrase_of(found, known.noun, noun)
    if other is None or not (known.heavy or other.always):
        return ""
    if other.inverted:
        return f"{noun} {found.preposition} which {finite(found)} {known.text}"
    return f"{noun} {in_tense(other, found, who_or_that(noun))} {known.text}"


def _transitive(known: Known, found: Predicate, noun: str) -> str:
    if known.at_end and can_be_passive(found):
        return f"{noun} {joined(participle(found), found.complement)} by {known.text}"
    return f"{noun} that {known.text} {joined(group_of(known, found), found.complement)}"


def _with_complement(known: Known, found: Predicate, noun: str) -> str:
    right = _complement_first(known, found, noun) if known.at_end else ""
    if right:
        return right
    group = group_of(known, found)
    if owns_complement(found):
        return f"{noun} whose {bare_complement(found)} {known.text} {group}"
    if found.preposition in IN_PLACES and "place" in sorts_of(noun):
        return f"{noun} where {known.text} {group} {complement_of(found)}"
    return f"{noun} that {known.text} {group} {joined(complement_of(found), found.preposition)}"


def _complement_first(known: Known, found: Predicate, noun: str) -> str:
    """ "The hospital for which money was raised by ...": the known at the end; empty where that can't be."""
    if found.lemma in NEVER_PASSIVE:
        return ""
    bare, subject = bare_complement(found), complement_as_subject(found)
    done = passive(found, is_plural_phrase(subject))
    if is_dative(found):
        return f"{noun} {who_or_that(noun)} {passive(found)} {subject} by {known.text}"
    if owns_complement(found):
        return f"{noun} whose {bare} {done} by {known.text}"
    if not can_be_fronted(found):
        return ""
    if found.preposition == "of":
        return f"{noun} {subject} of which {done} by {known.text}"
    return f"{noun} {relative_place(noun, found.preposition)} {subject} {done} by {known.text}"


def _prepositional(known: Known, found: Predicate, noun: str) -> str:
    group = joined(group_of(known, found), complement_of(found))
    if not found.preposition:
        return f"{noun} that {known.text} {group}"
    if known.heavy or (found.preposition in IN_PLACES and "place" in sorts_of(noun)):
        return f"{noun} {relative_place(noun, found.preposition)} {known.text} {group}"
    return f"{noun} that {known.text} {group} {found.preposition}"


def relative_place(noun: str, preposition: str) -> str:
    """ "where", "for which", "to whom"."""
    if "person" in sorts_of(noun):
        return f"{preposition} whom"
    if preposition in IN_PLACES and "place" in sorts_of(noun):
        return "where"
    return f"{preposition} which"


def group_of(known: Known, found: Predicate) -> str:
    """The verb group as it agrees with `known`."""
    return " ".join((*found.auxiliaries, found.verb)) if known.plural else finite(found)


def is_transitive(found: Predicate) -> bool:
    """Whether the object stands right behind the active verb."""
    particle = not found.complement or found.complement in PARTICLES
    return found.voice == "active" and not found.preposition and particle


def has_complement(found: Predicate) -> bool:
    """Whether an active verb has a noun phrase before its preposition: "raised money for"."""
    return found.voice == "active" and bool(found.complement) and not found.complement.startswith("to ")


def can_be_passive(found: Predicate) -> bool:
    """Whether the object of the active verb can become the subject of a passive."""
    return is_transitive(found) and found.lemma not in NEVER_PASSIVE


def is_dative(found: Predicate) -> bool:
    """ "gave a medal to": the object can be "given a medal"."""
    return found.lemma in GIVING and found.preposition == "to" and bool(found.complement)


def owns_complement(found: Predicate) -> bool:
    """ "forged the frame of": the frame is the object's own."""
    words = found.complement.split()
    if found.preposition not in {"of", "by"} or len(words) > 3 or not words or not words[0][0].islower():
        return False
    return words[-1] not in IDIOMS | QUANTITIES and words[0] not in PARTICLES and found.lemma != "become"


def can_be_fronted(found: Predicate) -> bool:
    """ "raised money for": "for which money was raised"."""
    words = found.complement.split()
    if not words or words[-1] in IDIOMS or words[0] in PARTICLES or found.lemma in {"become", "keep"}:
        return False
    return found.preposition not in {"as", "by", ""} and not any(word[0].isupper() for word in words)


def joined(*parts: str) -> str:
    """The parts that are not empty, with blanks between them."""
    return " ".join(part for part in parts if part)
