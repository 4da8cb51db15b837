"""What answering a question needs and what takes long to load, kept between requests."""

from collections import OrderedDict
from threading import Lock

from kg.embed.choose import make_embedder
from kg.embed.protocol import Embedder
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.ask import Asking, ask
from services.rag.graph_search.cache import SnapshotCache
from services.rag.run_options import SystemName

MOST_CORPORA = 4
"""Corpora whose snapshots stay in memory: those asked last."""


class WarmParts:
    """Embedders by name and snapshots by corpus; several threads may ask for them.

    A snapshot looks whether its graph changed each time it is asked for.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._lock = Lock()
        self._embedders: dict[str, Embedder] = {}
        self._snapshots: OrderedDict[str, SnapshotCache] = OrderedDict()

    def embedder(self, name: str) -> Embedder:
        """The embedder of a name, loaded once.

        Raises:
            SettingsError: no such embedder, or it has no key.
            EmbeddingError: its model can't be loaded.
        """
        with self._lock:
            if name not in self._embedders:
                self._embedders[name] = make_embedder(name, self._settings)
            return self._embedders[name]

    def snapshots(self, corpus: str) -> SnapshotCache:
        """The snapshot of a corpus."""
        with self._lock:
            if corpus not in self._snapshots:
                self._snapshots[corpus] = SnapshotCache(self._graph, corpus, self._settings.hopgrade_cache)
            self._snapshots.move_to_end(corpus)
            while len(self._snapshots) > MOST_CORPORA:
                self._snapshots.popitem(last=False)
            return self._snapshots[corpus]

    def ask(
        self, corpus: str, embedder: str, question: str, system: SystemName, retriever: str, limit: int
    ) -> Asking:
        """Answer a question over a corpus that was made with this embedder; `limit` chunks are read.

        Raises:
            NothingToDoError: the corpus has no vectors, or its graph is not built yet.
        """
        return ask(
            self._graph,
            corpus,
            question,
            self.embedder(embedder),
            limit,
            self._settings,
            system,
            retriever,
            self.snapshots(corpus),
        )
