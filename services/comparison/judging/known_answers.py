"""Answers of known quality, made from the questions of a comparison: what a judge is tried with.

Nothing here asks anybody or draws by chance: the same rows and the same seed give the same items.

The texts of answers of known quality: wrong, partly right, fluent and empty, padded, in a sentence.

What is drawn is drawn by hashes, so that the same seed gives the same texts with any version of anything.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from math import ceil

from kg.ids import content_hash
from services.answer_match import said_form
from services.answers import NULL, is_abstention, normalise_answer
from services.comparison.judging.calibration import Category, Variant
from services.comparison.judging.measures import Item, gold_hops
from services.comparison.judging.rules_judge import containment, content_words
from services.comparison.protocol import Calibration, Protocol
from services.comparison.records import Answer, Candidates, Chunk, KnownAnswer, Question, Shown

_PARTLY = ("{answer} or {other}", "Either {other} or {answer}", "{answer}, or perhaps {other}")
_SILENCES = (
    "Nobody could tell from what was found here.",
    "What was found leaves this open.",
    "Nothing that was found settles it.",
)
"""What no rule takes for an abstention, and any reader does."""
_SENTENCES = (
    "The answer to the question is {answer}.",
    "What was asked for is {answer}.",
    "By what the passages say, it is {answer}.",
)
_PADDED = (
    "Having gone through all of the passages with care, and having held them against each other, one comes "
    "to this: {answer}. That is what they say, and the rest of what stands there agrees with it.",
    "There is a good deal to be read here, and it repays a second look; in the end it is {answer} that the "
    "passages lead to, as any patient reader will see before long.",
    "To put it in a few words, after weighing what each of the passages has to say: {answer}. So much can be "
    "said with some confidence, and there is little to add to it.",
)
_OPENINGS = (
    "What stands behind this is best understood as part of a longer development",
    "The matter has been seen in many lights over the years",
    "It is a question to which the passages give a remarkably rich reply",
    "Seen as a whole, the record speaks with a clear voice",
)
_MIDDLES = (
    "in which one step led to the next and each of those who took part left a mark",
    "and what emerges is a picture whose parts support each other in a convincing way",
    "since the circumstances of the time shaped what was done as much as those who did it",
    "as becomes plain once the sources are read together and given their due weight",
)
_ENDINGS = (
    "so that the conclusion follows with some force from all that went before.",
    "which is just what the evidence, taken together, establishes beyond dispute.",
    "and it is this that accounts for the outcome in full.",
    "and in that sense the answer is contained in the very way the question is put.",
)
_NUMBER = re.compile(r"\d+")
_OPPOSITE = {"yes": "No", "no": "Yes", "before": "After", "after": "Before"}


def in_drawn_order(values: Iterable[str], *salt: str) -> list[str]:
    """The values, without doubles, in an order that `salt` alone decides."""
    return sorted(dict.fromkeys(values), key=lambda value: content_hash((*salt, value)))


def wrong_answer(key: str, accepted: Sequence[str], others: Sequence[str], evidence: str) -> str | None:
    """Something of the key's kind that is none of the accepted answers, None where nothing is at hand.

    That is the opposite of yes, no, before or after; else the first of `others` of the same kind, one that
    stands in the evidence before one that doesn't; else, where the key holds a number, the key with another.
    """
    opposite = _OPPOSITE.get(normalise_answer(key))
    if opposite is not None:
        return opposite
    forms = (key, *accepted)
    words = frozenset[str]().union(*map(content_words, forms))
    fitting = [
        other
        for other in others
        if _kind(other) == _kind(key) and content_words(other) and words.isdisjoint(content_words(other))
    ]
    in_evidence = (other for other in fitting if said_form(evidence, (other,)))
    found = next(in_evidence, None) or next(iter(fitting), None)
    if found is None and _kind(key) == "number":
        other = _other_number(key)
        return None if said_form(other, forms) else other
    return found


def partly_right(key: str, other: str, *salt: str) -> str | None:
    """The key beside something else, and open which; None where the key has an opposite."""
    if normalise_answer(key) in _OPPOSITE:
        return None
    return _one_of(_PARTLY, *salt).format(answer=key, other=other)


def nonsense(forms: Sequence[str], *salt: str) -> str | None:
    """A fluent sentence that says nothing, and none of the forms; None where every such sentence does."""
    texts = (
        f"{opening}, {middle}, {ending}"
        for opening in in_drawn_order(_OPENINGS, *salt)
        for middle in in_drawn_order(_MIDDLES, *salt)
        for ending in in_drawn_order(_ENDINGS, *salt)
    )
    return next((text for text in texts if said_form(text, forms) is None), None)


def padded(answer: str, forms: Sequence[str], *salt: str) -> str | None:
    """The answer among words that add nothing to it; None where all such words say one of the forms."""
    return _framed(_PADDED, answer, forms, *salt)


def in_a_sentence(answer: str, forms: Sequence[str], *salt: str) -> str | None:
    """The answer in a plain sentence; None where the words around it say one of the forms."""
    return _framed(_SENTENCES, answer, forms, *salt)


def _framed(templates: Sequence[str], answer: str, forms: Sequence[str], *salt: str) -> str | None:
    fitting = [one for one in templates if said_form(one.format(answer=""), forms) is None]
    return _one_of(fitting, *salt).format(answer=answer) if fitting else None


def _one_of(templates: Sequence[str], *salt: str) -> str:
    return in_drawn_order(templates, *salt)[0]


def _kind(text: str) -> str:
    if normalise_answer(text) in _OPPOSITE:
        return "decision"
    if _NUMBER.search(text):
        return "number"
    return "name" if any(word[0].isupper() for word in text.split()) else "words"


def _other_number(key: str) -> str:
    return _NUMBER.sub(lambda match: str(int(match[0]) + 3).zfill(len(match[0])), key, count=1)


VARIED: tuple[Category, ...] = ("right, right evidence", "wrong, right evidence", "partly right")
"""What is also put with reversed evidence and among empty words: right and other answers."""

WORDED: tuple[Category, ...] = ("right, right evidence", "wrong, right evidence")
"""What is also put into a sentence, by rule and by the judge."""

MOST_OTHERS = 400
"""How many answers to other questions wrong answers are taken from."""

MOST_SAID = 0.5
"""From this share of a gold fact's words on, a passage may state the fact, and is no wrong evidence."""

_EXPECTED: Mapping[Category, float] = {
    "right, right evidence": 1.0,
    "right, wrong evidence": 1.0,
    "wrong, right evidence": 0.0,
    "fluent nonsense": 0.0,
    "partly right": 0.5,
    "null, answered": 0.0,
    "null, silent": 1.0,
}
"""The score that each category deserves: evidence is no part of it."""


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """An answer of known quality; `bare` is what it says, the other fields are `figures.CalibrationRow`'s."""

    id: str
    category: Category
    variant: Variant
    expected: float
    shown: bool
    supporting: tuple[str, ...]
    bare: str
    item: Item


@dataclass(frozen=True, slots=True)
class _Material:
    """What a question's items are made of: the gold chunk of each hop, and chunks that bear no hop.

    `beside` are those of the others that fit into the budget with the gold ones.
    """

    question: Question
    gold: tuple[str, ...]
    others: tuple[str, ...]
    beside: tuple[str, ...]
    chunks: Mapping[str, Chunk]


def make_items(
    questions: Sequence[Question],
    chunks: Mapping[str, Chunk],
    candidates: Mapping[str, Candidates],
    protocol: Protocol,
    known: Sequence[KnownAnswer] = (),
) -> tuple[CalibrationItem, ...]:
    """The items of a protocol, except those in a judge's own words; as many of `known` answers as questions.

    So many questions as the protocol says, or all there are, of those that have an answer and gold evidence
    for each hop; as large a share of that number are null questions as there is of them among all, one at
    least where there is room beside another. A category is left out for a question where it can't be made:
    wrong evidence without a passage of the pool that bears nothing, a wrong answer without another of its
    kind.
    """
    seed = f"calibration {protocol.seeds.calibration}"
    usable = {question.id: question for question in questions if _is_usable(question, chunks)}
    nulls = {question.id: question for question in questions if question.kind == NULL}
    number = protocol.calibration.questions
    silent = min(ceil(number * len(nulls) / max(len(questions), 1)), number - 1)
    drawn = in_drawn_order(usable, seed)[: number - silent]
    answers = in_drawn_order((question.answer for question in usable.values()), seed)[:MOST_OTHERS]
    alike = _answers_by_opening(usable.values(), seed)
    budget = protocol.budget.evidence_tokens
    made: list[CalibrationItem] = []
    for name in drawn:
        material = _material(usable[name], chunks, candidates.get(name), budget, seed)
        lists = (alike[_opening(usable[name])], answers)
        made += _items_of(material, lists, protocol.calibration.repeats, seed)
    for name in in_drawn_order(nulls, seed)[:silent]:
        lists = (alike.get(_opening(nulls[name]), []), answers)
        shown = _null_material(nulls[name], chunks, candidates.get(name), budget, seed)
        made += _null_items(shown, lists, protocol.calibration.repeats, seed)
    asked = {question.id: question for question in questions}
    of_run = {one.answer.question: one for one in known}
    for name in in_drawn_order(of_run, seed)[:number]:
        made.append(_known_item(of_run[name], asked[name], chunks))
    return tuple(made)


def _known_item(one: KnownAnswer, question: Question, chunks: Mapping[str, Chunk]) -> CalibrationItem:
    category: Category = "of a run, right" if one.right else "of a run, wrong"
    item = _named(Item("", question, one.answer, chunks), category, "plain")
    name = _id(question, category, "plain", 0)
    return CalibrationItem(name, category, "plain", float(one.right), False, (), one.answer.text, item)


def _null_material(
    question: Question, chunks: Mapping[str, Chunk], pool: Candidates | None, budget: int, seed: str
) -> _Material:
    """Passages of the pool, as many as the question has hops; none is gold."""
    free = in_drawn_order((chunk for chunk, _ in pool.chunks) if pool else (), seed, question.id)
    others = tuple(islice((chunk for chunk in free if chunk in chunks), max(question.hops, 1)))
    return _Material(question, (), _fitting(others, chunks, budget), (), chunks)


def _null_items(
    material: _Material, answers: Sequence[Sequence[str]], repeats: int, seed: str
) -> Iterator[CalibrationItem]:
    """An answer of another question, and a silence in words of its own."""
    salt = (seed, material.question.id)
    texts: list[tuple[Category, str]] = [("null, silent", _one_of(_SILENCES, *salt))]
    if other := next((found for some in answers for found in in_drawn_order(some, *salt)), None):
        texts.append(("null, answered", other))
    evidence = _show_in_steps(material.others, 1)
    for category, text in texts:
        yield _item(material, category, "plain", text, text, evidence)
        for trial in range(1, repeats):
            yield _item(material, category, "repeated", text, text, evidence, trial)


def in_own_words(item: CalibrationItem, text: str) -> CalibrationItem | None:
    """A `sentence` item as the judge worded it; None where his wording lost what the answer says."""
    question = item.item.question
    says_it = said_form(text, (item.bare,)) is not None
    right = said_form(text, (question.answer, *question.accepted)) is not None
    if not says_it or right != (item.expected == 1):
        return None
    worded = replace(item.item, answer=replace(item.item.answer, text=text))
    return replace(
        item, id=own_words_id(item), variant="own wording", item=_named(worded, item.category, "own wording")
    )


def own_words_id(item: CalibrationItem) -> str:
    """The id of a `sentence` item as the judge words it."""
    return _id(item.item.question, item.category, "own wording", 0)


def most_calls(calibration: Calibration, questions: int) -> int:
    """How many calls a model's calibration takes at most over so many questions, rewording included."""
    # Null questions take fewer: they have no evidence that could be turned around.
    repeated = sum(not name.startswith(NULL) for name in _EXPECTED) * calibration.repeats
    of_a_run = calibration.run is not None
    return min(calibration.questions, questions) * (repeated + 2 * len(VARIED) + 3 * len(WORDED) + of_a_run)


def _answers_by_opening(questions: Iterable[Question], seed: str) -> dict[str, list[str]]:
    """Answers to questions that begin alike, as "which town" does: they fit each other's questions."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for question in questions:
        found[_opening(question)].append(question.answer)
    return {opening: in_drawn_order(answers, seed)[:MOST_OTHERS] for opening, answers in found.items()}


def _opening(question: Question) -> str:
    return " ".join(question.text.casefold().split()[:2])


def _is_usable(question: Question, chunks: Mapping[str, Chunk]) -> bool:
    hops = gold_hops(question)
    return (
        bool(hops)
        and not is_abstention(question.answer)
        and all(any(gold.chunk in chunks for gold in golds) for _, golds in hops)
    )


def _material(
    question: Question, chunks: Mapping[str, Chunk], pool: Candidates | None, budget: int, seed: str
) -> _Material:
    gold = tuple(
        dict.fromkeys(
            next(one.chunk for one in golds if one.chunk in chunks) for _, golds in gold_hops(question)
        )
    )
    free = in_drawn_order((chunk for chunk, _ in pool.chunks) if pool else (), seed, question.id)
    bare = (chunk for chunk in free if chunk in chunks and _bears_nothing(question, chunks[chunk]))
    others = tuple(islice(bare, len(gold)))
    taken = sum(chunks[chunk].tokens for chunk in gold)
    return _Material(
        question, gold, _fitting(others, chunks, budget), _fitting(others, chunks, budget - taken), chunks
    )


def _bears_nothing(question: Question, chunk: Chunk) -> bool:
    text = f"{chunk.title}\n{chunk.text}"
    if said_form(text, (question.answer, *question.accepted)):
        return False
    return all(chunk.id != gold.chunk and containment(gold.claim, text) < MOST_SAID for gold in question.gold)


def _fitting(names: Sequence[str], chunks: Mapping[str, Chunk], tokens: int) -> tuple[str, ...]:
    """The first of the chunks that fit into so many tokens together; one at least, so that there is some."""
    spent = accumulate(chunks[name].tokens for name in names)
    fits = sum(sum_of <= tokens for sum_of in spent)
    return tuple(names[: max(1, fits)])


def _items_of(
    material: _Material, answers: Sequence[Sequence[str]], repeats: int, seed: str
) -> Iterator[CalibrationItem]:
    question = material.question
    forms, salt = (question.answer, *question.accepted), (seed, question.id)
    for category, text, chunks in _plain(material, answers, seed):
        evidence = _show_in_steps(chunks, len(material.gold))
        yield _item(material, category, "plain", text, text, evidence)
        for trial in range(1, repeats):
            yield _item(material, category, "repeated", text, text, evidence, trial)
        if category in VARIED:
            yield _item(material, category, "reversed", text, text, _reversed(evidence))
            long = padded(text, forms, *salt)
            if long is not None:
                yield _item(material, category, "padded", text, long, evidence)
        if category in WORDED:
            sentence = in_a_sentence(text, forms, *salt)
            if sentence is not None:
                yield _item(material, category, "sentence", text, sentence, evidence)


def _plain(
    material: _Material, answers: Sequence[Sequence[str]], seed: str
) -> Iterator[tuple[Category, str, tuple[str, ...]]]:
    """Each category with its answer and the chunks shown, gold before others.

    `answers` are those to other questions, in lists of which the first that has a wrong answer counts.
    """
    question, chunks = material.question, material.chunks
    forms, salt = (question.answer, *question.accepted), (seed, question.id)
    evidence = (*material.gold, *material.beside)
    yield "right, right evidence", question.answer, evidence
    if material.others:
        yield "right, wrong evidence", in_drawn_order(forms, *salt)[0], material.others
    texts = "\n".join(chunks[chunk].text for chunk in evidence)
    # Titles come last: one may be a whole headline, which nobody would take for an answer.
    lists = (*answers, [chunks[chunk].title for chunk in material.others])
    ranked = (in_drawn_order(found, *salt) for found in lists)
    tried = (wrong_answer(question.answer, question.accepted, found, texts) for found in ranked)
    wrong = next((found for found in tried if found is not None), None)
    if wrong is not None:
        yield "wrong, right evidence", wrong, evidence
        hedged = partly_right(question.answer, wrong, *salt)
        if hedged is not None:
            yield "partly right", hedged, evidence
    empty = nonsense(forms, *salt)
    if empty is not None:
        yield "fluent nonsense", empty, evidence


def _item(
    material: _Material,
    category: Category,
    variant: Variant,
    bare: str,
    text: str,
    evidence: tuple[Shown, ...],
    trial: int = 0,
) -> CalibrationItem:
    question = material.question
    right_evidence = category != "right, wrong evidence" and question.kind != NULL
    answer = Answer(
        system="",
        question=question.id,
        text=text,
        error="",
        abstained=False,
        evidence=evidence,
        cited=(),
        evidence_tokens=sum(material.chunks[one.chunk].tokens for one in evidence),
        answer_tokens=len(text.split()),
    )
    shown = {one.chunk: material.chunks[one.chunk] for one in evidence}
    return CalibrationItem(
        id=_id(question, category, variant, trial),
        category=category,
        variant=variant,
        expected=_EXPECTED[category],
        shown=right_evidence,
        supporting=tuple(chunk for chunk in shown if chunk in material.gold),
        bare=bare,
        item=_named(Item("", question, answer, shown, trial), category, variant),
    )


def _named(item: Item, category: Category, variant: Variant) -> Item:
    name = f"{category}; {variant}"
    return replace(item, system=name, answer=replace(item.answer, system=name))


def _show_in_steps(chunks: Sequence[str], searches: int) -> tuple[Shown, ...]:
    """A search for each hop, the last of which brings all that is left."""
    return tuple(Shown(chunk, place, min(place, searches)) for place, chunk in enumerate(chunks, start=1))


def _reversed(evidence: Sequence[Shown]) -> tuple[Shown, ...]:
    """What came last comes first, within each search and from search to search."""
    last = max(one.step for one in evidence)
    return tuple(
        Shown(one.chunk, place, last + 1 - one.step) for place, one in enumerate(reversed(evidence), start=1)
    )


def _id(question: Question, category: str, variant: str, trial: int) -> str:
    return (
        f"{question.id}; {category}; {variant} {trial}" if trial else f"{question.id}; {category}; {variant}"
    )
