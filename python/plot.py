#!/usr/bin/env python3
"""Picture of a result file: trajectories with quantile bands, the distribution at one time, and drift.

    python3 python/plot.py OUT.h5 [-o OUT.png] [--group G] [--quantity NAME] [--time T]

NAME is a coordinate or a speed of the file (crank_a.x), "energy", "work", "position_error", "velocity_error", "rank", a joint's
reaction (reactions/A.fx) or a motor load (drives/A). Without it the angle that spreads most is shown. Of a run of several scenarios
G is the number of the group.
"""

import argparse
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import h5py
import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

MAX_VALUES = 20_000_000  # numbers read per quantity; of larger studies an even selection of instances is shown
N_THREADS_DRAWN = 40  # single trajectories drawn over the bands
INK, BLUE, ORANGE, GRAY = "#22303c", "#1f6f9f", "#d2691e", "#8a97a3"
LINEAR_AXES = {"x", "y", "z", "vx", "vy", "vz"}


@dataclass
class Quantity:
    """One number per instance and time: values [N, T], NaN where an instance has failed or the run has not come to."""

    name: str
    unit: str
    values: np.ndarray


def names_of(file: h5py.Group, path: str) -> list[str]:
    """Strings of a label dataset, [] when the file has none."""
    return [name.decode() if isinstance(name, bytes) else str(name) for name in file[path][:]] if path in file else []


def attribute(thing: h5py.Dataset | h5py.Group, name: str, default: str = "") -> str:
    value = thing.attrs.get(name, default)
    return value.decode() if isinstance(value, bytes) else str(value)


def component_unit(dataset: h5py.Dataset, component: str, index: int) -> str:
    """Of a list the unit of a component. Of "m | rad", as earlier versions wrote it, the part that belongs to the component: its
    last word says whether it is a length or an angle."""
    units = dataset.attrs.get("units", "")
    if isinstance(units, np.ndarray):
        unit = units[index % len(units)]
        return unit.decode() if isinstance(unit, bytes) else str(unit)
    units = attribute(dataset, "units").split(" | ")
    is_linear = component.rpartition(".")[2] in LINEAR_AXES or component.endswith((".fx", ".fy", ".fz"))
    return units[0] if is_linear or len(units) == 1 else units[1]


def stride_of(file: h5py.Group) -> int:
    n_instances, n_times = file["instance/status"].shape[0], file["time"].shape[0]
    n_trajectories = int(file.attrs.get("n_trajectories", n_instances))
    return max(1, -(-n_trajectories * n_times // MAX_VALUES))


def labeled(file: h5py.Group) -> dict[str, tuple[str, int]]:
    """Names with a third axis: name -> (dataset, index)."""
    found = {}
    for path, labels in (("state/q", "coordinate"), ("state/v", "speed")):
        if path in file:
            found.update({name: (path, i) for i, name in enumerate(names_of(file, labels))})
    for joint in file.get("reactions", {}):
        names = names_of(file, "reaction_component") or ["fx", "fy", "mz"]
        found.update({f"reactions/{joint}.{name}": (f"reactions/{joint}", i) for i, name in enumerate(names)})
    return found


def scalars(file: h5py.Group) -> dict[str, str]:
    """Names without a third axis: name -> dataset."""
    found = {name: f"diagnostics/{name}" for name in file.get("diagnostics", {})}
    found.update({f"drives/{name}": f"drives/{name}" for name in file.get("drives", {})})
    return found


def default_quantity(file: h5py.Group) -> str:
    """The angle with the widest spread over instances (or over time, when there is one instance) at the last time."""
    coordinates = names_of(file, "coordinate")
    if "state/q" not in file or not coordinates:
        candidates = [*scalars(file), *labeled(file)]
        if not candidates:
            sys.exit("plot.py: error: the file holds no trajectories (output.channels was empty, or output.instances none)")
        return candidates[0]
    q = file["state/q"]
    n_instances = q.shape[0]
    some = q[:: max(1, n_instances // 500)][:, :: max(1, q.shape[1] // 50)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spread = np.nanstd(some, axis=0).max(axis=0) if n_instances > 1 else np.nanstd(some[0], axis=0)
    spread = np.nan_to_num(spread)
    angles = [i for i, name in enumerate(coordinates) if name.rpartition(".")[2] not in LINEAR_AXES]
    return coordinates[max(angles or range(len(coordinates)), key=lambda i: spread[i])]


def read(file: h5py.Group, name: str) -> Quantity:
    stride = stride_of(file)
    if name in scalars(file):
        dataset = file[scalars(file)[name]]
        values = dataset[::stride].astype(float)
        if dataset.dtype.kind == "u":
            values[values == np.iinfo(dataset.dtype).max] = np.nan
        return Quantity(name, attribute(dataset, "units"), values)
    if name in labeled(file):
        path, index = labeled(file)[name]
        return Quantity(name, component_unit(file[path], name, index), file[path][::stride, :, index].astype(float))
    known = ", ".join([*labeled(file), *scalars(file)])
    sys.exit(f"plot.py: error: no quantity '{name}' in the file; it has {known}")


def with_unit(text: str, unit: str) -> str:
    return f"{text}  [{unit}]" if unit and unit != "1" else text


def draw_fan(axes: Axes, time: np.ndarray, quantity: Quantity) -> None:
    values = quantity.values
    n_instances = values.shape[0]
    if n_instances > 1:
        drawn = values[:: max(1, n_instances // N_THREADS_DRAWN)][:N_THREADS_DRAWN]
        low, lower, median, upper, high = np.nanquantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
        axes.fill_between(time, low, high, color=BLUE, alpha=0.18, lw=0, label="5-95 %")
        axes.fill_between(time, lower, upper, color=BLUE, alpha=0.30, lw=0, label="25-75 %")
        axes.plot(time, drawn.T, color=INK, lw=0.4, alpha=0.22)
        axes.plot(time, median, color=ORANGE, lw=1.8, label="median")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, frameon=False, ncols=3)
    else:
        axes.plot(time, values[0], color=BLUE, lw=1.6)
    axes.set(xlabel="time  [s]", ylabel=with_unit(quantity.name, quantity.unit), xlim=(time[0], time[-1]))
    axes.set_title("trajectories", loc="left")


def draw_distribution(axes: Axes, time: np.ndarray, quantity: Quantity, i_time: int) -> None:
    """Lies beside the fan and shares its ordinate."""
    at = quantity.values[:, i_time]
    at = at[np.isfinite(at)]
    if at.size > 1:
        spread = np.ptp(at)
        is_constant = spread <= 1e-12 * max(1.0, float(np.abs(at).max()))
        n_bins = int(np.clip(np.sqrt(at.size), 8, 80))
        axes.hist(at, bins=1 if is_constant else n_bins, orientation="horizontal", color=BLUE, alpha=0.75, lw=0)
        axes.axhline(np.median(at), color=ORANGE, lw=1.8)
        axes.set_xlabel("instances")
    elif at.size == 1:
        axes.axhline(at[0], color=ORANGE, lw=1.8)
        axes.annotate(f"{at[0]:.6g}", (0.5, at[0]), xycoords=("axes fraction", "data"), va="bottom", ha="center", color=INK)
        axes.set_xticks([])
    axes.set_title(f"at t = {time[i_time]:g} s")
    axes.tick_params(labelleft=False)


def draw_drift(axes: Axes, time: np.ndarray, drifts: list[tuple[Quantity, str, str]], title: str) -> None:
    """Median and largest value over the instances, logarithmic; exact zeros fall off the picture."""
    units = []
    for quantity, label, color in drifts:
        values = np.where(quantity.values > 0, quantity.values, np.nan)
        if not np.isfinite(values).any():
            continue
        units.append(quantity.unit)
        if values.shape[0] > 1:
            axes.plot(time, np.nanmedian(values, axis=0), color=color, lw=1.6, label=f"{label}, median")
            axes.plot(time, np.nanmax(values, axis=0), color=color, lw=0.9, ls="--", label=f"{label}, largest")
        else:
            axes.plot(time, values[0], color=color, lw=1.4, label=label)
    axes.set(title=title, xlabel="time  [s]", xlim=(time[0], time[-1]))
    if units:
        axes.set_yscale("log")
        axes.set_ylabel(f"[{', '.join(dict.fromkeys(units))}]")
        axes.legend(loc="lower right", frameon=False, fontsize=8)
    else:
        axes.text(0.5, 0.5, "not in the file, or zero throughout", transform=axes.transAxes, ha="center", color=GRAY)
        axes.set_yticks([])


def constraint_drift(file: h5py.Group, shown: slice) -> list[tuple[Quantity, str, str]]:
    drifts = []
    for name, label, color in (("position_error", "position", BLUE), ("velocity_error", "velocity", ORANGE)):
        if name in scalars(file):
            quantity = read(file, name)
            quantity.values = quantity.values[:, shown]
            drifts.append((quantity, label, color))
    return drifts


def energy_drift(file: h5py.Group, shown: slice) -> list[tuple[Quantity, str, str]]:
    if "energy" not in scalars(file):
        return []
    energy = read(file, "energy")
    energy.values = np.abs(energy.values - energy.values[:, :1])[:, shown]
    return [(energy, "|E(t) - E(0)|", BLUE)]


def headline(file: h5py.Group, path: str) -> tuple[str, str]:
    status = file["instance/status"][:]
    n_failed = int((status != 0).sum())
    words = [f"{status.size:,} instance{'s' if status.size != 1 else ''}"]
    n_study = int(file.attrs.get("n_study_instances", status.size))
    if n_study != status.size:
        first = int(file["instance/id"][0])
        words = [f"instance {first:,} of {n_study:,}" if status.size == 1 else f"{words[0]} of {n_study:,}, from {first:,} on"]
    words.append(f"{n_failed:,} failed" if n_failed else "none failed")
    n_trajectories = int(file.attrs.get("n_trajectories", status.size))
    if n_trajectories != status.size:
        words.append(f"{n_trajectories:,} shown")
    if stride_of(file) > 1:
        words.append(f"every {stride_of(file)}th shown")
    words.append(f"seed {attribute(file, 'seed', '?')}, {attribute(file, 'backend', '?')} ({attribute(file, 'device', '?')})")
    if not int(file.attrs.get("complete", 0)):
        words.append("NOT complete")
    return scenario_name(file) or Path(path).stem, "   ".join(words)


def scenario_name(file: h5py.Group) -> str:
    """The scenario's `name:` line; parsing YAML for one word would need another library."""
    if "scenario" not in file:
        return ""
    text = file["scenario"][()]
    text = text.decode() if isinstance(text, bytes) else str(text)
    for line in text.splitlines():
        if line.startswith("name:"):
            return line[5:].strip().strip("\"'")
    return ""


def picture(file: h5py.Group, path: str, name: str | None, at_time: float | None) -> plt.Figure:
    time = file["time"][:]
    quantity = read(file, name or default_quantity(file))
    is_there = np.isfinite(quantity.values).any(axis=0)
    if not is_there.any():
        sys.exit(f"plot.py: error: '{quantity.name}' holds no number: every instance failed, or nothing was written yet")
    shown = slice(0, int(np.flatnonzero(is_there)[-1]) + 1)
    time, quantity.values = time[shown], quantity.values[:, shown]
    i_time = len(time) - 1 if at_time is None else int(np.abs(time - at_time).argmin())
    figure = plt.figure(figsize=(11, 7), layout="constrained")
    grid = figure.add_gridspec(2, 6, height_ratios=[1.55, 1])
    fan = figure.add_subplot(grid[0, :5])
    draw_fan(fan, time, quantity)
    if at_time is not None:
        fan.axvline(time[i_time], color=GRAY, lw=0.8, ls=":")
    draw_distribution(figure.add_subplot(grid[0, 5], sharey=fan), time, quantity, i_time)
    draw_drift(figure.add_subplot(grid[1, :3]), time, constraint_drift(file, shown), "constraint error")
    draw_drift(figure.add_subplot(grid[1, 3:]), time, energy_drift(file, shown), "change of the mechanical energy")
    title, subtitle = headline(file, path)
    figure.suptitle(f"{title}\n", fontsize=15, fontweight="bold", color=INK)
    figure.text(0.5, 0.945, subtitle, ha="center", color=GRAY, fontsize=9)
    return figure


def group_of(file: h5py.File, number: int | None) -> h5py.Group:
    """What is to be shown: the file, or one of its groups when it has several."""
    n_groups = int(file.attrs.get("n_groups", 0))
    if number is None and n_groups == 0:
        return file
    if n_groups == 0:
        sys.exit("plot.py: error: the file has no groups; expected no --group")
    if number is None or not 0 <= number < n_groups:
        names = ", ".join(f"{i} ({name})" for i, name in enumerate(file.attrs.get("group_files", [])))
        sys.exit(
            f"plot.py: error: the file has {n_groups} groups: {names}; expected --group with a number from 0 to {n_groups - 1}"
        )
    return file[str(number)]


def set_style() -> None:
    plt.rcParams.update(
        {
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": GRAY,
            "axes.labelcolor": INK,
            "axes.titlesize": 10,
            "axes.titlecolor": INK,
            "axes.grid": True,
            "grid.color": "#e6eaed",
            "grid.linewidth": 0.7,
            "axes.axisbelow": True,
            "xtick.color": INK,
            "ytick.color": INK,
            "font.size": 9.5,
            "savefig.dpi": 160,
        }
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Picture of a Sarrus result file.")
    parser.add_argument("file", metavar="OUT.h5")
    parser.add_argument("-o", "--output", metavar="OUT.png", help="default: the file's name with .png, in this folder")
    parser.add_argument("--group", metavar="G", type=int, help="of a run of several scenarios, the number of one")
    parser.add_argument("--quantity", metavar="NAME", help="what to show, as crank_a.x, energy, reactions/A.fx")
    parser.add_argument("--time", metavar="T", type=float, help="time of the histogram in s (default: the last)")
    arguments = parser.parse_args()
    output = arguments.output or Path(arguments.file).stem + ".png"
    set_style()
    try:
        with h5py.File(arguments.file, "r") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # quantiles of times at which every instance has failed
            picture(group_of(file, arguments.group), arguments.file, arguments.quantity, arguments.time).savefig(output)
    except OSError as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        return 3
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
