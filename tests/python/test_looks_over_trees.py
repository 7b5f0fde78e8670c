"""Kernels for one mechanism look ahead over a tree as the generic ones do: parallelograms whose lengths miss their change point by
1e-12 m, which is told from round-off by the rows that hold one another there. Rows that were never written would decide otherwise.
Exit code 77 (skipped) without a program, a compiler or h5py."""

import pathlib
import shutil
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

SCENARIO = """
sarrus: 1
name: a parallelogram that is none by 1e-12
space: planar
parameters: {ph: 0.6366899330520482, L: 0.6917065006316886, D: 1.4874, f: -1.0e-12}
bodies:
  - {name: c0, mass: 2.0014, inertia: 0.0388, position: ["=L/2*cos(ph)", "=L/2*sin(ph)"], orientation: "=ph"}
  - {name: cp, mass: 0.849, inertia: 0.1958, position: ["=L*cos(ph)+D/2", "=L*sin(ph)"]}
  - {name: c1, mass: 1.932, inertia: 0.2835, position: ["=D+f+L/2*cos(ph)", "=L/2*sin(ph)"], orientation: "=ph"}
joints:
  - {name: J0, type: revolute, bodies: [ground, c0], at: [0, 0]}
  - {name: J1, type: revolute, bodies: [c0, cp], at: ["=L*cos(ph)", "=L*sin(ph)"]}
  - {name: J2, type: revolute, bodies: [ground, c1], at: ["=D+f", 0]}
  - {name: J3, type: revolute, bodies: [c1, cp], points: [["=L/2", 0], ["=0.5*D", 0]]}
dynamics: {formulation: relative, projection: none}
integrator: {method: rk4, dt: 0.05, t_end: 4.0}
output: {every: 20, channels: [state]}
batch: {instances: 9, seed: 1, parameters: [{name: ph, distribution: uniform, low: 0.3, high: 1.3}]}
"""
WAYS = (("none", []), ("every_step", []), ("none", ["--instances", "1"]), ("every_step", ["--instances", "1"]))


def run(program, folder, kernels, projection, options):
    scenario, out = pathlib.Path(folder) / "loop.yaml", pathlib.Path(folder) / f"{kernels}.h5"
    scenario.write_text(SCENARIO, encoding="utf-8")
    command = [program, "run", str(scenario), "-o", str(out), "--quiet", "--threads", "1", "--backend", "cpu", *options]
    command += ["--specialize", kernels, "--set", f"dynamics.projection={projection}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    with h5py.File(out) as file:
        return [file[name][()] for name in ("state/q", "state/v", "instance/status", "instance/steps", "instance/evaluations")]


def main():
    program = place()
    if program is None or shutil.which("cc") is None:
        return 77
    n_bad = 0
    for projection, options in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            generic, special = (run(program, folder, kernels, projection, options) for kernels in ("off", "on"))
        if not all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(generic, special, strict=True)):
            n_bad += 1
            print(f"projection {projection} {' '.join(options)}: kernels for the mechanism have other bits")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
