"""`kg run judge` and `kg run revise`: verdicts on answers."""

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
