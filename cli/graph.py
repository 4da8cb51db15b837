"""`kg graph`: what stands in the knowledge graph of a corpus."""

import typer

from cli import entity, graph_export, paths

app = typer.Typer(
    name="graph",
    help="Look into the knowledge graph, entities and hop paths, and export it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(entity.app)
app.add_typer(paths.app)
graph_export.register(app)
