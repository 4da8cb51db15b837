"""Export a dataset: its files, its card and its manifest, whole or not at all.

Where a dataset comes from: the settings that made it, who wrote its questions, and which ones fell.

Whether an export is still what was written: its files' checksums, and the records that a reader finds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import cast

from kg.corpus import recall
from kg.errors import HopgradeError, InputError, NothingToDoError, command
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph
from services.datasets.choose import FORMATS
from services.datasets.description import (
    CARD,
    UNKNOWN_LICENCE,
    card_text,
    read_statistics,
    split_counts,
    statistics_json,
)
from services.datasets.folder import (
    MANIFEST,
    Account,
    Comparison,
    ExportedFile,
    ExportWriter,
    Json,
    compare,
    count_records,
    export_folder,
    file_facts,
    read_account,
    read_manifest,
)
from services.datasets.graph_write import GRAPH, GRAPH_FORMATS, compare_graph
from services.datasets.source import Dataset, DatasetFormat, open_dataset
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


MOST_FILES = 10_000
MOST_BYTES = 64 << 30
"""An export has a file or two for each table and split; a graph of a million articles takes some 40 GB."""


MOST_RECORDS = 20_000_000
"""All tables of a dataset together may have so many records; of each some bytes stay in memory."""


@dataclass(frozen=True, slots=True)
class ExportCheck:
    """What a check found: files as the manifest says, files that are not, files beside it, and the tables."""

    folder: Path
    format: str
    whole: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    compared: tuple[Comparison, ...]

    @property
    def sound(self) -> bool:
        """Whether everything that was written is there and is read back as it was."""
        return not self.changed and not self.missing and all(one.equal for one in self.compared)


def verify_export(folder: Path) -> ExportCheck:
    """Check an exported dataset or graph; its tables are read only where its files are as they were.

    Raises:
        InputError: the folder holds no export of a known format.
        SettingsError: a library that the format takes is missing.
    """
    manifest = read_manifest(folder)
    name = manifest.get("format")
    known = {"dataset": FORMATS.keys(), GRAPH: GRAPH_FORMATS.keys()}.get(str(manifest.get("kind")), ())
    if not isinstance(name, str) or name not in known:
        raise InputError(
            f"{folder} is an export, but not of a dataset or a graph of a known format.",
            f"Export it anew with this version: {command('dataset export')}, or {command('graph export')}.",
        )
    files = _files(folder, manifest)
    missing = tuple(one for one in files if not (folder / one).is_file())
    changed = tuple(
        one
        for one, (size, sha256) in files.items()
        if one not in missing and not _is(folder, one, size, sha256)
    )
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return ExportCheck(
        folder=folder,
        format=name,
        whole=len(files) - len(missing) - len(changed),
        changed=changed,
        missing=missing,
        unknown=tuple(sorted(there - files.keys() - {MANIFEST})),
        compared=() if missing or changed else _compare_tables(folder, name, manifest),
    )


def _compare_tables(folder: Path, name: str, manifest: dict[str, Json]) -> tuple[Comparison, ...]:
    tables = manifest.get("tables")
    if not isinstance(tables, dict):
        raise _manifest_error(folder)
    if manifest.get("kind") == GRAPH:
        return compare_graph(GRAPH_FORMATS[name], folder, tables)
    splits = manifest.get("splits")
    if not isinstance(splits, list):
        raise _manifest_error(folder)
    records = count_records(tables)
    if records > MOST_RECORDS:
        raise InputError(
            f"{folder / MANIFEST} speaks of {records:,} records, and at most {MOST_RECORDS:,} are read.",
            "Export the dataset anew, in parts.",
        )
    names = [str(split.get("name", "")) for split in splits if isinstance(split, dict)]
    # The first record too many makes its table another than the manifest's; what follows is not read.
    found = islice(FORMATS[name].read(folder, names), records + 1)
    return tuple(compare(tables, read_account(found).sums()))


def _files(folder: Path, manifest: dict[str, Json]) -> dict[str, tuple[int, str]]:
    """Size and checksum of each file that the manifest names."""
    found: dict[str, tuple[int, str]] = {}
    listed = manifest.get("files")
    for one in listed if isinstance(listed, list) else ():
        match one:
            case {"name": str(name), "bytes": int(size), "sha256": str(sha256)} if _stays_inside(name):
                found[name] = (size, sha256)
            case _:
                raise _manifest_error(folder)
    if not found:
        raise _manifest_error(folder)
    total = sum(size for size, _ in found.values())
    if total > MOST_BYTES or len(found) > MOST_FILES:
        raise InputError(
            f"{folder / MANIFEST} lists {len(found):,} files of {total:,} bytes; "
            f"at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes are read.",
            "Export the dataset anew.",
        )
    return found


def _stays_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is(folder: Path, name: str, size: int, sha256: str) -> bool:
    # A file of another size is not read at all: what is read is bounded by what the manifest says.
    return (folder / name).stat().st_size == size and file_facts(folder, name).sha256 == sha256


def _manifest_error(folder: Path) -> InputError:
    return InputError(
        f"{folder / MANIFEST} does not list the files of an export.", "Export the dataset anew."
    )
