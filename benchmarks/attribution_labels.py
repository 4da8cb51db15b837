"""How far the rules that attribute failures agree with people who read the same traces.

    python -m benchmarks.attribution_labels draw --corpus NAME RUN... [--traces 60] [--seed 1] [--folder NEW]
    python -m benchmarks.attribution_labels agree [--folder docs/evaluation/attribution/second]

`draw` takes failed answers of these runs, as evenly as can be from each run and each cause by the rules, and
writes traces.json, what was drawn, into the folder, and a sheet.txt, the same to be read, with no word of the
rules' verdict, beside you. It uses the graph that `kg` uses. `agree` needs no graph: it puts the rules, as
they are now, over traces.json, and prints their agreement with labels.json, and that of any two who labelled.

labels.json has for each reader an object from a trace's number on the sheet to what he said of it:

    {"reader one": {"1": {"cause": "retrieval", "hop": 2}, "2": {"cause": "error", "hop": null}}}
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import cast

from kg.connect import open_graph
from kg.corpus import require_corpus
from kg.ids import run_id
from kg.llm.protocol import JsonValue
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Row
from services.evaluate.causes import CAUSES
from services.evaluate.diagnose import diagnose
from services.evaluate.hop_traces import GoldHop, PrefixAnswer, Trace, TraceStep, read_traces
from services.statistics.agreement import cohen_kappa
from services.statistics.intervals import wilson

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "evaluation" / "attribution"
RULES = "the rules"
SHOWN_CHARACTERS = 300

HEAD = """# Failed answers, to be labelled

For each trace say what the failure is due to, and at which hop: the first that was not got over.

- planning: no step asked for that hop
- retrieval: a step asked for it, and none of its evidence was seen
- reasoning: its evidence was seen, and the hop, or the answer, is wrong
- answer form: the answer says the right thing in a form that was not accepted (no hop)
- error: there is no answer, or a refusal (no hop)

"Saw" names the hops whose evidence was among the passages that a step saw.
"""


@dataclass(frozen=True, slots=True)
class SampledTrace:
    """A trace on the sheet, and the run that it is of."""

    run: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class Label:
    """What somebody says of a failure."""

    cause: str
    hop: int | None


def main() -> None:
    """Draw, or print the agreement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("draw", "agree"))
    parser.add_argument("runs", nargs="*")
    parser.add_argument("--corpus", default="")
    parser.add_argument("--traces", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=FOLDER / "first")
    parser.add_argument("--without", type=Path, help="a folder whose traces are not drawn again")
    parser.add_argument("--sheet", type=Path, default=Path("sheet.txt"))
    given = parser.parse_intermixed_args()
    if given.what == "agree":
        print_agreement(read_sample(given.folder), read_labels(given.folder))
        return
    known = {one.trace.answer for one in read_sample(given.without)} if given.without else set()
    with open_graph(Settings(), Silent()) as graph:
        require_corpus(graph, given.corpus)
        found = [
            SampledTrace(run, trace)
            for run in given.runs
            for trace in read_traces(graph, run_id(given.corpus, run))
            if trace.answer not in known
        ]
    drawn = draw(found, given.traces, given.seed)
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = json.dumps([asdict(one) for one in drawn], ensure_ascii=False, indent=1)
    (given.folder / "traces.json").write_text(rows + "\n", encoding="utf-8")
    given.sheet.write_text(sheet(drawn), encoding="utf-8")
    where = f"{given.folder}, to be read in {given.sheet}"
    print(f"{len(drawn)} traces of {len(given.runs)} runs drawn into {where}")


def draw(found: Sequence[SampledTrace], wanted: int, seed: int) -> list[SampledTrace]:
    """So many failures, in turn one of each run and cause, in an order that tells nothing of either."""
    strata: defaultdict[tuple[str, str], list[SampledTrace]] = defaultdict(list)
    for one in found:
        failure = diagnose(one.trace).failure
        # Of a null question there is no chain to be read, and of an untold one no trace.
        if failure is not None and one.trace.kind != "null" and failure.cause != "not told":
            strata[one.run, failure.cause].append(one)
    chance = random.Random(seed)
    for stratum in sorted(strata):
        strata[stratum].sort(key=lambda one: one.trace.answer)
        chance.shuffle(strata[stratum])
    drawn: list[SampledTrace] = []
    while len(drawn) < wanted and any(strata.values()):
        for stratum in sorted(strata):
            if strata[stratum] and len(drawn) < wanted:
                drawn.append(strata[stratum].pop())
    chance.shuffle(drawn)
    return drawn


def sheet(drawn: Sequence[SampledTrace]) -> str:
    """The traces as text, numbered from 1."""
    return HEAD + "".join(
        f"\n## {number}\n\n{_describe_trace(one.trace)}" for number, one in enumerate(drawn, start=1)
    )


def _describe_trace(trace: Trace) -> str:
    lines = [
        f"Question: {trace.question_text}",
        "",
        f"Right: {trace.gold}",
        "",
        f"Given: {trace.answer_text or '-'}",
        "",
    ]
    if trace.error:
        lines += [f"Error: {trace.error}", ""]
    for hop in trace.chain:
        fact = " / ".join(hop.sentences) or hop.question
        lines.append(f"- hop {hop.number}: {_short(fact)} -> {', '.join(hop.ends[:3])}")
    lines.append("")
    for step in trace.steps:
        saw = [str(hop.number) for hop in trace.chain if not set(hop.chunks).isdisjoint(step.seen)]
        seen = f" Saw: hop {', '.join(saw)}." if saw else " Saw: none." if step.retrieves else ""
        fault = f" [{step.fault}]" if step.fault else ""
        said = f" (thought: {_short(step.thought)})" if step.thought else ""
        did = f"{step.action}{fault}: {_short(step.query)} -> {_short(step.observation)}"
        lines.append(f"{step.index}. {did}{said}{seen}")
    return "\n".join(lines) + "\n"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN_CHARACTERS else f"{flat[:SHOWN_CHARACTERS]}..."


def print_agreement(drawn: Sequence[SampledTrace], labels: Mapping[str, Mapping[int, Label]]) -> None:
    """Each two who labelled, the rules among them: kappa over causes, and how often they name one hop."""
    everyone = {RULES: rule_labels(drawn), **labels}
    print(f"{'who':<42}{'n':>4}{'same cause':>12}{'kappa':>8}{'95 %':>18}{'same hop':>10}{'95 %':>18}")
    for one, other in combinations(everyone, 2):
        both = sorted(everyone[one].keys() & everyone[other].keys())
        first, second = ([everyone[who][number] for number in both] for who in (one, other))
        kappa = cohen_kappa([label.cause for label in first], [label.cause for label in second])
        if kappa is None:
            continue
        low_high = f"{kappa.interval.low:.2f} to {kappa.interval.high:.2f}" if kappa.interval else "-"
        value = "-" if kappa.value is None else f"{kappa.value:.2f}"
        same = [a.hop == b.hop for a, b in zip(first, second, strict=True) if a.cause == b.cause]
        around = wilson(sum(same), len(same))
        hops = f"{sum(same)}/{len(same)}"
        spread = f"{around.low:.2f} to {around.high:.2f}" if around else "-"
        causes = f"{kappa.n:>4}{kappa.observed:>12.2f}{value:>8}{low_high:>18}"
        print(f"{f'{one}, {other}':<42}{causes}{hops:>10}{spread:>18}")
    for number, told in _differences(everyone):
        print(f"trace {number}: {told}")


def rule_labels(drawn: Sequence[SampledTrace]) -> dict[int, Label]:
    """What the rules say, by the number on the sheet."""
    failures = {number: diagnose(one.trace).failure for number, one in enumerate(drawn, start=1)}
    return {number: Label(found.cause, found.hop) for number, found in failures.items() if found is not None}


def _differences(everyone: Mapping[str, Mapping[int, Label]]) -> Iterator[tuple[int, str]]:
    """The traces of which not all say the same cause and hop."""
    for number in sorted({number for labels in everyone.values() for number in labels}):
        said = {who: labels[number] for who, labels in everyone.items() if number in labels}
        if len(set(said.values())) > 1:
            yield number, "; ".join(f"{who}: {one.cause}, hop {one.hop}" for who, one in said.items())


def read_labels(folder: Path) -> dict[str, dict[int, Label]]:
    """What each reader said; empty where nobody has labelled yet."""
    path = folder / "labels.json"
    if not path.exists():
        return {}
    given = json.loads(path.read_text(encoding="utf-8"))
    found = {
        who: {int(number): Label(label["cause"], label["hop"]) for number, label in labels.items()}
        for who, labels in given.items()
    }
    unknown = {label.cause for labels in found.values() for label in labels.values()} - set(CAUSES)
    if unknown:
        raise SystemExit(f"{path} has causes that are none: {', '.join(sorted(unknown))}")
    return found


def read_sample(folder: Path) -> list[SampledTrace]:
    """The drawn traces."""
    rows = cast(list[Row], json.loads((folder / "traces.json").read_text(encoding="utf-8")))
    return [SampledTrace(row["run"], trace_from(row["trace"])) for row in rows]


def trace_from(row: Row) -> Trace:
    """A trace from what `dataclasses.asdict` made of it."""
    parts = {
        "steps": tuple(TraceStep(**_frozen(one)) for one in row["steps"]),
        "chain": tuple(GoldHop(**_frozen(one)) for one in row["chain"]),
        "prefixes": tuple(PrefixAnswer(**one) for one in row["prefixes"]),
    }
    return Trace(**{**_frozen(row), **parts})


def _frozen(row: Mapping[str, JsonValue]) -> Row:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


if __name__ == "__main__":
    main()
