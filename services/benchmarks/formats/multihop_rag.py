"""MultiHop-RAG: queries whose evidence is a list of facts with the metadata of their articles.

Tang and Yang 2024, section 3.

The sample of MultiHop-RAG that goes round as two files: the queries, and their answers with evidence.

Both are one JSON object, so they are read whole: 500 queries are under a megabyte. Larger ones are refused.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from kg.errors import InputError
from kg.ingest.rows import unreadable
from kg.model import Reject
from services.benchmarks.formats.cells import Cells, RowTroubleError, objects, required, text
from services.benchmarks.question import BenchmarkQuestion, Gold


def multihop_rag(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A query with its evidence; null queries have none. The set gives no ids, so the row's number is it."""
    gold = tuple(
        Gold(
            title=text(evidence, "title"),
            url=text(evidence, "url"),
            text=required(evidence, "fact"),
            hop=hop,
        )
        for hop, evidence in enumerate(objects(cells.get("evidence_list"), "evidence_list"), start=1)
    )
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=required(cells, "query", "question"),
        answer=required(cells, "answer"),
        type=text(cells, "question_type").removesuffix("_query"),
        hops=len(gold),
        gold=gold,
        place=place,
    )


MOST_BYTES = 64 << 20
_QUERIES = "queries.json"
_TRUTH = "ground_truth.json"
_REMEDY = f"Give the folder with {_QUERIES} and {_TRUTH}, or one of these files."


def is_sample(path: Path) -> bool:
    """Whether a path leads to the sample: its folder, or one of its two files beside the other."""
    try:
        _pair(path)
    except InputError:
        return False
    return True


def sample_questions(path: Path) -> Iterator[BenchmarkQuestion | Reject]:
    """The queries of the sample in their order, with answers and evidence by id.

    Raises:
        InputError: one of the files is missing, or not of this form.
    """
    queries_path, truth_path = _pair(path)
    queries, truth = _load(queries_path).get("queries"), _load(truth_path)
    if not isinstance(queries, list):
        raise InputError(f"{queries_path}: there is no list under queries.", _REMEDY)
    for row, cells in enumerate(queries):
        place = f"{queries_path}:{row + 1}"
        known = truth.get(text(cells, "id")) if isinstance(cells, dict) else None
        if not isinstance(cells, dict) or not isinstance(known, dict):
            yield Reject(place, "it has no answer in the other file")
            continue
        try:
            yield multihop_rag({**known, **cells}, place, row)
        except RowTroubleError as error:
            yield Reject(place, str(error))


def _pair(path: Path) -> tuple[Path, Path]:
    """The files of queries and of answers; their names may have a beginning in common."""
    folder, begins = path, ""
    for ending in (_QUERIES, _TRUTH):
        if path.name.endswith(ending) and not path.is_dir():
            folder, begins = path.parent, path.name.removesuffix(ending)
            break
    else:
        found = sorted(folder.glob(f"*{_QUERIES}")) if folder.is_dir() else []
        if len(found) != 1:
            raise InputError(f"{path}: there is not exactly one {_QUERIES}.", _REMEDY)
        begins = found[0].name.removesuffix(_QUERIES)
    pair = folder / f"{begins}{_QUERIES}", folder / f"{begins}{_TRUTH}"
    for one in pair:
        if not one.is_file():
            raise InputError(f"{one}: there is no such file.", _REMEDY)
    return pair


def _load(path: Path) -> Cells:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has more than the {MOST_BYTES:,} bytes that are read.", _REMEDY)
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: {unreadable(error)}.", _REMEDY) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: it is not JSON: {error}.", _REMEDY) from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: it is not a JSON object.", _REMEDY)
    return value
