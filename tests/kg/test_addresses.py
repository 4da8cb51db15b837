"""Addresses are shown without what may be secret in them."""

from hypothesis import given
from hypothesis import strategies as st

from kg.errors import shown_address
from tests.examples import examples


@examples("address, shown")
def test_what_stays_is_scheme_host_and_path(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@given(st.text(min_size=1))
def test_no_password_is_shown_whatever_it_holds(password: str) -> None:
    secret = f"<{password}>"
    assert secret not in shown_address(f"https://user:{secret}@host/v1")
    assert secret not in shown_address(f"https://host/v1?key={secret}")
