import pytest
from hypothesis import given

from kg.text.sentences import sentence_spans
from tests.examples import examples
from tests.kg.text.texts import any_text

BAR = "|"


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


@examples("marked")
def test_worked_examples(marked: str) -> None:
    assert split(marked.replace(BAR, "")) == [part.strip() for part in marked.split(BAR)]


def test_lines_that_are_wrapped_at_a_margin_are_one_paragraph() -> None:
    text = (
        "The council of the small town voted on Monday to close\n"
        "Main Street to cars, which Mayor Ana Brel had asked it\n"
        "Three times to do. The vote was close, and many people\n"
        "Came to watch.\n\nNobody spoke."
    )
    assert split(text) == [
        "The council of the small town voted on Monday to close\n"
        "Main Street to cars, which Mayor Ana Brel had asked it\nThree times to do.",
        "The vote was close, and many people\nCame to watch.",
        "Nobody spoke.",
    ]


def test_a_line_of_blanks_alone_is_no_line() -> None:
    line = "The mill of Ely closed after the flood, and its owner sold the land."
    body = f"{line}\n{line}\n{line}\n{line}\n \n{line}"
    assert len({body[span.start : span.end].strip() for span in sentence_spans(body)}) == 1


def test_a_list_of_headlines_is_not_taken_for_wrapped_lines() -> None:
    headlines = [
        "Storm hits the northern coast",
        "Mayor resigns",
        "Team wins cup after long wait at home",
        "Rain",
    ]
    assert split("\n".join(headlines)) == headlines


def test_no_text_has_no_sentence() -> None:
    assert split("") == split(" \n\u2028\t") == []


@given(any_text())
def test_spans_part_the_text(text: str) -> None:
    spans = sentence_spans(text)
    place = 0
    for span in spans:
        assert place <= span.start < span.end
        assert not text[place : span.start].strip()
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        place = span.end
    assert not text[place:].strip()


@pytest.mark.parametrize("unit", [".", '."', " ", "Dr. ", "\n", "! ", ". ", '"', "x\n", "a", "\u3002", "?! "])
def test_a_million_repetitions_end(unit: str) -> None:
    text = unit * 300_000
    assert "".join("".join(split(text)).split()) == "".join(text.split())
