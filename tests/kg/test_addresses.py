"""Addresses are shown without what may be secret in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import shown_address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://user:pass@host/v1?api_key=secret", "https://host/v1?..."),
        ("https://user:pa?ss/word@host/v1", "https://host/v1"),
        ("https://host/v1?key=secret@there", "https://host/v1?..."),
        ("bolt://[::1]:7687", "bolt://[::1]:7687"),
        ("https://host/v1#secret", "https://host/v1?..."),
        ("user:secret@host:7687", "host:7687"),
        ("bolt://127.0.0.1:7687", "bolt://127.0.0.1:7687"),
        ("512m", "512m"),
    ],
)
def test_what_stays_is_scheme_host_and_path(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@given(st.text(min_size=1))
def test_no_password_is_shown_whatever_it_holds(password: str) -> None:
    secret = f"<{password}>"
    assert secret not in shown_address(f"https://user:{secret}@host/v1")
    assert secret not in shown_address(f"https://host/v1?key={secret}")
