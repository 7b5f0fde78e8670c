#!/usr/bin/env python3
"""Picture of how the mean of a quantity with a known answer converges: random, Latin hypercube and Sobol' samples.

    python3 python/examples/sampling.py [-o docs/images/sampling.png]

Two links in a row, lengths and angles uniform; the quantity is how far the tip has come along x when the motion begins,
a sin α + b sin β, whose mean is E[a] E[sin α] + E[b] E[sin β].
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import sarrus

mpl.use("Agg")
from matplotlib import pyplot as plt

INK, GRAY = "#22303c", "#8a97a3"
COLORS = {"random": "#d2691e", "lhs": "#2e7d4f", "sobol": "#1f6f9f"}
NAMES = {"random": "random", "lhs": "Latin hypercube", "sobol": "Sobol'"}
SIZES, N_SEEDS = [2**k for k in range(4, 14)], 20
LENGTH, ANGLE = {"a": (0.8, 1.2), "b": (0.5, 0.9)}, {"alpha": (0.3, 1.3), "beta": (-0.5, 0.9)}

SCENARIO = """sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {{a: 1, b: 0.7, alpha: 0.8, beta: 0.2}}
bodies:
  - {{name: first, mass: 1, inertia: "=a^2/12", position: ["=a/2*sin(alpha)", "=-a/2*cos(alpha)"], orientation: "=alpha"}}
  - {{name: second, mass: 1, inertia: "=b^2/12", orientation: "=beta",
     position: ["=a*sin(alpha)+b/2*sin(beta)", "=-a*cos(alpha)-b/2*cos(beta)"]}}
joints:
  - {{name: A, type: revolute, bodies: [ground, first], points: [[0, 0], [0, "=a/2"]]}}
  - {{name: B, type: revolute, bodies: [first, second], points: [[0, "=-a/2"], [0, "=b/2"]]}}
integrator: {{method: rk4, dt: 0.001, t_end: 0.001}}
batch:
  instances: 16
  parameters:
{parameters}
"""


def mean_of_sine(low: float, high: float) -> float:
    return (math.cos(low) - math.cos(high)) / (high - low)


def answer() -> float:
    lengths = [sum(bounds) / 2 for bounds in LENGTH.values()]
    return sum(a * mean_of_sine(*bounds) for a, bounds in zip(lengths, ANGLE.values(), strict=True))


def drawn() -> str:
    """Lines of the scenario."""
    both = (LENGTH | ANGLE).items()
    return "\n".join(f"    - {{name: {name}, distribution: uniform, low: {a}, high: {b}}}" for name, (a, b) in both)


def errors(file: str) -> dict[str, np.ndarray]:
    """Root mean square over the seeds, by method and size."""
    found: dict[str, np.ndarray] = {}
    column = sarrus.load(file).coordinates.index("second.x")
    for method in NAMES:
        model = sarrus.load(file, {"batch.sampling": method})
        rows = np.empty((len(SIZES), N_SEEDS))
        for i, n in enumerate(SIZES):
            for seed in range(N_SEEDS):
                batch = sarrus.Batch(model, n, seed=seed, specialize="off", threads=1)
                draws = dict(zip(batch.parameter_labels, batch.parameters.T, strict=True))
                reach = batch.q[:, column] + draws["b"] / 2 * np.sin(batch.q[:, column + 2])
                rows[i, seed] = np.mean(reach) - answer()
        found[method] = np.sqrt(np.mean(rows**2, axis=1))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="docs/images/sampling.png")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "links.yaml"
        file.write_text(SCENARIO.format(parameters=drawn()))
        found = errors(str(file))
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    for method, rows in found.items():
        slope = np.polyfit(np.log(SIZES), np.log(rows), 1)[0]
        axes.loglog(SIZES, rows, "o-", ms=3, color=COLORS[method], label=f"{NAMES[method]}: N^{slope:.2f}")
        print(f"{method:7s} exponent {slope:.2f}, error at {SIZES[-1]}: {rows[-1]:.2g} of {answer():.4f} m")
    axes.set_xlabel("instances N", color=INK)
    axes.set_ylabel(f"error of the mean reach, m (rms of {N_SEEDS} seeds)", color=INK)
    axes.grid(color=GRAY, alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(given.output, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
