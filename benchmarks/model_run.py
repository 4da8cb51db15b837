"""The whole path with a language model: recorded, replayed, read by eye, and its tables.

    python -m benchmarks.model_run record MANIFEST --upstream http://127.0.0.1:8000/v1
    python -m benchmarks.model_run replay MANIFEST [--write] [--forget] [--home FOLDER]
    python -m benchmarks.model_run sheets MANIFEST [--seed 1]
    python -m benchmarks.model_run tables [FOLDER...] [--write]

A manifest, such as tests/data/model_replies/NAME.yaml, names a recording, its articles and the commands that
it answers; `tests/model_path.py` says how. `record` takes these commands to a real endpoint and writes the
recording (what is there is added to). `replay` takes them with no model, tells which requests were never
recorded, and with --write writes what came out to the file that the manifest names. It works in a home of
its own, as what a request took before is remembered in a home and changes estimates; with --home in this new
folder, which stays. With --forget, answers that were not needed are left out of the manifest's first
recording. `sheets` draws, from the graph of HOPGRADE_HOME that such a replay left, what two readers are to
label, into the folder of the results. `tables` needs neither graph nor model:
it prints Markdown from results and labels, and with --write puts it into docs/evaluation/model.md, between
the lines that name the folder.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import httpx

from benchmarks.model_results import Json, differences, results
from benchmarks.model_sheets import write_sheets
from benchmarks.model_tables import tables, written_into
from kg.connect import open_graph
from kg.progress import Silent
from kg.server import stop
from kg.settings import Settings
from tests.model_path import (
    ROOT,
    Manifest,
    environment,
    missing_text,
    open_replay,
    outdated_text,
    read_manifest,
    run_commands,
    unpacked_articles,
)
from tests.recorded_replies import forget_unused

PAGE = ROOT / "docs" / "evaluation" / "model.md"
RUNS = ROOT / "docs" / "evaluation" / "model"
PORT = 11_998
PATIENCE_SECONDS = 30.0


def main() -> int:
    """Do one of the four."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(dest="what", required=True)
    record = what.add_parser("record")
    record.add_argument("manifest", type=Path)
    record.add_argument("--upstream", required=True)
    replay = what.add_parser("replay")
    replay.add_argument("manifest", type=Path)
    replay.add_argument("--write", action="store_true")
    replay.add_argument("--forget", action="store_true")
    replay.add_argument("--home", type=Path)
    sheets = what.add_parser("sheets")
    sheets.add_argument("manifest", type=Path)
    sheets.add_argument("--seed", type=int, default=1)
    printed = what.add_parser("tables")
    printed.add_argument("folders", type=Path, nargs="*")
    printed.add_argument("--write", action="store_true")
    given = parser.parse_args()
    match given.what:
        case "record":
            record_path(read_manifest(given.manifest), given.upstream)
            return 0
        case "replay":
            with _new_home(given.home):
                return replay_path(read_manifest(given.manifest), write=given.write, forget=given.forget)
        case "sheets":
            manifest = read_manifest(given.manifest)
            with open_graph(Settings(), Silent()) as graph:
                drawn = write_sheets(graph, manifest, manifest.results.parent, given.seed)
            print(f"{manifest.results.parent}: {', '.join(f'{name} {n}' for name, n in drawn.items())}")
            return 0
    print_tables(given.folders or sorted(path.parent for path in RUNS.glob("*/results.json")), given.write)
    return 0


def record_path(manifest: Manifest, upstream: str) -> None:
    """Take the commands to a real endpoint, through a recorder that writes the manifest's first recording."""
    url = f"http://127.0.0.1:{PORT}/v1"
    words = ["record", "--upstream", upstream, "--out", str(manifest.replies[0]), "--port", str(PORT)]
    words += ["--others", *map(str, manifest.replies[1:])]
    with tempfile.TemporaryDirectory() as folder:
        process = Popen([sys.executable, "-m", "tests.recorded_replies", *words], cwd=ROOT)
        try:
            _await(url)
            with environment({"OPENAI_BASE_URL": url, "HOPGRADE_PREFLIGHT": "false", **manifest.settings}):
                run_commands(manifest, unpacked_articles(manifest, Path(folder)))
        finally:
            process.terminate()
            process.wait()


def _await(url: str) -> None:
    """Wait until the recorder answers, whatever it answers."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            httpx.get(f"{url}/models", timeout=PATIENCE_SECONDS)
        except httpx.ConnectError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


@contextmanager
def _new_home(folder: Path | None) -> Iterator[None]:
    """A HOPGRADE_HOME in which nothing was done: this folder, which stays, or one that goes."""
    if folder is not None and folder.exists():
        raise SystemExit(f"{folder} is there already; name a folder that isn't.")
    with tempfile.TemporaryDirectory(prefix="hopgrade-replay-") as passing:
        home = folder or Path(passing) / "home"
        home.mkdir(parents=True)
        with environment({"HOPGRADE_HOME": str(home)}):
            try:
                yield
            finally:
                stop(Settings())


def replay_path(manifest: Manifest, *, write: bool, forget: bool) -> int:
    """Take the commands with the recording; 1 where an answer was missing or something else came out."""
    with tempfile.TemporaryDirectory() as folder, open_replay(manifest, Path(folder)) as replay:
        started = time.monotonic()
        replay.run()
        seconds = time.monotonic() - started
        with open_graph(Settings(), Silent()) as graph:
            found = results(graph, replay)
    unused = len(replay.replies.by_place) - len(replay.replies.used)
    print(f"{manifest.name}: {replay.requests} requests in {seconds:.0f} s, {unused} answers were not needed")
    for text in (outdated_text(manifest), missing_text(manifest, replay.replies)):
        if text:
            print(text)
    if forget and not replay.replies.missing:
        print(f"{forget_unused(replay.replies, *manifest.replies)} answers are forgotten")
    if write:
        _write(manifest.results, found)
        print(f"written: {manifest.results.relative_to(ROOT)}")
        return int(bool(replay.replies.missing))
    recorded = json.loads(manifest.results.read_text(encoding="utf-8")) if manifest.results.exists() else {}
    told = differences(recorded, found)
    print("\n".join(told) if told else f"as {manifest.results.relative_to(ROOT)} has it")
    return int(bool(told or replay.replies.missing))


def _write(path: Path, found: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def print_tables(folders: list[Path], write: bool) -> None:
    """Print the tables of some folders, or put them into the page."""
    for folder in folders:
        text = tables(folder)
        if write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(written_into(page, folder.name, text), encoding="utf-8")
        else:
            print(text)


if __name__ == "__main__":
    sys.exit(main())
