#!/usr/bin/env python3
"""Picture of the rank problem: the redundant singular value of a drifting mechanism against the violation of its constraints.

    sarrus bench s5-study --traces --json > s5_study.json
    python3 python/plot_rank.py s5_study.json [-o docs/images/rank.png]
"""

import argparse
import json
import math
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

INK, GRAY = "#22303c", "#8a97a3"
COLORS = {1e-10: "#1f6f9f", 1e-8: "#d2691e", 1e-6: "#2e7d4f"}
TOTAL_INERTIA = 3.05  # kg m2, of the five-bar about its one degree of freedom
PENDULUM = 3.5 * 9.81 / TOTAL_INERTIA  # 1/s2


def growth(initial_angle: float, times: np.ndarray) -> np.ndarray:
    """ln of the size of the fastest solution of x'' = phi'^2 x along the pendulum, 0 at the first time (RK4)."""

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -PENDULUM * math.sin(y[0]), y[3], y[1] ** 2 * y[2]])

    y, sizes, step = np.array([initial_angle, 0.0, 1.0, 1.0]), [], times[1] - times[0]
    shift = 0.0
    for _ in times:
        sizes.append(shift + math.log(y[2]))
        k1 = rate(y)
        k2 = rate(y + 0.5 * step * k1)
        k3 = rate(y + 0.5 * step * k2)
        k4 = rate(y + step * k3)
        y = y + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if y[2] > 1e6:
            shift += math.log(y[2])
            y[2:] /= y[2]
    return np.array(sizes) - sizes[0]


def draw_times(axes: Axes, traces: list[dict], initial_angle: float) -> None:
    """Singular values over time, with the thresholds and the growth that the theory says."""
    for trace in traces:
        color, t = COLORS.get(trace["tolerance"], INK), np.array(trace["t"])
        largest = np.array(trace["largest"])
        axes.semilogy(t, np.array(trace["redundant"]) / largest, color=color, lw=1.2, label=f"TOL {trace['tolerance']:.0e}")
        axes.axhline(trace["tolerance"], color=color, ls="--", lw=0.8)
        if trace["t_threshold"] is not None:
            axes.plot([trace["t_threshold"]], [trace["tolerance"]], "o", color=color, ms=5)
    first = traces[0]
    t, largest = np.array(first["t"]), np.array(first["largest"])
    axes.semilogy(t, np.array(first["kept"]) / largest, color=GRAY, lw=0.8, label="smallest true one")
    size = growth(initial_angle, t)
    i = int(np.searchsorted(t, 6.0))
    anchor = first["redundant"][i] / first["largest"][i]
    shown = (t >= 2.0) & (t <= 16.0)
    axes.semilogy(t[shown], anchor * np.exp(size[shown] - size[i]), color=INK, ls=":", lw=1.2, label="x'' = phi'^2 x")
    axes.set_ylim(1e-18, 3.0)
    axes.set_xlim(0.0, t[-1])
    axes.set_xlabel("time, s")
    axes.set_ylabel("singular value of J M$^{-1/2}$ / largest")
    axes.set_title("redundant singular value; dashed: the threshold", fontsize=9)
    axes.legend(fontsize=7, loc="lower right")


def draw_ratio(axes: Axes, traces: list[dict]) -> None:
    """Redundant singular value against the violation."""
    for trace in traces:
        color = COLORS.get(trace["tolerance"], INK)
        redundant = np.array(trace["redundant"])
        axes.loglog(trace["violation"], redundant, ".", color=color, ms=2, alpha=0.06)
        axes.loglog(trace["across"], redundant, ".", color=color, ms=3, label=f"TOL {trace['tolerance']:.0e}")
    ends = np.array([1e-17, 1e-1])
    axes.loglog(ends, ends / math.sqrt(TOTAL_INERTIA), color=INK, lw=0.9, label=r"$|\xi|\,/\,\sqrt{3.05}$")
    axes.set_xlim(1e-17, 1e-1)
    axes.set_ylim(1e-18, 1e-1)
    axes.set_xlabel(r"violation, m: $|\xi|$ (strong), $\|\Phi\|$ (pale)")
    axes.set_ylabel("redundant singular value, kg$^{-1/2}$")
    axes.set_title("it is the violation, not round-off", fontsize=9)
    axes.legend(fontsize=7, loc="upper left")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("rank.png"))
    arguments = parser.parse_args()
    report = json.loads(arguments.file.read_text(encoding="utf-8"))
    traces = report.get("traces") or []
    if not traces:
        print(f"{arguments.file}: no traces; expected the JSON of 'sarrus bench s5-study --traces --json'", file=sys.stderr)
        return 2
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
    draw_times(left, traces, report["initial_angle"])
    draw_ratio(right, traces)
    figure.savefig(arguments.output, dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main())
