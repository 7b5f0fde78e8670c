#!/usr/bin/env python3
"""Picture of `sarrus compare --json`: of one file, time against difference of every row that was tried; of several, the time of
each formulation against the number of speeds, with fitted exponents, which it prints.

    sarrus compare scenarios/five_bar.yaml --json > five_bar.json && python3 python/plot_compare.py five_bar.json [-o compare.png]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from plot import GRAY, set_style

LEAST = 1e-17  # differences below count as this: the row that others are compared to has 0


def listed(found: dict) -> list[dict]:
    if "rows" not in found:
        raise ValueError("the file has no rows; expected one scenario by `sarrus compare --json`")
    rows = [row for row in found["rows"] if row["rank"] == "auto" and row["verdict"] != "refused"]
    return [row for row in rows if row["nanoseconds"] is not None]


def draw_rows(axes: Axes, found: dict) -> None:
    """Every row: right ones filled, wrong ones hollow, the line where a row becomes wrong at the largest condition."""
    colors = plt.get_cmap("tab10").colors
    rows = listed(found)
    for i, formulation in enumerate(dict.fromkeys(row["formulation"] for row in rows)):
        for verdict, face in (("ok", colors[i % 10]), ("failed", "none")):
            own = [row for row in rows if (row["formulation"], row["verdict"]) == (formulation, verdict)]
            own = [row for row in own if row["acceleration"] is not None]
            differences = [max(row["acceleration"], LEAST) for row in own]
            label, times = formulation if verdict == "ok" else None, [row["nanoseconds"] for row in own]
            axes.scatter(times, differences, s=22, facecolor=face, edgecolor=colors[i % 10], label=label)
            for row, y in zip(own, differences, strict=True):
                place = {"xytext": (3, 2), "textcoords": "offset points"}
                axes.annotate(row["pinv"], (row["nanoseconds"], y), fontsize=5.5, color=GRAY, **place)
    axes.axhline(found["tolerance"] * found["condition_most"], color=GRAY, lw=0.8, ls=":")
    axes.set(xscale="log", yscale="log", xlabel="ns of an acceleration", ylabel="relative difference of a")
    axes.set_title(f"{found['name'] or found['scenario']}: n = {found['n']}, m = {found['m']}", loc="left")
    axes.legend(frameon=False, fontsize=7.5, ncols=2)


def fitted(speeds: list[int], times: list[float]) -> float:
    """The exponent over the longer half, where the leading term shows."""
    half = len(speeds) // 2
    return float(np.polyfit(np.log(speeds[half:]), np.log(times[half:]), 1)[0])


def draw_lengths(axes: Axes, files: list[dict]) -> dict[str, float]:
    exponents = {}
    for formulation in dict.fromkeys(row["formulation"] for found in files for row in listed(found)):
        points = [
            (found["n"], row["nanoseconds"])
            for found in files
            for row in listed(found)
            if row["formulation"] == formulation and row["pinv"] == "auto" and row["verdict"] == "ok"
        ]
        if len(points) < 3:
            continue
        speeds, times = map(list, zip(*sorted(points), strict=True))
        exponents[formulation] = fitted(speeds, times)
        axes.plot(speeds, times, marker="o", ms=3.5, lw=1.4, label=f"{formulation}  n^{exponents[formulation]:.1f}")
    axes.set(xscale="log", yscale="log", xlabel="n, speeds of all bodies", ylabel="ns of an acceleration")
    axes.set_title("cost against the length of a chain, pinv auto", loc="left")
    axes.legend(frameon=False, fontsize=7.5)
    return exponents


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="what `sarrus compare --json` has printed")
    parser.add_argument("-o", "--output", type=Path, default=Path("compare.png"))
    options = parser.parse_args()
    try:
        files = [json.loads(path.read_text()) for path in options.files]
        set_style()
        figure, axes = plt.subplots(figsize=(7.5, 5.5), layout="constrained")
        if len(files) == 1:
            draw_rows(axes, files[0])
        else:
            for formulation, exponent in draw_lengths(axes, files).items():
                print(f"{formulation} n^{exponent:.2f}")
    except (OSError, ValueError, KeyError) as error:
        print(f"plot_compare.py: error: {error}", file=sys.stderr)
        return 1
    figure.savefig(options.output, dpi=160)
    return 0


if __name__ == "__main__":
    sys.exit(main())
