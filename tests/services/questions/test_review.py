"""What annotators decide, what follows from it, and that all of it can be taken back."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kg.corpus import fingerprint
from kg.errors import InputError, NothingToDoError
from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.dataset import dataset_version
from services.questions.draft import QUERY_TYPES
from services.questions.hand_work import read_hand_work
from services.questions.review import (
    Decision,
    Review,
    criteria_of,
    criterion_of,
    discard_waiting,
    draw_questions,
    read_reviews,
    record_reviews,
    report_reviews,
    show_questions,
    speaks_against,
    split_questions,
    undo_review,
)
from services.questions.review_files import export_reviews, import_reviews
from tests.examples import examples
from tests.graph_reading import value
from tests.services.questions.reviewed_world import FACTS, TEXTS, embedder, question_id, write_world

START = datetime(2031, 1, 9, tzinfo=UTC)


@pytest.fixture
def world(graph: Graph, corpus: str) -> str:
    """The corpus with its four questions."""
    write_world(graph, corpus)
    return corpus


def decide(
    graph: Graph, corpus: str, who: str, name: str, decision: Decision, text: str = "", minute: int = 0
) -> None:
    """One decision of an annotator."""
    at = START + timedelta(minutes=minute)
    review = Review(question_id(corpus, name), who, decision, "", text, at)
    record_reviews(graph, corpus, [review], embedder().embed)


def question(graph: Graph, corpus: str, name: str) -> Row:
    """A question as it is in the graph."""
    text = "MATCH (q:Question {id: $id}) RETURN q {.*, embedding: null} AS question"
    found: Row = value(graph, text, id=question_id(corpus, name))
    return found


def test_a_question_is_dropped_while_more_people_drop_than_keep_it(graph: Graph, world: str) -> None:
    before, version = fingerprint(graph, world), dataset_version(graph, world)
    decide(graph, world, "ana", "chain", "drop")
    assert question(graph, world, "chain")["status"] == "dropped"
    recorded = "MATCH (c:Corpus {name: $corpus}) RETURN c.dataset AS dataset"
    assert value(graph, recorded, corpus=world) == dataset_version(graph, world) != version
    decide(graph, world, "ben", "chain", "keep", minute=1)
    assert question(graph, world, "chain")["status"] == "kept"
    decide(graph, world, "cora", "chain", "drop", minute=2)
    assert question(graph, world, "chain")["status"] == "dropped"
    decide(graph, world, "ana", "chain", "keep", minute=3)
    assert question(graph, world, "chain")["status"] == "kept"
    for who in ("ana", "ben", "cora"):
        undo_review(graph, world, who, None, embedder().embed)
    assert fingerprint(graph, world) == before
    with pytest.raises(NothingToDoError, match="'ana' has decided nothing"):
        undo_review(graph, world, "ana", None, embedder().embed)


def test_an_edit_gives_the_text_its_own_difficulty_but_no_other_bin(graph: Graph, world: str) -> None:
    # The world's difficulties are made up; going there and back makes them those of its text.
    decide(graph, world, "ana", "chain", "edit", TEXTS["chain"] + " ")
    undo_review(graph, world, "ana", None, embedder().embed)
    before = fingerprint(graph, world)
    text = "Mira Tolland's club belongs to which firm?"
    decide(graph, world, "ana", "chain", "edit", text, minute=1)
    found = question(graph, world, "chain")
    vector, *chunks = embedder().embed([text, *(sentence for sentence, *_ in FACTS)])
    cosines = [float(vector @ chunk) for chunk in chunks]
    assert found["text"] == text
    assert found["difficulty_min"] == pytest.approx(1 - min(cosines), abs=1e-5)
    assert found["difficulty_mean"] == pytest.approx(1 - sum(cosines) / 2, abs=1e-5)
    assert (found["bin"], found["status"]) == (2, "kept")
    decide(graph, world, "ben", "chain", "edit", "Which firm owns Mira Tolland's club?", minute=2)
    assert question(graph, world, "chain")["text"] == "Which firm owns Mira Tolland's club?"
    undo_review(graph, world, "ben", question_id(world, "chain"), embedder().embed)
    assert question(graph, world, "chain")["text"] == text
    undo_review(graph, world, "ana", None, embedder().embed)
    assert fingerprint(graph, world) == before


def test_a_null_question_can_be_edited_too(graph: Graph, world: str) -> None:
    decide(graph, world, "ana", "null", "edit", "Which ship did Halden Shipping sink?")
    found = question(graph, world, "null")
    assert found["text"] == "Which ship did Halden Shipping sink?"
    assert "difficulty_min" not in found


def test_a_new_text_must_not_give_away_answer_or_middle(graph: Graph, world: str) -> None:
    (shown,) = show_questions(graph, [question_id(world, "chain")])
    assert speaks_against(shown, "Who owns the club of Tolland?") == ""
    assert speaks_against(shown, "Is it Halden Shipping?").startswith("answer hidden")
    assert speaks_against(shown, "Who owns the Rovers?").startswith("middle hidden")
    assert speaks_against(shown, "  ") == "it is empty"


def test_every_annotator_gets_the_same_questions_as_they_were_made(graph: Graph, world: str) -> None:
    first = draw_questions(graph, world, "ana", "kept", 2, seed=3)
    decide(graph, world, "ana", "chain", "edit", "Who owns the club of Tolland?")
    decide(graph, world, "ana", "second", "drop")
    other = draw_questions(graph, world, "ben", "kept", 2, seed=3)
    assert [one.id for one in other] == [one.id for one in first]
    assert {one.decision for one in other} == {None}
    everything = draw_questions(graph, world, "ana", "kept", None, seed=3)
    assert {one.decision for one in everything} == {"edit", "drop", None}
    assert [one.id for one in everything][:2] == [one.id for one in first]
    (shown,) = show_questions(graph, [question_id(world, "chain")])
    assert shown["question"]["text"] == TEXTS["chain"]
    assert [fact["predicate"] for fact in shown["facts"]] == ["plays for", "are owned by"]
    assert shown["facts"][0]["article"] == {
        "title": "Article 1",
        "source": "Herald",
        "published": "2031-01-09",
    }


def test_decisions_on_rejected_questions_change_nothing_but_judge_the_filters(
    graph: Graph, world: str
) -> None:
    version = dataset_version(graph, world)
    decide(graph, world, "ana", "rejected", "keep")
    decide(graph, world, "ben", "rejected", "edit", "Which firm owns the club?")
    found = question(graph, world, "rejected")
    assert (found["status"], found["text"]) == ("rejected", TEXTS["rejected"])
    assert dataset_version(graph, world) == version
    (filter_,) = report_reviews(read_reviews(graph, world)).filters
    assert (filter_.filter, filter_.questions, filter_.wanted) == ("answer hidden", 1, 1)


def test_the_report_rests_on_questions_that_two_decided(graph: Graph, world: str) -> None:
    decide(graph, world, "ana", "chain", "keep")
    decide(graph, world, "ben", "chain", "keep")
    decide(graph, world, "cora", "chain", "edit", "Who owns the club of Tolland?")
    decide(graph, world, "ana", "second", "drop")
    decide(graph, world, "ben", "second", "drop")
    decide(graph, world, "ana", "null", "drop")
    found = report_reviews(read_reviews(graph, world))
    assert (found.questions, found.shared, found.dropped, found.edited, len(found.open)) == (3, 2, 2, 1, 0)
    assert [(one.annotator, one.total) for one in found.annotators] == [("ana", 3), ("ben", 2), ("cora", 1)]
    assert found.retained is not None
    assert (found.retained.value, found.retained.n) == (1, 2)
    # Over three decisions: 1 - (3 - 5/3) / ((5 - 2) (1 - (2/5)^2 - (2/5)^2 - (1/5)^2)).
    assert found.decisions is not None
    assert found.decisions.value == pytest.approx(1 - (4 / 3) / (3 * 16 / 25))


def test_a_tie_is_open_until_somebody_settles_it(graph: Graph, world: str) -> None:
    decide(graph, world, "ana", "chain", "drop")
    decide(graph, world, "ben", "chain", "keep", minute=1)
    for minute, who in enumerate(("ana", "ben", "cora"), start=2):
        decide(graph, world, who, "second", "drop" if who == "cora" else "keep", minute=minute)
    tie, split = question_id(world, "chain"), question_id(world, "second")
    found = report_reviews(read_reviews(graph, world))
    assert (found.split, found.adjudicated, found.open) == (2, 0, (tie,))
    assert split_questions(read_reviews(graph, world)) == [tie, split]
    kappa = found.retained

    def settle(name: str, decision: Decision, minute: int) -> None:
        at = START + timedelta(minutes=minute)
        made = Review(question_id(world, name), "ana", decision, "on reflection", "", at, adjudicates=True)
        record_reviews(graph, world, [made], embedder().embed)

    settle("chain", "drop", 10)
    settle("second", "drop", 11)
    assert question(graph, world, "chain")["status"] == "dropped"
    assert question(graph, world, "second")["status"] == "dropped", "one decision against a majority of two"
    found = report_reviews(read_reviews(graph, world))
    assert (found.split, found.adjudicated, found.open) == (2, 2, ())
    assert found.retained == kappa, "settling is no agreement"
    assert split_questions(read_reviews(graph, world)) == []
    undo_review(graph, world, "ana", tie, embedder().embed, adjudicates=True)
    assert question(graph, world, "chain")["status"] == "kept"
    assert report_reviews(read_reviews(graph, world)).open == (tie,)


def test_another_machine_takes_part_through_a_file(graph: Graph, world: str, tmp_path: Path) -> None:
    decide(graph, world, "ana", "chain", "drop")
    path = tmp_path / "ben.jsonl"
    queue = draw_questions(graph, world, "ben", "kept", None, seed=0)
    assert export_reviews(graph, world, "ben", queue, path) == 3
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["decision"] for line in lines} == {""}
    for line in lines:
        if line["id"] == question_id(world, "chain"):
            line |= {"decision": "edit", "new_text": "Who owns the club of Tolland?", "reason": "stiff"}
        elif line["id"] == question_id(world, "second"):
            line["decision"] = "Keep"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert import_reviews(graph, world, None, path, START, embedder().embed) == 2
    found = question(graph, world, "chain")
    assert (found["status"], found["text"]) == ("kept", "Who owns the club of Tolland?")
    assert {row["decision"] for row in read_reviews(graph, world) if row["annotator"] == "ben"} == {
        "edit",
        "keep",
    }
    earlier = START - timedelta(days=1)
    assert import_reviews(graph, world, None, path, earlier, embedder().embed) == 0


@examples("line, complaint")
def test_a_file_with_a_wrong_line_is_refused_whole(
    graph: Graph, world: str, tmp_path: Path, line: str, complaint: str
) -> None:
    path = tmp_path / "ben.jsonl"
    good = json.dumps({"id": question_id(world, "second"), "annotator": "ben", "decision": "keep"})
    path.write_text(f"{good}\n\n{line.replace('ID', question_id(world, 'chain'))}\n", encoding="utf-8")
    with pytest.raises(InputError, match=complaint) as caught:
        import_reviews(graph, world, None, path, START, embedder().embed)
    assert "ben.jsonl:3" in str(caught.value)
    assert read_reviews(graph, world) == []


def test_reviews_wait_for_their_questions_until_they_are_discarded(graph: Graph, world: str) -> None:
    decide(graph, world, "ana", "chain", "keep")
    graph.rows(query("questions/delete_questions"), corpus=world)
    assert (read_hand_work(graph, world).reviews, read_hand_work(graph, world).waiting) == (0, 1)
    discard_waiting(graph, world)
    assert value(graph, "MATCH (v:Review {corpus: $corpus}) RETURN count(v) AS n", corpus=world) == 0


@pytest.mark.parametrize(
    ("reason", "criterion"),
    [("factual: it was in May", "factual"), ("Steps", "steps"), ("no fact", ""), ("", ""), ("  ", "")],
)
def test_a_reason_counts_for_the_criterion_that_it_begins_with(reason: str, criterion: str) -> None:
    assert criterion_of(reason) == criterion


def test_every_kind_has_criteria_of_its_own() -> None:
    assert all(len(criteria_of(kind)) > len(criteria_of("imported")) for kind in QUERY_TYPES)
