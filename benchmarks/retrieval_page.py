"""Retrievers beside what people use today, as `kg benchmark retrieval` prints it.

    python -m benchmarks.retrieval_page --write docs/evaluation/retrieval.md

Needs the shared data folder (HOPGRADE_SHARED, or ../shared beside the checkout). The first run builds three
graphs; after that it takes minutes. Times are worth something on an idle machine only.
"""

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.evaluations import block
from kg import __version__

COMMAND = "kg benchmark retrieval"
HEAD = """# Retrieval beside what people use today

Written by `python -m benchmarks.retrieval_page --write docs/evaluation/retrieval.md`, Hopgrade {version},
{day}. The block is what the command above it printed: {sets}. The settings of `graph` were tuned on
these very questions (how far they hold elsewhere is in
[the decision](../decisions/0026-graph-retriever.md)); all others run as their authors left them, with the
same vectors where they use vectors.
"""
SETS = (
    "kg_rag_multihop's development questions (2WikiMultiHopQA's, Apache-2.0), and HippoRAG's samples of "
    "MuSiQue (CC BY 4.0) and HotpotQA (CC BY-SA 4.0)"
)


def main() -> int:
    parser = argparse.ArgumentParser(description="What kg benchmark retrieval prints, as a page.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the page; default: standard output")
    asked = parser.parse_args()
    data = Path(os.environ.get("HOPGRADE_SHARED", "../shared")) / "data"
    if not data.is_dir():
        print("The folder of public question sets is not at hand: set HOPGRADE_SHARED.", file=sys.stderr)
        return 2
    day = datetime.now(UTC).date().isoformat()
    text = HEAD.format(version=__version__, day=day, sets=SETS) + "\n" + block(COMMAND, data)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
