"""The numbers of `kg run report --json` as short tables: accuracy by depth and by kind, and correlations."""

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]


def run_tables(report: Json) -> str:
    """Markdown tables with a column for each run."""
    runs = report["runs"]
    names = [run["facts"]["name"] for run in runs]
    depths = [[_by_error(cell) for cell in run["matrix"]["by_depth"]] for run in runs]
    hops = [f"{cell['hops']} hops ({cell['n']})" for cell in runs[0]["matrix"]["by_depth"]]
    kinds = [[_share(kind["accuracy"]) for kind in run["kinds"]] for run in runs]
    named = [
        f"{kind['kind']}, {kind['query_type']} ({kind['accuracy']['n']})"
        if kind["kind"] == "all"
        else f"{kind['kind']} ({kind['accuracy']['n']})"
        for kind in runs[0]["kinds"]
    ]
    found = [[_correlation(one) for one in _associations(run)] for run in runs]
    return "\n\n".join(
        (
            _table("right, chains by depth (questions)", names, hops, depths),
            _table("right, by kind (questions)", names, named, kinds),
            _table("r of distance and error", names, [*_depths(runs[0]), "all"], found),
        )
    )


def _associations(run: Json) -> list[Json]:
    return [*run["matrix"]["associations"], run["matrix"]["overall"]]


def _depths(run: Json) -> list[str]:
    return [f"{one['hops']} hops" for one in run["matrix"]["associations"]]


def _by_error(cell: Json) -> str:
    low, high = cell["clustered"]["low"], cell["clustered"]["high"]
    return f"{1 - cell['error_rate']:.2f}, {1 - high:.2f} to {1 - low:.2f}"


def _share(rate: Json) -> str:
    return f"{rate['rate']:.2f}, {rate['interval']['low']:.2f} to {rate['interval']['high']:.2f}"


def _correlation(one: Json) -> str:
    """Point-biserial over questions with its p by cluster, and Pearson's over the means of the quartiles."""
    questions, bins = one["questions"], one["bins"]
    if questions is None or questions["r"] is None:
        return "-"
    over_bins = "-" if bins is None or bins["r"] is None else f"{bins['r']:+.2f}"
    p = questions["p_clustered"]
    told = "p -" if p is None else "p <.001" if p < 0.001 else f"p {p:.3f}"
    return f"{questions['r']:+.2f}, {told}; quartiles {over_bins}"


def _table(title: str, columns: Sequence[str], rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """`cells` by column."""
    lines = [f"| {title} | {' | '.join(columns)} |", f"|---{'|---' * len(columns)}|"]
    lines += [f"| {row} | {' | '.join(column[at] for column in cells)} |" for at, row in enumerate(rows)]
    return "\n".join(lines)
