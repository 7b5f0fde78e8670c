"""A `VectorEnv` for Stable-Baselines3, which has a class of vector environments of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from ..errors import ArgumentError
from .vector import VectorEnv


class StableBaselinesEnv(VecEnv):
    """The environments of a `VectorEnv` that begin anew in the same step (`autoreset_mode="SameStep"`). Infos have what
    Stable-Baselines3 asks for: "terminal_observation", "TimeLimit.truncated", and "episode" with the return r and the length l."""

    def __init__(self, env: VectorEnv) -> None:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ArgumentError(f"autoreset_mode is {env.autoreset_mode}; expected one made with autoreset_mode='SameStep'")
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions: npt.NDArray[Any] = np.zeros(env.action_space.shape or ())
        self._returns = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, dtype=np.int64)

    def reset(self) -> npt.NDArray[Any]:
        """New episodes of all, with the seeds that `seed` gave."""
        observations, _ = self.env.reset(seed=self._seeds if any(s is not None for s in self._seeds) else None)
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """One step of all."""
        observations, rewards, terminated, truncated, found = self.env.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            infos[i] = {
                "terminal_observation": found["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i])},
            }
        self._returns[ended], self._lengths[ended] = 0.0, 0
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Lets go of the batch."""
        self.env.close()

    def _places(self, indices: int | Sequence[int] | None) -> list[int]:
        return list(self._get_indices(indices))

    def get_attr(self, attr_name: str, indices: int | Sequence[int] | None = None) -> list[Any]:
        """The attribute of the vector environment, once for each place."""
        return [getattr(self.env, attr_name) for _ in self._places(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Sequence[int] | None = None) -> None:
        """All environments share their attributes, so only those of all can be set."""
        if indices is not None and len(self._places(indices)) != self.num_envs:
            raise ArgumentError("environments of one batch share their attributes; expected indices=None")
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Sequence[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of the vector environment once; its answer stands for each place."""
        answer = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [answer for _ in self._places(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Sequence[int] | None = None) -> list[bool]:
        """Returns are counted here, which is what Stable-Baselines3 looks for; nothing else is wrapped."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._places(indices)]
