"""What can't be made again by a command: what people did on questions, and what outside systems answered.

Reviews outlive their questions: they wait until a question with the same id, so of the same path and words,
is there again, and then count as before. Runs do not, nor do the verdicts by hand on their answers. So what
would delete verdicts by hand or the answers of a system from outside is refused unless somebody asks for it;
runs of our own systems are made again from the replies that are stored.
"""

from dataclasses import dataclass

from kg.errors import CorpusError, command
from kg.ledger import read_stage
from kg.queries import query
from kg.store.graph import Graph

DISCARD = "--discard-work"
"""The option by which work is given up."""


@dataclass(frozen=True, slots=True)
class HandWork:
    """How much there is: `waiting` reviews are of questions that the corpus no longer has.

    `annotators` made the other reviews; `runs` are those that answered the questions, and `outside` those of
    them by systems from outside.
    """

    reviews: int
    waiting: int
    verdicts: int
    annotators: tuple[str, ...]
    runs: tuple[str, ...]
    outside: tuple[str, ...]


def read_hand_work(graph: Graph, corpus: str) -> HandWork:
    """What was done on the questions that a corpus has."""
    (row,) = graph.rows(query("reviews/count_hand_work"), corpus=corpus)
    return HandWork(
        row["reviews"],
        row["waiting"],
        row["verdicts"],
        tuple(row["annotators"]),
        tuple(row["runs"]),
        tuple(row["outside"]),
    )


def require_consent(graph: Graph, corpus: str, what: str) -> None:
    """Refuse to make `what` of a corpus anew ("paths") where verdicts by hand or outside answers go with it.

    Raises:
        CorpusError: there are such, by name, with how to save them.
    """
    done = read_hand_work(graph, corpus)
    if done.verdicts or done.outside:
        raise at_stake(corpus, what, done)


def require_consent_to_draw(graph: Graph, corpus: str, key: str) -> None:
    """Refuse to draw paths anew where any question or run goes with those of another key.

    Who only looks at paths expects no loss, so here runs of our own systems count too.

    Raises:
        CorpusError: something would be deleted.
    """
    line = read_stage(graph, corpus, "paths")
    if line is None or line["key"] == key:
        return
    done = read_hand_work(graph, corpus)
    asked = read_stage(graph, corpus, "questions")
    questions = 0 if asked is None or asked["state"] != "done" else int(asked["kept"])
    if done.verdicts or done.runs or questions:
        raise at_stake(corpus, "paths", done, questions=questions, every_run=True)


def at_stake(
    corpus: str,
    what: str,
    done: HandWork,
    *,
    questions: int = 0,
    reviews: int = 0,
    every_run: bool = False,
) -> CorpusError:
    """The error that says what would be deleted, and how it is saved first."""
    runs = done.runs if every_run else done.outside
    found = [
        *_counted(questions, "question", "questions"),
        *_counted(reviews, "review", "reviews"),
        *_counted(done.verdicts, "verdict by hand", "verdicts by hand"),
    ]
    if runs:
        noun = "run" if len(runs) == 1 else "runs"
        found.append(f"the {noun if every_run else f'outside {noun}'} {', '.join(map(repr, runs))}")
    save = []
    if reviews:
        export = command("questions review --export FILE --annotator NAME --corpus", corpus)
        save.append(f"the reviews of each annotator ({', '.join(done.annotators)}): {export}")
    if runs:
        save.append(f"a run's answers: {command('run export RUN --trec FOLDER --corpus', corpus)}")
    first = f"Save {'; '.join(save)}. Then " if save else "To go on all the same, "
    stay = ": reviews of questions that come again stay" if reviews else ""
    back = command("evaluate answers FOLDER/answers.jsonl --name RUN --corpus", corpus)
    again = f" To have the answers again: {back}" if runs else ""
    joined = found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
    return CorpusError(
        f"making the {what} of corpus {corpus!r} anew would delete {joined}.",
        f"{first}add {DISCARD}{stay}.{again}",
    )


def _counted(number: int, one: str, many: str) -> list[str]:
    return [f"{number:,} {one if number == 1 else many}"] if number else []
