"""What somebody would guess who knows the corpus' protagonists, but has read nothing for the question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.filters.names_in_text import any_named
from services.questions.filters.protocol import PASS, Verdict, fail

CANDIDATES = 20
"""Most named entities of a type that are looked at: a question names fewer than that."""


@dataclass(frozen=True, slots=True)
class _Guess:
    id: str
    names: tuple[str, ...]


@dataclass(slots=True)
class RetrievalNecessary:
    """A guess without any text is wrong: the entity of the asked type that most articles name.

    What the question names is not guessed. Questions for a word ("yes", "before") and null questions pass,
    since a toss of a coin would tell nothing about them. Who is most named is read once: it
    takes a walk over all entities, and questions come in many batches.
    """

    graph: Graph
    corpus: str
    name: str = "retrieval necessary"
    _most_named: Mapping[str, Sequence[_Guess]] | None = field(default=None, init=False, repr=False)

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        if self._most_named is None:
            self._most_named = _read_most_named(self.graph, self.corpus)
        most_named = self._most_named
        return [_verdict(draft, most_named.get(draft.answer_type, ())) for draft in drafts]


def _read_most_named(graph: Graph, corpus: str) -> dict[str, list[_Guess]]:
    rows = graph.rows(query("filters/list_most_named"), corpus=corpus, limit=CANDIDATES)
    return {
        row["type"]: [_Guess(one["id"], (one["name"], *one["aliases"])) for one in row["entities"]]
        for row in rows
    }


def _verdict(draft: Draft, candidates: Sequence[_Guess]) -> Verdict:
    guess = next((one for one in candidates if not any_named(draft.text, one.names)), None)
    if draft.kind == "null" or guess is None or guess.id != draft.answered_by:
        return PASS
    return fail(f'"{draft.answer}" is guessed without reading: most articles name it')
