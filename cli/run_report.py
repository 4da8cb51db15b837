"""`kg run report`: what runs show, as tables, as a page, as JSON."""

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
