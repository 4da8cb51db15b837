"""A retriever that finds nothing but what stands in the pool of a question, chosen by a selector.

Every system of ours searches by it, also more than once for a question: a search in the question's own words
goes by the scores of the pool, any other by the likeness of its words to each chunk of the pool.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.ids import content_hash
from services.rag.graph_search.search import search_graph
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.from_snapshot import Embed
from services.rag.selection.choose import NamedSelector
from services.rag.selection.pool_index import PoolIndex, Ranked, likeness, pool_of
from services.rag.selection.protocol import Wanted

WALKED = 500
"""So many chunks of the corpus the graph retriever ranks, of which those of the pool are taken."""


@dataclass(frozen=True, slots=True)
class PoolRetriever:
    """Chooses evidence from `pools`, by the question's id; of one that has none nothing is found.

    `own_words` holds the texts of the questions that their pools were made for. Each search chooses anew
    under the whole budget; `seed` is mixed with the question's id and words.
    """

    index: PoolIndex
    pools: Mapping[str, Ranked]
    own_words: Mapping[str, str]
    selector: NamedSelector
    budget_tokens: int
    seed: int
    embed: Embed

    @property
    def name(self) -> str:
        """The selector's version."""
        return self.selector.version

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """For each question the chosen chunks; the score is 1 / rank, its part "pool" what was chosen by."""
        walked = self._walked(questions) if self.selector.walks else [None] * len(questions)
        return [self._chosen(asked, walk) for asked, walk in zip(questions, walked, strict=True)]

    def _chosen(self, asked: Asked, walked: Mapping[str, float] | None) -> list[Hit]:
        ranked = self.pools.get(asked.id, ())
        if asked.text != self.own_words.get(asked.id):
            ranked = likeness(self.index, [chunk for chunk, _ in ranked], asked)
        pool = pool_of(self.index, asked, ranked, walked)
        # Ids of questions have nothing to do with each other, nor have their seeds.
        seed = int(content_hash((str(self.seed), asked.id, asked.text)), 16)
        chosen = self.selector.select(pool, Wanted(self.budget_tokens, seed))
        return [
            Hit(pool.chunks[place], 1 / rank, (("pool", float(pool.scores[place])),))
            for rank, place in enumerate(chosen, start=1)
        ]

    def _walked(self, questions: Sequence[Asked]) -> list[dict[str, float]]:
        found = search_graph(self.index.snapshot, self.index.graph, questions, self.embed, WALKED)
        return [{hit.chunk: hit.score for hit in hits} for hits in found]
