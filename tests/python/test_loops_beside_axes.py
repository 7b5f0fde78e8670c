"""Parallelograms in space of a spherical joint, a universal one and two revolutes, in three orders: no row is redundant. Their
ground lies near a plane of the axes, so that a spherical joint has next to no force along one of them where all links come to a
line. In a closed form: the coupler keeps its orientation through all change points, which are crossed exactly.

Before all rows of a joint told of the distance, the row that sank last was asked alone: a crossing was taken for a bend, and up to
three of these 60 motions of a kind went over to the other branch with status `ok`. Kernels for one mechanism, which hand such lanes
out to others, have the same bits. Exit code 77 (skipped) without a program or h5py."""

import itertools
import math
import pathlib
import random
import shutil
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

# A multiple of the widest tile and some beside it.
N = 60
# Energy out of balance in a crossing, which is said: three at most were seen, of adams-moulton.
MOST_MARKED = 4
KINDS = (
    ("revolute", "spherical", "universal", "revolute"),
    ("revolute", "universal", "spherical", "revolute"),
    ("revolute", "revolute", "spherical", "universal"),
)
METHODS = {
    "rk4": "{method: rk4, dt: 1.0e-3, t_end: 2}",
    "dopri5": "{method: dopri5, rtol: 1.0e-9, atol: 1.0e-9, t_end: 2}",
    "verner65": "{method: verner65, rtol: 1.0e-9, atol: 1.0e-9, t_end: 2}",
    "adams-moulton": "{method: adams-moulton, rtol: 1.0e-9, atol: 1.0e-9, t_end: 2}",
}
FORMULATIONS = ("udwadia-kalaba", "relative")
# Of 1 − |p·p₀| of the coupler's Euler parameters: 1e-3 rad, as in two_freedoms.
APART = 1.25e-7
# The kernels that are compiled for one mechanism, of which those of bodies take most of a minute.
SPECIALIZED = ((KINDS[0], "dopri5"),)


def frame(draw):
    """Columns: along the ground, across, along the pins. The ground is 1e-4 to 0.5 off a plane of the axes."""
    axis, lean = draw.choice([0, 1, 2]), 10 ** draw.uniform(-4, -0.3) * draw.choice([1, -1])
    angle, along = draw.uniform(0, 2 * math.pi), numpy.zeros(3)
    along[axis], along[axis - 2], along[axis - 1] = lean, math.cos(angle), math.sin(angle)
    along /= numpy.linalg.norm(along)
    pin = numpy.cross(along, [draw.gauss(0, 1) for _ in range(3)])
    pin /= numpy.linalg.norm(pin)
    return numpy.column_stack([along, numpy.cross(pin, along), pin])


def sample(seed):
    """The parameters of one motion."""
    draw = random.Random(seed)
    pose = frame(draw)
    values = {f"{name}{axis}": pose[i, j] for j, name in enumerate("xyz") for i, axis in enumerate("xyz")}
    values |= {"r": draw.uniform(0.3, 0.8), "d": draw.uniform(0.5, 1.5), "t": draw.uniform(0.5, 2.6) * draw.choice([1, -1])}
    values |= {"w": draw.uniform(4, 9) * draw.choice([1, -1]), "g": 9.81 * draw.choice([0, 1])}
    return values | {f"m{k}": draw.uniform(0.5, 2) for k in range(3)}


def there(along, across, off=0):
    """A vector of the frame in inertial coordinates."""
    parts = [f'"=({along})*x{axis}+({across})*y{axis}+({off})*z{axis}"' for axis in "xyz"]
    return f"[{', '.join(parts)}]"


def scenario(kinds):
    """Bodies whose own axes are those of the inertial frame where they begin."""
    along = "cos(t)", "sin(t)"
    pins = (("0", "0"), ("r*cos(t)", "r*sin(t)"), ("d+r*cos(t)", "r*sin(t)"), ("d", "0"))
    bodies = (
        ("crank", "r/2*cos(t)", "r/2*sin(t)", "1/2", "w"),
        ("coupler", "d/2+r*cos(t)", "r*sin(t)", "1", "0"),
        ("rocker", "d+r/2*cos(t)", "r/2*sin(t)", "1/2", "w"),
    )
    nominal = ", ".join(f"{name}: {float(value)!r}" for name, value in sample(0).items())
    lines = ["sarrus: 1", "space: spatial", f"gravity: {there(0, '-g')}", f"parameters: {{{nominal}}}", "bodies:"]
    for k, (name, x, y, share, turn) in enumerate(bodies):
        length = "d" if name == "coupler" else "r"
        inertia = ", ".join(f'"=m{k}*{length}^2/{n}"' for n in (14, 13, 12))
        lines += [
            f'  - {{name: {name}, mass: "=m{k}", inertia: [{inertia}], position: {there(x, y)},'
            f" velocity: {there(f'-w*r*{share}*{along[1]}', f'w*r*{share}*{along[0]}')}, angular_velocity: {there(0, 0, turn)}}}"
        ]
    lines += ["joints:"]
    pairs = ("ground, crank", "crank, coupler", "coupler, rocker", "rocker, ground")
    axes = {
        "revolute": f", axis: {there(0, 0, 1)}",
        "universal": f", axes: [{there(0, 0, 1)}, {there(0, 1)}]",
        "spherical": "",
    }
    for name, kind, pair, pin in zip("ABCD", kinds, pairs, pins, strict=True):
        lines += [f"  - {{name: {name}, type: {kind}, bodies: [{pair}], at: {there(*pin)}{axes[kind]}}}"]
    lines += ["output: {interval: 0.05, channels: [state]}", f"batch: {{instances: {N}}}"]
    return "\n".join(lines) + "\n"


def run(program, folder, kinds, method, formulation, options):
    """Coordinates and statuses."""
    path, out, samples = folder / "loop.yaml", folder / "loop.h5", folder / "loop.csv"
    path.write_text(scenario(kinds))
    rows = [sample(seed) for seed in range(N)]
    samples.write_text("\n".join([",".join(rows[0]), *(",".join(repr(float(v)) for v in row.values()) for row in rows)]) + "\n")
    command = [program, "run", path, "-o", out, "--quiet", "--samples", samples, "--set", f"integrator={METHODS[method]}"]
    command += ["--set", f"dynamics.formulation={formulation}", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{kinds} {method} {formulation} ended with {done.returncode}: {done.stderr}")
    with h5py.File(out) as result:
        return result["state/q"][()], result["instance/status"][()]


def judge(q, status):
    """Problems of one kind of motion."""
    pose = q[:, :, 10:14]
    apart = numpy.nanmax(1 - numpy.abs((pose * pose[:, :1]).sum(axis=2)), axis=1)
    wrong = numpy.flatnonzero((status == 0) & (apart > APART))
    problems = [f"on another branch with status ok: {wrong.tolist()}"] if len(wrong) > 0 else []
    marked = numpy.flatnonzero(status != 0)
    return problems + ([f"not ok: {marked.tolist()}"] if len(marked) > MOST_MARKED else [])


def main():
    program = place()
    if program is None:
        return 77
    n_failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kinds, method, formulation in itertools.product(KINDS, METHODS, FORMULATIONS):
            found = run(program, folder, kinds, method, formulation, ["--specialize", "off"])
            problems = judge(*found)
            if (kinds, method) in SPECIALIZED and shutil.which("cc") is not None:
                own = run(program, folder, kinds, method, formulation, ["--specialize", "on"])
                is_alike = all(numpy.array_equal(a, b, equal_nan=True) for a, b in zip(found, own, strict=True))
                problems += [] if is_alike else ["kernels for one mechanism have other bits"]
            for problem in problems:
                n_failed += 1
                print(f"{'-'.join(kinds)}, {method}, {formulation}: {problem}")
    print(f"{len(KINDS) * len(METHODS) * len(FORMULATIONS)} kinds of motions, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
