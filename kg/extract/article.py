"""One article read by the rules: its claims with their triples, and its mentions.

What the rules see in a text, sentence by sentence, and which rule made what of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from kg.extract.candidates import Candidate, accepted
from kg.extract.claims import Standalone, Substitution, is_statement, standalone
from kg.extract.coreference import resolve_references
from kg.extract.grammar import candidates
from kg.extract.pipeline import Model
from kg.extract.protocol import Check, ExtractionInput, OverTimeError, TimeLimit, no_check
from kg.extract.reading import Reading, Sentence, named_mentions, read
from kg.extract.rule_table import RULES, Rule
from kg.extract.verify import doubt_about, doubtful_names
from kg.model import Claim, Extraction, Mention, Reject, Triple
from kg.text.opinion import Sign, factual_probability, signs
from kg.text.sentences import sentence_spans

DOUBTED_CONFIDENCE = 0.5
"""At most this much for what a pronoun's name is said to do where another name fits as well."""

_LONGEST_REASON = 200


def read_or_set_aside(model: Model, item: ExtractionInput, limit: TimeLimit) -> Extraction:
    """As `read_article`; of one that can't be read, or not within the limit, the reason as a failure.

    Whatever an article holds, the others of its corpus are read.
    """
    try:
        return read_article(model, item, limit.begin())
    except OverTimeError:
        return set_aside(over_time(limit.seconds))
    except Exception as error:  # noqa: BLE001 - no article may end a build
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return set_aside(f"it could not be read ({told[:_LONGEST_REASON]})")


def set_aside(reason: str) -> Extraction:
    """The extraction of an article of which nothing could be read."""
    return Extraction((), (), (Reject("", reason),))


def over_time(seconds: float) -> str:
    """Why an article is set aside that took too long."""
    return f"reading it took more than {seconds:g} s of processor time (HOPGRADE_ARTICLE_SECONDS)"


def read_article(model: Model, item: ExtractionInput, check: Check = no_check) -> Extraction:
    """What the rules read in an article; nothing outside the article counts, so the order never does."""
    if not item.body.strip() or not item.sentences:
        return Extraction((), ())
    # One by one, so that no article can change another's parse. Batches of 16 took a fifth less time
    # and gave equal parses where we looked, but no matrix library promises that on every machine.
    with model.nlp.memory_zone():
        reading = whole_reading(model, item, check)
        claims = []
        for sentence in reading.sentences:
            check()
            if is_statement(reading, sentence):
                claims.append(_claim(reading, item, sentence))
        return Extraction(tuple(claims), tuple(named_mentions(reading, item.body)))


def whole_reading(model: Model, item: ExtractionInput, check: Check = no_check) -> Reading:
    """The article parsed, with its names and what its pronouns stand for."""
    reading = read(model.nlp, item, check)
    return replace(reading, references=resolve_references(reading, check))


def _claim(reading: Reading, item: ExtractionInput, sentence: Sentence) -> Claim:
    span = item.sentences[sentence.index]
    text = item.body[span.start : span.end]
    alone = standalone(reading, item.body, sentence, span)
    return Claim(
        sentence=text,
        text=alone.text,
        start=span.start,
        end=span.end,
        factual=factual_probability(text),
        triples=tuple(_triples_of(reading, sentence, alone, item.title, triples(reading, sentence))),
        doubt=doubt_about(reading, item, sentence, alone),
    )


def _triples_of(
    reading: Reading, sentence: Sentence, alone: Standalone, title: str, found: Iterable[Triple]
) -> Iterator[Triple]:
    """What the claim of a sentence states; nothing is an aside of whom a pronoun or a noun stands for."""
    referred = {one.antecedent.text for one in alone.substitutions if one.kind in {"pronoun", "noun"}}
    for triple in weighed(found, doubtful_names(reading, sentence, alone), title):
        apart = triple.aside and referred.isdisjoint({triple.subject, triple.object})
        yield replace(triple, aside=apart)


def weighed(found: Iterable[Triple], doubtful: frozenset[str], title: str) -> Iterator[Triple]:
    """The triples, but none about a thing that "it" may not stand for.

    Less trust gets what a doubtful "she" did, and a doubtful "it" that the article is about by its title.
    """
    for triple in found:
        if triple.subject not in doubtful:
            yield triple
        elif triple.subject_type == "PERSON" or triple.subject in title:
            yield replace(triple, confidence=min(triple.confidence, DOUBTED_CONFIDENCE))


def triples(reading: Reading, sentence: Sentence) -> Iterator[Triple]:
    """The sentence's triples, each once; another sentence that says the same is further evidence."""
    seen: set[tuple[str, str, str, bool, str]] = set()
    for candidate in candidates(reading, sentence):
        triple = accepted(candidate, reading.published)
        if triple is None:
            continue
        words = triple.subject.lower(), triple.predicate.lower(), triple.object.lower()
        key = (*words, triple.negated, triple.attributed_to)
        if key not in seen:
            seen.add(key)
            yield triple


@dataclass(frozen=True, slots=True)
class ExplainedTriple:
    """A triple and the rule that made it."""

    triple: Triple
    rule: Rule | None


@dataclass(frozen=True, slots=True)
class Refused:
    """What a rule proposed and was not taken."""

    subject: str
    predicate: str
    object: str
    rule: str


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """A sentence with all that the rules made of it.

    `statement` is false for questions, headlines and tables, of which no claim is made. `doubt` says why the
    claim is not verified; `factual` is the probability of a fact, and `signs` are what it rests on.
    """

    sentence: str
    statement: bool
    claim: str
    substitutions: tuple[Substitution, ...]
    doubt: str
    factual: float
    signs: tuple[Sign, ...]
    mentions: tuple[Mention, ...]
    triples: tuple[ExplainedTriple, ...]
    refused: tuple[Refused, ...]


def explain(model: Model, text: str, title: str, published_at: datetime | None) -> list[ExplainedSentence]:
    """Read a text as an article would be read; pronouns may stand for names in the title or before them."""
    item = ExtractionInput(text, title, published_at, sentence_spans(text))
    if not text.strip():
        return []
    with model.nlp.memory_zone():
        reading = whole_reading(model, item)
        mentions = list(named_mentions(reading, text))
        return [_explained(reading, item, sentence, mentions) for sentence in reading.sentences]


def _explained(
    reading: Reading, item: ExtractionInput, sentence: Sentence, mentions: list[Mention]
) -> ExplainedSentence:
    span = item.sentences[sentence.index]
    written = item.body[span.start : span.end]
    alone = standalone(reading, item.body, sentence, span)
    statement = is_statement(reading, sentence)
    proposed = list(candidates(reading, sentence)) if statement else []
    return ExplainedSentence(
        sentence=written,
        statement=statement,
        claim=alone.text if statement else "",
        substitutions=alone.substitutions if statement else (),
        doubt=doubt_about(reading, item, sentence, alone) if statement else "",
        factual=factual_probability(written),
        signs=tuple(signs(written)),
        mentions=tuple(one for one in mentions if span.start <= one.start and one.end <= span.end),
        triples=tuple(
            ExplainedTriple(triple, RULES.get(triple.rule))
            for triple in _triples_of(reading, sentence, alone, item.title, _accepted_once(reading, proposed))
        ),
        refused=tuple(_refused(reading, proposed)),
    )


def _accepted_once(reading: Reading, proposed: list[Candidate]) -> Iterator[Triple]:
    seen: set[tuple[str, str, str]] = set()
    for candidate in proposed:
        triple = accepted(candidate, reading.published)
        if triple is not None and (key := (triple.subject, triple.predicate, triple.object)) not in seen:
            seen.add(key)
            yield triple


def _refused(reading: Reading, proposed: list[Candidate]) -> Iterator[Refused]:
    for one in proposed:
        if accepted(one, reading.published) is None:
            yield Refused(one.subject.text, one.predicate, one.object.text, one.rule)
