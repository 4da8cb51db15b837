"""`kg questions`: the questions that a corpus' paths gave."""

from typing import Annotated

import typer

from cli.console import out, print_json, remark, say, table
from cli.options import MOST, AsJson, Corpus, Hops, parse_depths
from cli.session import existing_corpus, open_session
from kg.errors import NothingToDoError
from kg.queries import query

app = typer.Typer(
    name="questions",
    help="The questions that a corpus' paths gave.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", epilog="Example: kg questions list --hops 3,4 --limit 10")
def list_(
    corpus: Corpus = None,
    hops: Hops = "2,3,4,5",
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List kept questions with answer, difficulty and quartile."""
    depths = parse_depths(hops)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = session.graph.rows(query("questions/list_questions"), corpus=name, hops=depths, limit=limit)
    if as_json:
        print_json(found)
        return
    if not found:
        lengths = ", ".join(map(str, depths))
        remark(f"corpus {name!r} has no question of {lengths} hops. Make some: kg run-all FILE, or kg demo.")
    for row in found:
        say(f"{row['text']} -> {row['answer']}")
        say(
            f"  {row['hops']} hops, quartile {row['bin']}, distance {row['difficulty']:.3f}, {row['id']}",
            "dim",
        )


@app.command(epilog="Example: kg questions show question-0123456789abcdef")
def show(
    question: Annotated[str, typer.Argument(metavar="ID", help="Id of the question.")],
    as_json: AsJson = False,
) -> None:
    """Show one question: its path, its evidence, and what systems answered."""
    with open_session() as session:
        found = session.graph.rows(query("questions/read_question"), id=question)
    if not found:
        raise NothingToDoError(f"there is no question {question!r}.", "See the ids: kg questions list.")
    row = found[0]
    if as_json:
        print_json(row)
        return
    asked = row["question"]
    say(asked["text"], "bold")
    say(
        f"answer {asked['answer']!r}, {asked['hops']} hops, {asked['status']}"
        + (f" by {asked['rejected_by']!r}" if asked.get("rejected_by") else "")
        + f", difficulty {asked['difficulty_min']:.3f}"
    )
    hops = [
        [h["index"], h["link"], h["subject"], h["predicate"], h["object"], h["sentence"]] for h in row["hops"]
    ]
    out.print(
        table(
            " > ".join(row["entities"]), ("hop", "link", "subject", "predicate", "object", "sentence"), hops
        )
    )
    evidence = [[e["hop"], f"{e['similarity']:.3f}", e["article"], e["chunk"]] for e in row["evidence"]]
    out.print(table("Evidence", ("hop", "similarity", "article", "chunk"), evidence))
    answers = [[a["run"], a["text"], "right" if a["correct"] else "wrong"] for a in row["answers"]]
    out.print(table("Answers", ("run", "answer", "verdict"), answers))
