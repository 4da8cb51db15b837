"""The numbers of the graph retriever, found on the development sets: docs/decisions/0026-graph-retriever."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """What `prepare_graph` and `search_graph` go by; all of them lie on plateaus, see the decision."""

    title_weight: float = 2.0
    """Weight of the edge from what a title means to its article's chunks; a mention weighs at most 1."""
    vector_share: float = 0.7
    """What the cosine counts beside the words, both scaled to [0, 1]."""
    first_hits: int = 1
    """Chunks with whose best claim the question is asked again, one embedding each; more gain nothing."""
    second_share: float = 0.9
    """What a chunk of the second round counts beside one that is as good in the first."""
    chunk_share: float = 0.1
    """Mass of the seeds that are chunks, beside 1 for those that are nodes."""
    chunk_power: float = 4.0
    chunks_seeded: int = 100
    """Chunks that are seeds: so many of the likest, by their likeness to this power."""
    specific: float = 0.1
    """Names whose 1 / frequency adds up to less have less mass, in proportion: "Church" says little."""
    anchor_specific: float = 0.3
    """As `specific`, for the names of one anchor."""
    damping: float = 0.5
    steps: int = 12
    """Steps of a walk; by then less than a thousandth of its mass has not settled."""
    candidates: int = 60
    """Best chunks of the first walk that are scored."""
    candidates_after: int = 20
    """Best chunks of the second walk that are scored besides."""


DEFAULT = GraphSettings()
