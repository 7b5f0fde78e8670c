"""The tasks that come with the package, by name."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import ArgumentError
from ..tasks import Task
from . import five_bar

TASKS: dict[str, Callable[[], Task]] = {
    "FiveBarReach-v0": five_bar.reach,
}


def task_of(name: str) -> Task:
    """A task by its name, with or without "sarrus/"."""
    word = name.removeprefix("sarrus/")
    if word not in TASKS:
        raise ArgumentError(f"there is no task {name!r}; expected one of {', '.join(TASKS)}")
    return TASKS[word]()
