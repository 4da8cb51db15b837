"""One article read by the rules: its claims with their triples, and its mentions."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg.extract.candidates import accepted
from kg.extract.claims import is_statement, standalone
from kg.extract.coreference import resolve_references
from kg.extract.grammar import candidates
from kg.extract.mentions import named_mentions
from kg.extract.pipeline import Model
from kg.extract.protocol import ExtractionInput
from kg.extract.reading import Reading, Sentence, read
from kg.extract.verify import doubt_about, doubtful_names
from kg.model import Claim, Extraction, Triple
from kg.text.opinion import factual_probability

DOUBTED_CONFIDENCE = 0.5
"""At most this much for what a pronoun's name is said to do where another name fits as well."""


def read_article(model: Model, item: ExtractionInput) -> Extraction:
    """What the rules read in an article; nothing outside the article counts, so the order never does."""
    if not item.body.strip() or not item.sentences:
        return Extraction((), ())
    # One by one, so that no article can change another's parse. Batches of 16 took a fifth less time
    # and gave equal parses where we looked, but no matrix library promises that on every machine.
    with model.nlp.memory_zone():
        reading = whole_reading(model, item)
        claims = [
            _claim(reading, item, sentence)
            for sentence in reading.sentences
            if is_statement(reading, sentence)
        ]
        return Extraction(tuple(claims), tuple(named_mentions(reading, item.body)))


def whole_reading(model: Model, item: ExtractionInput) -> Reading:
    """The article parsed, with its names and what its pronouns stand for."""
    reading = read(model.nlp, item)
    return replace(reading, references=resolve_references(reading))


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
