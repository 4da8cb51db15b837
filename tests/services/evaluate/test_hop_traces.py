"""A trace as it is read from the graph, piece by piece.

Which searches look for what an earlier one looked for.
"""

from kg.store.graph import Graph
from services.evaluate.diagnose import diagnose
from services.evaluate.hop_traces import (
    REPEATED,
    Depth,
    GoldHop,
    PrefixAnswer,
    Trace,
    TraceStep,
    near_same,
    read_traces,
    searches_of,
    track_of,
)
from tests.examples import examples
from tests.graph_reading import change

PLANTED = """
CREATE (r:Run {id: $corpus + 'run', corpus: $corpus})
CREATE (c1:Chunk {id: $corpus + 'c1', corpus: $corpus, article: 'one'}),
       (c2:Chunk {id: $corpus + 'c2', corpus: $corpus, article: 'two'})
CREATE (mira:Entity {id: $corpus + 'mira', corpus: $corpus, name: 'Mira Tolland', aliases: ['Tolland']}),
       (club:Entity {id: $corpus + 'club', corpus: $corpus, name: 'Ostby Rovers', aliases: []}),
       (firm:Entity {id: $corpus + 'firm', corpus: $corpus, name: 'Halden Shipping', aliases: []})
CREATE (f1:Claim {id: $corpus + 'f1', corpus: $corpus, sentence: 'Tolland plays for the Rovers.'}),
       (f2:Claim {id: $corpus + 'f2', corpus: $corpus, sentence: 'Halden Shipping owns the Rovers.'})
CREATE (p:Path {id: $corpus + 'p', corpus: $corpus})
CREATE (p)-[:HOP {index: 1, subject: 'Tolland', predicate: 'plays for', object: 'the Rovers',
                  reversed: false, from: mira.id, to: club.id}]->(f1),
       (p)-[:HOP {index: 2, subject: 'Halden Shipping', predicate: 'owns', object: 'the Rovers',
                  reversed: true, from: club.id, to: firm.id}]->(f2)
CREATE (q:Question {id: $corpus + 'q', corpus: $corpus, status: 'kept', kind: 'chain', hops: 2,
                    query_type: 'inference', text: 'Who owns the club?', answer: 'Halden Shipping',
                    accepted: ['Halden Shipping']})
CREATE (q)-[:FOLLOWS]->(p), (q)-[:RESTS_ON {index: 1}]->(f1), (q)-[:RESTS_ON {index: 2}]->(f2),
       (q)-[:SUPPORTED_BY {hop: 1}]->(c1), (q)-[:SUPPORTED_BY {hop: 2}]->(c2)
CREATE (x:Question {id: $corpus + 'x', corpus: $corpus, status: 'prefix', kind: 'prefix',
                    text: 'Which club?'})
CREATE (q)-[:HAS_PREFIX {hops: 1}]->(x)
CREATE (h:Question {id: $corpus + 'h', corpus: $corpus, status: 'atomic', kind: 'atomic',
                    text: 'Who owns the Rovers?', answer: 'Halden', accepted: ['Halden']})
CREATE (q)-[:HAS_HOP_QUESTION {hop: 2, topology: 'inference'}]->(h)
CREATE (a:Answer {id: $corpus + 'a', corpus: $corpus, text: 'Otto', correct: false, f1: 0.0})
CREATE (r)-[:GAVE]->(a)-[:TO]->(q)
CREATE (a)-[:RETRIEVED {rank: 1, step: 2}]->(c1)
CREATE (b:Answer {id: $corpus + 'b', corpus: $corpus, text: 'Rovers', correct: true, f1: 1.0})
CREATE (r)-[:GAVE_PREFIX]->(b)-[:TO]->(x)
"""

STEPS = """
MATCH (a:Answer {id: $corpus + 'a'}), (c:Chunk {id: $corpus + 'c2'})
CREATE (a)-[:TOOK]->(:Step {id: $corpus + 's1', corpus: $corpus, index: 1, action: 'plan', retrieves: false})
CREATE (a)-[:TOOK]->(s:Step {id: $corpus + 's2', corpus: $corpus, index: 2, action: 'search', query: 'Rovers',
                             retrieves: true, top_k: 3, thought: 'Rovers?'})
CREATE (s)-[:SAW {rank: 1, score: 0.5}]->(c)
CREATE (a)-[:TOOK]->(:Step {id: $corpus + 's3', corpus: $corpus, index: 3, action: 'search', retrieves: true})
"""


def only(graph: Graph, corpus: str) -> Trace:
    (trace,) = read_traces(graph, f"{corpus}run")
    return trace


def test_the_chain_has_where_each_hop_begins_and_ends(graph: Graph, corpus: str) -> None:
    change(graph, PLANTED, corpus=corpus)
    first, second = only(graph, corpus).chain
    assert first == GoldHop(
        1,
        (f"{corpus}c1",),
        ("Mira Tolland", "Tolland"),
        ("Ostby Rovers", "the Rovers"),
        "plays for",
        "",
        ("Tolland plays for the Rovers.",),
    )
    assert second.starts == ("Ostby Rovers", "the Rovers")
    # The hop has a question of its own, and that one's answer counts.
    assert (second.ends, second.question) == (("Halden",), "Who owns the Rovers?")


def test_prefix_answers_and_the_cluster_come_along(graph: Graph, corpus: str) -> None:
    change(graph, PLANTED, corpus=corpus)
    trace = only(graph, corpus)
    assert trace.prefixes == (PrefixAnswer(1, "Rovers", True, f1=1.0),)
    assert (trace.cluster, trace.answer_text, trace.correct, trace.retrieval_reported) == (
        "two",
        "Otto",
        False,
        True,
    )


def test_what_is_answered_to_a_rejected_prefix_question_is_left_out(graph: Graph, corpus: str) -> None:
    change(graph, PLANTED, corpus=corpus)
    assert track_of(only(graph, corpus)).depth == Depth(1, 1)
    reject = "MATCH (x:Question {id: $corpus + 'x'}) SET x.rejected_by = 'answer hidden'"
    change(graph, reject, corpus=corpus)
    trace = only(graph, corpus)
    assert (trace.prefixes, trace.unfit_prefixes) == ((), 1)
    track = track_of(trace)
    assert (track.depth, track.unfit) == (None, True)
    assert diagnose(trace).prefixes == {}


def test_each_step_has_what_it_saw(graph: Graph, corpus: str) -> None:
    change(graph, PLANTED, corpus=corpus)
    change(graph, STEPS, corpus=corpus)
    plan, search, empty = only(graph, corpus).steps
    assert (plan.retrieves, plan.seen) == (False, ())
    assert (search.seen, search.top_k, search.thought) == ((f"{corpus}c2",), 3, "Rovers?")
    assert (empty.retrieves, empty.seen) == (True, ())
    assert only(graph, corpus).searches == (search, empty)


def test_without_steps_what_was_retrieved_is_one(graph: Graph, corpus: str) -> None:
    change(graph, PLANTED, corpus=corpus)
    (step,) = only(graph, corpus).steps
    assert (step.retrieves, step.seen) == (True, (f"{corpus}c1",))


@examples("one, other")
def test_the_same_search_in_other_words(one: str, other: str) -> None:
    assert near_same(one, other)
    assert near_same(other, one)


@examples("one, other")
def test_another_search(one: str, other: str) -> None:
    assert not near_same(one, other)


def test_searches_are_counted_with_what_they_asked_for() -> None:
    steps = (
        TraceStep(1, "plan", "first", "so and so"),
        TraceStep(2, "search", "Who founded Halden Shipping?", retrieves=True, top_k=5, seen=("a", "b")),
        TraceStep(3, "search", "founder of Halden Shipping", retrieves=True, top_k=10, seen=("a",)),
        TraceStep(4, "search", "Who founded Halden Shipping?", fault=REPEATED),
        TraceStep(5, "search", "founder of Halden Shipping", retrieves=True, filters='{"since": "2020"}'),
        TraceStep(6, "answer", "", "Greta Lindqvist"),
    )
    found = searches_of(trace(steps))
    assert found is not None
    assert (found.run, found.top_k, found.seen) == (3, (5, 10, None), (2, 1, 0))
    assert (found.attempts, found.redundant) == (4, 2)


def test_a_system_that_tells_no_step_has_no_searches() -> None:
    assert searches_of(trace(())) is None
    assert searches_of(trace((TraceStep(1, "answer", "", "x"),), told=False)) is None
    nothing_looked_up = searches_of(trace((TraceStep(1, "answer", "", "x"),)))
    assert nothing_looked_up is not None
    assert nothing_looked_up.run == 0


def trace(steps: tuple[TraceStep, ...], told: bool = True) -> Trace:
    return Trace(
        answer="a", question="q", question_text="?", kind="chain", query_type="inference", hops=2, bin=1,
        cluster="c", answer_text="x", gold="y", accepted=(), correct=False, exact=False, f1=0.0, score=None,
        judged_by="exact match", abstained=False, error="", retrieval_reported=told, steps=steps,
        chain=(), prefixes=(),
    )  # fmt: skip
