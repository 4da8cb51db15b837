from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.embed.local import BuiltinEmbedder, _session
from kg.text.tokens import count_tokens
from tests.examples import read_examples
from tests.representatives import representatives

EMBEDDER = BuiltinEmbedder(threads=2)
WORDS: list[str] = list(read_examples("kg/embed/builtin")["words"])
texts = st.lists(st.sampled_from(WORDS), max_size=70).map(" ".join)


@settings(max_examples=25)
@given(st.lists(texts, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_a_vector_is_the_same_bit_for_bit_whatever_is_embedded_beside_it(
    batch: list[str], random: Random
) -> None:
    order = list(range(len(batch)))
    random.shuffle(order)
    together = EMBEDDER.embed(batch)
    shuffled = EMBEDDER.embed([batch[place] for place in order])
    alone = np.concatenate([EMBEDDER.embed([text]) for text in batch])
    assert (together == alone).all()
    assert (shuffled == alone[order]).all()


@pytest.mark.parametrize("tokens", representatives([1, 13, 14, 15, 30, 31, 100, 200, 255, 256], 1, 14, 31))
def test_full_batches_do_not_change_a_bit(tokens: int) -> None:
    generator = np.random.default_rng(tokens)
    batch = [
        " ".join(generator.choice(["council", "budget", "the", "of", "fish"], tokens)) for _ in range(33)
    ]
    assert {count_tokens(text) for text in batch} == {tokens}
    alone = EMBEDDER.embed(batch[:1])
    for size in (2, 3, 5, 33):
        assert (EMBEDDER.embed(batch[:size])[:1] == alone).all()


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    batch = ["The council approved the budget.", "word " * 200, "fish"]
    assert (BuiltinEmbedder(threads=1).embed(batch) == EMBEDDER.embed(batch)).all()


def test_a_questions_texts_need_one_copy_of_the_model() -> None:
    _session.cache_clear()
    EMBEDDER.embed(["who directed", "Who directed the film? " * 8])
    assert _session.cache_info().currsize == 1


def test_the_next_batch_is_begun_before_one_is_handed_on_and_no_bit_changes() -> None:
    batches = [["fish"], ["The council approved the budget.", "word " * 200] * 3, [], ["enzyme " * 90] * 9]
    taken: list[int] = []

    def source() -> Iterator[list[str]]:
        for number, batch in enumerate(batches):
            taken.append(number)
            yield batch

    found = EMBEDDER.in_batches(source())
    first = next(found)
    assert taken == [0, 1]
    every = [first, *found]
    assert [len(one) for one in every] == [1, 6, 0, 9]
    assert all((one == EMBEDDER.embed(batch)).all() for one, batch in zip(every, batches, strict=True))


@pytest.mark.campaign
def test_more_texts_than_a_window_keep_their_order() -> None:
    batch = [f"{number}" for number in range(1100)]
    assert (
        EMBEDDER.embed(batch)[[0, 1023, 1024, 1099]] == EMBEDDER.embed(["0", "1023", "1024", "1099"])
    ).all()


def test_a_whole_chunk_of_256_tokens_counts() -> None:
    body = "word " * 255
    first, second, third = EMBEDDER.embed([body + "budget", body + "enzyme", body + "budget budget"])
    assert (first != second).any()
    assert (first == third).all()


def test_vectors_are_those_of_all_minilm_l6_v2() -> None:
    # Cosines of the float32 model (sentence-transformers, all-MiniLM-L6-v2) for these pairs.
    known = {
        ("A man is eating food.", "A man is eating a piece of bread."): 0.755,
        ("The council approved the budget.", "Penguins nest in burrows."): 0.123,
        ("Ana Brel founded Norvik Energy in Bergen.", "Norvik Energy was started by Ana Brel."): 0.876,
    }
    for (left, right), cosine in known.items():
        vectors = EMBEDDER.embed([left, right])
        assert vectors[0] @ vectors[1] == pytest.approx(cosine, abs=0.02)
