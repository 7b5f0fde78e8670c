"""Reactions of redundant joints in the weights of `dynamics.multipliers`, against NumPy on hundreds of random mechanisms: the
multipliers of least Σ (w λ)² with the Jᵀλ of the equations that `Batch.systems` shows, in the plane and in space, standing and
moving. Exit code 77 (skipped) without the package."""

import sys

import numpy as np
from package import run_all, sarrus
from program import SOURCE

RANDOM = np.random.default_rng(17)
WAYS = ({}, {"dynamics.pinv": "svd"}, {"dynamics.pinv": "mgs2"}, {"dynamics.rank": {"method": "relative"}})


def least(jacobian, load, weights):
    """λ with Jᵀλ = load that has the least Σ (w λ)²: with μ = w λ the least norm of (W⁻¹J)ᵀ μ = load."""
    return np.linalg.lstsq((jacobian / weights[:, None]).T, load, rcond=1e-9)[0] / weights


def multipliers_of(batch):
    """(J, Jᵀλ) of every instance; accelerations are the run's own."""
    system = batch.systems()
    a = batch.observe("acceleration")["acceleration"]
    return system["jacobian"], system["force"] - np.einsum("nij,nj->ni", system["mass"], a)


def hung(n_joints, kinds, weights):
    """A beam that cannot move, held by so many pins and welds, in the plane."""
    names = [f"j{i}" for i in range(n_joints)]
    return {
        "sarrus": 1,
        "space": "planar",
        "gravity": [0.3, -9.81],
        "bodies": [{"name": "beam", "mass": 3.0, "inertia": 0.7, "position": [0.2, 0.1]}],
        "joints": [
            {"name": name, "type": kind, "bodies": ["ground", "beam"], "at": RANDOM.uniform(-2, 2, 2).tolist()}
            for name, kind in zip(names, kinds, strict=True)
        ],
        "forces": [
            {"name": "f", "type": "force", "body": "beam", "at": [0.4, 0.3], "value": RANDOM.uniform(-9, 9, 2).tolist()},
            {"name": "t", "type": "torque", "body": "beam", "value": float(RANDOM.uniform(-9, 9))},
        ],
        "dynamics": {"multipliers": weights},
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 0.1},
    }


def test_random_beams():
    """2 to 5 joints, weights over two orders of magnitude: λ to 1e-10 of the largest, condition of the weighted rows below 1e4."""
    for _ in range(150):
        n_joints = int(RANDOM.integers(2, 6))
        kinds = ["revolute"] * n_joints
        given = {f"j{i}": float(10 ** RANDOM.uniform(-1, 1)) for i in range(n_joints) if RANDOM.random() < 0.8}
        text = hung(n_joints, kinds, given or "equal")
        way = WAYS[int(RANDOM.integers(len(WAYS)))]
        batch = sarrus.Batch(text, 1, settings=way)
        jacobian, load = multipliers_of(batch)
        weights = np.repeat([given.get(f"j{i}", 1.0) for i in range(n_joints)], 2)
        expected = -least(jacobian[0], load[0], weights).reshape(n_joints, 2)
        found = batch.observe("reactions")["reactions"][0, :, :2]
        assert np.abs(found - expected).max() <= 1e-10 * (1 + np.abs(expected).max()), (text, way, found, expected)


def test_welds_by_equal_weights():
    """Forces and moments of welds and pins with w = 1."""
    for _ in range(60):
        n_joints = int(RANDOM.integers(2, 5))
        kinds = [("fixed", "revolute")[int(RANDOM.integers(2))] for _ in range(n_joints)]
        batch = sarrus.Batch(hung(n_joints, kinds, "equal"), 1, settings=WAYS[int(RANDOM.integers(len(WAYS)))])
        jacobian, load = multipliers_of(batch)
        multipliers = -least(jacobian[0], load[0], np.ones(jacobian.shape[1]))
        found, row = batch.observe("reactions")["reactions"][0], 0
        for i, kind in enumerate(kinds):
            n_rows = 3 if kind == "fixed" else 2
            assert np.abs(found[i, :n_rows] - multipliers[row : row + n_rows]).max() <= 1e-10 * (1 + np.abs(multipliers).max())
            row += n_rows


def test_moving_five_bars():
    """Drawn five-bars as they move, every weighting of pins: bodies' sums of reactions and the motion do not know of it."""
    path = str(SOURCE / "scenarios" / "five_bar_monte_carlo.yaml")
    names = sarrus.load(path).joints
    seen = []
    for given in ("equal", {names[0]: 4.0, names[3]: 0.2}, {name: float(10 ** RANDOM.uniform(-1, 1)) for name in names}):
        batch = sarrus.Batch(path, 16, settings={"dynamics.multipliers": given})
        batch.advance(150)
        jacobian, load = multipliers_of(batch)
        found = batch.observe("reactions")["reactions"][:, :, :2].reshape(16, -1)
        of = {} if given == "equal" else given
        weights = np.repeat([of.get(name, 1.0) for name in names], 2)
        for i in range(16):
            expected = -least(jacobian[i], load[i], weights)
            assert np.abs(found[i] - expected).max() <= 1e-9 * (1 + np.abs(expected).max()), (given, i)
        seen.append((batch.observe("q")["q"], np.einsum("nij,ni->nj", jacobian, found), found))
    for q, sums, reactions in seen[1:]:
        assert np.array_equal(q, seen[0][0])
        assert np.abs(sums - seen[0][1]).max() <= 1e-10 * (1 + np.abs(sums).max())
        assert np.abs(reactions - seen[0][2]).max() > 1e-3


def test_units_do_not_know_of_meters():
    """The same beam in millimetres, forces in mN and torques in µN m so that masses stay: forces are a thousand times, moments a
    million times the numbers with `units`, and with `equal` they are not."""
    kinds = ["fixed", "revolute", "fixed"]
    for weights, is_same in (("units", True), ("equal", False)):
        text = hung(3, kinds, weights)
        small = {**text, "gravity": [1e3 * g for g in text["gravity"]]}
        small["bodies"] = [{**text["bodies"][0], "inertia": 0.7e6, "position": [200.0, 100.0]}]
        small["joints"] = [{**joint, "at": [1e3 * x for x in joint["at"]]} for joint in text["joints"]]
        force, torque = text["forces"]
        small["forces"] = [
            {**force, "at": [400.0, 300.0], "value": [1e3 * f for f in force["value"]]},
            {**torque, "value": 1e6 * torque["value"]},
        ]
        large, tiny = (sarrus.Batch(t, 1).observe("reactions")["reactions"][0] for t in (text, small))
        tiny = tiny / np.array([1e3, 1e3, 1e6])
        # Forces and moments each against their own largest; a plan keeps six bits of the size.
        off = np.abs(large - tiny).max(axis=0) / np.abs(large).max(axis=0)
        assert (off.max() <= 0.05) == is_same, (weights, large, tiny)


def held(length, weights):
    """A four-bar of hinges in space under a load across its plane, with so many units of length to the metre."""
    scale = np.array([length, length, length])

    def rod(name, mass, inertia, position):
        return {
            "name": name,
            "mass": mass,
            "inertia": (np.array(inertia) * length**2).tolist(),
            "position": (position * scale).tolist(),
        }

    points = {"A": [0, 0, 0], "B": [0, 0.3, 0], "C": [0.8, 0.9, 0], "D": [1, 0, 0]}
    bodies = {"A": ["ground", "crank"], "B": ["crank", "coupler"], "C": ["coupler", "rocker"], "D": ["ground", "rocker"]}
    return {
        "sarrus": 1,
        "space": "spatial",
        "gravity": ([0, -9.81, 3] * scale).tolist(),
        "bodies": [
            rod("crank", 3.0, [0.0225, 1e-3, 0.0225], [0, 0.15, 0]),
            rod("coupler", 1.0, [0.0833] * 3, [0.4, 0.6, 0]),
            rod("rocker", 0.9, [0.06375, 1e-3, 0.06375], [0.9, 0.45, 0]),
        ],
        "joints": [
            {"name": name, "type": "revolute", "bodies": bodies[name], "at": (at * scale).tolist(), "axis": [0, 0, 1]}
            for name, at in points.items()
        ],
        "dynamics": {"multipliers": weights},
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 1},
    }


def test_unit_of_length():
    """Weights that count moments by a length do not depend on the unit of length: they have 24 bits, 1e-7."""
    for weights in ("units", "masses", {"A": [2, 2]}):
        found = []
        for length in (1.0, 1000.0, 3.28084):
            loads = sarrus.Batch(held(length, weights), 1).observe("reactions")["reactions"][0]
            found.append(loads.reshape(4, 6) / ([length] * 3 + [length**2] * 3))
        largest = np.abs(found[0]).max()
        assert max(np.abs(found[k] - found[0]).max() for k in (1, 2)) < 1e-6 * largest, (weights, found)


if __name__ == "__main__":
    sys.exit(run_all(globals()))
