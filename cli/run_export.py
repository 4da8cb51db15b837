"""`kg run export`: a run for the tools of others."""

from pathlib import Path
from typing import Annotated

import typer

from cli.console import print_json, remark, say
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from services.benchmarks.export_run import Exported, read_run, write_hotpotqa, write_trec

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg run export single-step --trec exported --corpus news")
def export(
    run: Annotated[str, typer.Argument(help="The run.", show_default=False)],
    corpus: Corpus = None,
    trec: Annotated[
        Path | None,
        typer.Option(
            "--trec",
            metavar="DIR",
            help="Write rankings, judgements and answers into this folder.",
            show_default=False,
        ),
    ] = None,
    hotpotqa: Annotated[
        Path | None,
        typer.Option(
            "--hotpotqa", metavar="FILE", help="Write HotpotQA's prediction file.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run's rankings as TREC run and qrels files, and its answers by the ids of their set.

    The folder gets chunks.run, chunks.qrels, articles.run, articles.qrels and answers.jsonl; files of these
    names in it are replaced. Questions that were made here go by our ids.
    """
    if trec is None and hotpotqa is None:
        raise SettingsError("nothing is to be exported.", "Give --trec DIR, --hotpotqa FILE, or both.")
    exported: Exported | None = None
    predictions = 0
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        rows = read_run(session.graph, name, run)
        try:
            if trec is not None:
                exported = write_trec(rows, run, trec)
            if hotpotqa is not None:
                predictions = write_hotpotqa(session.graph, rows, hotpotqa)
        except OSError as error:
            raise SettingsError(
                f"{error.filename} can't be written: {error.strerror}.", "Give another place."
            ) from error
    files = [str(path) for path in (*(exported.files if exported else ()), *([hotpotqa] if hotpotqa else ()))]
    overlapping = dict(exported.overlapping) if exported else {}
    if as_json:
        print_json({"run": run, "answers": len(rows), "files": files, "overlapping": overlapping})
        return
    for file in files:
        say(file)
    if hotpotqa is not None and not predictions:
        remark("note: the prediction file is empty: no question of this run was imported.")
    for level, number in overlapping.items():
        if number:
            remark(
                f"note: in {number:,} questions one {level} holds two pieces of evidence that differ; "
                "TREC's files count one of them a rank."
            )
