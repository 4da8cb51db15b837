"""Fourth stage: articles become claims, triples, and named mentions hung on their chunks.

The extractor is asked once, for a stream of all unread articles, so that it can read ahead; what comes of
them is written in batches, and an article is marked as read when all of it is written.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kg.errors import ModelError
from kg.extract.model import Dropped, estimate
from kg.extract.protocol import ExtractionInput, Extractor
from kg.ids import content_id, node_id
from kg.ledger import Counts, reopen_stages
from kg.llm.protocol import Estimate, Model
from kg.model import LITERAL_TYPES, NAMED_TYPES, Claim, EntityType, Extraction, Mention, Reject, Triple
from kg.progress import Progress
from kg.queries import query
from kg.resolve.name_pool import entity_key
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row, batches
from kg.text.opinion import FACTUAL_FROM
from kg.text.sentences import sentence_spans

ARTICLES_A_BATCH = 16


def extract_claims(
    graph: Graph, corpus: str, make_extractor: Callable[[], Extractor], progress: Progress
) -> Counts:
    """Read every article whose claims are not in the graph yet.

    Raises:
        ModelError: the extractor's model can't go on. What was finished before is written, as it is after
            Ctrl-C, and the message says how many articles that are; the next run goes on from there.
    """
    pending = _unread(graph, corpus)
    progress.step("claims and triples", len(pending))
    if pending:
        _forget_begun(graph, corpus)
        _Reading(graph, corpus, make_extractor(), pending, progress).run()
    return dict(graph.rows(query("claims/count_claims"), corpus=corpus, factual_from=FACTUAL_FROM)[0])


def estimate_extraction(graph: Graph, corpus: str, model: Model) -> Estimate:
    """What a model would take for the articles that are not read yet; nothing is sent.

    Each sentence counts as a fact of the usual length. Repairs and second questions come on top.
    """
    unread = _read_articles(graph, _unread(graph, corpus))
    return estimate(model, map(_input, unread))


def count_sentences(graph: Graph, corpus: str) -> int:
    """How many sentences the articles have that are not read yet, and how many claims the others."""
    waiting = sum(len(_input(article).sentences) for article in _read_articles(graph, _unread(graph, corpus)))
    return waiting + int(
        graph.rows(query("claims/count_claims"), corpus=corpus, factual_from=FACTUAL_FROM)[0]["claims"]
    )


def retry_failed(graph: Graph, corpus: str) -> int:
    """Let the next run read again the articles of which something could not be read; how many they are.

    What was extracted from them stays until then. Answers that a model gave before come from its cache.
    """
    failed = [row["id"] for row in graph.rows(query("claims/list_failed"), corpus=corpus)]
    if failed:
        reopen_stages(graph, corpus, "claims")
        _mark(graph, failed, read=False)
    return len(failed)


def _mark(graph: Graph, ids: Sequence[str], *, read: bool) -> None:
    """Mark articles whose claims are all written, or those that are to be read again."""
    rows = ({"id": id_, "properties": {"extracted": read or None}} for id_ in ids)
    graph.write_rows(query("corpus/write_properties"), rows)


def _unread(graph: Graph, corpus: str) -> list[str]:
    return [row["id"] for row in graph.rows(query("articles/list_pending"), corpus=corpus, mark="extracted")]


def _forget_begun(graph: Graph, corpus: str) -> None:
    """Forget what articles left behind that are read again: a model may give other answers this time."""
    begun = [row["id"] for row in graph.rows(query("claims/list_begun"), corpus=corpus)]
    if begun:
        graph.rows(query("facts/forget_triples"), corpus=corpus, ids=begun)
        for ids in batches(begun, ARTICLES_A_BATCH):
            graph.rows(query("claims/forget_claims"), corpus=corpus, ids=ids)


def _read_articles(graph: Graph, ids: Sequence[str]) -> Iterator[Row]:
    for some in batches(ids, ARTICLES_A_BATCH):
        yield from graph.rows(query("articles/read_bodies"), ids=some)


@dataclass(slots=True)
class _Reading:
    """A stream of articles on its way through an extractor into the graph."""

    graph: Graph
    corpus: str
    extractor: Extractor
    pending: Sequence[str]
    progress: Progress
    handed_out: deque[Row] = field(default_factory=deque)
    done: int = 0

    def run(self) -> None:
        """Read and write them all, or as many as can be."""
        rows = _Rows(self.corpus, self.extractor.name)
        try:
            with _ended(self.extractor.extract(self._inputs())) as extractions:
                for extraction in extractions:
                    rows.add(self.handed_out.popleft(), extraction)
                    self.progress.advance()
                    if len(rows.articles) == ARTICLES_A_BATCH:
                        self._write(rows)
        except ModelError as error:
            self._write(rows)
            error.message = f"{error.message} {self._so_far()}"
            raise
        except KeyboardInterrupt:
            self._write(rows)
            raise KeyboardInterrupt(self._so_far()) from None
        self._write(rows)

    def _inputs(self) -> Iterator[ExtractionInput]:
        for article in _read_articles(self.graph, self.pending):
            self.handed_out.append(article)
            yield _input(article)

    def _write(self, rows: "_Rows") -> None:
        self.done += rows.write(self.graph)

    def _so_far(self) -> str:
        total = len(self.pending)
        return f"{self.done:,} of {total:,} articles are read and written, {total - self.done:,} are left."


@contextmanager
def _ended(extractions: Iterator[Extraction]) -> Iterator[Iterator[Extraction]]:
    """Extractions whose source is closed whatever happens, with the processes or the model behind it."""
    try:
        yield extractions
    finally:
        if isinstance(extractions, Generator):
            extractions.close()


def entity_id(corpus: str, name: str, kind: EntityType) -> str:
    """The id of the entity that a name stands for before merging: its normal form, literals apart.

    A date has one id however it is written.
    """
    if kind in LITERAL_TYPES:
        return content_id(corpus, "entity", "literal", entity_key(name))
    return content_id(corpus, "entity", "name", normal_form(name))


def entity_row(corpus: str, name: str, kind: EntityType) -> dict[str, object]:
    """An Entity node for a name."""
    return {
        "id": entity_id(corpus, name, kind),
        "key": entity_key(name) if kind in LITERAL_TYPES else normal_form(name),
        "name": name,
        "type": kind,
        "named": kind in NAMED_TYPES,
        "literal": kind in LITERAL_TYPES,
    }


def _input(article: Row) -> ExtractionInput:
    published = article["published_at"]
    # Of an article with more chunks than a corpus takes nothing is read that no chunk holds.
    body = article["body"][: max((chunk["end"] for chunk in article["chunks"]), default=None)]
    return ExtractionInput(
        body=body,
        title=article["title"],
        published_at=published.to_native() if published is not None else None,
        sentences=sentence_spans(body),
    )


@dataclass(slots=True)
class _Rows:
    """What a batch of articles adds to the graph, gathered for one write a kind."""

    corpus: str
    extractor: str
    articles: list[str] = field(default_factory=list)
    entities: dict[str, dict[str, object]] = field(default_factory=dict)
    claims: list[dict[str, object]] = field(default_factory=list)
    triples: list[dict[str, object]] = field(default_factory=list)
    mentions: list[dict[str, object]] = field(default_factory=list)
    names: list[dict[str, object]] = field(default_factory=list)
    rejects: list[dict[str, object]] = field(default_factory=list)

    def add(self, article: Row, extraction: Extraction) -> None:
        """What was extracted from an article."""
        self.articles.append(article["id"])
        self.rejects += [self._reject_row(article, failure) for failure in extraction.failures]
        for claim in extraction.claims:
            self._add_claim(article, claim, extraction.mentions)
        for chunk in article["chunks"]:
            self._add_names(chunk, extraction.mentions)

    def write(self, graph: Graph) -> int:
        """Write what was gathered, mark its articles, and be empty again; the number of articles."""
        graph.write_rows(query("entities/write_entities"), self.entities.values(), corpus=self.corpus)
        graph.write_rows(query("claims/write_claims"), self.claims, corpus=self.corpus)
        graph.write_rows(query("facts/write_triples"), self.triples, corpus=self.corpus)
        graph.write_rows(query("entities/write_mentions"), self.mentions)
        graph.write_rows(query("entities/write_names"), self.names)
        graph.write_rows(query("articles/write_rejects"), self.rejects, corpus=self.corpus)
        _mark(graph, self.articles, read=True)
        written = len(self.articles)
        for gathered in (self.entities, self.claims, self.triples, self.mentions, self.names, self.rejects):
            gathered.clear()
        self.articles.clear()
        return written

    def _entity(self, name: str, kind: EntityType) -> str:
        row = entity_row(self.corpus, name, kind)
        found = str(row["id"])
        self.entities.setdefault(found, row)
        return found

    def _add_claim(self, article: Row, claim: Claim, mentions: Sequence[Mention]) -> None:
        claim_id = content_id(self.corpus, "claim", article["id"], str(claim.start), str(claim.end))
        holders = _holders(article["chunks"], claim.start, claim.end)
        properties = {
            "id": claim_id,
            "article": article["id"],
            "sentence": claim.sentence,
            "text": claim.text,
            "start": claim.start,
            "end": claim.end,
            "factual": claim.factual,
            "verified": not claim.doubt,
            "doubt": claim.doubt or None,
            "extractor": self.extractor,
        }
        self.claims.append({"claim": properties, "chunks": holders})
        roles: set[tuple[str, str, str]] = set()
        for triple in claim.triples:
            subject = self._entity(triple.subject, triple.subject_type)
            target = self._entity(triple.object, triple.object_type)
            self.triples.append(self._triple_row(article, claim_id, claim, subject, target, triple))
            roles |= {("subject", triple.subject, subject), ("object", triple.object, target)}
        for mention in mentions:
            if claim.start <= mention.start and mention.end <= claim.end:
                roles.add(("named", mention.name, self._entity(mention.name, mention.type)))
        self.mentions += [
            {"claim": claim_id, "role": role, "name": name, "entity": entity}
            for role, name, entity in sorted(roles)
        ]

    def _triple_row(
        self, article: Row, claim_id: str, claim: Claim, subject: str, target: str, triple: Triple
    ) -> dict[str, object]:
        properties = {name: getattr(triple, name) for name in Triple.__slots__}
        told = [str(value) for name, value in properties.items() if name != "aside"]
        return {
            "from": subject,
            "to": target,
            "triple": {
                **properties,
                "id": content_id(self.corpus, "triple", claim_id, *told),
                "claim": claim_id,
                "article": article["id"],
                "start": claim.start,
                "end": claim.end,
                "extractor": self.extractor,
            },
        }

    def _reject_row(self, article: Row, failure: Reject) -> dict[str, object]:
        where = f'"{article["title"]}" ({article["id"]})' if article["title"] else str(article["id"])
        place = f"{where}, {failure.place}" if failure.place else where
        return {
            "id": node_id(self.corpus, "reject", place, failure.reason),
            "kind": "dropped" if isinstance(failure, Dropped) else "failed",
            "place": place,
            "file": str(article["id"]),
            "line": 0,
            "reason": failure.reason,
            "article": article["id"],
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
