"""How well the graph was made, as `kg benchmark` prints it for the seed corpus and others' annotations.

    python -m benchmarks.evaluations --write docs/evaluation/results.md
    python -m benchmarks.evaluations --only questions

Builds the seed corpus if there is none (a managed server, or NEO4J_URI), and for the part on questions the
Wikinews corpus; there, systems that have not run yet run first. Sets of other people need the shared data
folder (HOPGRADE_SHARED, or ../shared beside the checkout); without it their commands are left out and
named as left out.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.run_tables import run_tables
from kg import __version__
from kg.extract.protocol import RULES_VERSION
from services.rag.run_options import SYSTEMS

ROOT = Path(__file__).resolve().parents[1]
SEED = (
    "kg benchmark extraction --gold seed/gold/triples.jsonl",
    "kg benchmark opinions --gold seed/gold/opinions.jsonl",
    "kg benchmark resolution --gold seed/gold/aliases.jsonl --corpus ormelund",
    "kg benchmark resolution --gold seed/gold/contextual.jsonl --corpus ormelund",
    "kg corpus graph --corpus ormelund",
)
SHARED = (
    ("extraction", "kg_rag_multihop/gold__extraction_gold.jsonl", ""),
    ("extraction", "kg_rag_multihop/data__processed__resolution__triples_resolved.jsonl", "--sample 200"),
    (
        "extraction",
        "kg_rag_multihop/data__processed__resolution__triples_resolved.jsonl",
        "--sample 200 --held-out",
    ),
    ("extraction", "redocred/dev_revised.json", "--sample 150"),
    ("extraction", "redocred/dev_revised.json", "--sample 150 --held-out"),
    ("extraction", "musique/openie_musique_train_gpt-3.5-turbo-1106_1890.json", "--sample 200"),
    ("resolution", "kg_rag_multihop/data__processed__resolution__entities.jsonl", ""),
)
WIKINEWS = "kg run-all DATA/wikinews/wikinews_2019.csv --corpus wikinews --min-tokens 50"
QUESTIONS_HEAD = """## Questions and runs

The three systems without a model, over all kept questions of a corpus, right by exact match; what the
questions are worth is in [questions-read.md](questions-read.md). Wikinews is the 171 articles of 2019 that
`{wikinews}`
reads (en.wikinews.org, CC BY 2.5). Intervals are of 95 %, by cluster: questions whose answer is in one
article. r of distance and error is point-biserial over chain questions, its p by cluster; "quartiles" is
Pearson's r of the four quartiles of distance and their error rates.
"""
FUNNEL = "kg questions funnel --corpus {corpus}"
REPORT = "kg run report --corpus {corpus} --json"
HEAD = """# How well the graph was made

Written by `python -m benchmarks.evaluations --write docs/evaluation/results.md`, Hopgrade {version}, rules
{rules}, {day}; each block is what the command above it printed. `DATA` stands for a folder that is no part of
this project, with what other people annotated: kg_rag_multihop's gold and silver triples and resolved names,
Re-DocRED's development set, MuSiQue's OpenIE file. A sample is drawn by seed 7; the rules were tuned while
looking at samples, `--held-out` measures what they leave. What was read by eye is in
[triples-read.md](triples-read.md).
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="What kg benchmark and kg corpus graph print, as a page.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the page; default: standard output")
    parser.add_argument("--only", choices=("questions",), help="this part of the page, and no more")
    asked = parser.parse_args()
    data = Path(os.environ.get("HOPGRADE_SHARED", "../shared")) / "data"
    if "ormelund" not in output_of("kg corpus list", data):
        output_of("kg demo", data)
    page = [] if asked.only else evaluations(data)
    text = "\n".join([*page, *questions_and_runs(data)])
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


def evaluations(data: Path) -> list[str]:
    """The page's head, and a block for each command."""
    day = datetime.now(UTC).date().isoformat()
    page = [HEAD.format(version=__version__, rules=RULES_VERSION, day=day)]
    shared = [f"kg benchmark {what} --gold DATA/{file} {more}".strip() for what, file, more in SHARED]
    page += [block(command, data) for command in [*SEED, *(shared if data.is_dir() else ())]]
    if not data.is_dir():
        page.append("Left out, as the folder of other people's annotations is not at hand:\n")
        page += [f"- `{command}`" for command in shared]
    return page


def questions_and_runs(data: Path) -> list[str]:
    """The part on questions: the funnel of each corpus, and its systems compared."""
    page = [QUESTIONS_HEAD.format(wikinews=WIKINEWS)]
    corpora = ["ormelund"]
    if (data / "wikinews").is_dir():
        if "wikinews" not in output_of("kg corpus list", data):
            output_of(WIKINEWS, data)
        corpora.append("wikinews")
    for corpus in corpora:
        ran = {run["name"] for run in json.loads(output_of(f"kg run list --corpus {corpus} --json", data))}
        for system in SYSTEMS:
            if system not in ran:
                output_of(f"kg run start {system} --corpus {corpus}", data)
        page.append(block(FUNNEL.format(corpus=corpus), data))
        report = REPORT.format(corpus=corpus)
        print(report, file=sys.stderr, flush=True)
        page.append(f"From `{report}`:\n\n{run_tables(json.loads(output_of(report, data)))}\n")
    if "wikinews" not in corpora:
        page.append("Left out, as the folder with other people's texts is not at hand:\n")
        page += [f"- `{command.format(corpus='wikinews')}`" for command in (FUNNEL, REPORT)]
    return page


def block(command: str, data: Path) -> str:
    """A command with what it prints."""
    print(command, file=sys.stderr, flush=True)
    return f"```\n$ {command}\n{output_of(command, data).strip()}\n```\n"


def output_of(command: str, data: Path) -> str:
    """What a command prints on standard output.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is on standard error.
    """
    words = shlex.split(command.replace("DATA", str(data)))
    program = [sys.executable, "-c", "from cli.main import main; main()", *words[1:]]
    environment = os.environ | {"COLUMNS": "110"}
    return subprocess.run(
        program, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
