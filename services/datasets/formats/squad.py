"""SQuAD 2.0: a context, its questions, and where in the context the answer stands (Rajpurkar et al. 2018).

The context of a question is all its evidence in the order of hops, so that one reading can answer it; that of
a question without an answer is what is nearest to it. An answer that doesn't stand in the evidence, such as
"yes", has no place in this format.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kg.errors import InputError
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.passages import QuestionPassages, questions_with_passages
from services.datasets.question import table
from services.datasets.source import Dataset, DatasetFormat, inside

VERSION = "v2.0"
QUESTIONS = "questions.json"
PASSAGES_OF_NULL = 3


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    for split in dataset.names:
        with writer.text(inside(split, QUESTIONS)) as file:
            file.write(f'{{"version": {json.dumps(VERSION)}, "data": [\n')
            between = ""
            for shown in questions_with_passages(dataset, split, PASSAGES_OF_NULL):
                row = _row(shown)
                if row is None:
                    account.leave_out(split, "has an answer that does not stand in the evidence")
                    continue
                file.write(between + json.dumps(row, ensure_ascii=False))
                between = ",\n"
                for found in _found_questions(row, split):
                    account.add(found)
            file.write("\n]}\n")


def _row(shown: QuestionPassages) -> dict[str, object] | None:
    """The question with its context, None where its answer is not in it."""
    question, passages = shown
    if question.answerable and not question.gold:
        return None
    used = [passage for passage in passages if passage.hops] if question.answerable else passages
    ordered = sorted(used, key=lambda passage: (passage.hops, passage.article))
    context = "\n\n".join(passage.text for passage in ordered)
    answers = _places(context, (question.answer, *question.accepted)) if question.answerable else []
    if question.answerable and not answers:
        return None
    asked = {
        "id": question.id,
        "question": question.text,
        "answers": answers,
        "is_impossible": not question.answerable,
    }
    return {
        "title": " / ".join(passage.title for passage in ordered),
        "paragraphs": [{"context": context, "qas": [asked]}],
    }


def _places(context: str, answers: Sequence[str]) -> list[dict[str, object]]:
    """Each answer that stands in the context, as it is written there, with its last place, where hops end."""
    found = []
    for answer in dict.fromkeys(one for one in answers if one):
        # No letter or digit on either side, which \b would not tell for an answer such as "(NHB)".
        places = list(re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", context))
        if places:
            found.append({"text": answer, "answer_start": places[-1].start()})
    return found


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        path = folder / inside(split, QUESTIONS)
        with path.open(encoding="utf-8") as file:
            for line in file:
                if line.startswith('{"title"'):
                    yield from _found_questions(json.loads(line.rstrip().removesuffix(",")), split)


def _found_questions(row: object, split: str) -> Iterator[FoundRecord]:
    """The questions of an element of `data`.

    Raises:
        InputError: an answer does not stand where the file says.
    """
    match row:
        case {"title": str(title), "paragraphs": [{"context": str(context), "qas": [dict(asked)]}]}:
            texts = []
            for answer in asked["answers"]:
                start, text = answer["answer_start"], answer["text"]
                if context[start : start + len(text)] != text:
                    raise InputError(
                        f"question {asked['id']}: its answer is not at {start}.", "Export it anew."
                    )
                texts += [str(start), text]
            yield FoundRecord(table(split), asked["id"], (title, context, asked["question"], *texts))
        case _:
            raise InputError("a row is not a title with one context and its question.", "Export it anew.")


SQUAD = DatasetFormat(
    "squad",
    "Questions with their evidence as context and the answer's place, as SQuAD 2.0",
    _write,
    _read_records,
)
