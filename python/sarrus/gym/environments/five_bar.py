"""A planar manipulator of five bars, by two motors on ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..states import Floats, State
from ..tasks import Task
from .places import length, scenario

_INNER, _OUTER = 0.1, 0.15  # half an inner and half an outer link, m
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
_POINTS = {"tip": ("right_rod", (_OUTER, 0.0)), "elbow_left": ("left", (_INNER, 0.0)), "elbow_right": ("right", (_INNER, 0.0))}


def _has_lost_the_tip(state: State) -> Any:
    """Near the places where the outer links lie in one line: stretched, or folded with the elbows on one another."""
    apart = length(state.point("elbow_right") - state.point("elbow_left")) / (4.0 * _OUTER)
    return (apart > 0.97) | (apart < 0.1)


def _task(**what: Any) -> Task:
    return Task(
        scenario=scenario("five_bar_arm"),
        terminated=_has_lost_the_tip,
        low=(-_TORQUE, -_TORQUE),
        high=(_TORQUE, _TORQUE),
        substeps=10,
        points=_POINTS,
        failure_reward=-1.0,
        **what,
    )


def _reward(state: State, miss: Floats) -> Floats:
    effort = (state.action[:, 0] ** 2 + state.action[:, 1] ** 2) / _TORQUE**2
    return 1.0 - np.tanh(10.0 * miss) - 0.02 * effort


def reach() -> Task:
    """The tip is to go to a point that is drawn, and to stay there. Reward: 1 − tanh(10 distance), at most 1 a step, less 0.02
    times the squares of the torques relative to their limits."""

    def miss(state: State) -> Floats:
        return length(state.point("tip") - state.goal)

    def goal(u: Floats) -> Floats:
        return np.stack((-0.14 + 0.28 * u[:, 0], 0.24 + 0.16 * u[:, 1]), axis=1)

    return _task(
        observation=(*_LOOP, ("goal", 5.0)),
        reward=lambda state: _reward(state, miss(state)),
        max_episode_steps=100,
        goal=goal,
        info={"distance": miss},
    )


def track() -> Task:
    """The tip is to follow a point on an ellipse: center, half axes, rate and beginning are drawn. Reward as of reaching."""

    def target(state: State) -> tuple[Floats, Floats]:
        x, y, a, b, rate, phase = state.goal.T
        angle = phase + rate * state.time
        place = np.stack((x + a * np.cos(angle), y + b * np.sin(angle)), axis=1)
        return place, np.stack((-a * rate * np.sin(angle), b * rate * np.cos(angle)), axis=1)

    def miss(state: State) -> Floats:
        return length(state.point("tip") - target(state)[0])

    def goal(u: Floats) -> Floats:
        low = np.array([-0.04, 0.29, 0.03, 0.02, -5.0, 0.0])
        high = np.array([0.04, 0.34, 0.09, 0.06, 5.0, 2.0 * np.pi])
        return low + (high - low) * u[:, :6]

    def seen(state: State) -> Floats:
        place, speed = target(state)
        return np.concatenate((5.0 * place, 2.0 * speed), axis=1)

    return _task(
        observation=(*_LOOP, seen),
        reward=lambda state: _reward(state, miss(state)),
        max_episode_steps=200,
        goal=goal,
        info={"distance": miss},
    )
