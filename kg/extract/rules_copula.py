"""What a form of "be" says of its subject."""

import re
from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Found
from kg.extract.clauses import Clause
from kg.extract.noun_phrases import Phrase, bare_head, conjuncts, objects_of, phrase
from kg.extract.rules_qualifiers import fits_kind


def copula(clause: Clause) -> Iterator[Found]:
    """ "Oslo is the capital of Norway." -> (Oslo, is, capital of Norway)."""
    reading = clause.reading
    for _, subject in clause.actors:
        for noun in _predicate_nouns(clause):
            if reading.entity(noun) is None and not fits_kind(subject, noun):
                continue
            target = phrase(reading, noun)
            disagrees = (
                noun.tag_ == "NNS"
                and clause.verb.lower_ in {"are", "were"}
                and clause.predicate in {"is", "was"}
            )
            if target is not None and disagrees:
                target = replace(target, text=_of_one(target.text, noun))
            if target is not None and target.named and not subject.named:
                continue  # "the capital of Norway is Oslo" is read the other way round
            if target is not None and not _are_unlike(subject, target):
                yield clause.states(subject, clause.predicate, target, "copula")
            if reading.entity(noun) is None:
                base = f"{clause.predicate} {bare_head(reading, noun)}"
                if disagrees:
                    base = _of_one(base, noun)
                yield clause.describes(subject, base, noun, says_what=True)


def _of_one(text: str, noun: Token) -> str:
    """ "Members of the Senate" is said of several; each is "member of the Senate"."""
    return re.sub(rf"\b{re.escape(noun.text)}\b", noun.lemma_, text, count=1)


def _are_unlike(subject: Phrase, target: Phrase) -> bool:
    """Whether two names can't be one thing: nobody is a university, no city a person."""
    if not subject.named or not target.named or "MISC" in {subject.type, target.type}:
        return False
    if "PERSON" in {subject.type, target.type}:
        return target.type not in {subject.type, "NORP"}
    return bool({subject.type, target.type} & {"DATE", "NUMBER"})


def copula_inverse(clause: Clause) -> Iterator[Found]:
    """ "The capital of Norway is Oslo." -> (Oslo, is, capital of Norway)."""
    reading = clause.reading
    for token, description in clause.actors:
        if reading.name_at(token) is not None:
            continue
        for noun in _predicate_nouns(clause):
            subject = phrase(reading, noun)
            if reading.entity(noun) is not None and subject is not None and subject.named:
                yield clause.states(subject, "is", description, "copula-inverse")
                yield clause.describes(subject, f"is {bare_head(reading, token)}", token, says_what=True)


def copula_preposition(clause: Clause) -> Iterator[Candidate]:
    """ "Mount Olympus is in Greece." -> (Mount Olympus, is in, Greece)."""
    if any(child.dep_ in {"attr", "acomp"} for child in clause.verb.children):
        return  # "was successful in" has lost its adjective
    yield from _behind_prepositions(clause, clause.verb, clause.predicate, "copula-preposition")


def copula_adjective(clause: Clause) -> Iterator[Candidate]:
    """ "John Carter is married to Anna Keller." -> (John Carter, is married to, Anna Keller)."""
    for adjective in clause.verb.children:
        if adjective.dep_ == "acomp":
            base = f"{clause.predicate} {adjective.lower_}"
            yield from _behind_prepositions(clause, adjective, base, "copula-adjective")


def _behind_prepositions(clause: Clause, head: Token, base: str, rule: str) -> Iterator[Candidate]:
    """What stands behind the prepositions of `head`, said of each subject by "base preposition"."""
    for child in head.children:
        if child.dep_ != "prep":
            continue
        for token in objects_of(clause.reading, child):
            target = phrase(clause.reading, token)
            if target is not None:
                for _, subject in clause.actors:
                    yield clause.states(subject, f"{base} {child.lower_}", target, rule)


def _attributes(clause: Clause) -> Iterator[Token]:
    return (child for child in clause.verb.children if child.dep_ == "attr")


def _predicate_nouns(clause: Clause) -> Iterator[Token]:
    for attribute in _attributes(clause):
        for noun in conjuncts(clause.reading, attribute):
            if noun.left_edge.i > 0 and noun.left_edge.nbor(-1).text == "," and noun.i == attribute.i:
                continue  # "it was likely, face allegations": a verb that the parser took for a noun
            # "the court of appeal in civil matters, as well as criminal matters": what it is, is one thing
            if noun.i == attribute.i or noun.tag_ != "NNS" or attribute.tag_ == "NNS":
                yield noun


COPULA_RULES = (copula, copula_inverse, copula_preposition, copula_adjective)
