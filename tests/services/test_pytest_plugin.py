"""The pytest plug-in as a project's own tests use it, on a planted corpus."""

from collections.abc import Iterator

import pytest

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from tests.examples import examples
from tests.names import unique_name
from tests.services.report.planted import Given, Planted, answer, plant

pytest_plugins = ["pytester"]

QUESTIONS = [Planted(f"2-{start}-{i}", start=start, bin=i + 1) for start in range(7) for i in range(4)]


@pytest.fixture(scope="module")
def planted(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    plant(graph, name, QUESTIONS)
    answer(graph, name, "good", [Given(q.name, right=True) for q in QUESTIONS])
    answer(graph, name, "near", [Given(q.name, right=q.name != "2-0-0") for q in QUESTIONS])
    answer(graph, name, "bad", [Given(q.name, right=q.bin != 4) for q in QUESTIONS])
    yield name
    drop_corpus(graph, name)


def _run(pytester: pytest.Pytester, corpus: str, source: str, *options: str) -> pytest.RunResult:
    pytester.chdir()
    pytester.makepyfile(source)
    # The entry point is left out, so that the module is loaded once whether or not it is installed.
    plugin = (
        "-p",
        "no:hopgrade",
        "-p",
        "services.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
    )
    return pytester.runpytest_inprocess(*plugin, "--strict-markers", f"--hopgrade-corpus={corpus}", *options)


def test_limits_of_a_mark_pass_or_fail_a_test(
    pytester: pytest.Pytester, planted: str, kg_environment: None
) -> None:
    result = _run(
        pytester,
        planted,
        """
        import pytest

        @pytest.mark.hop_matrix("good", max_error=0.0)
        def test_all(hop_matrix):
            assert hop_matrix.total.n == 28

        @pytest.mark.hop_matrix(run="bad", max_error={"near": 0.1, (2, "far"): 0.5, 2: 0.9})
        def test_far():
            raise RuntimeError("never reached")

        @pytest.mark.hop_matrix(run="near", max_error={"all": 0.01})
        def test_could_be_chance(hop_run):
            assert hop_run.errors == 0

        @pytest.mark.hop_matrix(run="near", max_error={"all": 0.01}, strict=True)
        def test_strict(): ...

        @pytest.mark.hop_matrix(run="good", max_error={3: 0.5})
        def test_nothing_there(): ...
        """,
    )
    result.assert_outcomes(passed=2, failed=3, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "*run 'bad' is wrong too often",
            "*2 hops, far: error rate 1.000 [[]0.*, 1.000] of 7 questions, allowed 0.500.",
            "*all: error rate 0.036 * allowed 0.010; it could be chance.",
            "*3 hops: there are no answers*",
        ]
    )
    result.stdout.no_fnmatch_line("*never reached*")
    result.stdout.no_fnmatch_line("*near: error rate*")


def test_a_run_is_compared_with_a_baseline(
    pytester: pytest.Pytester, planted: str, kg_environment: None
) -> None:
    result = _run(
        pytester,
        planted,
        """
        import hopgrade
        import pytest

        @pytest.mark.hop_matrix(run="bad", baseline="good")
        def test_by_mark(): ...

        def test_by_hand(hop_corpus):
            hopgrade.assert_no_worse(hop_corpus.run("near"), "good", max_drop=0.1, strict=True)
            with pytest.raises(AssertionError, match="run 'bad' is worse than 'good'"):
                hopgrade.assert_no_worse(hop_corpus.run("bad"), "good", max_drop=0.1)
            with pytest.warns(UserWarning, match="could be chance"):
                hopgrade.assert_no_worse(hop_corpus.run("near"), "good")
        """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*FAILED: all: accuracy 1.000 -> 0.750 on 28 questions*"])


@examples("mark, said")
def test_a_mistake_is_told(
    pytester: pytest.Pytester, planted: str, kg_environment: None, mark: str, said: str
) -> None:
    result = _run(
        pytester,
        planted,
        f"""
        import pytest

        @pytest.mark.hop_matrix({mark})
        def test_it(): ...
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*During handling of*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_tests_without_marks_need_no_server(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    result = _run(pytester, "", "def test_it(): ...", "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.hop_matrix(run, corpus=*"])
    _run(pytester, "", "def test_it(): ...").assert_outcomes(passed=1)
