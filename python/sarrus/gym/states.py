"""What a task's functions see of environments: coordinates, speeds, points of bodies, goals, actions, time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .layouts import Floats
from .sights import COSINE, PLACE, SINE, VELOCITY, Q, Sight, V


class State:
    """M environments at the present time; row i of every array is of the same environment. Its arrays are read, not written, and it
    is asked while a function of the task runs.

    goal: what the task drew for the episode, [M, G]
    action: what the inputs were made of, within its limits, in N | N m, [M, A]; 0 after a reset
    time: s since the episode began, [M]
    """

    def __init__(
        self,
        sight: Sight,
        rows: npt.NDArray[np.intp] | None,
        *,
        goal: Floats,
        action: Floats,
        time: Floats,
        look: Callable[[str], Floats],
    ) -> None:
        self.layout = sight.layout
        self.goal, self.action, self.time = goal, action, time
        self._sight, self._rows, self._look = sight, rows, look
        self._known: dict[tuple[int, str], Floats] = {}
        self._both: tuple[Floats, Floats] | None = None

    def __len__(self) -> int:
        return len(self.goal)

    @property
    def q(self) -> Floats:
        """Coordinates [M, n_q] m | rad."""
        return self._motion()[0]

    @property
    def v(self) -> Floats:
        """Speeds [M, n] m/s | rad/s."""
        return self._motion()[1]

    def _motion(self) -> tuple[Floats, Floats]:
        if self._both is None:
            batch, mask = self._sight.batch, None
            q, v = np.zeros((batch.n, len(self.layout.coordinates))), np.zeros((batch.n, len(self.layout.speeds)))
            if self._rows is not None:
                mask = np.zeros(batch.n, dtype=bool)
                mask[self._rows] = True
            batch.read_state(q, v, mask)
            self._both = (q, v) if self._rows is None else (q[self._rows], v[self._rows])
        return self._both

    def seen(self, rows: int | slice | list[int]) -> Floats:
        """Rows of the board of what is looked at, [M] or [.., M]."""
        board = self._sight[rows]
        return board if self._rows is None else board[..., self._rows]

    def _number(self, kind: int, name: str) -> Floats:
        """Of a coordinate's or a speed's row a copy, made when it is asked for first."""
        key = (kind, name)
        if key not in self._known:
            columns = self.layout.speeds if kind == V else self.layout.coordinates
            if name not in columns:
                raise ArgumentError(
                    f"nothing is called {name!r}; expected a coordinate or a speed, as {next(iter(self.layout.speeds))!r}"
                )
            self._known[key] = self.seen(self._sight.number(kind, columns[name])).copy()
        return self._known[key]

    def column(self, name: str) -> Floats:
        """A coordinate ("crank.theta") or a speed ("crank.omega"), [M]."""
        return self._number(Q if name in self.layout.coordinates else V, name)

    def sine(self, name: str) -> Floats:
        """sin of a coordinate, [M]."""
        return self._number(SINE, name)

    def cosine(self, name: str) -> Floats:
        """cos of a coordinate, [M]."""
        return self._number(COSINE, name)

    def point(self, name: str) -> Floats:
        """Place of a point that the task names, [M, 2] or [M, 3] m."""
        return self._point(PLACE, name)

    def velocity(self, name: str) -> Floats:
        """Velocity of a point that the task names, [M, 2] or [M, 3] m/s."""
        return self._point(VELOCITY, name)

    def _point(self, kind: int, name: str) -> Floats:
        key = (kind, name)
        if key not in self._known:
            if name not in self.layout.points:
                raise ArgumentError(f"there is no point {name!r}; expected one of {', '.join(self.layout.points)}")
            self._known[key] = self.seen(self._sight.point(kind, name)).copy().T
        return self._known[key]

    def observe(self, channel: str) -> Any:
        """What `Batch.observe` calls so: "energy" [M], "reactions/A" [M, 3], …; and "parameters" [M, P]. NaN of a failed one."""
        values = self._look(channel)
        return values if self._rows is None else values[self._rows]
