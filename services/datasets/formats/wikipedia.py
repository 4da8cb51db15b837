"""HotpotQA and 2WikiMultiHopQA: each question brings ten passages as [title, [sentences]].

Evidence is named as [title, number of the sentence] (Yang et al. 2018, section 2; Ho et al. 2020, section 3).
In HotpotQA a sentence begins with the blank that parts it from the one before: readers join them as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from services.benchmarks.formats.wikipedia import hotpotqa
from services.datasets.dataset_format import DatasetFormat, inside, write_array
from services.datasets.folder import Account, ExportWriter, Found
from services.datasets.formats.question_readers import by_rows, imported, table
from services.datasets.passages import Shown, shown_questions
from services.datasets.records import QuestionRecord
from services.datasets.source import Dataset

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
    for shown in shown_questions(dataset, split, PASSAGES):
        question, facts = shown.question, supporting_facts(shown)
        if not facts:
            account.leave_out(split, "has no evidence in the articles")
            continue
        named = {passage.title: passage for passage in shown.passages}
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
                for passage in shown.passages
            ],
            **extra(question),
        }


def supporting_facts(shown: Shown) -> list[tuple[str, int]]:
    """Title and sentence number of each fact, by hop; where no fact is told every sentence of its passage."""
    facts = {fact.hop: fact for fact in shown.question.facts}
    found: dict[tuple[str, int], None] = {}
    for hop in sorted({hop for passage in shown.passages for hop in passage.hops}):
        for passage in shown.passages:
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


def _read(folder: Path, splits: Sequence[str]) -> Iterator[Found]:
    for split in splits:
        for one in imported(folder / inside(split, QUESTIONS), by_rows(hotpotqa)):
            told = (text for gold in one.gold for text in (gold.title, str(gold.sentence), gold.text))
            yield Found(table(split), one.id, (one.text, one.answer, *one.accepted, *told))


HOTPOTQA = DatasetFormat(
    "hotpotqa",
    "Questions with ten passages each and supporting facts, as HotpotQA's distractor setting",
    _writer(_hotpotqa, between=" "),
    _read,
)
TWO_WIKI = DatasetFormat(
    "2wiki",
    "The same with the triples of the path, as 2WikiMultiHopQA's files",
    _writer(_two_wiki),
    _read,
)
