"""Names in filters that a corpus does not have."""

import numpy as np

from kg.store.graph import Graph
from services.rag.protocol import Filters
from services.rag.retrieval.filters import Unknown, unknown_names
from tests.services.rag.retrieval.valley_press import write_by_hand

NO_VECTOR = np.zeros(1, np.float32)


def test_a_misspelled_name_is_told_with_the_one_that_is_meant(graph: Graph, corpus: str) -> None:
    for number, source in enumerate(("Valley Gazette", "Harbour Herald", "")):
        write_by_hand(graph, corpus, [NO_VECTOR], source=source, first=number, targets=())
    filters = Filters(sources=("valley gazete", "HARBOUR  herald", "Zzz", ""), authors=("Ann",))
    assert unknown_names(graph, corpus, filters) == (
        Unknown("source", "valley gazete", ("Valley Gazette",)),
        Unknown("source", "Zzz", ("Harbour Herald", "Valley Gazette")),
        Unknown("author", "Ann", ()),
    )
    assert unknown_names(graph, corpus, Filters(since="2024-01-01")) == ()
