#!/usr/bin/env python3
"""Disks that fill up (a tmpfs of random size, in a mount namespace of its own) and limits of file sizes.

The run ends with exit code 3 and a message, or fits; what is left opens and has every row that it says it has, and the older result
of that name is intact."""

import collections
import math
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

from trial import Reference, clear, conclude, options, study_command

SMALLEST_BYTES = 512
N_INSTANCES = 500


def random_bytes(draw, most):
    """Half of the sizes of all magnitudes, where files begin, and half of them anywhere."""
    if draw.random() < 0.5:
        return int(math.exp(draw.uniform(math.log(SMALLEST_BYTES), math.log(most))))
    return draw.randrange(SMALLEST_BYTES, most)


def run_once(reference, out, limit=None):
    """Runs the study over an older result; what broke a promise, or None, and how it ended."""

    def limit_set():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    before = limit_set if limit is not None else None
    said = subprocess.run(study_command(out, reference.n_instances), capture_output=True, check=False, preexec_fn=before)
    fault, state = reference.judge(out)
    if said.returncode not in (0, 3):
        fault = fault or f"exit code {said.returncode}"
    elif (said.returncode == 0) != (state == "complete"):
        fault = fault or f"exit code {said.returncode}, but the file is {state}"
    elif said.returncode == 3 and len(said.stderr.splitlines()) != 1:
        fault = fault or f"not one message: {said.stderr.decode()}"
    leftovers = [path.name for path in out.parent.iterdir() if path.name.startswith(".")]
    return fault or (f"left behind: {leftovers}" if leftovers else None), state


def disks_fill(reference, n, draw, folder):
    """In a namespace where tmpfs may be mounted."""
    faults, states = [], collections.Counter()
    disk = pathlib.Path(folder, "disk")
    disk.mkdir()
    for i in range(n):
        size = len(reference.old) + 4096 + random_bytes(draw, 5 * reference.n_bytes // 4)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=True)
        out = disk / "out.h5"
        out.write_bytes(reference.old)
        fault, state = run_once(reference, out)
        states[state] += 1
        if fault is not None:
            faults.append(f"disk {i} of {size} bytes: {fault}")
        subprocess.run(["umount", str(disk)], check=True)
    print(f"{n} disks that are full, the result takes {reference.n_bytes >> 10} KiB and a disk up to 5/4 of that:", dict(states))
    return faults


def limits_meet(reference, n, draw, folder):
    faults, states = [], collections.Counter()
    place = pathlib.Path(folder, "limits")
    place.mkdir()
    out = place / "out.h5"
    for i in range(n):
        limit = 0 if i == 0 else random_bytes(draw, 5 * reference.n_bytes // 4)
        out.write_bytes(reference.old)
        fault, state = run_once(reference, out, limit)
        states[state] += 1
        if fault is not None:
            faults.append(f"limit {i} of {limit} bytes: {fault}")
        clear(out)
    print(f"{n} limits of file sizes:", dict(states))
    return faults


def may_mount():
    trial = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def main():
    if "--inside" not in sys.argv and may_mount():
        return subprocess.run(["unshare", "-rm", sys.executable, *sys.argv, "--inside", "yes"], check=False).returncode
    chosen = options(__doc__)
    n = chosen.count or (100 if chosen.whole else 6)
    draw = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory(prefix="sarrus_disks_") as folder:
        reference = Reference(folder, N_INSTANCES)
        faults = limits_meet(reference, n, draw, folder)
        if chosen.inside:
            faults += disks_fill(reference, n, draw, folder)
        else:
            print("full disks: left out, no tmpfs may be mounted here")
    return conclude(faults)


if __name__ == "__main__":
    sys.exit(main())
