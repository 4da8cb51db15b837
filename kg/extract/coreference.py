"""Which name a pronoun or a definite nominal ("the company") stands for."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from spacy.tokens import Token

from kg.extract.entities import EntitySpan
from kg.extract.names import Name
from kg.extract.protocol import Check, no_check
from kg.extract.reading import Reading
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType
from kg.text.lexicon import (
    FEMALE_TITLES,
    FITTING_TYPES,
    HE,
    IT,
    MALE_TITLES,
    NOUN_KINDS,
    REFLEXIVE,
    ROLE_WORDS,
    SHE,
    THEY,
    Gender,
    countries,
    genders,
    places,
)

MAX_SENTENCES_BACK_PERSON = 4
MAX_SENTENCES_BACK_THING = 1
MOST_SEEN = 500
"""A pronoun is looked up among so many names before it; five sentences have a tenth of that."""

PROTAGONIST_MENTIONS = 3
"""From so many mentions on, a lone pronoun rather means whom the article is about."""

_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_REFERRING = frozenset({"nsubj", "nsubjpass", "pobj", "dobj", "poss"})
_MODIFYING = frozenset({"amod", "compound", "nmod"})
_NARROWING = frozenset({"amod", "compound", "prep", "relcl", "acl", "poss", "appos", "nmod", "nummod"})
_THINGS: frozenset[EntityType] = frozenset({"ORG", "FAC", "WORK", "PRODUCT", "EVENT", "LAW"})
_PLACES: frozenset[EntityType] = frozenset({"GPE", "LOC", "MISC"})


@dataclass(frozen=True, slots=True)
class _Seen:
    name: Name
    sentence: int
    subject: bool


@dataclass(slots=True)
class _Memory:
    """What has been read so far, in text order."""

    seen: list[_Seen] = field(default_factory=list)
    references: dict[int, Name] = field(default_factory=dict)
    gender: dict[str, Gender] = field(default_factory=dict)
    mentions: Counter[str] = field(default_factory=Counter)
    described: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))

    def since(self, sentence: int) -> list[_Seen]:
        """What was seen from that sentence on, at most `MOST_SEEN` of it."""
        first = bisect_left(self.seen, sentence, key=lambda seen: seen.sentence)
        return self.seen[max(first, len(self.seen) - MOST_SEEN) :]


def resolve_references(reading: Reading, check: Check = no_check) -> Mapping[int, Name]:
    """The name by token index, for pronouns and definite nominals that have one."""
    protagonist = _protagonist(reading)
    memory = _Memory()
    starts = {span.start: span for span in reading.spans}
    for token in reading.doc:
        check()
        span = starts.get(token.i)
        if span is not None:
            _remember(memory, reading, span)
        if token.i in reading.entity_at or token.i in reading.quoted:
            continue
        found = _referent(memory, reading, token, protagonist)
        if found is not None:
            memory.references[token.i] = found
            if token.dep_ in _SUBJECT:
                memory.seen.append(_Seen(found, reading.sentence_of[token.i], subject=True))
    return MappingProxyType(memory.references)


def _protagonist(reading: Reading) -> Name | None:
    """Whom the article is about: the name in its title, else the subject of the first sentence."""
    title = reading.names.subject
    if title:
        for span in reading.spans[:6]:
            name = reading.names.of(span)
            if name.text == title or (len(name.text) > 3 and (name.text in title or title in name.text)):
                return name
    for span in reading.spans:
        if reading.sentence_of[span.start] != reading.sentence_of[reading.spans[0].start]:
            break
        if reading.doc[span.root].dep_ in _SUBJECT and span.type in NAMED_TYPES - {"NORP"}:
            return reading.names.of(span)
    return None


def _remember(memory: _Memory, reading: Reading, span: EntitySpan) -> None:
    if span.type in LITERAL_TYPES:
        return
    name = reading.names.of(span)
    root = reading.doc[span.root]
    memory.mentions[name.text] += 1
    head = root.head if root.dep_ == "conj" else root
    subject = head.dep_ in _SUBJECT and head.head.dep_ not in {"relcl", "advcl"}
    memory.seen.append(_Seen(name, reading.sentence_of[span.start], subject))
    if name.type == "PERSON":
        _learn_gender(memory, reading, span, name)
    for noun in _descriptions(root):
        memory.described[noun.lemma_.lower()].append(name)
        if modifiers(noun):
            memory.described[_as_described(noun)].append(name)
    title = _title(reading, span)
    if title:
        memory.described[title].append(name)


def _learn_gender(memory: _Memory, reading: Reading, span: EntitySpan, name: Name) -> None:
    before = reading.doc[span.start - 1].lower_.rstrip(".") if span.start else ""
    if before in MALE_TITLES:
        memory.gender[name.text] = "m"
    elif before in FEMALE_TITLES:
        memory.gender[name.text] = "f"
    elif name.text not in memory.gender and " " in name.text:
        known = genders().get(name.text.split()[0])
        if known:
            memory.gender[name.text] = known


def _descriptions(root: Token) -> list[Token]:
    """Common nouns that say what a name is: "Bergen, a city", "X is a company"."""
    nouns = [child for child in root.children if child.dep_ == "appos"]
    if root.dep_ in _SUBJECT and root.head.lemma_ == "be":
        nouns += [child for child in root.head.children if child.dep_ == "attr"]
    if root.dep_ == "appos":
        nouns.append(root.head)
    return [noun for noun in nouns if noun.pos_ == "NOUN"]


def _title(reading: Reading, span: EntitySpan) -> str:
    """The office of two words or more right before a name, as in "Foreign Minister Jan Novak"."""
    words: list[str] = []
    for i in range(span.start - 1, -1, -1):
        token = reading.doc[i]
        if token.dep_ != "compound" or not token.is_alpha or i in reading.entity_at:
            break
        words.insert(0, token.lower_)
    return " ".join(words) if len(words) > 1 and words[-1] in ROLE_WORDS else ""


def modifiers(noun: Token) -> list[Token]:
    """Adjectives and nouns right before a noun that say which one: "health" of "the health minister"."""
    return [child for child in noun.lefts if child.dep_ in _MODIFYING]


def _as_described(noun: Token) -> str:
    return " ".join([*(child.lower_ for child in modifiers(noun)), noun.lemma_.lower()])


def _referent(memory: _Memory, reading: Reading, token: Token, protagonist: Name | None) -> Name | None:
    word = token.lower_
    if word in HE or word in SHE:
        return _person(memory, reading, token, protagonist, "m" if word in HE else "f")
    if word in IT and token.tag_ in {"PRP", "PRP$"}:
        return _thing(memory, reading, token, protagonist)
    if word in THEY:
        # a plural that names nobody by itself is only safe right behind an organisation or a people
        return _pick(
            memory,
            reading.sentence_of[token.i],
            lambda seen: seen.name.type in {"ORG", "NORP"} and seen.subject,
            MAX_SENTENCES_BACK_THING,
            protagonist,
        )
    if token.tag_ == "NN":
        return _definite_nominal(memory, token, protagonist)
    return None


def _person(
    memory: _Memory, reading: Reading, token: Token, protagonist: Name | None, gender: Gender
) -> Name | None:
    beside = _arguments_beside(memory, reading, token)

    def fits(seen: _Seen) -> bool:
        name = seen.name
        return (
            (name.type == "PERSON" or (seen.subject and name == protagonist and _may_be_somebody(name)))
            and memory.gender.get(name.text, gender) == gender
            and name.text not in beside
        )

    found = _pick(memory, reading.sentence_of[token.i], fits, MAX_SENTENCES_BACK_PERSON, protagonist)
    if found is None and protagonist and protagonist.type in {"PERSON", "MISC"}:
        if memory.gender.get(protagonist.text, gender) != gender or protagonist.text in beside:
            return None
        found = protagonist
    if found is not None:
        found = Name(found.text, "PERSON")
        memory.gender.setdefault(found.text, gender)
        memory.mentions[found.text] += 1
    return found


def _may_be_somebody(name: Name) -> bool:
    """Whether a name that the parser knows nothing of may be a person's: "Nerio returned. He ..."."""
    return name.type in {"MISC", "GPE"} and name.text not in places() and name.text not in countries()


def _arguments_beside(memory: _Memory, reading: Reading, token: Token) -> set[str]:
    """Names that share the verb with the pronoun, so that they can't be it ("he met X", "X met him")."""
    if token.dep_ in _SUBJECT:
        others = [part for child in token.head.children for part in (child, *child.children)]
        others = [part for part in others if part.dep_ in {"dobj", "pobj", "dative", "attr"}]
    elif token.dep_ in {"dobj", "dative", "pobj"} and token.lower_ not in REFLEXIVE:
        verb = token.head.head if token.head.pos_ == "ADP" else token.head
        others = [child for child in verb.children if child.dep_ in _SUBJECT]
    else:
        return set()
    names = [reading.names.of(reading.entity_at[part.i]) for part in others if part.i in reading.entity_at]
    names += [memory.references[part.i] for part in others if part.i in memory.references]
    return {name.text for name in names}


def _thing(memory: _Memory, reading: Reading, token: Token, protagonist: Name | None) -> Name | None:
    subject = token.dep_ in _SUBJECT
    if subject and _is_expletive(token):
        return None
    sentence = reading.sentence_of[token.i]
    beside = _arguments_beside(memory, reading, token)

    def fits(seen: _Seen) -> bool:
        about_it = protagonist is not None and seen.name.text == protagonist.text
        kind = "PERSON" if seen.name.text in memory.gender else seen.name.type
        return (
            seen.subject
            and (
                kind in _THINGS
                or (about_it and kind != "PERSON")
                or (token.tag_ == "PRP$" and seen.sentence == sentence and kind in _PLACES)
            )
            and seen.name.text not in beside
        )

    found = _pick(memory, sentence, fits, MAX_SENTENCES_BACK_THING, protagonist)
    if subject and protagonist and protagonist.type not in {"PERSON", "NORP"}:
        in_sentence = any(
            seen.sentence == sentence and seen.name == found
            for seen in memory.since(sentence)
            if seen.subject
        )
        if not in_sentence and (found is None or protagonist.type in _THINGS):
            return protagonist
    return found


_EXPLETIVE = frozenset(
    {"be", "seem", "appear", "take", "become", "emerge", "happen", "follow", "transpire", "turn", "remain"}
)


def _is_expletive(token: Token) -> bool:
    """ "It is likely that ...": the pronoun stands for the clause."""
    verb = token.head
    clause = any(child.dep_ in {"ccomp", "xcomp", "advcl"} for child in verb.children)
    clause = clause or any(
        grandchild.dep_ in {"ccomp", "xcomp"}
        for child in verb.children
        if child.dep_ == "acomp"
        for grandchild in child.children
    )
    # "it is his contacts with them that ..."
    cleft = verb.lemma_ == "be" and any(
        grandchild.dep_ == "relcl" or (grandchild.dep_ == "poss" and grandchild.tag_ == "PRP$")
        for child in verb.children
        if child.dep_ == "attr"
        for grandchild in child.children
    )
    return cleft or (clause and verb.lemma_ in _EXPLETIVE)


def _definite_nominal(memory: _Memory, token: Token, protagonist: Name | None) -> Name | None:
    children = list(token.children)
    definite = any(child.dep_ == "det" and is_definite(child) for child in children)
    narrowing = [child for child in children if child.dep_ in _NARROWING]
    if not definite or token.dep_ not in _REFERRING:
        return None
    if narrowing:
        # "The health minister" is whom the article calls so, if it calls nobody else so.
        called = memory.described.get(_as_described(token), [])
        return called[0] if narrowing == modifiers(token) and len(set(called)) == 1 else None
    noun = token.lemma_.lower()
    if noun in memory.described:
        found = memory.described[noun]
        return protagonist if protagonist in found else found[-1]
    kind = NOUN_KINDS.get(noun)
    if (
        kind
        and kind != "PERSON"
        and protagonist
        and protagonist.type in FITTING_TYPES[kind]
        and token.dep_ in _SUBJECT
    ):
        return protagonist
    return None


def is_definite(determiner: Token) -> bool:
    """Whether a determiner points at something already known."""
    return determiner.lower_ in {"the", "this"}


def _pick(
    memory: _Memory,
    sentence: int,
    fits: Callable[[_Seen], bool],
    back: int,
    protagonist: Name | None,
) -> Name | None:
    """The subject of this sentence, the article's protagonist, the last subject, the last fitting name."""
    found = [seen for seen in memory.since(sentence - back) if fits(seen)]
    if not found:
        return None
    here = [seen for seen in found if seen.sentence == sentence]
    subjects_here = [seen for seen in here if seen.subject]
    if subjects_here:
        return subjects_here[-1].name
    subjects_before = [seen for seen in found if seen.subject and seen.sentence < sentence]
    just_before = [seen for seen in subjects_before if seen.sentence == sentence - 1]
    main = protagonist is not None and any(seen.name.text == protagonist.text for seen in found)
    if protagonist and main and not just_before and memory.mentions[protagonist.text] >= PROTAGONIST_MENTIONS:
        return protagonist
    if subjects_before and (just_before or not here):
        return subjects_before[-1].name
    return here[-1].name if here else found[-1].name
