"""A program that asks a model until it is stopped: `python -m tests.kg.llm.interrupted_run URL HOME`."""

import sys

from kg.llm.roles import open_model
from kg.settings import Settings
from tests.kg.llm.asking import numbered

if __name__ == "__main__":
    given = {
        "openai_base_url": sys.argv[1],
        "hopgrade_model": "scripted",
        "hopgrade_home": sys.argv[2],
        "hopgrade_model_concurrency": 2,
    }
    with open_model("extract", Settings.model_validate(given)) as opened:
        for outcome in opened.ask(numbered(100)):
            sys.stdout.write(f"{outcome}\n")
            sys.stdout.flush()
