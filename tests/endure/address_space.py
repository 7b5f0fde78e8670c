#!/usr/bin/env python3
"""`sarrus check` and `sarrus run` under limits of address space (ulimit -v), which batch queues set, from 60 to 400 MB.

Each answers within seconds: with success, or with exit code 2 or 3 and an error that says what is wrong. A library that is refused
memory may crash, or ask again for ever. Of pendulum and five-bar, with `pinv: auto` and `pinv: lapack`.
"""

import resource
import subprocess
import sys
import tempfile
import time

from trial import PROGRAM, ROOT, conclude, options

# Seconds: an answer takes a tenth of one on an idle machine.
MOST_SECONDS = 30.0
SMALLEST, LARGEST = 60, 400


def answer(command, megabytes, folder):
    """(exit code or None, seconds, the first line of what went wrong)"""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))

    begun = time.monotonic()
    try:
        said = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=MOST_SECONDS, preexec_fn=limit
        )
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begun, ""
    lines = said.stderr.strip().splitlines()
    return said.returncode, time.monotonic() - begun, lines[0] if lines else ""


def is_answer(code, text):
    # What the dynamic loader cannot map it says itself, with 127.
    return code == 0 or (code in (2, 3) and "error" in text) or (code == 127 and "shared libraries" in text)


def main():
    chosen = options(__doc__)
    count = chosen.count or (26 if chosen.whole else 6)
    sizes = [SMALLEST + round((LARGEST - SMALLEST) * (i + 0.5) / count) for i in range(count)]
    faults, slowest, codes = [], 0.0, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pendulum", "five_bar"):
            path = str(ROOT / "scenarios" / f"{name}.yaml")
            run = [PROGRAM, "run", path, "-o", "out.h5", "--quiet", "--set", "integrator.t_end=0.01"]
            for command in ([PROGRAM, "check", path], run, [*run, "--set", "dynamics.pinv=lapack"]):
                for size in sizes:
                    code, seconds, text = answer(command, size, folder)
                    slowest = max(slowest, seconds)
                    codes[code] = codes.get(code, 0) + 1
                    if not is_answer(code, text):
                        faults.append(f"{' '.join(command[1:])} in {size} MB: {code}, {text or 'nothing said'}")
    counts = ", ".join(f"{n} times exit code {code}" for code, n in codes.items())
    print(f"{count} sizes from {sizes[0]} to {sizes[-1]} MB: {counts}; the slowest answer after {slowest:.2f} s")
    return conclude(faults)


if __name__ == "__main__":
    sys.exit(main())
