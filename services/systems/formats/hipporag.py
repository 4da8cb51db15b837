"""Answers of HippoRAG: the `QuerySolution`s that `rag_qa` returns, as JSON.

    solutions, messages, metadata = hipporag.rag_qa(queries=questions)
    Path("answers.json").write_text(json.dumps([one.to_dict() for one in solutions]))

`to_dict` keeps five documents; a dump of all fields keeps all. Files that its first version wrote
(qa_reader.py) are read too: they have "retrieved" and "prediction", and "answer" is the gold answer.
"""

from collections.abc import Iterator
from pathlib import Path

from kg.model import Reject
from kg.own_system import OwnAnswer, RetrievedText
from services.benchmarks.formats.cells import Cells, RowTroubleError, text, texts
from services.systems.formats.rows import read_rows
from services.systems.replies import AnswerRow


def read_hipporag(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers in a file of HippoRAG's solutions.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _answer)


def _answer(cells: Cells) -> OwnAnswer:
    answer, documents = ("answer", "docs") if "docs" in cells else ("prediction", "retrieved")
    if answer not in cells:
        raise RowTroubleError(f"there is no {answer}: rag_qa answers, retrieve does not")
    docs = texts(cells.get(documents) or [])
    scores = cells.get("doc_scores")
    known = scores if isinstance(scores, list) and len(scores) == len(docs) else [None] * len(docs)
    said = text(cells, answer)
    return OwnAnswer(
        said,
        tuple(_document(doc, score) for doc, score in zip(docs, known, strict=True)),
        error="" if said else "HippoRAG gave no answer",
    )


def _document(doc: str, score: object) -> RetrievedText:
    """A document as HippoRAG indexes its own sets: the title, a line break, the text."""
    title, line_end, _ = doc.partition("\n")
    return RetrievedText(
        doc,
        title=title.strip() if line_end else "",
        score=float(score) if isinstance(score, int | float) else None,
    )
