"""Learns FiveBarReach-v0 with several seeds, then takes the best policy to mechanisms with tolerances.

    python python/examples/transfer.py                                        three seeds, a hundred mechanisms
    python python/examples/transfer.py --policies runs --seeds 0 1 2          keeps policies there, and takes those that are there
    python python/examples/transfer.py --length 0.02 --mass 0.1

Needs: pip install stable-baselines3 matplotlib. Of each seed it tells when an evaluation without noise first reached the stated
return. Mechanisms are drawn by five_bar_tolerances.yaml, beside this file: lengths, masses and friction of each link and motor by
itself. All do the same episodes, goals and beginnings alike, so that what differs is the mechanism. The policy is shown where the
tip is, as by a camera, or else where it would be by the motors' angles if all lengths were nominal.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import sarrus
import torch
from sarrus.gym import State, Task, VectorEnv, task_of
from sarrus.gym.stable_baselines import StableBaselinesEnv
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from train_ppo import SETTINGS, TASKS, returns_of, without_noise

TASK = "FiveBarReach-v0"
STATED = 85.0  # the return of an episode that every seed is to reach; 100 is the most that there is
SCENARIO = Path(__file__).parent / "five_bar_tolerances.yaml"
POINTS = {"tip": ("right_rod", "tip"), "elbow_left": ("left", "elbow_left"), "elbow_right": ("right", "elbow_right")}


class Reached(BaseCallback):
    """Looks at the policy without noise every `every` rounds; keeps when it first came up to the stated return."""

    def __init__(self, envs: VectorEnv, every: int = 8) -> None:
        super().__init__()
        self._envs, self._every, self._n_rounds = envs, every, 0
        self._began = time.perf_counter()
        self.first: tuple[float, int] | None = None

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._n_rounds += 1
        if self.first is None and self._n_rounds % self._every == 0:
            found = returns_of(self._envs, without_noise(self.model), 5000, 2).mean()
            print(f"    {self.num_timesteps:>8} steps, {time.perf_counter() - self._began:4.0f} s: {found:.1f}", flush=True)
            if found >= STATED:
                self.first = time.perf_counter() - self._began, self.num_timesteps


def learned(seed: int, n_steps: int, folder: Path | None) -> PPO:
    """The policy of a seed, or the one that is kept in the folder."""
    path = None if folder is None else folder / f"{TASK}_{seed}.zip"
    if path is not None and path.exists():
        print(f"seed {seed}: {path}")
        return PPO.load(path, device="cpu")
    envs, looked_at = (VectorEnv(TASK, 64, autoreset_mode="SameStep", threads=1) for _ in range(2))
    n_default, settings = TASKS[TASK]
    began = time.perf_counter()
    model = PPO("MlpPolicy", StableBaselinesEnv(envs), seed=seed, device="cpu", **(SETTINGS | settings))
    reached = Reached(looked_at)
    model.learn(n_steps or n_default, callback=reached)
    seconds = time.perf_counter() - began
    when = "never" if reached.first is None else f"after {reached.first[0]:.0f} s and {reached.first[1]} steps"
    print(f"seed {seed}: {STATED:g} reached {when}; {model.num_timesteps} steps in {seconds:.0f} s", flush=True)
    if path is not None:
        folder.mkdir(parents=True, exist_ok=True)
        model.save(path)
    return model


def best_of(seeds: list[int], n_steps: int, folder: Path | None) -> PPO:
    """Learns with each seed, one after another; the policy with the highest mean of 256 episodes."""
    envs, models = VectorEnv(TASK, 64, autoreset_mode="SameStep", threads=1), {}
    for seed in seeds:
        model = learned(seed, n_steps, folder)
        mean = returns_of(envs, without_noise(model), 1000).mean()
        print(f"seed {seed}: {mean:.2f} an episode", flush=True)
        models[mean] = model
    return models[max(models)]


def tip_by_motors(state: State) -> np.ndarray:
    """Where the tip would be by the angles of the inner links, were all lengths nominal; times 5, as the task shows it."""
    left = np.stack((-0.08 + 0.2 * state.cosine("left.theta"), 0.2 * state.sine("left.theta")), axis=1)
    right = np.stack((0.08 + 0.2 * state.cosine("right.theta"), 0.2 * state.sine("right.theta")), axis=1)
    across = right - left
    squared = across[:, 0] ** 2 + across[:, 1] ** 2
    height = np.sqrt(np.maximum(0.09 / squared - 0.25, 0.0))[:, None]
    return 5.0 * (0.5 * (left + right) + height * np.stack((-across[:, 1], across[:, 0]), axis=1))


def toleranced(by_motors: bool) -> Task:
    """The task on the scenario with tolerances."""
    task = task_of(TASK)
    shown = tuple(tip_by_motors if by_motors and term == ("tip", 5.0) else term for term in task.observation)
    return replace(task, scenario=str(SCENARIO), points=POINTS, observation=shown)


def returns_on(model: PPO, mechanisms: dict[str, np.ndarray], options: argparse.Namespace, by_motors: bool) -> np.ndarray:
    """The mean return of each mechanism, over the same episodes: all environments have one seed."""
    n = len(next(iter(mechanisms.values())))
    settings = {"parameters.length": options.length, "parameters.mass": options.mass, "parameters.friction": options.friction}
    envs = VectorEnv(toleranced(by_motors), n, autoreset_mode="SameStep", threads=1, settings=settings, parameters=mechanisms)
    return returns_of(envs, without_noise(model), [2000] * n, options.episodes).mean(axis=1)


def draw(path: str, spreads: dict[str, tuple[np.ndarray, float]], title: str) -> None:
    """Histograms over the mechanisms, and the nominal one as a line."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, all_axes = plt.subplots(len(spreads), 1, figsize=(6.4, 4.4), layout="constrained", sharex=True, sharey=True)
    everything = np.concatenate([own for own, _ in spreads.values()] + [[nominal for _, nominal in spreads.values()]])
    bins = np.linspace(everything.min() - 0.2, everything.max() + 0.2, 31)
    for axes, (name, (own, nominal)) in zip(all_axes, spreads.items(), strict=True):
        axes.hist(own, bins=bins, color="#4c78a8")
        axes.axvline(nominal, color="black", linestyle="--", label=f"nominal: {nominal:.1f}")
        axes.set(ylabel="mechanisms", title=name)
        axes.legend(loc="upper left")
    all_axes[-1].set_xlabel("mean return of an episode")
    figure.suptitle(title)
    figure.savefig(path, dpi=90)


def told(name: str, own: np.ndarray, nominal: float) -> str:
    low, high = np.percentile(own, [5, 95])
    spread = f"mean {own.mean():.2f}, sd {own.std(ddof=1):.2f}, min {own.min():.2f}, 5 % {low:.2f}, 95 % {high:.2f}"
    return f"{name}: nominal {nominal:.2f}; {len(own)} mechanisms: {spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=0, help="environment steps of each; default: those of train_ppo.py")
    parser.add_argument("--policies", type=Path, help="a folder for the policies")
    parser.add_argument("--mechanisms", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=20, help="of each mechanism")
    parser.add_argument("--length", type=float, default=0.01, help="tolerance of lengths, in shares of them")
    parser.add_argument("--mass", type=float, default=0.05)
    parser.add_argument("--friction", type=float, default=0.25)
    parser.add_argument("--picture", default="transfer.png")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = best_of(options.seeds, options.steps, options.policies)
    batch = sarrus.Batch(SCENARIO, options.mechanisms)
    errors: dict[str, Any] = dict(zip(batch.parameter_labels, batch.parameters.T, strict=True))
    del errors["phi"]  # where an episode begins, which goes on being drawn
    spreads = {}
    for by_motors, name in ((False, "shown the tip"), (True, "tip by the motors' angles")):
        own = returns_on(model, errors, options, by_motors)
        nominal = float(returns_on(model, {label: np.zeros(1) for label in errors}, options, by_motors)[0])
        spreads[name] = own, nominal
        print(told(name, own, nominal), flush=True)
    tolerances = ", ".join(f"{name} ±{100 * getattr(options, name):g} %" for name in ("length", "mass", "friction"))
    draw(options.picture, spreads, f"{options.mechanisms} mechanisms: {tolerances}")


if __name__ == "__main__":
    main()
