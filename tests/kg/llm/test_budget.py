"""A budget is never passed, and says how to go on.

The estimate of tokens is an upper bound on English text, and not a wild one.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import BudgetReachedError, SettingsError
from kg.files import bundled_folder
from kg.llm.budget import Budget, Reservation, estimate_tokens, likely_tokens
from kg.llm.protocol import Usage
from kg.text.tokens import count_tokens

CALLS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1)), max_size=20)


def test_without_limits_everything_fits_and_is_counted() -> None:
    budget = Budget(price=(2.0, 10.0))
    budget.settle(budget.reserve(Usage(10**9, 10**9), budget.price), Usage(1_000_000, 500_000))
    assert budget.spending.tokens == 1_500_000
    assert budget.spending.money == pytest.approx(2.0 + 5.0)


def test_a_model_without_a_price_spends_an_unknown_amount() -> None:
    assert Budget(tokens=100).spending.money is None


def test_what_was_not_used_is_free_again() -> None:
    budget = Budget(tokens=100)
    budget.settle(budget.reserve(Usage(40, 60), budget.price), Usage(30, 10))
    assert budget.reserve(Usage(30, 30), budget.price) == Reservation(2, Usage(30, 30), None)
    with pytest.raises(BudgetReachedError):
        budget.reserve(Usage(1, 0), budget.price)


def test_it_says_what_was_spent_the_limit_and_how_to_go_on() -> None:
    budget = Budget(tokens=10_000, money=0.5, price=(10.0, 20.0))
    budget.settle(budget.reserve(Usage(4_000, 2_000), budget.price), Usage(4_000, 1_000))
    budget.reserve(Usage(10, 10), budget.price)
    with pytest.raises(BudgetReachedError) as caught:
        budget.reserve(Usage(6_000, 10), budget.price)
    assert "5,000 of 10,000 tokens and 0.0600 of 0.5000 in money" in caught.value.message
    assert "in 1 call, 1 call under way" in caught.value.message
    assert "may take 6,010 tokens" in caught.value.message
    assert "HOPGRADE_BUDGET_TOKENS or HOPGRADE_BUDGET_MONEY" in caught.value.remedy
    assert "run the same command again" in caught.value.remedy


def test_money_counts_both_directions_at_their_price() -> None:
    budget = Budget(money=1.0, price=(1.0, 3.0))
    budget.settle(budget.reserve(Usage(400_000, 200_000), budget.price), Usage(400_000, 200_000))
    with pytest.raises(BudgetReachedError, match=r"1\.0000 of 1\.0000 in money"):
        budget.reserve(Usage(1, 0), budget.price)


def test_input_from_the_endpoints_own_cache_has_a_price_of_its_own() -> None:
    usage = Usage(1_000_000, 100_000, cached_input_tokens=400_000)
    assert Budget(price=(1.0, 10.0)).money_of(usage) == pytest.approx(1.0 + 1.0)
    assert Budget(price=(1.0, 10.0, 0.1)).money_of(usage) == pytest.approx(0.6 + 0.04 + 1.0)


def test_each_call_costs_what_its_own_model_costs() -> None:
    budget = Budget(money=5.0, price=(1.0, 2.0))
    budget.settle(budget.reserve(Usage(1_000_000, 0), (1.0, 2.0)), Usage(1_000_000, 0))
    budget.settle(budget.reserve(Usage(100_000, 10_000), (20.0, 40.0)), Usage(100_000, 10_000))
    assert budget.spending.money == pytest.approx(1.0 + 2.0 + 0.4)
    with pytest.raises(BudgetReachedError):
        budget.reserve(Usage(100_000, 0), (20.0, 40.0))
    budget.reserve(Usage(100_000, 0), (1.0, 2.0))


def test_one_call_of_unknown_price_makes_the_sum_unknown() -> None:
    budget = Budget(price=(1.0, 2.0))
    for price in (budget.price, None, budget.price):
        budget.settle(budget.reserve(Usage(10, 10), price), Usage(10, 10))
    assert budget.spending.money is None


def test_a_limit_in_money_needs_a_price() -> None:
    with pytest.raises(SettingsError, match="no price") as caught:
        Budget(money=1.0)
    assert "HOPGRADE_MODEL_PRICES" in caught.value.remedy


def test_a_call_is_settled_once() -> None:
    budget = Budget()
    reservation = budget.reserve(Usage(1, 1), budget.price)
    budget.settle(reservation, Usage(1, 1))
    with pytest.raises(ValueError, match="not open"):
        budget.settle(reservation, Usage(1, 1))
    assert budget.spending.tokens == 2


@given(st.integers(1, 300), CALLS)
def test_spent_and_set_aside_never_pass_the_limit(limit: int, calls: list[tuple[int, int, float]]) -> None:
    budget = Budget(tokens=limit)
    held: list[tuple[Reservation, Usage]] = []
    for asked, answered, used in calls:
        try:
            reservation = budget.reserve(Usage(asked, answered), budget.price)
        except BudgetReachedError:
            set_aside = sum(one.at_most.tokens for one, _ in held)
            assert budget.spending.tokens + set_aside + asked + answered > limit
            continue
        held.append((reservation, Usage(asked, int(answered * used))))
        if used > 0.5:
            budget.settle(*held.pop(0))
    for one in held:
        budget.settle(*one)
    assert budget.spending.tokens <= limit


def test_threads_together_never_pass_it_and_use_it_up_when_they_wait() -> None:
    budget = Budget(tokens=1_000)

    def call(_: int) -> bool:
        try:
            reservation = budget.reserve(Usage(10, 90), budget.price, wait=True)
        except BudgetReachedError:
            return False
        budget.settle(reservation, Usage(10, 0))
        return True

    with ThreadPoolExecutor(8) as threads:
        made = sum(threads.map(call, range(200)))
    # A call may take 100, so the last one begins with 900 spent.
    assert budget.spending.tokens == made * 10 == 910


def test_one_who_waits_goes_on_when_another_settles() -> None:
    budget = Budget(tokens=100)
    first = budget.reserve(Usage(50, 50), budget.price)
    entered: list[Reservation] = []
    waiting = threading.Thread(
        target=lambda: entered.append(budget.reserve(Usage(10, 50), budget.price, wait=True))
    )
    waiting.start()
    assert not entered
    budget.settle(first, Usage(20, 20))
    waiting.join(600)
    assert len(entered) == 1


def test_it_is_above_wordpiece_on_news_but_not_twice_as_much() -> None:
    articles = sorted((bundled_folder("seed") / "articles").rglob("*.*"))
    assert articles
    for article in articles:
        text = article.read_text(encoding="utf-8")
        counted = count_tokens(text)
        assert counted <= estimate_tokens(text) <= 2 * counted, article.name


def test_what_is_likely_is_about_four_letters_to_a_token() -> None:
    assert likely_tokens("") == 0
    assert likely_tokens("The clinic opened.") == 5
    assert likely_tokens("日本") == 2
    article = "The clinic in Alva opened in 1931, and its founder, Oda Wexler, led it until 1958. " * 20
    assert likely_tokens(article) < count_tokens(article) * 1.2
    assert likely_tokens(article) < estimate_tokens(article)


def test_worked_examples() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("The clinic opened.") == 1 + 2 + 2 + 1
    assert estimate_tokens("2031-04-09") == 10
    assert estimate_tokens("a    b\n") == 4
    assert estimate_tokens("日本") == 6


@given(st.text(), st.text())
def test_a_longer_text_is_never_estimated_smaller(one: str, other: str) -> None:
    assert estimate_tokens(one + "\n" + other) >= max(estimate_tokens(one), estimate_tokens(other))


@given(st.text(alphabet=st.characters(min_codepoint=0x80)))
def test_beyond_ascii_no_tokenizer_of_bytes_makes_more(text: str) -> None:
    assert estimate_tokens(text) == len(text.encode("utf-8", "surrogatepass"))
