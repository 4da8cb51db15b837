"""The rules at work: every rule on what it reads, in the order of the sentence."""

from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description, Found
from kg.extract.clauses import read_clause
from kg.extract.entities import EntitySpan
from kg.extract.lexicon import FIRST_AND_SECOND_PERSON
from kg.extract.mood import ATTRIBUTED_CONFIDENCE, UNNAMED_SOURCE, Mood
from kg.extract.noun_phrases import phrase
from kg.extract.reading import Reading, Sentence
from kg.extract.rule_table import RULES, Rule
from kg.extract.rules_copula import COPULA_RULES
from kg.extract.rules_life import birth_date, birth_place, death_date, death_place
from kg.extract.rules_nouns import NAME_RULES, NOUN_RULES
from kg.extract.rules_places import place_beyond, place_chain
from kg.extract.rules_qualifiers import DESCRIPTION_RULES
from kg.extract.rules_verbs import VERB_RULES
from kg.extract.verbs import is_copula, is_verb

_QUOTED = Mood(ATTRIBUTED_CONFIDENCE, attributed_to=UNNAMED_SOURCE)

SENTENCE_RULES = (birth_date, birth_place, death_date, death_place, place_chain)

__all__ = ["RULES", "Rule", "candidates"]


def candidates(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """What the rules propose for a sentence; `kg.extract.candidates.accepted` chooses among them."""
    for found in _found(reading, sentence):
        for candidate in _read_inside(reading, found):
            yield candidate
            yield from place_beyond(reading, sentence, candidate)


def _read_inside(reading: Reading, found: Found) -> Iterator[Candidate]:
    if isinstance(found, Description):
        for rule in DESCRIPTION_RULES:
            yield from rule(reading, found)
    else:
        yield found


def _found(reading: Reading, sentence: Sentence) -> Iterator[Found]:
    for rule in SENTENCE_RULES:
        yield from rule(reading, sentence)
    tokens = reading.tokens(sentence)
    personal = _is_personal_speech(reading, tokens)
    for token in tokens:
        span = reading.entity(token)
        if span is not None and span.root == token.i:
            yield from _around_name(reading, span)
        elif span is None and token.pos_ == "NOUN":
            for noun_rule in NOUN_RULES:
                yield from noun_rule(reading, token)
        # in "I" speech nobody but the speaker knows who is meant
        if is_verb(token) and not (personal and token.i in reading.quoted):
            yield from _of_verb(reading, token)


def _is_personal_speech(reading: Reading, tokens: list[Token]) -> bool:
    return any(
        token.i in reading.quoted
        and token.lower_ in FIRST_AND_SECOND_PERSON
        and token.tag_ in {"PRP", "PRP$"}
        for token in tokens
    )


def _around_name(reading: Reading, span: EntitySpan) -> Iterator[Found]:
    subject = phrase(reading, reading.doc[span.root])
    if subject is not None and subject.named:
        for rule in NAME_RULES:
            for found in rule(reading, span, subject):
                opinion = isinstance(found, Candidate) and found.rule == "apposition"
                # "Ana Brel, a lovely guy" in a quotation is what somebody thinks of her
                yield replace(found, mood=_QUOTED) if opinion and span.root in reading.quoted else found


def _of_verb(reading: Reading, verb: Token) -> Iterator[Found]:
    clause = read_clause(reading, verb)
    if clause is not None:
        for rule in COPULA_RULES if is_copula(verb) else VERB_RULES:
            yield from rule(clause)
