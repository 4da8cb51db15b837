"""`kg questions review`: people keep, drop or edit questions."""

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
