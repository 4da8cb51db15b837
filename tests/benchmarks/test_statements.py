"""What the tables of records touched say of counts, by hand."""

from collections import defaultdict

from benchmarks.statements import Counts, Size, WordSums, stage_table, statement_table


def size(articles: int, touched: int, unlike: int) -> Size:
    """A stage of a chunk an article, by two statements, and a second of this process for every thousand."""
    counts = Counts(
        touched=defaultdict(int, {("claims", "claims/write_claims"): touched, ("claims", "a/b"): unlike}),
        seconds=defaultdict(float, {"claims": articles / 1_000}),
    )
    return Size(articles, counts, {"claims": articles})


def test_records_stand_by_the_unit_and_growth_above_the_aim_is_marked() -> None:
    sizes = [size(100, 1_000, 100), size(1_000, 20_000, 1_000)]
    assert "| claims | chunk | 11 | 21 | 1.91 **above the aim** | 1.00 / 1.00 |" in stage_table(sizes)
    rows = statement_table(sizes).splitlines()[2:]
    assert rows == [
        "| claims/write_claims | claims | 10 | 20 | 2.00 **above the aim** |",
        "| a/b | claims | 1 | 1 | 1.00 |",
    ]


def test_a_statement_that_only_the_larger_size_has_has_no_growth() -> None:
    assert statement_table([size(100, 100, 0), size(1_000, 1_000, 1_000)]).endswith(
        "| a/b | claims | 0 | 1 |  |"
    )


def test_texts_that_share_words_are_near() -> None:
    one, same, other = WordSums().embed(["Rell lies in Tarn.", "in Tarn lies Rell", "Ely was born"])
    assert one @ same > 0.99
    assert one @ other < 0.5
