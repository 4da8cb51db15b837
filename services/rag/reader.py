"""An extractive reader by rules, the documented baseline without a model.

It reads the form of a question first (`question_form`). A question for yes or no, for an order in time or
for one of two things is answered by comparing what the passages say of the things (`comparing`). Any other is
answered by the best candidate of the wanted type that the question does not name itself. Candidates are

- the ends of walks along stated facts that begin at a name in the question, every fact of which but one
  takes up further words of the question; a walk's fit is the share of the question's words that it
  accounts for;
- names and dates in sentences; a sentence's fit is the share of the question's words in it.

Rare words weigh more, those of the clause that asks double. Where the best fit is below `THRESHOLD` the
reader abstains. It looks at words, not at meaning.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from services.rag.comparing import compared
from services.rag.fact_walk import walks
from services.rag.protocol import Name, Passage
from services.rag.question_form import QuestionForm, question_form
from services.rag.question_words import covered, question_weights, words
from services.rag.sentence_match import Sentence, candidates, names_in, sentences_of

READER = "extractive-2"
NO_ANSWER = "Insufficient information"

THRESHOLD = 0.4
"""The least fit of an answer. Picked on the bundled corpus' 83 questions; see docs/decisions/0018."""

SENTENCE_DISCOUNT = 0.8
"""What a sentence's fit counts beside a walk's: in a sentence the words may stand in any relation."""

SUPPORT_WEIGHT = 0.15
OTHER_TYPE = 0.7
"""What a walk counts that ends in another type than the wanted one: types are often wrong."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer with where it was read: the entity (empty for a literal), the chunk and the sentence.

    `fit` tells how well it answers the question, 0 for none; it can pass 1 where many sentences support it.
    """

    answer: str
    entity: str = ""
    chunk: str = ""
    sentence: str = ""
    fit: float = field(default=0.0, compare=False)


def read_answer(question: str, passages: Sequence[Passage], threshold: float = THRESHOLD) -> Reading:
    """The answer that the passages, best first, give; `NO_ANSWER` where none fits well enough."""
    form = question_form(question)
    sentences = sentences_of(passages)
    weights = question_weights(question, (sentence.words for sentence in sentences))
    if form.kind != "open":
        found = compared(question, form, passages, sentences, weights)
        reading = (
            Reading(found.answer, found.entity, found.chunk, found.sentence, found.fit) if found else None
        )
    else:
        reading = _best(question, form, passages, sentences, weights)
    return reading if reading is not None and reading.fit >= threshold else Reading(NO_ANSWER)


def read_on_the_way(question: str, passages: Sequence[Passage]) -> Reading:
    """What the passages tell towards the answer, whatever its type: an intermediate answer."""
    sentences = sentences_of(passages)
    weights = question_weights(question, (sentence.words for sentence in sentences))
    found = _best(question, QuestionForm("open"), passages, sentences, weights)
    return found or Reading(NO_ANSWER)


def _best(
    question: str,
    form: QuestionForm,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    weights: Mapping[str, float],
) -> Reading | None:
    asked = set(words(question))
    named = names_in(question, passages)
    best: dict[str, Reading] = {}
    support: dict[str, float] = {}
    for reading in (*_walked(form, named, passages, weights), *_stated(form, sentences, weights)):
        found = set(words(reading.answer))
        if reading.entity in named or not found or found <= asked:
            continue
        key = reading.entity or reading.answer
        support[key] = support.get(key, 0.0) + reading.fit
        if key not in best or reading.fit > best[key].fit:
            best[key] = reading
    if not best:
        return None
    return max(
        best.values(),
        key=lambda one: (
            one.fit + SUPPORT_WEIGHT * min(support[one.entity or one.answer] - one.fit, 1.0),
            one.answer,
        ),
    )


def _walked(
    form: QuestionForm,
    named: Mapping[str, frozenset[str]],
    passages: Sequence[Passage],
    weights: Mapping[str, float],
) -> Iterator[Reading]:
    for walk in walks(named, passages, weights):
        end = walk.end
        fit = covered(weights, walk.words) * (
            1 if form.types is None or end.type in form.types else OTHER_TYPE
        )
        yield Reading(end.name, end.entity, walk.chunk, walk.facts[-1].sentence, fit)


def _stated(
    form: QuestionForm, sentences: Sequence[Sentence], weights: Mapping[str, float]
) -> Iterator[Reading]:
    for sentence in sentences:
        fit = covered(weights, sentence.words) * sentence.decay * SENTENCE_DISCOUNT
        if fit == 0:
            continue
        for name in candidates(sentence, form.types):
            yield Reading(_answer(name), name.entity, sentence.passage.chunk, sentence.text, fit)


def _answer(name: Name) -> str:
    return name.name
