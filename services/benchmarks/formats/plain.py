"""Plain rows: a question, its answer, and evidence as titles, texts, ids or objects that hold these.

kg_rag_multihop: questions over passages of 2WikiMultiHopQA, whose evidence is named by chunk ids.
"""

from collections.abc import Iterator

from services.benchmarks.formats.cells import Cells, RowTroubleError, number, required, text, texts
from services.benchmarks.question import BenchmarkQuestion, Gold
from services.evaluate.answers import INSUFFICIENT


def kg_rag(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A gold question; one whose support is absent from the corpus is a null question."""
    absent = "absent_support_titles" in cells and "gold_support_chunk_ids" not in cells
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=required(cells, "question"),
        answer=INSUFFICIENT if absent else text(cells, "answer"),
        type="null" if absent else text(cells, "hop_type"),
        hops=number(cells, "hop_count"),
        gold=tuple(
            Gold(given_id=id_, hop=hop)
            for hop, id_ in enumerate(texts(cells.get("gold_support_chunk_ids", [])), start=1)
        ),
        place=place,
    )


QUESTION_COLUMNS = ("question", "query", "text")
_TITLES = ("evidence_titles", "gold_titles", "titles")
_TEXTS = ("evidence_texts", "gold_texts", "facts")
_IDS = ("evidence_ids", "gold_ids", "gold_chunk_ids")


def plain(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question out of columns with plain names; a text that stands alone in `evidence` is a fact."""
    answers = texts(cells.get("answer"))
    gold = tuple(_evidence(cells.get("evidence")))
    gold += tuple(Gold(title=one) for name in _TITLES for one in texts(cells.get(name)))
    gold += tuple(Gold(text=one) for name in _TEXTS for one in texts(cells.get(name)))
    gold += tuple(Gold(given_id=one) for name in _IDS for one in texts(cells.get(name)))
    others = (one for name in ("accepted", "answer_aliases", "answers") for one in texts(cells.get(name)))
    accepted = tuple(dict.fromkeys((*answers[1:], *others)))
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=required(cells, *QUESTION_COLUMNS),
        answer=answers[0] if answers else accepted[0] if accepted else "",
        accepted=accepted,
        type=text(cells, "type", "question_type"),
        hops=number(cells, "hops"),
        gold=gold,
        place=place,
    )


def _evidence(value: object) -> Iterator[Gold]:
    if value is None:
        return
    for item in value if isinstance(value, list) else [value]:
        match item:
            case str() if item.strip():
                yield Gold(text=item.strip())
            case dict():
                gold = Gold(
                    given_id=text(item, "id", "_id", "chunk_id", "article_id"),
                    title=text(item, "title"),
                    url=text(item, "url"),
                    text=text(item, "text", "fact", "sentence"),
                    hop=number(item, "hop"),
                )
                if not (gold.given_id or gold.title or gold.url or gold.text):
                    raise RowTroubleError("one piece of its evidence has no id, title, url or text")
                yield gold
            case _:
                raise RowTroubleError("one piece of its evidence is neither text nor an object")
