"""Types of the best-linked entities, to be read: `python -m benchmarks.entity_types CORPUS [TOP]`.

Beside the type of each stand the labels of all its mentions and the predicates that took part in the vote.
"""

import sys
from collections import Counter

from kg.connect import open_graph
from kg.progress import Silent
from kg.resolve.name_pool import NameVotes, is_usual
from kg.settings import Settings
from kg.stages.resolution_names import name_votes, read_names, read_triples
from kg.store.graph import Graph
from services.evaluate.graph_quality import read_degrees

TOP = 40


def main() -> None:
    """Print them, by their number of facts."""
    corpus, top = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else TOP
    with open_graph(Settings(), Silent()) as graph:
        votes = _votes(graph, corpus)
        for number, row in enumerate(read_degrees(graph, corpus)[:top], start=1):
            of_name = votes.get(row["name"])
            labels = Counter(of_name.mentions if of_name else {}).most_common()
            told = sorted(
                said.predicate for said in (of_name.predicates if of_name else ()) if is_usual(said)
            )
            shown = ", ".join(f"{kind} {count}" for kind, count in labels)
            print(
                f"{number:>3} {row['name']:<40} {row['type']:<8} {row['degree']:>4}  {shown}; "
                f"{', '.join(told)}"
            )


def _votes(graph: Graph, corpus: str) -> dict[str, NameVotes]:
    triples = read_triples(graph, corpus)
    votes = name_votes(read_names(graph, corpus, triples), triples, ())
    return {name: one for one in votes for name in one.names}


if __name__ == "__main__":
    main()
