"""What begins and ends between two steps of an adaptive method is not stepped over: pulses of tables, linear and cubic, as a torque
on a pendulum at rest, and a ramp that starts late, against the pendulum's own equation integrated from knot to knot."""

import itertools
import sys

import numpy as np
from package import run_all, sarrus

METHODS = ("dopri5", "verner65", "adams-moulton")
G, INERTIA, LENGTH = 9.81, 0.35, 0.5  # of a body of 1 kg about its pivot: 0.1 + 0.25 kg m²
LINEAR = ([0, 5, 5.1, 5.2, 10], [0, 0, 10, 0, 0])
KNOTS = np.arange(0, 10.001, 0.25)
CUBIC = (KNOTS.tolist(), np.where(abs(KNOTS - 5) < 0.3, 4.0, 0.0).tolist())
# Some 500 steps of 1e-9 each, over ten swings of a pendulum whose period depends on its amplitude.
APART = 1e-6


def scenario(method, signal):
    return {
        "sarrus": 1,
        "space": "planar",
        "gravity": [0, -G],
        "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "position": [0, -LENGTH]}],
        "joints": [{"name": "J", "type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}],
        "forces": [{"name": "kick", "type": "torque", "body": "b", "value": {"signal": signal}}],
        "integrator": {"method": method, "rtol": 1e-9, "atol": 1e-11, "t_end": 10},
        "output": {"interval": 0.1, "channels": ["state", "work", "energy"]},
    }


def motion(method, signal):
    return sarrus.run(scenario(method, signal))


def spline(t, y):
    """Value of the not-a-knot spline, by its conditions written out: a cubic for each interval."""
    n = len(t) - 1
    rows, right = [], []

    def row(pairs, value):
        line = np.zeros(4 * n)
        for k, c in pairs:
            line[4 * k : 4 * k + 4] += c
        rows.append(line)
        right.append(value)

    for k in range(n):
        h = t[k + 1] - t[k]
        row([(k, np.array([1, 0, 0, 0]))], y[k])
        row([(k, np.array([1, h, h**2, h**3]))], y[k + 1])
        if k + 1 < n:
            row([(k, np.array([0, 1, 2 * h, 3 * h**2])), (k + 1, np.array([0, -1, 0, 0]))], 0)
            row([(k, np.array([0, 0, 2, 6 * h])), (k + 1, np.array([0, 0, -2, 0]))], 0)
    for k in (0, n - 2):
        row([(k, np.array([0, 0, 0, 1])), (k + 1, np.array([0, 0, 0, -1]))], 0)
    c = np.linalg.solve(np.array(rows), np.array(right)).reshape(n, 4)

    def value(at, k):
        x = at - t[k]
        return ((c[k, 3] * x + c[k, 2]) * x + c[k, 1]) * x + c[k, 0]

    return value


def swing(kinks, torque, times):
    """θ at `times` by RK4 with steps of some 1e-3 s that end at kinks and times; `torque` takes the interval of kinks too."""
    stops = np.unique(np.concatenate([kinks, times]))
    y, out = np.zeros(2), {0.0: 0.0}
    for a, b in itertools.pairwise(stops):
        k = int(np.searchsorted(kinks, (a + b) / 2)) - 1
        n = int(np.ceil((b - a) / 1e-3))
        h = (b - a) / n

        def rate(t, y, k=k):
            return np.array([y[1], (torque(t, k) - G * LENGTH * np.sin(y[0])) / INERTIA])

        for i in range(n):
            t = a + i * h
            k1 = rate(t, y)
            k2 = rate(t + h / 2, y + h / 2 * k1)
            k3 = rate(t + h / 2, y + h / 2 * k2)
            k4 = rate(t + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[b] = y[0]
    return np.array([out[t] for t in times])


def check(signal, kinks, torque):
    times = np.arange(0, 101) * 0.1
    true = swing(np.array(kinks, dtype=float), torque, times)
    assert abs(true).max() > 0.3  # the pulse is felt
    for method in METHODS:
        run = motion(method, signal)
        assert run["instance/status"][0] == 0, method
        off = abs(run["state/q"][0, :, 2] - true).max()
        assert off < APART, (method, off)


def test_linear_pulse():
    t, y = LINEAR

    def torque(at, k):
        return y[k] + (y[k + 1] - y[k]) * (at - t[k]) / (t[k + 1] - t[k])

    check({"table": {"t": t, "y": y, "interpolation": "linear"}}, t, torque)


def test_cubic_pulse():
    t, y = CUBIC
    check({"table": {"t": t, "y": y}}, t, spline(t, y))


def test_late_ramp():
    check({"ramp": {"start": 4.5, "slope": 0.5}}, [0, 4.5, 10], lambda at, k: 0.5 * (at - 4.5) if k == 1 else 0.0)


def test_kinks_side_by_side():
    """Knots of two tables that round-off keeps apart: no step is made between them."""
    t, y = LINEAR
    later = [t[0], *np.nextafter(t[1:], 11)]
    for method in METHODS:
        text = scenario(method, {"table": {"t": t, "y": y, "interpolation": "linear"}})
        once = sarrus.run(text)
        other = {"name": "other", "type": "torque", "body": "b"}
        text["forces"].append(other | {"value": {"signal": {"table": {"t": later, "y": [0] * 5, "interpolation": "linear"}}}})
        twice = sarrus.run(text)
        assert twice["instance/status"][0] == 0, method
        assert abs(twice["state/q"] - once["state/q"]).max() < APART, method
        assert twice["instance/steps"][0] == once["instance/steps"][0], method


def test_knots_cost_one_step_each():
    run = motion("dopri5", {"table": {"t": LINEAR[0], "y": [0] * 5, "interpolation": "linear"}})
    assert run["instance/steps"][0] <= 24  # at rest: ten from the first to the longest, and two before each knot


if __name__ == "__main__":
    sys.exit(run_all(globals()))
