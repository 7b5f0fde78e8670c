"""Environment steps a second of sarrus.gym, and what part of the time is not spent in `Batch.advance`, which makes the steps of the
mechanisms: in all, and in Python alone, outside of every call of the library (which also copies states and inputs, draws parameters
and assembles what begins anew). Episodes begin out of step, so that some end in every step, as they do in training.

    python bench/python/step_rates.py [--envs 64 4096] [--substeps 10] [--threads 2] [--json rates.json] [TASK ...]

Gate: environment 0 has the bits that it has alone after the same steps, or the row fails and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sarrus
import sarrus.gym

N_GATE = 20


CALLS = ("advance", "read", "read_state", "write", "reset", "assemble", "redraw")


class Clock:
    """The time spent in calls of the library, by name."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(CALLS, 0.0)
        for name in CALLS:
            setattr(sarrus.Batch, name, self._timed(name, getattr(sarrus.Batch, name)))

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*words, **options)
            finally:
                self.seconds[name] += time.perf_counter() - began

        return call


def made(task: str, n: int, options: argparse.Namespace) -> sarrus.gym.VectorEnv:
    return sarrus.gym.VectorEnv(
        task, n, autoreset_mode="SameStep", threads=options.threads, substeps=options.substeps, specialize=options.specialize
    )


def gate(task: str, options: argparse.Namespace, n: int) -> bool:
    whole, alone = made(task, n, options), made(task, 1, options)
    whole.reset(seed=5)
    alone.reset(seed=5)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (N_GATE, *whole.action_space.shape))
    return all(whole.step(a)[0][0].tobytes() == alone.step(a[:1])[0][0].tobytes() for a in actions)


def measure(task: str, n: int, options: argparse.Namespace, clock: Clock) -> dict[str, Any]:
    env = made(task, n, options)
    env.reset(seed=0)
    env._elapsed[:] = np.arange(n) % env.task.max_episode_steps  # out of step
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (16, *env.action_space.shape)).astype(np.float32)
    for k in range(4):
        env.step(actions[k])
    steps, outside, python, n_ended, k = [], [], [], 0, 0
    for _ in range(options.repetitions):
        before, began, count = clock.seconds.copy(), time.perf_counter(), 0
        while count < 3 or time.perf_counter() - began < options.seconds / options.repetitions:
            _, _, terminated, truncated, _ = env.step(actions[k % 16])
            n_ended += int(np.sum(terminated | truncated))
            count, k = count + 1, k + 1
        total = time.perf_counter() - began
        spent = {name: clock.seconds[name] - before[name] for name in CALLS}
        steps.append(total / count)
        outside.append(1.0 - spent["advance"] / total)
        python.append(1.0 - sum(spent.values()) / total)
    return {
        "task": task,
        "envs": n,
        "substeps": options.substeps,
        "steps_per_second": n / statistics.median(steps),
        "outside_of_advance": statistics.median(outside),
        "python_share": statistics.median(python),
        "ended_per_step": n_ended / k,
        "device": env.batch.device,
        "gate": gate(task, options, n),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", default=list(sarrus.gym.TASKS))
    parser.add_argument("--envs", nargs="+", type=int, default=[64, 4096])
    parser.add_argument("--substeps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--specialize", default="off", choices=("off", "auto", "on"))
    parser.add_argument("--seconds", type=float, default=2.0, help="of a row")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    print(f"{'task':<28}{'envs':>6}{'steps/s':>12}{'not advance':>13}{'Python':>9}{'ended':>8}  gate")
    rows, clock = [], Clock()
    for task in options.tasks:
        for n in options.envs:
            row = measure(task, n, options, clock)
            rows.append(row)
            print(
                f"{task:<28}{n:>6}{row['steps_per_second']:>12.0f}{row['outside_of_advance']:>13.1%}{row['python_share']:>9.1%}"
                f"{row['ended_per_step']:>8.2f}  {'passed' if row['gate'] else 'FAILED'}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["gate"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
