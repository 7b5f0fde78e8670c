"""What a report says of numbers: summaries, histograms, ranks and correlations, and the digits that they are shown with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_BINS = 60
MAX_VALUES_OF_ITS_OWN = 12  # a quantity of so few values has a bar for each
LEVELS = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Summary:
    """Of the finite numbers among those given. The interval of the mean is that of independent draws, 95 %; NaN where n < 2."""

    n: int
    n_nan: int
    n_infinite: int
    mean: float
    sd: float  # with n − 1
    mean_low: float
    mean_high: float
    skewness: float  # m₃ / m₂^1.5 of the central moments with n, as /statistics has it; NaN where all are alike
    minimum: float
    q05: float
    median: float
    q95: float
    maximum: float


def summary_of(values: Floats) -> Summary:
    """`values` [N], of which NaN and infinite ones are counted and left out."""
    good = values[np.isfinite(values)]
    n, n_nan = len(good), int(np.isnan(values).sum())
    n_infinite = len(values) - n - n_nan
    if n == 0:
        return Summary(0, n_nan, n_infinite, *[math.nan] * 10)
    # About the first one, so that equal numbers have a spread of 0 and their own mean.
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(good[0] + np.mean(good - good[0]))
        off = good - mean
        sd = float(np.sqrt(np.sum(off**2) / (n - 1))) if n > 1 else math.nan
        scaled = off / (np.abs(off).max() or 1.0)  # cubes that neither overflow nor vanish
        skewness = float(np.mean(scaled**3) / np.mean(scaled**2) ** 1.5) if scaled.any() else math.nan
    half = student_factor(n - 1) * sd / math.sqrt(n) if n > 1 else math.nan
    q05, median, q95 = map(float, np.quantile(good, LEVELS))
    ends = float(good.min()), q05, median, q95, float(good.max())
    return Summary(n, n_nan, n_infinite, mean, sd, mean - half, mean + half, skewness, *ends)


def student_factor(freedoms: int) -> float:
    """The 97.5 % quantile of Student's distribution, to some 1e-12: of up to 200 freedoms by the finite series of its distribution
    function (Abramowitz and Stegun 26.7.3 and 26.7.4), above by the expansion 26.7.5, whose next term is below 1e-11."""
    if freedoms > 200:
        z = 1.959963984540054
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term / freedoms ** (i + 1) for i, term in enumerate(terms))
    low, high = 0.0, 0.5 * math.pi  # of the angle whose tangent is t/√ν
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _student_inside(middle, freedoms) < 0.95 else (low, middle)
    return math.sqrt(freedoms) * math.tan(0.5 * (low + high))


def _student_inside(angle: float, freedoms: int) -> float:
    """The probability of |t| < √ν tan(angle)."""
    c, s = math.cos(angle), math.sin(angle)
    is_odd = freedoms % 2 == 1
    term, total = (c, 0.0) if is_odd else (1.0, 0.0)
    for k in range(1 if is_odd else 0, freedoms - 1, 2):
        total += term
        term *= c * c * (k + 1) / (k + 2)
    return 2.0 / math.pi * (angle + s * total) if is_odd else s * total


# -- histograms


@dataclass(frozen=True)
class Bins:
    """Counts in bins, or of values where each has a bar, and of what lies beyond them."""

    low: Floats  # [B], where bars begin and end
    high: Floats
    counts: npt.NDArray[np.int64]  # [B]
    n_below: int
    n_above: int
    values: Floats | None  # [B]


def bins_of(values: Floats) -> Bins | None:
    """By the rule of Freedman and Diaconis, or a bar a value where there are few; None of no finite number, or of one value.

    Where some lie far off, the bins end at two widths of the middle 90 % beyond it, and those are counted at the ends.
    """
    good = np.sort(values[np.isfinite(values)])
    if len(good) == 0 or good[0] == good[-1]:
        return None
    steps = np.flatnonzero(good[1:] != good[:-1])
    if len(steps) < MAX_VALUES_OF_ITS_OWN and len(good) > 3 * (len(steps) + 1):
        return _bins_by_value(good, steps)
    q05, q25, q75, q95 = np.quantile(good, (0.05, 0.25, 0.75, 0.95))
    low, high = float(good[0]), float(good[-1])
    if 0.0 < 5.0 * (q95 - q05) < high - low:
        low, high = max(low, float(q05 - 2.0 * (q95 - q05))), min(high, float(q95 + 2.0 * (q95 - q05)))
    inside = good[(good >= low) & (good <= high)]
    width = 2.0 * (q75 - q25) / np.cbrt(len(good))
    fewest = min(8, len(good))
    wanted = (high - low) / width if width > 0.0 else MAX_BINS
    n_bins = int(np.clip(math.ceil(wanted) if math.isfinite(wanted) else MAX_BINS, fewest, MAX_BINS))
    edges = np.linspace(low, high, n_bins + 1)
    if not np.all(np.diff(edges) > 0.0) or not np.isfinite(edges).all():
        return None
    counts = np.histogram(inside, edges)[0]
    n_below, n_above = int(np.searchsorted(good, low)), len(good) - int(np.searchsorted(good, high, "right"))
    return Bins(edges[:-1], edges[1:], counts, n_below, n_above, None)


def _bins_by_value(good: Floats, steps: npt.NDArray[np.int64]) -> Bins:
    own = good[np.append(steps, len(good) - 1)]
    counts = np.diff(np.concatenate([[0], steps + 1, [len(good)]]))
    half = min(0.4 * np.diff(own).min(), 0.04 * (own[-1] - own[0]))
    return Bins(own - half, own + half, counts, 0, 0, own)


def bins_by_decades(values: Floats, reach: float = math.nan) -> Bins | None:
    """Of positive numbers: bins of equal width on a logarithmic axis that goes on to `reach`; others are counted below."""
    good = values[np.isfinite(values)]
    positive = np.log10(good[good > 0.0])
    if len(positive) == 0:
        return None
    low, high = float(positive.min()), float(positive.max())
    ends = [low, high] + ([math.log10(reach)] if math.isfinite(reach) and reach > 0.0 else [])
    step = next((step for step in (0.1, 0.25, 0.5) if max(ends) - min(ends) < 36 * step), 1.0)
    exponents = np.arange(math.floor(low / step), math.floor(high / step) + 2) * step
    counts = np.histogram(positive, exponents)[0]
    edges = 10.0**exponents
    return Bins(edges[:-1], edges[1:], counts, len(good) - len(positive), 0, None)


# -- ranks


def ranks(values: Floats) -> Floats:
    """[N] from 0 on; equal numbers share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    own = values[order]
    first = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]]))
    counts = np.diff(np.append(first, len(own)))
    found = np.empty(len(own))
    found[order] = np.repeat(first + 0.5 * (counts - 1), counts)
    return found


def correlation(x: Floats, y: Floats) -> float:
    """Of two columns [N] of finite numbers; NaN where one of them does not vary."""
    return float(correlations(np.stack([x, y]))[0, 1]) if len(x) > 2 else math.nan


def correlations(rows: Floats) -> Floats:
    """[K, K] of finite numbers [K, N]; NaN with a row that does not vary."""
    own = rows - rows[:, :1]
    own -= own.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        own /= np.abs(own).max(axis=1, keepdims=True)
        own /= np.linalg.norm(own, axis=1, keepdims=True)
        return np.clip(own @ own.T, -1.0, 1.0)


def pairwise_correlations(rows: Floats) -> Floats:
    """[K, K] of numbers [K, N], each pair over the columns in which both are finite; NaN where these are fewer than three."""
    n = len(rows)
    found = np.full((n, n), np.nan)
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(np.packbits(np.isfinite(row)).tobytes(), []).append(i)
    every = list(groups.values())
    for i, one in enumerate(every):
        for other in every[i:]:
            kept = np.isfinite(rows[one[0]]) & np.isfinite(rows[other[0]])
            if kept.sum() < 3:
                continue
            both = one + other if other is not one else one
            values = correlations(rows[both][:, kept])
            for a, row in zip(one, values, strict=False):
                found[a, other] = row[len(both) - len(other) :]
                found[other, a] = found[a, other]
    return found


def rank_interval(r: float, n: int) -> tuple[float, float]:
    """95 % interval of Spearman's coefficient of n independent draws (Bonett and Wright, Psychometrika 65, 2000)."""
    if n < 4 or not math.isfinite(r):
        return math.nan, math.nan
    if abs(r) >= 1.0:
        return r, r
    half = 1.959963984540054 * math.sqrt((1.0 + 0.5 * r * r) / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


# -- digits


def digits_of(own: Summary) -> int:
    """With which the numbers of a quantity are told: down to a thousandth of their spread, from 4 to 15."""
    largest = max(abs(own.minimum), abs(own.maximum)) if own.n else math.nan
    spread = own.sd if math.isfinite(own.sd) and own.sd > 0.0 else math.nan
    if not (math.isfinite(largest) and math.isfinite(spread)):
        return 6
    return int(np.clip(math.ceil(math.log10(largest / spread)) + 3, 4, 15))


def number_text(value: float, digits: int = 4) -> str:
    """A number as one writes it: 0.1234, 12340, 1.234·10⁻⁷; "–" of NaN."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 <= power < max(6, min(digits, 9)):
        text = f"{value:.{max(0, digits - 1 - power)}f}"
    else:
        text = f"{mantissa}·10{power_text(power)}"
    return text.replace("-", "−")


def short_text(value: float, digits: int = 4) -> str:
    """The same without zeros at its end."""
    text = number_text(value, digits)
    mantissa, dot, power = text.partition("·")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + dot + power


def power_text(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def count_text(n: int) -> str:
    return f"{n:,}"


def share_text(n: int, of: int) -> str:
    """Of instances, as a percentage that is 0 % or 100 % only where that is so."""
    if of == 0:
        return "–"
    percent = 100.0 * n / of
    if n in (0, of):
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if 0.1 <= percent <= 99.9 else ("< 0.1 %" if percent < 0.1 else "> 99.9 %")
