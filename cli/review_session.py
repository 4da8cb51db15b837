"""The terminal review: a question at a time with its evidence, a decision a line, saved at once."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.console import Console

from cli.console import visible
from cli.question_tables import attribution
from kg.store.graph import Graph, Row
from services.questions.review import (
    Decision,
    Embed,
    Review,
    Reviewable,
    criteria_of,
    read_reviews,
    record_reviews,
    settle_questions,
    show_questions,
    speaks_against,
)

LONGEST_EVIDENCE = 600
"""Characters of a chunk that are shown where no sentence of it is known to tell the hop."""

KEYS = ("keep", "drop", "edit", "skip", "back", "quit")
HELP = (
    "keep, drop, edit, skip, back, quit: a word or its first letter, then a reason if you like; one that "
    "begins with a criterion counts for it, as in: drop factual: it was in May"
)


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Who reviews, in which corpus, and how it is shown; `read` gives the next line, None at the end.

    Who adjudicates is shown what `others` decided, by question; nobody else is.
    """

    graph: Graph
    corpus: str
    annotator: str
    embed: Embed
    console: Console
    read: Callable[[], str | None]
    show_checks: bool = False
    adjudicates: bool = False
    others: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def tell(self, text: str, style: str = "", end: str = "\n") -> None:
        """A line for the annotator."""
        self.console.print(visible(text), style=style, markup=False, soft_wrap=True, end=end)


@dataclass(slots=True)
class SessionResult:
    """What came of a session: the last decision on each question, and how many were passed over."""

    decisions: dict[str, Decision] = field(default_factory=dict)
    skipped: int = 0
    left: int = 0

    @property
    def decided(self) -> dict[Decision, int]:
        """How many questions were decided how."""
        return dict(Counter(self.decisions.values()))


def review_queue(reviewing: Reviewing, queue: Sequence[Reviewable]) -> SessionResult:
    """Go through the queue until its end, `quit` or the end of input."""
    done = SessionResult()
    _finish_last_time(reviewing)
    shown = show_questions(reviewing.graph, [one.id for one in queue])
    at = 0
    while at < len(shown):
        row = shown[at]
        _show(reviewing, row, f"{at + 1} of {len(shown)}")
        step = _decide(reviewing, row, done)
        if step is None:
            break
        at = max(0, at + step)
    done.left = len(shown) - at
    return done


def _finish_last_time(reviewing: Reviewing) -> None:
    """A kill between a decision and its effect is made good here."""
    made = read_reviews(reviewing.graph, reviewing.corpus)
    settle_questions(reviewing.graph, reviewing.corpus, [row["question"] for row in made], reviewing.embed)


def _decide(reviewing: Reviewing, row: Row, done: SessionResult) -> int | None:
    """Take decisions until one can be used; how far to go on, None to end."""
    while True:
        reviewing.tell("> ", "bold", end="")
        line = reviewing.read()
        if line is None:
            reviewing.tell("")
            return None
        word, _, reason = line.strip().partition(" ")
        key = next((one for one in KEYS if word.casefold() in (one, one[0])), None)
        match key:
            case "quit":
                return None
            case "back":
                return -1
            case "skip":
                done.skipped += 1
                return 1
            case "keep" | "drop":
                return _save(reviewing, row, key, reason.strip(), "", done)
            case "edit":
                text = _new_text(reviewing, row)
                if text:
                    return _save(reviewing, row, key, reason.strip(), text, done)
            case _:
                reviewing.tell(HELP, "dim")


def _new_text(reviewing: Reviewing, row: Row) -> str:
    """The text of an edit, empty where none came that can be used."""
    reviewing.tell("new text: ", "bold", end="")
    text = " ".join((reviewing.read() or "").split())
    reason = speaks_against(row, text)
    if reason:
        reviewing.tell(f"that can't be asked: {reason}. Nothing was changed.", "yellow")
        return ""
    return text


def _save(
    reviewing: Reviewing, row: Row, decision: Decision, reason: str, text: str, done: SessionResult
) -> int:
    made = Review(
        row["id"], reviewing.annotator, decision, reason, text, datetime.now(UTC), reviewing.adjudicates
    )
    record_reviews(reviewing.graph, reviewing.corpus, [made], reviewing.embed)
    done.decisions[row["id"]] = decision
    if not reviewing.show_checks:
        _show_checks(reviewing, row)
    return 1


def _show(reviewing: Reviewing, row: Row, place: str) -> None:
    asked = row["question"]
    hops = f"{asked['hops']} hop{'s' * (asked['hops'] != 1)}"
    reviewing.tell(f"\n{place}   {asked['kind']}, {hops}, {row['id']}", "dim")
    reviewing.tell(asked["text"], "bold")
    others = [name for name in asked["accepted"] or () if name != asked["answer"]]
    reviewing.tell(f"Answer: {asked['answer']}" + (f" (also: {'; '.join(others)})" if others else ""))
    if asked["absent"]:
        reviewing.tell(f"Not in the corpus: {asked['absent']}")
    for hop in row["hop_questions"]:
        joined = "  (compared with the hop before)" if hop["topology"] == "comparison" else ""
        reviewing.tell(f"{hop['hop']}. {hop['text']}  {hop['answer']}{joined}")
        facts = [fact for fact in row["facts"] if fact["index"] == hop["hop"]]
        for fact in facts:
            _show_sentence(reviewing, fact["sentence"], fact["article"] or {})
        for chunk in () if facts else hop["evidence"]:
            _show_sentence(reviewing, chunk["text"][:LONGEST_EVIDENCE], chunk)
    for fact in () if row["hop_questions"] else row["facts"]:
        if fact["subject"]:
            told = f"{fact['subject']} | {fact['predicate']} | {fact['object']}{attribution(fact)}"
            reviewing.tell(f"{fact['index']}. {told}")
        _show_sentence(reviewing, fact["sentence"], fact["article"] or {})
    for made in reviewing.others.get(row["id"], ()):
        reason = f": {made['reason']}" if made["reason"] else ""
        text = f" ({made['text']})" if made["text"] else ""
        reviewing.tell(f"{made['annotator']} decided {made['decision']}{text}{reason}")
    for name, asks in criteria_of(asked["kind"]).items():
        reviewing.tell(f"{name}? {asks}", "dim")
    if reviewing.show_checks:
        _show_checks(reviewing, row)


def _show_sentence(reviewing: Reviewing, text: str, article: Mapping[str, str]) -> None:
    origin = ", ".join(article[name] for name in ("title", "source", "published") if article.get(name))
    reviewing.tell(f"   {' '.join(text.split())}  [{origin}]", "dim")


def _show_checks(reviewing: Reviewing, row: Row) -> None:
    asked = row["question"]
    names, passed = asked["checked"] or (), asked["passed"] or ()
    failed = [
        f"{name} ({reason})" if reason else name
        for name, ok, reason in zip(names, passed, asked["reasons"] or (), strict=True)
        if not ok
    ]
    text = f"failed: {'; '.join(failed)}" if failed else "all passed"
    reviewing.tell(f"Filters: {len(names)} looked at it, {text}", "dim")
