"""Planar loops with a motor or more: a pendulum on parallel cranks, a press, a leg, a snake."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..states import Floats, State
from ..tasks import Task
from .places import length, scenario


def pendulum() -> Task:
    """Up, and stay there, by a motor of a quarter of the torque that would lift it. Reward: (1 − cos φ)/2, 0 hanging and 1 upright,
    less 0.002 φ'²."""

    def reward(state: State) -> Floats:
        return 0.5 * (1.0 - np.cos(state.column("crank_a.theta"))) - 0.002 * state.column("crank_a.omega") ** 2

    return Task(
        scenario=scenario("parallel_pendulum"),
        observation=("sin(crank_a.theta)", "cos(crank_a.theta)", ("crank_a.omega", 0.2)),
        reward=reward,
        low=(-1.0,),
        high=(1.0,),
        substeps=10,
        max_episode_steps=250,
        info={"height": lambda state: -np.cos(state.column("crank_a.theta"))},
        failure_reward=-1.0,
    )


def press() -> Task:
    """The crank is to turn at a speed that is drawn, and at another one from the middle of the episode on, whatever the cushion
    does. Reward: 1 − tanh(error of the speed / 2 rad/s), less 0.02 times the square of the relative torque."""
    half = 1.0  # s, of the episode

    def target(state: State) -> Floats:
        return np.where(state.time < half, state.goal[:, 0], state.goal[:, 1])

    def error(state: State) -> Floats:
        return np.abs(state.column("crank.omega") - target(state))

    def reward(state: State) -> Floats:
        return 1.0 - np.tanh(0.5 * error(state)) - 0.02 * (state.action[:, 0] / 15.0) ** 2

    return Task(
        scenario=scenario("slider_crank_press"),
        observation=(
            "sin(crank.theta)",
            "cos(crank.theta)",
            ("crank.omega", 0.1),
            "ram.vx",
            lambda state: 0.1 * target(state),
        ),
        reward=reward,
        low=(-15.0,),
        high=(15.0,),
        substeps=10,
        max_episode_steps=200,
        goal=lambda u: 4.0 + 8.0 * u[:, :2],
        info={"speed_error": error},
        failure_reward=-1.0,
    )


def leg() -> Task:
    """Hopping as high as it goes: the trunk is to be fast up and down. Reward: tanh(v² / (2 g h)), h = 5 cm. The episode ends with
    the trunk below 25 cm or the thigh turned by more than 0.6 rad, where the leg would fold."""

    def reward(state: State) -> Floats:
        return np.tanh(state.column("trunk.vy") ** 2 / (2.0 * 9.81 * 0.05))

    def has_fallen(state: State) -> Any:
        return (state.column("trunk.y") < 0.25) | (np.abs(state.column("thigh.theta")) > 0.6)

    return Task(
        scenario=scenario("four_bar_leg"),
        observation=(
            lambda state: 10.0 * (state.column("trunk.y") - 0.4),
            "trunk.vy",
            ("thigh.theta", 3.0),
            ("thigh.omega", 0.1),
        ),
        reward=reward,
        terminated=has_fallen,
        low=(-10.0,),
        high=(10.0,),
        wiring=((0, 1.0), (0, -1.0)),
        substeps=20,
        max_episode_steps=200,
        info={"height": lambda state: state.column("trunk.y")},
        failure_reward=-1.0,
    )


_VERTEBRAE = 4
_STRAIGHT = np.pi / 4.0  # angle of a crossed link to its vertebra


def _bends(state: State) -> Floats:
    """[M, 4] rad: how far the crossed links have turned on their vertebrae."""
    before = np.zeros(len(state))
    bends = []
    for i in range(1, _VERTEBRAE + 1):
        bends.append(state.column(f"up_{i}.theta") - before - _STRAIGHT)
        before = state.column(f"vertebra_{i}.theta")
    return np.stack(bends, axis=1)


def snake() -> Task:
    """The head is to go to a point that is drawn. Reward: 1 − tanh(10 distance). The episode ends where a four-bar would come to
    lie in one line, with a link turned by more than 0.7 rad."""

    def miss(state: State) -> Floats:
        return length(state.point("head") - state.goal)

    def goal(u: Floats) -> Floats:
        bearing, distance = -0.8 + 1.6 * u[:, 0], 0.36 + 0.08 * u[:, 1]
        return np.stack((distance * np.cos(bearing), distance * np.sin(bearing)), axis=1)

    motors = range(_VERTEBRAE)
    return Task(
        scenario=scenario("n_four_bar_snake"),
        observation=(
            _bends,
            *((f"up_{i}.omega", 0.1) for i in range(1, _VERTEBRAE + 1)),
            ("head", 5.0),
            ("head.v", 1.0),
            ("goal", 5.0),
        ),
        reward=lambda state: 1.0 - np.tanh(10.0 * miss(state)),
        terminated=lambda state: np.any(np.abs(_bends(state)) > 0.7, axis=1),
        low=(-0.15,) * _VERTEBRAE,
        high=(0.15,) * _VERTEBRAE,
        wiring=(*((k, 1.0) for k in motors), *((k, -1.0) for k in motors if k > 0)),
        substeps=10,
        max_episode_steps=100,
        points={"head": (f"vertebra_{_VERTEBRAE}", (0.03, 0.0))},
        goal=goal,
        info={"distance": miss},
        failure_reward=-1.0,
    )
