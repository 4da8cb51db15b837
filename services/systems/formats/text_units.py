"""The text units of a Microsoft GraphRAG index: text_units.parquet, beside a file or in `output` there."""

from collections.abc import Mapping
from pathlib import Path

from kg.errors import InputError, SettingsError

FILE = "text_units.parquet"
_COLUMNS = ("id", "human_readable_id", "text")
_REMEDY = "Copy it anew from the index's output folder."


def find_text_units(answers: Path) -> Path | None:
    """Where the text units of a file of answers are, if they are in one of the usual places."""
    places = (answers.parent / FILE, answers.parent / "output" / FILE)
    return next((place for place in places if place.is_file()), None)


def read_text_units(path: Path) -> Mapping[str, str]:
    """The text of each unit, by its id and by the number that GraphRAG's contexts and citations give it.

    Raises:
        InputError: the file is no Parquet file of text units.
        SettingsError: the package that reads Parquet is not installed.
    """
    try:
        from pyarrow import ArrowException  # noqa: PLC0415
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError(
            f"{path} can't be read: pyarrow is not installed.", "Install it: pip install 'hopgrade[parquet]'"
        ) from error
    try:
        with ParquetFile(path) as file:
            columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
            rows = file.read(columns).to_pylist()
    except (ArrowException, OSError) as error:
        raise InputError(f"{path}: it can't be read as Parquet: {error}.", _REMEDY) from error
    if "text" not in columns or len(columns) == 1:
        raise InputError(f"{path}: it has no columns id and text.", _REMEDY)
    return {
        str(row[key]): row["text"]
        for key in columns
        if key != "text"
        for row in rows
        if row["text"] is not None and row[key] is not None
    }
