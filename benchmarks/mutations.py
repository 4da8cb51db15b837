"""How many small mistakes in the product the tests notice: places drawn by seed, one changed at a time.

    python -m benchmarks.mutations [--count 40] [--seed 1] [--only NUMBER,...] [--near] [--write]

Each change is one that a tired programmer makes: another comparison, plus for minus, and for or, a number
that is one too large, a filter or a `not` or an `await` that is gone. It is made in a copy of the last
commit. There mypy runs, then the tests that are called after the changed module, then those whose files name
it, then those of its package, then all others of `make test`; the first to fail has caught it. With `--near`
the others are left out, which takes minutes where they take a quarter of an hour, and what is left is shown
and not written down. What survives is either a mistake that no test notices or a change that means the same:
look at each. `--write` puts each outcome into the table of docs/reliability.md as soon as it is there, beside
those of the same seed before it: hours of it can be had in parts.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.pages import markdown_table, table_rows, write_between

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
AREAS = ("kg", "services", "cli")
SURVIVED = "**nothing**"
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
}  # fmt: skip
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A place in a file, and what stands there instead."""

    file: str
    line: int
    before: str
    after: str
    start: int
    end: int

    def apply(self, root: Path) -> None:
        """Make the change in a copy of the repository."""
        path = root / self.file
        text = path.read_bytes()
        path.write_bytes(text[: self.start] + self.after.encode() + text[self.end :])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What caught a change: mypy, or a test; empty where nothing did."""

    mutation: Mutation
    caught_by: str

    def cells(self) -> tuple[str, ...]:
        """As it stands in the table."""
        one = self.mutation
        change = f"`{_short(one.before)}` → `{_short(one.after)}`"
        return (f"{one.file}:{one.line}", change, self.caught_by or SURVIVED)


def mutations_of(file: str, text: str) -> Iterator[Mutation]:
    """Every change that could be made in a file, in the order of its lines."""
    tree = ast.parse(text)
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    skipped = {
        id(inside) for node in ast.walk(tree) for part in _annotations(node) for inside in ast.walk(part)
    }
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.expr):
            continue
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = text.encode()[start:end].decode()
        for after in _changes(node):
            yield Mutation(file, node.lineno, before, after, start, end)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in types only, and inside formatted text, whose places Python tells wrongly."""
    for name in ("annotation", "returns"):
        if (part := getattr(node, name, None)) is not None:
            yield part
    if isinstance(node, ast.JoinedStr):
        yield from node.values


def _changes(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        other = ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
        yield f"({ast.unparse(other)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield f"({ast.unparse(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right))})"
    elif isinstance(node, ast.BoolOp):
        other_op: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other_op, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Await):
        yield f"({ast.unparse(node.value)})"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield str(node.value + 1)
    elif isinstance(node, COMPREHENSIONS):
        yield from _without_filters(node)


def _without_filters(node: ast.expr) -> Iterator[str]:
    for number, one in enumerate(getattr(node, "generators", ())):
        for which in range(len(one.ifs)):
            copy = ast.parse(ast.unparse(node), mode="eval").body
            del copy.generators[number].ifs[which]  # type: ignore[attr-defined]
            yield ast.unparse(copy)


def draw_mutations(count: int, seed: int) -> list[Mutation]:
    """So many changes of the product, each as probable as any other."""
    found = [
        one
        for area in AREAS
        for path in sorted((ROOT / area).rglob("*.py"))
        for one in mutations_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(found, count)


@contextmanager
def copy_of_the_repository() -> Iterator[Path]:
    """The last commit in a folder of its own."""
    with TemporaryDirectory(prefix="hopgrade-mutations-") as folder:
        copy = Path(folder) / "copy"
        subprocess.run(
            ["git", "worktree", "add", "--detach", str(copy)], cwd=ROOT, check=True, capture_output=True
        )
        try:
            yield copy
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(copy)], cwd=ROOT, check=True)


def caught_by(mutation: Mutation, copy: Path, *, near_only: bool = False) -> str:
    """Which check fails with the change; empty where none does."""
    mutation.apply(copy)
    try:
        if _run(copy, "mypy").returncode:
            return "mypy"
        rings = [
            _own(mutation.file, copy),
            sorted(_near(mutation.file, copy)),
            _of_package(mutation.file, copy),
        ]
        rings += [] if near_only else [["tests"]]
        return next((found for ring in rings if (found := _first_failure(copy, ring))), "")
    finally:
        subprocess.run(["git", "checkout", "--quiet", "--", mutation.file], cwd=copy, check=True)


def _own(file: str, copy: Path) -> list[str]:
    """The file of tests that is called after the changed module, which is the quickest to fail."""
    own = Path("tests") / Path(file).parent / f"test_{Path(file).stem.removeprefix('_')}.py"
    return [own.as_posix()] if (copy / own).is_file() else []


def _near(file: str, copy: Path) -> Iterator[str]:
    """The files of tests that name the changed module."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for path in (copy / "tests").rglob("test_*.py"):
        if module in path.read_text(encoding="utf-8"):
            yield path.relative_to(copy).as_posix()


def _of_package(file: str, copy: Path) -> list[str]:
    """The folder of tests of the package that a changed module is in, or of the nearest that has one."""
    for parent in Path(file).parents:
        if len(parent.parts) > 1 or parent.name == "cli":
            folder = Path("tests") / parent
            if (copy / folder).is_dir():
                return [folder.as_posix()]
    return []


def _first_failure(copy: Path, tests: Sequence[str]) -> str:
    if not tests:
        return ""
    done = _run(copy, "pytest", "-x", "-q", "-n", "2", "--dist", "loadfile", "--no-header", *tests)
    failed = [
        line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))
    ]
    if done.returncode not in {0, 1, 2, 5} or (done.returncode in {1, 2} and not failed):
        return f"pytest ended with {done.returncode}"
    return failed[0] if failed else ""


def _run(copy: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _short(code: str) -> str:
    one_line = " ".join(code.split())
    return one_line if len(one_line) <= 60 else one_line[:28] + " … " + one_line[-28:]


def main(show: Callable[[str], object] = print) -> int:
    """Make the changes one after another and print what caught each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=lambda text: {int(part) for part in text.split(",")})
    parser.add_argument("--near", action="store_true", help="only mypy and the tests of the package")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    chosen = list(enumerate(draw_mutations(given.count, given.seed), start=1))
    outcomes = []
    with copy_of_the_repository() as copy:
        for number, one in chosen:
            if given.only and number not in given.only:
                continue
            outcomes.append(Outcome(one, caught_by(one, copy, near_only=given.near)))
            show(f"{number}: " + " | ".join(outcomes[-1].cells()))
            if given.write and (outcomes[-1].caught_by or not given.near):
                _write(f"{given.seed}/{number}", outcomes[-1])
    show(f"{sum(bool(one.caught_by) for one in outcomes)} of {len(outcomes)} changes were caught.")
    return 0


def _write(name: str, outcome: Outcome) -> None:
    others = [cells for cells in table_rows(PAGE, "mutations") if cells[0] != name]
    rows = sorted(
        [*others, [name, *outcome.cells()]], key=lambda cells: [int(n) for n in cells[0].split("/")]
    )
    caught = sum(cells[-1] != SURVIVED for cells in rows)
    table = markdown_table(("draw", "place", "change", "caught by"), rows)
    write_between(PAGE, "mutations", f"{caught} of {len(rows)} changes were caught.\n\n{table}")


if __name__ == "__main__":
    sys.exit(main())
