"""Line charts as SVG text: they need no script and no network, and print as they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 480, 220
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 10, 42
MOST_TICKS = 6

Values = Sequence[float | None]
Format = Callable[[float], str]


@dataclass(frozen=True)
class Line:
    """One line: values over `x`, gaps where a value is None. `colour` is the name of a colour of the style sheet.

    `markers` sets a point at each value, with its own value to be read by pointing at it. `steps` holds a value until
    the next one.
    """

    name: str
    colour: str
    x: Sequence[float]
    y: Values
    markers: bool = False
    steps: bool = False
    dashed: bool = False

    def points(self) -> list[tuple[float, float]]:
        return [(float(x), float(y)) for x, y in zip(self.x, self.y, strict=True) if y is not None and math.isfinite(y)]


def drawn(
    lines: Sequence[Line],
    *,
    title: str,
    x_title: str,
    say: Format,
    from_zero: bool = False,
    colour_of: Callable[[str], str] = lambda name: f"var(--{name})",
) -> str:
    """An SVG of `lines` over updates, with `title` for who can't see it; empty where there is no point to draw."""
    points = [point for line in lines for point in line.points()]
    if not points:
        return ""
    across = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Axis([y for _, y in points] + ([0.0] if from_zero else []), HEIGHT - BOTTOM, TOP, room=0.04)
    ink, soft, grid = colour_of("ink"), colour_of("ink-soft"), colour_of("grid")
    parts = []
    for value in up.ticks():
        y = up.at(value)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{grid}"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{soft}">{escape(say(value))}</text>'
        )
    for value in filter(float.is_integer, across.ticks()):
        parts.append(
            f'<text x="{across.at(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="{soft}">'
            f"{escape(f'{value:,.10g}')}</text>"
        )
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" text-anchor="middle" fill="{soft}">'
        f"{escape(x_title)}</text>"
    )
    for line in lines:
        parts.append(_path(line, across, up, colour_of(line.colour)))
        if line.markers:
            parts += [
                f'<circle cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="3.5" fill="{colour_of(line.colour)}">'
                f"<title>{escape(f'{line.name} · {x:,.10g} · {say(y)}')}</title></circle>"
                for x, y in line.points()
            ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" color="{ink}" '
        f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _path(line: Line, across: _Axis, up: _Axis, colour: str) -> str:
    commands, draws = [], False
    for x, y in zip(line.x, line.y, strict=True):
        if y is None or not math.isfinite(y):
            draws = False
            continue
        here = f"{across.at(x):.1f}"
        if draws and line.steps:
            commands.append(f"H{here}V{up.at(y):.1f}")
        else:
            commands.append(f"{'L' if draws else 'M'}{here} {up.at(y):.1f}")
        draws = True
    if len(line.points()) == 1 and not line.markers:
        [(x, y)] = line.points()
        return f'<circle cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="3" fill="{colour}"/>'
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    how = f'fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"{dashes}'
    return f'<path d="{"".join(commands)}" {how}/>'


class _Axis:
    """Where values lie between two ends of the picture."""

    def __init__(self, values: Sequence[float], begin: float, end: float, *, room: float = 0.0) -> None:
        low, high = min(values), max(values)
        if low == high:
            low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
        self.low = low if low == 0 else low - room * (high - low)
        self.high = high + room * (high - low)
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Round numbers, some `MOST_TICKS` at most: 1, 2 or 5 times a power of ten apart."""
        span = self.high - self.low
        size: float = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
        step = next(size * factor for factor in (1, 2, 5, 10) if span / (size * factor) <= MOST_TICKS)
        first = math.ceil(self.low / step - 1e-9)
        return [(first + number) * step for number in range(MOST_TICKS + 1) if (first + number) * step <= self.high]


def number(value: float) -> str:
    """A number as an axis wants it: no more figures than it means."""
    size = abs(value)
    if size and (size < 1e-3 or size >= 1e6):
        return f"{value:.3g}"
    return f"{value:,.4g}" if size < 1000 else f"{value:,.0f}"
