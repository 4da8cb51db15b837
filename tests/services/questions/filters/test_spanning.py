"""The filter that keeps questions whose evidence lies in enough clusters."""

from dataclasses import replace

from services.questions.draft import Draft
from services.questions.filters.need import SPANS_CLUSTERS, spans_clusters
from tests.graph_reading import change
from tests.services.questions.filters.little_world import CHAIN, Said, World, reasons

AGAIN = Said("Ostby Rovers", "is owned by", "Halden Shipping", "k1")


def _verdicts(world: World, least: int, *drafts: Draft) -> list[str]:
    (only,) = spans_clusters(world.graph, world.corpus, "articles", least)
    assert only.name == SPANS_CLUSTERS
    return reasons(only.check(drafts))


def test_evidence_that_one_cluster_fewer_can_show_is_not_enough(world: World) -> None:
    world.plant(*CHAIN, AGAIN)
    three = world.chain()
    two = world.chain(CHAIN[0], AGAIN, CHAIN[2])
    either = replace(three, facts=(three.facts[0], world.fact(2, CHAIN[1], "k1"), three.facts[2]))
    assert _verdicts(world, 3, three, two, either) == [
        "",
        "its evidence lies in 2 clusters; 3 are needed",
        "its evidence lies in 2 clusters; 3 are needed",
    ]
    assert _verdicts(world, 2, three, two, either, world.chain(CHAIN[0])) == [
        "", "", "", "its evidence lies in 1 cluster; 2 are needed",
    ]  # fmt: skip


def test_where_nothing_is_told_a_question_is_not_kept_and_null_questions_are(world: World) -> None:
    world.plant(*CHAIN)
    (by_time,) = spans_clusters(world.graph, world.corpus, "time", 2)
    null = world.null(*CHAIN[:2], text="Who founded the company that owns the club that Mira Tolland left?")
    assert reasons(by_time.check([world.chain(), null])) == [
        "the corpus doesn't tell its clusters by time",
        "",
    ]
    dated = "MATCH (a:Article {id: $id}) SET a.published_at = datetime('2031-01-01')"
    change(world.graph, dated, id=f"{world.corpus}-a-k1")
    assert reasons(by_time.check([world.chain()])) == ["its evidence lies in 1 cluster; 2 are needed"]


def test_one_cluster_is_always_enough(world: World) -> None:
    assert spans_clusters(world.graph, world.corpus, "communities", 1) == ()
