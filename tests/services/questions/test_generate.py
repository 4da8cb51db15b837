"""Questions by a model: what it gives is taken, what it does not give is rejected with why, and retried."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from kg.corpus import drop_corpus
from kg.errors import BudgetReachedError
from kg.ledger import run_stage
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.roles import open_model
from kg.progress import Silent
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.chains import draft_chain, read_chains
from services.questions.choice import (
    QuestionChoice,
    QuestionJob,
    QuestionTools,
    WorkerOption,
    write_question_choice,
)
from services.questions.dataset import dataset_version
from services.questions.draft import Draft
from services.questions.filters.choose import CLOSED_BOOK
from services.questions.filters.need import SPANS_CLUSTERS
from services.questions.filters.protocol import PASS, Filter, Rule, Verdict, fail
from services.questions.funnel import read_funnel
from services.questions.generate import (
    ENDS_RIGHT,
    FOUND,
    WRITER_CHECKS,
    WRITTEN,
    write_by_model,
    writer_name,
)
from services.questions.make import make_questions, retry_failed_questions
from services.questions.variety import VARIETY, Variety
from services.questions.wording.chain import GENERATOR
from tests.examples import examples
from tests.graph_reading import read, value
from tests.names import unique_name
from tests.scripted_endpoint import Answer, Asked, Endpoint, Said, scripted_endpoint
from tests.services.questions.test_make import job
from tests.small_world import run_small_job

QUESTIONS = """
MATCH (q:Question {corpus: $corpus, kind: 'chain'})-[:FOLLOWS]->(p)
RETURN q.id AS id, p.id AS path, q.text AS text, q.answer AS answer, q.status AS status, q.rejected_by AS by,
       q.rejected_why AS why, q.checked AS checked, q.generator AS generator, p.hops AS hops,
       COUNT { (q)-[:HAS_PREFIX]->() } AS prefixes
"""
CHAINS = QuestionChoice(kinds=("chain",), generator="model")
REFUSED, BROKEN, ASTRAY = "Orla Venning > ", "Corrin Medal > ", "Ostby Rovers > "
"""The first entities of chains to which no answer that can be used comes."""


def chain_of(asked: Asked) -> str:
    found = re.search(r"<<data \w+: chain>>\n(.+)\n", asked.question)
    assert found
    return found[1]


def write(asked: Asked) -> dict[str, object]:
    first, *middle, last = chain_of(asked).split(" > ")
    return {
        "problem": "none",
        "why": "",
        "steps": [
            f"Which end do the first {number + 1} hops from {first} have?" for number in range(len(middle))
        ],
        "question": f"Which end does the whole chain from {first} have?",
        "answer": last.upper(),
    }


def fail_sometimes(asked: Asked) -> Answer:
    chain = chain_of(asked)
    if chain.startswith(REFUSED):
        return Said(content=None, refusal="I can't help with that.")
    if chain.startswith(BROKEN):
        return "no JSON"
    if chain.startswith(ASTRAY):
        return write(asked) | {"answer": "Somebody else"}
    return write(asked)


@pytest.fixture(scope="module")
def built(graph: Graph) -> Iterator[str]:
    """The small world; each test makes its questions anew."""
    name = unique_name("test", "module")
    run_small_job(graph, name)
    yield name
    drop_corpus(graph, name)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(write) as running:
        yield running


@pytest.fixture
def by_model(graph: Graph, built: str, endpoint: Endpoint, tmp_path: Path) -> Callable[..., QuestionJob]:
    """The questions stage with the endpoint's model as its writer."""

    def make(budget: Budget | None = None, target: int = CHAINS.target) -> QuestionJob:
        settings = endpoint.settings(tmp_path, hopgrade_cache=tmp_path / "cache")
        model = QuestionTools(
            writer=writer_name("scripted"),
            open_writer=lambda: open_model("generate", settings, budget, sleep=lambda _: None),
        )
        return replace(job(graph, built, replace(CHAINS, target=target)), tools=model)

    return make


def by_chain(graph: Graph, corpus: str) -> dict[str, Row]:
    return {row["path"]: row for row in read(graph, QUESTIONS, corpus=corpus)}


def test_the_model_words_the_question_and_the_path_gives_the_answer(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    make_questions(by_model())
    rows = by_chain(graph, built).values()
    assert len(rows) == len(endpoint.requests)
    assert {row["status"] for row in rows} == {"kept", "rejected"}
    for row in rows:
        assert row["text"].startswith("Which end does the whole chain from ")
        assert row["checked"][:3] == list(WRITER_CHECKS)
        assert row["generator"] == f"model-2/scripted/{load_prompt('write-question').id}"
        assert not row["answer"].isupper() or row["answer"].isdigit()
        assert row["prefixes"] == (row["hops"] - 1 if row["status"] == "kept" else 0)
    asked = next(one for one in endpoint.requests if chain_of(one).count(">") == 5)
    assert asked.schema is not None
    for expected in ("Fact 1: Mira Tolland | plays for | Ostby Rovers", "  statement: ", ": names>>"):
        assert expected in asked.question


@pytest.mark.campaign
def test_what_the_model_fails_at_is_kept_with_the_reason_and_asked_again(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    endpoint.responder = fail_sometimes
    endpoint.faults = ["429", "500"]
    make_questions(by_model())
    before = by_chain(graph, built)
    failed = {row["why"].partition(":")[0] for row in before.values() if row["by"] == WRITTEN}
    assert failed == {"refusal", "invalid JSON"}
    astray = [row for row in before.values() if row["by"] == ENDS_RIGHT]
    assert astray
    assert all("'Somebody else', the path ends at" in row["why"] for row in astray)
    bins = "MATCH (q:Question {corpus: $corpus}) WHERE q.bin IS NOT NULL RETURN collect([q.id, q.bin])"
    cut, version = dict(value(graph, bins, corpus=built)), dataset_version(graph, built)

    endpoint.responder, asked = write, len(endpoint.requests)
    run_stage(graph, built, "questions", "key", lambda: {"kept": 1}, lambda: None, Silent())
    made = retry_failed_questions(by_model())
    wanting = [path for path, row in before.items() if row["by"] == WRITTEN]
    assert len(made) == len(wanting) == len(endpoint.requests) - asked
    after = by_chain(graph, built)
    assert after.keys() == before.keys()
    assert [row for row in after.values() if row["by"] == WRITTEN] == []
    assert {path: after[path]["id"] for path in after if path not in wanting} == {
        path: before[path]["id"] for path in before if path not in wanting
    }
    now = dict(value(graph, bins, corpus=built))
    assert {id_: now[id_] for id_ in cut} == cut
    assert (dataset_version(graph, built) == version) == (len(now) == len(cut))
    assert retry_failed_questions(by_model()) == []


@pytest.mark.campaign
def test_a_spent_budget_is_told_and_gone_on_from(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    with pytest.raises(BudgetReachedError, match=r"0 paths have their question, 0 of these are kept"):
        make_questions(by_model(Budget(tokens=6_000)))
    assert 0 < endpoint.answered.total() < 17
    make_questions(by_model())
    assert endpoint.answered.total() == len(by_chain(graph, built)) == 17
    assert set(endpoint.answered.values()) == {1}


def test_the_writer_may_find_that_a_chain_makes_no_good_question(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    nothing = {"problem": "unclear start", "why": "which\nmedal?", "steps": [], "question": "", "answer": ""}
    endpoint.responder = lambda asked: nothing if chain_of(asked).startswith(BROKEN) else write(asked)
    make_questions(by_model())
    refused = [row for row in by_chain(graph, built).values() if row["by"] == FOUND]
    assert refused
    assert {row["why"] for row in refused} == {"unclear start: which medal?"}
    assert {tuple(row["checked"]) for row in refused} == {(WRITTEN, FOUND)}


def test_no_more_is_written_than_the_target_takes(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    make_questions(by_model(target=1))
    rows = by_chain(graph, built).values()
    kept = Counter(row["hops"] for row in rows if row["status"] == "kept")
    made = Counter(row["hops"] for row in rows)
    assert len(endpoint.requests) == len(rows) < 18
    assert max(made.values()) <= 4
    assert kept.total() >= 2


def test_paths_with_a_fact_that_another_question_was_answered_without_come_last_if_at_all(
    by_model: Callable[..., QuestionJob],
    endpoint: Endpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.questions.waves.FEWEST_A_BATCH", 1)
    monkeypatch.setattr("services.questions.waves.WAVES", CHAINS.target)
    spare: tuple[str, str] = ("", "")

    @dataclass(frozen=True, slots=True)
    class Tools(QuestionTools):
        """Every question is answered without the fact between the two `spare` names."""

        def filters(self, *_: object) -> list[Filter]:
            return [Rule("every hop needed", self.needed)]

        @staticmethod
        def needed(draft: Draft) -> Verdict:
            hops = list(pairwise(stop.name for stop in draft.stops))
            return fail("answered without it", hops.index(spare) + 1) if spare in hops else PASS

    def chains() -> list[list[tuple[str, str]]]:
        """The chains of two hops in the order in which the model was shown them, as their hops."""
        endpoint.requests.clear()
        settings = endpoint.settings(tmp_path / spare[0])
        make_questions(replace(by_model(), tools=Tools(open_writer=lambda: open_model("generate", settings))))
        found = [list(pairwise(chain_of(asked).split(" > "))) for asked in endpoint.requests]
        return [hops for hops in found if len(hops) == 2]

    before = chains()
    at, spare = next(
        (at, hop)
        for at, hops in enumerate(before)
        for hop in hops
        if 0 < sum(hop in later for later in before[at + 1 :]) < len(before[at + 1 :])
        and hop not in before[-1]
    )
    behind = before[at + 1 :]
    promising = [*before[: at + 1], *(hops for hops in behind if spare not in hops)]
    last = [hops for hops in behind if spare in hops]
    shown = chains()
    # Of those with the fact few are tried: three questions of whatever depth fell at it.
    assert len(promising) <= len(shown) < len(before)
    assert shown == (promising + last)[: len(shown)]


def test_what_was_asked_about_often_enough_is_not_tried_and_nothing_that_has_room_is_left(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for one question about a thing at first, and then for as many as are kept."""
    least = dict.fromkeys(("fact", "entity", "article", "tail"), 1)
    monkeypatch.setattr("services.questions.variety._LEAST", least)
    monkeypatch.setattr("services.questions.variety._SHARES_SO_FAR", least)
    monkeypatch.setattr("services.questions.waves.FEWEST_A_BATCH", 1)
    monkeypatch.setattr("services.questions.waves.WAVES", CHAINS.target)
    counts = make_questions(by_model())
    asked = by_chain(graph, built)
    assert {row["by"] for row in asked.values()}.isdisjoint({VARIETY})
    paths = [row["id"] for row in graph.rows(query("paths/list_paths"), corpus=built, first=True)]
    variety = Variety(CHAINS.target)
    drafts = {chain.path: draft_chain(chain) for chain in read_chains(graph, paths)}
    for path, row in asked.items():
        if row["status"] == "kept":
            variety.add(drafts[path])
    left = [draft for path, draft in drafts.items() if path not in asked]
    assert left
    assert not [draft.text for draft in left if variety.check(draft).passed]
    assert "about what was asked about often enough" in str(counts)


def test_a_depth_of_which_nothing_is_kept_is_given_up(
    by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    endpoint.responder = lambda asked: write(asked) | {"answer": "Somebody else"}
    counts = make_questions(by_model(target=1))
    assert counts["short_2_hops"] == (
        "0 of 1: the model was shown 4 paths, the most of a depth that HOPGRADE_PATHS_PER_QUESTION allows; "
        f"most fell at {ENDS_RIGHT!r} (4)"
    )


def test_the_model_words_the_first_hops_too_and_rules_where_it_gives_an_answer_away(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    def give_away(asked: Asked) -> Answer:
        stops = chain_of(asked).split(" > ")
        given = f"Does {stops[0]} lead to {stops[1]} in the end?"
        return write(asked) | {"steps": [given, *write(asked)["steps"][1:]]}  # type: ignore[index]

    endpoint.responder = give_away
    make_questions(by_model())
    steps = read(
        graph,
        "MATCH (:Question {corpus: $corpus})-[x:HAS_PREFIX]->(p) "
        "RETURN DISTINCT p.id AS id, x.hops AS hops, p.text AS text, p.generator AS generator, "
        "p.rejected_by AS by",
        corpus=built,
    )
    assert {row["generator"] for row in steps if row["hops"] == 1} == {GENERATOR}
    by_model_worded = [row for row in steps if row["generator"] != GENERATOR]
    assert by_model_worded
    assert all(row["text"].startswith("Which end do the first ") and not row["by"] for row in by_model_worded)


def test_the_first_hops_go_through_the_filters_of_whole_questions(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint, tmp_path: Path
) -> None:
    """Whoever checks knows by heart what the first hop asks for; with prefix checks by rules nobody asks."""

    class Tools(QuestionTools):
        def filters(self, *_: object) -> list[Filter]:
            wish = Rule(SPANS_CLUSTERS, lambda draft: PASS if draft.hops > 1 else fail("a wish of the whole"))
            needed = Rule("every hop needed", lambda draft: fail("not so") if draft.hops == 2 else PASS)
            heart = Rule(CLOSED_BOOK, lambda draft: fail("known") if draft.hops == 1 else PASS)
            return [wish, needed, heart]

    def fallen(prefix_checks: WorkerOption) -> dict[int, set[tuple[str | None, bool]]]:
        """By hops where prefixes fell, and whether a model worded them."""
        made_by = by_model()
        tools = Tools(open_writer=made_by.tools.open_writer)
        choice = replace(CHAINS, prefix_checks=prefix_checks)
        make_questions(replace(made_by, tools=tools, choice=choice))
        found: dict[int, set[tuple[str | None, bool]]] = {}
        for row in read(
            graph,
            "MATCH (:Question {corpus: $corpus})-[x:HAS_PREFIX]->(p) "
            "RETURN x.hops AS hops, p.rejected_by AS by, p.generator <> $rules AS by_model",
            corpus=built,
            rules=GENERATOR,
        ):
            found.setdefault(row["hops"], set()).add((row["by"], row["by_model"]))
        return found

    told = fallen("model")
    assert told[1] == {(CLOSED_BOOK, True)}
    assert {by for by, _ in told[2]} == {"every hop needed"}
    assert told[3] == {(None, True)}
    told = fallen("rules")
    assert told[1] == {(None, True)}
    assert {by for by, _ in told[2]} == {"every hop needed"}


@examples("problem, why, hop")
def test_a_refusal_blames_the_fact_that_it_names(
    graph: Graph, small_corpus: str, endpoint: Endpoint, tmp_path: Path, problem: str, why: str, hop: int
) -> None:
    endpoint.responder = lambda asked: write(asked) | {"problem": problem, "why": why}
    path = value(graph, "MATCH (p:Path {corpus: $corpus, hops: 2}) RETURN min(p.id)", corpus=small_corpus)
    with open_model("generate", endpoint.settings(tmp_path)) as model:
        (made,) = write_by_model(graph, model, read_chains(graph, [path]))
    assert made.failed is not None
    assert (made.failed.filter, made.failed.hop) == (FOUND, hop)
    assert made.failed.at_join is (problem == "names differ")


def test_the_funnel_says_which_problems_the_model_named(
    graph: Graph, built: str, by_model: Callable[..., QuestionJob], endpoint: Endpoint
) -> None:
    def refuse(asked: Asked) -> Answer:
        if chain_of(asked).startswith(REFUSED):
            return write(asked) | {"problem": "several answers", "why": "fact 1: many: all of them"}
        return write(asked)

    endpoint.responder = refuse
    make_questions(by_model())
    rows = by_chain(graph, built).values()
    fell = [row for row in rows if row["by"] == FOUND]
    assert fell
    assert {row["why"] for row in fell} == {"several answers: fact 1: many: all of them"}
    write_question_choice(graph, built, CHAINS)
    columns = read_funnel(graph, built)
    for column in columns:
        here = sum(row["hops"] == column.hops for row in fell)
        assert column.refused == ({"several answers": here} if here else {})
        assert column.by_heart == 0
        assert column.kept_of_drawn == column.kept_of_unknown == column.kept / column.drawn
