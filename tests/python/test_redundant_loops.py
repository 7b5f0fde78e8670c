"""Loops whose fixed rows over a tree come to depend on one another where the loop is regular (redundant_loops/): they move as in
absolute coordinates, near no change point, with the same bits by kernels for one plan, however often somebody looks, and alone.
Before closeness was held against all rows, such loops ended as unresolved. Exit code 77 (skipped) without a program or h5py."""

import pathlib
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

LOOPS = pathlib.Path(__file__).with_name("redundant_loops")
RELATIVE = "dynamics.formulation=relative"
# Absolute coordinates come as near as 0.25; the rows of the tree alone would say 0.003 and less.
NEAR = 0.04
# Tolerances of 1e-9 and 1e-10 and, with rk4, steps of 2e-3; loops that nobody projects drift by as much as they are open.
TOLERANCE = 2e-6


def run(program, folder, name, settings, options):
    out = folder / "out.h5"
    command = [program, "run", str(LOOPS / f"{name}.yaml"), "-o", str(out), *options]
    for one in settings:
        command += ["--set", one]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} {settings} {options} ended with {done.returncode}: {done.stdout}{done.stderr}")
    with h5py.File(out) as file:
        found = file["state/q"][()], file["instance/nearest_change_point"][()]
    out.unlink()
    return found


def check(program, folder, name):
    off = ["--specialize", "off"]
    reference, _ = run(program, folder, name, [], off)
    there, near = run(program, folder, name, [RELATIVE], off)
    error = numpy.abs(there - reference).max()
    if not error <= TOLERANCE or not near.min() >= NEAR:
        sys.exit(f"{name}: off by {error:.2g}, as near to a change point as {near.min():.2g}")
    finer, _ = run(program, folder, name, [RELATIVE, "output.interval=0.01"], off)
    own, _ = run(program, folder, name, [RELATIVE], ["--specialize", "on"])
    alone, _ = run(program, folder, name, [RELATIVE], [*off, "--instances", "1"])
    for what, same in (
        ("seen more often", numpy.array_equal(finer[:, -1], there[:, -1])),
        ("by kernels for one plan", numpy.array_equal(own, there)),
        ("alone", numpy.array_equal(alone[0], there[0])),
    ):
        if not same:
            sys.exit(f"{name}: other bits {what}")
    print(f"{name}: {len(there)} instances, off by at most {error:.2g}, near {near.min():.2g}")


def main():
    program = place()
    if not program:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(LOOPS.glob("*.yaml")):
            check(program, pathlib.Path(folder), path.stem)
    return 0


sys.exit(main())
