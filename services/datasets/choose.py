"""The formats that a dataset can be exported in, by their names.

Reads the question files of other sets: finds out which form a file has, then reads it row by row.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from kg.errors import InputError, SettingsError
from kg.ingest.rows import RawRow
from kg.model import Reject
from services.datasets.formats.beir import BEIR, QRELS, QUERIES, beir_questions
from services.datasets.formats.hopgrade import HOPGRADE
from services.datasets.formats.multihop_rag import MULTIHOP_RAG, is_sample, multihop_rag, sample_questions
from services.datasets.formats.musique import MUSIQUE, musique
from services.datasets.formats.parquet import HUGGINGFACE, RAGAS
from services.datasets.formats.plain import CSV, GRADE, QUESTION_COLUMNS, kg_rag, plain
from services.datasets.formats.squad import SQUAD
from services.datasets.formats.tracer import TRACER, is_tracer, tracer
from services.datasets.formats.wikipedia import HOTPOTQA, TWO_WIKI, hotpotqa, morehopqa
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    RowReader,
    each_id_once,
    file_rows,
    limit_rows,
    read_question_rows,
)
from services.datasets.source import DatasetFormat

FORMATS: Mapping[str, DatasetFormat] = {
    one.name: one
    for one in (
        HOPGRADE,
        GRADE,
        MULTIHOP_RAG,
        HOTPOTQA,
        TWO_WIKI,
        MUSIQUE,
        TRACER,
        BEIR,
        SQUAD,
        RAGAS,
        HUGGINGFACE,
        CSV,
    )
}


def choose_format(name: str) -> DatasetFormat:
    """The format of this name.

    Raises:
        SettingsError: there is none.
    """
    found = FORMATS.get(name)
    if found is None:
        raise SettingsError(f"{name!r} is not a format of datasets.", f"Use one of: {', '.join(FORMATS)}.")
    return found


_BY_ROW: Mapping[str, RowReader] = {
    "multihop-rag": multihop_rag,
    "hotpotqa": hotpotqa,
    "2wiki": hotpotqa,
    "musique": musique,
    "morehopqa": morehopqa,
    "kg-rag": kg_rag,
    "tracer": tracer,
    "jsonl": plain,
}
_BY_FOLDER: Mapping[str, Callable[[Path], Iterator[BenchmarkQuestion | Reject]]] = {
    "multihop-rag-sample": sample_questions,
    "beir": beir_questions,
}
QUESTION_FORMATS = (*_BY_ROW, *_BY_FOLDER)

_ROWS_LOOKED_AT = 200
_SHOWN = 15
_REMEDY = f"Give a question file of one of these forms, or say which: --format {', '.join(QUESTION_FORMATS)}."


def read_questions(path: Path, form: str = "") -> Iterator[BenchmarkQuestion | Reject]:
    """The questions of a file (or a folder, for BEIR and the sample of MultiHop-RAG), in its order.

    Without `form` it is told from the content, before this returns. A row that can't be used is a `Reject`
    with its place; so is one whose id another row has, with another question.

    Raises:
        InputError: the file can't be read at all, has none of the forms known, or over `MOST_ROWS` rows.
        SettingsError: there is no such form.
    """
    form = form or tell_format(path)
    if form in _BY_FOLDER:
        return each_id_once(limit_rows(_BY_FOLDER[form](path), path))
    if form not in _BY_ROW:
        raise SettingsError(
            f"{form!r} is not a form of question files.", f"Use one of: {', '.join(QUESTION_FORMATS)}."
        )
    return read_question_rows(path, _BY_ROW[form])


def tell_format(path: Path) -> str:
    """The form of a question file by its content, as one of `QUESTION_FORMATS`.

    Raises:
        InputError: it has none of them.
    """
    if path.is_dir() and (path / QUERIES).is_file():
        return "beir"
    if path.suffix == ".tsv" and path.parent.name == QRELS:
        return "beir"
    if path.name == QUERIES and (path.parent / QRELS).is_dir():
        return "beir"
    if is_sample(path):
        return "multihop-rag-sample"
    if path.is_dir():
        raise InputError(f"{path}: the folder holds no question set.", _REMEDY)
    looked_at = list(islice(file_rows(path), _ROWS_LOOKED_AT))
    for row in looked_at:
        if isinstance(row, RawRow) and (form := _form_of(row.cells)):
            return form
    if not looked_at:
        raise InputError(f"{path}: the file holds no questions.", "Leave it out, or fill it.")
    if isinstance(first := looked_at[0], Reject):
        raise InputError(
            f"{first.place}: {first.reason}, and no row tells the form of the questions.", _REMEDY
        )
    raise InputError(
        f"{path}: the form of these questions is not known (found: {', '.join(list(first.cells)[:_SHOWN])}).",
        _REMEDY,
    )


def _form_of(cells: Cells) -> str:
    """The form that a row's columns tell of, "" for none."""
    names = cells.keys()
    if is_tracer(cells):
        return "tracer"
    if not names & set(QUESTION_COLUMNS):
        return ""
    tells: tuple[tuple[str, bool], ...] = (
        ("multihop-rag", "evidence_list" in names),
        ("kg-rag", bool(names & {"gold_support_chunk_ids", "absent_support_titles"})),
        ("musique", "paragraphs" in names),
        ("morehopqa", "context" in names and bool(names & {"no_of_hops", "previous_question"})),
        ("2wiki", "supporting_facts" in names and bool(names & {"evidences", "entity_ids"})),
        ("hotpotqa", "supporting_facts" in names),
        ("jsonl", True),
    )
    return next(form for form, told in tells if told)
