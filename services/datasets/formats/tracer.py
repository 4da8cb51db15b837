"""AgenticRAGTracer's rows: every hop with question, answer and document, and what was asked so far.

Composed questions bring the atomic question of each hop; those of a chain are worded from its facts.

The hops of a question with a question for each: a composed one has them, a chain's are worded.

AgenticRAGTracer: each row tells the question of every hop and the question of its first hops.

You et al. 2026; a row as its pipeline writes it: `hop_1` and so on hold question, answer and document of the
hop, and what was asked so far. A document begins with its title in quotes on a line of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from kg.model import EntityType
from kg.queries import query
from kg.store.graph import Row, batches
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.passages import main_gold
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    Gold,
    HopQuestion,
    RowTroubleError,
    by_rows,
    questions_to_import,
    require_text,
    table,
    text,
    texts,
)
from services.datasets.records import FactRecord, QuestionRecord, StopRecord
from services.datasets.source import Dataset, DatasetFormat, inside, json_line
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import chain_question

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
    others = _other_fields(cells) or chain[-1].accepted
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
    asked = require_text(hop, "question")
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
        accepted=tuple(dict.fromkeys((*so_far[1:], *_other_fields(hop)))),
        topology=_START if number == 1 else text(hop, "qa_type", "type") or "inference",
    )


def _other_fields(cells: Cells) -> tuple[str, ...]:
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


def hops_of(question: QuestionRecord) -> tuple[HopQuestion, ...]:
    """The hops of a question in their order; none for one whose hops have no questions."""
    alone = dict(_alone(question))
    if not alone or len(question.prefixes) + 1 != len(alone):
        return ()
    so_far = {one.hops: (one.text, one.answer, one.accepted) for one in question.prefixes}
    so_far[len(alone)] = (question.text, question.answer, question.accepted)
    return tuple(
        HopQuestion(hop, text, answer, *so_far[hop][:2], _others(*so_far[hop][1:]), topology)
        for hop, (topology, text, answer) in sorted(alone.items())
    )


def _others(answer: str, accepted: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in accepted if one != answer)


def _alone(question: QuestionRecord) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """For each hop how it is joined, its question and its answer."""
    if question.hop_questions:
        for one in question.hop_questions:
            yield one.hop, (one.topology, one.text, one.answer)
    elif len(question.stops) == len(question.facts) + 1 and all(fact.predicate for fact in question.facts):
        for number, fact in enumerate(question.facts, start=1):
            start, end = (_stop(stop) for stop in question.stops[number - 1 : number + 1])
            text = chain_question((start, end), (_fact(fact),))
            yield fact.hop, ("start" if number == 1 else "inference", text, end.name)


def _stop(stop: StopRecord) -> Stop:
    # Types come from a graph or from an export of one; an unknown one only makes the wording plainer.
    return Stop("", stop.name, cast("EntityType", stop.type or "MISC"))


def _fact(fact: FactRecord) -> Fact:
    return Fact(
        index=1,
        claim="",
        triple="",
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        article=fact.article,
        sentence=fact.sentence,
        reversed=fact.reversed,
    )


QUESTIONS = "questions.jsonl"
QUESTIONS_A_BATCH = 100


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    for split in dataset.names:
        with writer.text(inside(split, QUESTIONS)) as file:
            for batch in batches(dataset.questions(split), QUESTIONS_A_BATCH):
                hops = {one.id: hops_of(one) for one in batch}
                documents = _documents(dataset, [one for one in batch if hops[one.id]])
                for question in batch:
                    if not hops[question.id]:
                        account.leave_out(split, "has no question for each of its hops")
                        continue
                    row = _row(question, hops[question.id], documents[question.id])
                    file.write(json_line(row))
                    account.add(_expected_record(question, hops[question.id], documents[question.id], split))


def _documents(
    dataset: Dataset, questions: Sequence[QuestionRecord]
) -> dict[str, dict[int, tuple[str, str]]]:
    """Title and text of the chunk in which each hop stands, by question and hop."""
    gold = {one.id: main_gold(one) for one in questions}
    wanted = sorted({found.chunk for group in gold.values() for found in group})
    held: Mapping[str, Row] = {
        row["id"]: row for row in dataset.graph.read_in_batches(query("chunks/read_shown"), wanted)
    }
    return {id_: {found.hop: _document(held[found.chunk]) for found in group} for id_, group in gold.items()}


def _document(row: Row) -> tuple[str, str]:
    return " ".join(row["title"].split()), row["body"][row["start"] : row["end"]].strip()


def _row(
    question: QuestionRecord, hops: Sequence[HopQuestion], documents: Mapping[int, tuple[str, str]]
) -> dict[str, object]:
    row: dict[str, object] = {
        "id": question.id,
        "type": question.type,
        "final_question": question.text,
        "final_answer": question.answer,
        "more_optional_answer": list(question.aliases),
    }
    for hop in hops:
        title, text = documents.get(hop.hop, ("", ""))
        row[f"hop_{hop.hop}"] = {
            "question": hop.text,
            "answer": hop.answer,
            "doc": f'"{title}"\n{text}' if title else text,
            "final_question": hop.so_far,
            "final_answer": hop.so_far_answer,
            "optional_answers": list(hop.accepted),
            "qa_type": hop.topology,
        }
    return row


def _expected_record(
    question: QuestionRecord,
    hops: Sequence[HopQuestion],
    documents: Mapping[int, tuple[str, str]],
    split: str,
) -> FoundRecord:
    chain = (text for hop in hops for text in (hop.text, hop.answer, hop.so_far, hop.so_far_answer))
    told = (text for hop in hops for text in documents.get(hop.hop, ()))
    return FoundRecord(
        table(split), question.id, (question.text, question.answer, *question.aliases, *chain, *told)
    )


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for one in questions_to_import(folder / inside(split, QUESTIONS), by_rows(tracer)):
            yield FoundRecord(table(split), one.id, (one.text, one.answer, *one.accepted, *_chain(one)))


def _chain(question: BenchmarkQuestion) -> Iterator[str]:
    for hop in question.chain:
        yield from (hop.text, hop.answer, hop.so_far, hop.so_far_answer)
    for gold in question.gold:
        yield from (gold.title, gold.text)


TRACER = DatasetFormat(
    "tracer",
    "Chain and composed questions with the question and document of every hop, as AgenticRAGTracer's rows",
    _write,
    _read_records,
)
