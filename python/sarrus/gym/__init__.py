"""Closed loops as Gymnasium environments.

    import gymnasium, sarrus.gym
    gymnasium.make("sarrus/FiveBarReach-v0")
    gymnasium.make_vec("sarrus/FiveBarReach-v0", num_envs=4096, vectorization_mode="vector_entry_point")
    sarrus.gym.VectorEnv(sarrus.gym.Task(scenario="mine.yaml", …), num_envs=4096)

"sarrus.gym:sarrus/FiveBarReach-v0" as an id does without the import. docs/learning.md lists the environments.
"""

from .environments import TASKS, task_of
from .formulas import Formula
from .registration import register_all
from .single import Env
from .states import State
from .tasks import Names, Task
from .vector import VectorEnv

__all__ = ["TASKS", "Env", "Formula", "Names", "State", "Task", "VectorEnv", "task_of"]

register_all()
