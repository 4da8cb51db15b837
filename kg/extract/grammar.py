"""The rules at work: every rule on what it reads, in the order of the sentence.

What a form of "be" says of its subject.

Birth and death in brackets behind a person's name.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description, Found
from kg.extract.dates import MONTH
from kg.extract.entities import EntitySpan, clean_name
from kg.extract.mood import ATTRIBUTED_CONFIDENCE, PLAIN, Mood
from kg.extract.noun_phrases import Phrase, bare_head, conjuncts, objects_of, phrase
from kg.extract.reading import Reading, Sentence
from kg.extract.rule_table import RULES, Rule
from kg.extract.rules_nouns import NAME_RULES, NOUN_RULES, chained, place_beyond, place_chain
from kg.extract.rules_qualifiers import DESCRIPTION_RULES, fits_kind
from kg.extract.rules_verbs import VERB_RULES, Clause, read_clause
from kg.extract.verbs import is_copula, is_verb
from kg.model import PLACE_TYPES, UNNAMED_SOURCE
from kg.text.lexicon import FIRST_AND_SECOND_PERSON, NOUN_KINDS

YOUNGEST_DEATH = 25
"""Two years in brackets that lie closer together are a term, but in an article's first sentence."""
MAX_OFFSET = 120
"""Brackets further into the sentence are rarely about its first name."""

_DAY = (
    rf"(?:(?:c\.|circa|about)\s*)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{MONTH})\s*,?\s+\d{{3,4}}"
    rf"|(?:{MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+\d{{3,4}}|(?:{MONTH})\s+\d{{4}}|\d{{3,4}}(?:/\d{{2,4}})?)"
)
_PLACE = r"[A-Z][^()\d\u2013\u2014-]{2,50}?"
_LIFE = re.compile(
    rf"\(\s*(?:[^()\d]{{0,60}}?[;,]\s*)?(?:born\s+)?(?P<born>{_DAY})\s*(?:,?\s*(?:in\s+)?(?P<place>{_PLACE})\s*)?"
    rf"[\u2013\u2014-]+\s*(?:died\s+)?(?P<died>{_DAY})\s*(?:,?\s*(?:in\s+)?(?P<grave>{_PLACE})(?=\s*[;)]))?[^()]*\)"
)
_PLACED_LIFE = re.compile(
    rf"\(\s*(?P<place>{_PLACE}),\s*(?P<born>{_DAY})\s*[\u2013\u2014-]+\s*(?P<grave>{_PLACE}),\s*(?P<died>{_DAY})\s*\)"
)
_BORN = re.compile(
    r"\(\s*(?:[^()\d]{0,80}?[;,]\s*)?(?:née [^,;()]+[,;]\s*)?born\s*(?:[A-Z][^()\d]{2,50}?[;,]?\s*)?"
    r"(?:on\s+)?"
    rf"(?P<born>{_DAY})(?:\s*,?\s+(?:in\s+)?(?P<place>[A-Z][^()]{{2,60}}?))?\s*\)"
)
_BORN_IN = re.compile(rf"\(\s*born\s+in\s+(?P<place>{_PLACE})\s+on\s+(?P<born>{_DAY})\s*\)")
_DIED = re.compile(
    rf"\(\s*(?:[^()\d]{{0,60}}?[;,]\s*)?(?:died\s+(?:on\s+)?|[\u2013\u2014]\s*)(?P<died>{_DAY})[^()]*\)"
)


def birth_date(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (born 12 May 1978) is a singer." -> (Ana Brel, was born on, 12 May 1978)."""
    for subject, found in _brackets(reading, sentence):
        day = found.get("born")
        if day:
            yield Candidate(subject, "was born on", Phrase(day, "DATE"), "birth-date", PLAIN)


def death_date(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (1926 - 1994) was a singer." -> (Ana Brel, died on, 1994)."""
    for subject, found in _brackets(reading, sentence):
        day = found.get("died")
        if day:
            yield Candidate(subject, "died on", Phrase(day, "DATE"), "death-date", PLAIN)


def birth_place(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (born 1978 in Lyon, France) is a singer." -> (Ana Brel, was born in, Lyon)."""
    for subject, found in _brackets(reading, sentence):
        yield from _at(subject, "was born in", found.get("place"), "birth-place")


def death_place(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (4 May 1926, Lyon - 7 June 1994, Rome) sang." -> (Ana Brel, died in, Rome)."""
    for subject, found in _brackets(reading, sentence):
        yield from _at(subject, "died in", found.get("grave"), "death-place")


def _at(subject: Phrase, predicate: str, text: str | None, rule: str) -> Iterator[Candidate]:
    if not text or any(letter.isdigit() for letter in text):
        return
    places = [name for name in (clean_name(part) for part in text.split(",")) if len(name) > 1]
    if places:
        yield Candidate(subject, predicate, Phrase(places[0], "GPE"), rule, PLAIN)
    yield from chained([Phrase(name, "GPE") for name in places])


def _brackets(reading: Reading, sentence: Sentence) -> Iterator[tuple[Phrase, Mapping[str, str | None]]]:
    """Whom the first brackets with a life's dates are about, and what they say."""
    first, last = reading.doc[sentence.first], reading.doc[sentence.end - 1]
    text = reading.text[first.idx : last.idx + len(last)]
    if "(" not in text[:MAX_OFFSET]:
        return
    for pattern in (_PLACED_LIFE, _LIFE, _BORN, _BORN_IN, _DIED):
        match = pattern.search(text)
        if match is None or match.start() >= MAX_OFFSET:
            continue
        if sentence.index and _is_term(match.groupdict()):
            return
        subject = _subject(reading, sentence, first.idx + match.start())
        if subject is not None:
            yield subject, match.groupdict()
        return


def _is_term(found: Mapping[str, str | None]) -> bool:
    """Whether two bare years are those of a post or a membership: "bassists Jason Newsted (1986-2001)"."""
    born, died = found.get("born") or "", found.get("died") or ""
    return born.isdigit() and died.isdigit() and int(died) - int(born) < YOUNGEST_DEATH


def _subject(reading: Reading, sentence: Sentence, before: int) -> Phrase | None:
    """The name before the brackets, or the article's subject in its first sentence."""
    if sentence.index == 0 and reading.names.subject and _only_names(reading, sentence, before):
        return Phrase(reading.names.subject, "PERSON")
    opened, ended = (
        bisect_left(reading.spans, place, key=lambda span: span.start)
        for place in (sentence.first, sentence.end)
    )
    for span in reversed(reading.spans[opened:ended]):
        end = reading.doc[span.end - 1].idx + len(reading.doc[span.end - 1])
        if end <= before and not _is_realm(reading, span):
            name = reading.names.of(span)
            return (
                Phrase(name.text, "PERSON") if name.type in {"PERSON", "MISC", "ORG", "GPE", "WORK"} else None
            )
    if sentence.index == 0 and reading.names.subject:
        return Phrase(reading.names.subject, "PERSON")
    return None


def _is_realm(reading: Reading, span: EntitySpan) -> bool:
    """Whether the name only says whose or whence somebody is: "William of Schwedt (1715", "Duke of Sueca"."""
    at = span.start - 1
    at -= at > 0 and reading.doc[at].lower_ == "the"
    return at > 0 and reading.doc[at].lower_ == "of" and reading.doc[at - 1].text[:1].isupper()


def _only_names(reading: Reading, sentence: Sentence, before: int) -> bool:
    """Whether names and titles alone stand before the brackets: "Prince Gaetan, Count of Girgenti (1846"."""
    tokens = [token for token in reading.tokens(sentence) if token.idx < before]
    opening = reading.entity_at.get(sentence.first) or reading.entity_at.get(sentence.first + 1)
    about = opening is not None and (
        reading.names.of(opening).text == reading.names.subject
        or bool({*opening.text.split()} & {*reading.names.subject.split()})
    )
    return about and not any(token.pos_ in {"VERB", "AUX"} or token.lower_ == "and" for token in tokens)


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
                if subject.type == "PERSON" and NOUN_KINDS.get(token.lemma_.lower()) in PLACE_TYPES:
                    continue  # "the cities are Manaus and Belém", where one was taken for a person
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


_QUOTED = Mood(ATTRIBUTED_CONFIDENCE, attributed_to=UNNAMED_SOURCE)

SENTENCE_RULES = (birth_date, birth_place, death_date, death_place, place_chain)

__all__ = ["RULES", "Rule", "candidates"]


def candidates(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """What the rules propose for a sentence; `kg.extract.candidates.accepted` chooses among them."""
    for found in _candidates(reading, sentence):
        for candidate in _read_inside(reading, found):
            yield candidate
            yield from place_beyond(reading, sentence, candidate)


def _read_inside(reading: Reading, found: Found) -> Iterator[Candidate]:
    if isinstance(found, Description):
        for rule in DESCRIPTION_RULES:
            yield from rule(reading, found)
    else:
        yield found


def _candidates(reading: Reading, sentence: Sentence) -> Iterator[Found]:
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
                for noun_found in noun_rule(reading, token):
                    yield _said(noun_found, quoted=token.i in reading.quoted)
        # in "I" speech nobody but the speaker knows who is meant
        if is_verb(token) and not (personal and token.i in reading.quoted):
            yield from _of_verb(reading, token)


def _said(found: Found, *, quoted: bool) -> Found:
    """What stands around a name; in somebody's speech it is a part of what he says, and no aside."""
    return replace(found, mood=replace(found.mood, aside=False)) if quoted and found.mood.aside else found


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
                quoted = span.root in reading.quoted
                yield replace(found, mood=_QUOTED) if opinion and quoted else _said(found, quoted=quoted)


def _of_verb(reading: Reading, verb: Token) -> Iterator[Found]:
    clause = read_clause(reading, verb)
    if clause is not None:
        for rule in COPULA_RULES if is_copula(verb) else VERB_RULES:
            yield from rule(clause)
