"""Names of the environments in Gymnasium's registry."""

from __future__ import annotations

from typing import Any

import gymnasium

from .environments import TASKS
from .single import Env


def env_make(task: str, **options: Any) -> Env:
    """One environment whose episodes Gymnasium's TimeLimit truncates, as `gymnasium.make` has it."""
    return Env(task, max_episode_steps=-1, **options)


def register_all() -> None:
    """Registers each of `TASKS` as "sarrus/NAME", once."""
    for name, make in TASKS.items():
        if f"sarrus/{name}" not in gymnasium.registry:
            gymnasium.register(
                id=f"sarrus/{name}",
                entry_point="sarrus.gym.registration:env_make",
                vector_entry_point="sarrus.gym.vector:VectorEnv",
                max_episode_steps=make().max_episode_steps,
                kwargs={"task": name},
            )
