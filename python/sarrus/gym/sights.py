"""Numbers of the bodies' motion that observations, rewards and ends are made of, looked at together in one call of the library."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batches import Batch
from .layouts import Floats, Layout

# sarrus_seen_kind
Q, V, SINE, COSINE, PLACE, VELOCITY = range(6)


class Sight:
    """A board [K, N] of what was asked for once: row k is one number of all environments, and `look` brings all rows up to date.
    Sines and cosines are those of the kernels, so that they are an environment's own, however many there are."""

    def __init__(self, batch: Batch, layout: Layout) -> None:
        self.batch, self.layout = batch, layout
        self._rows: dict[Hashable, int] = {}
        self._points: dict[tuple[int, str], slice] = {}
        self._table = np.zeros((0, 6), dtype=np.int32)  # kind, i, j, body, axis, place of the point among the joints'
        self._at = np.zeros((0, 3))  # m, in the body's frame
        self._board = np.zeros((0, batch.n))
        self._has_own = False
        self._joint_points: Floats | None = None  # [N, ..] of parameters, so that they are asked for when those have changed

    def number(self, kind: int, first: int, second: int = -1) -> int:
        """Row of coordinate or speed `first` less `second`, or of a sine or cosine of that."""
        return self._row((kind, first, second), (kind, first, second, 0, 0, -1), (0.0, 0.0, 0.0))

    def point(self, kind: int, name: str) -> slice:
        """Rows of a point's place or velocity along x, y (and z)."""
        if (kind, name) in self._points:
            return self._points[kind, name]
        layout = self.layout
        body, at = layout.points[name]
        given: Sequence[float] = (0.0, 0.0, 0.0)
        offset = -1
        if isinstance(at, str):
            joint, end = layout.joints[name]
            self._has_own = True
            offset = (2 * joint + end) * layout.dimensions
        else:
            given = (*at, 0.0, 0.0, 0.0)[:3]
        number = layout.bodies.index(body)
        rows = [self._row((kind, name, axis), (kind, 0, -1, number, axis, offset), given) for axis in range(layout.dimensions)]
        found = self._points[kind, name] = slice(rows[0], rows[-1] + 1)
        return found

    def look(self, mask: npt.NDArray[np.bool_] | None = None) -> None:
        """Brings all rows up to date, or of all rows the environments of the mask."""
        if len(self._rows) > 0:
            self._look(0, len(self._rows), mask)

    def parameters_changed(self) -> None:
        """Joints are to be asked for anew: they may be elsewhere in their bodies."""
        self._joint_points = None

    def __getitem__(self, rows: int | slice | list[int]) -> Floats:
        """Rows of the board, [N] or [.., N]; not to be written to, and of the present alone."""
        return self._board[rows]

    def _row(self, key: Hashable, numbers: tuple[int, ...], at: Sequence[float]) -> int:
        if key in self._rows:
            return self._rows[key]
        row = self._rows[key] = len(self._rows)
        self._table = np.vstack((self._table, np.array(numbers, dtype=np.int32)))
        self._at = np.vstack((self._at, np.asarray(at, dtype=np.float64)))
        if row == len(self._board):
            self._board = np.vstack((self._board, np.zeros((row + 8, self.batch.n))))
        self._look(row, row + 1, None)
        return row

    def _look(self, first: int, end: int, mask: npt.NDArray[np.bool_] | None) -> None:
        own: Any = None
        if self._has_own:
            if self._joint_points is None:
                self._joint_points = self.batch.joint_points().reshape(self.batch.n, -1)
            own = self._joint_points
        self.batch._see(self._table[first:end], self._at[first:end], own, mask, self._board[first:end])
