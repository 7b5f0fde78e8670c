#!/usr/bin/env python3
"""Picture of `sarrus bench pinv`: speed over matrix size with peers, and residuals by class and method.

    sarrus bench pinv -o pinv.json && python3 python/plot_pinv.py pinv.json [-o pinv.png] [--threads N]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from plot import GRAY, INK, set_style

FORMS = {"explicit": "explicit: A⁺", "apply": "apply: A⁺b, one right side"}
LEAST_SHOWN = 1e-2  # residuals below count as this; zeros are exact


def shown_speed(report: dict, form: str, threads: int) -> dict[str, list[dict]]:
    """Rows of the table over shapes by name, methods first; of two ranks of one size the deficient one."""
    rows = [row for row in report["speed"] if row["table"] == "shapes" and row["form"] == form and row["threads"] == threads]
    named: dict[str, list[dict]] = {}
    for row in sorted(rows, key=lambda row: (row["is_peer"], row["side"])):
        if row["rank"] < row["side"] or all(other["side"] != row["side"] or other["rank"] == row["rank"] for other in rows):
            named.setdefault(row["name"], []).append(row)
    return named


def draw_speed(axes: Axes, report: dict, form: str, threads: int) -> None:
    sides = []
    colors = plt.get_cmap("tab20").colors
    for i, (name, rows) in enumerate(shown_speed(report, form, threads).items()):
        is_peer = rows[0]["is_peer"]
        sides, rates = [row["side"] for row in rows], [row["matrices_per_second"] for row in rows]
        line = {"color": INK, "ls": ["--", ":", "-."][i % 3], "lw": 1.4} if is_peer else {"color": colors[i % 20], "lw": 1.6}
        axes.plot(sides, rates, marker="s" if is_peer else "o", ms=3.5, label=name, **line)
    axes.set(xscale="log", yscale="log", xlabel="n (matrices n × n of rank n − 1)", ylabel="matrices/s")
    axes.set_xticks(sides, [str(side) for side in sides])
    axes.minorticks_off()
    axes.set_title(f"{FORMS[form]}, {threads} thread{'s' if threads != 1 else ''}", loc="left")
    axes.legend(frameon=False, fontsize=7.5, ncols=2)


def cell_text(value: float) -> str:
    if not np.isfinite(value):
        return "∞"
    if value >= 1e3:
        return f"1e{round(np.log10(value))}"
    return f"{value:.0f}" if value >= 1 or value == 0 else f"{value:.1g}"


def draw_residuals(axes: Axes, report: dict) -> None:
    """Worst of the four Penrose residuals and of both forms, max(m, n) eps."""
    classes = report["accuracy"]
    methods = list(dict.fromkeys(row["method"] for row in classes[0]["rows"]))
    values = np.zeros((len(classes), len(methods)))
    for i, one in enumerate(classes):
        for row in one["rows"]:
            j = methods.index(row["method"])
            residual = np.inf if row["residual"] is None else row["residual"]
            values[i, j] = max(values[i, j], residual)
    shown = np.clip(values, LEAST_SHOWN, 1e15)
    image = axes.imshow(shown, norm=LogNorm(LEAST_SHOWN, 1e12), cmap="YlOrBr", aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        axes.text(j, i, cell_text(value), ha="center", va="center", fontsize=7, color="white" if value > 1e8 else INK)
    axes.set_xticks(range(len(methods)), methods, rotation=30, ha="right")
    axes.set_yticks(range(len(classes)), [one["name"] + ("" if one["rank_is_defined"] else " *") for one in classes])
    axes.grid(False)
    bound = report["residual_bound"]
    axes.set_title(f"largest Penrose residual in units of max(m, n) ε  (gate: {bound:g};  *: rank not well defined)", loc="left")
    axes.figure.colorbar(image, ax=axes, pad=0.01)


def picture(report: dict, threads: int | None) -> plt.Figure:
    has_speed, has_accuracy = bool(report["speed"]), bool(report["accuracy"])
    if not has_speed and not has_accuracy:
        sys.exit("plot_pinv.py: error: the file holds neither accuracy nor speed")
    figure = plt.figure(figsize=(12, 5.5 * (has_speed + has_accuracy)), layout="constrained")
    grid = figure.add_gridspec(has_speed + has_accuracy, 2)
    if has_speed:
        wanted = threads or max(row["threads"] for row in report["speed"])
        if all(row["threads"] != wanted for row in report["speed"]):
            sys.exit(f"plot_pinv.py: error: the file has no rows with {wanted} threads")
        first = figure.add_subplot(grid[0, 0])
        draw_speed(first, report, "explicit", wanted)
        draw_speed(figure.add_subplot(grid[0, 1], sharey=first), report, "apply", wanted)
    if has_accuracy:
        draw_residuals(figure.add_subplot(grid[-1, :]), report)
    figure.suptitle(f"pseudoinverses, Sarrus {report['version']} on {report['processor']}", color=GRAY, fontsize=9)
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(description="Picture of the pseudoinverse benchmark.")
    parser.add_argument("file", metavar="PINV.json", help="what `sarrus bench pinv -o PINV.json` wrote")
    parser.add_argument("-o", "--output", metavar="OUT.png", help="default: the file's name with .png, in this folder")
    parser.add_argument("--threads", metavar="N", type=int, help="rows of this thread count (default: the largest)")
    arguments = parser.parse_args()
    output = arguments.output or Path(arguments.file).stem + ".png"
    set_style()
    try:
        report = json.loads(Path(arguments.file).read_text(encoding="utf-8"))
        picture(report, arguments.threads).savefig(output, dpi=90)
    except (OSError, json.JSONDecodeError) as error:
        print(f"plot_pinv.py: error: {error}", file=sys.stderr)
        return 3
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
