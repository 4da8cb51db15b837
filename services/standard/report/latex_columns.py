r"""How wide the columns of a LaTeX table are: as they come where a line holds them, else in shares of it.

Widths are counted in characters, of which a line of LaTeX's article holds some 70 in \small and 80 in
\footnotesize.
"""

from collections.abc import Sequence
from math import ceil, floor

GAP = 3
"""Characters that the space between two columns takes."""
LONGEST_WORD = 16
"""A longer word, such as a hash, may be broken after every so many characters."""
_DIGITS = 1_000


def column_shares(columns: Sequence[Sequence[str]], room: int) -> tuple[float, ...] | None:
    """The share of the line for each column, from the lines of text in its cells; None where all fit.

    Each column has room for its longest word, up to LONGEST_WORD, if that can be; what is left goes to those
    that have the longest lines to break.
    """
    longest = [max((len(line) for line in column), default=0) for column in columns]
    if sum(longest) + GAP * len(columns) <= room:
        return None
    words = [min(LONGEST_WORD, max(map(len, " ".join(column).split()), default=0)) for column in columns]
    wanted = [line - word for line, word in zip(longest, words, strict=True)]
    left = max(0, room - sum(words) - GAP * len(columns))
    each = left / sum(wanted) if any(wanted) else 0.0
    widths = [word + GAP + each * more for word, more in zip(words, wanted, strict=True)]
    return tuple(floor(_DIGITS * width / sum(widths)) / _DIGITS for width in widths)


def row_height(cells: Sequence[Sequence[str]], shares: Sequence[float] | None, room: int) -> int:
    """How many lines a row takes, about, from the lines of text in its cells."""
    if shares is None:
        return max(map(len, cells))
    widths = [max(1.0, share * room - GAP) for share in shares]
    return max(
        sum(ceil(len(line) / width) for line in cell) for cell, width in zip(cells, widths, strict=True)
    )


def column_form(shares: Sequence[float] | None, sides: Sequence[str]) -> str:
    """The columns as `tabular` wants them: l and r, or paragraphs of these shares that are ragged so."""
    if shares is None:
        return "".join(sides)
    ragged = {"l": r"\raggedright", "r": r"\raggedleft"}
    return "".join(
        rf">{{{ragged[side]}\arraybackslash}}p{{\dimexpr{share:.3f}\linewidth-2\tabcolsep\relax}}"
        for share, side in zip(shares, sides, strict=True)
    )
