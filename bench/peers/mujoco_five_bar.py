#!/usr/bin/env python3
"""The five-bar parallelogram (scenarios/five_bar.yaml) in MuJoCo and in Sarrus, against its closed form."""

import sys

import numpy as np
from scipy.special import ellipj
from side_by_side import Body, Loop, Mechanism, main

START = np.pi / 4
GRAVITY = 9.81
SIN, COS = float(np.sin(START)), float(np.cos(START))


def pendulum(times: np.ndarray) -> np.ndarray:
    """Crank angle from the downward vertical: 3.05 φ'' = −3.5 g sin φ, at rest at START. sin(φ/2) = k cd(ω t, k²)."""
    k = np.sin(START / 2)
    _, cn, dn, _ = ellipj(np.sqrt(3.5 * GRAVITY / 3.05) * times, k * k)
    return 2 * np.arcsin(k * cn / dn)


def exact_error(times: np.ndarray, angles: np.ndarray) -> float:
    """Of the three cranks (the coupler must not turn at all)."""
    cranks = np.abs(angles[:, [0, 2, 3]] + START - pendulum(times)[:, None]).max()
    return float(max(cranks, np.abs(angles[:, 1]).max()))


def crank(name: str, x: float) -> Body:
    return Body(name, None, (x, 0.0), 1.0, 0.1, (x + SIN / 2, -COS / 2))


FIVE_BAR = Mechanism(
    name="five-bar parallelogram",
    scenario="five_bar.yaml",
    dt=1e-3,
    t_end=2.0,
    gravity=-GRAVITY,
    bodies=(
        crank("crank_a", 0.0),
        Body("coupler", "crank_a", (SIN, -COS), 2.0, 0.2, (1.0 + SIN, -COS)),
        crank("crank_b", 1.0),
        crank("crank_c", 2.0),
    ),
    loops=(Loop(("coupler", "crank_b"), (1.0 + SIN, -COS)), Loop(("coupler", "crank_c"), (2.0 + SIN, -COS))),
    exact_error=exact_error,
    sarrus_bodies=(0, 3, 1, 2),
    n_rollouts=64,
    n_instances=10000,
)

if __name__ == "__main__":
    sys.exit(main(FIVE_BAR))
