"""The gate over planted runs, whose differences are known, and its JUnit document."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.corpus import drop_corpus
from kg.errors import NothingToDoError, SettingsError
from kg.ids import run_id
from kg.store.graph import Graph
from services.gate import Gate, GateCheck, GateRules, Verdict, check_gate, junit_xml
from services.statistics.intervals import Interval
from tests.graph_reading import change
from tests.names import unique_name
from tests.services.report.planted import Given, Planted, answer, plant

# Seven clusters at two hops and six at three, by the article of the last fact: enough for p below .05.
QUESTIONS = [
    Planted(f"{hops}-{start}-{i}", hops=hops, start=start, bin=i % 4 + 1)
    for hops in (2, 3)
    for start in range(9 - hops)
    for i in range(4)
]
NULLS = [Planted(f"null-{i}", hops=2, start=5, kind="null", query_type="null") for i in range(2)]


def _run(graph: Graph, corpus: str, name: str, right: Callable[[Planted], bool], **settings: object) -> None:
    given_answers = [Given(q.name, right=right(q), chunks=(q.start,)) for q in QUESTIONS]
    answer(graph, corpus, name, given_answers, **settings)


@pytest.fixture(scope="module")
def planted(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    plant(graph, name, [*QUESTIONS, *NULLS])
    _run(graph, name, "good", lambda q: not q.name.endswith("-0"))
    _run(graph, name, "same", lambda q: not q.name.endswith("-1"))
    _run(graph, name, "one-worse", lambda q: not q.name.endswith("-0") and q.name != "2-0-1")
    _run(graph, name, "worse-at-three", lambda q: q.hops == 2 and not q.name.endswith("-0"))
    _run(graph, name, "better", lambda _: True)
    _run(graph, name, "model-judged", lambda _: True, judge="a-judge")
    _run(graph, name, "unfinished", lambda _: True)
    change(graph, "MATCH (r:Run {id: $run}) REMOVE r.finished_at", run=run_id(name, "unfinished"))
    answer(graph, name, "nulls", [Given(q.name, abstained=True) for q in NULLS])
    few = [Given(q.name, right=False, error="time-out") for q in QUESTIONS[:8]]
    answer(graph, name, "cut-short", few, dataset="v-2")
    yield name
    drop_corpus(graph, name)


def _verdicts(gate: Gate) -> dict[str, tuple[str, bool]]:
    return {check.scope: (check.verdict, check.passed) for check in gate.checks}


def test_as_many_right_pass(graph: Graph, planted: str) -> None:
    gate = check_gate(graph, planted, "same", "good")
    (check,) = gate.checks
    assert (check.verdict, check.drop, check.n, check.clusters) == ("pass", 0.0, len(QUESTIONS), 7)
    assert gate.passed
    assert gate.warnings == ()


def test_a_shown_drop_fails_with_figures_and_what_was_tested(graph: Graph, planted: str) -> None:
    gate = check_gate(graph, planted, "worse-at-three", "good")
    (check,) = gate.checks
    # Of 52 questions 13 are wrong before, and 18 of the 24 at three hops are lost.
    assert check.baseline_accuracy == pytest.approx(39 / 52)
    assert check.accuracy == pytest.approx(21 / 52)
    assert check.drop == pytest.approx(18 / 52)
    assert check.interval is not None
    assert 0 < check.interval.low < check.drop < check.interval.high
    # Six clusters lose the same, one nothing: of the 2^6 patterns of signs two lie as far out.
    assert check.p_value == pytest.approx(2 / 2**6)
    assert not gate.passed
    assert "all: accuracy 0.750 -> 0.404 on 52 questions, drop +0.346" in str(gate)
    assert "52 questions that both runs answered, in 7 clusters by the article with the answer" in gate.tested


def test_a_drop_at_one_depth_shows_by_depth_and_is_adjusted(graph: Graph, planted: str) -> None:
    gate = check_gate(graph, planted, "worse-at-three", "good", GateRules(per_depth=True))
    assert [check.scope for check in gate.checks] == ["all", "2 hops", "3 hops"]
    by_scope = {check.scope: check for check in gate.checks}
    assert by_scope["2 hops"].verdict == "pass"
    # By Holm's method over three tests the same drop could be chance, and only --strict fails it.
    assert by_scope["3 hops"].p_value == pytest.approx(3 * 2 / 2**6)
    assert by_scope["3 hops"].verdict == "noise"
    strict = check_gate(graph, planted, "worse-at-three", "good", GateRules(per_depth=True, strict=True))
    assert _verdicts(strict)["3 hops"] == ("noise", False)
    assert _verdicts(strict)["2 hops"] == ("pass", True)


def test_a_drop_that_could_be_chance_warns_and_is_refused_when_strict(graph: Graph, planted: str) -> None:
    rules = GateRules(max_drop=0.01)
    gate = check_gate(graph, planted, "one-worse", "good", rules)
    assert _verdicts(gate) == {"all": ("noise", True)}
    assert gate.passed
    assert "could be chance" in gate.warnings[0]
    assert not check_gate(graph, planted, "one-worse", "good", replace(rules, strict=True)).passed


def test_the_allowed_drop_is_allowed_to_the_last_question(graph: Graph, planted: str) -> None:
    strict = GateRules(max_drop=1 / len(QUESTIONS), strict=True)
    assert check_gate(graph, planted, "one-worse", "good", strict).passed


def test_a_gain_passes_however_strict(graph: Graph, planted: str) -> None:
    rules = GateRules(max_drop=0.0, per_depth=True, strict=True)
    assert check_gate(graph, planted, "better", "good", rules).passed


def test_what_a_reader_must_know_is_said(graph: Graph, planted: str) -> None:
    notes = " ".join(check_gate(graph, planted, "cut-short", "good").notes)
    assert "44 questions that run 'good' answered and the other did not are left out" in notes
    assert "8 answers of run 'cut-short' are errors" in notes
    assert "different versions of the questions: v-1, v-2" in notes
    assert "so few clusters" in notes
    assert "show a drop only from about" in " ".join(check_gate(graph, planted, "one-worse", "good").notes)


@pytest.mark.parametrize(
    ("run", "baseline", "error", "words"),
    [
        ("good", "good", SettingsError, "its own baseline"),
        ("good", "nobody", NothingToDoError, "no run 'nobody'"),
        ("unfinished", "good", NothingToDoError, "'unfinished' has not ended"),
        ("model-judged", "good", SettingsError, "judged by exact match, 'model-judged' by a-judge"),
        ("nulls", "good", NothingToDoError, "share no question"),
    ],
)
def test_what_does_not_compare_is_refused(
    graph: Graph, planted: str, run: str, baseline: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        check_gate(graph, planted, run, baseline)


def _made(checks: Sequence[GateCheck], run: str = "ours") -> Gate:
    return Gate("mine", run, "theirs", GateRules(), tuple(checks), "Tested.", ("A note.",))


def _check(scope: str, passed: bool) -> GateCheck:
    interval = Interval(-0.1, 0.3)
    verdict: Verdict = "pass" if passed else "worse"
    return GateCheck(scope, 50, 9, 0.5, 0.4, 0.1, interval, 0.2, verdict, passed, f"{scope}: why")


def test_the_junit_document_counts_and_tells_failures() -> None:
    root = fromstring(junit_xml(_made([_check("all", True), _check("2 hops", False)])))
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), root.get("failures")) == ("2", "1", "1")
    (failed,) = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert failed.get("name") == "no worse than theirs: 2 hops"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "2 hops: why"
    said = suite.findtext("system-out")
    assert said == "Tested.\nA note."


@given(st.text(), st.text())
def test_a_junit_document_can_be_read_whatever_the_names(run: str, scope: str) -> None:
    root = fromstring(junit_xml(_made([_check(scope, False)], run)))
    assert root.find("testsuite/testcase/failure") is not None
