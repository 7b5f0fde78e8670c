"""Loops in space: a Delta robot and a Stewart platform, by motors."""

from __future__ import annotations

import numpy as np

from ..states import Floats, State
from ..tasks import Task
from .places import length, scenario

_ARM = 1.6  # N m, what holds a platform of the Delta robot where it begins; negative lifts
_LEG = 32.0  # N, the same of the Stewart platform


def pick() -> Task:
    """The tool is to go to a place below, and in the middle of the episode on to another one beside it: both are drawn. Reward:
    1 − tanh(10 distance), less 0.02 times the squares of the relative torques. The episode ends with the tool out of its room."""
    half = 0.5  # s, of the episode

    def target(state: State) -> Floats:
        return np.where(state.time[:, None] < half, state.goal[:, :3], state.goal[:, 3:])

    def miss(state: State) -> Floats:
        return length(state.point("tool") - target(state))

    def reward(state: State) -> Floats:
        effort = np.sum(((state.action + _ARM) / 2.5) ** 2, axis=1)
        return 1.0 - np.tanh(10.0 * miss(state)) - 0.02 * effort

    def goal(u: Floats) -> Floats:
        low = np.array([-0.1, -0.1, -0.50, -0.1, -0.1, -0.46])
        high = np.array([0.1, 0.1, -0.44, 0.1, 0.1, -0.40])
        return low + (high - low) * u[:, :6]

    def is_out(state: State) -> Floats:
        x, y, z = state.point("tool").T
        return (np.abs(x) > 0.2) | (np.abs(y) > 0.2) | (z < -0.62) | (z > -0.3)

    return Task(
        scenario=scenario("delta_pick"),
        observation=(("tool", 5.0), "tool.v", lambda state: 5.0 * (target(state) - state.point("tool"))),
        reward=reward,
        terminated=is_out,
        low=(-_ARM - 2.5,) * 3,
        high=(-_ARM + 2.5,) * 3,
        substeps=5,
        max_episode_steps=100,
        points={"tool": ("platform", (0.0, 0.0, -0.02))},
        goal=goal,
        info={"distance": miss},
        failure_reward=-1.0,
    )


def stewart() -> Task:
    """The platform's middle is to go round an ellipse in space that is drawn, level and without turning. Reward:
    1 − tanh(20 distance + 2 |vector part of the Euler parameters|). The episode ends with the platform far off."""

    def target(state: State) -> Floats:
        size, rate, phase = state.goal[:, :3], state.goal[:, 3:4], state.goal[:, 4:7]
        start = np.sin(phase)  # the way begins where the platform stands
        return np.array([0.0, 0.0, 0.5]) + size * (np.sin(rate * state.time[:, None] + phase) - start)

    def miss(state: State) -> Floats:
        return length(state.point("middle") - target(state))

    def turn(state: State) -> Floats:
        x, y, z = (state.column(f"platform.q{axis}") for axis in "xyz")
        return np.sqrt(x * x + y * y + z * z)

    def goal(u: Floats) -> Floats:
        low = np.array([-0.04, -0.04, -0.04, 2.0, 0.0, 0.0, 0.0])
        high = np.array([0.04, 0.04, 0.04, 5.0, 6.28, 6.28, 6.28])
        return low + (high - low) * u[:, :7]

    def ahead(state: State) -> Floats:
        size, rate, phase = state.goal[:, :3], state.goal[:, 3:4], state.goal[:, 4:7]
        return size * rate * np.cos(rate * state.time[:, None] + phase)

    return Task(
        scenario=scenario("stewart_track"),
        observation=(
            lambda state: 10.0 * (state.point("middle") - target(state)),
            lambda state: 2.0 * (state.velocity("middle") - ahead(state)),
            *((f"platform.q{axis}", 5.0) for axis in "xyz"),
            *((f"platform.w{axis}", 0.5) for axis in "xyz"),
            lambda state: 10.0 * (state.point("middle") - np.array([0.0, 0.0, 0.5])),
            ahead,
        ),
        reward=lambda state: 1.0 - np.tanh(20.0 * miss(state) + 2.0 * turn(state)),
        terminated=lambda state: (miss(state) > 0.15) | (turn(state) > 0.3),
        low=(_LEG - 60.0,) * 6,
        high=(_LEG + 60.0,) * 6,
        wiring=(*((k, 1.0) for k in range(6)), *((k, -1.0) for k in range(6))),
        substeps=5,
        max_episode_steps=200,
        points={"middle": ("platform", (0.0, 0.0, 0.0))},
        goal=goal,
        info={"distance": miss},
        failure_reward=-1.0,
    )
