"""Questions with the articles of their evidence, a bounded batch at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import batches
from services.exports.records import ArticleRecord, FactRecord, GoldRecord, QuestionRecord
from services.exports.source import Dataset, article_record

QUESTIONS_A_BATCH = 50


@dataclass(frozen=True, slots=True)
class Evidenced:
    """A question with the articles that its gold chunks and facts stand in, by id."""

    question: QuestionRecord
    articles: Mapping[str, ArticleRecord]

    def text_of(self, gold: GoldRecord) -> str:
        """The text of a supporting chunk."""
        return self.articles[gold.article].body[gold.start : gold.end]

    def evidence(self) -> list["Piece"]:
        """One piece a hop: the sentence that states its fact, or where no fact is told its chunks."""
        facts = {fact.hop: fact for fact in self.question.facts if fact.article in self.articles}
        pieces = []
        for hop, chunks in self.question.chunks_of_hops().items():
            fact = facts.get(hop)
            if fact is not None:
                pieces.append(Piece(hop, self.articles[fact.article], fact.sentence, fact))
            else:
                pieces += [Piece(hop, self.articles[one.article], self.text_of(one)) for one in chunks]
        return pieces


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence: a text of an article that supports a hop."""

    hop: int
    article: ArticleRecord
    text: str
    fact: FactRecord | None = None


def evidenced_questions(dataset: Dataset, split: str) -> Iterator[Evidenced]:
    """The questions of a split with their articles."""
    for batch in batches(dataset.questions(split), QUESTIONS_A_BATCH):
        needed = {article for question in batch for article in question.articles}
        rows = dataset.graph.read_in_batches(query("exports/read_articles"), sorted(needed))
        held = {article.id: article for article in map(article_record, rows)}
        for question in batch:
            own = sorted(question.articles & held.keys())
            yield Evidenced(question, {article: held[article] for article in own})
