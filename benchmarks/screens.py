"""The pictures of docs/tour.md and README, taken from the page that `kg serve` shows.

    kg run start single-step --retriever graph --name graph --corpus ormelund      # a second run, to compare
    kg serve --token-file FILE &
    python -m benchmarks.screens --token-file FILE [--corpus ormelund] [--only NAME,...]
        [--address http://127.0.0.1:8700]

Needs Chromium on the path. Writes docs/pictures/NAME.png; with the same corpus and runs the same pictures.
With "overview" it writes beside them, into SHOWN, over how many chain questions its verdict is: a test
compares that with the tutorial, whose figures are of the same demo.
"""

import argparse
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from services.web.pages.parameters import address

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SHOWN = PICTURES / "shown.json"
SIZE = ViewportSize(width=1280, height=800)
SETTLED_MILLISECONDS = 600


def main() -> None:
    """Log in and take them all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--token-file", type=Path, required=True)
    parser.add_argument("--corpus", default="ormelund")
    parser.add_argument("--run", default="graph")
    parser.add_argument("--baseline", default="single-step")
    parser.add_argument("--only", type=lambda text: set(text.split(",")))
    parser.add_argument("--address", default="http://127.0.0.1:8700")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    both = {"run": given.run, "with_": given.baseline}
    grid = address(given.corpus, "questions", kind="chain", hops=3, outcome="differs", **both)
    views: dict[str, tuple[str, Callable[[Page], None]]] = {
        "overview": (address(given.corpus), _as_it_is),
        "grid": (grid, _as_it_is),
        "question": (grid, _open_panel),
        "compare": (address(given.corpus, "compare", run=given.baseline, with_=given.run), _as_it_is),
        "graph": (address(given.corpus, "graph", text="Kesterholm"), _as_it_is),
        "entities": (address(given.corpus, "paths", from_="Cardivane"), _as_it_is),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        tab = browser.new_context(viewport=SIZE, color_scheme="light", base_url=given.address).new_page()
        tab.goto("/")
        tab.get_by_label("Token").fill(given.token_file.read_text(encoding="utf-8").strip())
        tab.get_by_role("button", name="Log in").click()
        tab.wait_for_load_state("networkidle")
        for name, (where, then) in views.items():
            if given.only and name not in given.only:
                continue
            tab.goto(where)
            tab.wait_for_load_state("networkidle")
            then(tab)
            tab.wait_for_timeout(SETTLED_MILLISECONDS)
            tab.screenshot(path=PICTURES / f"{name}.png")
            print(PICTURES / f"{name}.png")
            if name == "overview":
                SHOWN.write_text(
                    json.dumps({"chain questions": _chain_questions(tab)}) + "\n", encoding="utf-8"
                )
        browser.close()


def _chain_questions(tab: Page) -> int:
    """Over how many chain questions the verdict of an overview is."""
    found = re.search(r"([\d,]+) chain questions", tab.locator("main").inner_text())
    if found is None:
        raise SystemExit("The overview says of no number of chain questions how many were answered wrongly.")
    return int(found[1].replace(",", ""))


def _as_it_is(_: Page) -> None:
    return


def _open_panel(tab: Page) -> None:
    tab.locator("a[data-panel]").first.click()
    tab.locator("aside.panel .graph[data-drawn]").wait_for()


if __name__ == "__main__":
    main()
