"""Redundant loops in space, drawn: `formulation: auto` takes the tree for them, and they move as in absolute coordinates. A small
part of what decision 0060 rests on. Exit code 77 (skipped) without a program or h5py."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from program import SOURCE, place

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

N = 16
# Of uniform distributions: low, high. A Bennett linkage needs no more than its half turn, a line-symmetric Bricard linkage that of
# its points, so that any lengths move; the cube of tetrahedra and the hoop are drawn in what does not lock them.
FAMILIES = {
    "bennett": {"r": (0.3, 0.7), "s": (0.2, 0.6), "c": (0.05, 0.3), "f": (0.6, 2.5)},
    "bricard": {"x1": (0.25, 0.55), "y1": (-0.25, 0.05), "z2": (-0.35, -0.05), "y3": (0.2, 0.5)},
    "cube_linkage": {"m": (0.5, 2.0), "w": (-5.0, 5.0), "k": (0.2, 5.0), "d": (0.0, 0.05)},
    "hoop_on_cylinder": {"R": (0.5, 1.5), "r": (0.1, 0.4), "theta": (0.02, 0.5)},
}
# Errors of an adaptive method are within a thousand of its tolerance (tests/tolerances.h, TOLERANCE_OF_TOLERANCE), of two motions
# twice that: 1e-9 · 2e3. RK4 at 1 ms, of motions of some 20 rad/s over 0.5 s: (20 · 1e-3)⁴ · 20 · 0.5 / 120 = 1.3e-8, is below it.
TOLERANCE = 2e-6
INTEGRATORS = (
    "{method: rk4, dt: 1.0e-3, t_end: 0.5}",
    "{method: dopri5, rtol: 1.0e-9, atol: 1.0e-11, t_end: 0.5}",
    "{method: adams-moulton, rtol: 1.0e-9, atol: 1.0e-11, t_end: 0.5}",
)


def scenario(name, integrator):
    """A shipped one with draws, its formulation left to the plan."""
    text = (SOURCE / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^dynamics:.*\n", "", text, flags=re.M)
    text = re.sub(r"^integrator:.*$", f"integrator: {integrator}", text, flags=re.M)
    text = re.sub(r"^output:.*$", "output: {interval: 0.1, channels: [state, reactions, rank]}", text, flags=re.M)
    draws = ""
    for key, (low, high) in FAMILIES[name].items():
        draws += f"    - {{name: {key}, distribution: uniform, low: {low}, high: {high}}}\n"
    return f"{text}\nbatch:\n  instances: {N}\n  seed: 3\n  parameters:\n{draws}"


def run(program, path, formulation):
    out = path.with_suffix(".h5")
    settings = ["--set", f"dynamics.formulation={formulation}", "--specialize", "off", "--threads", "1"]
    done = subprocess.run([program, "run", path, "-o", out, *settings], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path.stem} {formulation} ended with {done.returncode}: {done.stdout}{done.stderr}")
    with h5py.File(out) as file:
        unique = {name: int(one.attrs["unique"]) for name, one in file["reactions"].items()}
        return file["state/q"][()], file["diagnostics/rank"][()], unique


def check(program, folder, name, integrator):
    path = folder / f"{name}.yaml"
    path.write_text(scenario(name, integrator), encoding="utf-8")
    told = subprocess.run([program, "check", path, "--json"], capture_output=True, text=True, check=True).stdout
    if not json.loads(told).get("relative", {}).get("n_redundant", 0) > 0:
        sys.exit(f"{name}: not a redundant loop that the plan takes over a tree")
    tree, bodies = run(program, path, "auto"), run(program, path, "udwadia-kalaba")
    error = numpy.abs(tree[0] - bodies[0]).max()
    if not error <= TOLERANCE:
        sys.exit(f"{name} {integrator}: off by {error:.2g}")
    if not numpy.array_equal(tree[1], bodies[1]) or tree[2] != bodies[2]:
        sys.exit(f"{name} {integrator}: other ranks, or other reactions that are unique")
    print(f"{name} {integrator}: {N} instances, off by at most {error:.2g}")


def main():
    program = place()
    if not program:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name in FAMILIES:
            for integrator in INTEGRATORS:
                check(program, pathlib.Path(folder), name, integrator)
    return 0


sys.exit(main())
