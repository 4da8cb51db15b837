"""`kg questions review` from piped input, one decision a line."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.examples import examples
from tests.graph_reading import change, value
from tests.kg_command import Ended
from tests.services.questions.reviewed_world import question_id, write_world

Review = Callable[..., Ended]

STATUS = "MATCH (q:Question {id: $id}) RETURN q.status AS status"


@pytest.fixture
def review(graph: Graph, corpus: str, kg: Kg, monkeypatch: pytest.MonkeyPatch) -> Review:
    """Review the small corpus as ana, with lines of input."""
    write_world(graph, corpus)

    def run(lines: str, *arguments: str, annotator: str = "ana") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return kg("questions", "review", "--corpus", corpus, "--annotator", annotator, *arguments)

    return run


def test_decisions_are_saved_at_once_and_the_next_session_goes_on(
    review: Review, graph: Graph, corpus: str
) -> None:
    first = review("k reads well\nwhat?\nd no such ship\n")
    assert first.code == 0
    assert "1 of 3" in first.out
    assert first.out.count("a word or its first letter") == 2
    assert "decided 2 (drop 1, keep 1), skipped 0, left 1" in first.out
    assert "goes on here" in first.err
    second = review("skip\n")
    assert "1 of 1" in second.out
    assert "skipped 1, left 0" in second.out
    assert review("quit\n", annotator="ben").out.count("1 of 3") == 1
    done = review("k\n", "--json")
    assert done.json == {"decided": {"keep": 1}, "skipped": 0, "left": 0}
    assert "ana has decided on all of them" in review("").out
    assert "1 of 3" in review("", "--all").out
    dropped = "MATCH (q:Question {corpus: $corpus, status: 'dropped'}) RETURN count(q) AS n"
    assert value(graph, dropped, corpus=corpus) == 1


def test_the_question_comes_with_its_evidence_and_the_filters_only_afterwards(
    review: Review, corpus: str
) -> None:
    asked = ("--question", question_id(corpus, "chain"))
    shown = review("", *asked)
    assert "1. Mira Tolland | plays for | Ostby Rovers\n" in shown.out
    assert "2. Ostby Rovers | are owned by | Halden Shipping (says Anton Brask)\n" in shown.out
    assert "Mira Tolland plays for the Ostby Rovers.  [Article 1, Herald, 2031-01-09]" in shown.out
    assert "Filters" not in shown.out
    assert [name for name in ("factual?", "steps?", "compared?") if name in shown.out] == [
        "factual?",
        "steps?",
    ]
    assert "Filters: 2 looked at it, all passed" in review("", *asked, "--show-checks").out
    decided = review("k\n", *asked)
    assert decided.out.index("Answer: Halden") < decided.out.index("Filters: 2 looked at it")
    rejected = review("d\n", "--status", "rejected")
    assert "failed: answer hidden (it says so itself)" in rejected.out


_HOPS = """
MATCH (q:Question {id: $id})
UNWIND [1, 2] AS hop
MATCH (k:Chunk {id: $corpus + '-chunk-' + hop})
CREATE (x:Question {id: $id + '-hop-' + hop, corpus: $corpus, status: 'atomic', kind: 'atomic',
                    text: 'Part ' + hop + '?', answer: 'Answer ' + hop})
CREATE (q)-[:HAS_HOP_QUESTION {hop: hop, topology: CASE hop WHEN 1 THEN 'start' ELSE 'inference' END}]->(x)
MERGE (q)-[:SUPPORTED_BY {hop: hop}]->(k)
"""
_UNSTATED = "MATCH (:Question {id: $id})-[r:RESTS_ON {index: 2}]->() DELETE r"


def test_a_composed_question_comes_hop_by_hop(review: Review, graph: Graph, corpus: str) -> None:
    """The second hop has no claim, as those that a model wrote may: its chunk is shown."""
    chain = question_id(corpus, "chain")
    change(graph, _HOPS, id=chain, corpus=corpus)
    change(graph, _UNSTATED, id=chain)
    shown = " ".join(review("", "--question", chain).out.split())
    assert (
        "1. Part 1? Answer 1 Mira Tolland plays for the Ostby Rovers. [Article 1, Herald, 2031-01-09]"
        in shown
    )
    assert "2. Part 2? Answer 2 The Ostby Rovers are owned by Halden Shipping. [Article 2" in shown


def test_a_tie_is_listed_and_settled_with_the_decisions_in_sight(
    review: Review, kg: Kg, graph: Graph, corpus: str
) -> None:
    chain = question_id(corpus, "chain")
    review("k\n", "--question", chain)
    review("d dull\n", "--question", chain, annotator="ben")
    shown = kg("questions", "review", "--corpus", corpus, "--report")
    assert "Annotators differ on 1, of which 0 were adjudicated." in shown.out
    assert f"open, and still asked: {chain}." in " ".join(shown.err.split())
    settled = review("d\n", "--adjudicate", annotator="cora")
    assert "ben decided drop: dull" in settled.out
    assert value(graph, STATUS, id=chain) == "dropped"
    assert "differ on no question" in review("", "--adjudicate", annotator="cora").err


@pytest.mark.campaign
def test_an_edit_that_gives_itself_away_is_not_taken(review: Review, graph: Graph, corpus: str) -> None:
    asked = ("--question", question_id(corpus, "chain"))
    lines = "e\nWho owns the Rovers?\nedit stiff\nWho owns the club of Tolland?\nb\nq\n"
    shown = review(lines, *asked)
    assert 'middle hidden: "the Rovers" stands in it' in shown.out
    assert "decided 1 (edit 1)" in shown.out
    text = "MATCH (q:Question {id: $id}) RETURN q.text AS text"
    assert value(graph, text, id=asked[1]) == "Who owns the club of Tolland?"
    assert "forgotten: edit on" in review("", "--undo").out
    assert value(graph, text, id=asked[1]) != "Who owns the club of Tolland?"


def test_back_takes_a_decision_up_again(review: Review, graph: Graph, corpus: str) -> None:
    shown = review("d\nb\nk\nq\n", "--seed", "5")
    assert shown.out.count("1 of 3") == 2
    assert "decided 1 (keep 1), skipped 0, left 2" in shown.out
    dropped = "MATCH (q:Question {corpus: $corpus, status: 'dropped'}) RETURN count(q) AS n"
    assert value(graph, dropped, corpus=corpus) == 0


@pytest.mark.campaign
def test_the_report_names_annotators_and_kappa(review: Review, kg: Kg, corpus: str) -> None:
    assert "Nobody has reviewed" in kg("questions", "review", "--corpus", corpus, "--report").out
    for annotator, lines in (("ana", "k\nk\nd\n"), ("ben", "k\nk\nd steps: no\n"), ("cora", "k\nd\n")):
        assert review(lines, annotator=annotator).code == 0
    review("k\n", "--status", "rejected")
    shown = kg("questions", "review", "--corpus", corpus, "--report")
    assert "4 questions decided, 3 by two or more; 1 dropped, 0 edited, 0 tied" in shown.out
    # 1 - (4/3) / ((8 - 3) (1 - (5/8)^2 - (3/8)^2))
    assert "keep / drop / edit: 0.43, 95 % " in shown.out
    assert "(3 questions)" in shown.out
    assert "would keep" in shown.out
    assert "Dropped for: no criterion named 2, steps 1" in shown.out
    found = kg("questions", "review", "--corpus", corpus, "--report", "--json").json
    assert found["retained"]["n"] == 3
    assert [one["annotator"] for one in found["annotators"]] == ["ana", "ben", "cora"]


def test_a_queue_goes_out_as_a_file_and_comes_back(
    review: Review, kg: Kg, tmp_path: Path, corpus: str
) -> None:
    path = tmp_path / "queue.jsonl"
    assert "2 questions written" in review("", "--export", str(path), "--sample", "2").out
    path.write_text(path.read_text().replace('"decision": ""', '"decision": "drop"'))
    taken = kg(
        "questions", "review", "--corpus", corpus, "--import", str(path), "--annotator", "ben", "--json"
    )
    assert taken.json == {"imported": 2}


@examples("arguments, named")
@pytest.mark.usefixtures("review")
def test_mistakes_are_told_in_a_sentence(kg: Kg, corpus: str, arguments: tuple[str, ...], named: str) -> None:
    ended = kg("questions", "review", "--corpus", corpus, *arguments)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert named in ended.err
