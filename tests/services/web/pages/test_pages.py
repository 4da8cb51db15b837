"""What the page answers, without a browser: states, errors, markup that is data, and files."""

import re
from collections.abc import Mapping
from html import unescape

import httpx
import pytest
from markupsafe import escape

from kg.corpus import CorpusSettings, drop_corpus, open_corpus
from kg.errors import (
    CorpusError,
    EmbeddingError,
    ModelRefusedError,
    SettingsError,
    StoreError,
    StoreTooNewError,
    StoreTooOldError,
    StoreUnavailableError,
)
from kg.ids import run_id
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.report.sections import sections
from services.comparison.report.sentences import headline
from services.datasets.description import read_statistics
from services.rag.reader import NO_ANSWER
from services.rag.run_options import RunOptions
from services.report.html_soundness import worst_order
from services.report.html_values import percent
from services.runs.records import drop_run
from services.runs.start import start_run
from services.web.pages.parameters import MOST_CHARACTERS, address, api_address
from services.web.pages.question_pages import what_came
from services.web.pages.rendering import another_system, page, status_of
from services.web.views.page_answer import Answered
from services.web.views.page_question import QuestionView
from tests.examples import examples
from tests.graph_reading import change
from tests.services.report.pages import read_page
from tests.services.web.pages.conftest import FIRST, SECOND, World
from tests.services.web.views.planted_standards import ANALYSED, LOCKED, OUTDATED, made_results
from tests.small_world import CHAIN, ENDS, tools

FAULTS = {
    CorpusError: 404,
    SettingsError: 400,
    StoreUnavailableError: 503,
    StoreTooOldError: 503,
    StoreTooNewError: 503,
    StoreError: 500,
    ModelRefusedError: 502,
    EmbeddingError: 502,
}
VIEWS = tuple(World("c", "q", "e", "a").views())
QUESTION_LINK = re.compile(r'data-panel="[^"]*" href="[^"]*/questions/([^"]+)"')
INLINE = re.compile(r"<style|<script(?![^>]*\ssrc=)|\son\w+\s*=|\sstyle\s*=|javascript:", re.IGNORECASE)


def question_ids(html: str) -> list[str]:
    """The ids of the questions that a list links, in its order."""
    return QUESTION_LINK.findall(html)


@pytest.mark.parametrize("name", VIEWS)
def test_no_view_holds_a_script_or_a_style_of_its_own(client: httpx.Client, world: World, name: str) -> None:
    html = client.get(world.views()[name]).text
    outside_quotes = re.sub(r'"[^"]*"', '""', html)
    assert INLINE.findall(re.sub(r">[^<]*<", "><", outside_quotes)) == []
    assert "<img" not in html
    assert "<b>" not in html
    # What draws graphs comes after the first paint: static/drawing.js.
    assert not re.search(r'src="[^"]*/(cytoscape|graph|explore)', html)


@examples("view, says")
def test_an_empty_corpus_is_told_what_to_do_next(
    client: httpx.Client, graph: Graph, corpus: str, view: str, says: str
) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin", 384, "128-256/50", "rules"))
    answer = client.get(address(corpus, view) if view else address(corpus))
    assert answer.status_code == 200
    assert says in answer.text


@examples("parts, status, says")
def test_what_is_not_there_is_said_on_a_page(
    client: httpx.Client, world: World, parts: tuple[str, ...], status: int, says: str
) -> None:
    answer = client.get(address(world.corpus, *parts))
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert says in answer.text


@pytest.mark.parametrize("view", ["questions", "entities", "runs"])
def test_what_is_not_there_leads_to_the_list_of_what_is(
    client: httpx.Client, world: World, view: str
) -> None:
    main = client.get(address(world.corpus, view, "none")).text.split("<main", 1)[1]
    assert f'href="{address(world.corpus, view)}"' in main


@pytest.mark.parametrize("tail", ["hops=x", "hops=9", "bin=5", "status=lost", "outcome=maybe", "page=0"])
def test_a_value_that_can_t_work_is_refused_with_what_can(
    client: httpx.Client, world: World, tail: str
) -> None:
    answer = client.get(f"{address(world.corpus, 'questions')}?{tail}")
    assert answer.status_code == 400
    assert "can&#39;t be used" in answer.text
    assert "Give" in answer.text


@pytest.mark.parametrize("view", ["entities", "suggested-names"])
def test_a_search_of_many_words_goes_by_the_first(client: httpx.Client, world: World, view: str) -> None:
    where = address(world.corpus, view)
    # As many as there is room for: the index takes no such search.
    most = client.get(where, params={"text": " ".join("a" * (MOST_CHARACTERS // 2))})
    assert most.status_code == 200
    named = client.get(where, params={"text": CHAIN[2] + " a" * 200})
    assert CHAIN[2] in named.text


def test_errors_have_the_status_of_whose_fault_they_are() -> None:
    found = [status_of(one("x")) for one in FAULTS]
    assert found == list(FAULTS.values())


def test_evidence_is_shown_around_the_sentence_that_bears_its_fact(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    html = client.get(address(world.corpus, "questions", world.question)).text
    evidence = html.split("<h2>Its evidence</h2>")[1]
    (row,) = graph.rows(query("questions/read_shown"), corpus=world.corpus, id=world.question)
    assert len(row["hops"]) == 3
    for hop in row["hops"]:
        assert f"<mark>{escape(hop['sentence'])}</mark>" in evidence


def test_lists_of_runs_tell_their_retrievers_apart(client: httpx.Client, world: World) -> None:
    front = client.get(address(world.corpus)).text
    assert '<p class="quiet">single-step, words-1, ' in front
    html = client.get(address(world.corpus, "runs")).text
    for name, retriever in ((FIRST, "vector-10"), (SECOND, "words-1")):
        (row,) = [one for one in html.split("<tr>") if f"<bdi>{name}</bdi></a></th>" in one]
        assert f">{retriever}</td>" in row
        assert ">finished</td>" in row
        assert f'href="{escape(address(world.corpus, "matrix", run=name))}"' in row


def test_a_question_shows_where_each_run_broke(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "questions", world.question)).text
    assert html.count('<section class="answer"') == 2
    assert FIRST in html
    assert SECOND in html
    # One chunk can't hold the evidence of three hops that stand in three articles.
    assert "It broke in retrieval: no chunk that supports hop" in html
    assert "question up to" in html
    # The head says it before the path: each run, its verdict, what it answered and why.
    head = html.split("<h2>Its path</h2>")[0]
    lines = re.findall(r"<li>(.*?)</li>", head.split('<ul class="answers-line">')[1], re.DOTALL)
    assert sorted(re.findall(r"<bdi>(.*?)</bdi>", line)[0] for line in lines) == sorted((FIRST, SECOND))
    (broken,) = (line for line in lines if SECOND in line)
    assert '<span class="wrong">' in broken
    assert "<small>It broke in retrieval: no chunk that supports hop" in broken
    assert re.search(r"It lies in at least \d articles \(\d crossings?\)", html)


def test_errors_by_borders_stand_beside_the_matrix(client: httpx.Client, world: World) -> None:
    (link,) = re.findall(r'href="([^"]+)">The run beside', client.get(world.views()["matrix"]).text)
    html = client.get(link).text
    assert '<h2 id="crossings">' in html
    assert "Error rate by borders that the evidence must cross" in html
    assert "at equal depth, p" in html


def test_a_comparison_is_shown_as_its_report_and_offered_as_files(client: httpx.Client, world: World) -> None:
    results = made_results()
    html = client.get(world.views()["standard"]).text
    assert str(escape(headline(results))) in html
    for part in sections(results):
        assert f'<h2 id="{part.id}">' in html
        assert all(str(escape(view.caption)) in html for view in part.tables)
    files = re.findall(r'href="(/api/[^"]+)"', html)
    assert len(files) == 4
    for file in files:
        assert client.get(file).status_code == 200, file


def test_the_list_of_comparisons_tells_which_were_run(client: httpx.Client, world: World) -> None:
    rows = re.findall(
        r"<tr><th scope=\"row\">.*?</tr>", client.get(world.views()["standards"]).text, re.DOTALL
    )
    told = {re.findall(r"<bdi>(.*?)</bdi>", row)[0]: row for row in rows}
    assert set(told) == {ANALYSED, LOCKED, OUTDATED}
    assert "not run yet" in told[LOCKED]
    assert "another version" in told[OUTDATED]
    assert f"1 {made_results().hypotheses[0].decision}" in told[ANALYSED]


def test_the_other_direction_is_offered_where_no_path_leads(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "paths", from_=ENDS[0], to=CHAIN[0])).text
    assert "No chain of at most 5 facts leads from" in html
    assert address(world.corpus, "paths", from_="x").split("?", maxsplit=1)[0] in html
    assert "the other way round" in html


def test_depth_and_mirrored_edges_bound_what_is_found(client: httpx.Client, world: World) -> None:
    whole = address(world.corpus, "paths", from_=CHAIN[0], to=CHAIN[-1])
    assert "4 hops" in client.get(whole).text
    short = address(world.corpus, "paths", from_=CHAIN[0], to=CHAIN[-1], depth=3)
    assert "No chain of at most 3 facts" in client.get(short).text
    context = {"from_": "Venning", "to": "Otto Pelham"}
    assert "<h2>No path</h2>" in client.get(address(world.corpus, "paths", mirrored="off", **context)).text


def test_a_name_that_is_unknown_is_met_with_near_ones(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "paths", from_="Halden Shiping")).text
    assert "No entity is called" in html
    assert "Halden Shipping" in html


def test_neighbours_are_bounded_and_the_rest_is_counted(graph: Graph, world: World) -> None:
    kinds = ["paths", "mirrored", "same", "out"]
    asked = {"id": world.entity, "corpus": world.corpus, "edges": 6}
    (whole,) = graph.rows(query("facts/explore_around"), **asked, kinds=kinds, limit=12)
    assert whole["total"] == len(whole["neighbours"]) == 3
    (first,) = graph.rows(query("facts/explore_around"), **asked, kinds=kinds, limit=1)
    assert (first["total"], first["neighbours"]) == (3, whole["neighbours"][:1])
    # Of Halden Shipping: the club that it owns and its founder; a denied fact is in no path.
    (stated,) = graph.rows(query("facts/explore_around"), **asked, kinds=["paths"], limit=12)
    assert sorted(one["entity"]["name"] for one in stated["neighbours"]) == [
        "Greta Lindqvist",
        "Ostby Rovers",
    ]
    (lone,) = graph.rows(query("facts/explore_around"), **asked, kinds=["same"], limit=12)
    assert (lone["entity"]["name"], lone["total"]) == ("Halden Shipping", 0)


@pytest.mark.parametrize(
    ("tail", "status", "says"),
    [
        ("graph?kind=sideways", 400, "Give one of: paths, mirrored, same, out."),
        ("graph?open=" + ",".join("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst"), 400, "Give at most"),
        ("graph?open=none", 404, "There is no entity"),
        ("graph/way?from=none&to=Halden%20Shipping", 404, "Pick two in the graph"),
        ("graph?text=Halden%20Shiping", 200, "Near to it"),
    ],
)
def test_the_graph_to_explore_says_what_it_can_t_show(
    client: httpx.Client, world: World, tail: str, status: int, says: str
) -> None:
    answer = client.get(f"{address(world.corpus)}/{tail}")
    assert (answer.status_code, says in answer.text) == (status, True)


def test_the_filters_of_questions_hold_on_every_row(client: httpx.Client, world: World) -> None:
    html = client.get(
        address(world.corpus, "questions", hops=2, kind="chain", run=FIRST, outcome="right")
    ).text
    rows = re.findall(r"<tbody>(.*)</tbody>", html, re.DOTALL)[0].split("<tr>")[1:]
    assert rows
    cell = '<td class="number" data-of="hops">2</td>'
    assert all(cell in row and '<span class="right">right' in row for row in rows)
    assert 'aria-label="Remove the filter 2 hops"' in html


def test_what_the_runs_answered_comes_before_what_they_did_not(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    everything = address(world.corpus, "questions")
    last = client.get(everything).text
    (number,) = re.findall(r"page 1 of (\d+)", last) or ["1"]
    question = question_ids(client.get(everything, params={"page": number}).text)[-1]
    options = RunOptions(name="one-question", covers=frozenset((question,)))
    start_run(graph, world.corpus, options, Settings(neo4j_uri=None), tools().embedder, Silent())
    try:
        html = client.get(address(world.corpus, "questions", run=options.name, with_=options.name)).text
        assert question_ids(html)[0] == question
        assert html.count('<span class="none">not answered</span>') == len(question_ids(html)) - 1
    finally:
        drop_run(graph, world.corpus, options.name)


def test_a_run_without_answers_is_not_what_the_grid_begins_with(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    wrong = address(world.corpus, "questions", outcome="wrong")
    before = question_ids(client.get(wrong).text)
    assert before
    begun = "CREATE (:Run {id: $id, corpus: $corpus, name: 'begun', started_at: datetime('2999-01-01')})"
    change(graph, begun, id=run_id(world.corpus, "begun"), corpus=world.corpus)
    try:
        html = client.get(wrong).text
        assert question_ids(html) == before
        assert 'data-run="begun"' not in html
    finally:
        drop_run(graph, world.corpus, "begun")


def test_a_cause_is_a_filter_of_its_own(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "questions", run=SECOND, cause="retrieval")).text
    rows = re.findall(r"<tbody>(.*)</tbody>", html, re.DOTALL)[0].split("<tr>")[1:]
    assert rows
    assert all("not retrieved</small>" in row for row in rows)


def test_a_corpus_begins_with_where_its_newest_run_fails(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus)).text
    verdict = html[html.index('id="verdict"') : html.index('id="making"')]
    (rate, total) = re.findall(r"is wrong on <strong>(\d+%)</strong> of (\d+) chain question", verdict)[0]
    assert f"Error rates of {SECOND}" in verdict
    # The card of the newest run, the list of runs and the home page say the same of it.
    assert re.search(rf"{rate}</span>\s+wrong of {total} chain", verdict)
    listed = client.get(address(world.corpus, "runs")).text
    assert f"{rate}</span>" in listed
    home = client.get("/").text
    assert f"is wrong on <strong>{rate}</strong> of {total} chain question" in home
    assert f"right answers than <bdi>{FIRST}</bdi>" in verdict
    assert "Compare it with" in verdict


def test_home_tells_what_to_do_next_with_each_of_several_corpora(
    client: httpx.Client, graph: Graph, corpus: str, world: World
) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin", 384, "128-256/50", "rules"))
    cards = client.get("/").text.split('<li class="card">')
    (empty,) = [card for card in cards if f"<bdi>{corpus}</bdi>" in card]
    assert "It has no questions yet" in empty
    assert f"kg questions make --corpus {corpus}" in empty
    (answered,) = [card for card in cards if f"<bdi>{escape(world.corpus)}</bdi>" in card]
    assert "read the questions that it got wrong" in answered


def test_a_corpus_leads_to_its_statistics(client: httpx.Client, graph: Graph, world: World) -> None:
    found = read_statistics(graph, world.corpus)
    to = world.views()["statistics"]
    assert f'href="{to}"' in client.get(address(world.corpus)).text
    shown = {one.one("caption").text: one for one in read_page(client.get(to).text).all("table")}
    types = [
        [cell.text for cell in row.children] for row in shown["Questions by type"].one("tbody").all("tr")
    ]
    assert types == [[one.name, f"{one.questions:,}", percent(one.share)] for one in found.types]
    total = shown["Articles by category"].one("tbody").all("tr")[-1]
    assert [cell.text for cell in total.children][:2] == ["total", f"{found.total.articles:,}"]
    assert {"Questions by evidence", "First words of questions"} <= shown.keys()


def test_what_somebody_is_reported_to_have_said_names_him(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    facts = "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() SET r.attributed_to = $by"
    hops = "CYPHER 25 MATCH (:Path {corpus: $corpus})-[h:HOP]->() SET h.attributed_to = nullIf($by, '')"
    views = world.views()
    said = "<small>says <bdi>Otto Pelham</bdi></small>"
    counts = {}
    for by in ("Otto Pelham", ""):
        for statement in (facts, hops):
            change(graph, statement, corpus=world.corpus, by=by)
        for view in ("ask", "question", "between two"):
            counts[by, view] = client.get(views[view]).text.count(said)
    named = {view: count for (by, view), count in counts.items() if by}
    assert (named["ask"], named["question"]) == (1, 3)
    assert named["between two"] >= len(CHAIN) - 1
    assert not any(count for (by, _), count in counts.items() if not by)


def test_what_a_job_found_is_a_page_with_its_verdict_first(
    client: httpx.Client, graph: Graph, world: World
) -> None:
    def done(kind: str, body: Mapping[str, object]) -> str:
        started = client.post(f"{api_address(world.corpus)}/{kind}", json=body)
        assert started.status_code == 202, started.text
        with client.stream("GET", f"{started.headers['Location']}/events") as events:
            assert any(line.startswith("event: end") for line in events.iter_lines())
        return str(started.json()["id"])

    try:
        swept = done("sweeps", {"chunks": ["24-64/8"], "top": [1, 10], "limit": 4})
    finally:
        drop_corpus(graph, f"{world.corpus} (24-64/8, builtin)")
    own = "Which club does <b>Mira</b> Tolland play for?"
    known = done("contamination", {"cutoff": "2031-01-01", "sets": [{"name": "old", "questions": [own]}]})
    judged = done(f"runs/{FIRST}/judging", {"judge": "match"})
    listed = client.get(address(world.corpus, "jobs")).text
    for job, verdict, captions in (
        (judged, "goes by answer match", set()),
        (swept, "wrong", {"Wrong answers to chain questions by setting", "Error rates, 24-64/8, top 10"}),
        (known, "Questions that ask nearly the same as one of old", {"Most like those of old"}),
    ):
        place = address(world.corpus, "jobs", job)
        assert f'href="{place}"' in listed
        html = client.get(place).text
        shown = read_page(html)
        assert verdict in html.partition('<p class="lead">')[2].partition("</p>")[0]
        assert captions <= {one.one("caption").text for one in shown.all("table")}
        assert "<b>" not in html


def test_who_has_no_question_is_offered_some(client: httpx.Client, world: World) -> None:
    asked = re.findall(
        r'<li><a href="[^"]+question=[^"]+">(.+?)</a>', client.get(address(world.corpus, "ask")).text
    )
    listed = client.get(address(world.corpus, "questions", kind="chain")).text
    assert asked
    assert all(one in listed for one in asked)


def test_runs_are_compared_from_the_oldest_to_the_newest(client: httpx.Client, world: World) -> None:
    html = client.get(address(world.corpus, "compare")).text
    assert re.findall(r'<option value="([^"]*)" selected', html) == [FIRST, SECOND]


def test_a_run_s_change_is_the_figure_that_its_comparison_begins_with(
    client: httpx.Client, world: World
) -> None:
    card = re.search(
        r"On chain questions (.+? right answers (?:than|as)) <bdi>(.+?)</bdi>: <a href=\"(.+?)\"",
        client.get(address(world.corpus)).text,
    )
    assert card is not None
    html = client.get(unescape(card[3])).text
    first = html.partition('<p class="lead">')[2].partition("</p>")[0]
    assert re.match(r"On \d+ chain questions?, which the matrix is about, ", first)
    assert f"gives {card[1]} <bdi>{card[2]}</bdi>" in first
    assert " questions of all kinds " in html.partition("</p>")[2]
    # On a phone a row is a card, whose figures say what they are of.
    labels = set(re.findall(r'data-of="([^"]+)"', html))
    assert labels == {column.text for column in read_page(html).one("table").one("thead").all("th")[1:]}


def test_a_second_run_is_offered_by_one_command() -> None:
    html = page("compare.html", "Compare runs", "small", "compare", runs=(), pair=None, of_chains=None).body
    assert another_system("small").endswith("--retriever graph --name graph --corpus small")
    assert another_system("small") in bytes(html).decode()


def test_who_gets_no_answer_is_told_of_no_path_to_it(client: httpx.Client, world: World) -> None:
    asked = address(world.corpus, "ask", question="Zzyzx qwghlm?", retriever="words")
    told = client.get(asked).text
    assert NO_ANSWER in told
    assert "No chain of facts" not in told
    assert "<h2>Path</h2>" not in told


def test_lists_of_entities_say_their_order_and_of_few_answers_counts(
    client: httpx.Client, world: World
) -> None:
    assert "most wrong answers first, over all runs" in client.get(address(world.corpus, "graph")).text
    for view in (address(world.corpus), address(world.corpus, "runs", SECOND)):
        assert worst_order() in client.get(view).text
    question = client.get(address(world.corpus, "questions", world.question)).text
    assert re.search(r"(none|1|both) of its 2 answers (is|are) wrong", question)


def test_files_are_kept_by_browsers_until_they_change(client: httpx.Client) -> None:
    html = client.get("/").text
    style = re.findall(r'href="(/static/page\.css\?v=\w+)"', html)[0]
    first = client.get(style)
    assert first.headers["content-type"].startswith("text/css")
    assert "immutable" in first.headers["cache-control"]
    again = client.get(style, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/page.css").headers["cache-control"] == "no-cache"
    assert client.get("/static/..%2Fpage.py").status_code == 404


def test_the_library_comes_with_its_licence(client: httpx.Client) -> None:
    assert "Cytoscape Consortium" in client.get("/static/cytoscape.LICENSE.txt").text
    assert "SIL Open Font License" in client.get("/static/inter.LICENSE.txt").text
    style = client.get("/static/page.css").text
    (typeface,) = re.findall(r'url\("(/static/inter[^"]+)"\)', style)
    assert client.get(typeface).headers["content-type"] == "font/woff2"


def test_a_refused_value_keeps_the_views_of_the_corpus_at_hand(client: httpx.Client, world: World) -> None:
    for tail in ("questions?hops=x", "runs/no-such"):
        html = client.get(f"{address(world.corpus)}/{tail}").text
        assert f'href="{escape(address(world.corpus, "matrix"))}"' in html
    assert 'aria-label="Views of this corpus"' not in client.get(address("no such corpus")).text


def test_what_an_outside_system_retrieved_elsewhere_is_shown_as_text() -> None:
    answer = Answered(
        run="ours",
        text="Nobody",
        correct=False,
        abstained=False,
        error="",
        judged_by="exact match",
        hops_found=(),
        first_lost=None,
        broken_by="reasoning",
        retrieved=(),
        steps=(),
        unaligned=3,
        unaligned_texts=("A <b>text</b> of elsewhere.",),
    )
    view = QuestionView(
        "q", "null", None, None, "Who?", "", "", None, (), 1, "kept", "", (), (), (), (answer,)
    )
    told = [(answer, *what_came(answer, view.kind))]
    html = bytes(
        page("question.html", "Who?", "c", "questions", view=view, picture=None, told=told).body
    ).decode()
    assert "in no chunk of this corpus: 3 texts" in html
    assert "A &lt;b&gt;text&lt;/b&gt; of elsewhere." in html
    # A null question has no evidence, so that none of it can have been there.
    assert "It broke in reasoning" not in html
