#!/usr/bin/env python3
"""Writes the N-four-bar scenarios, a benchmark of the IFToMM multibody community: n_four_bar_2.yaml, n_four_bar_40.yaml.

N + 1 upright links stand 1 m apart; couplers join the tips of neighbours. All are uniform rods of 1 m and 1 kg, gravity is
-9.81 m/s^2 along y, and the tips (the first is the benchmark's point B0) start with 1 m/s along x from the top. Whenever all
links lie on one line the N + 1 links could each go their own way; the motion must pass every time.

usage: make_n_four_bar.py [N ...]      (2 and 40 when none is given)
"""

import pathlib
import sys

HEADER = """\
# why: {n} parallelograms in a row. Upright links are a regular position ({bodies} bodies, one degree of freedom); when all links
# lie level, the motion comes to a point where {links} degrees of freedom meet, and it must go straight through each time. The
# couplers only translate, so the exact motion is a pendulum, phi from the downward vertical:
# ({links}/3 + {n}) phi'' = -({links}/2 + {n}) g sin phi.
# Written by make_n_four_bar.py.
sarrus: 1
name: {n}-four-bar
space: planar
gravity: [0, -9.81]
bodies:
"""

FOOTER = """\
dynamics: {formulation: udwadia-kalaba, pinv: auto, projection: every_step}
integrator: {method: rk4, dt: 1.0e-3, t_end: 20.0}
output: {interval: 0.01, channels: [state, energy, constraint, rank]}
"""

INERTIA = 1.0 / 12.0


def scenario(n: int) -> str:
    """The YAML text for n loops; link i stands on (i, 0), coupler i joins the tips of links i - 1 and i."""
    lines = []
    for i in range(n + 1):
        rod = f"name: link_{i}, mass: 1.0, inertia: {INERTIA!r}"
        lines.append(f"  - {{{rod}, position: [{i}, 0.5], velocity: [0.5, 0], angular_velocity: -1.0}}")
    for i in range(1, n + 1):
        rod = f"name: coupler_{i}, mass: 1.0, inertia: {INERTIA!r}"
        lines.append(f"  - {{{rod}, position: [{i - 0.5}, 1.0], velocity: [1, 0]}}")
    lines.append("joints:")
    for i in range(n + 1):
        lines.append(f"  - {{name: A{i}, type: revolute, bodies: [ground, link_{i}], at: [{i}, 0]}}")
    for i in range(1, n + 1):
        lines.append(f"  - {{name: L{i}, type: revolute, bodies: [link_{i - 1}, coupler_{i}], at: [{i - 1}, 1]}}")
        lines.append(f"  - {{name: R{i}, type: revolute, bodies: [link_{i}, coupler_{i}], at: [{i}, 1]}}")
    return HEADER.format(n=n, links=n + 1, bodies=2 * n + 1) + "\n".join(lines) + "\n" + FOOTER


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parent
    for n in [int(word) for word in sys.argv[1:]] or [2, 40]:
        (folder / f"n_four_bar_{n}.yaml").write_text(scenario(n), encoding="utf-8")


if __name__ == "__main__":
    main()
