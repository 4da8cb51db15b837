"""The main job on a small world: the designed paths come out, and only what has changed is done again."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

from kg.corpus import drop_corpus, fingerprint, list_corpora
from kg.errors import CorpusError, NothingToDoError
from kg.ids import bare_id
from kg.ledger import LATER, read_ledger
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.store.graph import Graph, vector_of
from kg.text.chunks import ChunkSize
from services.evaluate.write_back import read_matrix
from services.pipeline import JobOptions, run_job
from services.questions.choice import QuestionChoice
from services.rag.protocol import RagQuestion
from services.rag.retrieval.index_search import NearestRetriever
from tests import small_world
from tests.graph_reading import read, value
from tests.representatives import representatives
from tests.small_world import ARTICLES, CHAIN, ENDS, OPTIONS, ingest, run_small_job, with_paths

PATHS = """
MATCH (p:Path {corpus: $corpus})
RETURN p.hops AS hops, p.crosses_articles AS crosses, p.uses_exact AS exact, p.uses_context AS context,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS stops,
       COLLECT { MATCH (p)-[h:HOP]->() RETURN h.link ORDER BY h.index } AS links,
       COLLECT { MATCH (p)-[h:HOP]->(c) RETURN c.article ORDER BY h.index } AS articles
"""
EVIDENCE = """
MATCH (q:Question {corpus: $corpus, status: 'kept'})-[s:SUPPORTED_BY]->(c:Chunk)
RETURN q.id AS question, q.embedding AS question_vector, q.difficulty_min AS difficulty, s.hop AS hop,
       c.embedding AS chunk_vector, s.similarity AS similarity
"""
MADE = (
    """
    MATCH (k:Cluster {corpus: $corpus})<-[m:IN_CLUSTER]-(c:Claim)
    RETURN k.id AS id, c.id AS claim, c.text AS text, m.probability AS probability ORDER BY id, claim
    """,
    """
    MATCH (p:Path {corpus: $corpus})
    RETURN p.id AS id, p.place AS place,
           COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS stops ORDER BY id
    """,
    """
    MATCH (q:Question {corpus: $corpus})
    RETURN q.id AS id, q.text AS text, q.status AS status, q.difficulty_min AS difficulty, q.bin AS bin
    ORDER BY id
    """,
    """
    MATCH (a:Answer {corpus: $corpus})-[:TO]->(q)
    RETURN q.id AS id, a.text AS text, a.correct AS correct ORDER BY id
    """,
)
"""Clusters, paths, questions and answers, each in the order of the ids that all draws go by."""
KEPT_CHAINS = "MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})"
FEW = QuestionChoice(target=1, kinds=("chain",))
"""So few that the first draw is enough for some depths, and not for others."""
EVERY_CHAIN = {
    (*CHAIN[start:], end)[:length]
    for start in range(len(CHAIN))
    for end in ENDS
    for length in range(3, len(CHAIN) + 2 - start)
}
"""Every stretch of the chain with two to five hops."""


def what_was_made(graph: Graph, corpus: str) -> list[list[dict[str, object]]]:
    """The rows of `MADE`, the ids without what they say of the corpus."""
    return [
        [
            {name: bare_id(value) if isinstance(value, str) else value for name, value in row.items()}
            for row in read(graph, statement, corpus=corpus)
        ]
        for statement in MADE
    ]


class Recorder(Silent):
    """Which stages had to run, and which were shown as done before."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.skipped: list[str] = []
        self._stage = ""

    def begin(self, task: str, total: int | None = None) -> None:
        self._stage = task

    def end(self, note: str = "") -> None:
        (self.skipped if note.endswith("done before") else self.ran).append(self._stage)


@pytest.fixture
def done(small_corpus: str) -> str:
    """A corpus over which the job has run; tests only read it."""
    return small_corpus


def test_every_designed_path_is_found(graph: Graph, done: str) -> None:
    found = {tuple(row["stops"]): row for row in read(graph, PATHS, corpus=done)}
    assert found.keys() >= EVERY_CHAIN
    assert {len(stops) - 1 for stops in EVERY_CHAIN} == {2, 3, 4, 5}
    for stops in EVERY_CHAIN:
        assert found[stops]["hops"] == len(stops) - 1
        assert found[stops]["links"] == ["start", *["shared"] * (len(stops) - 2)]
        assert found[stops]["crosses"]
        assert not found[stops]["exact"]
        assert not found[stops]["context"]


def test_links_tell_shared_exact_and_context_apart(graph: Graph, done: str) -> None:
    found = {tuple(row["stops"]): row for row in read(graph, PATHS, corpus=done)}
    by_acronym = found["Orla Venning", "Norholm Health Board", "Otto Pelham"]
    assert by_acronym["links"] == ["start", "exact"]
    assert (by_acronym["exact"], by_acronym["context"]) == (True, False)
    prize = [row for stops, row in found.items() if stops[0] == "Corrin Medal"]
    assert {row["stops"][-1] for row in prize} == {"Norholm Health Board", "Otto Pelham"}
    assert all(row["context"] and "context" in row["links"] for row in prize)
    assert all(row["crosses"] for row in prize)


def test_whether_a_path_crosses_articles_is_told_from_its_claims(graph: Graph, done: str) -> None:
    for row in read(graph, PATHS, corpus=done):
        assert row["crosses"] == any(one != other for one, other in pairwise(row["articles"]))


def test_what_is_denied_carries_no_path(graph: Graph, done: str) -> None:
    stops = [row["stops"] for row in read(graph, PATHS, corpus=done)]
    assert not [names for names in stops if ("Anton Brask", "Halden Shipping") in set(pairwise(names))]


def test_a_question_hides_the_way_and_the_answer(graph: Graph, done: str) -> None:
    rows = read(
        graph,
        """
        MATCH (q:Question {corpus: $corpus, status: 'kept'})-[:FOLLOWS]->(p)
        RETURN q.text AS text, q.answer AS answer,
               COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN [e.name] + coalesce(e.aliases, [])
                         ORDER BY v.index } AS names
        """,
        corpus=done,
    )
    assert len({row["text"] for row in rows}) >= 7
    for row in rows:
        start, *hidden = row["names"]
        assert start[0] in row["text"]
        assert row["answer"] == hidden[-1][0]
        assert not [name for names in hidden for name in names if name in row["text"]]


def test_support_is_every_chunk_that_states_the_fact(graph: Graph, done: str) -> None:
    rows = read(
        graph,
        """
        MATCH (q:Question {corpus: $corpus})-[:FOLLOWS]->(p)-[h:HOP]->()
        RETURN q.id AS question, h.index AS hop, h.subject AS subject, h.predicate AS predicate,
               h.object AS object,
               COLLECT { MATCH (q)-[s:SUPPORTED_BY {hop: h.index}]->(c) RETURN c.text } AS chunks,
               COLLECT { MATCH (c:Chunk {corpus: $corpus}) RETURN c.text } AS all
        """,
        corpus=done,
    )
    two_articles = 0
    for row in rows:
        words = (row["subject"].split()[-1], row["predicate"].split()[-1], row["object"].split()[-1])
        assert row["chunks"]
        assert all(all(word in text for word in words) for text in row["chunks"])
        if row["subject"] == "Halden Shipping" and row["object"] == "Greta Lindqvist":
            sentence = "Halden Shipping was founded by Greta Lindqvist."
            assert sorted(row["chunks"]) == sorted(text for text in row["all"] if sentence in text)
            two_articles += 1
    assert two_articles >= 4


def test_difficulty_is_one_less_the_best_chunk_of_the_worst_hop(graph: Graph, done: str) -> None:
    best: dict[str, dict[int, float]] = defaultdict(dict)
    stored: dict[str, float] = {}
    for row in read(graph, EVIDENCE, corpus=done):
        cosine = float(vector_of(row["question_vector"]) @ vector_of(row["chunk_vector"]))
        assert row["similarity"] == pytest.approx(cosine, abs=2e-6)
        hops = best[row["question"]]
        hops[row["hop"]] = max(cosine, hops.get(row["hop"], -1.0))
        stored[row["question"]] = row["difficulty"]
    asked = """
        MATCH (q:Question {corpus: $corpus}) WHERE q.status = 'kept' AND EXISTS { (q)-[:RESTS_ON]->() }
        RETURN count(q)
    """
    assert len(stored) == value(graph, asked, corpus=done)
    for question, hops in best.items():
        assert stored[question] == pytest.approx(1 - min(hops.values()), abs=2e-6)


def test_the_matrix_holds_every_kept_chain_question_once(graph: Graph, done: str) -> None:
    matrix = read_matrix(graph, done, "single-step")
    kept = value(graph, f"{KEPT_CHAINS} RETURN collect(q.hops)", corpus=done)
    assert matrix.total.n == len(kept) >= 7
    assert [cell.n for cell in matrix.by_depth] == [kept.count(hops) for hops in (2, 3, 4, 5)]
    wrong = f"{KEPT_CHAINS} MATCH (q)<-[:TO]-(a:Answer) WHERE NOT a.correct RETURN count(a)"
    assert matrix.total.errors == value(graph, wrong, corpus=done)


def test_a_second_run_does_nothing(graph: Graph, done: str) -> None:
    before, lines = fingerprint(graph, done), read_ledger(graph, done)
    recorder = Recorder()
    run_job(graph, done, OPTIONS, small_world.tools(), recorder)
    assert recorder.ran == []
    stages = [line["name"] for line in lines if line["name"] not in LATER]
    assert recorder.skipped == stages[1:]
    ingest(graph, done)
    run_job(graph, done, OPTIONS, small_world.tools(), Silent())
    assert fingerprint(graph, done) == before
    assert [{**line, "seconds": None} for line in read_ledger(graph, done)] == [
        {**line, "seconds": None} for line in lines
    ]
    again = build_graph(graph, done, OPTIONS.build, small_world.tools(), Silent())
    assert not again.ran


def test_all_stages_run_the_first_time_and_are_done(graph: Graph, done: str) -> None:
    lines = read_ledger(graph, done)
    assert [line["name"] for line in lines if line["name"] not in LATER] == [
        *("articles", "chunks", "vectors", "claims", "resolution", "paths", "questions"),
        *("run single-step", "matrix single-step"),
    ]
    assert {line["state"] for line in lines} == {"done"}


PARTS = {
    "the rest later": [list(ARTICLES)[:6], list(ARTICLES)[6:]],
    "in three parts, upside down": [
        ["prize", "history"], ["school", "rovers", "board"], ["founder", "teacher", "owner"]
    ],
}  # fmt: skip


@pytest.mark.parametrize("order", representatives(PARTS, "in three parts, upside down"))
def test_the_order_of_ingestion_does_not_matter(graph: Graph, corpus: str, order: str) -> None:
    parts = PARTS[order]
    run_small_job(graph, corpus)
    at_once = fingerprint(graph, corpus)
    drop_corpus(graph, corpus)
    for part in parts[:-1]:
        try:
            run_small_job(graph, corpus, part)
        except NothingToDoError:
            assert "rovers" not in part  # a part may be too small to have a path
    run_small_job(graph, corpus, parts[-1])
    assert fingerprint(graph, corpus) == at_once


@pytest.mark.campaign
def test_the_spelling_of_a_date_does_not_depend_on_the_order(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, date in (("first", "January 12, 1978"), ("second", "January 12 1978")):
        text = f"The {name.capitalize()} Foundation was founded on {date}. A dog barked all night."
        monkeypatch.setitem(ARTICLES, name, text)
    seen = set()
    for order in (["first", "second"], ["second", "first"]):
        for name in order:
            ingest(graph, corpus, [name])
            build_graph(graph, corpus, OPTIONS.build, small_world.tools(), Silent())
        seen.add(fingerprint(graph, corpus))
        dates = "MATCH (e:Entity {corpus: $corpus, type: 'DATE'}) RETURN count(e)"
        assert value(graph, dates, corpus=corpus) == 1
        drop_corpus(graph, corpus)
    assert len(seen) == 1


def few(per_depth: int, retrieved: int = OPTIONS.retrieved) -> JobOptions:
    """A job with few questions."""
    return replace(with_paths(per_depth, retrieved=retrieved), questions=FEW)


@pytest.mark.campaign
def test_a_changed_draw_redoes_paths_and_what_follows(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus, options=few(2))
    drawn_by_two = fingerprint(graph, corpus)
    recorder = Recorder()
    run_job(graph, corpus, few(1), small_world.tools(), recorder)
    assert recorder.ran == ["paths", "questions", "run single-step", "matrix single-step"]
    first = "MATCH (p:Path {corpus: $corpus}) WHERE p.round IS NULL RETURN count(p)"
    assert value(graph, first, corpus=corpus) == 4
    paths = value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus)
    followed = "MATCH (q:Question {corpus: $corpus})-[:FOLLOWS]->() RETURN count(q)"
    assert value(graph, followed, corpus=corpus) == paths
    run_job(graph, corpus, few(2), small_world.tools(), Silent())
    assert fingerprint(graph, corpus) == drawn_by_two


@pytest.mark.campaign
def test_another_seed_redoes_only_what_depends_on_it(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    recorder = Recorder()
    seeded = replace(OPTIONS, build=replace(OPTIONS.build, seed=7))
    run_job(graph, corpus, seeded, small_world.tools(), recorder)
    assert recorder.ran[0] == "resolution"
    seeds = value(graph, "MATCH (k:Cluster {corpus: $corpus}) RETURN collect(DISTINCT k.seed)", corpus=corpus)
    assert seeds == [7]


@pytest.mark.campaign
def test_a_run_is_redone_when_its_questions_were_replaced_in_between(graph: Graph, corpus: str) -> None:
    """The old key comes back, but what had been done under it was deleted."""
    run_small_job(graph, corpus, options=few(2, retrieved=5))
    before = fingerprint(graph, corpus)
    run_job(graph, corpus, few(1, retrieved=3), small_world.tools(), Silent())
    run_job(graph, corpus, few(2, retrieved=5), small_world.tools(), Silent())
    matrix = read_matrix(graph, corpus, "single-step")
    assert matrix.total.n == value(graph, f"{KEPT_CHAINS} RETURN count(q)", corpus=corpus)
    assert fingerprint(graph, corpus) == before


@pytest.mark.campaign
def test_another_number_of_chunks_makes_the_run_anew(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus, options=few(2))
    recorder = Recorder()
    name = run_job(graph, corpus, few(2, retrieved=2), small_world.tools(), recorder)
    assert (name, recorder.ran) == ("single-step", ["run single-step", "matrix single-step"])
    ranks = "MATCH (:Answer {corpus: $corpus})-[r:RETRIEVED]->() RETURN max(r.rank)"
    assert value(graph, ranks, corpus=corpus) == 2


def test_other_chunks_are_refused_with_both_sizes(graph: Graph, done: str) -> None:
    other = replace(OPTIONS, build=replace(OPTIONS.build, chunk_size=ChunkSize(64, 128, 25)))
    with pytest.raises(CorpusError, match="16-48/8") as caught:
        ingest(graph, done, options=other)
    assert "64-128/25" in caught.value.message
    assert "kg corpus drop" in caught.value.remedy


@pytest.mark.campaign
def test_two_corpora_with_the_same_articles_are_separate(graph: Graph, done: str, corpus: str) -> None:
    before = fingerprint(graph, done)
    run_small_job(graph, corpus, options=few(3))
    assert fingerprint(graph, done) == before
    sizes = {row["name"]: row for row in list_corpora(graph)}
    for size in ("articles", "chunks", "entities"):
        assert sizes[corpus][size] == sizes[done][size]
    vector = small_world.tools().embedder.embed(["Who founded Halden Shipping?"])[0]
    for name in (corpus, done):
        (hits,) = NearestRetriever(graph, name, 100).retrieve([RagQuestion("q", "", vector)])
        own = value(graph, "MATCH (c:Chunk {corpus: $corpus}) RETURN collect(c.id)", corpus=name)
        assert sorted(hit.chunk for hit in hits) == sorted(own)
    across = "MATCH (a {corpus: $one})--(b {corpus: $other}) RETURN count(*)"
    assert value(graph, across, one=corpus, other=done) == 0
    drop_corpus(graph, corpus)
    assert fingerprint(graph, done) == before


def test_the_name_of_a_corpus_decides_nothing(graph: Graph, done: str, corpus: str) -> None:
    run_small_job(graph, corpus)
    found = what_was_made(graph, done)
    assert all(found)
    again = what_was_made(graph, corpus)
    for one, other in zip(again, found, strict=True):
        assert [row for row in one if row not in other] == [row for row in other if row not in one]
    assert again == found


def test_articles_without_a_chain_say_so(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="no path of 2 to 5 hops"):
        run_small_job(graph, corpus, ["prize", "founder"])


def test_an_empty_corpus_names_the_step_before(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="has no article") as caught:
        run_job(graph, corpus, OPTIONS, small_world.tools(), Silent())
    assert "kg corpus ingest" in caught.value.remedy


@pytest.mark.campaign
def test_what_is_said_before_the_questions_comes_when_the_paths_are_drawn(graph: Graph, corpus: str) -> None:
    seen: list[tuple[int, int]] = []

    def look() -> None:
        paths = value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus)
        questions = value(graph, "MATCH (q:Question {corpus: $corpus}) RETURN count(q)", corpus=corpus)
        seen.append((paths, questions))

    ingest(graph, corpus, ARTICLES, OPTIONS)
    run_job(graph, corpus, OPTIONS, small_world.tools(), Silent(), before_questions=look)
    ((paths, questions),) = seen
    assert paths > 0
    assert questions == 0
