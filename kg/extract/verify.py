"""Whether a claim says what its sentence says, and says it so that a stranger to the article understands.

A claim is its sentence after substitutions (`kg.extract.claims`). It is verified when each of its words comes
from the sentence or from a substitution, each substituted name stands in the article and fits what it was
put for with no nearer name that fits too, what is denied stays denied, and no subject is left that only the
article tells ("she", "the company").

Subjects that only the rest of the article explains: "she", "this", "the company".
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.tokens import Token

from kg.extract import dates
from kg.extract.claims import Standalone, Substitution
from kg.extract.names import Name
from kg.extract.pipeline import plain_text
from kg.extract.protocol import ExtractionInput
from kg.extract.reading import Reading, Sentence
from kg.model import NAMED_TYPES, EntityType
from kg.text.lexicon import (
    FEMALE_TITLES,
    FIRST_AND_SECOND_PERSON,
    FITTING_TYPES,
    HE,
    IT,
    MALE_TITLES,
    NEGATIVE_ADVERBS,
    NOUN_KINDS,
    SHE,
    THEY,
    genders,
)


def _hanging_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_POINTING = frozenset({"this", "that", "these", "those"})
_COUNTING = frozenset(
    {"some", "others", "both", "many", "most", "few", "several", "all", "another", "neither"}
)
_DEFINITE = frozenset({"the", "this", "that", "these", "those", "such"})
_NARROWING = frozenset({"compound", "prep", "relcl", "acl", "poss", "appos", "nmod", "npadvmod", "agent"})
_QUALIFYING = frozenset({"amod", "nummod"})
_TOLD_BY_ITSELF = _hanging_words(
    "police sun moon earth world internet weather public media sea sky army military navy government"
)
"""What "the" before needs no article to explain."""
_PERSON_ENDINGS = ("er", "or", "ist", "man", "woman", "ian", "ant", "ee", "ess")
_PEOPLE = _hanging_words(
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


_WORD = re.compile(r"\w+(?:[.,:'-]\w+)*")
_NEGATION = re.compile(
    rf"\b(?:no|not|none|nobody|nothing|nowhere|neither|nor|without|cannot|{'|'.join(sorted(NEGATIVE_ADVERBS))})\b"
    r"|n't\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"'s?$")
_PLURAL_TYPES: frozenset[EntityType] = frozenset({"ORG", "NORP", "GPE", "EVENT", "MISC", "PERSON"})


def doubt_about(reading: Reading, item: ExtractionInput, sentence: Sentence, made: Standalone) -> str:
    """Why the claim is not verified, in a few words; nothing where it is."""
    span = item.sentences[sentence.index]
    return (
        unsupported(made.text, item.body[span.start : span.end], [one.new for one in made.substitutions])
        or next(filter(None, (_wrong(one, reading) for one in made.substitutions)), "")
        or next(filter(None, (_contested(one, reading, sentence) for one in made.substitutions)), "")
        or next(filter(None, (_overtaken(one, reading, sentence) for one in made.substitutions)), "")
        or dangling_subject(reading, sentence, made.substitutions)
    )


def doubtful_names(reading: Reading, sentence: Sentence, made: Standalone) -> frozenset[str]:
    """The names put for pronouns in the sentence that can be somebody else's."""
    return frozenset(
        one.antecedent.text
        for one in made.substitutions
        if _contested(one, reading, sentence) or _overtaken(one, reading, sentence)
    )


def unsupported(claim: str, sentence: str, substituted: Iterable[str] = ()) -> str:
    """What in the claim is neither in its sentence nor in what was put in; nothing where all is.

    Words, numbers and dates are compared as they are written, and denials are counted: a claim has as many as
    its sentence.
    """
    known = _words(sentence)
    parts = {part for word in known for part in word.split("'")}
    for text in substituted:
        known |= _words(text)
    for word in _WORD.findall(plain_text(claim)):
        # "she'll" became "Ana Brel'll"
        if not _stems(word) & known and not set(word.lower().split("'")) <= known | parts:
            return f'"{word}" is not in the sentence'
    if _denials(claim) != _denials(sentence):
        return "what the sentence denies and what the claim denies differ"
    return ""


def _words(text: str) -> set[str]:
    return {stem for word in _WORD.findall(plain_text(text)) for stem in _stems(word)}


def _stems(word: str) -> set[str]:
    """A word in small letters, with and without the ending of the possessive."""
    lower = word.lower()
    return {lower, _POSSESSIVE.sub("", lower)}


def _denials(text: str) -> Counter[str]:
    return Counter(match.lower() for match in _NEGATION.findall(plain_text(text)))


def _wrong(made: Substitution, reading: Reading) -> str:
    name = made.antecedent
    if made.kind == "date":
        written = plain_text(made.old)
        if name.text in {_resolved(written, reading, ahead) for ahead in (False, True)}:
            return ""
        return f'"{written}" is not {name.text}'
    if name.text not in reading.article:
        return f'"{name.text}" does not stand in the article'
    if made.kind != "name" and not _fits(plain_text(made.old).lower(), name):
        return f'"{plain_text(made.old)}" can\'t be {name.text}'
    return ""


def _resolved(written: str, reading: Reading, ahead: bool) -> str:
    found = dates.resolve(re.sub(r"'s?$", "", written), reading.published, ahead)
    return found.text if found is not None else ""


def _fits(old: str, name: Name) -> bool:
    """Whether a pronoun or a noun ("the company") can stand for the name, by its type and gender."""
    if old in HE | SHE:
        other = "f" if old in HE else "m"
        return name.type == "PERSON" and _gender(name.text) != other
    if old in IT:
        return name.type not in {"PERSON", "NORP"}
    if old in THEY:
        return name.type in _PLURAL_TYPES
    noun = old.rsplit(maxsplit=1)[-1]
    kind = NOUN_KINDS.get(noun) or NOUN_KINDS.get(noun.removesuffix("s"))
    return kind is None or kind == name.type or name.type in FITTING_TYPES.get(kind, {name.type})


def _contested(made: Substitution, reading: Reading, sentence: Sentence) -> str:
    """Who else can be meant, where a nearer name than the antecedent fits the pronoun."""
    old = plain_text(made.old).lower()
    if made.kind != "pronoun":
        return ""
    before = reading.sentences[bisect_left(reading.sentences, sentence.first, key=lambda other: other.end)]
    for first, end in ((sentence.first, sentence.end), (before.first, before.end)):
        near = [
            name
            for i in range(first, end)
            if reading.doc[i].idx < made.start
            and (name := reading.name_at(reading.doc[i])) is not None
            and name.type in NAMED_TYPES
        ]
        if made.antecedent.text in {name.text for name in near}:
            return ""
        for name in reversed(near):
            if _fits(old, name):
                return _either(made, name)
    return ""


def _overtaken(made: Substitution, reading: Reading, sentence: Sentence) -> str:
    """ "For her work, Ana Brel ...": a subject behind the pronoun that fits it and is not its antecedent."""
    if made.kind != "pronoun":
        return ""
    for token in reading.tokens(sentence):
        main = token.dep_ in {"nsubj", "nsubjpass"} and token.head.dep_ == "ROOT"
        name = reading.names.of(reading.entity_at[token.i]) if token.i in reading.entity_at else None
        if main and name is not None and token.idx > made.end and name.text != made.antecedent.text:
            return _either(made, name) if _fits(plain_text(made.old).lower(), name) else ""
    return ""


def _either(made: Substitution, other: Name) -> str:
    return f'"{plain_text(made.old)}" can be {other.text} as well as {made.antecedent.text}'


def _gender(name: str) -> str:
    first = name.split(maxsplit=1)[0]
    if first.lower() in FEMALE_TITLES:
        return "f"
    if first.lower() in MALE_TITLES:
        return "m"
    return genders().get(first, "")
