"""What is said of calls, tokens and money that models would take: by `--dry-run`, and before a job begins."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from cli.console import out, print_json, say, table
from kg.llm.protocol import Estimate
from services.estimates import BuildEstimate
from services.job_projection import Projection
from services.rag.run_estimate import RunEstimate

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


def print_run_estimate(estimate: RunEstimate) -> None:
    """What answers would take, as a rule and at most, in sentences."""
    if not estimate.calls_at_most:
        say("No model would be asked.")
        return
    say(
        f"Expected: about {estimate.calls_expected:,} calls, {estimate.input_tokens_expected:,} tokens "
        f"in and {estimate.output_tokens_expected:,} out{_in_money(estimate.money_expected)}; what a "
        "model thinks before it answers comes on top."
    )
    say(
        f"At most {estimate.calls_at_most:,} calls, {estimate.input_tokens_at_most:,} tokens in and "
        f"{estimate.output_tokens_at_most:,} out{_in_money(estimate.money_at_most)}; replies that are "
        "kept cost nothing."
    )
    if estimate.assumes:
        say(estimate.assumes)


def cost_lines(parts: Mapping[str, Estimate | RunEstimate]) -> Iterable[str]:
    """What a job would take, a line a part, of the parts that ask anything."""
    for step, part in parts.items():
        if not asks_model(part):
            continue
        if isinstance(part, RunEstimate):
            calls, given, made = part.calls_expected, part.input_tokens_expected, part.output_tokens_expected
            money = part.money_expected
        else:
            calls, given, made = part.calls - part.cached, part.input_tokens, part.output_tokens
            money = part.money
        yield (
            f"The job, {step}: about {calls:,} calls, {given:,} tokens in and {made:,} out"
            f"{_in_money(money)}; at most {part.input_tokens_at_most:,} in and "
            f"{part.output_tokens_at_most:,} out{_in_money(part.money_at_most)}."
        )


def print_projection(found: Projection) -> None:
    """What a whole job may take, as a table, and for what size that is."""
    size = f"corpus {found.corpus!r}, " if found.corpus else ""
    rows = [
        (one.name, one.calls, f"{one.input_tokens:,}", f"{one.output_tokens:,}", _price(one.money))
        for one in found.steps
    ]
    title = f"A job with models may take, for {size}{found.articles:,} articles"
    out.print(table(title, ("step", "calls", "tokens in", "tokens out", "money"), rows))
    say(
        "By what a recorded job took for its letters; answering and judging are for "
        f"{found.questions:,} questions. "
        + ("" if found.corpus else "No corpus is at hand, so articles of the usual length are taken. ")
        + ("" if found.money is None else f"In all {found.money:.4f} in money. ")
        + "--dry-run of each command counts what it would really send.",
        "dim",
    )


def _price(money: float | None) -> str:
    return "no price" if money is None else f"{money:.4f}"


def asks_model(part: Estimate | RunEstimate) -> bool:
    """Whether a part of a job takes calls that are not kept."""
    return part.calls_at_most > 0 if isinstance(part, RunEstimate) else part.calls > part.cached


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


def _in_money(amount: float | None) -> str:
    return "" if amount is None else f", {amount:.4f} in money"


def _about(likely: str, at_most: str) -> str:
    return f"{likely} ({at_most})"
