#!/usr/bin/env python3
"""Changes the shipped scenarios at random, checks and runs them, and judges what comes of it.

    tests/endure/mutants.py [--program SARRUS] [--n COUNT] [--seed S] [--jobs J] [--keep DIR]

A mutant is one of scenarios/*.yaml with one to four changes: numbers become extreme, negative, zero, NaN, infinite or words; words,
types and names become others of the file or nonsense; keys, list items and lines are left out, doubled or exchanged; mappings are
emptied. `check` and a short `run` of four instances must end with a documented exit code; with exit 2 every error must have its
documented form, with a place in the file where there is one; no instance with status ok may have a NaN or an infinity in any
dataset over time; and SIGTERM must end within two seconds what has not ended in ten.
Exit code 0: nothing was wrong; 1: something was.
"""

import argparse
import concurrent.futures
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SECONDS, SECONDS_TO_END, MOST_TIMES = 10, 2, 100_000
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
WORD = re.compile(r"(?<![\w.])[A-Za-z_][\w-]*")
KEY = re.compile(r"[A-Za-z_]\w*(?=:)")
GROUP = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]")
EXTREMES = [
    *["0", "-0", "1", "-1", "1e300", "-1e300", "1e308", "-1e308", "1e-300", "5e-324", "1e30", "-1e30", "1e12", "1e15", "1e-12"],
    *["1e-8", "0.5", "2", "3", "7", "1e5", "1e6", "1e9", "-5", "4294967296", "18446744073709551615", ".nan", ".inf", "-.inf"],
    *["1e400", '"=1/0"', '"=sqrt(-1)"', '"=1e308*10"', '"=pi"', '"=L"', '"=0/0"', "~", "true", "abc", '""', "[1]", "{a: 1}"],
    *["[]", "{}", "0x10", "1_000"],
]
WORDS = [
    *["revolute", "prismatic", "fixed", "distance", "spring", "torque", "force", "ground", "svd", "lapack", "auto", "rk4"],
    *["dopri5", "verner65", "adams-moulton", "relative", "gap", "tracked", "every_step", "none", "normal", "uniform", "lognormal"],
    *["sine", "ramp", "polynomial", "table", "constant", "signal", "input", "inertial", "body", "planar", "spatial", "off"],
]
LINE_FORM = re.compile(r"^(?:[^:\n]+:\d+:\d+|sarrus(?: \w+)?|[^:\n]+\.yaml|--set:\d+:\d+): (?:error|warning|note): \S")
NAN_IS_AN_ANSWER = re.compile(r"^instance/|^events/|^time$")


def change_once(text: str, rng: random.Random) -> str:
    """The text with one thing changed."""
    kind = rng.random()
    if kind < 0.45:
        return replaced(text, NUMBER, rng.choice(EXTREMES), rng)
    if kind < 0.55:
        return replaced(text, NUMBER, repr(rng.uniform(-1, 1) * 10 ** rng.randint(-12, 12)), rng)
    if kind < 0.65:
        return replaced(text, WORD, rng.choice(WORDS + WORD.findall(text)), rng)
    if kind < 0.72:
        return replaced(text, KEY, rng.choice([*KEY.findall(text), "mas", "x"]), rng)
    if kind < 0.80:
        groups = GROUP.findall(text)
        return replaced(text, GROUP, rng.choice([*groups, "{}", "[]", "1", "[0, 0]"]), rng)
    lines = text.split("\n")
    i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind < 0.88:
        del lines[i]
    elif kind < 0.94:
        lines.insert(k, lines[i])
    else:
        lines[i], lines[k] = lines[k], lines[i]
    return "\n".join(lines)


def replaced(text: str, pattern: re.Pattern, new: str, rng: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    return text[: at.start()] + new + text[at.end() :]


def mutant_make(scenarios: list[str], seed: int) -> str:
    rng = random.Random(seed)
    text = rng.choice(scenarios)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        text = change_once(text, rng)
    return text


def program_run(program: Path, arguments: list[str], folder: Path) -> tuple[int | None, str]:
    """Exit code, None when not even a signal ended it, and what was said to stderr."""
    environment = os.environ | {"SARRUS_CACHE_DIR": str(folder / "cache"), "LC_ALL": "C.UTF-8"}
    with (folder / "said").open("wb+") as said:
        process = subprocess.Popen([str(program), *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=said)
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = None
        said.seek(0)
        return code, said.read().decode(errors="replace")


def end_fault(code: int | None, said: str) -> str | None:
    """What is wrong with an end, None: nothing."""
    if code is None:
        return f"no end within {SECONDS} s, nor by SIGTERM"
    if code not in (0, 1, 2, 3, 143) or "internal failure" in said:
        return f"exit {code}"
    errors = [line for line in said.split("\n") if ": error:" in line or ": warning:" in line]
    if code in (2, 3) and not any(": error:" in line for line in errors):
        return f"exit {code} without a word"
    badly_said = [line for line in errors if not LINE_FORM.match(line)]
    if badly_said:
        return f"not the form of a diagnostic: {badly_said[0]}"
    if code == 3 and "memory" not in said:
        return "exit 3 for another reason than memory"
    return None


def result_fault(path: Path) -> str | None:
    """A dataset with a number that is none, of an instance that is ok; of very many output times the first ones are read."""
    with h5py.File(path, "r") as file:
        good = np.flatnonzero(file["instance/status"][:] == 0)
        n_written = min(int(file.attrs.get("n_times_written", file["time"].shape[0])), MOST_TIMES)
        found = []

        def look(name: str, item: h5py.HLObject) -> None:
            over_time = isinstance(item, h5py.Dataset) and item.ndim >= 2 and item.dtype.kind == "f"
            if over_time and not NAN_IS_AN_ANSWER.match(name) and not np.isfinite(item[:, :n_written][good]).all():
                found.append(name)

        file.visititems(look)
    return f"{found[0]} of an instance with status ok holds NaN or Inf" if found else None


def mutant_try(program: Path, text: str) -> tuple[str, str | None]:
    """How check and run ended, and what was wrong (None: nothing)."""
    with tempfile.TemporaryDirectory(prefix="sarrus_mutant_") as name:
        folder = Path(name)
        (folder / "m.yaml").write_text(text, encoding="utf-8")
        checked, said = program_run(program, ["check", "m.yaml"], folder)
        fault = end_fault(checked, said)
        arguments = ["run", "m.yaml", "-o", "m.h5", "--quiet", "--instances", "4", "--threads", "1"]
        ran, said = program_run(program, arguments, folder)
        fault = fault or end_fault(ran, said)
        if not fault and checked == 2 and ran in (0, 1):
            fault = "check refuses what run takes"
        if not fault and ran in (0, 1, 143) and (folder / "m.h5").exists():
            fault = result_fault(folder / "m.h5")
        return f"check {checked} run {ran}", fault


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    program = os.environ.get("SARRUS_PROGRAM", ROOT / "build" / "release" / "sarrus")
    parser.add_argument("--program", type=Path, default=program)
    parser.add_argument("--whole", action="store_true", help="3,000 mutants, not 100")
    parser.add_argument("--n", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder for mutants with a wrong end")
    arguments = parser.parse_args()
    arguments.n = arguments.n or (3000 if arguments.whole else 100)
    program = arguments.program.resolve()
    # Runs are to be short: each has its own end, of some hundred steps, which mutants may change as they like.
    scenarios = [re.sub(r"t_end: *[0-9.e+-]+", "t_end: 0.05", path.read_text(encoding="utf-8"))
                 for path in sorted((ROOT / "scenarios").glob("*.yaml")) if "40" not in path.name]
    seeds = range(arguments.seed, arguments.seed + arguments.n)
    ends, n_wrong = Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tries = pool.map(lambda seed: (seed, *mutant_try(program, mutant_make(scenarios, seed))), seeds)
        for seed, how, fault in tries:
            ends[how] += 1
            if not fault:
                continue
            n_wrong += 1
            print(f"mutant {seed}: {fault}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"mutant_{seed}.yaml").write_text(mutant_make(scenarios, seed), encoding="utf-8")
    for how, n in ends.most_common():
        print(f"{how}: {n}")
    print(f"{arguments.n} mutants, {n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
