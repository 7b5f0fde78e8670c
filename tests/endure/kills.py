#!/usr/bin/env python3
"""Runs that are killed (SIGKILL) at random moments, many of them while the file gets its first form.

What is left opens and has every row of an undisturbed run that it says it has; the older result of that name is there to the byte
unless the new one is complete; and the next run to that name is not blocked."""

import collections
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
from trial import Reference, clear, conclude, options, study_command

EARLY_SECONDS = 0.1
LONGEST_START_SECONDS = 5.0


def committed_times(partial):
    """Output times that a running program has committed; 0 when it cannot be told in this moment."""
    try:
        with h5py.File(partial) as file:
            return int(file.attrs["n_times_written"])
    except (OSError, KeyError, RuntimeError):
        return 0


def wait_for_file(child, out):
    """Waits until the program begins to make its file."""
    lock = out.parent / f".{out.name}.lock"
    deadline = time.monotonic() + LONGEST_START_SECONDS
    while not lock.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.0002)


def kill_once(reference, out, delay, is_from_file):
    """Kills `delay` seconds after the program has begun, or has begun to make its file."""
    out.write_bytes(reference.old)
    child = subprocess.Popen(study_command(out, reference.n_instances), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if is_from_file:
        wait_for_file(child, out)
    time.sleep(delay)
    n_certain = committed_times(pathlib.Path(f"{out}.partial")) if delay > EARLY_SECONDS else 0
    child.send_signal(signal.SIGKILL)
    child.communicate()
    fault, state = reference.judge(out, n_certain)
    # whatever is left blocks nobody
    if fault is None and not pathlib.Path(f"{out}.partial").exists():
        again = subprocess.run([*study_command(out, 2)], capture_output=True, check=False)
        fault = None if again.returncode == 0 else f"the next run is blocked: {again.stderr.decode()}"
    clear(out)
    return fault, state


def main():
    chosen = options(__doc__)
    n = chosen.count or (1000 if chosen.whole else 12)
    draw = random.Random(chosen.seed)
    faults, states, n_early = [], collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="sarrus_kills_") as folder:
        reference = Reference(folder, 2000)
        for i in range(n):
            # of five: one early in the program, one early in the file, three anywhere
            is_early = i % 5 < 2
            delay = draw.uniform(0, EARLY_SECONDS if is_early else 1.1 * reference.seconds)
            n_early += is_early
            fault, state = kill_once(reference, pathlib.Path(folder, "out.h5"), delay, i % 5 == 1)
            states[state] += 1
            if fault is not None:
                faults.append(f"kill {i} after {1e3 * delay:.1f} ms: {fault}")
    print(
        f"{n} kills of a run of {reference.seconds:.2f} s, {n_early} in the first {1e3 * EARLY_SECONDS:.0f} ms of it or its file;",
        dict(states),
    )
    return conclude(faults)


if __name__ == "__main__":
    sys.exit(main())
