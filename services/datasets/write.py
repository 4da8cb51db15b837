"""Export a dataset: its files, its card and its manifest, whole or not at all.

Where a dataset comes from: the settings that made it, who wrote its questions, and which ones fell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from kg.corpus import recall
from kg.errors import HopgradeError, NothingToDoError, command
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph
from services.datasets.card import CARD, UNKNOWN_LICENCE, card_text, split_counts
from services.datasets.dataset_format import DatasetFormat
from services.datasets.folder import (
    Account,
    Comparison,
    ExportedFile,
    ExportWriter,
    Json,
    compare,
    export_folder,
    read_account,
)
from services.datasets.source import Dataset, open_dataset
from services.datasets.statistics import read_statistics, statistics_json
from services.questions.funnel import read_funnel
from services.questions.spans.facets import read_border_shares, shares_json
from services.questions.spans.question_spans import renew_spans

_NOT_SETTINGS = frozenset(
    {"id", "corpus", "name", "created_at", "dropping", "dataset", "imported_dataset", "spans_of"}
)


def read_provenance(graph: Graph, corpus: str) -> dict[str, Json]:
    """What a manifest says of a corpus: name, version of its questions, settings, generators, funnel,
    the shares that cross borders, and what its articles and questions are like."""
    held = recall(graph, corpus)
    told = graph.rows(query("corpus/read_versions"), corpus=corpus)[0]
    funnel: list[Json] = [
        {
            "kind": column.kind,
            "hops": column.hops,
            "drawn": column.drawn,
            "fell": dict(column.fell),
            "dropped": column.dropped,
            "kept": column.kept,
        }
        for column in read_funnel(graph, corpus)
        if column.drawn
    ]
    return {
        "corpus": corpus,
        "dataset": told["dataset"],
        "settings": _plain({name: held[name] for name in sorted(held.keys() - _NOT_SETTINGS)}),
        "generators": list(told["generators"]),
        "funnel": funnel,
        "borders": cast(Json, shares_json(read_border_shares(graph, corpus))),
        "statistics": statistics_json(read_statistics(graph, corpus)),
    }


def _plain(settings: Mapping[str, object]) -> Json:
    """Those settings that JSON can hold; vectors and times are none."""
    return {
        name: cast(Json, value)
        for name, value in settings.items()
        if isinstance(value, str | int | float | list)
    }


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """`splits` are shares by name, none for a dataset that is one; `seed` is that of every draw."""

    splits: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    licence: str = UNKNOWN_LICENCE
    verify: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class ExportedDataset:
    """What was written: counts by split as in the manifest, the files, and what was read back of them."""

    folder: Path
    format: str
    splits: tuple[Mapping[str, Json], ...]
    straddling: int
    files: tuple[ExportedFile, ...]
    compared: tuple[Comparison, ...]


def export_dataset(
    graph: Graph, corpus: str, form: DatasetFormat, out: Path, options: ExportOptions, progress: Progress
) -> ExportedDataset:
    """Write the kept questions of a corpus and its articles into a new folder.

    Raises:
        NothingToDoError: the corpus has no kept question, or none that the format has a place for.
        SettingsError: the folder can't be written, or a library for the format is missing.
        HopgradeError: what was written can't be read back; nothing is left of it.
    """
    progress.begin(f"export as {form.name}")
    renew_spans(graph, corpus)
    dataset = open_dataset(graph, corpus, options.splits, options.seed)
    account = Account()
    with export_folder(out, options.force) as writer:
        form.write(writer, dataset, account)
        splits = split_counts(dataset, account.left_out)
        _refuse_nothing(form, corpus, splits, account)
        facts = read_provenance(graph, corpus)
        with writer.text(CARD) as file:
            file.write(card_text(form, dataset, facts, options.licence, _split_settings(options), splits))
        _describe(writer, form, options, dataset, facts, splits, account)
        compared = _read_back(form, writer, dataset, account) if options.verify else ()
    questions = sum(number for split in splits if isinstance(number := split["questions"], int))
    progress.end(f"{questions:,} questions in {len(writer.files)} files")
    return ExportedDataset(
        out, form.name, tuple(splits), dataset.splits.left_out, tuple(writer.files.values()), compared
    )


def _refuse_nothing(
    form: DatasetFormat, corpus: str, splits: Sequence[Mapping[str, Json]], account: Account
) -> None:
    if not any(split["questions"] for split in splits):
        reasons = sorted({reason for fell in account.left_out.values() for reason in fell})
        raise NothingToDoError(
            f"{form.name!r} has a place for no question of corpus {corpus!r}: each {', or '.join(reasons)}.",
            f"Take another format: {command('dataset formats')}.",
        )


def _describe(
    writer: ExportWriter,
    form: DatasetFormat,
    options: ExportOptions,
    dataset: Dataset,
    facts: Mapping[str, Json],
    splits: list[dict[str, Json]],
    account: Account,
) -> None:
    writer.describe(
        {
            "kind": "dataset",
            "format": form.name,
            **facts,
            "licence": options.licence,
            "seed": options.seed,
            "shares": dict(options.splits),
            "splits": [dict(split) for split in splits],
            "straddling": dataset.splits.left_out,
            "tables": account.sums(),
        }
    )


def _split_settings(options: ExportOptions) -> dict[str, Json]:
    """What the card says of the splits and of the passages beside the evidence."""
    shares: list[Json] = [f"{name}={share:g}" for name, share in options.splits.items()]
    return {"seed of splits and passages": options.seed, "shares of the splits": shares or "not split"}


def _read_back(
    form: DatasetFormat, writer: ExportWriter, dataset: Dataset, account: Account
) -> tuple[Comparison, ...]:
    compared = tuple(compare(account.sums(), read_account(form.read(writer.folder, dataset.names)).sums()))
    for one in compared:
        if not one.equal:
            raise HopgradeError(
                f"of {one.written:,} records in {one.table} {one.found:,} were read back, not as written.",
                "Nothing was exported; please report this with the name of the format.",
            )
    return compared
