"""The bits of an instance do not depend on its neighbours where they matter most: five-bars that start in a singular position, each
with a mass of its own, so that lanes of one tile need other rows at other times. A study of n instances begins with the n of a
larger one. Exit code 77 (skipped) without a program or h5py."""

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

from program import SOURCE, place

N = 12
MASSES = "batch.parameters=[{path: bodies.crank_a.mass, distribution: uniform, low: 0.5, high: 1.5}]"
METHODS = ("rk4", "dopri5", "verner65", "adams-moulton", "semi-implicit")
WAYS = (
    {"projection": "every_step"},
    {"projection": "none"},
    {"projection": "every_step", "pinv": "svd"},
    {"projection": "every_step", "formulation": "relative"},
)


def run(program, folder, method, way, n):
    path = pathlib.Path(folder) / f"{n}.h5"
    settings = [MASSES, f"integrator.method={method}", "integrator.t_end=1", "output.channels=[state]"]
    settings += [f"dynamics.{key}={value}" for key, value in way.items()]
    scenario = str(SOURCE / "scenarios" / "five_bar_singular.yaml")
    command = [program, "run", scenario, "-o", str(path), "--instances", str(n), "--quiet"]
    command += ["--backend", "cpu", "--specialize", "off", *[word for text in settings for word in ("--set", text)]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    with h5py.File(path) as file:
        return [file[name][()] for name in ("state/q", "state/v", "instance/status", "instance/steps")]


def main():
    program = place()
    if program is None:
        return 77
    n_bad = 0
    for method in METHODS:
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                whole = run(program, folder, method, way, N)
                for n in (1, 2, 3, 5):
                    part = run(program, folder, method, way, n)
                    if not all(np.array_equal(a, b[:n], equal_nan=a.dtype.kind == "f") for a, b in zip(part, whole, strict=True)):
                        n_bad += 1
                        print(f"{method}, {way}: the first {n} of {N} have other bits than {n} alone")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
