#!/usr/bin/env python3
"""`sarrus info` on results with one flipped bit, cut off anywhere, and with groups inside one another.

It ends soon, with a documented exit code, and a message when that is not 0."""

import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import h5py
from trial import PROGRAM, ROOT, conclude, options

MOST_SECONDS = 20.0  # 10 s of a processor, on a machine that has others to do as well


def info_once(path):
    """What broke a promise, or None, and what came of it."""
    began = time.monotonic()
    try:
        said = subprocess.run([PROGRAM, "info", str(path)], capture_output=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return "does not end within 60 s", "no end"
    seconds = time.monotonic() - began
    words = said.stderr.decode(errors="replace")
    result = f"exit {said.returncode}" + (", the library crashed" if "crashed" in words else "")
    if said.returncode not in (0, 2, 3):
        return f"exit code {said.returncode}", result
    if seconds > MOST_SECONDS:
        return f"took {seconds:.1f} s", result
    if (said.returncode == 0) != (words == ""):
        return f"exit code {said.returncode}, said: {words!r}", result
    return None, result


def nested(path, content, n):
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        group = file
        for _ in range(n):
            group = group.create_group("g")


def main():
    chosen = options(__doc__)
    n = chosen.count or (1000 if chosen.whole else 60)
    draw = random.Random(chosen.seed)
    faults, results = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="sarrus_info_") as folder:
        path = pathlib.Path(folder, "out.h5")
        run = [PROGRAM, "run", str(ROOT / "scenarios/five_bar_monte_carlo.yaml"), "-o", str(path), "--quiet", "--specialize", "off"]
        subprocess.run([*run, "--instances", "3", "--set", "integrator.t_end=0.1"], check=True)
        content = path.read_bytes()

        def look(what):
            fault, result = info_once(path)
            results[result] += 1
            if fault is not None:
                faults.append(f"{what}: {fault}")

        for _ in range(n):
            bit = draw.randrange(8 * len(content))
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            look(f"bit {bit} flipped")
        for _ in range(n // 10):
            size = draw.randrange(len(content))
            path.write_bytes(content[:size])
            look(f"cut off at {size}")
        for depth in (5, 2000):
            nested(path, content, depth)
            look(f"{depth} groups")
    print(f"{n} bits of {len(content)} bytes, {n // 10} cuts, 2 with groups:", dict(results))
    return conclude(faults)


if __name__ == "__main__":
    sys.exit(main())
