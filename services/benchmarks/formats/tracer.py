"""AgenticRAGTracer: each row tells the question of every hop and the question of its first hops.

You et al. 2026; a row as its pipeline writes it: `hop_1` and so on hold question, answer and document of the
hop, and what was asked so far. A document begins with its title in quotes on a line of its own.
"""

from collections.abc import Iterator

from services.benchmarks.formats.cells import Cells, RowTroubleError, required, text, texts
from services.benchmarks.question import BenchmarkQuestion, Gold, HopQuestion

_OTHER_ANSWERS = ("more_optional_answer", "optional_answers")
_START = "start"


def is_tracer(cells: Cells) -> bool:
    """Whether a row is one of this set's."""
    return isinstance(cells.get("hop_1"), dict)


def tracer(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of AgenticRAGTracer; where the row has no final question, it is that of its last hop."""
    hops = list(_hops(cells))
    if not hops:
        raise RowTroubleError("there is no hop_1")
    chain = tuple(_hop(number, hop) for number, hop in enumerate(hops, start=1))
    answers = texts(cells.get("final_answer")) or (chain[-1].so_far_answer,)
    others = _others(cells) or chain[-1].accepted
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=text(cells, "final_question") or chain[-1].so_far,
        answer=answers[0],
        accepted=tuple(dict.fromkeys((*answers[1:], *others))),
        type=text(cells, "type", "qa_type") or text(hops[-1], "qa_type"),
        hops=len(hops),
        gold=tuple(gold for number, hop in enumerate(hops, start=1) for gold in _gold(number, hop)),
        place=place,
        chain=chain,
    )


def _hops(cells: Cells) -> Iterator[Cells]:
    number = 1
    while f"hop_{number}" in cells:
        hop = cells[f"hop_{number}"]
        if not isinstance(hop, dict):
            raise RowTroubleError(f"its hop_{number} is not an object")
        yield hop
        number += 1


def _hop(number: int, hop: Cells) -> HopQuestion:
    asked = required(hop, "question")
    answers = texts(hop.get("answer")) or texts(hop.get("refined_answer"))
    if not answers:
        raise RowTroubleError(f"there is no answer in hop_{number}")
    so_far = texts(hop.get("refined_answer")) or texts(hop.get("final_answer")) or answers
    return HopQuestion(
        hop=number,
        text=asked,
        answer=answers[0],
        so_far=text(hop, "final_question") or asked,
        so_far_answer=so_far[0],
        accepted=tuple(dict.fromkeys((*so_far[1:], *_others(hop)))),
        topology=_START if number == 1 else text(hop, "qa_type", "type") or "inference",
    )


def _others(cells: Cells) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for name in _OTHER_ANSWERS for one in texts(cells.get(name))))


def _gold(number: int, hop: Cells) -> Iterator[Gold]:
    document = text(hop, "doc")
    if not document:
        return
    first, _, rest = document.partition("\n")
    quoted = len(first) > 2 and first[0] == first[-1] == '"' and rest.strip()
    if quoted:
        yield Gold(title=first[1:-1].strip(), text=rest.strip(), hop=number)
    else:
        yield Gold(text=document, hop=number)
