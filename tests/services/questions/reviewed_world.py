"""Four questions over one path and its two articles, for annotators to look at."""

from functools import cache

from kg.corpus import CorpusSettings, open_corpus
from kg.embed.local import BuiltinEmbedder
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.dataset import renew_version
from tests.examples import read_examples
from tests.graph_reading import change

STOPS: tuple[tuple[str, str, str, list[str]], ...] = (
    ("mira", "Mira Tolland", "PERSON", ["Tolland"]),
    ("rovers", "Ostby Rovers", "ORG", ["the Rovers"]),
    ("halden", "Halden Shipping", "ORG", []),
)
FACTS = (
    ("Mira Tolland plays for the Ostby Rovers.", "Mira Tolland", "plays for", "Ostby Rovers"),
    ("The Ostby Rovers are owned by Halden Shipping.", "Ostby Rovers", "are owned by", "Halden Shipping"),
)
TEXTS: dict[str, str] = read_examples("services/questions/reviewed_world")["texts"]

EVIDENCE = """
UNWIND $facts AS fact
CREATE (a:Article {id: $corpus + '-article-' + fact.index, corpus: $corpus, title: 'Article ' + fact.index,
                   source: 'Herald', published_at: datetime('2031-01-09')})
CREATE (c:Chunk {id: $corpus + '-chunk-' + fact.index, corpus: $corpus, text: fact.sentence, article: a.id})
CREATE (k:Claim {id: $corpus + '-claim-' + fact.index, corpus: $corpus, sentence: fact.sentence})
CREATE (a)-[:HAS_CHUNK]->(c)-[:HAS_CLAIM]->(k)
WITH c, fact
CALL db.create.setNodeVectorProperty(c, 'embedding', fact.vector)
"""
PATH = """
CREATE (p:Path {id: $corpus + '-path', corpus: $corpus, hops: 2})
WITH p
CALL (p) {
  UNWIND $stops AS stop
  CREATE (e:Entity {id: $corpus + '-' + stop.id, corpus: $corpus, name: stop.name, type: stop.type,
                    aliases: stop.aliases})
  CREATE (p)-[:VISITS {index: stop.index}]->(e)
}
CALL (p) {
  UNWIND $facts AS fact
  MATCH (k:Claim {id: $corpus + '-claim-' + fact.index})
  CREATE (p)-[:HOP {index: fact.index, subject: fact.subject, predicate: fact.predicate,
                    object: fact.object, attributed_to: fact.attributed_to}]->(k)
}
"""


@cache
def embedder() -> BuiltinEmbedder:
    """The corpus' embedder, loaded once a process."""
    return BuiltinEmbedder(threads=1)


def write_world(graph: Graph, corpus: str) -> None:
    """Two chains and a null question that are kept, and a rejected one, over evidence with vectors."""
    model = embedder()
    open_corpus(graph, corpus, CorpusSettings("builtin", model.name, model.dimensions, "16-48/8", "rules"))
    vectors = model.embed([sentence for sentence, *_ in FACTS])
    facts = [
        {
            "index": at,
            "sentence": sentence,
            "subject": one,
            "predicate": verb,
            "object": other,
            "vector": vector,
            "attributed_to": "Anton Brask" if at == len(FACTS) else "",
        }
        for at, ((sentence, one, verb, other), vector) in enumerate(zip(FACTS, vectors, strict=True), start=1)
    ]
    stops = [
        {"index": at, "id": key, "name": name, "type": kind, "aliases": aliases}
        for at, (key, name, kind, aliases) in enumerate(STOPS)
    ]
    change(graph, EVIDENCE, corpus=corpus, facts=facts)
    change(graph, PATH, corpus=corpus, facts=facts, stops=stops)
    rows = [_question(corpus, name) for name in TEXTS]
    graph.rows(query("questions/write_questions"), corpus=corpus, rows=rows)
    renew_version(graph, corpus)


def question_id(corpus: str, name: str) -> str:
    """The id of a question of this world."""
    return f"question-{corpus}-{name}"


def _question(corpus: str, name: str) -> Row:
    rejected, null = name == "rejected", name == "null"
    answer = "Insufficient information" if null else "Halden Shipping"
    question = {
        "id": question_id(corpus, name),
        "text": TEXTS[name],
        "answer": answer,
        "accepted": [answer],
        "answer_type": "NONE" if null else "ORG",
        "kind": "null" if null else "chain",
        "hops": 1 if null else 2,
        "status": "rejected" if rejected else "kept",
        "rejected_by": "answer hidden" if rejected else None,
        "checked": ["well-formed", "answer hidden"],
        "passed": [True, not rejected],
        "reasons": ["", "it says so itself" if rejected else ""],
        "absent": "a ship that it sank" if null else None,
        **(
            {}
            if rejected or null
            else {"difficulty_min": 0.5, "difficulty_mean": 0.5, "difficulty_power": 0.5, "bin": 2}
        ),
    }
    hops = () if null else (1, 2)
    return {
        "question": question,
        "vector": None if rejected else embedder().embed([TEXTS[name]])[0],
        "path": None if null else f"{corpus}-path",
        "asks_about": [],
        "answered_by": None if null else f"{corpus}-halden",
        "claims": [{"index": hop, "id": f"{corpus}-claim-{hop}"} for hop in hops],
        "support": [{"hop": hop, "chunk": f"{corpus}-chunk-{hop}", "similarity": 0.5} for hop in hops],
        "prefixes": [],
    }
