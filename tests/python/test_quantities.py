"""Points, accelerations and quantities in a result file, against what NumPy makes of /state, /reactions and /diagnostics of that
file; in both spaces, in absolute and relative coordinates, whatever the threads and the number of instances. Exit code 77
(skipped) without a program or h5py."""

import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

PLANAR = """
sarrus: 1
space: planar
parameters: {L: 1.0, half: "=L/2"}
bodies:
  - {name: crank, mass: 1.0, inertia: "=L^2/12", position: ["=half", 0]}
  - {name: rod, mass: 0.5, inertia: 0.1, position: ["=L+0.3", 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], ["=-half", 0]], damping: 0.2}
  - {name: B, type: revolute, bodies: [crank, rod], points: [["=half", 0], [-0.3, 0]],
     drive: {signal: {sine: {amplitude: 0.4, frequency: 1}}}}
integrator: {method: rk4, dt: 1.0e-3, t_end: 1}
output:
  every: 7
  channels: [state, energy, work, reactions, acceleration]
  points:
    - {name: tip, body: rod, at: ["=half", 0.1], channels: [position, velocity, acceleration]}
    - {name: bare, body: crank, at: [0, 1]}
  quantities:
    stroke: max(tip.x) - min(tip.x)
    peak: max(hypot(joint.A.fx, joint.A.fy))/L
    low: first(tip.y < -0.5)
    never: "first(tip.y > 1e9)"
    degrees: "final(crank.angle/deg) - 2*final(crank.angle)/deg"
    turned: range(crank.angle) + 0*half
    done: final(work) + mean(energy)
    motor: integral(drive.B*t)
    larger: max(max(rms(tip.vx), rms(tip.vy)), 1.5e-1)
    jerked: max(abs(tip.ax)) + mean(rod.alpha) + min(rod.ay)
    both: mean(max(tip.x, tip.y, 2*L))
batch: {instances: 21, seed: 3, parameters: [{name: L, distribution: uniform, low: 0.8, high: 1.2}]}
"""

SPATIAL = """
sarrus: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 1.0, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0], angular_velocity: [0.3, 0.4, 0]}
joints:
  - {name: S, type: spherical, bodies: [ground, a], at: [0, 0, 0]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.5}
output:
  every: 10
  channels: [state, reactions, acceleration]
  points: [{name: tip, body: a, at: [0.2, 0.3, -0.1], channels: [acceleration, velocity, position]}]
  quantities: {lift: "max(tip.z) - min(tip.z)", load: "max(joint.S.fz)", spin: "rms(a.wy)", push: "final(tip.az) + min(tip.vy)"}
batch: {instances: 9, seed: 1, parameters: [{path: output.points.tip.at.0, distribution: uniform, low: 0.1, high: 0.3}]}
"""

# Both sides are sums and products of the same doubles in another order: some units in the last place of the largest of up to 150.
ROUND_OFF = 1e-12


def run(program, folder, text, *arguments):
    path = pathlib.Path(folder) / "out.h5"
    scenario = pathlib.Path(folder) / "scenario.yaml"
    scenario.write_text(text)
    command = [program, "run", str(scenario), "-o", str(path), "--backend", "cpu", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    with h5py.File(path) as f:
        out = {}
        f.visititems(lambda name, item: out.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
        for name in out:
            if name.startswith(("quantities/", "points/", "state/")):
                is_mixed = name in ("quantities/jerked", "quantities/turned", "quantities/push")  # sums of unlike numbers
                assert ("units" in f[name].attrs) != is_mixed and "long_name" in f[name].attrs, name
                assert all(len(axis) > 0 for axis in f[name].dims), f"{name} lacks a dimension scale"
    return out


def near(what, found, wanted, scale=0.0):
    is_nan = np.isnan(wanted)
    assert np.array_equal(np.isnan(found), is_nan), f"{what}: NaN elsewhere"
    size = max(np.abs(wanted[~is_nan]).max(initial=0.0), scale)
    difference = np.abs(found - wanted)[~is_nan].max(initial=0.0)
    assert difference <= ROUND_OFF * max(size, 1.0), f"{what}: {difference} of {size}"


def trapezoids(t, y):
    return np.sum(0.5 * np.diff(t) * (y[:, 1:] + y[:, :-1]), axis=1)


def check_planar(f):
    t, q, v, a = f["time"], f["state/q"], f["state/v"], f["state/a"]
    length = f["instance/parameters/L"][:, None]
    c, s = np.cos(q[:, :, 5]), np.sin(q[:, :, 5])
    rx, ry = c * length / 2 - s * 0.1, s * length / 2 + c * 0.1
    x, y = q[:, :, 3] + rx, q[:, :, 4] + ry
    vx, vy = v[:, :, 3] - v[:, :, 5] * ry, v[:, :, 4] + v[:, :, 5] * rx
    ax = a[:, :, 3] - a[:, :, 5] * ry - v[:, :, 5] ** 2 * rx
    ay = a[:, :, 4] + a[:, :, 5] * rx - v[:, :, 5] ** 2 * ry
    near("position", f["points/tip/position"], np.stack([x, y], axis=2))
    near("velocity", f["points/tip/velocity"], np.stack([vx, vy], axis=2))
    near("acceleration", f["points/tip/acceleration"], np.stack([ax, ay], axis=2))
    near("bare", f["points/bare/position"][:, :, 0], q[:, :, 0] - np.sin(q[:, :, 2]))
    force, motor = f["reactions/A"], f["drives/B"]
    energy, work = f["diagnostics/energy"], f["diagnostics/work"]
    is_low = y < -0.5
    wanted = {
        "stroke": x.max(axis=1) - x.min(axis=1),
        "peak": np.hypot(force[:, :, 0], force[:, :, 1]).max(axis=1) / length[:, 0],
        "low": np.where(is_low.any(axis=1), t[np.argmax(is_low, axis=1)], np.nan),
        "never": np.full(len(x), np.nan),
        "degrees": -np.rad2deg(q[:, -1, 2]),
        "turned": np.ptp(q[:, :, 2], axis=1),
        "done": work[:, -1] + energy.mean(axis=1),
        "motor": trapezoids(t, motor * t),
        "larger": np.maximum(np.maximum(np.sqrt((vx**2).mean(axis=1)), np.sqrt((vy**2).mean(axis=1))), 0.15),
        "jerked": np.abs(ax).max(axis=1) + a[:, :, 5].mean(axis=1) + a[:, :, 4].min(axis=1),
        "both": np.maximum(np.maximum(x, y), 2 * length).mean(axis=1),
    }
    assert is_low.any() and np.isfinite(wanted["low"]).all()
    for name, values in wanted.items():
        near(name, f[f"quantities/{name}"], values)


def matrices(p):
    w, x, y, z = np.moveaxis(p, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), [0, 1], [-2, -1])


def check_spatial(f):
    q, v, a = f["state/q"], f["state/v"], f["state/a"]
    s = np.broadcast_to([0.0, 0.3, -0.1], (len(q), 1, 3)).copy()
    s[:, 0, 0] = f["instance/parameters/output.points.tip.at.0"]
    turn = matrices(q[:, :, 3:])
    omega = v[:, :, 3:]

    def out(arm):
        return (turn @ arm[..., None])[..., 0]

    position = q[:, :, :3] + out(np.broadcast_to(s, omega.shape))
    velocity = v[:, :, :3] + out(np.cross(omega, s))
    acceleration = a[:, :, :3] + out(np.cross(a[:, :, 3:], s) + np.cross(omega, np.cross(omega, s)))
    # Euler parameters have the length 1 to 1e-12 only, which the two ways to a matrix show.
    for name, wanted in (("position", position), ("velocity", velocity), ("acceleration", acceleration)):
        near(name, f[f"points/tip/{name}"], wanted, 100.0)
    z = position[:, :, 2]
    near("lift", f["quantities/lift"], z.max(axis=1) - z.min(axis=1), 100.0)
    near("load", f["quantities/load"], f["reactions/S"][:, :, 2].max(axis=1))
    near("spin", f["quantities/spin"], np.sqrt((omega[:, :, 1] ** 2).mean(axis=1)))
    near("push", f["quantities/push"], acceleration[:, -1, 2] + velocity[:, :, 1].min(axis=1), 100.0)


def same_bits(a, b, rows):
    for name in a:
        if name.startswith(("quantities/", "points/", "state/a")):
            assert np.array_equal(a[name][rows], b[name], equal_nan=True), f"{name} differs"


def check_failures(program, folder):
    """Instances that fail have no quantities; those of the others are as they are without. They take 51 to 54 tries."""
    method = ["--set", "integrator.method=dopri5"]
    good, f = run(program, folder, PLANAR, *method), run(program, folder, PLANAR, *method, "--set", "integrator.max_steps=52")
    failed = f["instance/status"] != 0
    assert 0 < failed.sum() < len(failed)
    for name in good:
        if name.startswith("quantities/"):
            assert np.isnan(f[name][failed]).all(), name
            assert np.array_equal(f[name][~failed], good[name][~failed], equal_nan=True), name


def main():
    program = place()
    if program is None:
        return 77
    for text, check in ((PLANAR, check_planar), (SPATIAL, check_spatial)):
        for formulation in ("udwadia-kalaba", "relative"):
            with tempfile.TemporaryDirectory() as folder:
                setting = ["--set", f"dynamics.formulation={formulation}"]
                whole = run(program, folder, text, *setting)
                check(whole)
                same_bits(whole, run(program, folder, text, *setting, "--threads", "1", "--instances", "5"), slice(0, 5))
                bare = run(program, folder, text, *setting, "--set", "output.channels=[]")
                assert "state/q" not in bare
                for name in whole:
                    if name.startswith("quantities/"):
                        assert np.array_equal(whole[name], bare[name], equal_nan=True), name
                one = run(program, folder, text, *setting, "--instance", "4")
                for name in whole:
                    if name.startswith("quantities/"):
                        assert np.array_equal(whole[name][4:5], one[name], equal_nan=True), f"{name} of a replay"
    with tempfile.TemporaryDirectory() as folder:
        check_failures(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
