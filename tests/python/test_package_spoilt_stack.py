"""Kernels for one mechanism read nothing that nobody has set: whatever the stack of the thread holds before a step, motions have
the bits that generic kernels give them. The loops in space of test_loops_beside_axes.py, whose change points take every way there
is.

With directions of rows that were not set NaN in their place showed in three of 60 motions and -1 in two; zeros, which a young
thread has there, and large numbers in none. Exit code 77 (skipped) without the package or a C compiler."""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from package import run_all, sarrus
from test_loops_beside_axes import FORMULATIONS, METHODS, SPECIALIZED, N, sample, scenario

N_STEPS = 40
SPOILT = (float("nan"), -1.0, 1.0)
SPOILER = """int stack_spoil(double x) {
    volatile double below[1 << 16]; /* 512 KB, more than a step holds */
    for (int i = 0; i < 1 << 16; ++i)
        below[i] = x;
    return below[0] == x;
}
"""


def spoiler(folder):
    source, library = folder / "spoil.c", folder / "spoil.so"
    source.write_text(SPOILER, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    call = ctypes.CDLL(str(library)).stack_spoil
    call.argtypes = [ctypes.c_double]
    return call


def motions(path, method, formulation, specialize, spoil):
    """Coordinates [N_STEPS, N, 21] and statuses; one thread is the one that calls."""
    rows = [sample(seed) for seed in range(N)]
    settings = {"integrator": METHODS[method], "dynamics.formulation": formulation}
    samples = {name: [row[name] for row in rows] for name in rows[0]}
    batch = sarrus.Batch(path, N, settings=settings, samples=samples, specialize=specialize, threads=1)
    q = []
    for _ in range(N_STEPS):
        spoil()
        batch.advance(1)
        q.append(batch.q.copy())
    return np.array(q), batch.status.copy()


def test_stack_does_not_show():
    if shutil.which("cc") is None:
        print("skipped: no C compiler")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        path, spoil = pathlib.Path(name) / "loop.yaml", spoiler(pathlib.Path(name))
        for kinds, method in SPECIALIZED:
            path.write_text(scenario(kinds), encoding="utf-8")
            for formulation in FORMULATIONS:
                q, status = motions(path, method, formulation, "off", lambda: None)
                for number in SPOILT:
                    own_q, own = motions(path, method, formulation, "on", lambda number=number: spoil(number))
                    apart = [i for i in range(N) if not np.array_equal(q[:, i], own_q[:, i], equal_nan=True) or status[i] != own[i]]
                    assert not apart, f"{kinds}, {method}, {formulation}, {number} on the stack: other bits of {apart}"


if __name__ == "__main__":
    sys.exit(run_all(globals()))
