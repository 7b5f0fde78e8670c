"""Pictures of a report as inline SVG. Colours are classes, which the page's style knows in light, in dark and on paper."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .numbers import Bins, Floats, count_text, number_text, power_text

WIDTH, HEIGHT = 380.0, 220.0
TOP, RIGHT, BOTTOM = 10.0, 12.0, 36.0
DECADES = 8  # of errors over time
MAX_LETTERS = 8
LETTER = 7.0  # width of a digit, of the widest fonts that browsers take


def escaped(text: object) -> str:
    return html.escape(str(text), quote=True)


@dataclass(frozen=True)
class Axis:
    """Numbers from `low` to `high` on a line from `start` to `end` of the picture."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, values: Floats | float) -> Floats:
        own, low, high = np.asarray(values, dtype=np.float64), self.low, self.high
        if self.is_log:
            with np.errstate(divide="ignore", invalid="ignore"):
                own, low, high = np.log10(np.maximum(own, self.low)), math.log10(low), math.log10(high)
        return self.start + (own - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int) -> Floats:
        """Round numbers, `most` of them or fewer."""
        if self.is_log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, -(-(last - first + 1) // max(1, most)))
            return 10.0 ** np.arange(first, last + 1, step, dtype=np.float64)
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(span / max(1, most)))
        step = next(power * digit for digit in (1, 2, 5, 10, 20, 50) if span / (power * digit) <= most)
        own = np.arange(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1) * step
        return own + 0.0

    def labels(self, ticks: Floats) -> tuple[list[str], str]:
        """Texts of ticks, and of the power of ten that is to be multiplied with ("" for 1)."""
        if self.is_log:
            return [f"10{power_text(round(math.log10(tick)))}" for tick in ticks], ""
        largest = float(np.abs(ticks).max(initial=0.0))
        if largest == 0.0:
            return ["0"] * len(ticks), ""
        power = math.floor(math.log10(largest) + 1e-12)
        power = 0 if -3 <= power <= 4 else power
        own = ticks / 10.0**power
        step = own[1] - own[0] if len(own) > 1 else abs(own[0])
        decimals = int(np.clip(-math.floor(math.log10(step) + 1e-9), 0, 12))
        texts = [f"{value:.{decimals}f}".replace("-", "−") for value in own]
        if max(map(len, texts)) > MAX_LETTERS and len(ticks) > 1:
            # Small differences of large numbers: the number of the middle is told once.
            base = ticks[len(ticks) // 2]
            texts, factor = self.labels(ticks - base)
            return texts, f"{factor} + {base:.12g}".replace("-", "−").strip()
        return texts, f"×10{power_text(power)}" if power else ""


def axis_of(
    values: Iterable[Floats | float], start: float, end: float, *, is_log: bool = False, pad: float = 0.04, decades: int = 16
) -> Axis:
    """Wide enough for all finite numbers among `values`; logarithmic: for the positive ones, but no more than so many decades."""
    own = np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)).ravel() for part in values])
    own = own[np.isfinite(own)]
    if is_log:
        own = own[own > 0.0]
        low, high = (float(own.min()), float(own.max())) if len(own) else (0.1, 1.0)
        first = math.floor(math.log10(max(low, 1e-300)))
        last = max(math.ceil(math.log10(high)), first + 1)
        return Axis(10.0 ** max(first, last - decades), 10.0**last, start, end, True)
    low, high = (float(own.min()), float(own.max())) if len(own) else (0.0, 1.0)
    # Spreads of round-off are no spreads that an axis could tell.
    half = 0.5 * (high - low)
    least = 1e-12 * max(abs(low), abs(high)) or 0.5
    if half < least:
        middle, half = 0.5 * (low + high), least if half > 0.0 else (0.05 * max(abs(low), abs(high)) or 0.5)
        low, high = middle - half, middle + half
    return Axis(low - pad * (high - low), high + pad * (high - low), start, end)


# -- parts


def numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.2f}".rstrip("0").rstrip(".") for value in values)


def line_path(x: Floats, y: Floats) -> str:
    """Through the points that are numbers; it is broken where they are not. A point by itself is a dot."""
    parts = []
    for rows in _runs(np.isfinite(x) & np.isfinite(y)):
        points = np.stack([x[rows], y[rows]], axis=1)
        if len(points) == 1:
            points = np.array([[points[0, 0] - 1.0, points[0, 1]], [points[0, 0] + 1.0, points[0, 1]]])
        parts.append("M" + "L".join(numbers(point) for point in points))
    return "".join(parts)


def band_path(x: Floats, low: Floats, high: Floats) -> str:
    """The area between two lines."""
    parts = []
    for rows in _runs(np.isfinite(x) & np.isfinite(low) & np.isfinite(high)):
        there = [numbers(point) for point in zip(x[rows], high[rows], strict=True)]
        back = [numbers(point) for point in zip(x[rows][::-1], low[rows][::-1], strict=True)]
        parts.append("M" + "L".join(there + back) + "Z")
    return "".join(parts)


def _runs(mask: np.ndarray) -> list[slice]:
    """Slices of the neighbouring rows that are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [slice(a, b) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]


def svg(inner: str, label: str, width: float = WIDTH, height: float = HEIGHT, kind: str = "", data: str = "") -> str:
    """`label` is what stands for the picture where it is not seen."""
    style = f' class="{kind}"' if kind else ""
    style += f' style="max-width:{1.2 * width:.0f}px"' if kind == "matrix" else ""
    return (
        f'<svg viewBox="0 0 {numbers([width])} {numbers([height])}" role="img" aria-label="{escaped(label)}"{style}{data}>'
        f"{inner}</svg>"
    )


def text(x: float, y: float, words: str, kind: str = "tick", anchor: str = "middle", whole: str = "") -> str:
    """`whole`: what is shown at the pointer, where the words are cut."""
    told = f"<title>{escaped(whole)}</title>" if whole not in ("", words) else ""
    return f'<text x="{numbers([x])}" y="{numbers([y])}" class="{kind}" text-anchor="{anchor}">{told}{escaped(words)}</text>'


def axis_name(at: tuple[float, float], words: str, factor: str, room: float, anchor: str = "middle") -> str:
    """The name of an axis and its power of ten. A name that is too wide for `room` is cut in front; the power never is."""
    left = room - _room_for([factor]) - LETTER if factor else room
    shown = words
    while len(shown) > 4 and _room_for([shown]) > left:
        shown = f"…{shown[2:]}" if shown.startswith("…") else f"…{shown[1:]}"
    whole = " ".join(filter(None, (words, factor)))
    return text(*at, " ".join(filter(None, (shown, factor))), "name", anchor, whole)


def path(d: str, kind: str) -> str:
    return f'<path d="{d}" class="{kind}"/>' if d else ""


def rect(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> str:
    told = f"<title>{escaped(title)}</title>" if title else ""
    place = f'x="{numbers([x])}" y="{numbers([y])}" width="{numbers([max(0.0, width)])}" height="{numbers([max(0.0, height)])}"'
    return f'<rect {place} class="{kind}">{told}</rect>'


def segment(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return path(f"M{numbers([x1, y1])}L{numbers([x2, y2])}", kind)


def left_margin(axis: Axis, most: int) -> float:
    labels, _ = axis.labels(axis.ticks(most))
    return 14.0 + LETTER * max(map(len, labels), default=1)


def frame(x: Axis, y: Axis, x_label: str, y_label: str, *, n_x: int = 6, n_y: int = 5) -> str:
    """Lines of the grid, numbers at the axes and their names. y runs upward, from `y.start` at the bottom."""
    parts = []
    ticks = y.ticks(n_y)
    labels, factor = y.labels(ticks)
    for tick, label in zip(ticks, labels, strict=True):
        at = float(y.at(tick))
        parts += [segment(x.start, at, x.end, at, "grid"), text(x.start - 5, at + 3.5, label, anchor="end")]
    y_factor, most = factor, n_x
    while most > 1:
        ticks = x.ticks(most)
        labels, factor = x.labels(ticks)
        if (len(max(labels, key=len, default="")) + 2) * LETTER * len(ticks) <= x.end - x.start or x.is_log:
            break
        most -= 1
    for tick, label in zip(ticks, labels, strict=True):
        at = float(x.at(tick))
        parts += [segment(at, y.start, at, y.start + 4, "axis"), _tick_below(at, x, y, label)]
    parts.append(segment(x.start, y.start, x.end, y.start, "axis"))
    middle = 0.5 * (x.start + x.end)
    parts.append(axis_name((middle, y.start + 31), x_label, factor, 2.0 * min(middle, x.end + RIGHT - middle)))
    if y_label or y_factor:
        parts.append(axis_name((2, 12), y_label, y_factor, x.end + RIGHT - 4, "start"))
    return "".join(parts)


def _tick_below(at: float, x: Axis, y: Axis, label: str) -> str:
    """In the middle below its place, or so far from there that the picture holds it."""
    return text(min(at, x.end + RIGHT - 0.5 * LETTER * len(label) - 2.0), y.start + 15, label)


# -- pictures


def histogram_chart(
    bins: Bins, x_label: str, label: str, *, marks: Sequence[tuple[float, str, str]] = (), is_log: bool = False
) -> str:
    """Counts over values. `marks` are values with a class of line and a word."""
    left, bottom = 14.0 + LETTER * max(3, len(count_text(int(bins.counts.max())))), HEIGHT - BOTTOM
    extra = [mark for mark, _, _ in marks if math.isfinite(mark)] if is_log else []
    x = axis_of([bins.low, bins.high, *extra], left, WIDTH - RIGHT, is_log=is_log, pad=0.0 if bins.values is None else 0.05)
    y = Axis(0.0, 1.08 * max(1, int(bins.counts.max())), bottom, TOP + 20)
    parts = [frame(x, y, x_label, "instances", n_y=4)]
    for count, a, b in zip(bins.counts.tolist(), bins.low, bins.high, strict=True):
        if count:
            start, end, top = float(x.at(a)), float(x.at(b)), float(y.at(count))
            between = f"{number_text(a, 5)} to {number_text(b, 5)}" if bins.values is None else number_text(0.5 * (a + b), 6)
            parts.append(rect(start + 0.4, top, end - start - 0.8, bottom - top, "bar", f"{between}: {count_text(count)}"))
    free = 0.0
    for mark, kind, word in marks:
        if math.isfinite(mark) and min(x.low, x.high) <= mark <= max(x.low, x.high):
            at = float(x.at(mark))
            parts.append(segment(at, bottom, at, y.end, f"mark {kind}"))
            if at > free:
                parts.append(text(min(at, WIDTH - 0.5 * LETTER * len(word) - 1.0), y.end - 4, word, "tick"))
                free = at + 5.0 * LETTER
    return svg("".join(parts), label)


@dataclass(frozen=True)
class Curves:
    """Numbers over time, [T] each: those that are not there are None. `names` say what they are."""

    time: Floats
    middle: Floats
    low: Floats | None = None
    high: Floats | None = None
    least: Floats | None = None
    most: Floats | None = None
    names: tuple[str, str, str] = ("median", "5 %", "95 %")

    def columns(self) -> dict[str, Floats]:
        own = {"min": self.least, self.names[1]: self.low, self.names[0]: self.middle, self.names[2]: self.high, "max": self.most}
        return {name: column for name, column in own.items() if column is not None}


def curves_chart(own: Curves, unit: str, label: str, *, is_log: bool = False) -> str:
    """A band, its middle and its extremes. The page's script reads the numbers at the pointer from `data-curves`."""
    columns, bottom = own.columns(), HEIGHT - BOTTOM
    y = axis_of(columns.values(), bottom, TOP + 16, is_log=is_log, decades=DECADES)
    x = axis_of([own.time], left_margin(y, 5), WIDTH - RIGHT, pad=0.0)
    at = x.at(own.time)
    parts = [frame(x, y, "t in s", unit)]
    for extreme in (own.least, own.most):
        if extreme is not None:
            parts.append(path(line_path(at, y.at(extreme)), "extreme"))
    if own.low is not None and own.high is not None:
        parts.append(path(band_path(at, y.at(own.low), y.at(own.high)), "band"))
    parts.append(path(line_path(at, y.at(own.middle)), "line"))
    parts.append(f'<path class="cursor" d="M0 {numbers([y.end])}V{numbers([y.start])}"/>')
    told = {"start": round(x.start, 2), "end": round(x.end, 2), "unit": unit, "t": _short(own.time)}
    told |= {"columns": {name: _short(column) for name, column in columns.items()}}
    data = f' data-curves="{escaped(json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":")))}"'
    return svg("".join(parts), label, kind="curves", data=data)


def _short(column: Floats) -> list[float | None]:
    """Six digits, which is more than is read off; None where there is no number."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in column.tolist()]


def paths_chart(middle: Floats, low: Floats | None, high: Floats | None, names: tuple[str, str], label: str) -> str:
    """A point's way in the plane [T, 2], and the boxes between `low` and `high` on it, each joined with the next."""
    size = 300.0
    everything = [middle, *(part for part in (low, high) if part is not None)]
    spans = [np.concatenate([part[:, i] for part in everything]) for i in range(2)]
    spans = [own[np.isfinite(own)] for own in spans]
    if any(len(own) == 0 for own in spans):
        return ""
    centers = [0.5 * (own.min() + own.max()) for own in spans]
    half = 0.54 * max(float(np.ptp(own)) for own in spans) or 0.5
    y = Axis(centers[1] - half, centers[1] + half, size, TOP + 16)
    left = left_margin(y, 6)
    x = Axis(centers[0] - half, centers[0] + half, left, left + size - TOP - 16)
    parts = [frame(x, y, f"{names[0]} in m", f"{names[1]} in m", n_y=6)]
    if low is not None and high is not None:
        boxes = np.stack([x.at(low[:, 0]), y.at(low[:, 1]), x.at(high[:, 0]), y.at(high[:, 1])], axis=1)
        parts.append(path("".join(_hull_path(a, b) for a, b in itertools.pairwise(boxes) if np.isfinite([a, b]).all()), "band"))
    parts.append(path(line_path(x.at(middle[:, 0]), y.at(middle[:, 1])), "line"))
    return svg("".join(parts), label, width=left + size - TOP - 16 + RIGHT, height=size + BOTTOM, kind="way")


def _hull_path(a: Floats, b: Floats) -> str:
    """The convex hull of two boxes (x1, y1, x2, y2), always turning the same way, so that hulls that overlap are one area."""
    corners = sorted({(float(box[i]), float(box[j])) for box in (a, b) for i in (0, 2) for j in (1, 3)})
    if len(corners) < 3:
        return ""
    chains = []
    for ordered in (corners, corners[::-1]):
        chain: list[tuple[float, float]] = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return "M" + "L".join(numbers(p) for p in chains) + "Z"


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@dataclass(frozen=True)
class Bar:
    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    kind: str = "bar"


def bars_chart(groups: Sequence[Sequence[Bar]], x_label: str, label: str, *, span: tuple[float, float] | None = None) -> str:
    """Bars from 0 with intervals, several for a name one below the other."""
    rows = sum(map(len, groups))
    high = 14.0 if max(map(len, groups)) > 1 else 17.0
    height = 8.0 + rows * high + 6.0 * len(groups) + BOTTOM
    names = [_cut(own[0].name) for own in groups]
    left = 12.0 + _room_for(names)
    every = [bar for own in groups for bar in own]
    ends = [0.0, *(v for bar in every for v in (bar.value, bar.low, bar.high))]
    x = Axis(*span, left, WIDTH - RIGHT) if span else axis_of([np.array(ends)], left, WIDTH - RIGHT)
    y = Axis(0.0, 1.0, height - BOTTOM, 4.0)
    parts, at = [], 8.0
    ticks = x.ticks(5)
    labels, factor = x.labels(ticks)
    for tick, word in zip(ticks, labels, strict=True):
        place = float(x.at(tick))
        parts += [segment(place, y.end, place, y.start, "grid"), _tick_below(place, x, y, word)]
    parts.append(axis_name((0.5 * (x.start + x.end), y.start + 31), x_label, factor, x.end - x.start + 2 * RIGHT))
    for name, own in zip(names, groups, strict=True):
        parts.append(text(left - 6, at + 0.5 * high * len(own) + 3.5, name, "label", "end", own[0].name))
        for bar in own:
            parts.append(_bar(bar, x, at, high))
            at += high
        at += 6.0
    zero = float(x.at(0.0))
    parts.append(segment(zero, y.end, zero, y.start, "axis"))
    return svg("".join(parts), label, height=height)


def _bar(bar: Bar, x: Axis, at: float, high: float) -> str:
    """With its interval; what lies beyond the axis is cut."""
    made, zero = "", float(x.at(0.0))
    if math.isfinite(bar.value):
        end = float(np.clip(x.at(bar.value), x.start, x.end))
        words = f"{bar.name}: {number_text(bar.value, 4)}"
        if math.isfinite(bar.low):
            words += f", {number_text(bar.low, 3)} to {number_text(bar.high, 3)}"
        made += rect(min(zero, end), at + 2, abs(end - zero), high - 4, bar.kind, words)
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        a, b = (float(np.clip(x.at(v), x.start, x.end)) for v in (bar.low, bar.high))
        c = at + 0.5 * high
        made += path(f"M{numbers([a, c])}H{numbers([b])}M{numbers([a, c - 3])}v6M{numbers([b, c - 3])}v6", "whisker")
    return made


def _room_for(names: Sequence[str]) -> float:
    """The width of the longest of some names."""
    return max(sum(1.6 * LETTER if letter in "mwMW…—" else LETTER for letter in name) for name in names)


def _cut(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"


def matrix_chart(
    names: Sequence[str], values: Floats, label: str, n_first: int = 0, *, strength: float = 1.0, halves: Floats | None = None
) -> str:
    """Numbers from −strength to strength as coloured squares, NaN as empty ones; a line parts the first `n_first` names from the
    others. `halves`: of the widths of their intervals; where these hold 0 the square is empty."""
    n = len(names)
    cell = float(np.clip(560.0 / n, 20.0, 44.0))
    cut = [_cut(name) for name in names]
    room = 12.0 + _room_for(cut)
    size = room + n * cell + 4
    parts = []
    for i, name in enumerate(cut):
        at = (i + 0.5) * cell
        parts.append(text(room - 5, 4 + at + 3.5, name, "label", "end", names[i]))
        x, y = room + at + 3.5, 4 + n * cell + 8
        turned = f'transform="translate({numbers([x, y])}) rotate(-90)"'
        told = f"<title>{escaped(names[i])}</title>" if name != names[i] else ""
        parts.append(f'<text {turned} class="label" text-anchor="end">{told}{escaped(name)}</text>')
        for j in range(n):
            value = float(values[i, j])
            if not math.isfinite(value):
                parts.append(rect(room + j * cell, 4 + i * cell, cell - 1, cell - 1, "none"))
                continue
            weight = min(1.0, abs(value) / strength) if strength > 0.0 else 0.0
            if halves is not None and not abs(value) > halves[i, j]:
                weight = 0.0  # not to be told from nothing
            told = f"{names[i]}, {names[j]}: {number_text(value, 3)}"
            told += f" ± {number_text(float(halves[i, j]), 2)}" if halves is not None and math.isfinite(halves[i, j]) else ""
            square = rect(room + j * cell, 4 + i * cell, cell - 1, cell - 1, "plus" if value >= 0 else "minus", told)
            parts.append(square.replace("<rect ", f'<rect fill-opacity="{weight:.3f}" ', 1))
            if cell >= 30.0:
                word = f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
                parts.append(
                    text(room + (j + 0.5) * cell, 4 + (i + 0.5) * cell + 3.5, word, "cell strong" if weight > 0.6 else "cell")
                )
    if 0 < n_first < n:
        a = 4 + n_first * cell - 0.5
        parts += [segment(room, a, room + n * cell, a, "axis"), segment(room + a - 4, 4, room + a - 4, 4 + n * cell, "axis")]
    return svg("".join(parts), label, width=size, height=4 + n * cell + room, kind="matrix")


def cloud_chart(x_values: Floats, y_values: Floats, names: tuple[str, str], label: str) -> str:
    """Dots, of some thousand instances at most."""
    y = axis_of([y_values], HEIGHT - BOTTOM, TOP + 16)
    x = axis_of([x_values], left_margin(y, 5), WIDTH - RIGHT)
    dots = "".join(f"M{numbers(p)}h0" for p in zip(x.at(x_values), y.at(y_values), strict=True))
    return svg(frame(x, y, *names) + path(dots, "dots"), label)
