"""Every view in a real Chromium: nothing that axe objects to, nothing refused, nothing run that is data."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from benchmarks.job import KG
from kg.progress import Silent
from kg.server.configuration import guide_url, is_served
from kg.stages.vectors import embed_for_search
from kg.store.graph import Graph
from services.web.pages.parameters import address
from tests.conftest import ServerAddress
from tests.docs.markdown import typed
from tests.graph_reading import read, value
from tests.representatives import representatives
from tests.services.web.pages.conftest import FIRST, HOSTILE_TITLE, SECOND, GuardedServer, World
from tests.small_world import CHAIN, tools

PATIENCE_MILLISECONDS = 600_000
DESKTOP = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=360, height=740)
VIEWS = tuple(World("c", "q", "e", "a").views())


# The browser is one module's own: while Playwright is at work, this thread has an event loop that runs, and
# no test of another module could start one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no browser on this machine: none of {', '.join(names)} is on the path")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found)
        yield started
        started.close()


@pytest.fixture
def tab(browser: Browser, page_server: str, world: World) -> Iterator[Page]:
    context = browser.new_context(base_url=page_server, viewport=DESKTOP, color_scheme="light")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context.new_page()
    context.close()


def violations(tab: Page) -> list[tuple[str, list[str]]]:
    found = Axe().run(tab).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def test_figures_of_the_graph_are_seen_whole_on_a_desktop(tab: Page, world: World) -> None:
    tab.goto(world.views()["graph in figures"])
    widths = "tables => tables.map(one => [one.parentElement.scrollWidth, one.parentElement.clientWidth])"
    found = tab.eval_on_selector_all("main table", widths)
    assert found
    assert [(needed, shown) for needed, shown in found if needed > shown] == []


@pytest.mark.parametrize("name", representatives(VIEWS, "question", "explored graph"))
def test_a_view_is_sound_on_a_desktop_by_day_and_on_a_phone_at_night(
    tab: Page, world: World, name: str
) -> None:
    refused: list[str] = []
    tab.on("pageerror", lambda error: refused.append(str(error)))
    tab.on("console", lambda told: refused.append(told.text) if told.type == "error" else None)
    answer = tab.goto(world.views()[name])
    if tab.locator(".graph").count():
        tab.locator(".graph[data-drawn]").wait_for()
    assert answer is not None
    assert answer.status == (404 if name == "not found" else 200)
    assert tab.locator("h1").count() == 1
    assert violations(tab) == []
    tab.set_viewport_size(PHONE)
    tab.emulate_media(color_scheme="dark")
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert tab.title() != "owned"
    assert [line for line in refused if "404" not in line] == []


@pytest.mark.campaign
@pytest.mark.parametrize(
    "name", representatives(["question", "entity", "around one", "between two"], "between two")
)
def test_a_graph_is_drawn_whole(tab: Page, world: World, name: str) -> None:
    tab.goto(world.views()[name])
    drawn = tab.locator(".graph[data-drawn]")
    drawn.wait_for()
    expected = tab.evaluate(
        "JSON.parse(document.querySelector('.graph').dataset.graph)"
        " && Object.values(JSON.parse(document.querySelector('.graph').dataset.graph)).flat().length"
    )
    assert int(drawn.get_attribute("data-drawn") or 0) == expected >= 3


@pytest.mark.campaign
def test_an_edge_tells_its_claim(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "paths", from_=CHAIN[0], to=CHAIN[1]))
    graph = tab.locator(".graph[data-drawn]")
    graph.wait_for()
    middle = graph.evaluate("graph => graph._cyreg.cy.edges()[0].renderedMidpoint()")
    graph.click(position=middle)
    told = tab.locator("[data-graph-told]")
    told.locator("q").wait_for()
    assert told.locator("q").inner_text() == "Mira Tolland plays for the Ostby Rovers."
    assert HOSTILE_TITLE in told.inner_text()


def labels(tab: Page, of: str) -> list[str]:
    """What the graph to explore shows: `nodes()`, `edges()` or a part of them."""
    found = tab.locator(".graph").evaluate(
        f"graph => graph._cyreg.cy.{of}.map(one => one.data('label')).sort()"
    )
    return list(found)


def tap(tab: Page, name: str) -> None:
    """Click on an entity of the graph where it is drawn."""
    place = tab.locator(".graph").evaluate(
        "(graph, name) => graph._cyreg.cy.nodes().filter(node => node.data('label') === name)[0]"
        ".renderedPosition()",
        name,
    )
    tab.locator(".graph").click(position=place)


def test_a_graph_is_explored_from_a_name_to_a_path(tab: Page, world: World) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto(address(world.corpus, "graph"))
    tab.get_by_label("Entity").fill("ostby rovers")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**open=**")
    tab.locator(".graph[data-drawn]").wait_for()
    assert labels(tab, "nodes()") == sorted(CHAIN[:3])
    tap(tab, "Halden Shipping")
    tab.get_by_role("heading", name="Halden Shipping").wait_for()
    drawn = labels(tab, "nodes()")
    assert {*CHAIN[:3], "Greta Lindqvist"} <= {*drawn}
    # By keyboard: the list beside the drawing leads on, and keeps the focus.
    step = tab.get_by_role("button", name="Mira Tolland")
    tap(tab, "Ostby Rovers")
    step.focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("heading", name="Mira Tolland").wait_for()
    assert tab.evaluate("document.activeElement.textContent") == "Mira Tolland"
    tab.get_by_role("button", name="Path from here").click()
    tap(tab, "Greta Lindqvist")
    tab.get_by_role("heading", name="Greta Lindqvist").wait_for()
    tab.get_by_role("button", name="Path to here").click()
    # The last of its facts stands in two articles.
    way = tab.locator("[data-told] .next").filter(has_text="3 hops, 2 shortest paths.")
    way.wait_for()
    assert len(labels(tab, "edges('[?way]')")) == 3
    # Back undoes a click, forward does it again.
    joined = labels(tab, "elements()")
    tab.go_back()
    tab.get_by_text("pick the other end").wait_for()
    assert labels(tab, "edges('[?way]')") == []
    tab.go_forward()
    way.wait_for()
    assert labels(tab, "elements()") == joined
    # The address holds all of it.
    before = labels(tab, "elements()")
    tab.reload()
    way.wait_for()
    assert labels(tab, "elements()") == before
    tab.get_by_text("The same in Neo4j Browser").click()
    tab.get_by_role("button", name="Copy the query").click()
    tab.get_by_text("Copied.").wait_for()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert world.entity in copied
    assert copied.startswith("CYPHER 25")
    # A kind of edge less acts at once.
    assert "never worked for" in " ".join(before)
    tab.get_by_label("facts in no path").uncheck()
    tab.wait_for_url("**kind=paths**")
    tab.locator(".graph[data-drawn]").wait_for()
    assert "never worked for" not in " ".join(labels(tab, "edges()"))
    assert violations(tab) == []


@pytest.mark.campaign
@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_names_and_edges_of_the_graph_are_read_whole(tab: Page, world: World, window: ViewportSize) -> None:
    tab.set_viewport_size(window)
    tab.goto(address(world.corpus, "graph", open=world.entity))
    tab.locator(".graph[data-drawn]").wait_for()
    boxes = tab.locator(".graph").evaluate(
        "graph => graph._cyreg.cy.nodes().map(one => one.renderedBoundingBox({includeEdges: false}))"
    )
    width, height = tab.locator(".graph").evaluate("graph => [graph.clientWidth, graph.clientHeight]")
    assert len(boxes) >= 3
    for number, one in enumerate(boxes):
        assert one["x1"] >= 0 and one["y1"] >= 0 and one["x2"] <= width and one["y2"] <= height
        for other in boxes[number + 1 :]:
            across = min(one["x2"], other["x2"]) - max(one["x1"], other["x1"])
            down = min(one["y2"], other["y2"]) - max(one["y1"], other["y1"])
            assert across <= 0 or down <= 0
    shown = tab.locator(".graph").evaluate(
        "graph => graph._cyreg.cy.edges().map(one => one.pstyle('label').value)"
    )
    assert all(shown)


@pytest.mark.campaign
def test_a_phone_shows_rows_of_wide_tables_whole(tab: Page, world: World) -> None:
    tab.set_viewport_size(PHONE)
    for view in (address(world.corpus, "runs"), address(world.corpus, "compare")):
        tab.goto(view)
        needed, shown = tab.locator("table.stacked").evaluate(
            "one => [one.parentElement.scrollWidth, one.parentElement.clientWidth]"
        )
        assert needed <= shown


def test_back_on_the_graph_undoes_one_click(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "graph", open=world.entity))
    drawn = tab.locator(".graph[data-drawn]")
    drawn.wait_for()
    seen = [labels(tab, "elements()")]
    for name in (CHAIN[1], CHAIN[0]):
        tap(tab, name)
        tab.get_by_role("heading", name=name).wait_for()
        seen.append(labels(tab, "elements()"))
    assert len(seen[0]) < len(seen[1])
    for name, expected in ((CHAIN[1], seen[1]), (CHAIN[2], seen[0])):
        tab.go_back()
        tab.get_by_role("heading", name=name).wait_for()
        assert labels(tab, "elements()") == expected
    # Of an address that was loaded anew too, although this page never saw the click before.
    for _ in range(2):
        tab.go_forward()
    tab.get_by_role("heading", name=CHAIN[0]).wait_for()
    tab.reload()
    tab.get_by_role("heading", name=CHAIN[0]).wait_for()
    tab.go_back()
    tab.get_by_role("heading", name=CHAIN[1]).wait_for()
    drawn.wait_for()
    assert labels(tab, "elements()") == seen[1]


@pytest.mark.campaign
def test_a_cell_leads_to_its_questions(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "matrix", run=FIRST))
    cell = tab.locator("table.matrix tbody td a").first
    answers = int(cell.locator("small").first.inner_text().split(" of ")[1])
    cell.click()
    tab.locator("#question-rows").wait_for()
    assert tab.locator("#question-rows").inner_text().startswith(f"{answers} question")
    assert tab.locator("table.list tbody tr").count() == answers


@pytest.mark.campaign
def test_two_runs_are_chosen_by_the_form(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "matrix"))
    assert tab.get_by_role("button", name="Show").count() == 0
    tab.get_by_label("beside").select_option(FIRST)
    tab.wait_for_url("**with=**")
    captions = tab.locator("table.matrix caption").all_inner_texts()
    assert captions == [
        f"Error rates of {SECOND}",
        f"Error rates of {FIRST}",
        f"Error rate of {FIRST} less that of {SECOND}",
    ]


@pytest.mark.campaign
def test_a_question_opens_beside_the_grid_and_closes_again(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "questions", kind="chain"))
    tab.wait_for_load_state("networkidle")
    link = tab.locator("a[data-panel]").first
    asked = link.inner_text()
    link.click()
    panel = tab.locator("aside.panel")
    panel.locator(".graph[data-drawn]").wait_for()
    assert panel.locator("h2").first.inner_text() == asked
    assert "/questions?" in tab.url
    assert violations(tab) == []
    assert link.evaluate("link => link.closest('tr').classList.contains('chosen')")
    # Step by step through the list, the first has none before it.
    assert panel.get_by_role("button", name="Previous").is_disabled()
    second = tab.locator("a[data-panel]").nth(1)
    panel.get_by_role("button", name="Next").click()
    panel.get_by_role("heading", name=second.inner_text()).wait_for()
    assert tab.locator("tr.chosen").count() == 1
    assert panel.get_by_role("button", name="Next").evaluate("one => one === document.activeElement")
    tab.keyboard.press("Escape")
    panel.wait_for(state="detached")
    assert second.evaluate("link => link === document.activeElement")
    assert tab.locator("tr.chosen").count() == 0


def test_the_address_names_the_question_that_is_open_and_back_closes_it(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus))
    tab.goto(address(world.corpus, "questions", kind="chain"))
    tab.wait_for_load_state("networkidle")
    listed = tab.url
    first, second = (tab.locator("a[data-panel]").nth(number) for number in range(2))
    panel = tab.locator("aside.panel")
    first.click()
    panel.get_by_role("heading", name=first.inner_text()).wait_for()
    panel.get_by_role("button", name="Next").click()
    panel.get_by_role("heading", name=second.inner_text()).wait_for()
    opened = tab.url
    tab.go_back()
    panel.wait_for(state="detached")
    assert tab.url == listed
    tab.go_forward()
    panel.get_by_role("heading", name=second.inner_text()).wait_for()
    panel.get_by_role("button", name="Close").click()
    panel.wait_for(state="detached")
    assert tab.url == listed
    # Sent to somebody, it opens what is open here; closed there, it is the list.
    tab.goto(address())
    tab.goto(opened)
    panel.get_by_role("heading", name=second.inner_text()).wait_for()
    tab.keyboard.press("Escape")
    panel.wait_for(state="detached")
    assert tab.url == listed
    # Also where the list does not show it.
    tab.goto(opened.replace("kind=chain", "kind=null"))
    panel.locator(".graph[data-drawn]").wait_for()
    tab.set_viewport_size(PHONE)
    tab.goto(opened)
    tab.wait_for_url(lambda url: "/questions/" in url)
    assert panel.count() == 0


@pytest.mark.campaign
def test_a_phone_s_first_window_holds_questions_and_a_desktop_s_the_whole_graph(
    tab: Page, world: World
) -> None:
    low = ViewportSize(width=1280, height=800)
    tab.set_viewport_size(low)
    tab.goto(world.views()["explored graph"])
    tab.locator(".graph[data-drawn]").wait_for()
    tools = tab.locator(".graph-tools").bounding_box()
    assert tools is not None
    assert tools["y"] + tools["height"] <= low["height"]
    tab.set_viewport_size(PHONE)
    tab.goto(address(world.corpus, "questions"))
    row = tab.locator(".grid-table tbody tr").first.bounding_box()
    assert row is not None
    assert row["y"] + row["height"] <= PHONE["height"]
    # Every filter is in it too, and the views of the corpus are one row with the chosen one in sight.
    filters = [one.bounding_box() for one in tab.locator("form.filters label").all()]
    assert len(filters) == 8
    for box in filters:
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
        assert box["y"] + box["height"] <= row["y"]
    tab.goto(address(world.corpus, "ask"))
    views = tab.locator(".sections a")
    assert len({box["y"] for one in views.all() if (box := one.bounding_box())}) == 1
    here = tab.locator(".sections [aria-current]").bounding_box()
    assert here is not None
    assert here["x"] + here["width"] <= PHONE["width"]
    # So is the chosen outcome seen, although its row is pushed sideways.
    tab.goto(address(world.corpus, "questions", run=SECOND, with_=FIRST, outcome="differs"))
    chosen = tab.locator(".modes [aria-current]").bounding_box()
    assert chosen is not None
    assert chosen["x"] >= 0 and chosen["x"] + chosen["width"] <= PHONE["width"]


@pytest.mark.campaign
def test_filters_act_at_once_and_stand_in_the_address(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "questions"))
    tab.get_by_label("Hops").select_option("2")
    tab.wait_for_url("**hops=2**")
    tab.get_by_role("link", name="Remove the filter 2 hops").click()
    tab.wait_for_url(lambda url: "hops" not in url)


@pytest.mark.campaign
def test_the_switch_holds_on_the_next_page(tab: Page, world: World) -> None:
    def paper() -> str:
        return str(tab.evaluate("getComputedStyle(document.body).backgroundColor"))

    tab.goto(address(world.corpus))
    by_day = paper()
    tab.get_by_role("button", name="Dark").click()
    at_night = paper()
    tab.goto(address(world.corpus, "questions"))
    assert at_night != by_day
    assert paper() == at_night
    tab.get_by_role("button", name="Light").click()
    assert paper() == by_day


@pytest.fixture
def opened_link(server_address: ServerAddress, tmp_path: Path) -> Iterator[str]:
    """What `kg serve`, as README says to type it, prints to open."""
    environment = {
        **os.environ,
        **server_address.environment(),
        "HOPGRADE_HOME": str(tmp_path),
        "BROWSER": "true",
    }
    words = typed("follow hop paths in Neo4j Browser", {})
    with subprocess.Popen(
        [*KG, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield next(line for line in process.stdout if "/login?" in line).split()[-1]
        process.terminate()


@pytest.fixture
def neo4j_browser(graph: Graph) -> str:
    """The address of Neo4j Browser with our guide in it."""
    settings = "SHOW SETTINGS YIELD name, value WHERE name = 'server.http.advertised_address' RETURN value"
    found = f"http://{value(graph, settings)}/browser/"
    if not is_served(guide_url(found)):
        pytest.skip("the session's server is not a managed one, so its Browser has no guide")
    return found


def test_an_analyst_goes_from_the_verdict_to_a_hop_path_in_neo4j_browser(
    browser: Browser,
    opened_link: str,
    neo4j_browser: str,
    graph: Graph,
    server_address: ServerAddress,
    world: World,
) -> None:
    embed_for_search(graph, world.corpus, ["facts"], tools().embedder, Silent())
    context = browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    tab = context.new_page()
    tab.goto(opened_link)
    tab.get_by_role("link", name=world.corpus).click()
    tab.get_by_role("heading", name=f"Where {SECOND} fails").wait_for()
    assert tab.locator(".verdict .lead").inner_text().startswith(f"{SECOND} is wrong on")
    cell = tab.locator("table.matrix tbody td a", has_text="100%").first
    cell.click()
    # Before its scripts have run a link leads to the page itself.
    tab.wait_for_load_state("networkidle")
    tab.locator("a[data-panel]").first.click()
    broken = tab.locator("aside.panel")
    broken.locator(".graph[data-drawn]").wait_for()
    assert "wrong" in broken.inner_text()
    # The way of docs/browser.md, with the path that the analyst chooses.
    tab.goto(neo4j_browser)
    tab.get_by_test_id("username").fill(server_address.username)
    tab.locator("input[type=password]").fill(server_address.password)
    tab.get_by_role("button", name="Connect", exact=True).click()
    frames = tab.get_by_test_id("frame")
    guide = frames.filter(has_text="hopgrade/guide.html")
    guide.get_by_text("The graph behind the questions").wait_for()
    guide.get_by_title("Pin at top").click()
    for _ in range(3):
        guide.get_by_test_id("nextSlide").click()
    guide.get_by_role("heading", name="3. A path of four hops").wait_for()
    shown = guide.locator("pre.runnable").first.inner_text().splitlines()
    instead = next(
        index for index, line in enumerate(shown) if line.startswith("// Instead of the two lines")
    )
    (path,) = read(
        graph, "MATCH (p:Path {corpus: $corpus, hops: 4}) RETURN p.id AS id LIMIT 1", corpus=world.corpus
    )
    own = shown[instead].partition(": ")[2].replace("an id from kg graph paths list", path["id"])
    guide.locator("pre.runnable").first.click()
    editor = tab.get_by_test_id("activeEditor").locator("textarea").first
    editor.focus()
    tab.keyboard.press("ControlOrMeta+A")
    tab.keyboard.insert_text("\n".join([*shown[: instead - 2], own, *shown[instead + 1 :]]))
    tab.get_by_test_id("editor-Run").click()
    edges = tab.locator("svg g.relationship")
    edges.nth(3).wait_for(state="attached")
    # The guide stays on top, and the picture is the path: no edge that joins its nodes besides.
    assert "guide.html" in frames.first.inner_text()
    assert (edges.count(), tab.locator("svg g.node").count()) == (4, 5)
    # The picture comes to rest after it is drawn, so a click may miss its edge.
    properties = tab.get_by_text("Relationship properties")
    while not properties.count():
        edges.first.locator("path.overlay").click(force=True)
        tab.wait_for_timeout(200)
    tab.get_by_text(re.compile(r"^claim-[0-9a-f]{24}$")).first.wait_for()
    # What is read is there, the vector of the fact is not.
    panel = tab.get_by_test_id("viz-details-pane-properties-table").first
    assert "predicate" in panel.inner_text()
    assert "embedding" not in panel.inner_text()
    assert "embedding" in (panel.text_content() or "")
    context.close()


def test_the_keyboard_skips_to_the_content(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus))
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"


@pytest.mark.campaign
def test_names_are_suggested_while_one_is_typed(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "paths"))
    tab.get_by_label("From").press_sequentially("hald")
    tab.locator("#suggested option").first.wait_for(state="attached")
    assert "Halden Shipping" in tab.evaluate(
        "[...document.querySelectorAll('#suggested option')].map(one => one.value)"
    )


@pytest.mark.campaign
def test_a_title_that_is_a_script_is_shown_as_text(tab: Page, world: World) -> None:
    tab.goto(address(world.corpus, "articles", world.article))
    assert tab.locator("h1").inner_text().startswith(HOSTILE_TITLE)
    assert tab.title().startswith(HOSTILE_TITLE)


@pytest.mark.campaign
def test_the_link_logs_a_browser_in_once_and_another_site_gets_nothing_from_its_cookie(
    browser: Browser, guarded_server: GuardedServer
) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    tab = context.new_page()
    tab.goto(f"{guarded_server.address}{guarded_server.access.login.link}")
    assert tab.url == f"{guarded_server.address}/"
    assert tab.locator("h1").inner_text() != "Log in"
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert tab.evaluate("document.cookie") == ""
    assert tab.evaluate("fetch('/api/corpora').then(answer => answer.status)") == 200
    assert tab.evaluate("fetch('/api/jobs/none', {method: 'DELETE'}).then(answer => answer.status)") == 404
    # Another site: of another name, which the cookie does not go to or from.
    tab.goto(guarded_server.address.replace("127.0.0.1", "localhost") + "/login")
    stolen = "url => fetch(url, {credentials: 'include'}).then(() => 'read', () => 'refused')"
    assert tab.evaluate(stolen, f"{guarded_server.address}/api/corpora") == "refused"
    context.close()


@pytest.mark.campaign
def test_the_form_logs_a_browser_in(browser: Browser, guarded_server: GuardedServer) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    tab = context.new_page()
    refused = tab.goto(f"{guarded_server.address}/")
    assert refused is not None
    assert refused.status == 401
    assert violations(tab) == []
    tab.goto(f"{guarded_server.address}/?from=a%2Fb")
    tab.get_by_label("Token").fill(guarded_server.access.token or "")
    tab.get_by_role("button", name="Log in").click()
    tab.wait_for_url(f"{guarded_server.address}/?from=a%2Fb")
    assert tab.locator("h1").inner_text() != "Log in"
    context.close()
