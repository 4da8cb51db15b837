"""What `--dry-run` prints: calls, tokens and money that models would take."""

from collections.abc import Mapping
from dataclasses import asdict

from cli.console import out, print_json, say, table
from kg.llm.protocol import Estimate
from services.estimates import BuildEstimate

COLUMNS = ("step", "calls", "kept answers", "tokens in", "tokens out, at most", "money, at most")


def print_estimate(estimate: BuildEstimate, as_json: bool) -> None:
    """The estimate as a table, or as one JSON document."""
    if as_json:
        print_json(asdict(estimate))
        return
    parts = {"claims": estimate.claims, "links": estimate.links}
    known = {step: part for step, part in parts.items() if part is not None}
    if not known and not estimate.links_unknown:
        say("No model is asked: claims and links are found by rules.")
        return
    if known:
        print_parts(known)
    if estimate.links_unknown:
        say("What links take can be told once all claims are read and clustered, by a first kg corpus build.")
    say_nothing_was_sent()


def print_parts(parts: Mapping[str, Estimate]) -> None:
    """What each step would take, as a table."""
    rows = [_row(step, part) for step, part in parts.items()]
    out.print(table("What models would take", COLUMNS, rows))
    say("Kept answers cost nothing. Answers that must be mended or asked for again come on top.", "dim")
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
    money = "no price" if estimate.money_at_most is None else f"{estimate.money_at_most:.4f}"
    tokens = estimate.input_tokens, estimate.output_tokens_at_most
    return [step, estimate.calls, estimate.cached, *tokens, money]
