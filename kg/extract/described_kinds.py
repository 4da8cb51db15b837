"""Types that the text itself gives to names: "Terror is a 1975 film" makes Terror a work."""

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc, Token

from kg.extract.entities import EntitySpan
from kg.extract.lexicon import FITTING_TYPES, GIVEN_NAMES_OF_PLACES, NOUN_KINDS, TITLES_OF_PEOPLE
from kg.extract.name_tables import genders
from kg.model import LITERAL_TYPES, EntityType


def described_kinds(doc: Doc, spans: Sequence[EntitySpan]) -> Mapping[str, EntityType]:
    """Type by name, where the first noun said of a name doesn't fit the recogniser's type."""
    kinds: dict[str, EntityType] = {}
    for span in spans:
        if span.type in LITERAL_TYPES or span.type == "NORP" or span.text in kinds:
            continue
        kind = _kind(doc[span.root])
        if kind is None and _is_person(doc, span):
            kind = "PERSON"
        if kind is not None and span.type not in FITTING_TYPES[kind] | {kind}:
            kinds[span.text] = kind
    return kinds


def _is_person(doc: Doc, span: EntitySpan) -> bool:
    """Whether an office, a form of address or a given name makes the name a person's."""
    if not doc[span.start].is_sent_start:
        before = doc[span.start - 1]
        office = before.pos_ == "NOUN" and NOUN_KINDS.get(before.lower_) == "PERSON"
        if before.head.i == span.root and (office or before.lower_.rstrip(".") in TITLES_OF_PEOPLE):
            return True
    words = span.text.split()
    if span.type not in {"MISC", "ORG"} or not all(word.replace("-", "").isalpha() for word in words):
        return False
    return len(words) in {2, 3} and words[0] in genders() and words[0] not in GIVEN_NAMES_OF_PLACES


def _kind(root: Token) -> EntityType | None:
    nouns: list[Token] = []
    if root.dep_ == "nsubj" and root.head.lemma_ == "be":
        nouns = [child for child in root.head.children if child.dep_ == "attr"]
    nouns += [child for child in root.children if child.dep_ == "appos"]
    for noun in nouns:
        article = any(child.dep_ == "det" and child.lower_ in {"a", "an"} for child in noun.children)
        if noun.tag_ == "NN" and article:
            return NOUN_KINDS.get(noun.lemma_.lower())
    return None
