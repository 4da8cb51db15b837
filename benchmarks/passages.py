"""Passages on which nothing has been tried, drawn by seed in groups that mention one another.

    python -m benchmarks.passages CORPUS --out FILE [--count 100] [--group 8] [--after 400]
        [--without FILE ...] [--words 50] [--seed 1]

CORPUS is a JSON array or JSONL whose rows have `title` (or `source_title`) and `text`, or an object from
titles to sentences: the corpora of MuSiQue, kg_rag_multihop and HotpotQA. A passage is drawn at random, then
the passages whose title stands in its text or in whose text its title stands, and theirs, up to --group; then
the next, up to --count. Rows before --after, rows of fewer than --words words and titles in the --without
files (JSONL, also .gz, or like CORPUS) are left out. FILE gets JSONL of id, title, text and url; the same
corpus and seed give the same bytes.
"""

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of an encyclopedia; several may have one title."""

    title: str
    text: str


def main() -> None:
    """Draw and write; says how many passages of how many groups."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--without", type=Path, nargs="*", default=[])
    parser.add_argument("--words", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    known = {passage.title for file in given.without for passage in read_passages(file)}
    fresh = [
        passage
        for passage in read_passages(given.corpus)[given.after :]
        if passage.title not in known and len(passage.text.split()) >= given.words
    ]
    groups = drawn_groups(fresh, given.count, given.group, random.Random(given.seed))
    drawn = [passage for group in groups for passage in group]
    with given.out.open("w", encoding="utf-8") as file:
        for number, passage in enumerate(drawn):
            url = "https://en.wikipedia.org/wiki/" + quote(passage.title.replace(" ", "_"))
            row = {"id": f"p{number:03d}", "title": passage.title, "text": passage.text, "url": url}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{len(drawn)} passages in {len(groups)} groups, of {len(fresh)} that nobody has used")


def read_passages(file: Path) -> list[Passage]:
    """The passages of JSONL, plain or gzipped, of a JSON array, or of an object from titles to sentences."""
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    if file.suffix == ".json":
        rows = json.loads(data)
        if isinstance(rows, dict):
            return [Passage(title, "".join(sentences)) for title, sentences in rows.items()]
    else:
        rows = [json.loads(line) for line in data.splitlines()]
    return [Passage(str(row.get("title") or row["source_title"]), str(row["text"])) for row in rows]


def drawn_groups(
    passages: Sequence[Passage], count: int, group: int, chance: random.Random
) -> list[list[Passage]]:
    """Groups of at most `group` passages, at most `count` in all; a passage alone is no group."""
    near = mentions(passages)
    order = list(range(len(passages)))
    chance.shuffle(order)
    taken: set[int] = set()
    groups: list[list[Passage]] = []
    for start in order:
        room = min(group, count - len(taken))
        if room < 2:
            break
        members = list(_reach(start, near, taken, room))
        if len(members) > 1:
            taken.update(members)
            groups.append([passages[member] for member in members])
    return groups


def mentions(passages: Sequence[Passage]) -> dict[int, list[int]]:
    """For each passage those that it names by their title, and those that name it, in order."""
    titled: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, passage in enumerate(passages):
        titled[tuple(passage.title.split(" (")[0].split())].append(number)
    longest = max(map(len, titled), default=0)
    near: dict[int, set[int]] = defaultdict(set)
    for number, passage in enumerate(passages):
        words = [word.strip(".,;:!?()\"'") for word in passage.text.split()]
        for start in range(len(words)):
            for length in range(1, min(longest, len(words) - start) + 1):
                for other in titled.get(tuple(words[start : start + length]), ()):
                    if other != number:
                        near[number].add(other)
                        near[other].add(number)
    return {number: sorted(others) for number, others in near.items()}


def _reach(start: int, near: dict[int, list[int]], taken: set[int], room: int) -> Iterator[int]:
    """Breadth first from a passage over those that nobody has taken, at most `room`."""
    if start in taken:
        return
    seen, queue = {start}, [start]
    while queue and room:
        number = queue.pop(0)
        room -= 1
        yield number
        for other in near.get(number, ()):
            if other not in seen and other not in taken:
                seen.add(other)
                queue.append(other)


if __name__ == "__main__":
    main()
