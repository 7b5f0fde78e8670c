"""Mechanisms at rest, where all accelerations are round-off, and one that comes to rest: every formulation holds them there and
ends well; what is left of an acceleration is round-off of the forces that balance."""

import sys

import numpy as np
from package import run_all, sarrus

FORMULATIONS = (
    *("udwadia-kalaba", "pseudo-range", "null-space", "udwadia-phohomsiri", "saddle", "partial", "range-space", "barycentric"),
    *("relative", "recursive", "saddle-factored"),
)
EPS = np.finfo(float).eps
OBLIQUE = [5.886, -7.848]  # 9.81 m/s² along (0.6, -0.8)
BODY = {"name": "b", "mass": 1, "inertia": 0.1}
PIN = {"name": "J", "type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}
AT_REST = {
    "pendulum": {"gravity": [0, -9.81], "bodies": [BODY | {"position": [0, -0.5]}], "joints": [PIN]},
    "double": {
        "gravity": OBLIQUE,
        "bodies": [BODY | {"position": [0.3, -0.4]}, {"name": "c", "mass": 2, "inertia": 0.3, "position": [0.9, -1.2]}],
        "joints": [PIN, {"name": "K", "type": "revolute", "bodies": ["b", "c"], "at": [0.6, -0.8]}],
    },
    "table": {
        "gravity": [0, -9.81],
        "bodies": [BODY | {"position": [0.1, 0.2]}],
        "joints": [{"name": "J", "type": "prismatic", "bodies": ["ground", "b"], "at": [0.1, 0.2], "axis": [1, 0]}],
    },
    "driven": {
        "gravity": [0, 0],
        "bodies": [BODY | {"position": [0.3, 0.1]}],
        "joints": [PIN | {"drive": {"signal": {"polynomial": [0, 2]}}}],
    },
}
SETTLES = {
    "gravity": OBLIQUE,
    "bodies": [BODY | {"position": [0.5, 0]}, {"name": "c", "mass": 2, "inertia": 0.3, "position": [1.5, 0]}],
    "joints": [
        PIN | {"damping": 8},
        {"name": "K", "type": "revolute", "bodies": ["b", "c"], "at": [1, 0], "damping": 8},
    ],
}


def run(mechanism, formulation, integrator, interval):
    scenario = mechanism | {
        "sarrus": 1,
        "space": "planar",
        "dynamics": {"formulation": formulation},
        "integrator": integrator,
        "output": {"interval": interval, "channels": ["state", "acceleration"]},
    }
    return sarrus.run(scenario)


def refuses(name, formulation):
    return formulation == "barycentric" and name == "table"  # shifts are eliminated along pins


def test_at_rest():
    for name, mechanism in AT_REST.items():
        for formulation in FORMULATIONS:
            if refuses(name, formulation):
                continue
            found = run(mechanism, formulation, {"method": "rk4", "dt": 1e-3, "t_end": 0.02}, 0.01)
            assert found["instance/status"][0] == 0, (name, formulation)
            turning = 2.0**2 if name == "driven" else 0.0  # rad²/s², by an arm of some 0.3 m
            size = np.linalg.norm(mechanism["gravity"]) + turning
            a = found["state/a"][0]
            expected = 0 * a
            if name == "driven":
                expected[:, :2] = -turning * found["state/q"][0][:, :2]
            # Conditions of M and J of some tens.
            assert abs(a - expected).max() <= 1e3 * EPS * size, (name, formulation, a)


def test_comes_to_rest():
    hangs = np.array([0.3, -0.4, 0.9, -1.2])
    for formulation in FORMULATIONS:
        found = run(SETTLES, formulation, {"t_end": 60}, 0.5)
        assert found["instance/status"][0] == 0, formulation
        # dopri5 with its rtol and atol of 1e-6 and 1e-9
        assert abs(found["state/q"][0, -1, [0, 1, 3, 4]] - hangs).max() < 1e-5, formulation


if __name__ == "__main__":
    sys.exit(run_all(globals()))
