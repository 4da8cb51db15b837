"""MuSiQue: each question brings twenty paragraphs, of which the supporting ones are marked.

Trivedi et al. 2022, section 5.
"""

import re

from services.benchmarks.formats.cells import Cells, objects, required, text, texts
from services.benchmarks.question import BenchmarkQuestion, Gold
from services.evaluate.answers import INSUFFICIENT

_HOPS = re.compile(r"(\d)hop")


def musique(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of MuSiQue; one that is marked as not answerable is a null question."""
    id_ = text(cells, "id", "_id") or str(row)
    steps = [
        text(step, "paragraph_support_idx")
        for step in objects(cells.get("question_decomposition"), "question_decomposition")
    ]
    gold = []
    for at, paragraph in enumerate(objects(cells.get("paragraphs"), "paragraphs")):
        if paragraph.get("is_supporting") is True:
            index = text(paragraph, "idx") or str(at)
            hop = steps.index(index) + 1 if index in steps else 0
            gold.append(
                Gold(title=text(paragraph, "title"), text=required(paragraph, "paragraph_text"), hop=hop)
            )
    named = _HOPS.match(id_)
    answerable = cells.get("answerable") is not False
    return BenchmarkQuestion(
        id=id_,
        text=required(cells, "question"),
        answer=text(cells, "answer") if answerable else INSUFFICIENT,
        accepted=texts(cells.get("answer_aliases")) if answerable else (),
        type=id_.partition("__")[0] if answerable and named else "" if answerable else "null",
        hops=int(named[1]) if named else len(steps),
        gold=tuple(sorted(gold, key=lambda one: one.hop)) if answerable else (),
        place=place,
    )
