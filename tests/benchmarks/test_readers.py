"""`python -m benchmarks.readers`: its tables, and what it says where something is absent."""

from benchmarks.reader_answers import Answer
from benchmarks.readers import hand_written, seed_tables, table
from kg.store.graph import Graph


def test_without_the_corpus_there_is_a_line(graph: Graph) -> None:
    (line,) = seed_tables(graph, "nowhere", "vector", 3)
    assert "'nowhere'" in line
    assert "kg demo" in line


def test_questions_by_hand_have_kinds_and_other_answers() -> None:
    found = hand_written()
    assert {one.type for one in found} == {"inference", "comparison", "temporal", "null"}
    assert "Dunmarrow University" in found[0].accepted
    assert all(one.gold or one.type == "null" for one in found)


def test_a_row_has_every_share() -> None:
    text = table("Title", {"vector": [Answer("null", "", "Insufficient information.", "1")]})
    assert text.splitlines()[-1] == "| vector | null | 1 | 1.00 | 0.21 to 1.00 | 0.00 | 0.00 | 1 |"
