"""Subjects that only the rest of the article explains: "she", "this", "the company"."""

from collections.abc import Sequence

from spacy.tokens import Token

from kg.extract.claims import Substitution
from kg.extract.lexicon import FIRST_AND_SECOND_PERSON, HE, IT, NOUN_KINDS, SHE, THEY
from kg.extract.reading import Reading, Sentence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_POINTING = frozenset({"this", "that", "these", "those"})
_COUNTING = frozenset(
    {"some", "others", "both", "many", "most", "few", "several", "all", "another", "neither"}
)
_DEFINITE = frozenset({"the", "this", "that", "these", "those", "such"})
_NARROWING = frozenset({"compound", "prep", "relcl", "acl", "poss", "appos", "nmod", "npadvmod", "agent"})
_QUALIFYING = frozenset({"amod", "nummod"})
_TOLD_BY_ITSELF = _words(
    "police sun moon earth world internet weather public media sea sky army military navy government"
)
"""What "the" before needs no article to explain."""
_PERSON_ENDINGS = ("er", "or", "ist", "man", "woman", "ian", "ant", "ee", "ess")
_PEOPLE = _words(
    "person people boy girl mother father son daughter wife husband brother sister child patient friend "
    "colleague neighbour neighbor victim student president resident agent uncle aunt cousin nephew niece "
    "widow guest captain suspect baby teenager nurse chief head lad lady"
)
_WEATHER = frozenset({"rain", "snow", "hail", "freeze"})
_IMPERSONAL = frozenset(
    {"be", "seem", "appear", "take", "become", "turn", "make", "mean", "follow", "emerge"}
)


def dangling_subject(reading: Reading, sentence: Sentence, made: Sequence[Substitution]) -> str:
    """Why the sentence does not stand alone, after what was put in; nothing where it does."""
    replaced = {
        i
        for one in made
        if one.kind != "date"
        for i in range(sentence.first, sentence.end)
        if one.start <= reading.doc[i].idx < one.end
    }
    for token in reading.tokens(sentence):
        if token.i in replaced or token.i in reading.references or token.i in reading.entity_at:
            continue
        if token.dep_ in _SUBJECT and token.pos_ != "VERB":
            reason = _pronoun(reading, sentence, token) or _nominal(reading, sentence, token)
        elif token.tag_ == "PRP$" and token.head.dep_ in _SUBJECT:
            reason = _pronoun(reading, sentence, token)
        else:
            continue
        if reason:
            return reason
    return ""


def _pronoun(reading: Reading, sentence: Sentence, token: Token) -> str:
    word = token.lower_
    if token.tag_ in {"PRP", "PRP$"} and word in FIRST_AND_SECOND_PERSON:
        return "" if _speaker_is_named(reading, sentence, token) else f'who "{token.text}" is, is not said'
    if word in HE | SHE:
        found = any(_is_person(reading, other) for other in _before(reading, sentence, token))
    elif word in IT:
        found = _is_impersonal(token) or any(
            other.pos_ in {"NOUN", "PROPN"} and not _sets_scene(other, token)
            for other in _before(reading, sentence, token)
        )
    elif word in THEY:
        found = any(
            other.tag_ in {"NNS", "NNPS"} or other.dep_ == "conj" or reading.named(other) is not None
            for other in _before(reading, sentence, token)
            if other.pos_ in {"NOUN", "PROPN"}
        )
    elif (word in _POINTING and token.tag_ == "DT") or (word in _COUNTING and token.pos_ != "NOUN"):
        narrowed = any(child.dep_ in _NARROWING for child in token.children)
        found = narrowed or not _is_main_subject(token)
    else:
        return ""
    return "" if found else f'what "{token.text}" stands for is not said'


def _nominal(reading: Reading, sentence: Sentence, token: Token) -> str:
    """ "The company" and its like, where nothing tells which one."""
    if (
        token.pos_ not in {"NOUN", "ADJ"}
        or not _is_main_subject(token)
        or token.lemma_.lower() in _TOLD_BY_ITSELF
    ):
        return ""
    children = list(token.children)
    pointer = next((child for child in children if child.dep_ == "det" and child.lower_ in _DEFINITE), None)
    if pointer is None or any(_narrows(reading, child) for child in children):
        return ""
    if any(other.lemma_ == token.lemma_ for other in _before(reading, sentence, pointer)):
        return ""
    written = reading.doc[pointer.i : token.i + 1].text
    return f'which {token.text.lower()} "{written}" is, is not said'


def _sets_scene(noun: Token, token: Token) -> bool:
    """ "In Rome, it ...": the place or time of what is said, and not what it is said of."""
    return noun.dep_ == "pobj" and noun.head.head.i == token.head.i


def _narrows(reading: Reading, child: Token) -> bool:
    """Whether it tells which one: "of Norway", "French", "largest"; "new" and "two" don't."""
    if child.dep_ in _QUALIFYING:
        return child.tag_ == "JJS" or reading.named(child) is not None
    return child.dep_ in _NARROWING


def _before(reading: Reading, sentence: Sentence, token: Token) -> list[Token]:
    return [reading.doc[i] for i in range(sentence.first, token.i)]


def _is_person(reading: Reading, token: Token) -> bool:
    span = reading.entity_at.get(token.i)
    if span is not None:
        return span.type in {"PERSON", "MISC"}
    if token.i in reading.references:
        return reading.references[token.i].type == "PERSON"
    noun = token.lemma_.lower()
    return token.pos_ == "NOUN" and (
        NOUN_KINDS.get(noun) == "PERSON" or noun in _PEOPLE or noun.endswith(_PERSON_ENDINGS)
    )


def _is_main_subject(token: Token) -> bool:
    """Whether it is the subject of a main clause, such as one with what somebody says behind it."""
    if token.dep_ not in _SUBJECT:
        return False
    verb = token.head
    return verb.dep_ == "ROOT" or (verb.dep_ in {"conj", "ccomp"} and verb.head.dep_ == "ROOT")


def _is_impersonal(token: Token) -> bool:
    """ "It is likely that ...", "it rained": the pronoun stands for nothing that has a name."""
    verb = token.head
    if verb.lemma_.lower() in _WEATHER:
        return True
    clauses = [child for child in verb.children if child.dep_ in {"ccomp", "xcomp", "advcl", "csubj"}]
    clauses += [
        grandchild
        for child in verb.children
        if child.dep_ in {"acomp", "attr", "oprd"}
        for grandchild in child.children
        if grandchild.dep_ in {"ccomp", "xcomp", "relcl", "acl"}
    ]
    return bool(clauses) and (verb.lemma_ in _IMPERSONAL or verb.tag_ == "VBN")


def _speaker_is_named(reading: Reading, sentence: Sentence, token: Token) -> bool:
    """Whether the sentence names somebody outside the quotation that the pronoun stands in."""
    if token.i not in reading.quoted:
        return False
    outside = (reading.doc[i] for i in range(sentence.first, sentence.end) if i not in reading.quoted)
    names = (reading.name_at(other) for other in outside)
    return any(name is not None and name.type in {"PERSON", "ORG"} for name in names)
