"""The facts and entities behind atomic questions, read once and kept at a bounded size."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg.store.graph import Graph
from services.questions.draft import Stop
from services.questions.filters.graph_facts import read_known
from services.questions.kinds.known_facts import KnownFact, read_facts

MOST_KEPT = 20_000
"""Facts and entities that are kept in memory; beyond, all are read anew."""


@dataclass(frozen=True, slots=True)
class FactShelf:
    """Facts by their triples' ids and entities by theirs."""

    graph: Graph
    _facts: dict[str, KnownFact] = field(default_factory=dict, repr=False)
    _stops: dict[str, Stop] = field(default_factory=dict, repr=False)

    def facts(self, triples: Iterable[str]) -> Mapping[str, KnownFact]:
        """The facts of some triples; those that the graph doesn't have are missing."""
        wanted = set(filter(None, triples))
        if len(self._facts) + len(wanted) > MOST_KEPT:
            self._facts.clear()
        self._facts.update(read_facts(self.graph, wanted - self._facts.keys()))
        return {triple: self._facts[triple] for triple in wanted if triple in self._facts}

    def stops(self, entities: Iterable[str]) -> Mapping[str, Stop]:
        """Some entities with their names; those that the graph doesn't have are missing."""
        wanted = set(filter(None, entities))
        if len(self._stops) + len(wanted) > MOST_KEPT:
            self._stops.clear()
        found = read_known(self.graph, wanted - self._stops.keys())
        self._stops.update({id_: Stop(id_, one.name, one.type, one.names[1:]) for id_, one in found.items()})
        return {id_: self._stops[id_] for id_ in wanted if id_ in self._stops}
