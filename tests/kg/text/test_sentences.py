import pytest
from hypothesis import given

from kg.text.sentences import sentence_spans
from tests.kg.text.texts import any_text

BAR = "|"


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


# A bar marks where a new sentence begins.
MARKED = [
    "The council voted. |It was late.",
    "Dr. Brel and Mr. Oko met Gen. Lee. |They talked.",
    "George W. Bush met J. K. Rowling. |She smiled.",
    "He lives on Main St. in Boston. |She lives on St. Mark's Place.",
    "They flew to the U.S. Air Force base. |Then they left the U.S. |The base closed.",
    "Apple Inc. rose 3.5 percent. |Acme Corp. Chief Executive Lin left Acme Corp. |He gave no reason.",
    "It began at 5 p.m. Monday and ended at 6 p.m. |Police left at 7 p.m. EST.",
    "It was No. 10 on Jan. 3. |The answer was no. |Nobody spoke.",
    "Ana Brel (born c. 1957) leads Nova Kft. |She was born in Vell.",
    "Prices fell 2.5 percent to $3.40 in 2019. |3,000 people came.",
    'He said: "We won." |The crowd left. |“It is over.” |She agreed.',
    '"Why?" he asked. |"What now?" Ana Brel asked. |"Go!" she said.',
    '"Who won?" |The crowd did not know.',
    "Wait ... there is more. |He paused... |Then he spoke.",
    "Wait… there is more. |He paused… |Then he spoke.",
    "(The shop is closed.) |It opens at nine (local time). |Go.",
    "Is it true? |Yes! |It is.",
    "Really?! |No.",
    "Results, e.g. wins, vs. losses, i.e. points, count. |Fine.",
    "Storm hits coast |\nThousands of homes lost power. |\n\nMore to come |\n\nThe end",
    "The line goes on\nin small letters. |\nA new one begins.",
    "The phone sold well. |iPhone sales rose.",
    "1. Mix the flour. |2. Add water.",
    "The mayor resigned.|The council met.",
    "John Smith Jr. won. |Martin Luther King Jr. |He spoke.",
    "She has a Ph.D. in physics. |He has none.",
    "Senator Lee (R-Fla.) voted. |Sen. Oko did not.",
    "他来了。|她走了。",
    "وصل الوزير؟|نعم.",
    "He came . . . and went. |Done.",
]


@pytest.mark.parametrize("marked", MARKED)
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
