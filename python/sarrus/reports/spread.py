"""The quantities of a study: their numbers, their histograms, and what of the parameters they go with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .charts import Bar, bars_chart, cloud_chart, escaped, histogram_chart, matrix_chart
from .contents import Column, Group, Study
from .html_parts import card, data, facts, figure, folded, note, section, table
from .numbers import (
    Floats,
    Summary,
    bins_of,
    correlation,
    count_text,
    digits_of,
    number_text,
    pairwise_correlations,
    rank_interval,
    ranks,
    short_text,
    summary_of,
)

MAX_NUMBERS = 20_000_000  # of parameters and quantities held at once; of larger studies an even selection of instances
MAX_BARS = 12
MAX_DOTS = 800
MAX_NAMES = 30  # in a matrix
NOTHING = '<p class="empty">There is nothing to tell: too few rows have a number, or all the same.</p>'
_DEPENDENT = {
    "saltelli": "The rows of a Saltelli design",
    "morris": "The rows of Morris trajectories",
    "grid": "The points of a grid",
}


def quantities_section(study: Study, quantities: Sequence[Column], prefix: str) -> str:
    """A table of all, and a histogram of each."""
    rows, cards = [], []
    for own in quantities:
        values = study.values(own)
        if values is None:
            continue
        summary = summary_of(values[study.is_there])
        rows.append(_row_of(own, summary))
        cards.append(_card_of(own, values, summary))
    if not rows:
        return ""
    head = ["quantity", "n", "mean", "sd", "95 % interval of the mean", "skewness", "least", "5 %", "median", "95 %", "greatest"]
    made = table([*head, "no number"], rows, kinds="wnnnnnnnnnnn", name="quantities")
    told = "Over the instances that have the number; NaN, as of failed instances, is left out and counted in the last column."
    if not study.is_complete:
        told += " They are of the times so far."
    if study.design in _DEPENDENT:
        told += f" {_DEPENDENT[study.design]} are no independent draws: the intervals of means do not hold for them."
    elif study.design in ("sobol", "lhs"):
        told += " The interval of the mean is that of independent draws; with this sampling the mean is closer than it says."
    units = {own.unit for own in quantities}
    if units == {"SI"}:
        told += " Units are what the expressions make of SI units (m, kg, s, rad)."
    return section("Quantities", made + note(told) + f'<div class="grid">{"".join(cards)}</div>', f"{prefix}quantities")


def _name_of(own: Column) -> str:
    unit = f' <span class="unit">{escaped(own.unit)}</span>' if own.unit not in ("", "1", "SI") else ""
    return f"<b>{escaped(own.name)}</b>{unit}"


def _row_of(own: Column, summary: Summary) -> list[str]:
    digits = digits_of(summary)
    numbers = [
        data(value, number_text(value, digits))
        for value in (summary.minimum, summary.q05, summary.median, summary.q95, summary.maximum)
    ]
    low, high = summary.mean_low, summary.mean_high
    interval = f"{data(low, number_text(low, digits))} … {data(high, number_text(high, digits))}" if math.isfinite(low) else "–"
    lacking = summary.n_nan + summary.n_infinite
    mean, sd = data(summary.mean, number_text(summary.mean, digits)), data(summary.sd, number_text(summary.sd, 4))
    skewness = data(summary.skewness, number_text(summary.skewness, 3))
    counts = data(summary.n, count_text(summary.n)), data(lacking, count_text(lacking))
    return [_name_of(own), counts[0], mean, sd, interval, skewness, *numbers, counts[1]]


def _card_of(own: Column, values: Floats, summary: Summary) -> str:
    digits, bins = digits_of(summary), bins_of(values)
    told = []
    if bins is None and summary.n:
        is_one = summary.minimum == summary.maximum
        all_of = f"all {count_text(summary.n)} numbers are" if summary.n > 1 else "the one number is"
        text = f"{all_of} {short_text(summary.mean, 6)}" if is_one else "the spread is that of round-off"
        body = f'<p class="empty">{escaped(text[0].upper() + text[1:])}.</p>'
    elif bins is None:
        body = '<p class="empty">No instance has a number.</p>'
    else:
        marks = [(summary.q05, "quantile", "5 %"), (summary.median, "median", "50 %"), (summary.q95, "quantile", "95 %")]
        label = f"histogram of {own.name}: {summary.n} numbers about {number_text(summary.mean, digits)}"
        name = f"{own.name} in {own.unit}" if own.unit not in ("", "1", "SI") else own.name
        body = figure(histogram_chart(bins, name, label, marks=marks if bins.values is None else ()))
        told += [
            f"{count_text(n)} {word}" for n, word in ((bins.n_below, "lie to the left"), (bins.n_above, "lie to the right")) if n
        ]
    if summary.n_nan:
        told.append(f"{count_text(summary.n_nan)} NaN")
    if summary.n_infinite:
        told.append(f"{count_text(summary.n_infinite)} infinite")
    rows = [("mean", number_text(summary.mean, digits)), ("sd", number_text(summary.sd, 4))]
    rows.append(("5 … 95 %", f"{number_text(summary.q05, digits)} … {number_text(summary.q95, digits)}"))
    body += facts([(name, escaped(text)) for name, text in rows] if summary.n > 1 else [])
    body += note(escaped(", ".join(told) + " besides")) if told else ""
    return card(own.name, body, subtitle=f"<code>{escaped(own.what)}</code>" if own.what else "")


# -- influence


@dataclass(frozen=True)
class Table:
    """Parameters and quantities of the same instances. NaN stands where an instance has no number."""

    parameters: list[Column]
    quantities: list[Column]
    columns: dict[str, Floats]  # by path
    stride: int

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def table_of(study: Study, parameters: Sequence[Column], quantities: Sequence[Column]) -> Table:
    stride = max(1, -(-study.n * (len(parameters) + len(quantities)) // MAX_NUMBERS))
    columns = {own.path: values for own in (*parameters, *quantities) if (values := study.values(own, stride)) is not None}
    left = [[own for own in group if own.path in columns] for group in (parameters, quantities)]
    return Table(left[0], left[1], columns, stride)


def rank_correlations(own: Table) -> dict[str, tuple[int, list[float]]]:
    """Spearman's coefficient of each parameter with each quantity, over the instances that have the quantity: by the quantity's
    path, with their number."""
    found, kept = {}, {}
    for quantity in own.quantities:
        values = own.columns[quantity.path]
        good = np.isfinite(values)
        key = good.tobytes()
        if key not in kept:
            kept.clear()  # the ranks of one selection are held at a time
            kept[key] = [ranks(own.columns[parameter.path][good]) for parameter in own.parameters]
        y = ranks(values[good]) if good.any() else values[good]
        found[quantity.path] = (len(y), [correlation(x, y) for x in kept[key]])
    return found


def influence_section(study: Study, own: Table, prefix: str) -> str:
    """Bars of rank correlations, the strongest first, and the dots of the strongest."""
    if not own.parameters or not own.quantities or own.n < 3:
        return ""
    found, cards, rows = rank_correlations(own), [], []
    for quantity in own.quantities:
        n, r = found[quantity.path]
        rows.append([_name_of(quantity), *(data(value, number_text(value, 3)) for value in r)])
        order = sorted((i for i in range(len(r)) if math.isfinite(r[i])), key=lambda i: -abs(r[i]))
        if not order:
            why = "it has no spread, or the parameters have none" if n >= 3 else f"{count_text(n)} instances have a number"
            cards.append(card(quantity.name, f'<p class="empty">No correlations: {escaped(why)}.</p>'))
            continue
        shown = order[:MAX_BARS]
        bars = [[_bar_of(own.parameters[i].name, r[i], n)] for i in shown]
        picture = figure(bars_chart(bars, "rank correlation", f"rank correlations with {quantity.name}", span=(-1.0, 1.0)))
        if len(order) > len(shown):
            picture += note(f"{len(order) - len(shown)} others are below {number_text(abs(r[shown[-1]]), 2)}.")
        picture += _dots(own, quantity, own.parameters[order[0]])
        cards.append(card(quantity.name, picture))
    told = (
        "Spearman’s coefficient of each parameter with the quantity: near ±1 the quantity rises or falls with the parameter, "
        "near 0 it may still depend on it, but not in one direction. Whiskers are 95 % intervals; a bar whose whisker crosses 0 is "
        "not to be told from chance."
    )
    if study.design in _DEPENDENT:
        told += f" {_DEPENDENT[study.design]} are no independent draws: whiskers are a rough guide here."
    if own.stride > 1:
        told += f" Of {count_text(own.n)} of the {count_text(study.n)} instances, an even selection."
    names = ["quantity", *(parameter.name for parameter in own.parameters)]
    numbers = table(names, rows, kinds="w" + "n" * len(own.parameters), name="influence")
    made = note(told) + f'<div class="grid">{"".join(cards)}</div>' + folded("The coefficients as a table", numbers)
    return section("Influence of the parameters", made, f"{prefix}influence")


def _bar_of(name: str, r: float, n: int) -> Bar:
    low, high = rank_interval(r, n)
    return Bar(name, r, low, high, "plus" if r >= 0.0 else "minus")


def _dots(own: Table, quantity: Column, parameter: Column) -> str:
    x, y = own.columns[parameter.path], own.columns[quantity.path]
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MAX_DOTS)).round().astype(int))]
    return figure(cloud_chart(x[rows], y[rows], (parameter.name, quantity.name), f"{quantity.name} over {parameter.name}"))


# -- indices of a design, which the run has computed


def sensitivity_section(study: Study, quantities: Sequence[Column], prefix: str) -> str:
    """Sobol' indices or Morris' measures, of the quantities that have them."""
    there = study.child("sensitivity") or {}
    wanted = [own.name for own in quantities if own.name in there] or list(there)
    cards, is_sobol, is_morris = [], False, False
    for name in wanted:
        group = there[name]
        if "first" in group and "total" in group:
            is_sobol = True
            made = study.tried(f"/sensitivity/{name}", lambda group=group, name=name: _sobol(study, group, name))
        elif "mu_star" in group:
            is_morris = True
            made = study.tried(f"/sensitivity/{name}", lambda group=group, name=name: _morris(study, group, name))
        else:
            continue
        cards.append(card(name, made, kind="wide", subtitle=_made_of(study, group, name)) if made else "")
    if not any(cards):
        return ""
    told = ""
    if is_sobol:
        told += (
            "Sobol’ indices: the share of the variance that goes with a parameter alone (first order), and with it in whatever "
            "company (total). Where the two differ, it acts together with others. Shares below 0 or above 1 are those of chance. "
        )
    if is_morris:
        told += (
            "Morris’ measures: μ* is the mean size of the elementary effects of a parameter, σ their spread: large where it acts "
            "together with others, or not in a straight line. "
        )
    told += "Whiskers are 95 % intervals, from resamples."
    return section("Sensitivity", note(told) + f'<div class="grid">{"".join(cards)}</div>', f"{prefix}sensitivity")


def _made_of(study: Study, group: Group, name: str) -> str:
    """From how many rows of the design, and how many had to be left out."""
    if "n" not in group or "n_dropped" not in group:
        return ""
    counts = study.tried(f"/sensitivity/{name}/n", lambda: (int(group["n"][()]), int(group["n_dropped"][()])))
    kind = "trajectories" if "mu_star" in group else "base points"
    if counts is None:
        return ""
    left_out = f", {count_text(counts[1])} left out as an instance of theirs has no number" if counts[1] else ""
    return f"of {count_text(counts[0])} {kind}{left_out}"


def _labels(study: Study, dataset: Group) -> list[str]:
    """Names along the axis of parameters: its scale, or the order of the file."""
    axis = dataset.dims[0]
    if len(axis):
        names = axis[0][:]
    else:
        names = study.group["parameter"][:] if "parameter" in study.group else [own.name for own in study.parameters()]
    labels = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
    return labels if len(labels) == len(dataset) else [f"parameter {i}" for i in range(len(dataset))]


def _read(group: Group, name: str, n: int | tuple[int, int]) -> Floats:
    return np.asarray(group[name][:], dtype=np.float64) if name in group else np.full(n, math.nan)


def _sobol(study: Study, group: Group, quantity: str) -> str:
    labels = _labels(study, group["first"])
    n = len(labels)
    first, total, first_half, total_half = (
        _read(group, name, n) for name in ("first", "total", "first_confidence", "total_confidence")
    )
    if not np.isfinite(total).any():
        return NOTHING
    order = np.argsort(-np.nan_to_num(total, nan=-math.inf), kind="stable")
    groups = [
        [
            Bar(labels[i], float(first[i]), float(first[i] - first_half[i]), float(first[i] + first_half[i]), "first"),
            Bar(labels[i], float(total[i]), float(total[i] - total_half[i]), float(total[i] + total_half[i]), "total"),
        ]
        for i in order[:MAX_BARS]
    ]
    key = '<p class="key"><i class="first"></i>first order <i class="total"></i>total</p>'
    made = key + figure(bars_chart(groups, "share of the variance", f"Sobol’ indices of {quantity}"))
    rows = [
        [
            escaped(labels[i]),
            *(data(float(own[i]), number_text(float(own[i]), 4)) for own in (first, first_half, total, total_half)),
        ]
        for i in order
    ]
    made += folded("The indices as a table", table(["parameter", "first", "±", "total", "±"], rows, kinds="wnnnn", name="sobol"))
    if "second" in group and 1 < n <= MAX_NAMES:
        second = np.asarray(group["second"][:], dtype=np.float64)
        both, half = (np.where(np.isfinite(own), own, own.T) for own in (second, _read(group, "second_confidence", (n, n))))
        largest = float(np.nanmax(np.abs(both), initial=0.0)) if np.isfinite(both).any() else 0.0
        if largest > 0.0:
            caption = f"Second order: what two do together beyond what each does alone; full colour is {number_text(largest, 2)}."
            caption += " A square is empty where the 95 % interval holds 0."
            label = f"second order indices of {quantity}"
            made += figure(matrix_chart(labels, both, label, strength=largest, halves=half), escaped(caption))
    return made


def _morris(study: Study, group: Group, quantity: str) -> str:
    labels = _labels(study, group["mu_star"])
    n = len(labels)
    mu_star, half, sigma, mu = (_read(group, name, n) for name in ("mu_star", "mu_star_confidence", "sigma", "mu"))
    if not np.isfinite(mu_star).any():
        return NOTHING
    order = np.argsort(-np.nan_to_num(mu_star, nan=-math.inf), kind="stable")
    groups = [
        [
            Bar(labels[i], float(mu_star[i]), float(mu_star[i] - half[i]), float(mu_star[i] + half[i]), "first"),
            Bar(labels[i], float(sigma[i]), kind="total"),
        ]
        for i in order[:MAX_BARS]
    ]
    key = '<p class="key"><i class="first"></i>μ* <i class="total"></i>σ</p>'
    made = key + figure(bars_chart(groups, "elementary effect", f"Morris’ measures of {quantity}"))
    rows = [
        [escaped(labels[i]), *(data(float(own[i]), number_text(float(own[i]), 4)) for own in (mu_star, half, sigma, mu))]
        for i in order
    ]
    return made + folded("The measures as a table", table(["parameter", "μ*", "±", "σ", "μ"], rows, kinds="wnnnn", name="morris"))


# -- correlations


def correlations_section(own: Table, prefix: str) -> str:
    """Linear correlations of parameters and quantities with one another, each pair over the instances that have both."""
    every = [*own.parameters, *own.quantities]
    if not 2 <= len(every) <= MAX_NAMES:
        return ""
    values = pairwise_correlations(np.array([own.columns[column.path] for column in every]))
    if not np.isfinite(values[~np.eye(len(every), dtype=bool)]).any():
        return ""
    n_first = sum(column in own.parameters for column in every)
    picture = matrix_chart([column.name for column in every], values, "correlations of parameters and quantities", n_first)
    told = "Pearson’s linear coefficients, of each pair over the instances that have both numbers; parameters stand first."
    return section("Correlations", note(escaped(told)) + figure(picture), f"{prefix}correlations")
