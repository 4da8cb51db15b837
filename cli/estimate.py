"""What `--dry-run` prints: calls, tokens and money that models would take."""

from collections.abc import Mapping
from dataclasses import asdict

from cli.console import out, print_json, say, table
from kg.llm.protocol import Estimate
from services.estimates import BuildEstimate

COLUMNS = ("step", "calls", "kept", "tokens in", "tokens out", "money")


def print_estimate(estimate: BuildEstimate, as_json: bool) -> None:
    """The estimate as a table, or as one JSON document."""
    if as_json:
        print_json(asdict(estimate))
        return
    parts = {"claims": estimate.claims, "links": estimate.links}
    known = {step: part for step, part in parts.items() if part is not None}
    if not known:
        say("No model is asked: claims and links are found by rules.")
        return
    print_parts(known)
    if estimate.links_expected:
        say(
            "The figure for links is an expectation from the number of sentences: their requests can be "
            "counted once the claims are read and clustered.",
            "dim",
        )
    say_nothing_was_sent()


def print_parts(parts: Mapping[str, Estimate]) -> None:
    """What each step would take, as a table."""
    rows = [_row(step, part) for step, part in parts.items()]
    out.print(table("What models would take", COLUMNS, rows))
    say(
        "About so much, and in brackets at most. Kept answers cost nothing; answers that must be mended or "
        "asked for again come on top.",
        "dim",
    )
    if any(part.money_at_most is None and part.calls > part.cached for part in parts.values()):
        say(
            "For money, put the model's prices for a million tokens in and out into HOPGRADE_MODEL_PRICES: "
            '{"its-name": [0.15, 0.60]}.',
            "dim",
        )


def say_nothing_was_sent() -> None:
    """The last line of an estimate."""
    say("Nothing was sent. To stop at a limit, set HOPGRADE_BUDGET_TOKENS or HOPGRADE_BUDGET_MONEY.", "dim")


def _row(step: str, estimate: Estimate) -> list[object]:
    money = "no price"
    if estimate.money is not None and estimate.money_at_most is not None:
        money = _about(f"{estimate.money:.4f}", f"{estimate.money_at_most:.4f}")
    return [
        step,
        estimate.calls,
        estimate.cached,
        _about(f"{estimate.input_tokens:,}", f"{estimate.input_tokens_at_most:,}"),
        _about(f"{estimate.output_tokens:,}", f"{estimate.output_tokens_at_most:,}"),
        money,
    ]


def _about(likely: str, at_most: str) -> str:
    return f"{likely} ({at_most})"
