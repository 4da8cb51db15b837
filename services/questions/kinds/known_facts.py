"""Facts of a corpus as questions need them: both entities, the article, all chunks that state them."""

from collections.abc import Iterable
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.draft import Fact, Stop
from services.questions.predicate_key import predicate_key
from services.questions.wording.articles import with_article

FACTS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A stated triple with its entities; `chunks` and `articles` are all that state the same, in any tense.

    `published` is the day of the article as ISO text, "" where it is not known.
    """

    triple: str
    subject: Stop
    predicate: str
    object: Stop
    said_subject: str
    said_object: str
    claim: str
    sentence: str
    article: str
    title: str
    source: str
    published: str
    chunks: tuple[str, ...]
    articles: frozenset[str]

    @property
    def key(self) -> str:
        """What its predicate says, whatever the tense."""
        return predicate_key(self.predicate)

    @property
    def subject_in_text(self) -> str:
        """The subject's name as it stands inside a sentence: "the Averell Mariners"."""
        return with_article(self.subject.name, self.sentence)

    @property
    def object_in_text(self) -> str:
        """The object's name as it stands inside a sentence; a date stays as it is."""
        return (
            self.object.name if self.object.type == "DATE" else with_article(self.object.name, self.sentence)
        )

    def end(self, entity: str) -> Stop:
        """The end that is not `entity`."""
        return self.object if self.subject.id == entity else self.subject

    def fact(self, index: int, link: str = "start") -> Fact:
        """The fact as a question rests on it."""
        return Fact(
            index=index,
            claim=self.claim,
            triple=self.triple,
            subject=self.said_subject,
            predicate=self.predicate,
            object=self.said_object,
            article=self.article,
            sentence=self.sentence,
            chunks=self.chunks,
            link=link,
        )


def read_facts(graph: Graph, triples: Iterable[str]) -> dict[str, KnownFact]:
    """The facts of some triples by their ids, read a bounded batch at a time."""
    ids = sorted(set(triples))
    rows = graph.read_in_batches(query("kinds/read_facts"), ids, FACTS_A_BATCH)
    return {row["id"]: _fact(row) for row in rows}


def _fact(row: Row) -> KnownFact:
    key = predicate_key(row["predicate"])
    same = [stated for stated in row["stated"] if predicate_key(stated["predicate"]) == key]
    return KnownFact(
        triple=row["id"],
        subject=_stop(row["subject"]),
        predicate=row["predicate"],
        object=_stop(row["object"]),
        said_subject=row["said_subject"],
        said_object=row["said_object"],
        claim=row["claim"],
        sentence=row["sentence"],
        article=row["article"] or "",
        title=row["title"] or "",
        source=row["source"] or "",
        published=row["published"] or "",
        chunks=tuple(sorted({stated["chunk"] for stated in same})),
        articles=frozenset(stated["article"] for stated in same),
    )


def _stop(row: Row) -> Stop:
    return Stop(
        id=row["id"],
        name=row["name"],
        type=row["type"],
        aliases=tuple(row["aliases"] or ()),
        nouns=tuple(row["nouns"]),
    )
