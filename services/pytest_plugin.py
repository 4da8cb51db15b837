"""A pytest plug-in: limits on the difficulty matrix of a run, as tests.

    @pytest.mark.hop_matrix(run="ours", max_error={"all": 0.5, 5: 0.7, (2, "far"): 0.6})
    def test_deep_questions(hop_matrix): ...

    def test_no_worse_than_last_week(hop_corpus):
        hopgrade.assert_no_worse(hop_corpus.run("ours"), "last-week", max_drop=0.03)

The mark checks its limits before the test runs; `hop_matrix` hands the same matrix to the test. The corpus is
that of the mark, of `--hopgrade-corpus`, of the ini value `hopgrade_corpus`, or the only one.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict, cast

import pytest

if TYPE_CHECKING:
    from services.assertions import MaxError
    from services.evaluate.matrix import Matrix
    from services.python_api.corpus import Corpus
    from services.python_api.runs import Run

# Everything of Hopgrade is imported where a test uses it: this module is loaded by every pytest on a machine.

MARK = "hop_matrix"
OPTION = "hopgrade_corpus"


class _MarkArguments(TypedDict, total=False):
    """What the mark takes."""

    run: str
    corpus: str
    max_error: "MaxError"
    baseline: str
    max_drop: float
    strict: bool


class _OpenCorpora:
    """The corpora that tests have opened, each once a session."""

    def __init__(self) -> None:
        self._opened: dict[str, Corpus] = {}

    def get(self, name: str) -> "Corpus":
        from services.python_api.corpus import open_corpus  # noqa: PLC0415

        if name not in self._opened:
            self._opened[name] = open_corpus(name or None)
        return self._opened[name]

    def close(self) -> None:
        for corpus in self._opened.values():
            corpus.close()


_CORPORA = pytest.StashKey[_OpenCorpora]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--hopgrade-corpus` and the ini value."""
    about = "Corpus of hop_matrix marks and of hop_corpus. Default: the only one."
    parser.getgroup("hopgrade").addoption("--hopgrade-corpus", dest=OPTION, metavar="NAME", help=about)
    parser.addini(OPTION, about, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(run, corpus=, max_error=, baseline=, max_drop=, strict=): check the difficulty matrix of a "
        "run of Hopgrade before the test.",
    )
    config.stash[_CORPORA] = _OpenCorpora()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Give connections back."""
    if _CORPORA in config.stash:
        config.stash[_CORPORA].close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Check the limits of the mark, so that a broken one fails the test and is no error of its setup."""
    mark = item.get_closest_marker(MARK)
    if mark is not None and (trouble := _trouble(item, mark)):
        # Here, where no other error is at hand that pytest would show beside it.
        pytest.fail(trouble, pytrace=False)
    return (yield)


@pytest.fixture
def hop_corpus(request: pytest.FixtureRequest) -> "Corpus":
    """The corpus of the mark or of the session, open; see `hopgrade.Corpus`."""
    mark = request.node.get_closest_marker(MARK)
    return _corpus(request.config, _arguments(mark) if mark else {})


@pytest.fixture
def hop_run(request: pytest.FixtureRequest) -> "Run":
    """The run of the mark; see `hopgrade.Run`."""
    mark = request.node.get_closest_marker(MARK)
    if mark is None:
        raise pytest.UsageError(f'{request.node.nodeid} names no run: @pytest.mark.{MARK}(run="NAME").')
    return _run(request.config, _arguments(mark))


@pytest.fixture
def hop_matrix(hop_run: "Run") -> "Matrix":
    """The difficulty matrix of the run of the mark: cells, totals, correlations."""
    return hop_run.difficulty_matrix()


def _trouble(item: pytest.Item, mark: pytest.Mark) -> str:
    """What is wrong with the run of a mark, or with the mark; "" where nothing is."""
    from kg.errors import HopgradeError  # noqa: PLC0415
    from services.assertions import assert_max_error, assert_no_worse  # noqa: PLC0415
    from services.gate import MAX_DROP  # noqa: PLC0415

    try:
        marked = _arguments(mark)
        strict = marked.get("strict", False)
        run = _run(item.config, marked)
        if "max_error" in marked:
            assert_max_error(run, marked["max_error"], strict)
        if "baseline" in marked:
            assert_no_worse(run, marked["baseline"], marked.get("max_drop", MAX_DROP), strict=strict)
    except (AssertionError, HopgradeError, pytest.UsageError) as error:
        return str(error)
    return ""


def _arguments(mark: pytest.Mark) -> _MarkArguments:
    known = _MarkArguments.__annotations__
    given: dict[str, object] = {"run": mark.args[0], **mark.kwargs} if mark.args else dict(mark.kwargs)
    if len(mark.args) > 1 or not given.keys() <= known.keys() or not isinstance(given.get("run"), str):
        raise pytest.UsageError(f"@pytest.mark.{MARK} takes {', '.join(known)}, and needs a run.")
    return cast(_MarkArguments, given)


def _run(config: pytest.Config, marked: _MarkArguments) -> "Run":
    return _corpus(config, marked).run(marked["run"])


def _corpus(config: pytest.Config, marked: _MarkArguments) -> "Corpus":
    chosen = marked.get("corpus") or config.getoption(OPTION) or config.getini(OPTION)
    return config.stash[_CORPORA].get(str(chosen or ""))
