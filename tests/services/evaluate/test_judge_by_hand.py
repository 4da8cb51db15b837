"""People label a sample of a run's answers, and its judges are held against them."""

import json
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.progress import Silent
from kg.store.graph import Graph, Row
from services.evaluate.judge_by_hand import (
    PEOPLE,
    agreements_with_people,
    read_agreements,
    read_labels,
    record_labels,
    revise,
    write_sample,
)
from tests.examples import examples
from tests.services.evaluate.judged_world import RUN, answer_id, write_world
from tests.services.evaluate.test_judge import correct, judged


def test_kappa_with_people_is_cohens_and_its_interval_goes_by_article() -> None:
    """Of 20 both call 8 right and 8 wrong, and differ on 4: kappa is (0.8 - 0.5) / (1 - 0.5) = 0.6."""
    said = [(True, True)] * 8 + [(False, False)] * 8 + [(True, False)] * 2 + [(False, True)] * 2

    def labelled(articles: int) -> list[Row]:
        return [
            {
                "answer": f"a{at}",
                "labelled": label,
                "matches": True,
                "article": f"article-{at % articles}",
                "judges": [{"judge": "j", "scale": "binary", "correct": verdict}],
            }
            for at, (label, verdict) in enumerate(said)
        ]

    rule, judge = agreements_with_people(labelled(20))
    assert (rule.first, rule.second) == (PEOPLE, "answer match")
    assert rule.kappa == pytest.approx(0)
    assert (judge.second, judge.n, judge.agreed) == ("j (binary)", 20, 16)
    assert judge.kappa == pytest.approx(0.6)
    assert judge.interval is not None
    assert judge.interval.low < 0.6 < judge.interval.high
    # One article tells nothing of what another would have.
    assert agreements_with_people(labelled(1))[1].interval is None
    assert agreements_with_people([]) == ()


def test_labels_of_a_sample_win_and_judges_are_held_against_them(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    write_world(graph, corpus)
    judged(graph, corpus, tmp_path)
    path = tmp_path / "labels.jsonl"
    count = write_sample(graph, corpus, RUN, 99, 0, path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(lines) == count
    assert all(
        line.keys() == {"answer", "question", "expected", "accepted", "said", "label", "why"}
        for line in lines
    )
    before = correct(graph, corpus)
    chatty = answer_id(corpus, "chatty")
    right = {answer_id(corpus, name) for name in before}
    for line in lines[:-1]:
        by_judge = line["answer"] in right
        line["label"] = "Right" if by_judge != (line["answer"] == chatty) else "wrong"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    labels = read_labels(path)
    assert len(labels) == count - 1
    assert record_labels(graph, corpus, RUN, labels, "ana", Silent()) == count - 1
    assert correct(graph, corpus) == before - {
        one.answer.rpartition("-")[2] for one in labels if one.answer == chatty
    }
    found = {one.second: one for one in read_agreements(graph, corpus, RUN) if one.first == PEOPLE}
    judge = found["judge-a (binary)"]
    assert judge.n == count - 1
    assert judge.n - judge.agreed == sum(one.answer == chatty for one in labels)
    # A word by hand outside of the sample stands in no agreement; one within it stays in.
    revise(graph, lines[-1]["answer"], True, "looked at by chance", "ben", Silent())
    revise(graph, lines[0]["answer"], False, "on reflection", "ana", Silent())
    again = {one.second: one for one in read_agreements(graph, corpus, RUN) if one.first == PEOPLE}
    assert again["judge-a (binary)"].n == judge.n


@examples("line, complaint")
def test_a_line_that_is_no_label_is_refused(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"labels\.jsonl:2.*{complaint}"):
        read_labels(path)
