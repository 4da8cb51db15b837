"""The dataset that the kept questions of a corpus are: its bins, cut once, and its version.

Bins are cut when the questions are made and then stay: a question that is added later goes into the bin that
the old cuts give it, and one that is dropped or edited moves no other. The version changes with every kept
question, so that runs on different questions can't be taken for runs on the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.corpus import recall, remember
from kg.ids import content_hash
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.store.graph import Graph
from services.questions.choice import BinsOption, parse_bins
from services.questions.difficulty import bin_of, cut_points
from services.questions.spans.question_spans import write_spans

VERSION_DIGITS = 12
GLOBAL = 0
"""The group of all depths together."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard a kept chain question is to retrieve for: its depth and the smallest similarity's distance."""

    question: str
    hops: int
    value: float


@dataclass(frozen=True, slots=True)
class Cuts:
    """The upper bounds of the three lower quartiles, by depth or for all depths together."""

    bins: BinsOption
    bounds: Mapping[int, tuple[float, ...]]

    def bin(self, one: Difficulty) -> int | None:
        """The quartile of a question, 1 to 4; None where there was nothing to cut in its group."""
        return bin_of(one.value, self.bounds.get(_group(self.bins, one.hops), ()))


def cut_bins(bins: BinsOption, cut_over: Iterable[Difficulty]) -> Cuts:
    """Quartiles of the weakest hop's difficulty, of each depth or of all depths together."""
    groups: dict[int, list[float]] = defaultdict(list)
    for one in cut_over:
        groups[_group(bins, one.hops)].append(one.value)
    return Cuts(bins, {group: cut_points(values) for group, values in sorted(groups.items())})


def freeze_dataset(
    graph: Graph,
    corpus: str,
    bins: BinsOption,
    cut_over: Sequence[Difficulty],
    others: Sequence[Difficulty] = (),
) -> str:
    """Cut the bins anew over some questions, put these and others into them, and write the version; it.

    `others` have no influence on the cuts: they were asked for by hand and are no part of the sample.
    """
    cuts = cut_bins(bins, cut_over)
    _write_cuts(graph, corpus, cuts)
    _write_bins(graph, cuts, (*cut_over, *others))
    write_spans(graph, corpus)
    return renew_version(graph, corpus)


def place_added(graph: Graph, corpus: str, added: Sequence[Difficulty]) -> str:
    """Put questions that came later into the frozen bins, and write the version; it.

    A group that had no question when the bins were cut, as where a model failed on each, is cut now.
    """
    frozen = read_cuts(graph, corpus)
    late = cut_bins(frozen.bins, [one for one in added if frozen.bin(one) is None])
    if late.bounds:
        frozen = Cuts(frozen.bins, {**frozen.bounds, **late.bounds})
        _write_cuts(graph, corpus, frozen)
    _write_bins(graph, frozen, added)
    write_spans(graph, corpus)
    return renew_version(graph, corpus)


def _write_cuts(graph: Graph, corpus: str, cuts: Cuts) -> None:
    recorded = {_property(group): list(cuts.bounds.get(group, ())) or None for group in (GLOBAL, *DEPTHS)}
    remember(graph, corpus, {"bins": cuts.bins, **recorded})


def _write_bins(graph: Graph, cuts: Cuts, found: Iterable[Difficulty]) -> None:
    rows = ({"id": one.question, "properties": {"bin": cuts.bin(one)}} for one in found)
    graph.write_rows(query("corpus/write_properties"), rows)


def read_cuts(graph: Graph, corpus: str) -> Cuts:
    """Where the bins of a corpus were cut; no bounds where they never were."""
    kept = recall(graph, corpus)
    bounds = {group: tuple(kept.get(_property(group)) or ()) for group in (GLOBAL, *DEPTHS)}
    return Cuts(parse_bins(kept.get("bins") or "depth"), bounds)


def renew_version(graph: Graph, corpus: str) -> str:
    """Write the version of the questions that are kept now onto the corpus, and return it."""
    version = dataset_version(graph, corpus)
    remember(graph, corpus, {"dataset": version})
    return version


def dataset_version(graph: Graph, corpus: str) -> str:
    """A hash over id, text, answer and bin of every kept question: "v-0123456789ab"."""
    rows = graph.stream(query("questions/list_of_status"), corpus=corpus, status="kept")
    parts = (str(row[column]) for row in rows for column in ("id", "text", "answer", "bin"))
    return f"v-{content_hash(parts, VERSION_DIGITS)}"


def _group(bins: BinsOption, hops: int) -> int:
    return hops if bins == "depth" else GLOBAL


def _property(group: int) -> str:
    """The property of the corpus that holds the bounds of a group."""
    return f"cuts_{group}_hops" if group else "cuts"
