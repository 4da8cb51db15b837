"""Claims are verified against their sentences; what can't be is marked with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.extract.verify import unsupported
from tests.examples import examples, read_examples
from tests.kg.extract.conftest import Read

DANGLING: dict[str, str] = read_examples("kg/extract/verify")["dangling"]


@examples("body")
def test_a_claim_that_stands_alone_is_verified(read: Read, body: str) -> None:
    assert [claim.doubt for claim in read(body).claims if claim.doubt] == []


@pytest.mark.parametrize("body", DANGLING)
def test_a_subject_that_only_the_article_tells_is_a_doubt(read: Read, body: str) -> None:
    (claim,) = read(body).claims
    assert DANGLING[body] in claim.doubt
    assert claim.sentence == body


def test_a_pronoun_with_a_nearer_name_that_fits_is_a_doubt(read: Read) -> None:
    body = (
        "Siemens makes cars. Siemens was founded by Ana Brel. Siemens grew. Microsoft makes vans. "
        "It was founded in 1992."
    )
    claim = read(body, title="Siemens").claims[-1]
    assert claim.text == "Siemens was founded in 1992."
    assert claim.doubt == '"It" can be Microsoft as well as Siemens'


def test_a_claim_without_doubt_says_nothing_new(read: Read) -> None:
    body = "Anna Keller won in Lyon on Monday. However, she didn't like it. Keller left yesterday morning."
    first, second, third = read(body).claims
    assert second.text == "Anna Keller didn't like it."
    assert third.text == "Anna Keller left yesterday morning [2019-01-03]."
    assert (first.doubt, second.doubt, third.doubt) == ("", "", "")


@examples("claim, sentence, put_in, complaint")
def test_every_word_and_denial_comes_from_the_sentence(
    claim: str, sentence: str, put_in: list[str], complaint: str
) -> None:
    found = unsupported(claim, sentence, put_in)
    assert complaint in found
    assert bool(found) == bool(complaint)


@given(st.text(max_size=200))
def test_a_sentence_supports_itself(text: str) -> None:
    assert unsupported(text, text) == ""
