"""How a model reads one article: facts as claims first, then their verification beside their triples."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.extract.descriptions import completed, untold, whole_descriptions
from kg.extract.model_answers import (
    ClaimDraft,
    FoundTriples,
    reasons,
    take_claim,
    take_doubt,
    take_triples,
)
from kg.extract.model_grounding import ungrounded
from kg.extract.model_names import SearchedText, find_mentions, given_names, searched, whole_names
from kg.extract.model_requests import check_request, claims_request, triples_prompt, triples_request
from kg.extract.model_rounds import Answers, Question, ask_until_answered
from kg.extract.model_steps import Steps, together
from kg.extract.model_text import (
    LONGEST_SENTENCE,
    NumberedArticle,
    listed,
    numbered,
    request_batches,
    too_long,
    worth_asking,
)
from kg.extract.protocol import ExtractionInput
from kg.llm.protocol import ModelRequest
from kg.model import Claim, EntityType, Extraction, Reject, Triple

FACTUAL = 0.9
"""The probability of a fact that a model calls one; it gives no number of its own."""

NOT_CHECKED = "could not be checked against its sentence"


class Dropped(Reject):
    """Something in an answer that was not taken as data; asking again would bring the same answer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """Claims of an article by sentence number, with doubts and triples."""

    claims: Mapping[int, str]
    doubts: Mapping[int, str]
    triples: Mapping[int, FoundTriples]


def read_article(item: ExtractionInput) -> Steps[Extraction]:
    """The steps from an article to its extraction; a failure costs the sentences that it names, no more."""
    article = numbered(item)
    sentences = worth_asking(article)
    if not sentences:
        return Extraction((), ())
    drafts = yield from ask_until_answered(
        _claims_question(article),
        request_batches([(number, article.sentence(number)) for number in sentences]),
    )
    claims = {
        number: drafts.taken[number].text for number in sorted(drafts.taken) if drafts.taken[number].text
    }
    text = " ".join((article.title, *article.sentences))
    doubts = {
        number: doubt
        for number, claim in claims.items()
        if (doubt := ungrounded(claim, text, article.published))
    }
    batches = request_batches(list(claims.items()))
    to_check = request_batches([(n, claim) for n, claim in claims.items() if n not in doubts])
    checked, found = yield from _checked_beside_triples(article, claims, to_check, batches, searched(text))
    read = _Read(
        claims,
        {**dict.fromkeys(claims, NOT_CHECKED), **checked.taken, **doubts},
        _with_known_ends(_with_whole_names(found.taken), claims),
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
) -> Steps[tuple[Answers[str], Answers[FoundTriples]]]:
    """Verdicts and triples, which don't wait for each other."""
    rule = triples_prompt().id
    check = Question(
        task="check of claims",
        key="checks",
        request=lambda numbers: check_request(article, claims, numbers),
        take=lambda _, item: take_doubt(item),
    )
    find = Question(
        task="triples",
        key="statements",
        request=lambda numbers: triples_request(article, claims, numbers),
        take=lambda number, item: take_triples(item, claims[number], text, article.published, rule),
    )
    return (yield from together(ask_until_answered(check, to_check), ask_until_answered(find, batches)))


def _with_whole_names(found: Mapping[int, FoundTriples]) -> dict[int, FoundTriples]:
    """The triples with the whole name for a surname or a first name that one person of the article has."""
    ends = [end for one in found.values() for triple in one.kept for end in _ends(triple)]
    whole = whole_names(ends)
    given = given_names(ends)

    def completed(name: str, kind: EntityType) -> str:
        if kind == "PERSON" and name in given:
            return given[name]
        return whole.get(name, name) if kind in {"PERSON", "MISC"} else name

    return {
        number: replace(
            one,
            kept=tuple(
                replace(
                    triple,
                    subject=completed(triple.subject, triple.subject_type),
                    object=completed(triple.object, triple.object_type),
                    attributed_to=whole.get(triple.attributed_to, triple.attributed_to),
                )
                for triple in one.kept
            ),
        )
        for number, one in found.items()
    }


def _with_known_ends(found: Mapping[int, FoundTriples], claims: Mapping[int, str]) -> dict[int, FoundTriples]:
    """The triples whose ends can be told without their claims, made whole by the article's other ends."""
    known = whole_descriptions(end for one in found.values() for triple in one.kept for end in _ends(triple))
    told = {}
    for number, one in found.items():
        dropped = Counter(one.dropped)
        kept: dict[Triple, None] = {}
        for given in one.kept:
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


def _extraction(item: ExtractionInput, read: _Read, troubles: Sequence[Reject]) -> Extraction:
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
                triples=found.kept if found else (),
                doubt=read.doubts[number],
            )
        )
    names = (end for claim in claims for triple in claim.triples for end in _ends(triple))
    return Extraction(tuple(claims), tuple(find_mentions(item.body, names)), tuple(troubles))
