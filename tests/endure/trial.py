"""What the parts of the endurance trials share: the program, a study, its undisturbed result, and the judgement of what is left.

A part is an executable file beside this one. Without options it makes its small form, in seconds; `--whole` the long one;
`--count N` and `--seed S` as they say. It prints its figures, and ends with exit code 1 when a promise was broken, 77 when the
machine lacks something."""

import argparse
import os
import pathlib
import subprocess
import sys
import time

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SARRUS_PROGRAM", str(ROOT / "build/release/sarrus"))
STUDY = str(ROOT / "scenarios/five_bar_monte_carlo.yaml")
# Ten blocks or so of 8 MiB, in a second or less: random numbers hardly compress.
STUDY_OPTIONS = ["--quiet", "--threads", "2", "--specialize", "off", "--set", "integrator={method: rk4, dt: 1e-3, t_end: 0.5}"]
STUDY_OPTIONS += ["--set", "output={every: 2, channels: [state, energy, rank]}"]


def options(about):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--whole", action="store_true", help="the long form")
    parser.add_argument("--count", type=int, help="trials of each kind")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the random moments, sizes and bits")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}, {PROGRAM}")
    return chosen


def study_command(out, n_instances):
    return [PROGRAM, "run", STUDY, "-o", str(out), "--instances", str(n_instances), *STUDY_OPTIONS]


class Reference:
    """The undisturbed study, and an older result of the same name."""

    def __init__(self, folder, n_instances):
        self.n_instances = n_instances
        path = pathlib.Path(folder, "reference.h5")
        began = time.monotonic()
        subprocess.run(study_command(path, n_instances), check=True)
        self.seconds = time.monotonic() - began
        self.n_bytes = path.stat().st_size
        with h5py.File(path) as file:
            self.q = file["state/q"][:]
            self.n_times = int(file.attrs["n_times_written"])
        old = pathlib.Path(folder, "old.h5")
        pendulum = [PROGRAM, "run", str(ROOT / "scenarios/pendulum.yaml"), "-o", str(old), "--quiet", "--specialize", "off"]
        subprocess.run([*pendulum, "--set", "integrator.t_end=0.01"], check=True)
        self.old = old.read_bytes()

    def fault_of(self, path):
        """What is wrong with a file of the study that a run has left at `path`, and how many times it holds."""
        try:
            with h5py.File(path) as file:
                n = int(file.attrs["n_times_written"])
                is_same = file["state/q"][:, :n].tobytes() == self.q[:, :n].tobytes()
                if file["instance/status"].shape != (self.n_instances,) or not np.isfinite(file["diagnostics/energy"][:, :n]).all():
                    return "rows are missing", n
                if file.attrs["complete"] and n != self.n_times:
                    return "it calls itself complete", n
                return None if is_same else "rows differ from those of an undisturbed run", n
        except (OSError, KeyError, RuntimeError) as error:
            return f"it does not open: {error}", -1

    def judge(self, out, n_certain=0):
        """What is wrong with what stands at and beside `out` after a run over the older result; and how far the run had come:
        'nothing', 'partial' or 'complete'."""
        partial = pathlib.Path(f"{out}.partial")
        if not out.exists():
            return "the older result is gone", "nothing"
        is_old = out.read_bytes() == self.old
        if not is_old:
            fault, n = self.fault_of(out)
            return fault or (f"{n} of {self.n_times} times under the name" if n < self.n_times else None), "complete"
        if not partial.exists():
            return ("a commit is lost" if n_certain > 0 else None), "nothing"
        fault, n = self.fault_of(partial)
        return fault or (f"{n_certain} times had been committed, {n} are left" if n < n_certain else None), "partial"


def clear(out):
    """Removes a result and what stands beside it, seen and hidden."""
    n = out.name
    for name in [n, f"{n}.partial", f"{n}.partial~", f"{n}.checkpoint", f".{n}.lock", f".{n}.new", f".{n}.checkpoint"]:
        (out.parent / name).unlink(missing_ok=True)


def conclude(faults):
    """Prints what broke a promise; the exit code."""
    for fault in faults[:20]:
        print(f"  FAULT: {fault}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0
