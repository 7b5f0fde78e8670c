"""Redundant loops that cross change points exactly, in a closed form: the coupler of a parallelogram keeps its orientation whatever
the cranks do, also twice a turn, where it could go on as an antiparallelogram; no velocity may jump.

- Four pins in space, drawn in any direction. Some of the plan's rows depend on one another near the lines on which the links lie
  together, at every angle.
- Three cranks and a coupler in the plane on a line a little off an axis, along which the plan's rows depend on one another.

Before what stays open at a change point was held against the round-off of all rows, and the distance against all rows in a crossing
too, several of the first went over to the other branch with status `ok`, and several of the second ended as marked. Exit code 77
(skipped) without a program or h5py."""

import itertools
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from program import place

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

# Those that went wrong in one formulation or another, or ended as marked, and some beside them; 2 s with 4 to 6 passages.
SEEDS = (5, 14, 35, 50, 55, 70, 81, 86, 93, 95, 97, 113)
# rad; the outputs of the first one were off by 0.01 inside a step.
TILTS = (0.005, 0.009028490562006497, 0.01839664251780898, 0.01922186880745415, 0.061, 0.08, 0.3)
METHODS = {
    "adams-moulton": "{method: adams-moulton}",
    "dopri5": "{}",
    "verner65": "{method: verner65}",
    "rk4": "{method: rk4, dt: 1.0e-3}",
}
FORMULATIONS = ("udwadia-kalaba", "relative")
# Default tolerances of 1e-8 over 2 s, and joints closed to round-off: an orientation apart by more is another branch.
APART = 1e-6
# Ends with its energy out of balance by more than the tolerances allow, and says so.
MAY_BE_MARKED = {("parallelogram_97", "udwadia-kalaba", "adams-moulton")}


def rotation(draw):
    w, x, y, z = (draw.gauss(0, 1) for _ in range(4))
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def tensor(draw):
    while True:
        moments = sorted(draw.uniform(0.01, 0.1) for _ in range(3))
        if moments[2] <= moments[0] + moments[1]:
            return moments


def scenario(seed):
    """Cranks of length r, ground and coupler of length d, in a random frame; pins of odd seeds stand off the plane."""
    draw = random.Random(seed)
    r, d = draw.uniform(0.2, 0.8), draw.uniform(0.5, 2)
    angle = draw.uniform(0.5, 2.6) * draw.choice([1, -1])
    speed = draw.choice([1, -1]) * draw.uniform(4, 9)
    frame = rotation(draw)
    off = [draw.uniform(-0.3, 0.3) if seed % 2 else 0.0 for _ in range(4)]
    gravity = draw.choice([0, 0, 9.81])

    def there(x):
        return [float(c) for c in frame @ x]

    along = numpy.array([math.cos(angle), math.sin(angle), 0])
    across = numpy.array([-along[1], along[0], 0])
    axis = numpy.array([0.0, 0, 1])
    pins = [numpy.zeros(3), r * along, numpy.array([d, 0, 0]) + r * along, numpy.array([d, 0.0, 0])]
    bodies = (
        ("crank", pins[1] / 2, speed * r / 2 * across, speed * axis),
        ("coupler", (pins[1] + pins[2]) / 2 + numpy.array([0, draw.uniform(-0.2, 0.2), 0]), speed * r * across, 0 * axis),
        ("rocker", (pins[2] + pins[3]) / 2, speed * r / 2 * across, speed * axis),
    )
    lines = ["sarrus: 1", f"name: parallelogram {seed}", "space: spatial", f"gravity: {there(-gravity * numpy.array([0, 1.0, 0]))}"]
    lines += ["bodies:"]
    for name, at, velocity, turn in bodies:
        lines += [
            f"  - {{name: {name}, mass: {draw.uniform(0.3, 3)}, inertia: {tensor(draw)}, position: {there(at)},"
            f" velocity: {there(velocity)}, angular_velocity: {there(turn)}}}"
        ]
    lines += ["joints:"]
    pairs = ("ground, crank", "crank, coupler", "coupler, rocker", "ground, rocker")
    for name, pair, pin, shift in zip("ABCD", pairs, pins, off, strict=True):
        at = there(pin + shift * axis)
        lines += [f"  - {{name: {name}, type: revolute, bodies: [{pair}], at: {at}, axis: {there(axis)}}}"]
    return "\n".join(lines) + "\noutput: {interval: 0.02, channels: [state]}\n"


def tilted(angle):
    """Cranks of length 1 on pivots 1 apart, turning together, on a line `angle` off the axis."""
    c, s = math.cos(angle), math.sin(angle)
    along, across, speed = (math.cos(1.0), math.sin(1.0)), (-math.sin(1.0), math.cos(1.0)), -7.0

    def there(x, y):
        return [c * x - s * y, s * x + c * y]

    velocity = there(speed * across[0], speed * across[1])
    lines = ["sarrus: 1", "name: three cranks", "space: planar", "gravity: [0, 0]", "bodies:"]
    for k in range(3):
        lines += [
            f"  - {{name: crank_{k}, mass: 1, inertia: 0.1, position: {there(k + along[0] / 2, along[1] / 2)},"
            f" orientation: {angle + 1.0}, velocity: {[v / 2 for v in velocity]}, angular_velocity: {speed}}}"
        ]
    lines += [
        f"  - {{name: coupler, mass: 2, inertia: 0.2, position: {there(1 + along[0], along[1])}, orientation: {angle},"
        f" velocity: {velocity}}}",
        "joints:",
    ]
    for k in range(3):
        lines += [
            f"  - {{name: A{k}, type: revolute, bodies: [ground, crank_{k}], at: {there(k, 0)}}}",
            f"  - {{name: B{k}, type: revolute, bodies: [crank_{k}, coupler], at: {there(k + along[0], along[1])}}}",
        ]
    return "\n".join(lines) + "\noutput: {interval: 0.01, channels: [state]}\n"


def turned(program, path, formulation, method, columns):
    """The largest change of the coupler's quaternion or angle, and whether the instance is marked."""
    out = path.with_suffix(".h5")
    command = [program, "run", str(path), "-o", str(out), "--specialize", "off", "--set", f"dynamics.formulation={formulation}"]
    command += ["--set", f"integrator={METHODS[method]}", "--set", "integrator.t_end=2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{path.stem} {formulation} {method} ended with {done.returncode}: {done.stderr}")
    with h5py.File(out) as file:
        poses = file["state/q"][0, :, columns]
        is_marked = file["instance/status"][0] != 0
    out.unlink()
    poses = poses[numpy.isfinite(poses).all(axis=1)]
    apart = abs(poses - poses[0]).max(axis=1)
    if poses.shape[1] == 4:
        apart = numpy.minimum(apart, abs(poses + poses[0]).max(axis=1))
    return apart.max(), is_marked


def main():
    program = place()
    if not program:
        return 77
    cases = [(f"parallelogram_{seed}", scenario(seed), slice(10, 14)) for seed in SEEDS]
    cases += [(f"three_cranks_{angle:.3f}", tilted(angle), slice(11, 12)) for angle in TILTS]
    worst, failures = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, text, columns in cases:
            path = pathlib.Path(folder) / f"{name}.yaml"
            path.write_text(text)
            for formulation, method in itertools.product(FORMULATIONS, METHODS):
                apart, is_marked = turned(program, path, formulation, method, columns)
                worst = max(worst, apart)
                may_be_marked = (name, formulation, method) in MAY_BE_MARKED
                if apart > APART or (is_marked and not may_be_marked):
                    failures.append(f"{name} {formulation} {method}: the coupler turns by {apart:.2g}, marked: {is_marked}")
    print(f"{len(cases)} mechanisms, the couplers turn by at most {worst:.2g}")
    if failures:
        sys.exit("\n".join(failures))
    return 0


sys.exit(main())
