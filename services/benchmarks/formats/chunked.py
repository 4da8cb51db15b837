"""kg_rag_multihop: questions over passages of 2WikiMultiHopQA, whose evidence is named by chunk ids."""

from services.benchmarks.formats.cells import Cells, number, required, text, texts
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
