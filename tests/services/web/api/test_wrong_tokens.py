"""Who guesses at the token has to wait, whoever has it does not."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from services.web.api.access import MOST_CLIENTS, MOST_WRONG, WAIT_SECONDS, Access, CheckAccess, WrongTokens
from tests.examples import examples

TOKEN = "a token that is long enough"
GUESSER, OTHER = "192.0.2.7", "192.0.2.8"


@dataclass
class Clock:
    """Seconds that pass only when a test lets them."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


async def _hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


@dataclass
class Door:
    """A server behind one `clock`, asked from any address."""

    clock: Clock
    app: CheckAccess

    def ask(self, token: str | None, client: str = GUESSER, path: str = "/") -> tuple[int, str | None]:
        """The status, and the seconds to wait where some are told."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = TestClient(self.app, "http://127.0.0.1", client=(client, 50_000)).get(path, headers=headers)
        return answer.status_code, answer.headers.get("retry-after")


@pytest.fixture
def door() -> Door:
    """A server that nobody has asked yet."""
    clock = Clock()
    routes = [Route(path, _hello) for path in ("/", "/health")]
    return Door(clock, CheckAccess(Starlette(routes=routes), Access(TOKEN), WrongTokens(clock)))


def test_many_wrong_tokens_in_a_row_cost_time(door: Door) -> None:
    assert [door.ask(f"guess {number}") for number in range(MOST_WRONG)] == [(401, None)] * MOST_WRONG
    assert door.ask("one more") == (429, f"{WAIT_SECONDS:.0f}")
    # The right one is not heard either: that it is right would be an answer to a guess.
    door.clock.now += WAIT_SECONDS - 0.5
    assert door.ask(TOKEN) == (429, "1")
    door.clock.now += 0.5
    assert door.ask("one more") == (401, None)
    assert door.ask("and another") == (429, f"{WAIT_SECONDS:.0f}")
    door.clock.now += WAIT_SECONDS
    assert door.ask(TOKEN) == (200, None)
    assert door.ask("wrong again") == (401, None)
    assert door.ask(TOKEN) == (200, None)


def test_others_and_who_watches_do_not_wait(door: Door) -> None:
    for number in range(MOST_WRONG):
        door.ask(f"guess {number}")
    assert door.ask(TOKEN)[0] == 429
    assert door.ask(TOKEN, OTHER) == (200, None)
    assert door.ask(None, path="/health") == (200, None)


def test_a_right_token_ends_the_row(door: Door) -> None:
    for _ in range(3):
        for number in range(MOST_WRONG - 1):
            assert door.ask(f"guess {number}")[0] == 401
        assert door.ask(TOKEN)[0] == 200


def test_a_script_with_yesterday_s_token_locks_nobody_out(door: Door) -> None:
    for _ in range(3 * MOST_WRONG):
        assert door.ask("yesterday's") == (401, None)
        assert door.ask("last week's") == (401, None)
    assert door.ask(TOKEN) == (200, None)


def test_a_browser_that_has_not_asked_for_the_password_yet_guesses_nothing(door: Door) -> None:
    assert {door.ask(None)[0] for _ in range(3 * MOST_WRONG)} == {401}
    assert door.ask(TOKEN)[0] == 200


@given(st.lists(st.ip_addresses(), max_size=20))
def test_what_is_not_counted_does_not_wait(addresses: list[object]) -> None:
    wrong = WrongTokens(Clock())
    for address in addresses:
        wrong.count(str(address), "guess")
        wrong.forget(str(address))
        assert wrong.wait(str(address)) == 0
    assert len(wrong) == 0


@examples("first, second, one")
def test_a_client_is_an_address_or_the_network_that_it_chooses_from(
    first: str, second: str, one: bool
) -> None:
    wrong = WrongTokens(Clock())
    for number in range(MOST_WRONG):
        wrong.count(first, f"guess {number}")
    assert wrong.wait(first) == WAIT_SECONDS
    assert (wrong.wait(second) > 0) is one


def test_no_more_clients_are_remembered_than_fit() -> None:
    wrong = WrongTokens(Clock())
    for number in range(MOST_WRONG):
        wrong.count(GUESSER, f"guess {number}")
    for number in range(MOST_CLIENTS - 1):
        wrong.count(f"10.1.{number // 256}.{number % 256}", "guess")
    assert len(wrong) == MOST_CLIENTS
    assert wrong.wait(GUESSER) > 0
    wrong.count(OTHER, "guess")
    assert len(wrong) == MOST_CLIENTS
    assert wrong.wait(GUESSER) == 0
