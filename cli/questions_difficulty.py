"""`kg questions difficulty`: the difficulty of questions under other embedders and chunk sizes."""

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
