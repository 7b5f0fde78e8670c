"""Random trees of two to nine bodies with one or two distances that close loops, in the plane and in space: `recursive` makes the
motion of `relative` and of absolute coordinates, and is right by the reference of `sarrus.compare` at random states."""

import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
from package import run_all, sarrus

N_MECHANISMS = 40
FORMULATIONS = ("udwadia-kalaba", "relative", "recursive")
IN_PLANE = ("revolute", "revolute", "prismatic")
IN_SPACE = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "screw")
# Lengths of 1 m, 200 steps of round-off, 200 eps, by conditions of up to some 1e3: 5e-11. Of 1,120 of these 9e-14 was the worst.
APART = 5e-11


def body(draw, i, d):
    inertia = 10 ** draw.uniform(-2, 0)
    out = {"name": f"b{i}", "mass": 10 ** draw.uniform(-1, 1), "position": list(draw.uniform(-1, 1, d))}
    if d == 2:
        return out | {"inertia": inertia, "orientation": draw.uniform(-3, 3)}
    turn = draw.normal(size=4)
    out |= {"inertia": [inertia, *(inertia * draw.uniform(0.6, 1.2, 2))], "orientation": list(turn / np.linalg.norm(turn))}
    return out | ({"rotor": list(draw.uniform(-0.1, 0.1, 3))} if draw.random() < 0.2 else {})


def joint(draw, i, d):
    """A joint to ground, a body before, or the one before that; bodies stand either way around in it."""
    kind = str(draw.choice(IN_PLANE if d == 2 else IN_SPACE))
    inboard = "ground" if i == 0 or draw.random() < 0.15 else f"b{draw.integers(max(0, i - 2), i)}"
    bodies = [inboard, f"b{i}"] if draw.random() < 0.8 else [f"b{i}", inboard]
    out = {"name": f"j{i}", "type": kind, "bodies": bodies, "at": list(draw.uniform(-1, 1, d))}
    if kind == "prismatic" or (d == 3 and kind in ("revolute", "cylindrical", "screw")):
        out["axis"] = list(draw.uniform(-1, 1, d))
    if kind == "screw":
        out["pitch"] = draw.uniform(0.05, 0.3)
    if kind == "universal":
        first = draw.uniform(-1, 1, 3)
        out["axes"] = [list(first), list(np.cross(first, draw.uniform(-1, 1, 3)))]
    if kind in ("revolute", "prismatic") and draw.random() < 0.4:
        out |= {"stiffness": draw.uniform(0, 20), "damping": draw.uniform(0, 1)}
    return out


def mechanism(seed):
    draw = np.random.default_rng(seed)
    d, n = int(draw.integers(2, 4)), int(draw.integers(2, 10))
    joints = [joint(draw, i, d) for i in range(n)]
    for c in range(draw.integers(1, 3)):
        a, b = draw.choice(n, 2, replace=False)
        ends = [f"b{a}", "ground" if draw.random() < 0.5 else f"b{b}"]
        joints.append({"name": f"c{c}", "type": "distance", "bodies": ends, "points": draw.uniform(-0.5, 0.5, (2, d)).tolist()})
    return {
        "sarrus": 1,
        "space": "planar" if d == 2 else "spatial",
        "gravity": [0, -9.81] if d == 2 else [0, 0, -9.81],
        "bodies": [body(draw, i, d) for i in range(n)],
        "joints": joints,
        "integrator": {"method": "rk4", "dt": 2.5e-4, "t_end": 0.05},
        "output": {"every": 200, "channels": ["state"]},
        "limits": {"error": "off", "energy": "off"},
    }


def test_random_loops():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", sarrus.SarrusWarning)  # that nothing can move, or nearly, is fine here
        for seed in range(N_MECHANISMS):
            file = pathlib.Path(folder) / f"{seed}.yaml"
            file.write_text(json.dumps(mechanism(seed)))
            runs = [sarrus.run(file, settings={"dynamics.formulation": formulation}) for formulation in FORMULATIONS]
            assert all(run["instance/status"][0] == 0 for run in runs), seed
            states = [run["state/q"][0, -1] for run in runs]
            assert max(np.abs(states[0] - states[1]).max(), np.abs(states[0] - states[2]).max()) < APART, (seed, states)
            row = sarrus.compare(file, states=4, ranks=False, seconds=1e-5).find("recursive")
            assert row.verdict == "ok" and row.n_wrong == 0, (seed, row)


if __name__ == "__main__":
    sys.exit(run_all(globals()))
