"""MultiHop-RAG: queries whose evidence is a list of facts with the metadata of their articles.

Tang and Yang 2024, section 3.
"""

from services.benchmarks.formats.cells import Cells, objects, required, text
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
