"""The extractor that asks a language model, with the requests of many articles under way at once.

How a model reads one article: facts as claims first, then their verification beside their triples.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain

from kg.extract.model_answers import (
    ClaimDraft,
    FoundTriples,
    reasons,
    take_claim,
    take_doubt,
    take_triples,
    ungrounded,
)
from kg.extract.model_phrases import completed, untold, whole_descriptions
from kg.extract.model_requests import (
    Answers,
    Question,
    Running,
    Steps,
    ask_until_answered,
    check_prompt,
    check_request,
    claims_prompt,
    claims_request,
    together,
    triples_prompt,
    triples_request,
)
from kg.extract.model_text import (
    LONGEST_SENTENCE,
    NumberedArticle,
    SearchedText,
    find_mentions,
    given_names,
    listed,
    numbered,
    request_batches,
    searched,
    too_long,
    whole_names,
    worth_asking,
)
from kg.extract.protocol import MODEL_VERSION, ExtractionInput
from kg.llm.protocol import Estimate, Model, ModelOutcome, ModelRequest
from kg.model import Claim, EntityType, Extraction, Reject, Triple

FACTUAL = 0.9
"""The probability of a fact that a model calls one; it gives no number of its own."""

NOT_CHECKED = "could not be checked against its sentence"


class Dropped(Reject):
    """Something in an answer that was not taken as data; asking again would bring the same answer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _ReadSentences:
    """Claims of an article by sentence number, with doubts and triples."""

    claims: Mapping[int, str]
    doubts: Mapping[int, str]
    triples: Mapping[int, FoundTriples]


def read_article(item: ExtractionInput, concepts: bool = False) -> Steps[Extraction]:
    """The steps from an article to its extraction; a failure costs the sentences that it names, no more.

    With `concepts` a fact may be about any noun phrases, without a name in either.
    """
    article = numbered(item)
    sentences = worth_asking(article)
    if not sentences:
        return Extraction((), ())
    drafts = yield from ask_until_answered(
        _claims_question(article),
        request_batches([(number, article.sentence(number)) for number in sentences]),
    )
    claims = {
        number: drafts.by_number[number].text
        for number in sorted(drafts.by_number)
        if drafts.by_number[number].text
    }
    text = " ".join((article.title, *article.sentences))
    doubts = {
        number: doubt
        for number, claim in claims.items()
        if (doubt := ungrounded(claim, text, article.published))
    }
    batches = request_batches(list(claims.items()))
    to_check = request_batches([(n, claim) for n, claim in claims.items() if n not in doubts])
    checked, found = yield from _checked_beside_triples(
        article, claims, to_check, batches, searched(text), concepts
    )
    read = _ReadSentences(
        claims,
        {**dict.fromkeys(claims, NOT_CHECKED), **checked.by_number, **doubts},
        _with_known_ends(_with_whole_names(found.by_number), claims),
    )
    troubles = [*drafts.failures, *checked.failures, *found.failures]
    troubles += _dropped(article, drafts.stray + checked.stray + found.stray, read.triples)
    return _extraction(item, read, troubles)


def planned_requests(item: ExtractionInput) -> Iterator[ModelRequest]:
    """The requests for an article if each of its sentences is a fact and nothing has to be asked twice.

    Claims that are not written yet are taken to be a tenth longer than their sentences, as they mostly are.
    """
    article = numbered(item)
    sentences = [(number, article.sentence(number)) for number in worth_asking(article)]
    for batch in request_batches(sentences):
        yield claims_request(article, batch)
    claims = {number: f"{sentence} {sentence[: len(sentence) // 10]}" for number, sentence in sentences}
    for batch in request_batches(list(claims.items())):
        yield check_request(article, claims, batch)
        yield triples_request(article, claims, batch)


def _claims_question(article: NumberedArticle) -> Question[ClaimDraft]:
    return Question(
        task="claims",
        key="sentences",
        request=lambda numbers: claims_request(article, numbers),
        take=lambda number, item: take_claim(article.sentence(number), item),
    )


def _checked_beside_triples(
    article: NumberedArticle,
    claims: Mapping[int, str],
    to_check: Sequence[tuple[int, ...]],
    batches: Sequence[tuple[int, ...]],
    text: SearchedText,
    concepts: bool,
) -> Steps[tuple[Answers[str], Answers[FoundTriples]]]:
    """Verdicts and triples, which don't wait for each other."""
    rule = triples_prompt(concepts).id
    check = Question(
        task="check of claims",
        key="checks",
        request=lambda numbers: check_request(article, claims, numbers),
        take=lambda _, item: take_doubt(item),
    )
    find = Question(
        task="triples",
        key="statements",
        request=lambda numbers: triples_request(article, claims, numbers, concepts),
        take=lambda number, item: take_triples(item, claims[number], text, article.published, rule, concepts),
    )
    return (yield from together(ask_until_answered(check, to_check), ask_until_answered(find, batches)))


def _with_whole_names(found: Mapping[int, FoundTriples]) -> dict[int, FoundTriples]:
    """The triples with the whole name for a surname or a first name that one person of the article has."""
    ends = [end for one in found.values() for triple in one.triples for end in _ends(triple)]
    whole = whole_names(ends)
    given = given_names(ends)

    def completed(name: str, kind: EntityType) -> str:
        if kind == "PERSON" and name in given:
            return given[name]
        return whole.get(name, name) if kind in {"PERSON", "MISC"} else name

    return {
        number: replace(
            one,
            triples=tuple(
                replace(
                    triple,
                    subject=completed(triple.subject, triple.subject_type),
                    object=completed(triple.object, triple.object_type),
                    attributed_to=whole.get(triple.attributed_to, triple.attributed_to),
                )
                for triple in one.triples
            ),
        )
        for number, one in found.items()
    }


def _with_known_ends(found: Mapping[int, FoundTriples], claims: Mapping[int, str]) -> dict[int, FoundTriples]:
    """The triples whose ends can be told without their claims, made whole by the article's other ends."""
    known = whole_descriptions(
        end for one in found.values() for triple in one.triples for end in _ends(triple)
    )
    told = {}
    for number, one in found.items():
        dropped = Counter(one.dropped)
        kept: dict[Triple, None] = {}
        for given in one.triples:
            triple = completed(given, claims[number], known)
            if reason := untold(triple, claims[number]):
                dropped[reason] += 1
            else:
                kept[triple] = None
        told[number] = FoundTriples(tuple(kept), dict(dropped))
    return told


def _ends(triple: Triple) -> tuple[tuple[str, EntityType], tuple[str, EntityType]]:
    return (triple.subject, triple.subject_type), (triple.object, triple.object_type)


def _dropped(
    article: NumberedArticle, stray: Sequence[int], found: Mapping[int, FoundTriples]
) -> Iterator[Dropped]:
    """What was left out, with one line for a reason."""
    if long := too_long(article):
        yield Dropped(listed(long), f"longer than {LONGEST_SENTENCE:,} characters: a table or a list")
    if stray:
        yield Dropped("", f"{len(stray)} answers to sentences that nobody asked about")
    for reason, count in reasons(list(found.values())):
        yield Dropped("", f"{count} triple{'s' if count > 1 else ''} dropped: {reason}")


def _extraction(item: ExtractionInput, read: _ReadSentences, troubles: Sequence[Reject]) -> Extraction:
    claims = []
    for number, text in read.claims.items():
        span = item.sentences[number - 1]
        found = read.triples.get(number)
        claims.append(
            Claim(
                sentence=item.body[span.start : span.end],
                text=text,
                start=span.start,
                end=span.end,
                factual=FACTUAL,
                triples=found.triples if found else (),
                doubt=read.doubts[number],
            )
        )
    names = (end for claim in claims for triple in claim.triples for end in _ends(triple))
    return Extraction(tuple(claims), tuple(find_mentions(item.body, names)), tuple(troubles))


ARTICLES_AT_ONCE = 48
"""Articles that may be begun and not yet handed on: enough for a few dozen requests under way."""


def model_extractor_name(model: str, concepts: bool = False) -> str:
    """What is recorded with all that a model extracted: "model-1/MODEL/write-claims@1+check-claims@1+..."."""
    prompts = "+".join(prompt.id for prompt in (claims_prompt(), check_prompt(), triples_prompt(concepts)))
    return f"model-{MODEL_VERSION}/{model}/{prompts}"


def estimate(model: Model, items: Iterable[ExtractionInput]) -> Estimate:
    """What reading these articles takes, if every sentence is a fact and none is asked about twice.

    Repairs of answers that were no JSON, and second questions about what an answer left out, come on top.
    """
    return model.estimate(chain.from_iterable(map(planned_requests, items)))


class ModelExtractor:
    """Reads articles with a model; the model is opened when the first article comes, and closed at the end.

    `articles_at_once` bounds what is held in memory; it should be several times the model's concurrency. With
    `concepts` facts may be about any noun phrases.
    """

    def __init__(
        self,
        model: str,
        open_model: Callable[[], AbstractContextManager[Model]],
        articles_at_once: int = ARTICLES_AT_ONCE,
        concepts: bool = False,
    ) -> None:
        self._name = model_extractor_name(model, concepts)
        self._concepts = concepts
        self._open_model = open_model
        self._most = articles_at_once

    @property
    def name(self) -> str:
        """The version of this extractor, the model, and the prompts with theirs."""
        return self._name

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily; what failed for an article stands in its extraction.

        Raises:
            ModelRefusedError: the endpoint refused for good.
            ModelUnavailableError: the endpoint does not answer.
            BudgetReachedError: the budget is spent. All articles before the one that is not finished have
                been handed on by then; what was answered for others is in the model's cache.
        """
        with self._open_model() as model:
            desk = _Desk(iter(items), self._most, self._concepts)
            while desk.is_busy():
                # The requests end when all open articles wait for outcomes; then they are asked for anew.
                for outcome in model.ask(desk.requests()):
                    desk.receive(outcome)
                    yield from desk.finished()
                yield from desk.finished()


@dataclass(slots=True)
class _Reading:
    """An article under way: its steps, and the outcomes that came so far of those it waits for."""

    steps: Running[Extraction]
    outcomes: list[ModelOutcome] = field(default_factory=list)


@dataclass(slots=True)
class _Desk:
    """The articles under way, in order, and the requests that are ready or sent."""

    items: Iterator[ExtractionInput]
    most: int
    concepts: bool
    under_way: deque[_Reading] = field(default_factory=deque)
    ready: deque[tuple[_Reading, ModelRequest]] = field(default_factory=deque)
    sent: deque[_Reading] = field(default_factory=deque)

    def is_busy(self) -> bool:
        """Whether there is an article under way, or one to begin."""
        return bool(self.under_way) or self._begin()

    def requests(self) -> Iterator[ModelRequest]:
        """Requests that are ready; articles are begun when there are none."""
        while True:
            while not self.ready and self._begin():
                pass
            if not self.ready:
                return
            reading, request = self.ready.popleft()
            self.sent.append(reading)
            yield request

    def receive(self, outcome: ModelOutcome) -> None:
        """The outcome of the oldest request that was sent."""
        reading = self.sent.popleft()
        reading.outcomes.append(outcome)
        if len(reading.outcomes) == len(reading.steps.wanted):
            outcomes, reading.outcomes = reading.outcomes, []
            reading.steps.receive(outcomes)
            self._want(reading)

    def finished(self) -> Iterator[Extraction]:
        """The extractions that are due, in the order of their articles."""
        while self.under_way and self.under_way[0].steps.is_done:
            yield self.under_way.popleft().steps.result

    def _begin(self) -> bool:
        """Begin one more article, if there is one and room for it."""
        if len(self.under_way) >= self.most:
            return False
        item = next(self.items, None)
        if item is None:
            return False
        reading = _Reading(Running(read_article(item, self.concepts)))
        self.under_way.append(reading)
        self._want(reading)
        return True

    def _want(self, reading: _Reading) -> None:
        self.ready.extend((reading, request) for request in reading.steps.wanted)
