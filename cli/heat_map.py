"""Matrices and shares as text blocks: readable without colour, and where blocks can't be shown."""

from collections.abc import Sequence

from rich.text import Text

from cli.console import out, say
from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL, Cell, Matrix
from services.report.content import Rate

SHADES, PLAIN_SHADES = "\u2591\u2592\u2593\u2588", ".:+#"
BAR, PLAIN_BAR = "\u2588\u2591", "#."
STYLES = ("green", "yellow", "dark_orange", "red")
BAR_WIDTH = 20
_NARROW, _COLUMN = 8, 12


def print_heat_map(title: str, found: Matrix) -> None:
    """Error rates of a matrix, each behind a block that is the darker the higher it is."""
    shades = _shown(SHADES, PLAIN_SHADES)
    say(title, "italic")
    out.print(" " * _NARROW + "".join(f"{name:<{_COLUMN}}" for name in BIN_NAMES.values()).rstrip())
    for depth in DEPTHS:
        line = Text(f"{f'{depth} hops':<{_NARROW}}")
        for quartile in BINS:
            line.append_text(_block(found.cell(depth, quartile), shades))
        line.rstrip()
        out.print(line)
    say(
        f"{shades[0]} up to .25, {shades[1]} to .50, {shades[2]} to .75, {shades[3]} above; "
        f"* fewer than {SMALL} questions; - none.",
        "dim",
    )


def print_bars(title: str, rates: Sequence[Rate]) -> None:
    """Shares as bars, with their numbers and intervals."""
    full, empty = tuple(_shown(BAR, PLAIN_BAR))
    say(title, "italic")
    width = max((len(rate.name) for rate in rates), default=0)
    for rate in rates:
        if rate.rate is None:
            say(f"{rate.name:<{width}}  -")
            continue
        filled = round(rate.rate * BAR_WIDTH)
        span = f"{rate.interval.low:.2f} to {rate.interval.high:.2f}" if rate.interval else ""
        mark = "*" if rate.small else " "
        say(
            f"{rate.name:<{width}}  {full * filled}{empty * (BAR_WIDTH - filled)}  {rate.rate:.2f} {span}  "
            f"({rate.n:,}){mark}".rstrip()
        )


def _block(cell: Cell, shades: str) -> Text:
    if cell.error_rate is None:
        return Text(f"{'-':<{_COLUMN}}")
    level = min(len(shades) - 1, max(0, -(-int(cell.error_rate * 1_000_000) // 250_000) - 1))
    mark = "*" if cell.small else ""
    words = f" {cell.error_rate:.2f}{mark}"
    shown = Text(shades[level] * 4, style=STYLES[level])
    return shown.append(f"{words:<{_COLUMN - 4}}", style="default")


def _shown(wanted: str, plain: str) -> str:
    """The characters that are wanted, or plain ones where the stream's encoding lacks them."""
    try:
        wanted.encode(out.encoding)
    except UnicodeEncodeError:
        return plain
    return wanted
