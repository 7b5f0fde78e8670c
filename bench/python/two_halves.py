"""Whether it pays to step half of the environments in a thread while the policy acts on the other half (double buffering, as
asynchronous environments have it), against one VectorEnv of all of them: environment steps a second of the loop that collects
experience, policy and steps, without the update of the policy.

    python bench/python/two_halves.py [--envs 64 4096] [--widths 64 256] [--substeps 10] [--json halves.json] [TASK ...]

The policy is an actor and a critic of two layers of tanh each, in NumPy (with OPENBLAS_NUM_THREADS=1 on one thread), float32.
"one, 2" has two threads for the mechanisms; "halves, 1" has one for them, so that steps and policy take two processors together.
Runs of each are taken in turns, and medians told.

Gate: the halves have the bits of the whole, or the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import sarrus.gym


class Policy:
    """Actions of observations, and values."""

    def __init__(self, n_seen: int, n_actions: int, width: int) -> None:
        draw = np.random.default_rng(0)
        sizes = (n_seen, width, width)
        self._layers = [
            [(draw.normal(0.0, m**-0.5, (m, n)).astype(np.float32)) for m, n in zip(sizes, (*sizes[1:], last), strict=True)]
            for last in (n_actions, 1)
        ]

    def __call__(self, seen: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out = []
        for first, second, last in self._layers:
            out.append(np.tanh(np.tanh(seen @ first) @ second) @ last)
        return np.clip(out[0] + noise, -1.0, 1.0), out[1]


def made(task: str, n: int, threads: int, options: argparse.Namespace) -> sarrus.gym.VectorEnv:
    return sarrus.gym.VectorEnv(task, n, autoreset_mode="SameStep", threads=threads, substeps=options.substeps)


class One:
    """All environments, policy and steps one after the other."""

    def __init__(self, task: str, n: int, threads: int, options: argparse.Namespace) -> None:
        self._env = made(task, n, threads, options)
        self.seen = self._env.reset(seed=0)[0]

    def steps(self, policy: Policy, noise: np.ndarray) -> None:
        for own in noise:
            action, _ = policy(self.seen, own)
            self.seen = self._env.step(action)[0]


class Halves:
    """One half steps in a thread while the policy acts on the other."""

    def __init__(self, task: str, n: int, threads: int, options: argparse.Namespace) -> None:
        self._envs = [made(task, n // 2, threads, options) for _ in range(2)]
        self._seen = [env.reset(seed=i * (n // 2))[0] for i, env in enumerate(self._envs)]
        self._pool = ThreadPoolExecutor(1)

    @property
    def seen(self) -> np.ndarray:
        return np.concatenate(self._seen)

    def steps(self, policy: Policy, noise: np.ndarray) -> None:
        halves = noise.shape[1] // 2
        waiting: list[Any] = [None, None]
        for own in noise:
            for i, env in enumerate(self._envs):
                if waiting[i] is not None:
                    self._seen[i] = waiting[i].result()[0]
                action, _ = policy(self._seen[i], own[i * halves : (i + 1) * halves])
                waiting[i] = self._pool.submit(env.step, action)
        self._seen = [step.result()[0] for step in waiting]


def gate(task: str, options: argparse.Namespace) -> bool:
    """Of actions alone, because products of matrices by a BLAS have other bits in parts."""
    noise = np.random.default_rng(1).uniform(-1.0, 1.0, (40, 64, 2)).astype(np.float32)
    one, halves = One(task, 64, 1, options), Halves(task, 64, 1, options)

    def noise_alone(_: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return own, own[:, 0]

    for loop in (one, halves):
        loop.steps(noise_alone, noise)
    return one.seen.tobytes() == halves.seen.tobytes()


def rate_of(call: Any, n_steps: int) -> tuple[float, float]:
    """Environment steps a second, and how many processors were at work: on a busy machine fewer than it has."""
    began, used = time.perf_counter(), time.process_time()
    call()
    seconds = time.perf_counter() - began
    return n_steps / seconds, (time.process_time() - used) / seconds


def measure(task: str, n: int, width: int, options: argparse.Namespace) -> dict[str, tuple[float, float]]:
    loops = {f"{kind.__name__.lower()}, {k}": kind(task, n, k, options) for kind in (One, Halves) for k in options.threads}
    first, n_actions = next(iter(loops.values())), len(sarrus.gym.task_of(task).low)
    policy = Policy(first.seen.shape[1], n_actions, width)
    noise = np.random.default_rng(2).normal(0.0, 0.5, (max(4, 20000 // n), n, n_actions)).astype(np.float32)

    def policy_alone() -> None:
        for own in noise:
            policy(first.seen, own)

    calls = {name: (lambda loop=loop: loop.steps(policy, noise)) for name, loop in loops.items()} | {"policy": policy_alone}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for turn in range(options.turns + 1):
        for name, call in calls.items():
            own = rate_of(call, n * len(noise))
            if turn > 0:  # in the first one kernels are compiled, and caches fill
                found[name].append(own)
    return {name: tuple(map(statistics.median, zip(*own, strict=True))) for name, own in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["FiveBarReach-v0"])
    parser.add_argument("--envs", type=int, nargs="+", default=[64, 4096])
    parser.add_argument("--widths", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--substeps", type=int, default=10)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    rows = []
    for task in options.tasks:
        if not gate(task, options):
            print(f"{task}: the halves have other bits than the whole", file=sys.stderr)
            return 1
        for n in options.envs:
            for width in options.widths:
                found = measure(task, n, width, options)
                one, halves = (max(own[0] for name, own in found.items() if name.startswith(kind)) for kind in ("one", "halves"))
                rows.append({"task": task, "envs": n, "width": width, "gain": halves / one, **found})
                told = "; ".join(f"{name}: {rate:,.0f} by {used:.1f} processors" for name, (rate, used) in found.items())
                print(f"{task}, {n} environments, width {width}: {told}; gain {halves / one:.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
