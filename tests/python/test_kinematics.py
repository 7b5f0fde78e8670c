"""`sarrus.Kinematics` against differences, and against the motion of a batch. Exit code 77 (skipped) without the package."""

import sys

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE


def path(name):
    return str(SOURCE / "scenarios" / f"{name}.yaml")


def test_derivatives():
    """By central differences, good to h² and ε/h, in three configurations at once."""
    arm = sarrus.Kinematics(path("arm_7r"))
    q = np.random.default_rng(1).uniform(-2, 2, (3, arm.n))
    h = 1e-5
    for j in range(arm.n):
        step = np.eye(arm.n)[j] * h
        for wanted, function in ((arm.inertia(q, [j]), arm.inertia), (arm.screws(q, [j]), arm.screws)):
            differences = (function(q + step) - function(q - step)) / (2 * h)
            assert np.abs(wanted - differences).max() < 1e-7 * (1 + np.abs(wanted).max())
    slope = (arm.inertia(q + step, [0, 2]) - arm.inertia(q - step, [0, 2])) / (2 * h)
    assert np.abs(arm.inertia(q, [2, arm.n - 1, 0]) - slope).max() < 1e-7 * (1 + np.abs(slope).max())
    one = arm.inertia(q[1])
    assert one.shape == (1, arm.n, arm.n) and np.array_equal(one[0], arm.inertia(q)[1])


def test_motion_of_a_batch():
    """Coordinates, poses and speeds of drawn instances, each with its own numbers; c is Γ q̇ q̇."""
    n = 6
    text = {
        "sarrus": 1,
        "space": "spatial",
        "gravity": [0, 0, -9.81],
        "bodies": [
            {"name": "a", "mass": 1, "inertia": [0.1, 0.2, 0.25], "position": [0.5, 0, 0]},
            {"name": "b", "mass": 2, "inertia": [0.2, 0.1, 0.15], "position": [1.2, 0.1, 0]},
        ],
        "joints": [
            {"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            {"name": "B", "type": "universal", "bodies": ["a", "b"], "at": [1, 0, 0], "axes": [[1, 0, 0], [0, 1, 0]]},
        ],
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 1},
        "batch": {
            "instances": n,
            "seed": 5,
            "parameters": [{"path": "bodies.b.mass", "distribution": "uniform", "low": 1, "high": 3}],
        },
    }
    batch = sarrus.Batch(text)
    tree = sarrus.Kinematics(text, instances=n)
    assert [pair.kind for pair in tree.pairs] == ["turn"] * 3 and [pair.before for pair in tree.pairs] == [None, 0, 1]
    batch.advance(300)
    seen = batch.observe(["q", "v"])
    q = tree.coordinates(seen["q"])
    positions, rotations = tree.poses(q)
    assert np.abs(positions - seen["q"].reshape(n, 2, 7)[:, :, :3]).max() < 1e-10
    assert np.abs(rotations @ np.swapaxes(rotations, 2, 3) - np.eye(3)).max() < 1e-13
    v = seen["v"].reshape(n, 2, 6).copy()
    v[:, :, :3] = np.einsum("nbij,nbi->nbj", rotations, v[:, :, :3])
    screws = tree.screws(q)
    speeds = np.stack([np.linalg.lstsq(screws[i].swapaxes(1, 2).reshape(-1, 3), v[i].ravel(), rcond=None)[0] for i in range(n)])
    velocities, _ = tree.motion(q, speeds)
    assert np.abs(velocities - v).max() < 1e-9
    terms, weights = tree.forces(q, speeds)
    assert np.abs(np.einsum("nijk,nj,nk->ni", tree.christoffel(q), speeds, speeds) - terms).max() < 1e-11
    energy = batch.observe("energy")["energy"]
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", speeds, tree.inertia(q), speeds)
    masses = np.stack([np.ones(n), batch.parameters[:, 0]], axis=1)
    assert np.abs(kinetic + 9.81 * np.einsum("nb,nb->n", masses, positions[:, :, 2]) - energy).max() < 1e-9
    assert np.abs(weights).max() > 1 and np.ptp(masses[:, 1]) > 0


def test_turned_over():
    """Near a right angle of the second turn of a ball only the sum of the others is known: the pose is that of the bodies all the
    same."""
    scenario = {
        "sarrus": 1,
        "space": "spatial",
        "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0]}],
        "joints": [{"name": "A", "type": "spherical", "bodies": ["ground", "a"], "at": [0, 0, 0]}],
        "integrator": {"t_end": 1},
    }
    tree = sarrus.Kinematics(scenario, seed=2**64 - 1)
    axes = np.eye(3)

    def turned(p, angle, axis):
        w, x = np.cos(angle / 2), np.sin(angle / 2) * axis
        return np.r_[p[0] * w - p[1:] @ x, p[0] * x + w * p[1:] + np.cross(p[1:], x)]

    for d in [0.0, *10.0 ** -np.arange(1, 18)]:
        for sign in (-1, 1):
            turns = [0.3, sign * (np.pi / 2 - d), 0.7]
            quaternion = np.array([1.0, 0, 0, 0])
            for angle, axis in zip(turns, axes, strict=True):
                quaternion = turned(quaternion, angle, axis)
            w, x = quaternion[0], quaternion[1:]
            cross = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
            rotation = np.eye(3) + 2 * w * cross + 2 * cross @ cross
            found = tree.coordinates(np.r_[rotation @ [1, 0, 0], quaternion])
            _, back = tree.poses(np.asarray(found).ravel())
            assert np.abs(np.asarray(back)[0, 0] - rotation).max() < 1e-14, (d, sign)


def test_refusals():
    arm = sarrus.Kinematics(path("arm_6r"))
    raises(sarrus.ArgumentError, lambda: arm.inertia(np.zeros((2, arm.n + 1))), "shape")
    raises(sarrus.ArgumentError, lambda: arm.inertia(np.zeros((0, arm.n))), "shape")
    raises(sarrus.ArgumentError, lambda: arm.inertia(np.zeros(arm.n), by=[arm.n]), "by")
    raises(sarrus.ArgumentError, lambda: arm.inertia(np.zeros(arm.n), by=[0] * 9), "8 at most")
    raises(sarrus.ArgumentError, lambda: arm.forces(np.zeros((2, arm.n)), np.zeros(arm.n)), "speeds")
    raises(sarrus.ArgumentError, lambda: arm.inertia(np.zeros(arm.n), by=[True]), "whole number")
    raises(sarrus.ArgumentError, lambda: sarrus.run(path("pendulum"), output="none.h5", parts=True), "parts=True")
    raises(sarrus.UnsupportedError, lambda: sarrus.Kinematics(path("gyrostat")), "rotor")
    bad = arm.inertia(np.array([[0.1] * arm.n, [np.nan] * arm.n]))
    assert np.isfinite(bad[0]).all() and np.isnan(bad[1]).all()


if __name__ == "__main__":
    sys.exit(run_all(globals()))
