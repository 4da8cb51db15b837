"""The questions of single and of first hops that a set tells beside a question, as the graph takes them."""

from collections.abc import Iterator, Sequence

from kg.ids import node_id
from kg.store.graph import Row
from services.benchmarks.question import HopQuestion
from services.questions.composed.store import ATOMIC
from services.questions.question_rows import PREFIX


def chain_rows(
    corpus: str, question: str, chain: Sequence[HopQuestion], groups: Sequence[Sequence[str]], made: Row
) -> Iterator[Row]:
    """Rows for `exports/write_questions`: those of the hops, then the one that joins them to `question`.

    `groups` are the supporting chunks of each hop; `made` are properties that all of them share.
    """
    for hop in chain:
        yield _row(atomic_id(corpus, question, hop), ATOMIC, hop.text, hop.answer, (), 1, made) | {
            "gold": _gold(groups[hop.hop - 1 : hop.hop])
        }
    for hop in chain[:-1]:
        id_ = prefix_id(corpus, question, hop)
        yield _row(id_, PREFIX, hop.so_far, hop.so_far_answer, hop.accepted, hop.hop, made) | {
            "gold": _gold(groups[: hop.hop])
        }
    yield {
        "id": question,
        "question": {},
        "vector": None,
        "gold": [],
        "prefixes": [{"id": prefix_id(corpus, question, hop), "hops": hop.hop} for hop in chain[:-1]],
        "hop_questions": [
            {"id": atomic_id(corpus, question, hop), "hop": hop.hop, "topology": hop.topology}
            for hop in chain
        ],
    }


def atomic_id(corpus: str, question: str, hop: HopQuestion) -> str:
    """The id of the question of one hop of an imported question."""
    return node_id(corpus, "question", ATOMIC, question, str(hop.hop))


def prefix_id(corpus: str, question: str, hop: HopQuestion) -> str:
    """The id of the question of an imported question's hops up to this one."""
    return node_id(corpus, "question", PREFIX, question, str(hop.hop))


def _row(id_: str, kind: str, text: str, answer: str, accepted: Sequence[str], hops: int, made: Row) -> Row:
    told = {
        "text": text,
        "answer": answer,
        "accepted": list(dict.fromkeys((answer, *accepted))),
        "kind": kind,
        "status": kind,
        "hops": hops,
    }
    return {"id": id_, "question": told | made, "vector": None, "prefixes": [], "hop_questions": []}


def _gold(groups: Sequence[Sequence[str]]) -> list[Row]:
    return [
        {"hop": hop, "chunk": chunk, "similarity": None}
        for hop, group in enumerate(groups, start=1)
        for chunk in group
    ]
