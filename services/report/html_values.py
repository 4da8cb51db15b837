"""How the values of a report are written in a page: numbers, names, and why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kg.text.words import write_out
from services.statistics.clustered_means import ClusterInterval
from services.statistics.intervals import Interval
from services.statistics.trend import Correlation

DASH = "\u2014"
MINUS = "\u2212"
SMALL_MARK = "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """A table's cell: its text, lines in smaller type below, and how it is marked.

    `small` marks a figure that rests on fewer than 20 answers; `code` an id or a name of a program.
    `undefined` tells that there is no value, and the text says why.
    """

    text: str | Markup
    notes: tuple[str | Markup, ...] = ()
    small: bool = False
    code: bool = False
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A table's row under its header."""

    header: str | Markup
    entries: tuple[Entry, ...]
    total: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column's header; numbers stand on the right."""

    label: str | Markup
    number: bool = True


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with its caption, what its rows are, and sentences below that say how to read it.

    A `folded` one is opened by whoever wants to see it.
    """

    caption: str | Markup
    corner: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str | Markup, ...] = ()
    folded: bool = False

    @property
    def marked(self) -> bool:
        """Whether a cell carries the mark of small numbers."""
        return any(entry.small for row in self.rows for entry in row.entries)


def visible(text: str) -> str:
    """The text with characters that are not seen or that turn it around written out, such as \\u202e.

    Line ends and tabs stay: a page shows them as blanks.
    """
    return write_out(text)


def name(text: str) -> Markup:
    """A name as data inside a sentence: its own direction of writing, no markup."""
    return Markup("<bdi>{}</bdi>").format(visible(text))


def none(why: str) -> Entry:
    """A cell without a value, which says why there is none."""
    return Entry(why, undefined=True)


def percent(share: float) -> str:
    """A share as whole per cent; a share that is not quite 0 or 1 is never written as if it were."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


FEW = 5
"""Of fewer answers a sentence tells the numbers, not a percentage."""


def wrong_words(error_rate: float, answers: int, which: str = "of its", rest: str = "") -> str:
    """How many answers are wrong: "60% of its answers are wrong", of fewer than five "both of its 2 answers".

    `which` and `rest` tell whose answers: "of the 2 answers resting on it".
    """
    if answers >= FEW:
        return f"{percent(error_rate)} {which} answers{rest} are wrong"
    wrong = round(error_rate * answers)
    if answers == 1:
        return f"{which.removeprefix('of ')} one answer{rest} is {'wrong' if wrong else 'right'}"
    number = "none" if not wrong else str(wrong) if wrong < answers else "both" if answers == 2 else "all"
    return f"{number} {which} {answers} answers{rest} {'is' if wrong < 2 else 'are'} wrong"


def share_or_counts(share: float, answers: int | None) -> str:
    """A share of answers as per cent, of fewer than five as "2 of 3"; None where their number isn't known."""
    if answers is None or answers >= FEW:
        return percent(share)
    return f"{round(share * answers)} of {answers}"


def percent_range(interval: Interval | ClusterInterval) -> str:
    """An interval of a share."""
    return f"{100 * interval.low:.0f}\u2013{100 * interval.high:.0f}%"


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, +0.71 or \u22120.20, and 0.00 without one."""
    text = f"{abs(value):.{digits}f}"
    if not any(digit in text for digit in "123456789"):
        return text
    return f"{'+' if value > 0 else MINUS}{text}"


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign."""
    return signed(100 * difference, 1)


def points_range(interval: Interval) -> str:
    """An interval of a difference in percentage points."""
    return f"{points(interval.low)} to {points(interval.high)}"


def p_text(p: float) -> str:
    """A p-value."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def whole(number: float) -> str:
    """A count with separators of thousands."""
    return f"{number:,.0f}"


def listed(words: Sequence[str]) -> str:
    """Words as in a sentence: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def plural(number: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{whole(number)} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A length of time in the units that a person would use."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{whole(hours)} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def short_time(seconds: float) -> str:
    """A length of time of which thousandths may matter: "24 ms", "<1 ms", from a second on as `duration`."""
    if seconds >= 1:
        return duration(seconds)
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else "<1 ms"


def correlation_entry(found: Correlation | None, n: bool = True) -> Entry:
    """A correlation with the number of its pairs, or why it is undefined."""
    if found is None:
        return none("undefined")
    return Entry(signed(found.r), (f"n {whole(found.n)}",) if n else ())


def range_entry(interval: Interval | ClusterInterval | None, why: str) -> Entry:
    """An interval of a share, or why there is none."""
    return none(why) if interval is None else Entry(percent_range(interval))
