"""Plans before a comparison: what they ask for, what they refuse, and what a pilot tells them."""

import pytest

from kg.errors import NothingToDoError, SettingsError
from kg.store.graph import Graph
from services.comparison.planning import Aim, design_for, design_of, read_pilot
from services.statistics.power import PairedSpread
from tests.services.report.planted import Given, Planted, answer, plant

SPREAD = PairedSpread(sd=0.5, intra_cluster=0.2, per_cluster=4.0)


def test_a_plan_asks_for_the_clusters_that_its_inverse_needs() -> None:
    planned = design_for(SPREAD, 0.05, Aim())
    assert planned.power is not None
    assert planned.power >= 0.8
    assert planned.detectable <= 0.05
    # 2.8016² (.5 / .05)² = 785 lone questions in the limit, two more for Student's quantiles.
    assert planned.naive_questions == 787
    assert planned.questions == pytest.approx(787 * 1.6, rel=0.01)
    back = design_of(SPREAD, planned.questions, planned.clusters, 0.05, Aim())
    assert (back.power, back.detectable) == (planned.power, planned.detectable)
    fewer = design_of(SPREAD, planned.questions - 4, planned.clusters - 1, 0.05, Aim())
    assert fewer.power is not None
    assert fewer.power < 0.8


def test_more_hypotheses_take_more_and_one_sided_ones_less() -> None:
    plain = design_for(SPREAD, 0.05, Aim()).clusters
    assert design_for(SPREAD, 0.05, Aim(hypotheses=4)).clusters > plain
    assert design_for(SPREAD, 0.05, Aim(two_sided=False)).clusters < plain


def test_questions_in_the_same_clusters_hardly_help() -> None:
    once = design_of(SPREAD, 200, 50, None, Aim())
    often = design_of(SPREAD, 2_000, 50, None, Aim())
    wider = design_of(SPREAD, 2_000, 500, None, Aim())
    assert often.detectable > 0.7 * once.detectable
    assert wider.detectable < 0.35 * once.detectable
    assert once.power is None
    assert often.spread.per_cluster == 40


def test_few_clusters_are_warned_of() -> None:
    assert "can't reach p ≤ 0.05" in design_of(SPREAD, 20, 5, None, Aim()).warnings[0]
    # One-sided, five clusters reach 1/32.
    assert "only roughly" in design_of(SPREAD, 20, 5, None, Aim(two_sided=False)).warnings[0]
    assert design_of(SPREAD, 80, 20, None, Aim()).warnings == ()


@pytest.mark.parametrize(("questions", "clusters"), [(10, 11), (10, 1)])
def test_designs_that_can_not_be_are_refused(questions: int, clusters: int) -> None:
    with pytest.raises(SettingsError, match="clusters"):
        design_of(SPREAD, questions, clusters, None, Aim())
    with pytest.raises(SettingsError, match="more than 100,000,000 clusters"):
        design_for(SPREAD, 1e-7, Aim())


def test_a_pilot_tells_how_differences_vary(graph: Graph, corpus: str) -> None:
    # Two questions in each of 6 clusters: the last claim of a two-hop question that starts at s is s + 1.
    questions = [Planted(f"{start}-{i}", start=start) for start in range(6) for i in range(2)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "other", [Given(q.name, right=q.start > 1) for q in questions])
    pilot = read_pilot(graph, corpus, "one", "other")
    assert (pilot.questions, pilot.clusters) == (12, 6)
    assert pilot.difference == pytest.approx(-1 / 3)
    # Four of twelve are -1: 12 / 11 (1/3 - 1/9). A cluster is lost as a whole.
    assert pilot.spread.sd == pytest.approx((12 / 11 * 2 / 9) ** 0.5)
    assert pilot.spread.intra_cluster == pytest.approx(1)
    assert (pilot.spread.per_cluster, pilot.spread.uneven) == (2, 0)


def test_a_pilot_that_tells_nothing_is_refused(graph: Graph, corpus: str) -> None:
    questions = [Planted(f"{start}", start=start) for start in range(4)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "same", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "small", [Given("0", right=False)])
    with pytest.raises(SettingsError, match="differ on no question"):
        read_pilot(graph, corpus, "one", "same")
    with pytest.raises(SettingsError, match="from itself"):
        read_pilot(graph, corpus, "one", "one")
    with pytest.raises(NothingToDoError, match="share no questions of two clusters"):
        read_pilot(graph, corpus, "one", "small")
    with pytest.raises(NothingToDoError, match="no run 'none'"):
        read_pilot(graph, corpus, "one", "none")
