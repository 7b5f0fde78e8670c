"""What lies between two steps of an adaptive method is seen: a hump of a curve behind a straight track, which a bead rode through
at 5 m/s with status `ok`, and sines whose every stage is a whole number of periods, which moved a slider by 64,800 km.

- A bead of 12.5 J and a hump of 19.6 J: it turns back. One of 0.3 m it climbs, and is late by the way over it.
- x = F/(m w^2) (1 - cos(w t)) under F cos(w t), and where ground is shaken."""

import itertools
import sys

import numpy as np
from package import run_all, sarrus

METHODS = ("dopri5", "verner65", "adams-moulton")
SPEED, G = 5.0, 9.81


def track(height, at, is_spatial):
    """Points every half metre, with a Gaussian hump."""
    x = np.arange(-1, 58, 0.5)
    y = height * np.exp(-((x - at) ** 2))
    y[y < 1e-9] = 0
    return [[a, 0, b] if is_spatial else [a, b] for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def bead(method, points, is_spatial, settings):
    zeros = [0, 0] if is_spatial else [0]
    scenario = {
        "sarrus": 1,
        "space": "spatial" if is_spatial else "planar",
        "gravity": [*zeros, -G],
        "bodies": [
            {
                "name": "bead",
                "mass": 1,
                "inertia": [0.2, 0.2, 0.2] if is_spatial else 0.2,
                "position": [0, *zeros],
                "velocity": [SPEED, *zeros],
            }
        ],
        "joints": [],
        "constraints": [{"name": "track", "type": "curve", "bodies": ["ground", "bead"], "points": points}],
        "integrator": {"method": method, "t_end": 10.5} | settings,
        "output": {"interval": 0.1, "channels": ["state", "energy", "work"]},
    }
    return sarrus.run(scenario)


def test_a_hump_turns_a_bead_back():
    """Wherever it stands: x stays before it, and the energy is kept at every output."""
    for method, is_spatial, at in itertools.product(METHODS, (False, True), (20.3, 37.5, 41.0)):
        result = bead(method, track(2.0, at, is_spatial), is_spatial, {})
        x, energy = result.q[0, :, 0], result["diagnostics/energy"][0]
        assert x.max() < at, f"{method}, spatial {is_spatial}, hump at {at}: the bead comes to {x.max()}"
        # The tolerance of the default, 1e-8 of the motion, over the few hundred steps of the way.
        assert np.ptp(energy) < 1e-3, f"{method}, spatial {is_spatial}, hump at {at}: energy off by {np.ptp(energy)}"


def test_a_hump_that_is_climbed_takes_time():
    """As by rk4 at 1 ms, to the drift of the defaults."""
    for is_spatial in (False, True):
        points = track(0.3, 37.5, is_spatial)
        slow = bead("rk4", points, is_spatial, {"dt": 1e-3}).q[0, -1, 0]
        assert slow < SPEED * 10.5 - 0.1
        for method in METHODS:
            found = bead(method, points, is_spatial, {}).q[0, -1, 0]
            assert abs(found - slow) < 1e-3, f"{method}, spatial {is_spatial}: {found}, not {slow}"


def slider(method, t_end, frequency, ground):
    sine = {"sine": {"amplitude": 0.01 if ground else 10, "frequency": frequency, "phase": 0 if ground else np.pi / 2}}
    scenario = {
        "sarrus": 1,
        "space": "planar",
        "gravity": [0, 0],
        "bodies": [{"name": "a", "mass": 1, "inertia": 0.2, "position": [0, 0]}],
        "joints": [{"name": "j", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0]}],
        "integrator": {"method": method, "t_end": t_end},
    }
    if ground:
        scenario |= {"ground": {"motion": {"x": {"signal": sine}}}}
        scenario["joints"][0]["damping"] = 1e-3
    else:
        scenario |= {"forces": [{"name": "f", "type": "force", "body": "a", "value": [{"signal": sine}, 0]}]}
    return sarrus.run(scenario).q[0, :, 0]


def test_sines_are_not_sampled_in_step_with_themselves():
    """dopri5 has its stages at multiples of 1/90 of the step, verner65 of 1/30; the first step is a thousandth of the time."""
    for method, t_end, frequency in (("dopri5", 90, 1000), ("dopri5", 180, 500), ("verner65", 60, 500)):
        most = 2 * 10 / (2 * np.pi * frequency) ** 2
        found = abs(slider(method, t_end, frequency, False)).max()
        # Besides what the tolerances let pass in some 10^5 steps: 1e-10 each.
        assert found < most + 1e-4, f"{method}, {frequency} Hz: {found}, not below {most}"
    moved = abs(slider("dopri5", 90, 1000, True)).max()
    assert moved < 0.01, f"shaken: {moved}"


if __name__ == "__main__":
    sys.exit(run_all(globals()))
