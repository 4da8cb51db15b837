"""What the rules see in a text, sentence by sentence, and which rule made what of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kg.extract.article import weighed, whole_reading
from kg.extract.candidates import Candidate, accepted
from kg.extract.claims import Substitution, is_statement, standalone
from kg.extract.grammar import candidates
from kg.extract.mentions import named_mentions
from kg.extract.pipeline import Model
from kg.extract.protocol import ExtractionInput
from kg.extract.reading import Reading, Sentence
from kg.extract.rule_table import RULES, Rule
from kg.extract.verify import doubt_about, doubtful_names
from kg.model import Mention, Triple
from kg.text.opinion import Sign, factual_probability, signs
from kg.text.sentences import sentence_spans


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
            for triple in weighed(
                _taken(reading, proposed), doubtful_names(reading, sentence, alone), item.title
            )
        ),
        refused=tuple(_refused(reading, proposed)),
    )


def _taken(reading: Reading, proposed: list[Candidate]) -> Iterator[Triple]:
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
