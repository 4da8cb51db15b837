"""Results of a path with a model, and what readers labelled, as tables in Markdown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.model_results import Json
from benchmarks.model_sheets import FIELDS
from services.answer_match import answer_match
from services.answers import ANSWER_MATCH, EXACT_MATCH, exact_match
from services.evaluate.matrix import BIN_NAMES
from services.questions.filters.choose import CLOSED_BOOK
from services.questions.funnel import in_order
from services.statistics.agreement import cohen_kappa
from services.statistics.clustered_means import share_interval
from services.statistics.intervals import Interval

BY_HEART = "known by heart"
YES, NO = "yes", "no"
JUDGE = "the judge"
Labels = Mapping[str, Mapping[int, Json]]
"""What each reader wrote on a sheet, by the number of the row."""


def tables(folder: Path) -> str:
    """All tables of a folder with results.json, and with sheets and labels as far as there are any.

    Raises:
        SystemExit: a label is neither yes nor no, or is of a row that is not on the sheet.
    """
    results = _read(folder / "results.json")
    parts = [
        *_requests(results["requests"]),
        *_spending(results.get("spending", [])),
        *_counts(results["counts"]),
        *_funnel(results["funnel"]),
        *_labels(folder),
    ]
    for run in results["runs"]:
        parts += _matrix(run)
    return "\n\n".join(parts) + "\n"


def written_into(page: str, name: str, text: str) -> str:
    """The page with `text` between the two lines that name a folder.

    Raises:
        SystemExit: the page has no such lines.
    """
    begin, end = f"<!-- tables of {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(
            f"the page has no place for {name}: write {begin} and {end} where its tables belong."
        )
    return f"{before}{begin}\n\n{text}\n{end}{after}"


def _requests(rows: Sequence[Json]) -> Iterator[str]:
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    cells = [[stage, "all", *_request_cells([r for r in rows if r["stage"] == stage])] for stage in stages]
    lines = []
    for line in cells:
        own = [row for row in rows if row["stage"] == line[0]]
        lines += [line] + [["", f"`{row['prompt']}`", *_request_cells([row])] for row in own if len(own) > 1]
        if len(own) == 1:
            lines[-1][1] = f"`{own[0]['prompt']}`"
    yield (
        "Requests and tokens, from the recording; repeated is the share of words in lines that had been sent "
        "before, those of the prompt's fixed part among them."
    )
    heads = ["stage", "prompt", "requests", "tokens in", "tokens out", "in a request", "repeated"]
    yield table(heads, [*lines, ["all", "", *_request_cells(rows)]])


def _request_cells(rows: Sequence[Json]) -> list[str]:
    total = {name: sum(row[name] for row in rows) for name in rows[0] if isinstance(rows[0][name], int)}
    repeated = total["repeated_words"] / total["words"] if total["words"] else 0.0
    each = total["input_tokens"] / total["requests"]
    return [
        f"{total['requests']:,}",
        f"{total['input_tokens']:,}",
        f"{total['output_tokens']:,}",
        f"{each:,.0f}",
        f"{repeated:.0%}",
    ]


def _spending(rows: Sequence[Json]) -> Iterator[str]:
    if not rows:
        return
    yield (
        "What the dry run of each command said that it would take, and what it took. Tokens in are taken as "
        "the endpoint counted them, schemas, tools and tokens out as dry runs count."
    )
    heads = ["command", "requests said", "taken", "tokens in said", "taken", "tokens out said", "taken"]
    lines = [
        [row["command"], *(f"{row[name][at]:,}" for at in range(3) for name in ("expected", "taken"))]
        for row in rows
    ]
    totals = [f"{sum(row[name][at] for row in rows):,}" for at in range(3) for name in ("expected", "taken")]
    yield table(heads, [*lines, ["all", *totals]])


def _counts(counts: Json) -> Iterator[str]:
    yield "What the graph holds after the build and the questions, from the replay."
    yield table(list(counts), [[f"{count:,}" for count in counts.values()]])


def _funnel(columns: Sequence[Json]) -> Iterator[str]:
    columns = [column for column in columns if column["drawn"]]
    heads = [f"{one['hops']} hops" if one["hops"] else one["kind"] for one in columns]
    fell = in_order(name for column in columns for name in column["fell"])

    counts = {"drawn": [int(one["drawn"]) for one in columns]}
    for name in fell:
        shown = f"{name} ({BY_HEART})" if name == CLOSED_BOOK else name
        counts[shown] = [int(one["fell"].get(name, 0)) for one in columns]
    counts["dropped by reviewers"] = [int(one["dropped"]) for one in columns]
    counts["**kept**"] = [int(one["kept"]) for one in columns]
    lines = [[name, *map(str, numbers), str(sum(numbers))] for name, numbers in counts.items()]
    yield (
        "Questions that fell at each check, from `kg questions funnel`; a check sees only what passed those "
        f"above it. Those {BY_HEART} may be good questions: the model answered them without the articles."
    )
    yield table(["", *heads, "all"], lines)


def _labels(folder: Path) -> Iterator[str]:
    if not (folder / "key.json").exists():
        return
    key = _read(folder / "key.json")
    told = {
        sheet: read_labels(folder, sheet, len(key[sheet]), fields)
        for sheet, fields in FIELDS.items()
        if sheet in key
    }
    names = {"triples": "triple", "links": "link", "questions": "question", "answers": "given answer"}
    names["known"] = f"question {BY_HEART}"
    rows, alike = [], []
    for sheet, labels in told.items():
        clusters = [row["cluster"] for row in key[sheet]]
        for field in FIELDS[sheet]:
            what = f"{names[sheet]}: {field}"
            said = {reader: said_of(labels[reader], field) for reader in labels}
            rows += [[what, reader, *_share(one, clusters)] for reader, one in said.items()]
            alike += [[what, *line] for line in agreements(said)]
    if not rows:
        return
    yield (
        f"What readers said of the sheets (drawn with seed {key['seed']}): how many got a yes, with the 95 % "
        "interval by cluster, the article that a row is of (of an answer, the question)."
    )
    yield table(["sheet: field", "reader", "yes", "share", "95 %"], rows)
    yield "How far readers agree, by Cohen's kappa."
    yield table(AGREED, alike)
    if "answers" not in key:
        return
    verdicts = _verdicts(folder, [bool(row["judge"]) for row in key["answers"]])
    readers = {reader: said_of(lines, "right") for reader, lines in told["answers"].items()}
    pairs = [
        line
        for by, verdict in verdicts.items()
        for reader, said in readers.items()
        for line in agreements({by: verdict, reader: said})
    ]
    if pairs:
        yield "The judge and the rules against each reader, on answers that the judge was asked about."
        yield table(AGREED, [["given answer: right", *line] for line in pairs])


def _verdicts(folder: Path, judged: Sequence[bool]) -> dict[str, dict[int, str]]:
    """By who said so and by number, what judge and rules say of the answers of a sheet.

    The rules see what the sheet shows: not the names on a question's chain, which they allow for in a run.
    """
    found: dict[str, dict[int, str]] = {JUDGE: {}, ANSWER_MATCH: {}, EXACT_MATCH: {}}
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    for row, by_judge in zip(map(json.loads, lines), judged, strict=True):
        said = (row["given"], row["accepted"][0], row["accepted"][1:])
        verdicts = (by_judge, answer_match(*said, row["question"]), exact_match(*said))
        for name, right in zip(found, verdicts, strict=True):
            found[name][row["number"]] = YES if right else NO
    return found


AGREED = ["sheet: field", "who", "n", "same", "kappa", "95 %"]


def said_of(lines: Mapping[int, Json], field: str) -> dict[int, str]:
    """The labels of one field by number, those left empty not among them."""
    return {number: line[field] for number, line in lines.items() if line.get(field)}


def _share(said: Mapping[int, str], clusters: Sequence[str]) -> list[str]:
    numbers = sorted(said)
    hits = [said[number] == YES for number in numbers]
    if not hits:
        return ["0 of 0", "-", "-"]
    interval = share_interval(hits, [clusters[number - 1] for number in numbers])
    return [f"{sum(hits)} of {len(hits)}", f"{sum(hits) / len(hits):.2f}", format_interval(interval)]


def agreements(said: Mapping[str, Mapping[int, str]]) -> Iterator[list[str]]:
    """Lines under `AGREED` but for their first cell: each two readers over what both labelled."""
    for one, other in combinations(said, 2):
        both = sorted(said[one].keys() & said[other].keys())
        found = cohen_kappa([said[one][number] for number in both], [said[other][number] for number in both])
        if found is not None:
            kappa = "-" if found.value is None else f"{found.value:.2f}"
            same = f"{found.observed:.2f}"
            yield [f"{one}, {other}", str(found.n), same, kappa, format_interval(found.interval)]


def read_labels(folder: Path, sheet: str, rows: int, fields: Sequence[str]) -> Labels:
    """What each reader wrote on a sheet of so many rows; empty where nobody has labelled it.

    Raises:
        SystemExit: a label is neither yes nor no, or is of a row that is not on the sheet.
    """
    found: dict[str, dict[int, Json]] = {}
    for path in sorted(folder.glob(f"labels/*/{sheet}.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        for line in lines:
            wrong = [name for name in fields if line.get(name, "") not in {YES, NO, ""}]
            if wrong or not 1 <= line["number"] <= rows:
                raise SystemExit(f"{path}: row {line['number']} has no sheet, or {wrong} is not yes or no.")
        found[path.parent.name] = {line["number"]: line for line in lines}
    return found


def _matrix(run: Json) -> Iterator[str]:
    by_depth = {cell["hops"]: cell for cell in run["by_depth"]}
    bins = list(BIN_NAMES)
    cells = {(cell["hops"], cell["bin"]): cell for cell in run["cells"]}
    lines = [
        [f"{hops} hops", *(_cell(cells[hops, number]) for number in bins), _cell(whole)]
        for hops, whole in by_depth.items()
    ]
    lines.append(["all", *(_cell(cell) for cell in run["by_bin"]), _cell(run["total"])])
    judged = run["judge"] if not run["scale"] else f"{run['judge']} ({run['scale']})"
    yield (
        f"Errors of `{run['name']}` ({run['system']}, {run['retriever']}, answered by {run['generator']}, "
        f"judged by {judged}) by depth and quartile of retrieval distance, from `kg run matrix`: "
        "errors of answers, rate, 95 % by cluster."
    )
    yield table(["", *(BIN_NAMES[number] for number in bins), "all"], lines)


def _cell(cell: Json) -> str:
    if not cell["n"]:
        return "-"
    interval = cell["interval"] and Interval(*cell["interval"])
    rate = cell["errors"] / cell["n"]
    return f"{cell['errors']} of {cell['n']}: {rate:.2f} ({format_interval(interval)})"


def format_interval(interval: Interval | None) -> str:
    """An interval as tables have it."""
    return f"{interval.low:.2f} to {interval.high:.2f}" if interval else "-"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text(encoding="utf-8"))
