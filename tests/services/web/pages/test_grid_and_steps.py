"""The grid's shares and modes agree with what the graph holds, and a question tells what its steps took."""

import re
from dataclasses import replace
from html import unescape

import httpx
import pytest

from kg.ids import run_id
from kg.store.graph import Graph
from services.report.html_values import percent
from services.traces.shown import SeenChunk
from services.web.pages.parameters import address
from services.web.pages.rendering import page
from services.web.views.page_answer import Answered, read_answer
from services.web.views.page_question import OutcomeCounts, QuestionView
from tests.graph_reading import read
from tests.services.web.pages.conftest import FIRST, SECOND, World

MODE = re.compile(r'<a href="([^"]+)"( aria-current="true")?><span[^>]*>([^<]+)</span> <small>(\d+)</small>')


def _modes(html: str) -> dict[str, tuple[str, int, bool]]:
    """The choices of the grid by their word: address, number of questions, whether it is the current one."""
    row = html.partition('<nav class="modes"')[2].partition("</nav>")[0]
    return {word: (unescape(to), int(number), bool(now)) for to, now, word, number in MODE.findall(row)}


def _listed(html: str) -> int:
    """How many questions a list says that it has."""
    found = re.search(r'id="question-rows">(\d+) question', html)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(("run", "other"), [(FIRST, SECOND), (SECOND, FIRST)])
def test_each_choice_of_outcomes_leads_to_as_many_questions_as_it_says(
    client: httpx.Client, world: World, run: str, other: str
) -> None:
    start = client.get(address(world.corpus, "questions", kind="chain", run=run, with_=other)).text
    modes = _modes(start)
    assert modes.keys() == {"all", "wrong", "right", f"differs from {other}"}
    assert modes[f"differs from {other}"][1] > 0
    assert modes["wrong"][1] + modes["right"][1] == modes["all"][1]
    assert [word for word, (_, _, now) in modes.items() if now] == ["all"]
    for word, (to, number, _) in modes.items():
        html = client.get(to).text
        assert _listed(html) == number
        assert [one for one, (_, _, now) in _modes(html).items() if now] == [word]


def test_a_cause_is_no_choice_of_outcomes_and_ends_with_one(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "questions", run=SECOND, cause="retrieval")).text
    modes = _modes(html)
    assert not any(now for _, _, now in modes.values())
    assert all("cause" not in to for to, _, _ in modes.values())


def test_the_head_of_a_column_says_how_often_its_run_is_right(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    count = (
        "MATCH (:Run {id: $id})-[:GAVE]->(a)-[:TO]->(:Question {hops: 3, status: 'kept', kind: 'chain'})"
        " RETURN count(a) AS answers, sum(CASE WHEN a.correct THEN 1 ELSE 0 END) AS right"
    )
    for tail in ({}, {"outcome": "right"}):
        html = client.get(
            address(world.corpus, "questions", hops=3, kind="chain", run=FIRST, with_=SECOND, **tail)
        ).text
        head = html.partition("<thead>")[2].partition("</thead>")[0]
        for run in (FIRST, SECOND):
            (row,) = read(graph, count, id=run_id(world.corpus, run))
            share = percent(row["right"] / row["answers"])
            column = head.partition(f"<bdi>{run}</bdi>")[2].partition("</th>")[0]
            assert f"{share} of {row['answers']} right</small>" in column


def test_differing_answers_are_found_without_choosing_a_second_run(
    client: httpx.Client, world: World
) -> None:
    chosen = client.get(address(world.corpus, "questions", run=SECOND, with_=FIRST, outcome="differs")).text
    html = client.get(address(world.corpus, "questions", outcome="differs")).text
    assert _listed(html) == _listed(chosen) > 0


def test_patterns_of_outcomes_are_counted_by_run() -> None:
    patterns: dict[tuple[str, ...], int] = {
        ("right", "wrong"): 3,
        ("right", ""): 2,
        ("wrong", "right"): 1,
        ("wrong", "wrong"): 4,
        ("", ""): 5,
    }
    counts = OutcomeCounts(("a", "b"), patterns)
    assert counts.total == 15
    assert (counts.answers("a"), counts.answers("a", "right"), counts.answers("a", "wrong")) == (10, 5, 5)
    assert (counts.answers("b"), counts.answers("b", "right")) == (8, 1)
    assert counts.differing("a", "b") == counts.differing("b", "a") == 4
    assert counts.answers("c") == counts.differing("a", "c") == 0


def _answer(*steps: tuple[float | None, int, tuple[str, ...]]) -> Answered:
    """An answer whose steps took these seconds and tokens and saw these chunks."""
    rows = [
        {
            **dict.fromkeys(
                ("action", "query", "observation", "retrieves", "top_k", "filters", "thought", "fault")
            ),
            "index": place,
            "seconds": seconds,
            "tokens": tokens,
            "seen": [
                {"chunk": chunk, "article": f"of {chunk}", "title": chunk, "rank": rank}
                for rank, chunk in enumerate(seen, start=1)
            ],
        }
        for place, (seconds, tokens, seen) in enumerate(steps, start=1)
    ]
    nothing = ("text", "correct", "abstained", "error", "judged_by", "hops_found", "first_lost", "broken_by")
    more = ("unaligned", "unaligned_texts", "retrieval_told", "cost")
    row = {
        **dict.fromkeys((*nothing, *more)),
        "run": "ours",
        "retrieved": [],
        "steps": rows,
        "seconds": 2.5,
        "tokens": 60,
    }
    return read_answer(row, {"one": (1,), "two": (3, 2)})


def test_steps_come_one_after_another_and_tell_whose_evidence_they_saw() -> None:
    answer = _answer((0.5, 0, ("two", "one")), (1.25, 60, ()), (0.25, 0, ("one", "none")))
    assert [step.start for step in answer.steps] == [0.0, 0.5, 1.75]
    assert answer.steps_seconds == 2.0
    assert [step.hops for step in answer.steps] == [(1, 2, 3), (), (1,)]
    assert [step.tokens for step in answer.steps] == [0, 60, 0]


@pytest.mark.parametrize("steps", [(), ((0.5, 1, ()), (None, 1, ()))])
def test_there_is_no_time_line_unless_every_step_tells_its_time(
    steps: tuple[tuple[float | None, int, tuple[str, ...]], ...],
) -> None:
    assert _answer(*steps).steps_seconds == 0.0


def test_a_question_tells_the_steps_after_the_path_and_before_the_evidence(
    client: httpx.Client, world: World
) -> None:
    html = client.get(address(world.corpus, "questions", world.question)).text
    places = [html.index(f"<h2>{one}") for one in ("Its path", "What systems answered", "Its evidence")]
    assert places == sorted(places)
    lines = re.findall(r'<ol class="timeline".*?</ol>', html, re.DOTALL)
    assert len(lines) == 2
    for line in lines:
        bars = re.findall(r'<rect class="(search|other)" x="([\d.]+)" width="([\d.]+)"', line)
        assert [kind for kind, _, _ in bars] == ["search", "other"]
        # The second begins where the first ends, and together they fill the line.
        (_, first, wide), (_, second, last) = bars
        assert float(first) == 0
        assert float(second) <= float(wide) + 0.02
        assert 98.9 <= float(second) + float(last) <= 100.1
        assert re.search(r'<span class="step-spent">(&lt;1 ms|\d+ ms|[\d.]+ s)</span>', line)
    # What each run retrieved of the path stands in the head, hop by hop.
    head = html.partition("<h2>Its path</h2>")[0]
    assert head.count('<span class="hops-found">') == 2
    assert len(re.findall(r'<span class="(?:right|wrong)">hop \d<span class="unseen"> (?:yes|no)', head)) == 6


def _shown(answer: Answered) -> str:
    """The page of a question that this answer alone was given to."""
    view = QuestionView(
        "q", "null", None, None, "Who?", "", "", None, (), 1, "kept", "", (), (), (), (answer,)
    )
    told = [(answer, "wrong", "")]
    shown = page("question.html", "Who?", "c", "questions", view=view, picture=None, told=told)
    return bytes(shown.body).decode()


def test_time_tokens_and_cost_stand_with_the_answer_and_with_its_steps() -> None:
    html = _shown(replace(_answer((0.5, 0, ("one",)), (1.25, 60, ())), cost=0.012))
    assert re.findall(r'<span class="step-spent">(.*?)</span>', html) == ["500 ms", "1.2 s, 60 tokens"]
    assert "2.5 s, 60 tokens, cost 0.0120." in html
    # A system that tells no time of a step has no bars, and is given none.
    unknown = _shown(_answer((0.5, 0, ()), (None, 60, ())))
    assert re.findall(r'<span class="step-spent">(.*?)</span>', unknown) == ["500 ms", "60 tokens"]
    assert "step-bar" not in unknown


def test_a_long_passage_is_folded_and_a_short_one_is_not() -> None:
    long, short = "A <b>long</b> one. " + "More of it. " * 40, "A short one."
    answer = replace(
        _answer(),
        retrieved=tuple(
            SeenChunk("", "a", "", rank, 0.5, text, ()) for rank, text in enumerate((long, short), 1)
        ),
    )
    html = _shown(answer)
    ((begin, whole),) = re.findall(
        r'<details class="passage"><summary>(.*?)</summary>(.*?)</details>', html, re.DOTALL
    )
    assert unescape(whole) == long
    assert len(begin) <= 220
    assert long.startswith(unescape(begin).removesuffix("..."))
    assert f'<td class="long">\n{short}' in html or f'<td class="long">{short}' in html
