"""The tasks that come with the package, by name."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import ArgumentError
from ..tasks import Task
from . import five_bar, planar, spatial

TASKS: dict[str, Callable[[], Task]] = {
    "FiveBarReach-v0": five_bar.reach,
    "FiveBarTrack-v0": five_bar.track,
    "SliderCrankPress-v0": planar.press,
    "FourBarLegHop-v0": planar.leg,
    "ParallelPendulumSwingUp-v0": planar.pendulum,
    "NFourBarSnake-v0": planar.snake,
    "DeltaPick-v0": spatial.pick,
    "StewartTrack-v0": spatial.stewart,
}


def task_of(name: str) -> Task:
    """A task by its name, with or without "sarrus/"."""
    word = name.removeprefix("sarrus/")
    if word not in TASKS:
        raise ArgumentError(f"there is no task {name!r}; expected one of {', '.join(TASKS)}")
    return TASKS[word]()
