#!/usr/bin/env python3
"""Makes the n-th allocation, thread, library, write or HDF5 call of a small run fail, for one n after another, and judges the end.

    tests/endure/allocations.py [--build DIR] [--kinds KIND,...] [--every K] [--first N] [--most N] [--lasting] [--n COUNT]

Each command (check, run, info) is counted first: so many calls of the kind does it make. Then it runs once for every K-th of them
with that call failing (--lasting: and all behind it). Good ends are exit 3, or 2, with an error named; and exit 0 when the call was
not needed, with the very result of an undisturbed run. What is counted as wrong: signals, no end within the time, any other exit
code, an exit code without a word, a result that says that it is complete and is not. Two kinds of ends are good and counted apart:
"caught", exit 3 that a library below ours has forced by crashing or leaving; and "before main", whatever happens while the system
loads the libraries of the program.

--build is the folder of a build with tests (build/release). In a build with the address sanitizer the calls of our own code fail,
and leaks are wrong too. --n COUNT spreads COUNT runs evenly over each command instead of --every.
Exit code 0: nothing was wrong; 1: something was; 77: this build cannot do it.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

KINDS = ["allocation", "thread", "library", "file", "hdf5"]
SECONDS = 20
SCENARIO = """sarrus: 1
name: pendulum
parameters: {L: 1.0, m: 1.0}
space: planar
gravity: [0, -9.81]
bodies:
  - {name: rod, mass: "=m", inertia: "=m*L^2/12", position: ["=L/2", 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}
integrator: {method: rk4, dt: 0.001, t_end: 0.02}
batch:
  instances: 2
  seed: 1
  correlation: {[m, L]: 0.5}
  parameters:
    - {name: m, distribution: normal, mean: 1, sd: 0.1}
    - {name: L, distribution: discrete, values: [1, 2], weights: [1, 3]}
output: {interval: 0.01, channels: [state, energy, constraint, rank, reactions]}
"""
COMMANDS = {
    "check": ["check", "pendulum.yaml"],
    "run": ["run", "pendulum.yaml", "-o", "out.h5", "--threads", "2", "--quiet"],
    "info": ["info", "good.h5"],
}


class Trial:
    """The program of a build, how its calls are made to fail, and what it does undisturbed."""

    def __init__(self, build: Path):
        self.is_wrapped = (build / "sarrus_failing").exists()
        self.program = (build / ("sarrus_failing" if self.is_wrapped else "sarrus")).resolve()
        self.library = (build / "tests" / "libfailing_calls.so").resolve()
        self.is_possible = self.program.exists() and (self.is_wrapped or self.library.exists())

    def kinds(self) -> list[str]:
        return KINDS[:2] if self.is_wrapped else KINDS

    def start(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
        plain = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        if self.is_wrapped:
            plain["ASAN_OPTIONS"] = "detect_leaks=1:exitcode=99"
            plain["UBSAN_OPTIONS"] = "print_stacktrace=1"
        elif environment:
            plain["LD_PRELOAD"] = str(self.library)
        return subprocess.run([str(self.program), *arguments], cwd=folder, env=plain | environment, capture_output=True,
                              timeout=SECONDS, check=False)


def folder_fill(trial: Trial, folder: Path) -> None:
    (folder / "pendulum.yaml").write_text(SCENARIO, encoding="utf-8")
    done = trial.start(["run", "pendulum.yaml", "-o", "good.h5", "--quiet"], folder, {})
    if done.returncode != 0:
        raise SystemExit(f"the undisturbed run ended with {done.returncode}: {done.stderr.decode()}")


def calls_count(trial: Trial, arguments: list[str], kind: str, folder: Path) -> int:
    """So many calls of the kind the program makes when nothing fails."""
    report = folder / "calls"
    report.unlink(missing_ok=True)
    done = trial.start(arguments, folder, {"SARRUS_FAIL_KIND": kind, "SARRUS_FAIL_REPORT": str(report)})
    if done.returncode != 0 or not report.exists():
        raise SystemExit(f"{arguments} could not be counted: exit {done.returncode}, {done.stderr.decode()}")
    return int(report.read_text(encoding="utf-8"))


def without_library_words(said: bytes) -> bytes:
    """LAPACKE prints when it has no memory for a transposed matrix, which is then done without."""
    return re.sub(rb"Not enough memory to [a-z ]+ LAPACKE_\w+\n", b"", said)


def numbers_of(text: bytes) -> bytes:
    """What `info` says, without when and how fast."""
    return re.sub(rb"\d{4}-\d\d-\d\dT[0-9:.]+Z|[0-9.]+ [kM]?B\b", b"", text)


def result_fault(trial: Trial, folder: Path, done: subprocess.CompletedProcess) -> str | None:
    """What is wrong with the result that a run has left, None: nothing. After a failure it must not be complete."""
    out, code = folder / "out.h5", done.returncode
    if not out.exists():
        return "exit 0 without a result" if code == 0 else None
    said = trial.start(["info", "out.h5"], folder, {})
    is_complete = b": complete" in said.stdout
    if code != 0:
        # The last sync of all, of the folder, may fail behind the name: then it says so.
        is_told = b"the result has its name" in done.stderr
        return "a failed run left a complete result" if is_complete and not is_told else None
    good = trial.start(["info", "good.h5"], folder, {})
    same = numbers_of(said.stdout).replace(b"out.h5", b"") == numbers_of(good.stdout).replace(b"good.h5", b"")
    return None if is_complete and same else "exit 0 with another result"


def end_fault(trial: Trial, command: str, done: subprocess.CompletedProcess, folder: Path) -> str | None:
    """What is wrong with how the program ended, None: nothing."""
    code, said = done.returncode, done.stderr.decode(errors="replace")
    if code < 0:
        return f"signal {-code}"
    if trial.is_wrapped and ("Sanitizer" in said or "runtime error" in said):
        return "the sanitizer complains"
    if code not in (0, 2, 3):
        return f"exit {code}"
    if code != 0 and "error:" not in said:
        return f"exit {code} without a word"
    if command == "run":
        return result_fault(trial, folder, done)
    is_same = without_library_words(done.stdout) == one_run.said[command]
    return "exit 0 with other words" if code == 0 and not is_same else None


def one_run(trial: Trial, command: str, kind: str, at: int, lasting: bool) -> tuple[int, str, str]:
    """n, how it ended ("exit 3", ...), and what was wrong with that ("": nothing), with what the program said."""
    environment = {"SARRUS_FAIL_KIND": kind, "SARRUS_FAIL_AT": str(at), "SARRUS_FAIL_LASTING": "1" if lasting else "0"}
    is_early = at <= one_run.n_before_main[kind]
    with tempfile.TemporaryDirectory(prefix="sarrus_endure_") as name:
        folder = Path(name)
        (folder / "pendulum.yaml").write_text(SCENARIO, encoding="utf-8")
        (folder / "good.h5").symlink_to(one_run.good)
        try:
            done = trial.start(COMMANDS[command], folder, environment)
        except subprocess.TimeoutExpired:
            return at, "no end", f"no end within {SECONDS} s"
        fault = end_fault(trial, command, done, folder)
        said = done.stderr.decode(errors="replace").strip()
        if fault and is_early and "sarrus:" not in said:
            return at, "before main", ""
        how = "caught" if "internal failure" in said else f"exit {done.returncode}"
        return at, how, f"{fault}: {said[-1500:]}" if fault else ""


def places(n_calls: int, arguments: argparse.Namespace) -> list[int]:
    if arguments.n:
        n = min(arguments.n, n_calls)
        return [1 + i * n_calls // n for i in range(n)]
    return list(range(arguments.first, min(n_calls, arguments.most) + 1, arguments.every))


def command_try(trial: Trial, command: str, kind: str, arguments: argparse.Namespace, folder: Path) -> tuple[int, int]:
    n_calls = calls_count(trial, COMMANDS[command], kind, folder)
    ends, wrong = Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tries = [pool.submit(one_run, trial, command, kind, n, arguments.lasting) for n in places(n_calls, arguments)]
        for each in concurrent.futures.as_completed(tries):
            at, how, fault = each.result()
            ends[how] += 1
            if fault:
                wrong.append((at, fault))
    ended = ", ".join(f"{how} {n}" for how, n in sorted(ends.items()))
    print(f"{command:5} {kind:10} {n_calls:6} calls, {sum(ends.values()):5} tried: {ended or '-'}; {len(wrong)} wrong", flush=True)
    for at, fault in sorted(wrong)[: arguments.show]:
        print(f"    n = {at}: {fault}", flush=True)
    return sum(ends.values()), len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    program = os.environ.get("SARRUS_PROGRAM", Path(__file__).resolve().parents[2] / "build" / "release" / "sarrus")
    parser.add_argument("--build", type=Path, default=Path(program).parent)
    parser.add_argument("--whole", action="store_true", help="every call of each kind, not 50 of them")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--most", type=int, default=1 << 40)
    parser.add_argument("--n", type=int, default=50)
    parser.add_argument("--lasting", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=10, help="wrong ends that are printed of each command and kind")
    arguments = parser.parse_args()
    arguments.n = 0 if arguments.whole else arguments.n
    trial = Trial(arguments.build)
    if not trial.is_possible:
        print(f"no program with failing calls in {arguments.build}")
        return 77
    n_tried = n_wrong = 0
    with tempfile.TemporaryDirectory(prefix="sarrus_endure_") as name:
        folder = Path(name)
        folder_fill(trial, folder)
        one_run.good = folder / "good.h5"
        one_run.said = {command: trial.start(COMMANDS[command], folder, {}).stdout for command in ("check", "info")}
        kinds = [kind for kind in arguments.kinds.split(",") if kind in trial.kinds()]
        one_run.n_before_main = {kind: calls_count(trial, ["--version"], kind, folder) for kind in kinds}
        for kind in kinds:
            for command in arguments.commands.split(","):
                tried, wrong = command_try(trial, command, kind, arguments, folder)
                n_tried += tried
                n_wrong += wrong
    print(f"{n_tried} runs, {n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
