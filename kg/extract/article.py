"""One article read by the rules: its claims with their triples, and its mentions."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg.extract.candidates import accepted
from kg.extract.claims import is_statement, standalone
from kg.extract.coreference import resolve_references
from kg.extract.grammar import candidates
from kg.extract.mentions import named_mentions
from kg.extract.pipeline import Model
from kg.extract.protocol import Check, ExtractionInput, OverTimeError, TimeLimit, no_check
from kg.extract.reading import Reading, Sentence, read
from kg.extract.verify import doubt_about, doubtful_names
from kg.model import Claim, Extraction, Reject, Triple
from kg.text.opinion import factual_probability

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
        triples=tuple(
            weighed(triples(reading, sentence), doubtful_names(reading, sentence, alone), item.title)
        ),
        doubt=doubt_about(reading, item, sentence, alone),
    )


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
