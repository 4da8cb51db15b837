"""HotpotQA, 2WikiMultiHopQA and MoreHopQA: each question brings its passages as [title, [sentences]].

Evidence is named by title, in the first two with the number of a sentence as well (Yang et al. 2018,
section 2; Ho et al. 2020, section 3; Schnitzler et al. 2024, section 3).
"""

from collections.abc import Iterator, Mapping

from kg.ingest.passages import Passage, context_passages, joined
from services.benchmarks.formats.cells import (
    Cells,
    RowTroubleError,
    number,
    objects,
    required,
    text,
    texts,
)
from services.benchmarks.question import BenchmarkQuestion, Gold


def hotpotqa(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of HotpotQA, as first published or with columns in place of pairs."""
    facts = list(_supporting_facts(cells.get("supporting_facts")))
    passages = _by_title(cells)
    hops = {title: hop for hop, title in enumerate(dict.fromkeys(title for title, _ in facts), start=1)}
    return BenchmarkQuestion(
        id=text(cells, "_id", "id") or str(row),
        text=required(cells, "question"),
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
        text=required(cells, "question"),
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
