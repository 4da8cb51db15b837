"""Where the chain of hops broke first, as one bar a depth."""

from collections.abc import Sequence

from markupsafe import Markup

from services.report import svg
from services.report.content import HopLoss
from services.report.html_values import percent, plural

_LOSSES_LEFT, _LOSSES_TOP, _LOSSES_BAR, _LOSSES_STEP, _LOSSES_SIZE = 66.0, 6.0, 26.0, 42.0, 11.0


def loss_chart(losses: Sequence[HopLoss], run: str) -> svg.Drawing:
    """Bars of all the wrong answers of a depth, cut by where the chain broke."""
    shapes: list[Markup] = []
    for index, loss in enumerate(losses):
        y = _LOSSES_TOP + index * _LOSSES_STEP
        shapes += [
            svg.text(_LOSSES_LEFT - 6, y + 12, f"{loss.hops} hops", "label", "end"),
            svg.text(_LOSSES_LEFT - 6, y + 25, f"n {loss.wrong:,}", "tiny", "end"),
            *_bar(loss, y),
        ]
    bottom = _LOSSES_TOP + max(1, len(losses)) * _LOSSES_STEP - (_LOSSES_STEP - _LOSSES_BAR)
    shapes += _axis(bottom)
    return svg.Drawing(
        title=f"Where the wrong answers of {run} went wrong first, by reasoning depth",
        desc=" ".join(map(_in_words, losses)) or "No wrong answers to chain questions.",
        height=bottom + 26,
        shapes=svg.group(shapes),
    )


def loss_parts(loss: HopLoss) -> list[tuple[str, str, int]]:
    """The parts of a bar: class, name and number of answers, the empty ones too."""
    return [
        *((f"hop-{hop}", f"hop {hop}", lost) for hop, lost in enumerate(loss.retrieval, start=1)),
        ("reasoning", "reasoning", loss.reasoning),
        ("failed", "error", loss.errors),
        ("untold", "not told", loss.untold),
    ]


def _bar(loss: HopLoss, y: float) -> list[Markup]:
    width = svg.WIDTH - _LOSSES_LEFT - 2
    parts = loss_parts(loss)
    whole = sum(number for *_, number in parts)
    if not whole:
        return [
            svg.box(_LOSSES_LEFT, y, width, _LOSSES_BAR, class_="empty"),
            svg.text(_LOSSES_LEFT + width / 2, y + 17, "no wrong answers", "tiny"),
        ]
    shapes = []
    x = _LOSSES_LEFT
    for class_, _, number in parts:
        part = width * number / whole
        if number:
            shapes.append(svg.box(x, y, part, _LOSSES_BAR, class_=f"{class_} part"))
            words = percent(number / whole)
            if svg.text_width(words, _LOSSES_SIZE) + 4 <= part:
                shapes.append(svg.text(x + part / 2, y + 17, words, f"share {class_}-ink"))
        x += part
    return shapes


def _axis(y: float) -> list[Markup]:
    width = svg.WIDTH - _LOSSES_LEFT - 2
    ticks = ((0.0, "0%", "start"), (0.5, "50%", "middle"), (1.0, "100%", "end"))
    return [
        *(
            svg.line(_LOSSES_LEFT + width * share, y + 3, _LOSSES_LEFT + width * share, y + 7, "axis")
            for share, *_ in ticks
        ),
        *(
            svg.text(_LOSSES_LEFT + width * share, y + 19, words, "tiny", anchor)
            for share, words, anchor in ticks
        ),
    ]


def _in_words(loss: HopLoss) -> str:
    parts = [f"{name} {number}" for _, name, number in loss_parts(loss) if number]
    return f"{loss.hops} hops, {plural(loss.wrong, 'wrong answer')}: {', '.join(parts) or 'none'}."
