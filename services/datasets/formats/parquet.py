"""Parquet tables, for Hugging Face datasets and for Ragas; written a bounded group of rows at a time."""

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kg.errors import InputError, SettingsError, installation
from kg.store.graph import batches
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.question import table
from services.datasets.source import Dataset, DatasetFormat, QuestionWithArticles, evidenced_questions, inside

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

EXTRA = "parquet"
ROWS_A_GROUP = 500
UNSPLIT = "test"
"""What Hugging Face's loader calls a dataset that is not split: one to measure with, not to train on."""

MOST_UNPACKED_BYTES = 16 << 30
"""A table may unpack to so much; one column of a kilobyte may be told to stand in a billion rows."""

BATCH_BYTES = 512 << 20
"""What the rows that are read at once may take."""

_REMEDY = "Export the dataset anew."

Row = Mapping[str, object]


def require_parquet() -> None:
    """Make sure that tables can be written.

    Raises:
        SettingsError: pyarrow is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise SettingsError(
            "Parquet files need pyarrow, which is not installed.", f"Install it: {installation(EXTRA)}"
        )


def _write_table(writer: ExportWriter, name: str, schema: "pa.Schema", rows: Iterable[Row]) -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    with writer.binary(name) as file, pq.ParquetWriter(file, schema) as output:
        for batch in batches(rows, ROWS_A_GROUP):
            output.write_table(pa.Table.from_pylist(batch, schema=schema))


def _rows(path: Path) -> Iterator[dict[str, object]]:
    require_parquet()
    from pyarrow import ArrowException  # noqa: PLC0415
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    unpacked = 0
    try:
        with ParquetFile(path) as table_file:
            for batch in table_file.iter_batches(rows_at_once(table_file.metadata)):
                unpacked += batch.nbytes
                if unpacked > MOST_UNPACKED_BYTES:
                    raise InputError(f"{path} unpacks to over {MOST_UNPACKED_BYTES:,} bytes.", _REMEDY)
                yield from batch.to_pylist()
    except (ArrowException, OSError) as error:
        raise InputError(f"{path} can't be read as Parquet: {error}.", _REMEDY) from error


def rows_at_once(metadata: "FileMetaData") -> int:
    """So many rows that they fit into memory, though each should hold the largest value of its column."""
    # A value stands once in its group, in a dictionary perhaps, however many rows have it.
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return max(1, min(ROWS_A_GROUP, BATCH_BYTES // max(largest, 1)))


def _question_schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415

    texts = pa.list_(pa.string())
    evidence = pa.struct(
        [
            ("hop", pa.int32()),
            ("chunk_id", pa.string()),
            ("article_id", pa.string()),
            ("text", pa.string()),
            ("similarity", pa.float64()),
        ]
    )
    fact = pa.struct(
        [
            ("hop", pa.int32()),
            ("subject", pa.string()),
            ("predicate", pa.string()),
            ("object", pa.string()),
            ("statement", pa.string()),
            ("sentence", pa.string()),
            ("article_id", pa.string()),
        ]
    )
    return pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("answer", pa.string()),
            ("accepted", texts),
            ("answer_type", pa.string()),
            ("kind", pa.string()),
            ("type", pa.string()),
            ("hops", pa.int32()),
            ("bin", pa.int32()),
            ("difficulty_min", pa.float64()),
            ("difficulty_mean", pa.float64()),
            ("difficulty_power", pa.float64()),
            ("generator", pa.string()),
            ("path", texts),
            ("facts", pa.list_(fact)),
            ("evidence", pa.list_(evidence)),
        ]
    )


def _article_schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415

    names = ("id", "title", "body", "source", "category", "author", "published_at", "url")
    return pa.schema([(name, pa.string()) for name in names])


def _ragas_schema() -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415

    texts = pa.list_(pa.string())
    return pa.schema(
        [
            ("id", pa.string()),
            ("user_input", pa.string()),
            ("reference", pa.string()),
            ("reference_contexts", texts),
            ("reference_context_ids", texts),
        ]
    )


def _write_huggingface(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    require_parquet()
    for split in dataset.names:
        questions = map(_question_row, evidenced_questions(dataset, split))
        articles = (
            {name: getattr(article, name) for name in _article_schema().names}
            for article in dataset.articles(split)
        )
        for name, schema, rows in (
            ("questions", _question_schema(), questions),
            ("articles", _article_schema(), articles),
        ):
            told = _count_rows(rows, account, table(split, name))
            _write_table(writer, f"{name}/{split or UNSPLIT}.parquet", schema, told)


def _write_ragas(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    require_parquet()
    for split in dataset.names:
        rows = map(_ragas_row, evidenced_questions(dataset, split))
        _write_table(
            writer,
            inside(split, "questions.parquet"),
            _ragas_schema(),
            _count_rows(rows, account, table(split)),
        )


def _count_rows(rows: Iterable[Row], account: Account, name: str) -> Iterator[Row]:
    for row in rows:
        account.add(_found_record(name, row))
        yield row


def _question_row(one: QuestionWithArticles) -> Row:
    question = one.question
    return {
        "id": question.id,
        "question": question.text,
        "answer": question.answer,
        "accepted": list(question.accepted),
        "answer_type": question.answer_type,
        "kind": question.kind,
        "type": question.type,
        "hops": question.hops,
        "bin": question.bin,
        **{f"difficulty_{name}": question.difficulty.get(name) for name in ("min", "mean", "power")},
        "generator": question.generator,
        "path": [stop.name for stop in question.stops],
        "facts": [
            {
                "hop": fact.hop,
                "subject": fact.subject,
                "predicate": fact.predicate,
                "object": fact.object,
                "statement": fact.statement,
                "sentence": fact.sentence,
                "article_id": fact.article,
            }
            for fact in question.facts
        ],
        "evidence": [
            {
                "hop": gold.hop,
                "chunk_id": gold.chunk,
                "article_id": gold.article,
                "text": one.text_of(gold),
                "similarity": gold.similarity,
            }
            for gold in question.evidence
        ],
    }


def _ragas_row(one: QuestionWithArticles) -> Row:
    gold = {chunk.chunk: chunk for chunk in one.question.evidence}
    return {
        "id": one.question.id,
        "user_input": one.question.text,
        "reference": one.question.answer,
        "reference_contexts": [one.text_of(chunk) for chunk in gold.values()],
        "reference_context_ids": list(gold),
    }


def _found_record(name: str, row: Row) -> FoundRecord:
    return FoundRecord(name, str(row["id"]), tuple(f"{key}={value!r}" for key, value in row.items()))


def _read_huggingface(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for name in ("questions", "articles"):
            for row in _rows(folder / name / f"{split or UNSPLIT}.parquet"):
                yield _found_record(table(split, name), row)


def _read_ragas(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for row in _rows(folder / inside(split, "questions.parquet")):
            yield _found_record(table(split), row)


def _card(splits: Sequence[str]) -> str:
    """Front matter that tells Hugging Face's loader which file is what."""
    lines = ["configs:"]
    for name in ("questions", "articles"):
        default = ["    default: true"] if name == "questions" else []
        lines += [f"  - config_name: {name}", *default, "    data_files:"]
        for split in splits:
            lines += [
                f"      - split: {split or UNSPLIT}",
                f"        path: {name}/{split or UNSPLIT}.parquet",
            ]
    return "\n".join(lines) + "\n"


HUGGINGFACE = DatasetFormat(
    "huggingface",
    "Parquet tables of questions and articles with a dataset card, for Hugging Face datasets",
    _write_huggingface,
    _read_huggingface,
    EXTRA,
    _card,
)
RAGAS = DatasetFormat(
    "ragas",
    "A Parquet table with Ragas' columns: user_input, reference, reference_contexts",
    _write_ragas,
    _read_ragas,
    EXTRA,
)
