"""Retrieved texts and the chunks that they stand for, on two invented articles cut by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.own_system import RetrievedText
from services.datasets.match_gold import index_articles
from services.external.align import MOST_ARTICLES, Aligner
from tests.examples import examples

FIRST = (
    "The lamp on Corrin pier was lit by a keeper who had no watch and counted waves. "
    "Oda Wexler bought the pier for a basket of eels and a promise to mend the steps. "
    "The steps were never mended, and three mayors in turn fell over the same plank. "
    "A choir of bakers now sings there on the first evening of every month but March."
)
SECOND = (
    "Teal Harbour printed a stamp with a whale on it and sold nine copies in a year. "
    "The printer kept the plates in his oven, which was the driest place in the house."
)
BOUNDS = tuple(
    (FIRST.index(start), FIRST.index(end) + len(end))
    for start, end in (
        ("The lamp", "counted waves."),
        ("Oda", "mend the steps."),
        ("The steps", "same plank."),
        ("A choir", "but March."),
    )
)
"""Four chunks, one a sentence."""


def article(id_: str, title: str, body: str, bounds: tuple[tuple[int, int], ...]) -> dict[str, object]:
    """A row as the graph gives it."""
    return {
        "id": id_,
        "given_ids": [f"given-{title.lower()}"],
        "title": title,
        "url": f"https://example.org/{title.lower()}",
        "body": body,
        "chunks": [{"id": f"{id_}-{at}", "start": s, "end": e} for at, (s, e) in enumerate(bounds)],
    }


ROWS = [
    article("pier", "Pier", FIRST, BOUNDS),
    article("stamp", "Stamp", SECOND, ((0, 80), (80, len(SECOND)))),
]
ALIGNER = Aligner(index_articles(ROWS))
LAMP, ODA, STEPS, CHOIR = (FIRST[start:end] for start, end in BOUNDS)


def found(text: str = "", chunk: str = "", title: str = "", url: str = "") -> tuple[str, ...]:
    """The chunks of one text."""
    return ALIGNER.align([RetrievedText(text, chunk, title, url)])[0]


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        (RetrievedText(chunk="pier-2"), ("pier-2",)),
        (RetrievedText("whatever else it says", chunk="pier-2"), ("pier-2",)),
        (RetrievedText(chunk="stamp"), ("stamp-0", "stamp-1")),
        (RetrievedText(chunk="given-stamp"), ("stamp-0", "stamp-1")),
        (RetrievedText(ODA, chunk="given-pier"), ("pier-1",)),
        (RetrievedText(title="STAMP!"), ("stamp-0", "stamp-1")),
        (RetrievedText(url="https://example.org/stamp"), ("stamp-0", "stamp-1")),
        (RetrievedText(chunk="unheard-of"), ()),
        (RetrievedText(), ()),
    ],
)
def test_an_id_or_a_title_names_chunks(text: RetrievedText, chunks: tuple[str, ...]) -> None:
    assert ALIGNER.align([text]) == [chunks]


def test_a_given_id_that_is_somebody_elses_number_does_not_beat_the_text() -> None:
    assert found(LAMP, chunk="given-stamp") == ("pier-0",)


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        (ODA, ("pier-1",)),
        (f"  {ODA.upper()}\n".replace(" ", "\n "), ("pier-1",)),
        ("bought the pier for a basket of eels and a promise to mend", ("pier-1",)),
        (f"{ODA} {STEPS}", ("pier-1", "pier-2")),
        (f"{ODA} {STEPS[:60]}", ("pier-1", "pier-2")),
        (f"{ODA} {STEPS[:20]}", ("pier-1",)),
        (FIRST, ("pier-0", "pier-1", "pier-2", "pier-3")),
    ],
    ids=["equal", "other blanks and case", "passage", "two", "one and most", "one and little", "all"],
)
def test_a_text_as_it_stands(text: str, chunks: tuple[str, ...]) -> None:
    assert found(text) == chunks


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        (f"Pier\n{ODA}", ("pier-1",)),
        (f"{ODA.replace('basket', 'bucket')} ...", ("pier-1",)),
        (
            f"Source: archive, page 3.\n{FIRST.replace('waves', 'gulls')}",
            tuple(f"pier-{n}" for n in range(4)),
        ),
        (f"{LAMP} And in other news: {SECOND}", ("stamp-0", "stamp-1", "pier-0")),
    ],
    ids=["title before", "a word changed", "a whole article, changed", "of two articles"],
)
def test_a_text_that_was_changed_on_its_way(text: str, chunks: tuple[str, ...]) -> None:
    assert found(text) == chunks


@examples("text")
def test_a_text_that_is_in_no_chunk(text: str) -> None:
    assert found(text) == ()


def test_a_text_that_is_a_chunk_is_not_its_neighbour_too() -> None:
    # The second chunk reaches back into the first, so that most of the first lies in it.
    overlapping = ((0, 80), (10, len(FIRST)), (BOUNDS[1][0], len(FIRST)))
    aligner = Aligner(index_articles([article("pier", "Pier", FIRST, overlapping)]))
    for at, (start, end) in enumerate(overlapping):
        for text in (FIRST[start:end], f"{FIRST[start:end].rstrip('.')} ..."):
            assert aligner.align([RetrievedText(text)]) == [(f"pier-{at}",)]


def test_a_short_text_is_looked_for_where_its_title_names_the_article() -> None:
    assert found("Oda Wexler", title="Pier") == ("pier-1",)


def test_a_text_of_many_articles_says_nothing() -> None:
    notice = "Copying allowed as long as the name of this newspaper is told beside the text."
    rows = [article(f"a{n}", f"T{n}", f"{n} {notice}", ((0, 99),)) for n in range(MOST_ARTICLES + 1)]
    assert Aligner(index_articles(rows)).align([RetrievedText(notice)]) == [()]
    assert len(Aligner(index_articles(rows[1:])).align([RetrievedText(notice)])[0]) == MOST_ARTICLES


@given(st.lists(st.sampled_from([LAMP, ODA, STEPS, CHOIR, "", "Oda", "no such text"]), max_size=6))
def test_every_text_has_its_place_in_the_answer(texts: list[str]) -> None:
    whole = ALIGNER.align([RetrievedText(text) for text in texts])
    assert whole == [found(text) for text in texts]


@given(st.integers(0, len(FIRST) - 60), st.integers(60, 300))
def test_any_stretch_is_found_and_its_chunks_lie_in_it(start: int, length: int) -> None:
    end = min(len(FIRST), start + length)
    chunks = found(FIRST[start:end])
    assert chunks
    for chunk in chunks:
        first, last = BOUNDS[int(chunk[-1])]
        overlap = min(end, last) - max(start, first)
        assert 2 * overlap >= min(last - first, end - start) - 2
