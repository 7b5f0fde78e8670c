"""A planar manipulator of five bars, by two motors on ground."""

from __future__ import annotations

import numpy as np

from ..states import Floats, State
from ..tasks import Task
from .places import scenario

_ROD = 0.15  # half an outer link, m
_TORQUE = 0.6  # N m
_LOOP = (
    "sin(left.theta)",
    "cos(left.theta)",
    "sin(right.theta)",
    "cos(right.theta)",
    ("left.omega", 0.1),
    ("right.omega", 0.1),
    ("tip", 5.0),
)
_POINTS = {"tip": ("right_rod", (_ROD, 0.0)), "elbow_left": ("left_rod", (-_ROD, 0.0)), "elbow_right": ("right_rod", (-_ROD, 0.0))}


def _length(vector: Floats) -> Floats:
    return np.sqrt(vector[:, 0] ** 2 + vector[:, 1] ** 2)


def _has_lost_the_tip(state: State) -> Floats:
    """Near the places where the outer links lie in one line: stretched, or folded with the elbows on one another."""
    apart = _length(state.point("elbow_right") - state.point("elbow_left")) / (4.0 * _ROD)
    return (apart > 0.97) | (apart < 0.1)


def reach() -> Task:
    """The tip is to go to a point that is drawn, and to stay there. Reward: 1 − tanh(10 distance), at most 1 a step, less 0.02
    times the squares of the torques relative to their limits."""

    def miss(state: State) -> Floats:
        return _length(state.point("tip") - state.goal)

    def reward(state: State) -> Floats:
        effort = (state.action[:, 0] ** 2 + state.action[:, 1] ** 2) / _TORQUE**2
        return 1.0 - np.tanh(10.0 * miss(state)) - 0.02 * effort

    def goal(u: Floats) -> Floats:
        return np.stack((-0.14 + 0.28 * u[:, 0], 0.24 + 0.16 * u[:, 1]), axis=1)

    return Task(
        scenario=scenario("five_bar_arm"),
        observation=(*_LOOP, ("goal", 5.0)),
        reward=reward,
        terminated=_has_lost_the_tip,
        low=(-_TORQUE, -_TORQUE),
        high=(_TORQUE, _TORQUE),
        substeps=10,
        max_episode_steps=100,
        points=_POINTS,
        goal=goal,
        info={"distance": miss},
        failure_reward=-1.0,
    )
