"""HotpotQA and 2WikiMultiHopQA: each question brings ten passages as [title, [sentences]].

Evidence is named as [title, number of the sentence] (Yang et al. 2018, section 2; Ho et al. 2020, section 3).
In HotpotQA a sentence begins with the blank that parts it from the one before: readers join them as they are.

HotpotQA, 2WikiMultiHopQA and MoreHopQA: each question brings its passages as [title, [sentences]].

Evidence is named by title, in the first two with the number of a sentence as well (Yang et al. 2018,
section 2; Ho et al. 2020, section 3; Schnitzler et al. 2024, section 3).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from kg.ingest.json_rows import Passage, context_passages, joined
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.passages import QuestionPassages, questions_with_passages
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    Gold,
    RowTroubleError,
    by_rows,
    number,
    objects,
    questions_to_import,
    require_text,
    table,
    text,
    texts,
)
from services.datasets.records import QuestionRecord
from services.datasets.source import Dataset, DatasetFormat, inside, write_array


def hotpotqa(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of HotpotQA, as first published or with columns in place of pairs."""
    facts = list(_supporting_facts(cells.get("supporting_facts")))
    passages = _by_title(cells)
    hops = {title: hop for hop, title in enumerate(dict.fromkeys(title for title, _ in facts), start=1)}
    return BenchmarkQuestion(
        id=text(cells, "_id", "id") or str(row),
        text=require_text(cells, "question"),
        answer=text(cells, "answer"),
        accepted=texts(cells.get("answer_aliases")),
        type=text(cells, "type"),
        hops=len(hops),
        gold=tuple(
            Gold(title=title, text=_sentence(passages, title, at), sentence=at, hop=hops[title])
            for title, at in facts
        ),
        place=place,
    )


def morehopqa(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of MoreHopQA: its steps name the title of the passage that each needs, or none."""
    passages = _by_title(cells)
    steps = [
        text(step, "paragraph_support_title")
        for step in objects(cells.get("question_decomposition"), "question_decomposition")
    ]
    titles = dict.fromkeys(title for title in steps if title)
    return BenchmarkQuestion(
        id=text(cells, "_id", "id") or str(row),
        text=require_text(cells, "question"),
        answer=text(cells, "answer"),
        type=text(cells, "reasoning_type"),
        hops=number(cells, "no_of_hops"),
        gold=tuple(
            Gold(title=title, text=joined(passages.get(title, ())), hop=steps.index(title) + 1)
            for title in titles
        ),
        place=place,
    )


def _supporting_facts(value: object) -> Iterator[tuple[str, int]]:
    """Titles with numbers of sentences, from pairs or from two columns of the same length."""
    if value is None:
        return
    if isinstance(value, dict):
        titles, numbers = value.get("title"), value.get("sent_id")
        if not isinstance(titles, list) or not isinstance(numbers, list) or len(titles) != len(numbers):
            raise RowTroubleError("its supporting_facts are not titles with as many sentence numbers")
        value = [[title, at] for title, at in zip(titles, numbers, strict=True)]
    if not isinstance(value, list):
        raise RowTroubleError("its supporting_facts are not a list")
    for pair in value:
        match pair:
            case [str(title), int(at)] if title.strip() and at >= 0:
                yield title.strip(), at
            case _:
                raise RowTroubleError("one of its supporting_facts is not a title with a sentence number")


def _by_title(cells: Cells) -> Mapping[str, tuple[str, ...]]:
    """The sentences of each passage by title; evidence in a passage of bad form goes by title alone."""
    passages = (one for one in context_passages(cells.get("context")) if isinstance(one, Passage))
    return {passage.title: passage.sentences for passage in passages}


def _sentence(passages: Mapping[str, tuple[str, ...]], title: str, at: int) -> str:
    sentences = passages.get(title, ())
    return sentences[at].strip() if at < len(sentences) else ""


PASSAGES = 10
QUESTIONS = "questions.json"
_LEVELS = {1: "easy", 2: "medium", 3: "medium", 4: "hard"}
"""HotpotQA's levels by the quartile of retrieval difficulty."""
_TWO_SIDED = frozenset({"comparison", "temporal"})

Extra = Callable[[QuestionRecord], dict[str, object]]


def _writer(extra: Extra, between: str = "") -> Callable[[ExportWriter, Dataset, Account], None]:
    def write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
        for split in dataset.names:
            with writer.text(inside(split, QUESTIONS)) as file:
                write_array(file, _rows(dataset, split, account, extra, between))

    return write


def _rows(
    dataset: Dataset, split: str, account: Account, extra: Extra, between: str
) -> Iterator[dict[str, object]]:
    for shown in questions_with_passages(dataset, split, PASSAGES):
        (question, passages), facts = shown, supporting_facts(shown)
        if not facts:
            account.leave_out(split, "has no evidence in the articles")
            continue
        named = {passage.title: passage for passage in passages}
        told = (text for title, at in facts for text in (title, str(at), named[title].sentences[at]))
        account.expect(table(split), question.id, question.text, question.answer, *question.aliases, *told)
        yield {
            "_id": question.id,
            "question": question.text,
            "answer": question.answer,
            "answer_aliases": list(question.aliases),
            "supporting_facts": [[title, at] for title, at in facts],
            "context": [
                [passage.title, [between * bool(at) + one for at, one in enumerate(passage.sentences)]]
                for passage in passages
            ],
            **extra(question),
        }


def supporting_facts(shown: QuestionPassages) -> list[tuple[str, int]]:
    """Title and sentence number of each fact, by hop; where no fact is told every sentence of its passage."""
    question, passages = shown
    facts = {fact.hop: fact for fact in question.facts}
    found: dict[tuple[str, int], None] = {}
    for hop in sorted({hop for passage in passages for hop in passage.hops}):
        for passage in passages:
            if hop in passage.hops:
                told = passage.sentences_of(facts[hop]) if hop in facts else []
                for at in told or range(len(passage.sentences)):
                    found[passage.title, at] = None
    return list(found)


def _hotpotqa(question: QuestionRecord) -> dict[str, object]:
    kind = "comparison" if question.kind in _TWO_SIDED else "bridge"
    return {"type": kind, "level": _LEVELS.get(question.bin or 0, "medium")}


def _two_wiki(question: QuestionRecord) -> dict[str, object]:
    triples = [[fact.subject, fact.predicate, fact.object] for fact in question.facts if fact.predicate]
    kind = "comparison" if question.kind in _TWO_SIDED else "compositional"
    return {"type": kind, "evidences": triples, "evidences_id": [], "entity_ids": "", "answer_id": None}


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for one in questions_to_import(folder / inside(split, QUESTIONS), by_rows(hotpotqa)):
            told = (text for gold in one.gold for text in (gold.title, str(gold.sentence), gold.text))
            yield FoundRecord(table(split), one.id, (one.text, one.answer, *one.accepted, *told))


HOTPOTQA = DatasetFormat(
    "hotpotqa",
    "Questions with ten passages each and supporting facts, as HotpotQA's distractor setting",
    _writer(_hotpotqa, between=" "),
    _read_records,
)
TWO_WIKI = DatasetFormat(
    "2wiki",
    "The same with the triples of the path, as 2WikiMultiHopQA's files",
    _writer(_two_wiki),
    _read_records,
)
