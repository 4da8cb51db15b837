"""The whole way from articles to judged answers, replayed from what a model once answered.

Beside each recording in tests/data/model_replies lies a manifest, NAME.yaml:

    replies: [NAME.jsonl.gz]               # what was recorded; several files are read as one
    articles: NAME_articles.jsonl.gz
    results: docs/evaluation/model/first/results.json    # what came out, from the root of the repository
    corpus: news                           # the name that it was recorded under: draws hang on it
    settings: {HOPGRADE_MODEL: relay}      # environment variables
    commands:                              # of `kg`, in order; ARTICLES stands for the file
      - corpus ingest ARTICLES --corpus news --extractor model
    campaign: true                         # replayed by `make campaign` only; without it also by `make test`
"""

import gzip
import io
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from cli.main import main as kg_main
from tests.recorded_replies import FOLDER, Replies, outdated, read_replies, replaying_endpoint
from tests.scripted_endpoint import Endpoint

ROOT = Path(__file__).resolve().parents[1]
ARTICLES = "ARTICLES"
PAID = (
    ("corpus", "build"),
    ("questions", "make"),
    ("questions", "compose"),
    ("run", "start"),
    ("run", "judge"),
)
"""Commands that ask models, and say before what they would take."""
SHOWN = 3
FACTOR = 1.5
"""How far a dry run may be from what its command takes, up or down, in requests, tokens in and tokens out."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A recording with the articles, the settings and the commands that it was made with.

    `campaign` keeps a long one out of the daily run.
    """

    name: str
    path: Path
    replies: tuple[Path, ...]
    articles: Path
    results: Path
    corpus: str
    settings: Mapping[str, str]
    commands: tuple[str, ...]
    campaign: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """What the dry run of a command said it would take, and what it took: requests and tokens in and out.

    Tokens in are taken as the endpoint of the recording counted those of the messages, which is all that it
    counted; schema and tools beside them, and tokens out, as dry runs count.
    """

    @property
    def factors(self) -> tuple[float, ...]:
        """How far what was said is from what was taken, each number for itself; 1.0 where it is the same."""
        return tuple(said / took for said, took in zip(self.expected, self.taken, strict=True))

    def __str__(self) -> str:
        """The command with its factors, for a test that fails."""
        return f"{self.command}: " + ", ".join(f"{one:.2f}" for one in self.factors)

    command: str
    expected: Sequence[int]
    taken: Sequence[int]


@dataclass(slots=True)
class Replay:
    """A path under way: `run` takes it, as often as wanted, against one endpoint.

    `spending` are the commands that asked something, with their dry runs.
    """

    manifest: Manifest
    replies: Replies
    endpoint: Endpoint
    articles: Path
    spending: list[Spending] = field(default_factory=list)

    def run(self) -> None:
        """Take the commands of the manifest.

        Raises:
            RuntimeError: a command failed; what it said is on standard error.
        """
        for words in command_words(self.manifest, self.articles):
            expected = dry_run(words) if tuple(words[:2]) in PAID else None
            before = set(self.replies.used)
            _run(words)
            used = self.replies.used - before
            if expected is not None and used:
                self.spending.append(Spending(" ".join(words[:2]), expected, self._taken(used)))

    def _taken(self, places: Collection[str]) -> list[int]:
        """The requests at these places, and their tokens in and out."""
        answers = [self.replies.by_place[place] for place in places]
        given = sum(one.input_tokens for one in answers) + sum(self.replies.beside[place] for place in places)
        return [len(answers), given, sum(one.likely_output for one in answers)]

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return len(self.endpoint.requests)


def manifests(folder: Path = FOLDER) -> list[Manifest]:
    """All that there are, by name."""
    return [read_manifest(path) for path in sorted(folder.glob("*.yaml"))]


def read_manifest(path: Path) -> Manifest:
    """A manifest; its recording and articles lie beside it, or where an absolute path leads."""
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Manifest(
        name=path.stem,
        path=path,
        replies=tuple(path.parent / name for name in given["replies"]),
        articles=path.parent / given["articles"],
        results=ROOT / given["results"],
        corpus=given["corpus"],
        settings={name: str(value) for name, value in given["settings"].items()},
        commands=tuple(given["commands"]),
        campaign=given.get("campaign", False),
    )


@contextmanager
def open_replay(manifest: Manifest, folder: Path) -> Iterator[Replay]:
    """The path of a manifest, answered by its recording; articles are unpacked into `folder`.

    `kg` runs in this process, in the graph that the environment names.
    """
    articles = unpacked_articles(manifest, folder)
    replies = read_replies(*manifest.replies)
    with (
        replaying_endpoint(replies) as endpoint,
        environment(endpoint.environment() | {"HOPGRADE_PREFLIGHT": "false"} | dict(manifest.settings)),
    ):
        yield Replay(manifest, replies, endpoint, articles)


def unpacked_articles(manifest: Manifest, folder: Path) -> Path:
    """The articles as a file that `kg` reads."""
    content = manifest.articles.read_bytes()
    packed = manifest.articles.suffix == ".gz"
    path = folder / (manifest.articles.stem if packed else manifest.articles.name)
    path.write_bytes(gzip.decompress(content) if packed else content)
    return path


def command_words(manifest: Manifest, articles: Path) -> Iterator[list[str]]:
    """The commands of a manifest as arguments of `kg`."""
    for command in manifest.commands:
        yield [str(articles) if word == ARTICLES else word for word in shlex.split(command)]


def run_commands(manifest: Manifest, articles: Path) -> None:
    """The commands of a manifest, in this process.

    Raises:
        RuntimeError: a command failed; what it said is on standard error.
    """
    for words in command_words(manifest, articles):
        _run(words)


def dry_run(words: Sequence[str]) -> list[int]:
    """The requests and the tokens in and out that a command is expected to take, in all its parts.

    Raises:
        RuntimeError: the command failed.
    """
    with redirect_stdout(io.StringIO()) as printed:
        _run([*words, "--dry-run", "--json"])
    parts = list(_estimates(json.loads(printed.getvalue())))
    return [sum(part[at] for part in parts) for at in range(3)]


def _estimates(value: object) -> Iterator[tuple[int, int, int]]:
    """What an estimate's JSON has of parts; requests that are kept from before are taken off."""
    if not isinstance(value, dict):
        return
    if "calls_expected" in value:
        yield value["calls_expected"], value["input_tokens_expected"], value["output_tokens_expected"]
    elif "calls" in value:
        yield value["calls"] - value.get("cached", 0), value["input_tokens"], value["output_tokens"]
    else:
        for part in value.values():
            yield from _estimates(part)


def _run(words: Sequence[str]) -> None:
    if code := kg(words):
        raise RuntimeError(f"kg {' '.join(words)} ended with {code}")


def kg(arguments: Sequence[str]) -> int:
    """The exit code of `kg` with these arguments, run in this process."""
    before, sys.argv = sys.argv, ["kg", *arguments]
    try:
        kg_main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv = before
    return 0


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """These environment variables, for as long as this lasts."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def missing_text(manifest: Manifest, replies: Replies) -> str:
    """Which requests of a replay have no recorded answer, by prompt, and what to do; empty where all have."""
    if not replies.missing:
        return ""
    by_prompt = Counter(one.partition(":")[0] for one in replies.missing)
    return "\n".join(
        (
            f"{manifest.name}: {len(replies.missing)} requests were never recorded. By prompt:",
            *(f"  {prompt}: {count}" for prompt, count in sorted(by_prompt.items())),
            "What such a prompt is filled with has changed, or what came before it. For example:",
            *(f"  {' '.join(one.split())}" for one in replies.missing[:SHOWN]),
            f"Record anew: python -m benchmarks.model_run record {manifest.path.resolve().relative_to(ROOT)}"
            " --upstream URL",
        )
    )


def outdated_text(manifest: Manifest) -> str:
    """Which answers of a recording were given to an older text of a prompt; empty where none was."""
    old = outdated(read_replies(*manifest.replies))
    told = ", ".join(f"{prompt} ({count})" for prompt, count in sorted(old.items()))
    return f"{manifest.name}: {old.total()} answers were given to older prompts: {told}" if old else ""
