"""Angles of joints in space count all turns where a step that an output falls into makes many: of driven and of free wheels, over
trees, with every adaptive method; energies of their springs, and motor loads, follow."""

import sys

import numpy as np
from package import run_all, sarrus

METHODS = ("dopri5", "verner65", "adams-moulton")
SPEED, STIFFNESS, INERTIA = 20.0, 0.01, 0.1  # rad/s, N m/rad, kg m²
# rtol 1e-9 of up to 200 rad, and as much in the loads
APART = 1e-6


def run(joint, method, formulation, moving=None):
    scenario = {
        "sarrus": 1,
        "space": "spatial",
        "gravity": [0, 0, 0],
        "bodies": [{"name": "b", "mass": 1, "inertia": [INERTIA] * 3, "position": [0.3, -0.4, 0]} | (moving or {})],
        "joints": [{"name": "J", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]} | joint],
        "dynamics": {"formulation": formulation},
        "integrator": {"method": method, "rtol": 1e-9, "atol": 1e-11, "t_end": 10},
        "output": {"interval": 0.7, "channels": ["state", "joints", "energy", "work"]},
    }
    return sarrus.run(scenario)


def test_driven_wheel():
    drive = {"signal": {"polynomial": [0, SPEED]}}
    for method in METHODS:
        for formulation in ("relative", "recursive"):
            for elastic in ({}, {"stiffness": STIFFNESS}):
                found = run({"type": "revolute", "drive": drive} | elastic, method, formulation)
                angle = SPEED * found["time"][:]
                assert found["instance/status"][0] == 0
                assert abs(found["joints/J/coordinate"][0].ravel() - angle).max() < APART, (method, formulation)
                load = STIFFNESS * angle if elastic else 0 * angle
                assert abs(found["drives/J"][0].ravel() - load).max() < APART, (method, formulation)
                kinetic = 0.5 * (INERTIA + 0.25) * SPEED**2
                potential = 0.5 * load * angle
                energy = found["diagnostics/energy"][0]
                assert abs(energy - kinetic - potential).max() < 1e-6 * energy.max(), (method, formulation)


def test_free_sleeve():
    spin = {"angular_velocity": [0, 0, -SPEED], "velocity": [-SPEED * 0.4, -SPEED * 0.3, 0.05]}
    for method in METHODS:
        found = run({"type": "cylindrical"}, method, "auto", spin)
        angle = found["joints/J/coordinate"][0][:, 1]
        assert abs(angle + SPEED * found["time"][:]).max() < APART, (method, np.diff(angle))


if __name__ == "__main__":
    sys.exit(run_all(globals()))
