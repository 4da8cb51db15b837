"""Whether a run is worse than a baseline by more than is allowed, and by more than chance explains.

Both runs are compared on the questions that both answered, as a report compares them: questions whose answer
stands in one article are one cluster, the interval is Student's by cluster, the test flips the signs of
clusters. A drop fails the gate where it is larger than allowed and shown to be one (p below .05, adjusted by
Holm's method over the tests of the gate); a larger one that could be chance fails it only when strict.

The result of a gate as JUnit XML, which every CI system shows as test cases.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kg.errors import NothingToDoError, SettingsError, command
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.run_analysis import GivenAnswer, read_answers
from services.report.collect import choose_runs
from services.report.comparisons import compare_runs
from services.report.content import ALL, Compared, RunFacts
from services.report.run_facts import count_unjudged, run_facts
from services.statistics.intervals import FEW_CLUSTERS, Interval
from services.statistics.several_tests import holm

MAX_DROP = 0.03
SHOWN_BELOW = 0.05
"""A drop counts as shown where its adjusted p-value is below this."""
_ROUNDING = 1e-9

Verdict = Literal["pass", "noise", "worse"]
"""`noise` is a drop that is larger than allowed and could be chance."""


@dataclass(frozen=True, slots=True)
class GateRules:
    """When a run is too much worse: a drop in accuracy above `max_drop`, over all questions, and with
    `per_depth` at every depth. `strict` refuses such a drop even where it could be chance; `seed` is that of
    the sign-flips."""

    max_drop: float = MAX_DROP
    per_depth: bool = False
    strict: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One comparison: `scope` is "all" or a depth such as "2 hops"; `drop` is the baseline's accuracy less
    the run's, so above 0 is worse.

    `interval` holds the drop with 95 % confidence, None where there is only one cluster of questions;
    `p_value` is adjusted for the other checks. `why` says all of it in a sentence.
    """

    scope: str
    n: int
    clusters: int
    baseline_accuracy: float
    accuracy: float
    drop: float
    interval: Interval | None
    p_value: float | None
    verdict: Verdict
    passed: bool
    why: str


@dataclass(frozen=True, slots=True)
class Gate:
    """What a gate found: `tested` says what was compared and how, `notes` what a reader must know besides."""

    corpus: str
    run: str
    baseline: str
    rules: GateRules
    checks: tuple[GateCheck, ...]
    tested: str
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.passed for check in self.checks)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The drops that are larger than allowed and passed, because they could be chance."""
        return tuple(check.why for check in self.checks if check.passed and check.verdict == "noise")

    def __str__(self) -> str:
        """The sentences of all checks, and what was tested."""
        told = (f"{'ok' if check.passed else 'FAILED'}: {check.why}" for check in self.checks)
        return "\n".join((*told, self.tested, *self.notes))


def check_gate(graph: Graph, corpus: str, run: str, baseline: str, rules: GateRules | None = None) -> Gate:
    """Compare a run with a baseline.

    Raises:
        NothingToDoError: there is no run of such a name, one has not ended, or they share no question.
        SettingsError: both are one run, or different judges judged them.
    """
    rules = rules or GateRules()
    if run == baseline:
        raise SettingsError(f"{run!r} can't be its own baseline.", "Name another run: --baseline RUN.")
    names = choose_runs(graph, corpus, [baseline, run])
    answers = {name: read_answers(graph, run_id(corpus, name)) for name in names}
    facts = [_facts(graph, corpus, name, answers[name]) for name in names]
    _refuse_unlike(corpus, facts)
    checks = tuple(_checks(answers, run, baseline, rules))
    if not checks:
        raise NothingToDoError(
            f"runs {baseline!r} and {run!r} share no question.",
            f"Let both answer the same: {command('run list --corpus', corpus)}",
        )
    return Gate(
        corpus=corpus,
        run=run,
        baseline=baseline,
        rules=rules,
        checks=checks,
        tested=_describe_tests(checks, rules, facts[0].judge),
        notes=tuple(_notes(answers, facts, checks, rules)),
    )


def _facts(graph: Graph, corpus: str, name: str, answers: Sequence[GivenAnswer]) -> RunFacts:
    record = graph.rows(query("runs/read_record"), run=run_id(corpus, name))[0]["run"]
    return run_facts(record, answers, graph.rows(query("corpus/read_versions"), corpus=corpus)[0]["kept"])


def _refuse_unlike(corpus: str, facts: Sequence[RunFacts]) -> None:
    for one in facts:
        if not one.finished_at:
            raise NothingToDoError(
                f"run {one.name!r} has not ended.",
                "End it: the command that started it goes on where it was.",
            )
    judges = [one.judge.removesuffix(", revised by hand") for one in facts]
    if judges[0] != judges[1]:
        raise SettingsError(
            f"run {facts[0].name!r} was judged by {judges[0]}, {facts[1].name!r} by {judges[1]}: "
            "their accuracies don't compare.",
            f"Judge both alike: {command('run judge RUN --corpus', corpus)}",
        )


def _checks(
    answers: dict[str, list[GivenAnswer]], run: str, baseline: str, rules: GateRules
) -> Iterator[GateCheck]:
    ordered = {name: answers[name] for name in (baseline, run)}
    compared = [one for one in compare_runs(ordered, rules.seed) if rules.per_depth or one.scope == ALL]
    p_values = holm([one.p_value for one in compared])
    shared = {answer.question for answer in answers[run]}
    right = [answer for answer in answers[baseline] if answer.question in shared]
    for one, p_value in zip(compared, p_values, strict=True):
        inside = [it for it in right if one.scope == ALL or _scope(it) == one.scope]
        before = sum(it.right for it in inside) / one.n
        yield _check(one, p_value, before, rules)


def _scope(answer: GivenAnswer) -> str:
    return f"{answer.hops} hops" if answer.kind == "chain" else ""


def _check(one: Compared, p_value: float | None, before: float, rules: GateRules) -> GateCheck:
    drop = 0.0 - one.difference
    verdict = _verdict(drop, p_value, rules.max_drop)
    interval = one.interval and Interval(0.0 - one.interval.high, 0.0 - one.interval.low)
    return GateCheck(
        scope=one.scope,
        n=one.n,
        clusters=one.clusters,
        baseline_accuracy=before,
        accuracy=before - drop,
        drop=drop,
        interval=interval,
        p_value=p_value,
        verdict=verdict,
        passed=verdict == "pass" or (verdict == "noise" and not rules.strict),
        why=_why(one, before, interval, p_value, verdict, rules),
    )


def _verdict(drop: float, p_value: float | None, allowed: float) -> Verdict:
    if drop <= allowed + _ROUNDING:
        return "pass"
    return "worse" if p_value is not None and p_value < SHOWN_BELOW else "noise"


def _why(
    one: Compared,
    before: float,
    interval: Interval | None,
    p_value: float | None,
    verdict: Verdict,
    rules: GateRules,
) -> str:
    spread = f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval else ""
    change = (
        f"{one.scope}: accuracy {before:.3f} -> {before + one.difference:.3f} on {one.n:,} questions, "
        f"drop {0.0 - one.difference:+.3f}{spread}"
    )
    chance = "they are all one cluster" if p_value is None else _p_text(p_value)
    match verdict:
        case "pass":
            return f"{change}, no more than {rules.max_drop:.3f}."
        case "noise":
            return f"{change}, more than {rules.max_drop:.3f}, but it could be chance ({chance})."
        case "worse":
            return f"{change}, more than {rules.max_drop:.3f} and beyond chance ({chance})."


def _p_text(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _describe_tests(checks: Sequence[GateCheck], rules: GateRules, judge: str) -> str:
    first = checks[0]
    tests = "one test" if len(checks) == 1 else f"{len(checks)} tests, adjusted by Holm's method"
    fails = "is larger" if rules.strict else f"is larger and p is below {SHOWN_BELOW}"
    return (
        f"Tested: accuracy by {judge} on the {first.n:,} questions that both runs answered, in "
        f"{first.clusters:,} clusters by the article with the answer; 95 % interval, Student's by "
        f"cluster; two-sided p by flipping the signs of clusters, {tests}. A drop of "
        f"{rules.max_drop:.3f} is allowed; the gate fails where it {fails}."
    )


def _notes(
    answers: dict[str, list[GivenAnswer]],
    facts: Sequence[RunFacts],
    checks: Sequence[GateCheck],
    rules: GateRules,
) -> Iterator[str]:
    total = checks[0]
    half = (total.interval.high - total.interval.low) / 2 if total.interval else 0.0
    if half > rules.max_drop and total.verdict != "worse":
        yield (
            f"So many questions show a drop only from about {half:.3f} on, a smaller one passes as chance; "
            "more questions, on more articles, show smaller ones."
        )
    for one in facts:
        if missing := len(answers[one.name]) - total.n:
            yield f"{missing:,} questions that run {one.name!r} answered and the other did not are left out."
        if one.errors:
            yield f"{one.errors:,} answers of run {one.name!r} are errors, which count as wrong."
        if unjudged := count_unjudged(one.judge, answers[one.name]):
            yield f"On {unjudged:,} answers of run {one.name!r} a rule stands in for its judge."
    versions = sorted({one.dataset for one in facts if one.dataset})
    if len(versions) > 1:
        yield f"The runs answered different versions of the questions: {', '.join(versions)}."
    if total.clusters < FEW_CLUSTERS:
        yield (
            f"Intervals and tests over so few clusters ({total.clusters}) are rough, and five or fewer can "
            "show nothing."
        )


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, however they are written (section 2.2)."""


def junit_xml(gate: Gate) -> str:
    """A document with one suite and one test case a check; a failed check is a failure."""
    failures = sum(not check.passed for check in gate.checks)
    counts = {"tests": str(len(gate.checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = Element("testsuites", {"name": "hopgrade", **counts})
    suite = SubElement(root, "testsuite", {"name": _clean(command("run gate", gate.run)), **counts})
    properties = SubElement(suite, "properties")
    for name, value in (
        ("corpus", gate.corpus),
        ("run", gate.run),
        ("baseline", gate.baseline),
        ("max_drop", f"{gate.rules.max_drop:g}"),
        ("strict", str(gate.rules.strict).lower()),
    ):
        SubElement(properties, "property", {"name": name, "value": _clean(value)})
    for check in gate.checks:
        _add_case(suite, gate, check)
    SubElement(suite, "system-out").text = _clean("\n".join((gate.tested, *gate.notes)))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _add_case(suite: Element, gate: Gate, check: GateCheck) -> None:
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(f"hopgrade.{gate.corpus}.{gate.run}"),
            "name": _clean(f"no worse than {gate.baseline}: {check.scope}"),
        },
    )
    if not check.passed:
        failure = SubElement(case, "failure", {"type": check.verdict, "message": _clean(check.why)})
        failure.text = _clean(gate.tested)
    else:
        SubElement(case, "system-out").text = _clean(check.why)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
