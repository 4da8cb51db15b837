"""A protocol of four systems, whose hypotheses are about what `benchmarks.made_comparison` plants."""

from services.comparison.protocol import Protocol

SYSTEMS = ("top-k", "mmr", "genetic", "graph")
HYPOTHESES: tuple[dict[str, object], ...] = (
    {"id": "better", "system": "genetic", "against": "top-k", "smallest": 0.05},
    {"id": "backwards", "system": "top-k", "against": "genetic", "smallest": 0.05},
    {"id": "words", "system": "genetic", "against": "top-k", "measure": "f1", "smallest": 0.05},
)


def planted_protocol(hypotheses: tuple[dict[str, object], ...] = HYPOTHESES, **inference: object) -> Protocol:
    """The protocol with these hypotheses; few draws, so that tests are quick."""
    return Protocol.model_validate(
        {
            "name": "made",
            "dataset": {"corpus": "made", "version": "v1"},
            "pool": {"retriever": "vector", "hash": "0" * 64},
            "budget": {"evidence_tokens": 1024},
            "generator": {"kind": "rules", "name": "rules"},
            "judge": {"kind": "rules", "name": "exact"},
            "second_judge": {"kind": "model", "name": "judge-b"},
            "systems": [{"name": name, "selector": name} for name in SYSTEMS],
            "hypotheses": list(hypotheses),
            "inference": {"draws": 2_000, **inference},
        }
    )
