"""Two documents differ where a reader would say so, and not in the last digit of a sum."""

from services.comparison.protocol import JsonData
from services.comparison.rejudging import MOST_ALIGNED, differing_lines, differing_values


def test_each_place_that_differs_is_named_with_both_values() -> None:
    archived: JsonData = {
        "mean": 0.5,
        "rows": [{"n": 3, "why": None}, {"n": 4, "why": "x"}],
        "gone": 1,
        "flag": True,
    }
    computed: JsonData = {
        "mean": 0.5 + 1e-12,
        "rows": [{"n": 3, "why": None}, {"n": 5, "why": "x"}, {}],
        "flag": 1,
    }
    found = [str(one) for one in differing_values("results.json", archived, computed)]
    assert found == [
        "results.json: rows.2.n: archived 4, computed 5",
        "results.json: gone: archived 1, computed nothing",
        "results.json: flag: archived true, computed 1",
        "results.json: rows.3: archived nothing, computed {}",
    ]
    assert list(differing_values("results.json", archived, archived)) == []


def test_a_name_with_a_dot_is_no_place_within_another() -> None:
    archived: JsonData = {"rows": [{"n": 4}], "rows.1.n": 5, "1": 0, "\n": 0}
    found = [str(one) for one in differing_values("f", archived, {"rows": [{"n": 5}]})]
    assert found == [
        "f: rows.1.n: archived 4, computed 5",
        'f: "rows.1.n": archived 5, computed nothing',
        'f: "1": archived 0, computed nothing',
        r'f: "\n": archived 0, computed nothing',
    ]
    assert len(list(differing_values("f", {"1": 0}, [0]))) == 2


def test_numbers_are_equal_only_nearly() -> None:
    assert list(differing_values("f", {"p": 0.05}, {"p": 0.0500001}))
    assert not list(differing_values("f", {"p": 0.0}, {"p": 1e-15}))
    assert list(differing_values("f", {"p": None}, {"p": 0.0}))
    assert list(differing_values("f", {"p": []}, {"p": {}}))


def test_lines_are_told_by_number() -> None:
    found = [str(one) for one in differing_lines("table.md", "a\nb\nc\n", "a\nB\nc")]
    assert found == [
        r"table.md: line 2: archived 'b\n', computed 'B\n'",
        r"table.md: line 3: archived 'c\n', computed 'c'",
    ]
    assert not list(differing_lines("table.md", "a\n", "a\n"))


def test_a_line_too_many_leaves_the_others_equal() -> None:
    lines = [f"{number}\n" for number in range(1_000)]
    longer = [*lines[:400], "new\n", *lines[400:]]
    found = [str(one) for one in differing_lines("table.md", "".join(lines), "".join(longer))]
    assert found == [r"table.md: line 401: archived nothing, computed 'new\n'"]
    found = [str(one) for one in differing_lines("table.md", "".join(longer), "".join(lines))]
    assert found == [r"table.md: line 401: archived 'new\n', computed nothing"]


def test_texts_too_long_to_align_are_compared_line_by_line() -> None:
    lines = [f"{number}\n" for number in range(MOST_ALIGNED)]
    found = list(differing_lines("table.md", "".join(lines), "".join(["new\n", *lines])))
    assert len(found) == MOST_ALIGNED + 1
