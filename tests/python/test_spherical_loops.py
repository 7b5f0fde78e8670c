"""Spherical linkages of four hinges whose opposite arcs are alike: by the half turn that carries opposite links into one another,
opposite hinges turn by the same angle, also across the change points where the linkage could go on folded. Their loops have three
redundant rows, and the distance by the plan's rows falls along no straight line. Of 800 drawn ones two went over to the other
branch with status `ok` in relative coordinates, by verner65, where the look ahead had leapt the change point and taken it for a
bend. By rk4 some ended as unresolved, in both formulations: a step that ends on a change point by chance has not travelled there.
Exit code 77 (skipped) without the package."""

import sys

import numpy as np
from package import run_all, sarrus

# Hinges through the origin: B and D, A and C are carried into one another by a half turn about z.
HINGES = {
    "A": (["ground", "AB"], ["=a1", 0, "=h1"]),
    "B": (["AB", "BC"], ["=a2*cos(f)", "=a2*sin(f)", "=h2"]),
    "C": (["BC", "CD"], ["=-a1", 0, "=h1"]),
    "D": (["CD", "ground"], ["=-a2*cos(f)", "=-a2*sin(f)", "=h2"]),
}
DRAWN = {"a1": (0.3, 1), "h1": (0.1, 1), "a2": (0.3, 1), "h2": (0.1, 1), "f": (0.5, 2.5), "w": (-10, 10)}
DRAWN |= dict.fromkeys(("gx", "gy", "gz"), (-9, 9))
METHODS = {
    "verner65": ({"method": "verner65", "rtol": 1e-10, "atol": 1e-12, "t_end": 3}, 800),
    "adams-moulton": ({"method": "adams-moulton", "rtol": 1e-9, "atol": 1e-12, "t_end": 3}, 800),
    "dopri5": ({"method": "dopri5", "rtol": 1e-9, "atol": 1e-11, "t_end": 3}, 200),
    "rk4": ({"method": "rk4", "dt": 1e-3, "t_end": 3}, 600),
}
# A step across a change point leaves the loops closed to some 1e-13; √ of that is an angle across the motion.
APART = 1e-6


def scenario(integrator, instances):
    def body(name, mass, x, y):
        return {"name": name, "mass": mass, "inertia": [0.02, 0.03, 0.025], "position": [x, y, "=(h1+h2)/2"]}

    return {
        "sarrus": 1,
        "space": "spatial",
        "parameters": {"a1": 0.5, "h1": 0.8, "a2": 0.6, "h2": 0.5, "f": 1.2, "w": 5, "gx": 1, "gy": -9, "gz": 1},
        "gravity": ["=gx", "=gy", "=gz"],
        "bodies": [
            body("AB", 1, "=(a1+a2*cos(f))/2", "=a2*sin(f)/2") | {"angular_velocity": ["=a1*w", 0, "=h1*w"]},
            body("BC", 0.7, "=(-a1+a2*cos(f))/2", "=a2*sin(f)/2"),
            body("CD", 1.4, "=(-a1-a2*cos(f))/2", "=-a2*sin(f)/2"),
        ],
        "joints": [
            {"name": name, "type": "revolute", "bodies": bodies, "at": [0, 0, 0], "axis": axis}
            for name, (bodies, axis) in HINGES.items()
        ],
        "integrator": integrator,
        "output": {"interval": 0.05, "channels": ["joints"]},
        "batch": {
            "instances": instances,
            "seed": 5,
            "parameters": [
                {"name": name, "distribution": "uniform", "low": low, "high": high} for name, (low, high) in DRAWN.items()
            ],
        },
    }


def test_opposite_hinges():
    for name, formulation in (*((name, "relative") for name in METHODS), ("rk4", "udwadia-kalaba")):
        integrator, instances = METHODS[name]
        settings = {"dynamics.formulation": formulation}
        found = sarrus.run(scenario(integrator, instances), settings=settings, specialize="off")
        is_well = found["instance/status"] == 0
        angles = {hinge: found[f"joints/{hinge}/coordinate"][is_well][..., 0] for hinge in HINGES}
        assert is_well.all(), (name, formulation, np.flatnonzero(~is_well))
        for one, other in (("A", "C"), ("B", "D")):
            apart = np.abs(angles[one] - angles[other]).max(axis=1)
            assert apart.max() < APART, (name, one, np.flatnonzero(is_well)[apart > APART], apart.max())
        assert np.median(np.ptp(angles["A"], axis=1)) > 2, name  # rad: they swing, and pass through lines on the sphere


if __name__ == "__main__":
    sys.exit(run_all(globals()))
