#!/usr/bin/env python3
"""Runs that are killed (SIGKILL) or stopped (SIGTERM) at random moments and resumed, again and again, until they are complete:
every dataset then has the bytes of an undisturbed run, and nothing stands beside the result."""

import collections
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
from trial import PROGRAM, STUDY, conclude, options

MOST_RUNS, KILLED_SHARE = 400, 0.7

# Studies that go through everything that a run carries on: whole blocks and one that never fills, quantities over time, changes of
# rank, steps that each instance chooses, statistics beside few trajectories. The long form has more instances.
STUDIES = {
    "blocks": {
        "batch.instances": 400,
        "integrator": "{method: rk4, dt: 1e-3, t_end: 0.5}",
        "output": "{every: 1, channels: [state, energy, rank], quantities: {sum: 'integral(energy)'}}",
    },
    "one block": {
        "batch.instances": 10,
        "integrator": "{method: rk4, dt: 1e-4, t_end: 1.0}",
        "output": "{every: 100, channels: [state, rank]}",
    },
    "quantities": {
        "batch.instances": 60,
        "integrator": "{method: dopri5, dt: 1e-2, t_end: 3.0, rtol: 1e-8, atol: 1e-10}",
        "output": "{interval: 0.01, channels: [state, energy, work, constraint, rank, reactions, singular_values],"
        " quantities: {top: 'max(energy)', mean: 'rms(work)', sum: 'integral(energy)'}}",
    },
    "statistics": {
        "batch.instances": 60,
        "batch.sampling": "sobol",
        "integrator": "{method: rk4, dt: 1e-3, t_end: 1.0}",
        "output": "{every: 5, channels: [state, reactions], instances: [0, 3, 9], sensitivity: [low],"
        " statistics: {channels: [state, energy, rank, quantities], quantiles: [0.1, 0.5]}, quantities: {low: 'min(energy)'}}",
    },
}
LONG_FACTOR = 5


def command(study, out, factor):
    words = [PROGRAM, "run", STUDY, "-o", str(out), "--threads", "2", "--quiet", "--specialize", "off"]
    for key, value in STUDIES[study].items():
        words += ["--set", f"{key}={factor * value if key == 'batch.instances' else value}"]
    return words


def content(dataset):
    """Type, shape and bytes; texts one by one."""
    values = dataset[()]
    texts = [str(text) for text in values.ravel()] if dataset.dtype == object and dataset.shape else str(values)
    return str(dataset.dtype), dataset.shape, texts if dataset.dtype == object else values.tobytes()


def datasets(path):
    """All datasets of a file, and its attributes but the date."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = content(item)

    with h5py.File(path) as file:
        file.visititems(take)
        found["/"] = {name: str(value) for name, value in file.attrs.items() if name != "created"}
    return found


def difference(reference, path):
    """What of a file is not as in an undisturbed run; None: nothing."""
    found = datasets(path)
    names = [name for name in sorted(set(reference) | set(found)) if reference.get(name) != found.get(name)]
    return f"differs in {names}" if names else None


def disturb_until_complete(run, draw, seconds):
    """Disturbs one run after another. How often, and what is wrong; None: nothing so far."""
    counts = collections.Counter()
    for i in range(MOST_RUNS):
        patience = (0.6 + i / 40) * seconds  # a machine that has become slower comes to the end, too
        child = subprocess.Popen([*run, "--resume", "--checkpoint", "0"], stderr=subprocess.PIPE, text=True)
        try:
            _, said = child.communicate(timeout=draw.uniform(0.0, patience))
        except subprocess.TimeoutExpired:
            is_killed = draw.random() < KILLED_SHARE
            child.send_signal(signal.SIGKILL if is_killed else signal.SIGTERM)
            _, said = child.communicate()
            counts["killed" if is_killed else "stopped"] += 1
        counts["resumed"] += "resumed at" in said
        if child.returncode == 0:
            return counts, None
        if child.returncode not in (-signal.SIGKILL, 128 + signal.SIGTERM, -signal.SIGTERM):
            return counts, f"exit code {child.returncode}: {said}"
    return counts, f"not complete after {MOST_RUNS} runs"


def trial(study, folder, chosen, draw):
    """Faults of some results, each made by many runs."""
    faults, counts = [], collections.Counter()
    factor, n = LONG_FACTOR if chosen.whole else 1, chosen.count or (25 if chosen.whole else 1)
    reference = pathlib.Path(folder, "reference.h5")
    began = time.monotonic()
    subprocess.run(command(study, reference, factor), check=True)
    seconds = time.monotonic() - began
    expected = datasets(reference)
    for i in range(n):
        out = pathlib.Path(folder, f"out_{i}.h5")
        of_one, fault = disturb_until_complete(command(study, out, factor), draw, seconds)
        counts += of_one
        fault = fault or difference(expected, out)
        # the lock of a run that was killed is nobody's
        beside = {path.name for path in pathlib.Path(folder).iterdir() if out.name in path.name}
        left = sorted(beside - {out.name, f".{out.name}.lock"})
        if fault or left:
            faults.append(f"{study}, result {i}: {fault or f'{left} beside the result'}")
        out.unlink(missing_ok=True)
    print(f"{study}: {n} results of runs of {seconds:.2f} s;", dict(counts))
    return faults


def main():
    chosen = options(__doc__)
    draw = random.Random(chosen.seed)
    faults = []
    for study in STUDIES:
        with tempfile.TemporaryDirectory(prefix="sarrus_resumes_") as folder:
            faults += trial(study, folder, chosen, draw)
    return conclude(faults)


if __name__ == "__main__":
    sys.exit(main())
