"""What an extractor reads in annotated documents, or what the graph already holds of them."""

from collections.abc import Iterable, Iterator, Sequence

from kg.errors import NothingToDoError
from kg.extract.protocol import ExtractionInput, Extractor
from kg.model import Claim, Extraction, Triple
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.opinion import FACTUAL_FROM
from kg.text.sentences import sentence_spans
from services.evaluate.extraction_gold import Found, FoundTriple
from services.evaluate.gold_documents import GoldDocument


def read_documents(extractor: Extractor, documents: Iterable[GoldDocument]) -> Iterator[Found]:
    """What the extractor finds in each document, in order."""
    for extraction in extractor.extract(map(_input, documents)):
        yield found_in(extraction)


def found_in(extraction: Extraction) -> Found:
    """An extraction as it is scored."""
    triples = ((claim, triple) for claim in extraction.claims for triple in claim.triples)
    names = {name for mention in extraction.mentions for name in (mention.name, mention.surface)}
    return Found(
        tuple(FoundTriple(one.subject, one.object, one.rule, _is_kept(claim, one)) for claim, one in triples),
        frozenset(names),
    )


def _is_kept(claim: Claim, triple: Triple) -> bool:
    plain = not (triple.negated or triple.attributed_to)
    return plain and not claim.doubt and claim.factual >= FACTUAL_FROM


def _input(document: GoldDocument) -> ExtractionInput:
    return ExtractionInput(
        document.text, document.title, document.published_at, sentence_spans(document.text)
    )


def held_documents(
    graph: Graph, corpus: str, documents: Sequence[GoldDocument]
) -> tuple[list[GoldDocument], list[Found], str]:
    """The documents that a corpus holds, what was found in each, and by which extractor.

    A document is known by its id, or else by its title.

    Raises:
        NothingToDoError: the corpus holds none of them.
    """
    rows = graph.rows(
        query("claims/read_extracted"),
        corpus=corpus,
        ids=[document.id for document in documents],
        titles=[document.title for document in documents],
        factual_from=FACTUAL_FROM,
    )
    by_id = {row["given_id"]: row for row in rows if row["given_id"]}
    by_title = {row["title"]: row for row in rows if row["title"]}
    held: list[GoldDocument] = []
    found: list[Found] = []
    extractors: set[str] = set()
    for document in documents:
        row = by_id.get(document.id) or by_title.get(document.title)
        if row is not None:
            held.append(document)
            found.append(_found_row(row))
            extractors |= set(row["extractors"])
    if not held:
        raise NothingToDoError(
            f"corpus {corpus!r} holds none of the {len(documents)} annotated documents.",
            "Ingest and build them first, or leave --corpus out to read them now.",
        )
    return held, found, ", ".join(sorted(extractors))


def _found_row(row: Row) -> Found:
    triples = (
        FoundTriple(one["subject"], one["object"], one["rule"] or "", one["kept"]) for one in row["triples"]
    )
    return Found(tuple(triples), frozenset(row["names"]))
