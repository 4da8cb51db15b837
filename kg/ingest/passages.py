"""The passages that question sets bring along: each becomes an article of its own.

Read are HotpotQA, 2WikiMultiHopQA and MoreHopQA (`context`: [title, [sentences]], or titles and sentences in
two columns), MuSiQue (`paragraphs`), and a corpus that is one object of {title: [sentences]}.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.ingest.rows import RawRow
from kg.model import Reject


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its sentences in order; one that comes whole is one sentence."""

    title: str
    sentences: tuple[str, ...]


def brings_passages(row: RawRow) -> bool:
    """Whether a row is a question with passages rather than an article."""
    if "question" not in row.cells:
        return False
    paragraphs, context = row.cells.get("paragraphs"), row.cells.get("context")
    return isinstance(paragraphs, list) or (
        isinstance(context, dict) or (isinstance(context, list) and not all(map(_is_text, context)))
    )


def passage_rows(row: RawRow) -> Iterator[RawRow | Reject]:
    """The passages of a question as rows of articles, each at the question's place."""
    if isinstance(paragraphs := row.cells.get("paragraphs"), list):
        passages = _paragraphs(paragraphs)
    else:
        passages = context_passages(row.cells.get("context"))
    for passage in passages:
        yield Reject(row.place, passage) if isinstance(passage, str) else _row(row.place, passage)


def object_row(place: str, title: str, value: object) -> RawRow | Reject:
    """An entry of a corpus that is one object: a title with its sentences, or with its whole text."""
    if isinstance(value, str):
        return _row(place, Passage(title, (value,)))
    if isinstance(value, list) and all(map(_is_text, value)):
        return _row(place, Passage(title, tuple(value)))
    return Reject(place, f"what stands under {title[:60]!r} is neither sentences nor text")


def context_passages(context: object) -> Iterator[Passage | str]:
    """The passages of a question's `context` in order; in place of one in bad form, what is wrong with it."""
    if isinstance(context, dict):
        titles = context.get("title")
        sentences = context.get("sentences", context.get("content"))
        if not isinstance(titles, list) or not isinstance(sentences, list) or len(titles) != len(sentences):
            yield "its context is not titles with as many lists of sentences"
            return
        context = [[title, one] for title, one in zip(titles, sentences, strict=True)]
    if not isinstance(context, list):
        return
    for number, item in enumerate(context, start=1):
        match item:
            case [str(title), list(sentences)] if all(map(_is_text, sentences)):
                yield Passage(title.strip(), tuple(sentences))
            case _:
                yield f"passage {number} of its context is not a title with sentences"


def joined(sentences: Sequence[str]) -> str:
    """Sentences as one text, with a blank where neither of two has one."""
    text = ""
    for sentence in sentences:
        gap = " " if text and not text[-1].isspace() and not sentence[:1].isspace() else ""
        text += gap + sentence
    return text.strip()


def _paragraphs(paragraphs: Sequence[object]) -> Iterator[Passage | str]:
    for number, item in enumerate(paragraphs, start=1):
        match item:
            case {"title": str(title), "paragraph_text": str(text)}:
                yield Passage(title.strip(), (text,))
            case _:
                yield f"paragraph {number} has no title with paragraph_text"


def _row(place: str, passage: Passage) -> RawRow:
    return RawRow(place, {"title": passage.title, "body": joined(passage.sentences)})


def _is_text(value: object) -> bool:
    return isinstance(value, str)
