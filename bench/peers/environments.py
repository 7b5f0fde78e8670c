#!/usr/bin/env python3
"""Environment steps a second of one task in sarrus.gym and in MuJoCo, in one run: the five-bar planar manipulator that reaches for
a point (`sarrus/FiveBarReach-v0`), same mechanism, steps, substeps, observation, reward and rule of beginning anew.

    python bench/peers/environments.py [--envs 64 4096 65536] [--threads 1 2] [--json FILE]

Needs: sarrus, gymnasium, mujoco; with jax and mujoco-mjx also MJX on the processor. Rows of one size alternate, medians are kept.
Gates, exit code 1: with a fine step MuJoCo makes the motion that Sarrus makes; no environment of Sarrus fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import sarrus
import sarrus.gym
from arm_mujoco import HARD, STIFF, MjxArm, PooledArm, RolloutArm, mujoco_motion
from arm_task import N_STEPS, N_SUBSTEPS, TORQUE, gap, starts
from sarrus.gym.environments.five_bar import reach

# MuJoCo's constraints yield by some (step / time constant of the motion)^4: 7e-10 rad were seen.
GATE_STEPS, GATE_STEP, GATE_ERROR = 10, 1e-4, 1e-7  # environment steps, s, rad


def scenario_text() -> str:
    """The scenario of the task, of whose parameters only the pose is drawn: masses are part of MuJoCo's model."""
    text = (Path(sarrus.gym.__file__).parent / "scenarios" / "five_bar_arm.yaml").read_text()
    return "".join(line for line in text.splitlines(True) if not line.strip().startswith(("- {name: m,", "- {name: c,")))


FASTEST = "sarrus.gym, specialized, relative"
FAST = {"dynamics.formulation": "relative", "dynamics.projection": "{tolerance: 1e-10}"}
# The other rows: absolute coordinates, projected in every step as the task is registered.
BODIES = {"dynamics.formulation": "udwadia-kalaba"}


class SarrusArm:
    """sarrus.gym, with generic kernels or those compiled for the mechanism."""

    def __init__(self, scenario: str, n: int, threads: int, specialize: str, settings: dict[str, str] | None = None) -> None:
        task = dataclasses.replace(reach(), scenario=scenario)
        self.env = sarrus.gym.VectorEnv(
            task, n, autoreset_mode="SameStep", threads=threads, specialize=specialize, settings=settings
        )
        self.env.reset(seed=0)
        self.env._elapsed[:] = np.arange(n) % N_STEPS  # out of step, as in training
        self.n_failed = 0

    def step(self, actions: np.ndarray) -> int:
        _, _, terminated, truncated, infos = self.env.step(actions)
        self.n_failed += int(np.sum(infos["final_info"].get("_status", False))) if "final_info" in infos else 0
        return int(np.sum(terminated | truncated))

    def gap(self) -> float:
        """Of the cut joint, from the angles of the bodies."""
        theta = self.env.batch.q.reshape(-1, 4, 3)[:, :, 2]
        return gap(*theta.T)

    def close(self) -> None:
        self.env.close()


def gate(scenario: str) -> float:
    """Largest difference of an angle after some steps with the same torques, rad."""
    phi = np.array([0.3, 0.5, 0.7])
    actions = np.random.default_rng(3).uniform(-1.0, 1.0, (GATE_STEPS, 3, 2))
    batch = sarrus.Batch(sarrus.load(scenario), 3, draw=False, backend="cpu", specialize="off")
    batch.write("parameters", phi[:, None])
    batch.assemble()
    for action in actions:
        batch.write("input", TORQUE * action)
        batch.advance(N_SUBSTEPS)
    theta = batch.read("q").reshape(3, 4, 3)[:, :, 2]
    return float(np.abs(theta - mujoco_motion(starts(phi), actions, GATE_STEP)).max())


def violation(arm: Any, n: int) -> float:
    """The largest gap of the cut joint over an episode of random torques, m."""
    generator, worst = np.random.default_rng(7), 0.0
    for _ in range(N_STEPS):
        arm.step(generator.uniform(-1.0, 1.0, (n, 2)))
        worst = max(worst, arm.gap())
    return worst


def makers(scenario: str, options: argparse.Namespace) -> dict[str, Any]:
    """What is measured, by name: functions of (n, threads)."""
    rows: dict[str, Any] = {
        FASTEST: lambda n, threads: SarrusArm(scenario, n, threads, "on", FAST),
        "sarrus.gym, generic, relative": lambda n, threads: SarrusArm(scenario, n, threads, "off", FAST),
        "sarrus.gym, specialized": lambda n, threads: SarrusArm(scenario, n, threads, "on", BODIES),
        "sarrus.gym, generic": lambda n, threads: SarrusArm(scenario, n, threads, "off", BODIES),
        "mujoco.rollout, stiff": lambda n, threads: RolloutArm(n, threads, STIFF),
        "mujoco.rollout, hard": lambda n, threads: RolloutArm(n, threads, HARD),
        "MuJoCo, pool of threads, hard": lambda n, threads: PooledArm(n, threads, HARD),
    }
    if options.mjx:
        rows["MJX on the processor, hard"] = lambda n, _: MjxArm(n, HARD)
    return rows


def measure(arm: Any, n: int, seconds: float) -> tuple[float, int]:
    """Environment steps a second, and how many episodes ended."""
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (16, n, 2)).astype(np.float32)
    arm.step(actions[-1])
    count, n_ended, began = 0, 0, time.perf_counter()
    while count < 2 or time.perf_counter() - began < seconds:
        n_ended += arm.step(actions[count % 16])
        count += 1
    return n * count / (time.perf_counter() - began), n_ended


def measured(rows: dict[str, Any], n: int, threads: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """One size: all rows, repetitions alternating."""
    arms, rates = {}, {name: [] for name in rows}
    for name, make in rows.items():
        if ("pool" in name and n > options.longest_pool) or ("MJX" in name and (threads > 1 or n > options.longest_pool)):
            continue
        arms[name] = make(n, threads)
    for _ in range(options.repetitions):
        for name, arm in arms.items():
            rates[name].append(measure(arm, n, options.seconds)[0])
    n_failed = sum(arm.n_failed for arm in arms.values() if isinstance(arm, SarrusArm))
    for arm in arms.values():
        arm.close()
    best = statistics.median(rates[FASTEST])
    return [
        {"row": name, "envs": n, "threads": threads, "rate": statistics.median(own), "rates": own,
         "ratio": best / statistics.median(own), "failed": n_failed}
        for name, own in rates.items() if own
    ]  # fmt: skip


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def shown(row: dict[str, Any], gaps: dict[str, float]) -> str:
    name = row["row"]
    return f"{name:<34} {row['envs']:>6} {row['threads']:>2} {row['rate']:>12,.0f} {row['ratio']:>8.1f} {gaps[name]:>10.1e}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, nargs="+", default=[64, 4096, 65536])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each row in each repetition")
    parser.add_argument("--longest-pool", type=int, default=4096, help="environments of the pool of threads and of MJX at most")
    parser.add_argument("--no-mjx", dest="mjx", action="store_false", help="without MJX, which needs a minute to be compiled")
    parser.add_argument("--json", help="where to write all figures")
    options = parser.parse_args()
    options.mjx = options.mjx and MjxArm.is_there()
    with tempfile.TemporaryDirectory() as folder:
        scenario = f"{folder}/five_bar_arm.yaml"
        Path(scenario).write_text(scenario_text())
        error = gate(scenario)
        print(f"agreement: angles differ by {error:.1e} rad after {GATE_STEPS} steps (MuJoCo at {GATE_STEP} s; bar {GATE_ERROR})")
        rows = makers(scenario, options)
        gaps = {name: violation(arm, 64) for name, make in rows.items() for arm in [make(64, 1)]}
        found = []
        print(f"{'':<34} {'envs':>6} {'th':>2} {'env steps/s':>12} {'ratio':>8} {'gap, m':>10}")
        for n in options.envs:
            for threads in options.threads:
                own = measured(rows, n, threads, options)
                found += own
                print("\n".join(shown(row, gaps) for row in own), flush=True)
    if options.json:
        what = {"processor": processor(), "mujoco": mujoco.__version__, "sarrus": sarrus.__version__, "agreement": error}
        Path(options.json).write_text(json.dumps(what | {"gaps": gaps, "rows": found}, indent=1))
    n_failed = sum(row["failed"] for row in found)
    if n_failed or error > GATE_ERROR:
        print(f"not met: {n_failed} environments of Sarrus failed, angles differ by {error:.1e} rad", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
