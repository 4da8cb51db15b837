"""The extractor that needs no network and no key: spaCy's parse and rules over it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg.extract.candidates import Candidate, accepted
from kg.extract.claims import is_statement, standalone_text
from kg.extract.coreference import resolve_references
from kg.extract.lexicon import FIRST_AND_SECOND_PERSON
from kg.extract.mentions import named_mentions
from kg.extract.pipeline import load_model
from kg.extract.protocol import ExtractionInput
from kg.extract.reading import Reading, Sentence, read
from kg.extract.rules_life import life_dates
from kg.extract.rules_nouns import facts_about_name, facts_about_noun
from kg.extract.rules_places import places_in_places
from kg.extract.rules_verbs import facts_of_verb
from kg.extract.verbs import is_verb
from kg.extract.version import RULES_VERSION
from kg.model import Claim, Extraction, Triple
from kg.text.opinion import factual_probability


class RuleExtractor:
    """Reads articles one at a time, so that none changes what another gives.

    Raises SettingsError when no English model is installed.
    """

    def __init__(self) -> None:
        self._model = load_model()

    @property
    def name(self) -> str:
        """The version of the rules and the model ("rules-1/en_core_web_sm-3.8.0")."""
        return f"rules-{RULES_VERSION}/{self._model.name}"

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily."""
        for item in items:
            # One by one, so that no article can change another's parse. Batches of 16 took a fifth less time
            # and gave equal parses where we looked, but no matrix library promises that on every machine.
            with self._model.nlp.memory_zone():
                extraction = self._extract(item)
            yield extraction

    def _extract(self, item: ExtractionInput) -> Extraction:
        if not item.body.strip() or not item.sentences:
            return Extraction((), ())
        reading = read(self._model.nlp, item)
        reading = replace(reading, references=resolve_references(reading))
        claims = []
        for sentence in reading.sentences:
            if not is_statement(reading, sentence):
                continue
            span = item.sentences[sentence.index]
            text = item.body[span.start : span.end]
            claims.append(
                Claim(
                    sentence=text,
                    text=standalone_text(reading, item.body, sentence, span),
                    start=span.start,
                    end=span.end,
                    factual=factual_probability(text),
                    triples=tuple(_triples(reading, sentence)),
                )
            )
        return Extraction(tuple(claims), tuple(named_mentions(reading, item.body)))


def _triples(reading: Reading, sentence: Sentence) -> Iterator[Triple]:
    """The sentence's triples, each once; another sentence that says the same is further evidence."""
    seen: set[tuple[str, str, str, bool, str]] = set()
    for candidate in _candidates(reading, sentence):
        triple = accepted(candidate, reading.published)
        if triple is None:
            continue
        words = triple.subject.lower(), triple.predicate.lower(), triple.object.lower()
        key = (*words, triple.negated, triple.attributed_to)
        if key not in seen:
            seen.add(key)
            yield triple


def _candidates(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    yield from life_dates(reading, sentence)
    yield from places_in_places(reading, sentence)
    tokens = reading.tokens(sentence)
    speech = {token.i for token in tokens if token.i in reading.quoted}
    personal = any(
        token.lower_ in FIRST_AND_SECOND_PERSON and token.tag_ in {"PRP", "PRP$"}
        for token in tokens
        if token.i in speech
    )
    for token in tokens:
        span = reading.entity(token)
        if span is not None and span.root == token.i:
            yield from facts_about_name(reading, token, span)
        elif span is None and token.pos_ == "NOUN":
            yield from facts_about_noun(reading, token)
        # in "I" speech nobody but the speaker knows who is meant
        if is_verb(token) and not (personal and token.i in speech):
            yield from facts_of_verb(reading, token)
