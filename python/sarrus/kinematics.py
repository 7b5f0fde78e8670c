"""Kinematics by screws of the tree of a scenario (S4): derivatives of any order, effective inertia, Christoffel symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from .choices import count_check, seed_check
from .errors import ArgumentError
from .models import Model, Scenario
from .samples import floats_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_KINDS = ("turn", "slide", "screw")


@dataclass(frozen=True)
class Pair:
    """A pair of one degree of freedom: "turn" (rad), "slide" (m) or "screw" (rad).

    `body` is the number of the body that it moves, with all that hangs on it; `joint` that of its joint, None where the body
    floats; `before` the next pair on the way to ground, None where there is none.
    """

    kind: str
    body: int
    joint: int | None
    before: int | None


class Kinematics:
    """The bodies of a scenario as a tree of pairs of one degree of freedom, at any configurations.

    Coordinates q [N, n] are those of the pairs, from the inboard body to the outboard one, 0 where the scenario has put the bodies.
    Screws are six numbers in the frame of a body: velocity of its centre of mass, angular velocity. `instances`: as many mechanisms
    with drawn parameters (`seed`: default the scenario's), and then N is that number; else all N configurations are of the nominal
    one. `docs/kinematics.md` has the equations. Raises `ScenarioError`, `UnsupportedError` (a ground that moves, a rotor).
    """

    def __init__(self, scenario: Scenario, instances: int | None = None, seed: int | None = None) -> None:
        self.model = scenario if isinstance(scenario, Model) else Model(scenario)
        own = 0 if instances is None else count_check("instances", instances, 1)
        self._core = _core.Kinematics(self.model._core, own, self.model.seed if seed is None else seed_check(seed))
        self.n: int = self._core.n
        self.n_bodies: int = self._core.n_bodies
        self._n_own = own

    @property
    def pairs(self) -> list[Pair]:
        """The pairs in the order of q."""
        return [
            Pair(_KINDS[kind], body, joint if joint >= 0 else None, before if before >= 0 else None)
            for kind, body, joint, before in self._core.pairs()
        ]

    def _rows(self, name: str, numbers: ArrayLike, width: int, n_rows: int | None = None) -> Floats:
        rows = np.ascontiguousarray(floats_of(name, numbers))
        rows = rows.reshape(1, -1) if rows.ndim == 1 else rows
        wanted = self._n_own or n_rows
        if rows.ndim != 2 or rows.shape[1] != width or rows.shape[0] == 0 or (wanted and rows.shape[0] != wanted):
            raise ArgumentError(f"{name} has the shape {np.shape(numbers)}; expected [{wanted or 'N'}, {width}]")
        return rows

    def _by(self, by: Iterable[int]) -> list[int]:
        if isinstance(by, str) or not isinstance(by, Iterable):
            raise ArgumentError(f"by is a list of coordinates, each as often as it is wanted; got {by!r}")
        numbers = [count_check("by", one, 0, self.n - 1) for one in by]
        if len(numbers) > 8:
            raise ArgumentError(f"by has {len(numbers)} coordinates; expected 8 at most")
        return numbers

    def coordinates(self, bodies: ArrayLike) -> Floats:
        """q [N, n] of the bodies' coordinates [N, n_q], as `Batch.q` and `/state/q` have them."""
        width = self.model.sizes["n_coordinates"]
        rows = self._rows("bodies", bodies, width)
        out = np.empty((len(rows), self.n))
        self._core.coordinates(rows, width, out)
        return out

    def poses(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Positions of the centres of mass [N, bodies, 3], and rotations [N, bodies, 3, 3] out of the bodies' frames."""
        rows = self._rows("q", q, self.n)
        positions, rotations = np.empty((len(rows), self.n_bodies, 3)), np.empty((len(rows), self.n_bodies, 3, 3))
        self._core.poses(rows, positions, rotations)
        return positions, rotations

    def screws(self, q: ArrayLike, by: Iterable[int] = ()) -> Floats:
        """Kinematic coefficients [N, bodies, n, 6], or their derivative by the coordinates `by`, repeated as wanted."""
        rows = self._rows("q", q, self.n)
        out = np.empty((len(rows), self.n_bodies, self.n, 6))
        self._core.screws(rows, self._by(by), out)
        return out

    def motion(self, q: ArrayLike, speeds: ArrayLike, accelerations: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Quasi-velocities of the bodies and their rates in the bodies' frames, [N, bodies, 6] each."""
        rows = self._rows("q", q, self.n)
        rates = np.zeros_like(rows) if accelerations is None else self._rows("accelerations", accelerations, self.n, len(rows))
        out = np.empty((len(rows), self.n_bodies, 6)), np.empty((len(rows), self.n_bodies, 6))
        self._core.motion(rows, self._rows("speeds", speeds, self.n, len(rows)), rates, *out)
        return out

    def inertia(self, q: ArrayLike, by: Iterable[int] = ()) -> Floats:
        """The effective inertia A [N, n, n], or its derivative by the coordinates `by`, repeated as wanted."""
        rows = self._rows("q", q, self.n)
        out = np.empty((len(rows), self.n, self.n))
        self._core.inertia(rows, self._by(by), out)
        return out

    def christoffel(self, q: ArrayLike) -> Floats:
        """Christoffel symbols of the first kind [N, n, n, n]."""
        rows = self._rows("q", q, self.n)
        out = np.empty((len(rows), self.n, self.n, self.n))
        self._core.christoffel(rows, out)
        return out

    def forces(self, q: ArrayLike, speeds: ArrayLike) -> tuple[Floats, Floats]:
        """(c, w) of A q̈ + c = w + …, [N, n] each: the terms of velocities, and the weights."""
        rows = self._rows("q", q, self.n)
        terms, weights = np.empty_like(rows), np.empty_like(rows)
        self._core.forces(rows, self._rows("speeds", speeds, self.n, len(rows)), terms, weights)
        return terms, weights

    def __repr__(self) -> str:
        return f"<sarrus.Kinematics: {self.n} pairs, {self.n_bodies} bodies>"
