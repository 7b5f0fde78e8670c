#!/usr/bin/env python3
"""Picture of `sarrus bench change-points`: the error near a change point over the asymmetry of the mechanism, by method.

    sarrus bench change-points --json > here_after.json
    python3 python/plot_change_points.py here_before.json [here_after.json] [-o docs/images/change_points.png]

A column a file. Each line is the worst over mechanisms and both signs of the asymmetry, of the runs that claim to be right: an
instance that says that it ended is not in the line, but a cross at the top.
"""

import argparse
import json
import sys
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from plot import GRAY, INK, set_style

LEAST, LARGEST = 1e-13, 3e2  # errors shown, rad
ZERO = 1e-13  # where an asymmetry of zero stands
FIXED = {"rk4", "semi-implicit"}
LOCKED = "five-bar"  # does not move with an asymmetry: no question of a bend


def worst(runs: list[dict], name: tuple[str, str]) -> tuple[list[tuple[float, float]], list[float]]:
    """Of a method (integrator, pinv): |asymmetry| and worst error of what is not marked; |asymmetry| of marked runs."""
    errors: dict[float, float] = {}
    marked = set()
    for run in runs:
        if (run["integrator"], run["pinv"]) != name or (run["mechanism"] == LOCKED and float(run["delta"]) != 0.0):
            continue
        size = abs(float(run["delta"])) or ZERO
        if run["verdict"] in ("right", "silently wrong"):
            error = LARGEST if run["error"] is None else min(max(run["error"], LEAST), LARGEST)
            errors[size] = max(errors.get(size, 0.0), error)
        else:
            marked.add(size)
    return sorted(errors.items()), sorted(marked)


def draw(axes: Axes, report: dict, names: list[tuple[str, str]], labels: list[str]) -> None:
    colors = plt.get_cmap("tab20").colors
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        line, marked = worst(report["runs"], name)
        color = colors[2 * i % 20 + (i >= 10)]
        axes.plot([x for x, _ in line], [y for _, y in line], marker="o", ms=3, lw=1.3, color=color, label=label)
        top = LARGEST * 1.5 ** (i + 1)
        axes.plot(marked, [top] * len(marked), marker="x", ms=3.5, ls="", color=color)
    for bound in {row["bound"] for row in report["summary"] if (row["integrator"], row["pinv"]) in names}:
        axes.axhline(bound, color=INK, ls="--", lw=0.8)
    axes.axhline(LARGEST, color=GRAY, lw=0.6)
    axes.set(xscale="log", yscale="log", xlim=(ZERO / 2, 2e-2), ylim=(LEAST, LARGEST * 1.5 ** (len(names) + 1)))
    ticks = [ZERO, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]
    axes.set_xticks(ticks, ["0", *[f"$10^{{{round(k)}}}$" for k in (-12, -10, -8, -6, -4, -2)]])
    axes.set_yticks([10.0**k for k in range(-12, 3, 2)])
    axes.minorticks_off()
    axes.set_xlabel("asymmetry |δ|, m")
    axes.set_ylabel("worst error, rad")


def silent(report: dict, names: list[tuple[str, str]]) -> str:
    runs = [run for run in report["runs"] if (run["integrator"], run["pinv"]) in names]
    return f"{sum(run['verdict'] == 'silently wrong' for run in runs)} of {len(runs)} silently wrong"


def picture(reports: list[tuple[str, dict]]) -> plt.Figure:
    figure, grid = plt.subplots(2, len(reports), figsize=(1.5 + 5.5 * len(reports), 9.0), layout="constrained", squeeze=False)
    for column, (title, report) in enumerate(reports):
        names = list(dict.fromkeys((run["integrator"], run["pinv"]) for run in report["runs"]))
        by_integrator = [name for name in names if name[1] == "auto"]
        by_pinv = [name for name in names if name[0] == by_integrator[-1][0]]
        rows = [(by_integrator, 0, "pinv auto"), (by_pinv, 1, by_pinv[0][0])]
        for axes, (chosen, part, what) in zip(grid[:, column], rows, strict=True):
            draw(axes, report, chosen, [name[part] for name in chosen])
            axes.set_title(f"{title}, {what}: {silent(report, chosen)}", loc="left")
            axes.legend(frameon=False, fontsize=7.5, ncols=2, loc="lower right")
    figure.suptitle("worst error within 2 s; x: ended with a status; dashed: what counts as right", color=GRAY, fontsize=9)
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE.json", type=Path, nargs="+", help="what the benchmark wrote, named ..._TITLE.json")
    parser.add_argument("-o", "--output", type=Path, default=Path("change_points.png"))
    arguments = parser.parse_args()
    set_style()
    try:
        reports = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.files]
    except (OSError, json.JSONDecodeError) as error:
        print(f"plot_change_points.py: error: {error}", file=sys.stderr)
        return 3
    titles = [path.stem.rpartition("_")[2] for path in arguments.files]
    picture(list(zip(titles, reports, strict=True))).savefig(arguments.output, dpi=90)
    print(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
