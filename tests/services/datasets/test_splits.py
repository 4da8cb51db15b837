"""No article is in two splits, and few questions are lost to that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SettingsError
from services.datasets.splits import Splits, parse_splits, split_questions

SHARES = {"train": 0.6, "dev": 0.2, "test": 0.2}

articles_of_questions = st.lists(
    st.frozensets(st.integers(0, 30).map(lambda number: f"a{number:02}"), max_size=4), max_size=60
).map(lambda sets: {f"q{number:02}": tuple(sorted(held)) for number, held in enumerate(sets)})


def _split(questions: dict[str, tuple[str, ...]], seed: int = 0) -> Splits:
    articles = [f"a{number:02}" for number in range(35)]
    return split_questions(articles, questions, SHARES, seed)


@given(articles_of_questions, st.integers(0, 5))
def test_every_question_that_is_kept_has_all_its_articles_in_its_split(
    questions: dict[str, tuple[str, ...]], seed: int
) -> None:
    found = _split(questions, seed)
    for key, split in found.questions.items():
        assert {found.articles[article] for article in questions[key]} <= {split}
    assert len(found.questions) + found.left_out == len(questions)
    assert len(found.articles) == 35
    assert found == _split(dict(reversed(questions.items())), seed)


def test_groups_that_share_no_article_are_split_without_a_loss() -> None:
    # Twenty stories of three articles with five questions each.
    questions = {
        f"q{story:02}{number}": (f"s{story:02}a", f"s{story:02}b", f"s{story:02}c")[
            number % 2 : number % 2 + 2
        ]
        for story in range(20)
        for number in range(5)
    }
    found = split_questions([], questions, SHARES, seed=1)
    assert found.left_out == 0
    counts = {name: list(found.questions.values()).count(name) for name in SHARES}
    assert counts["dev"] % 5 == counts["test"] % 5 == 0
    assert 15 <= counts["dev"] <= 25
    assert 15 <= counts["test"] <= 25


def test_a_chain_of_articles_is_cut_where_few_questions_are() -> None:
    # A ring of 60 articles; each question joins two neighbours, so three splits cost three questions or so.
    questions = {f"q{at:02}": (f"r{at:02}", f"r{(at + 1) % 60:02}") for at in range(60)}
    found = split_questions([], questions, SHARES, seed=0)
    assert 3 <= found.left_out <= 6
    counts = {name: list(found.questions.values()).count(name) for name in SHARES}
    assert 9 <= counts["dev"] <= 14
    assert 9 <= counts["test"] <= 14
    assert sum(found.straddling.values()) == 2 * found.left_out


def test_another_seed_gives_other_splits() -> None:
    questions = {f"q{at:02}": (f"r{at:02}",) for at in range(40)}
    assert split_questions([], questions, SHARES, 0) != split_questions([], questions, SHARES, 1)


def test_shares_are_read() -> None:
    assert parse_splits("train=.8, dev=.1,test=0.1") == {"train": 0.8, "dev": 0.1, "test": 0.1}


@pytest.mark.parametrize(
    "text", ["", "train=1", "train=.8,dev=.1", "a=.5,a=.5", "../x=.5,b=.5", "a=nan,b=1", "a=1.5,b=-.5", "a,b"]
)
def test_shares_that_make_no_splits_are_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--splits"):
        parse_splits(text)
