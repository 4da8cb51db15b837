"""How many facts under chain questions readers of news found wrong, by classes of predicates.

    python -m benchmarks.fact_classes

Reads docs/evaluation/facts/chain_facts.jsonl: a line a fact, with the draw that it is from, its predicate,
whether its object is a date, and whether it is what made a question wrong. Names are left out, as the text
isn't ours to give. A fact counts once a draw. What the rules ask over today is counted apart.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from benchmarks.model_tables import format_interval, table
from services.questions.lasting import fleeting
from services.questions.roles import KIN
from services.questions.wording.predicates import parse
from services.statistics.intervals import wilson

FACTS = Path(__file__).parent.parent / "docs" / "evaluation" / "facts" / "chain_facts.jsonl"
_OWN = {
    "be located in": "place in a place",
    "be from": "from a place",
    "be citizen of": "citizenship",
    "be capital of": "capital",
    "be affiliated with": "affiliation",
    "be married to": "kinship",
}
_OF_SOMEBODY = re.compile(
    r"\b(?:adviser|aide|critic|follower|lawyer|member|neighbor|spokesman|strategist|supporter)$"
)


def main() -> None:
    """Count and print."""
    print(class_table(map(json.loads, FACTS.read_text(encoding="utf-8").splitlines())))


def class_table(facts: Iterable[dict[str, str | bool]]) -> str:
    """Facts and wrong ones of each class with Wilson's interval, all and those that rules ask over."""
    counts: dict[str, list[int]] = {}
    for fact in facts:
        predicate, dated = str(fact["predicate"]), bool(fact["dated"])
        asked = not fleeting(predicate, dated)
        for name in (class_of(predicate, dated), "all"):
            found = counts.setdefault(name, [0, 0, 0, 0])
            for at, seen in enumerate((True, fact["wrong"], asked, asked and fact["wrong"])):
                found[at] += bool(seen)
    order = sorted(counts, key=lambda name: (name == "all", -counts[name][0], name))
    rows = [[name, _share(*counts[name][1::-1]), _share(*counts[name][3:1:-1])] for name in order]
    return table(["class of facts", "wrong of all", "wrong of those asked over today"], rows)


def class_of(predicate: str, dated: bool) -> str:
    """The class of a predicate, by what it says and not by its words."""
    found = parse(predicate)
    if dated:
        return "happening on a day"
    if found.key in _OWN:
        return _OWN[found.key]
    if found.voice == "copula":
        if KIN.search(found.complement):
            return "kinship"
        if found.complement in {"predecessor", "successor"}:
            return "succession"
        return "role to somebody" if _OF_SOMEBODY.search(found.complement) else "office"
    return "verb with a preposition" if found.preposition and not found.has_agent else "bare verb"


def _share(wrong: int, facts: int) -> str:
    return (
        f"{wrong} of {facts}: {wrong / facts:.2f} ({format_interval(wilson(wrong, facts))})" if facts else "-"
    )


if __name__ == "__main__":
    main()
