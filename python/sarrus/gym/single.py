"""One environment by itself: a batch of one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from .tasks import Task
from .vector import VectorEnv


class Env(gymnasium.Env[npt.NDArray[Any], npt.NDArray[Any]]):
    """One environment of a task, with the bits that it has in a `VectorEnv`; the same keyword options, one thread by default."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, task: Task | str, *, threads: int | None = 1, **options: Any) -> None:
        self._vector = VectorEnv(task, 1, autoreset_mode=AutoresetMode.DISABLED, threads=threads, **options)
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self.render_mode = None

    @property
    def task(self) -> Task:
        """What it does."""
        return self._vector.task

    @property
    def batch(self) -> Any:
        """The batch of one."""
        return self._vector.batch

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """A new episode; `seed` begins with its episode 0."""
        super().reset(seed=seed)
        observations, infos = self._vector.reset(seed=seed, options=options)
        return observations[0], self._info(infos)

    def step(self, action: npt.ArrayLike) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """One step; after the last one of an episode `reset` is to follow."""
        found = self._vector.step(np.asarray(action)[None])
        observations, rewards, terminated, truncated, infos = found
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._info(infos)

    def close(self) -> None:
        """Lets go of the batch."""
        self._vector.close()

    @staticmethod
    def _info(infos: dict[str, Any]) -> dict[str, Any]:
        return {name: values[0] for name, values in infos.items() if not name.startswith("_") and infos[f"_{name}"][0]}
