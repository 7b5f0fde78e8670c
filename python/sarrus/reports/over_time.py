"""Channels over time: what of a file can be drawn, and its spread over the instances at the output times, from the statistics that
the run has made or from the trajectories, block by block so that memory stays bounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .charts import Curves
from .contents import Group, Study, datasets_below, text_of
from .numbers import LEVELS, Floats

MAX_TIMES = 301  # that are drawn
MAX_TIMES_OF_ONE = 1001  # of a single trajectory
STILL = 1e-9  # relative changes of what is told to stand still
MAX_BLOCK = 8_000_000  # numbers read at once
MAX_READ = 400_000_000  # numbers read of a dataset; of larger ones an even selection of instances
# What is drawn without being asked for, in this order.
ROOTS = (
    "points",
    "joints",
    "drives",
    "diagnostics/energy",
    "diagnostics/work",
    "state/q",
    "state/v",
    "reactions",
    "constraints",
    "state/a",
    "orientations",
)
OF_ITSELF = ("points", "joints", "drives", "diagnostics/energy", "diagnostics/work", "state/q")
# Rates, and where joints are, which the moving picture shows.
NOT_OF_ITSELF = ("/velocity", "/acceleration", "/speed", "/point", "/parent_point")
_LENGTHS = {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az", "fx", "fy", "fz"}


@dataclass(frozen=True)
class Channel:
    """A dataset [N, T] or [N, T, k], or the statistics of one: the names of its components with their units."""

    path: str
    names: list[str]
    units: list[str]
    what: str
    has_axis: bool  # whether there is a third axis, of the components


@dataclass(frozen=True)
class Spread:
    """Of the components of a channel over instances, at the times drawn: [T, k]. Only statistics have mean and sd."""

    time: Floats  # [T] s
    middle: Floats
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    names: tuple[str, str, str]
    n_instances: int  # that were read
    is_recorded: bool  # from /statistics

    def curves(self, i: int) -> Curves:
        if self.n_instances == 1:
            return Curves(self.time, self.middle[:, i], names=self.names)
        columns = (self.middle, self.low, self.high, self.least, self.most)
        return Curves(self.time, *(column[:, i] for column in columns), names=self.names)

    def varies(self, i: int) -> bool:
        least, most = self.least[:, i], self.most[:, i]
        there = np.isfinite(least) & np.isfinite(most)
        return bool(there.any()) and float(most[there].max() - least[there].min()) > STILL * float(np.abs(most[there]).max())


# -- what there is


def channels_of(study: Study) -> list[Channel]:
    """All that can be drawn, in the order of `ROOTS`."""
    found = []
    for root in ROOTS:
        own = dict(datasets_below(study.group, root))
        for path in [*own, *(path for path in _with_statistics(study.group, root) if path not in own)]:
            dataset = own[path] if path in own else study.group[f"statistics/{path}/mean"]
            channel = _channel_make(study.group, path, dataset, path in own)
            if channel is not None:
                found.append(channel)
    return found


def _with_statistics(group: Group, root: str) -> list[str]:
    return [
        path[len("statistics/") : -len("/mean")]
        for path, _ in datasets_below(group, f"statistics/{root}")
        if path.endswith("/mean")
    ]


def _channel_make(group: Group, path: str, dataset: Group, is_whole: bool) -> Channel | None:
    shape = dataset.shape[1:] if is_whole else dataset.shape
    if not 1 <= len(shape) <= 2 or shape[0] != len(group["time"]) or dataset.dtype.kind != "f":
        return None
    has_axis = len(shape) == 2
    labels = _labels_of(dataset, shape[1]) if has_axis else [""]
    units = _units_of(dataset)
    what = text_of(dataset.attrs.get("long_name", "")).removeprefix("mean over instances: ")
    short = path if path.split("/")[0] not in ("state", "diagnostics") or path == "state/a" else ""
    if short.startswith("joints/") and labels in (["angle"], ["shift"]):
        labels = [""]
    names = [".".join(filter(None, (short, label))) or path.rpartition("/")[2] for label in labels]
    return Channel(path, names, [_unit_of(units, i, label) for i, label in enumerate(labels)], what, has_axis)


def _labels_of(dataset: Group, k: int) -> list[str]:
    """From the scale of the last axis."""
    axis = dataset.dims[dataset.ndim - 1]
    labels = [text_of(name) for name in axis[0][:]] if len(axis) else []
    return labels if len(labels) == k else [str(i) for i in range(k)]


def _units_of(dataset: Group) -> list[str] | str:
    """One for each component, or one for all; "m | rad" in files of earlier versions."""
    units = dataset.attrs.get("units", "")
    return [text_of(unit) for unit in units] if isinstance(units, np.ndarray) else text_of(units)


def _unit_of(units: list[str] | str, i: int, label: str) -> str:
    """That of component i. Of "m | rad" the part that is meant by a label's last word."""
    if isinstance(units, list):
        own = units[i % len(units)]
    else:
        parts = units.split(" | ")
        own = parts[0] if len(parts) == 1 or label.rpartition(".")[2] in _LENGTHS else parts[1]
    return "" if own == "1" else own


def channels_chosen(study: Study, wanted: Sequence[str] | None) -> list[Channel]:
    """By their paths, or the beginnings of paths, or the names of components."""
    there = channels_of(study)
    if wanted is None:
        return [own for own in there if _is_below(own.path, OF_ITSELF) and not own.path.endswith(NOT_OF_ITSELF)]
    found: dict[tuple[str, str], Channel] = {}
    for word in wanted:
        whole = [own for own in there if _is_below(own.path, (word,))]
        some = [(own, i) for own in there for i, name in enumerate(own.names) if name == word]
        if not whole and not some:
            expected = ", ".join(own.path for own in there) or "none: it has no trajectories and no statistics"
            raise ArgumentError(f"{study.place} has no channel {word!r}; expected one of {expected}")
        found |= {(own.path, ""): own for own in whole}
        found |= {
            (own.path, word): Channel(own.path, [word], [own.units[i]], own.what, own.has_axis) for own, i in some if not whole
        }
    return list(found.values())


def _is_below(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)


# -- spreads


def n_times(study: Study) -> int:
    """Output times that are on file."""
    planned = len(study.group["time"])
    return min(planned, int(study.group.attrs.get("n_times_written", planned)))


def rows_drawn(study: Study) -> npt.NDArray[np.int64]:
    """Output times that are drawn, the first and the last on file among them."""
    n = n_times(study)
    most = MAX_TIMES if int(study.group.attrs.get("n_trajectories", study.n)) != 1 else MAX_TIMES_OF_ONE
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64)) if n else np.empty(0, dtype=np.int64)


def spread_of(study: Study, channel: Channel) -> Spread | None:
    """None where neither trajectories nor statistics are there."""
    rows = rows_drawn(study)
    if len(rows) == 0:
        return None
    if f"statistics/{channel.path}/mean" in study.group:
        return _spread_recorded(study, channel, rows)
    if channel.path not in study.group or study.group[channel.path].shape[0] == 0:
        return None
    dataset = study.group[channel.path]

    def read(instances: slice, times: slice) -> Floats:
        own = np.asarray(dataset[instances, times], dtype=np.float64)
        return own if channel.has_axis else own[..., None]

    return spread_read(study, rows, dataset, read)


def _spread_recorded(study: Study, channel: Channel, rows: npt.NDArray[np.int64]) -> Spread:
    group, time = study.group[f"statistics/{channel.path}"], study.group["time"]

    def column(name: str, i: int | None = None) -> Floats:
        own = np.asarray(group[name][: rows[-1] + 1], dtype=np.float64)[rows]
        own = own if i is None else own[..., i]
        return own if channel.has_axis else own[:, None]

    levels = study.group["statistics/quantile"][:] if "statistics/quantile" in study.group and "quantiles" in group else np.empty(0)
    mean, least, most = column("mean"), column("min"), column("max")
    inner = [i for i in np.argsort(levels) if 0.0 < levels[i] < 1.0]
    if len(inner) >= 2 and levels[inner[0]] < 0.5 < levels[inner[-1]]:
        low, high = column("quantiles", inner[0]), column("quantiles", inner[-1])
        names = ("mean", f"{100 * levels[inner[0]]:g} %", f"{100 * levels[inner[-1]]:g} %")
        middles = [i for i in inner if levels[i] == 0.5]
        if middles:
            mean, names = column("quantiles", middles[0]), ("median", *names[1:])
    else:
        sd = np.nan_to_num(column("sd"))
        low, high, names = mean - sd, mean + sd, ("mean", "mean − sd", "mean + sd")
    count = int(study.group["statistics/n"][0]) if "statistics/n" in study.group else study.n
    return Spread(np.asarray(time[: rows[-1] + 1])[rows], mean, low, high, least, most, names, count, True)


def spread_read(
    study: Study, rows: npt.NDArray[np.int64], dataset: Group, read: Callable[[slice, slice], Floats], n_read: int = 1
) -> Spread:
    """From trajectories: `read` gives [instances, times, k] of slices. `n_read`: datasets that it reads of."""
    n, k = dataset.shape[0], int(np.prod(dataset.shape[2:], dtype=int))
    stride = max(1, -(-n * k * n_read // MAX_BLOCK), -(-n * k * n_read * len(rows) // MAX_READ))
    instances = slice(0, n, stride)
    there = _kept_there(study, n)[instances]
    n_own = len(range(0, n, stride))
    block = max(1, MAX_BLOCK // (n_own * k * n_read))
    if dataset.chunks:
        block = min(block, dataset.chunks[1])
    parts: list[Floats] = []
    start = 0
    while start < len(rows):
        # Times of one block of the file, which is decompressed as a whole.
        first = int(rows[start])
        last = (first // block + 1) * block
        stop = int(np.searchsorted(rows, last))
        own = read(instances, slice(first, int(rows[stop - 1]) + 1))[there][:, rows[start:stop] - first]
        parts.append(_quantiles(own))
        start = stop
    found = np.concatenate(parts, axis=1)
    time = np.asarray(study.group["time"][: rows[-1] + 1])[rows]
    names = ("median", f"{100 * LEVELS[0]:g} %", f"{100 * LEVELS[2]:g} %")
    n_there = int(there.sum())
    return Spread(
        time, found[2], found[1], found[3], found[0], found[4], names if n_there > 1 else ("value", "", ""), n_there, False
    )


def _kept_there(study: Study, n: int) -> npt.NDArray[np.bool_]:
    """[n] whose trajectories can be read, of those that were kept."""
    if n == study.n or study.is_there.all():
        return study.is_there if n == study.n else np.ones(n, dtype=bool)
    numbers = study.group["trajectory"][:]
    return study.is_there[np.searchsorted(study.ids, numbers)]


def _quantiles(values: Floats) -> Floats:
    """[5, T, k] minimum, quantiles and maximum of [N, T, k] over the numbers that are none of NaN, as `numpy.nanquantile`."""
    columns = np.sort(np.moveaxis(values, 0, -1).reshape(-1, len(values)), axis=1)  # NaN stands last
    counts = np.count_nonzero(~np.isnan(columns), axis=1)
    lines, found = np.arange(len(columns)), np.full((5, len(columns)), math.nan)
    there = counts > 0
    for i, level in enumerate((0.0, *LEVELS, 1.0)):
        place = level * np.maximum(counts - 1, 0)
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, np.maximum(counts - 1, 0))
        with np.errstate(invalid="ignore"):
            own = columns[lines, below] + (place - below) * (columns[lines, above] - columns[lines, below])
        found[i, there] = own[there]
    return found.reshape(5, *values.shape[1:])


def energy_error_of(study: Study) -> tuple[Spread, bool] | None:
    """|E − E₀ − W| at output times, and whether the work W was recorded; without it, |E − E₀|."""
    rows, energy, work = rows_drawn(study), study.child("diagnostics/energy"), study.child("diagnostics/work")
    if energy is None or energy.ndim != 2 or len(rows) < 2:
        return None
    begun: list[Floats] = []  # E₀, which is read once

    def read(instances: slice, times: slice) -> Floats:
        if not begun:
            begun.append(energy[instances, :1])
        own = energy[instances, times] - begun[0]
        return np.abs(own if work is None else own - work[instances, times])[..., None]

    return spread_read(study, rows, energy, read, 1 if work is None else 2), work is not None
