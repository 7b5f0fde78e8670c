"""Free coordinates of joints and their rates in a result file: driven ones follow their signals, all begin at 0 and are the
integrals of their rates; angles are those of the bodies, shifts those of points on them, relative to ground where it moves; the
same in quantities and statistics. Joints in space: test_joint_coordinates_in_space.py.
Exit code 77 (skipped) without a program or h5py."""

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

# A crank at an angle, a driven slide that turns with it, a rod on the slide whose pin runs in a slot of ground.
SCENARIO = """\
sarrus: 1
space: planar
parameters: {phi: 0.4, L: 0.3}
bodies:
  - {name: crank, mass: 1, inertia: 0.1, position: ["=L*cos(phi)", "=L*sin(phi)"], orientation: "=phi", angular_velocity: 2}
  - {name: slide, mass: 0.5, inertia: 0.05, position: ["=3*L*cos(phi)", "=3*L*sin(phi)"], orientation: 1.1}
  - {name: bob, mass: 0.2, inertia: 0.01, position: [1, -1], velocity: [0.3, 0.1]}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}
  - {name: P, type: prismatic, bodies: [crank, slide], at: ["=2*L*cos(phi)", "=2*L*sin(phi)"], axis: ["=cos(phi)", "=sin(phi)"],
     drive: {signal: {sine: {amplitude: 0.1, frequency: 0.5}}}}
  - {name: R, type: prismatic, bodies: [bob, ground], at: [1, -1], axis: [3, 1]}
  - {name: W, type: fixed, bodies: [bob, tail], at: [1, -1]}
  - {name: S, type: slot, bodies: [slide, pin], at: ["=3*L*cos(phi)+0.1", "=3*L*sin(phi)"], axis: [0, 1]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.4}
output:
  channels: [state, joints]
  quantities: {sweep: range(joint.A.coordinate)/pi, fastest: max(joint.P.speed), out: final(joint.R.coordinate) + 0*joint.S.speed}
  statistics: [joints]
batch:
  instances: 40
  seed: 1
  parameters:
    - {name: phi, distribution: uniform, low: 0.2, high: 1.4}
    - {name: L, distribution: uniform, low: 0.25, high: 0.35}
"""
SCENARIO = SCENARIO.replace(
    "joints:\n",
    "  - {name: tail, mass: 0.1, inertia: 0.01, position: [1.2, -1]}\n"
    '  - {name: pin, mass: 0.1, inertia: 0.01, position: ["=3*L*cos(phi)+0.1", "=3*L*sin(phi)"]}\njoints:\n',
    1,
).replace("final(joint.R.coordinate) + 0*joint.S.speed", "final(joint.R.coordinate) + 0*max(joint.S.speed)")


def run(program, folder, *arguments):
    scenario, path = pathlib.Path(folder) / "scenario.yaml", pathlib.Path(folder) / "out.h5"
    scenario.write_text(SCENARIO)
    command = [program, "run", str(scenario), "-o", str(path), "--backend", "cpu", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: out.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
        for name in out:
            if name.startswith("joints/"):
                assert all(len(axis) > 0 for axis in f[name].dims) and f[name].attrs["long_name"], name
        units = {name: f[name].attrs["units"] for name in out if name.startswith("joints/")}
    return out, units


def near(what, found, wanted, bound):
    difference = np.abs(found - wanted).max()
    assert difference <= bound, f"{what}: {difference}"


def check_integrals(f):
    """By Simpson's rule over pairs of steps: h^4 of the fourth derivatives, which are some thousands."""
    t = f["time"]
    for joint in "APRS":
        x, rate = f[f"joints/{joint}/coordinate"], f[f"joints/{joint}/speed"]
        pieces = (t[2::2] - t[:-2:2])[:, None] / 6 * (rate[:, :-2:2] + 4 * rate[:, 1:-1:2] + rate[:, 2::2])
        near(f"{joint} and its rate", np.cumsum(pieces, axis=1), x[:, 2::2] - x[:, :1], 1e-9)


def check_on_moving_ground(f):
    """Ground is shifted by (t², 0) and turns by 3t² about the origin; coordinates of joints on it are relative to it."""
    t, q, v = f["time"], f["state/q"], f["state/v"]
    angle, rate = 3 * t * t, 6 * t
    check_integrals(f)
    near("A", f["joints/A/coordinate"][..., 0], q[:, :, 2] - q[:, :1, 2] - angle, 1e-14)
    near("rate of A", f["joints/A/speed"][..., 0], v[:, :, 2] - rate, 1e-14)
    near("P follows its signal", f["joints/P/coordinate"][..., 0], (0.1 * np.sin(np.pi * t))[None], 1e-9)
    # Ground relative to the bob, which turns with it, along (3, 1).
    c, s = np.cos(angle), np.sin(angle)
    along = np.stack([3 * c - s, 3 * s + c], axis=1) / np.sqrt(10)
    point = np.stack([t * t + c + s, s - c], axis=1)  # (1, -1) of ground
    near("R", f["joints/R/coordinate"][..., 0], np.sum((point - q[:, :, 6:8]) * along, axis=2), 1e-12)


def check(f, units):
    t, q, v = f["time"], f["state/q"], f["state/v"]
    assert {p for p in f if p.startswith("joints/")} == {f"joints/{j}/{w}" for j in "APRS" for w in ("coordinate", "speed")}
    assert units["joints/A/coordinate"] == "rad" and units["joints/P/speed"] == "m s-1"
    for joint in "APRS":
        x, rate = f[f"joints/{joint}/coordinate"], f[f"joints/{joint}/speed"]
        assert x.shape == rate.shape == (40, len(t), 1)
        near(f"{joint} at t = 0", x[:, 0], 0.0, 1e-12)
        same = np.abs(f[f"statistics/joints/{joint}/speed/mean"] - rate.mean(axis=0)).max()
        assert same <= 1e-13 * np.abs(rate).max(), joint
        assert np.abs(rate).max() > 0.01, f"{joint} does not move"
    check_integrals(f)
    near("A", f["joints/A/coordinate"][..., 0], q[:, :, 2] - q[:, :1, 2], 1e-15)
    assert np.array_equal(f["joints/A/speed"][..., 0], v[:, :, 2])
    s = 0.1 * np.sin(np.pi * t)
    near("P follows its signal", f["joints/P/coordinate"][..., 0], s[None], 1e-9)
    near("P follows its rate", f["joints/P/speed"][..., 0], (0.1 * np.pi * np.cos(np.pi * t))[None], 1e-9)
    # Ground relative to the bob, which does not turn, along (3, 1).
    near("R", f["joints/R/coordinate"][..., 0], -((q[:, :, 6:8] - q[:, :1, 6:8]) @ np.array([3, 1])) / np.sqrt(10), 1e-12)
    # The pin, which has its point in its mass centre, from the slide's point along the axis that turns with the slide.
    turn = q[:, :, 5] - q[:, :1, 5]
    arm = q[:, :1, 12:14] - q[:, :1, 3:5]
    c, n = np.cos(turn), np.sin(turn)
    point = q[:, :, 3:5] + np.stack([c * arm[..., 0] - n * arm[..., 1], n * arm[..., 0] + c * arm[..., 1]], axis=2)
    gap = q[:, :, 12:14] - point
    near("S", f["joints/S/coordinate"][..., 0], -n * gap[..., 0] + c * gap[..., 1], 1e-12)
    near("sweep", f["quantities/sweep"], np.ptp(f["joints/A/coordinate"][..., 0], axis=1) / np.pi, 1e-15)
    assert np.array_equal(f["quantities/fastest"], f["joints/P/speed"][..., 0].max(axis=1))
    assert np.array_equal(f["quantities/out"], f["joints/R/coordinate"][:, -1, 0])


def check_errors(program, folder):
    def refused(setting, words):
        command = [program, "check", f"{folder}/scenario.yaml", "--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and words in done.stderr, done.stderr

    refused("output.quantities={a: max(joint.W.coordinate)}", "it has no free coordinate")
    refused("output.quantities={a: max(joint.A.acceleration)}", "expected fx, fy, mz, coordinate, speed")


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        plain, units = run(program, folder)
        check(plain, units)
        check_errors(program, folder)
        other, _ = run(program, folder, "--threads", "1", "--set", "output.instances=[4, 39]", "--set", "output.channels=[joints]")
        for path, values in plain.items():
            if path.startswith("joints/"):
                assert np.array_equal(other[path], values[[4, 39]]), path
            elif path.startswith(("quantities/", "statistics/")):
                assert np.array_equal(other[path], values, equal_nan=values.dtype.kind == "f"), path
        check(*run(program, folder, "--set", "dynamics={formulation: relative}"))
        moved = "ground={motion: {x: {signal: {polynomial: [0, 0, 1]}}, angle: {signal: {polynomial: [0, 0, 3]}}}}"
        check_on_moving_ground(run(program, folder, "--set", moved)[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
