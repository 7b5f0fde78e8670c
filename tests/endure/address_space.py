"""Under every limit of address space `sarrus check` and `sarrus run` answer: with success, or with an error.

Batch queues set such limits (ulimit -v). Each of the sizes is tried with each command and scenario; an answer is an exit
code of 0, 2 or 3 within the time allowed, with a message where it is not 0. Ends with exit code 1 when one is missing.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("SARRUS_PROGRAM", ROOT / "build" / "release" / "sarrus")


def answer(command, megabytes, folder, seconds):
    """What the command says under the limit: (exit code or None, seconds, its last line)."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))

    begun = time.monotonic()
    try:
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begun, ""
    lines = said.stderr.strip().splitlines()
    return said.returncode, time.monotonic() - begun, lines[0] if lines else ""


def is_answer(code, text):
    # What the dynamic loader cannot map it says itself, with 127.
    return code == 0 or (code in (2, 3) and "error" in text) or (code == 127 and "shared libraries" in text)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=26, help="sizes to try (26)")
    parser.add_argument("--from", type=int, default=60, dest="first", metavar="MB", help="the smallest (60)")
    parser.add_argument("--to", type=int, default=400, dest="last", metavar="MB", help="the largest (400)")
    parser.add_argument("--seconds", type=float, default=5.0, help="time allowed for an answer (5)")
    parser.add_argument("--pinv", action="append", help="also with this pseudoinverse (may be repeated)")
    options = parser.parse_args(arguments)
    sizes = [options.first + round((options.last - options.first) * i / max(options.n - 1, 1)) for i in range(options.n)]
    failures, slowest = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for scenario in ("pendulum", "five_bar"):
            path = ROOT / "scenarios" / f"{scenario}.yaml"
            commands = [["check", path], ["run", path, "-o", "out.h5", "--set", "integrator.t_end=0.01"]]
            commands += [[*commands[1], "--set", f"dynamics.pinv={word}"] for word in options.pinv or []]
            for command in commands:
                codes = []
                for size in sizes:
                    code, seconds, text = answer([PROGRAM, *command], size, folder, options.seconds)
                    slowest = max(slowest, seconds)
                    codes.append("-" if code is None else str(code))
                    if not is_answer(code, text):
                        failures += 1
                        print(f"{command[0]} {scenario} in {size} MB: no answer but {code}: {text}", file=sys.stderr)
                print(f"{command[0]:6} {scenario:10} {' '.join(codes)}")
    print(f"{len(sizes)} sizes from {sizes[0]} to {sizes[-1]} MB, {failures} without an answer, the slowest after {slowest:.2f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
