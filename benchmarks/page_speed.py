"""How fast and how still the views of the page are, and what axe objects to in them, in Chromium.

    kg serve --no-token &
    python -m benchmarks.page_speed [--corpus ormelund] [--run NAME] [--address URL] [--visits 5]
        [--views NAME,...]

Every view is opened in each width of window, once to warm it and then `--visits` times. Told are, for each
and in a last line for all, the slowest first paint (from the click on, the answer included), the 95th
percentile of the times to the end of an answer, the largest sum of layout shifts (0: nothing moves while a
page loads), the height in windows, and how many rules of axe are broken. Ends with 1 where a limit is passed.
Needs Chromium on the path, and an idle machine.
"""

import argparse
import os
import shutil
import sys

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from benchmarks.pages import markdown_table
from services.web.pages.parameters import address

PAINT_MILLISECONDS, ANSWER_MILLISECONDS = 300.0, 300.0
LIMITS = {
    "slowest first paint": f" (at most {PAINT_MILLISECONDS:.0f} ms)",
    "95th percentile of answers": f" (at most {ANSWER_MILLISECONDS:.0f} ms)",
    "layout shift": " (0)",
    "windows high": "",
    "rules of axe broken": " (0)",
}
SIZES = (ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844))
_WATCH = """window.shifts = 0;
new PerformanceObserver(list => list.getEntries().forEach(one => { window.shifts += one.value; }))
  .observe({type: "layout-shift", buffered: true});"""
_TOLD = """() => { const page = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [page.responseEnd - page.requestStart, paint ? paint.startTime : 0, window.shifts,
          document.documentElement.scrollHeight / window.innerHeight]; }"""
_SETTLED_MILLISECONDS, _PATIENCE_MILLISECONDS = 300, 600_000


def main() -> None:
    """Visit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="ormelund")
    parser.add_argument("--run", default="single-step")
    parser.add_argument("--address", default="http://127.0.0.1:8700")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--views", type=lambda text: set(text.split(",")), help="these alone, such as home")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        first = browser.new_page(base_url=given.address)
        views = _views(first, given.corpus, given.run)
        visited = dict[tuple[str, str], tuple[np.ndarray, int]]()
        for name, where in views.items():
            if given.views and name not in given.views:
                continue
            for size in SIZES:
                told = _visit(browser, given.address, where, size, given.visits)
                visited[name, f"{size['width']}"] = told
                print(name, size["width"], *_figures(*told), file=sys.stderr)
        browser.close()
    told = np.concatenate([one for one, _ in visited.values()]), sum(broken for _, broken in visited.values())
    visited["all", "both"] = told
    columns = ("view", "width", *(f"{name}{limit}" for name, limit in LIMITS.items()))
    print(markdown_table(columns, [(*of, *_figures(*one)) for of, one in visited.items()]))
    print(f"\n{len(told[0])} answers; load average {os.getloadavg()[0]:.1f}")
    paint, answer, shifts, _ = _summary(told[0])
    passed = paint > PAINT_MILLISECONDS or answer > ANSWER_MILLISECONDS or shifts > 0 or told[1] > 0
    sys.exit(int(passed))


def _summary(told: np.ndarray) -> tuple[float, float, float, float]:
    """Of visits: slowest first paint, 95th percentile of answers, largest layout shift, most windows."""
    answers, paints, shifts, windows = told.T
    return paints.max(), float(np.percentile(answers, 95)), shifts.max(), windows.max()


def _figures(told: np.ndarray, broken: int) -> tuple[str, ...]:
    paint, answer, shifts, windows = _summary(told)
    return f"{paint:.0f} ms", f"{answer:.0f} ms", f"{shifts:.4f}", f"{windows:.1f}", f"{broken}"


def _views(tab: Page, corpus: str, run: str) -> dict[str, str]:
    """Every view of a corpus; of questions, entities and articles the first that the lists lead to."""

    def first_link(view: str, part: str) -> str:
        tab.goto(view)
        link = tab.locator(f"main a[href*='/{part}/']").first
        return str(link.get_attribute("href"))

    question = first_link(address(corpus, "questions", kind="chain", hops=4), "questions")
    entity = first_link(address(corpus, "entities"), "entities")
    parts = ("matrix", "questions", "graph", "paths", "entities", "runs", "compare", "standards", "ask")
    return {
        "home": address(),
        "overview": address(corpus),
        "statistics": address(corpus, "statistics"),
        **{part: address(corpus, part) for part in parts},
        "question": question,
        "entity": entity,
        "article": first_link(entity, "articles"),
        "explored graph": address(corpus, "graph", open=entity.rsplit("/", 1)[1]),
        "run": address(corpus, "runs", run),
        "hop by hop": address(corpus, "runs", run, "hops"),
    }


def _visit(
    browser: Browser, base: str, where: str, size: ViewportSize, visits: int
) -> tuple[np.ndarray, int]:
    """A row a visit: milliseconds to the answer and to the first paint, shifts, windows high; axe's rules."""
    context = browser.new_context(base_url=base, viewport=size)
    context.set_default_timeout(_PATIENCE_MILLISECONDS)
    tab = context.new_page()
    tab.add_init_script(_WATCH)
    told = []
    for _ in range(visits + 1):
        tab.goto(where)
        tab.wait_for_load_state("networkidle")
        tab.wait_for_timeout(_SETTLED_MILLISECONDS)
        told.append(tab.evaluate(_TOLD))
    broken = len(Axe().run(tab).response["violations"])
    context.close()
    return np.array(told[1:]), broken


if __name__ == "__main__":
    main()
