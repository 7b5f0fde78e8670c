"""Learns a task of sarrus.gym by PPO of Stable-Baselines3, on the processor, and draws the learning curve.

    python python/examples/train_ppo.py                                       FiveBarReach-v0
    python python/examples/train_ppo.py --task StewartTrack-v0 --picture stewart.png

Needs: pip install stable-baselines3 matplotlib. The curve is the mean return of the episodes that ended in each round of PPO, over
environment steps; the lines are mean returns of 256 episodes without actions, with random ones, and with the policy without noise.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from sarrus.gym import VectorEnv
from sarrus.gym.stable_baselines import StableBaselinesEnv
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

# Environment steps, and what differs from the settings below.
TASKS: dict[str, tuple[int, dict[str, Any]]] = {
    "FiveBarReach-v0": (500_000, {}),
    "FiveBarTrack-v0": (500_000, {}),
    "SliderCrankPress-v0": (300_000, {}),
    "FourBarLegHop-v0": (500_000, {"gamma": 0.99}),
    "ParallelPendulumSwingUp-v0": (500_000, {"gamma": 0.99, "n_steps": 128}),
    "NFourBarSnake-v0": (500_000, {}),
    "DeltaPick-v0": (500_000, {}),
    "StewartTrack-v0": (500_000, {}),
}
SETTINGS: dict[str, Any] = {
    "n_steps": 64,
    "batch_size": 1024,
    "n_epochs": 10,
    "gamma": 0.98,
    "gae_lambda": 0.95,
    "learning_rate": 1e-3,
    "policy_kwargs": {"net_arch": [64, 64], "log_std_init": -0.5},
}


class Curve(BaseCallback):
    """The mean return of the episodes that ended in each round, with the steps and the seconds until then."""

    def __init__(self) -> None:
        super().__init__()
        self.points: list[tuple[int, float, float]] = []
        self._returns: list[float] = []
        self._began = time.perf_counter()

    def _on_step(self) -> bool:
        self._returns += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        return True

    def _on_rollout_end(self) -> None:
        if self._returns:
            self.points.append((self.num_timesteps, time.perf_counter() - self._began, float(np.mean(self._returns))))
            self._returns.clear()


def returns_of(envs: VectorEnv, act: Any, seed: int | Sequence[int], n_each: int = 4) -> np.ndarray:
    """[N, n_each]: returns of the first episodes of each environment, from a seed on, by act(observations)."""
    (observations, _), total = envs.reset(seed=seed), np.zeros(envs.num_envs)
    returns, counts = np.zeros((envs.num_envs, n_each)), np.zeros(envs.num_envs, dtype=int)
    while counts.min() < n_each:
        observations, rewards, terminated, truncated, _ = envs.step(act(observations))
        total += rewards
        ended = terminated | truncated
        rows = np.flatnonzero(ended & (counts < n_each))
        returns[rows, counts[rows]] = total[rows]
        counts[ended] += 1
        total[ended] = 0.0
    return returns


def without_noise(model: PPO) -> Any:
    """Observations → the actions in the middle of the policy's distribution."""
    return lambda observations: model.predict(observations, deterministic=True)[0]


def draw(path: str, task: str, points: np.ndarray, lines: dict[str, float]) -> None:
    """The learning curve as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    axes.plot(points[:, 0], points[:, 2], label="PPO, with its noise")
    for style, (name, value) in zip((":", "--", "-."), lines.items(), strict=True):
        axes.axhline(value, linestyle=style, color="black", linewidth=1, label=f"{name}: {value:.1f}")
    axes.set(xlabel="environment steps", ylabel="return of an episode", title=f"sarrus/{task}, {points[-1, 1]:.0f} s")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="FiveBarReach-v0", choices=TASKS)
    parser.add_argument("--steps", type=int, help="environment steps; default: those of the task")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--threads", type=int, default=1, help="of the mechanisms and of torch; nets this small gain nothing by more"
    )
    parser.add_argument("--picture", default="learning.png", help="of the learning curve")
    parser.add_argument("--policy", help="where to save the policy (a .zip)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    n_steps, settings = TASKS[options.task]
    made = gymnasium.make_vec(
        f"sarrus/{options.task}",
        num_envs=options.envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        threads=options.threads,
    )
    envs = made.unwrapped
    generator = np.random.default_rng(options.seed)
    shape = envs.action_space.shape
    lines = {
        "no action": returns_of(envs, lambda _: np.zeros(shape), 1000).mean(),
        "random actions": returns_of(envs, lambda _: generator.uniform(-1.0, 1.0, shape), 1000).mean(),
    }
    model = PPO("MlpPolicy", StableBaselinesEnv(envs), seed=options.seed, device="cpu", **(SETTINGS | settings))
    curve = Curve()
    model.learn(options.steps or n_steps, callback=curve)
    lines["policy"] = returns_of(envs, without_noise(model), 1000).mean()
    points = np.array(curve.points)
    print(f"{options.task}: {points[-1, 0]:.0f} steps in {points[-1, 1]:.0f} s")
    for name, value in lines.items():
        print(f"{name:>16}: {value:.2f} an episode")
    draw(options.picture, options.task, points, lines)
    if options.policy:
        model.save(options.policy)


if __name__ == "__main__":
    main()
