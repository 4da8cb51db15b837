"""Fourth stage: articles become claims, triples, and named mentions hung on their chunks."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kg.extract.protocol import ExtractionInput, Extractor
from kg.ids import node_id
from kg.ledger import Counts
from kg.model import LITERAL_TYPES, NAMED_TYPES, Claim, EntityType, Extraction, Mention, Triple
from kg.progress import Progress
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row, batches
from kg.text.opinion import FACTUAL_FROM
from kg.text.sentences import sentence_spans

ARTICLES_A_BATCH = 16


def extract_claims(
    graph: Graph, corpus: str, make_extractor: Callable[[], Extractor], progress: Progress
) -> Counts:
    """Read every article whose claims are not in the graph yet; an article is marked once all of it is."""
    pending = [row["id"] for row in graph.rows(query("claims/list_unread"), corpus=corpus)]
    progress.step("claims and triples", len(pending))
    if pending:
        _extract_articles(graph, corpus, make_extractor(), pending, progress)
    return dict(graph.rows(query("claims/count_claims"), corpus=corpus, factual_from=FACTUAL_FROM)[0])


def _extract_articles(
    graph: Graph, corpus: str, extractor: Extractor, pending: Sequence[str], progress: Progress
) -> None:
    for ids in batches(pending, ARTICLES_A_BATCH):
        articles = graph.rows(query("articles/read_bodies"), ids=ids)
        rows = _Rows(corpus, extractor.name)
        for article, extraction in zip(articles, extractor.extract(map(_input, articles)), strict=True):
            rows.add(article, extraction)
        rows.write(graph)
        graph.rows(query("claims/mark_read"), ids=ids)
        progress.advance(len(ids))


def entity_id(corpus: str, name: str, kind: EntityType) -> str:
    """The id of the entity that a name stands for before merging: its normal form, literals apart."""
    return node_id(corpus, "entity", "literal" if kind in LITERAL_TYPES else "name", normal_form(name))


def entity_row(corpus: str, name: str, kind: EntityType) -> dict[str, object]:
    """An Entity node for a name."""
    return {
        "id": entity_id(corpus, name, kind),
        "key": normal_form(name),
        "name": name,
        "type": kind,
        "named": kind in NAMED_TYPES,
        "literal": kind in LITERAL_TYPES,
    }


def _input(article: Row) -> ExtractionInput:
    published = article["published_at"]
    return ExtractionInput(
        body=article["body"],
        title=article["title"],
        published_at=published.to_native() if published is not None else None,
        sentences=sentence_spans(article["body"]),
    )


@dataclass(slots=True)
class _Rows:
    """What a batch of articles adds to the graph, gathered for one write a kind."""

    corpus: str
    extractor: str
    entities: dict[str, dict[str, object]] = field(default_factory=dict)
    claims: list[dict[str, object]] = field(default_factory=list)
    triples: list[dict[str, object]] = field(default_factory=list)
    mentions: list[dict[str, object]] = field(default_factory=list)
    names: list[dict[str, object]] = field(default_factory=list)

    def add(self, article: Row, extraction: Extraction) -> None:
        for claim in extraction.claims:
            self._add_claim(article, claim, extraction.mentions)
        for chunk in article["chunks"]:
            self._add_names(chunk, extraction.mentions)

    def write(self, graph: Graph) -> None:
        graph.write_rows(query("entities/write_entities"), self.entities.values(), corpus=self.corpus)
        graph.write_rows(query("claims/write_claims"), self.claims, corpus=self.corpus)
        graph.write_rows(query("entities/write_triples"), self.triples, corpus=self.corpus)
        graph.write_rows(query("entities/write_mentions"), self.mentions)
        graph.write_rows(query("entities/write_names"), self.names)

    def _entity(self, name: str, kind: EntityType) -> str:
        row = entity_row(self.corpus, name, kind)
        found = str(row["id"])
        self.entities.setdefault(found, row)
        return found

    def _add_claim(self, article: Row, claim: Claim, mentions: Sequence[Mention]) -> None:
        claim_id = node_id(self.corpus, "claim", article["id"], str(claim.start), str(claim.end))
        holders = _holders(article["chunks"], claim.start, claim.end)
        properties = {
            "id": claim_id,
            "article": article["id"],
            "sentence": claim.sentence,
            "text": claim.text,
            "start": claim.start,
            "end": claim.end,
            "factual": claim.factual,
            "verified": True,
            "extractor": self.extractor,
        }
        self.claims.append({"claim": properties, "chunks": holders})
        roles: set[tuple[str, str, str]] = set()
        for triple in claim.triples:
            subject = self._entity(triple.subject, triple.subject_type)
            target = self._entity(triple.object, triple.object_type)
            self.triples.append(self._triple_row(article, claim_id, subject, target, triple))
            roles |= {("subject", triple.subject, subject), ("object", triple.object, target)}
        for mention in mentions:
            if claim.start <= mention.start and mention.end <= claim.end:
                roles.add(("named", mention.name, self._entity(mention.name, mention.type)))
        self.mentions += [
            {"claim": claim_id, "role": role, "name": name, "entity": entity}
            for role, name, entity in sorted(roles)
        ]

    def _triple_row(
        self, article: Row, claim: str, subject: str, target: str, triple: Triple
    ) -> dict[str, object]:
        properties = {name: getattr(triple, name) for name in Triple.__slots__}
        return {
            "from": subject,
            "to": target,
            "triple": {
                **properties,
                "id": node_id(self.corpus, "triple", claim, *map(str, properties.values())),
                "claim": claim,
                "article": article["id"],
                "extractor": self.extractor,
            },
        }

    def _add_names(self, chunk: Row, mentions: Sequence[Mention]) -> None:
        held = Counter(
            (mention.surface, mention.name, mention.type)
            for mention in mentions
            if chunk["start"] <= mention.start and mention.end <= chunk["end"]
        )
        for (surface, name, kind), count in sorted(held.items()):
            self.names.append(
                {
                    "chunk": chunk["id"],
                    "entity": self._entity(name, kind),
                    "surface": surface,
                    "name": name,
                    "type": kind,
                    "count": count,
                }
            )


def _holders(chunks: Iterable[Row], start: int, end: int) -> list[str]:
    """The chunks that hold a sentence whole, or, where it was cut, those that hold a part of it."""
    candidates = list(chunks)
    whole = [c["id"] for c in candidates if c["start"] <= start and end <= c["end"]]
    return whole or [c["id"] for c in candidates if c["start"] < end and start < c["end"]]
