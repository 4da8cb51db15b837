"""An answer to one question as a reader sees it: the answer, the path, the steps, the chunks."""

from cli.console import out, say, table
from services.rag.ask import Asking
from services.rag.protocol import Step
from services.rag.reader import READER

SHOWN_CHARACTERS = 160

SHOWN_ARTICLES = 3
"""So many of the best chunks are named by their articles where the chunks themselves aren't shown."""


def print_asking(asking: Asking, chunks: bool = True) -> None:
    """Print an answer with where it was read and how the system came to it; `chunks` shows what was read."""
    if asking.error:
        say(f"no answer: {asking.error}", "bold")
    else:
        say(asking.reading.answer or "no answer", "bold")
    if asking.reading.sentence:
        say(f"read in: {asking.reading.sentence}")
    if asking.path:
        say("\nPath", "bold")
        for step in asking.path:
            say(f"  {step.subject} -> {step.predicate} -> {step.object}")
    if len(asking.steps) > 2:
        say("\nSteps", "bold")
        for taken in asking.steps:
            say(_step_line(taken))
    if not asking.hits:
        say("\nNo chunk was found for this question; another --retriever may find some.")
        return
    if not chunks:
        titles = dict.fromkeys(passage.title for passage in asking.passages[:SHOWN_ARTICLES])
        say(f"\nread first: {'; '.join(titles)}", "dim")
        return
    rows = [
        [rank, f"{hit.score:.3f}", passage.title, _beginning(passage.text)]
        for rank, (hit, passage) in enumerate(zip(asking.hits, asking.passages, strict=True), start=1)
    ]
    out.print()
    out.print(table("Retrieved chunks", ("rank", "score", "article", "text"), rows, one_line=True))
    say(_who(asking.generator), "dim")


def _who(generator: str) -> str:
    if generator == READER:
        return f"Answered by the rules reader {generator}: a baseline without a model."
    return f"Answered by the model {generator}."


def _step_line(step: Step) -> str:
    """A step in a line: what it asked, and what came of it."""
    came = " | ".join(step.observation.splitlines())
    fault = f" ({step.fault})" if step.fault else ""
    return f"  {step.index} {step.action}{fault}: {_beginning(step.query)} -> {_beginning(came)}"


def _beginning(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_CHARACTERS else plain[:SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " ..."
