"""Answers of known quality: what they say, what is shown for them, and that they can be made again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from services.answer_match import said_form
from services.answers import is_abstention
from services.comparison.judging.known_answers import (
    in_a_sentence,
    in_own_words,
    make_items,
    most_calls,
    nonsense,
    padded,
    partly_right,
    wrong_answer,
)
from services.comparison.judging.model_judge import rules_judge
from services.comparison.protocol import Calibration
from services.comparison.rejudging import try_judge
from tests.examples import examples
from tests.services.comparison.judging.valley_questions import (
    BOUNDS,
    CHUNKS,
    COUNT,
    POOL,
    QUESTIONS,
    items,
    protocol,
)

ALL = items()
T = TypeVar("T")


def _shuffled(values: Sequence[T], random: Random) -> list[T]:
    return random.sample(values, len(values))


def test_every_question_gives_every_category_and_variant() -> None:
    counted = Counter((item.category, item.variant) for item in ALL)
    assert set(counted.values()) == {COUNT}
    assert Counter(variant for _, variant in counted) == {
        "plain": 5,
        "repeated": 5,
        "reversed": 3,
        "padded": 3,
        "sentence": 2,
    }
    assert len({item.id for item in ALL}) == len(ALL)
    # Beside these, a model says an answer in its own words (one call) and judges that (another).
    assert most_calls(BOUNDS, COUNT) == len(ALL) + COUNT * 2 * 2


def test_what_each_answer_says_is_what_it_is_said_to_be() -> None:
    for item in ALL:
        question, text = item.item.question, item.item.answer.text
        says_key = said_form(text, (question.answer,)) is not None
        assert says_key == (
            item.category in {"right, right evidence", "right, wrong evidence", "partly right"}
        )
        if item.category == "wrong, right evidence":
            assert any(said_form(text, (other.answer,)) for other in QUESTIONS)


def test_right_evidence_is_gold_before_others_and_wrong_evidence_bears_nothing() -> None:
    for item in ALL:
        gold = {one.chunk for one in item.item.question.gold}
        shown = [one.chunk for one in item.item.answer.evidence]
        if item.category == "right, wrong evidence":
            assert gold.isdisjoint(shown)
            assert (item.shown, item.supporting) == (False, ())
        elif item.variant == "reversed":
            assert set(shown[-2:]) == gold
        else:
            assert set(shown[:2]) == gold
            assert set(item.supporting) == gold
        assert item.item.answer.evidence_tokens <= protocol().budget.evidence_tokens


def test_reversed_evidence_is_the_same_in_the_opposite_order() -> None:
    plain = {item.id: item for item in ALL if item.variant == "plain"}
    for item in ALL:
        if item.variant == "reversed":
            before = plain[item.id.replace("; reversed", "; plain")].item.answer
            after = item.item.answer
            assert [one.chunk for one in after.evidence] == [one.chunk for one in reversed(before.evidence)]
            assert [one.rank for one in after.evidence] == [one.rank for one in before.evidence]
            steps = [one.step for one in after.evidence]
            assert steps == sorted(steps)


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_questions_chunks_and_pools_changes_nothing(random: Random) -> None:
    questions, chunks = list(QUESTIONS), list(CHUNKS)
    pools = {name: replace(pool, chunks=tuple(_shuffled(pool.chunks, random))) for name, pool in POOL.items()}
    again = make_items(
        _shuffled(questions, random),
        {name: CHUNKS[name] for name in _shuffled(chunks, random)},
        pools,
        protocol(),
    )
    assert again == ALL


def test_another_seed_draws_other_questions() -> None:
    few = Calibration(questions=6)
    one, other = ({item.item.question.id for item in items(few, seed)} for seed in (0, 1))
    assert len(one) == len(other) == 6
    assert one != other


def test_questions_without_answer_or_evidence_are_left_out() -> None:
    unanswerable = replace(QUESTIONS[0], answer="Insufficient information")
    without_gold = replace(QUESTIONS[1], gold=())
    lost = replace(
        QUESTIONS[2], gold=(*QUESTIONS[2].gold, replace(QUESTIONS[2].gold[0], hop=3, chunk="gone"))
    )
    made = make_items([unanswerable, without_gold, lost, QUESTIONS[3]], CHUNKS, POOL, protocol())
    assert {item.item.question.id for item in made} == {QUESTIONS[3].id}


def test_what_can_not_be_made_is_left_out_and_nothing_else() -> None:
    made = make_items(QUESTIONS[:1], CHUNKS, {}, protocol())
    assert {item.category for item in made} == {"right, right evidence", "fluent nonsense"}


def test_own_words_count_only_if_they_say_what_the_answer_says() -> None:
    sentences = [item for item in ALL if item.variant == "sentence"][:2]
    right, wrong = sorted(sentences, key=lambda item: -item.expected)
    key = right.item.question.answer
    assert right.expected == 1
    kept = in_own_words(right, f"I would say {key}.")
    assert kept is not None
    assert (kept.variant, kept.item.answer.text) == ("own wording", f"I would say {key}.")
    assert in_own_words(right, "I would say nothing.") is None
    assert in_own_words(right, "") is None
    assert in_own_words(wrong, f"I would say {wrong.bare}.") is not None
    assert in_own_words(wrong, f"Rather {key} than {wrong.bare}.") is None


@examples("key, others, evidence, wrong")
def test_a_wrong_answer_is_of_the_same_kind_and_shares_no_word(
    key: str, others: list[str], evidence: str, wrong: str | None
) -> None:
    assert wrong_answer(key, (), others, evidence) == wrong


def test_a_number_is_not_changed_where_the_name_alone_is_accepted() -> None:
    assert wrong_answer("Kittiwake 2", ("Kittiwake",), [], "") is None


def test_words_around_an_answer_never_say_the_key() -> None:
    long = padded("After", ("Before",), "s")
    assert long is not None
    assert said_form(long, ("Before",)) is None
    assert in_a_sentence("x", ("the",), "s") is not None
    assert in_a_sentence("x", ("is",), "s") is None


def test_yes_can_not_be_partly_right() -> None:
    assert partly_right("Yes", "No", "s") is None
    assert said_form(partly_right("Kald Bank", "Ostby Boats", "s") or "", ("Kald Bank",))


@given(st.text(max_size=20), st.sampled_from(("yes", "It", "answer", "the record", "Kald Bank")))
def test_nonsense_never_says_the_key(salt: str, key: str) -> None:
    text = nonsense((key,), salt)
    assert text is None or said_form(text, (key,)) is None


def test_null_questions_are_tried_by_an_answer_and_by_a_silence_in_other_words() -> None:
    # Every fourth question becomes one without an answer: of a trial of four one is such.
    silent = {
        one.id: replace(one, kind="null", answer="Insufficient information", accepted=(), gold=())
        for one in QUESTIONS[::4]
    }
    mixed = [silent.get(one.id, one) for one in QUESTIONS]
    bounds = Calibration(questions=4, repeats=2)
    made = make_items(mixed, CHUNKS, POOL, protocol(bounds))
    assert len({item.item.question.id for item in made}) == 4
    tried = [item for item in made if item.item.question.id in silent]
    told = [(item.category, item.variant, item.expected, item.supporting) for item in tried]
    assert told == [
        ("null, silent", "plain", 1.0, ()), ("null, silent", "repeated", 1.0, ()),
        ("null, answered", "plain", 0.0, ()), ("null, answered", "repeated", 0.0, ()),
    ]  # fmt: skip
    assert tried[2].item.answer.text in {one.answer for one in QUESTIONS}
    assert not any(is_abstention(item.item.answer.text) for item in tried)
    # Rules take no other words for a silence, and a false answer for what it is.
    rows = list(try_judge(rules_judge("exact"), tried))
    assert [row.judgement.score for row in rows] == [0.0] * 4
    assert all(row.judgement.hops == () for row in rows)
