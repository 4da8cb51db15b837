"""Where a dataset comes from: the settings that made it, who wrote its questions, and which ones fell."""

from collections.abc import Mapping
from typing import cast

from kg.corpus import corpus_id
from kg.queries import query
from kg.store.graph import Graph
from services.exports.folder import Json
from services.questions.funnel import read_funnel
from services.questions.spans.border_shares import read_border_shares, shares_json

_NOT_SETTINGS = frozenset(
    {"id", "corpus", "name", "created_at", "dropping", "dataset", "imported_dataset", "spans_of"}
)


def read_provenance(graph: Graph, corpus: str) -> dict[str, Json]:
    """What a manifest says of a corpus: name, version of its questions, settings, generators, funnel,
    and the shares that cross borders."""
    held = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))[0]["settings"]
    told = graph.rows(query("reports/read_corpus"), corpus=corpus)[0]
    funnel: list[Json] = [
        {
            "kind": column.kind,
            "hops": column.hops,
            "drawn": column.drawn,
            "fell": dict(column.fell),
            "dropped": column.dropped,
            "kept": column.kept,
        }
        for column in read_funnel(graph, corpus)
        if column.drawn
    ]
    return {
        "corpus": corpus,
        "dataset": told["dataset"],
        "settings": _plain({name: held[name] for name in sorted(held.keys() - _NOT_SETTINGS)}),
        "generators": list(told["generators"]),
        "funnel": funnel,
        "borders": cast(Json, shares_json(read_border_shares(graph, corpus))),
    }


def _plain(settings: Mapping[str, object]) -> Json:
    """Those settings that JSON can hold; vectors and times are none."""
    return {
        name: cast(Json, value)
        for name, value in settings.items()
        if isinstance(value, str | int | float | list)
    }
