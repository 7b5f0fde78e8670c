"""Where the numbers of a mechanism stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..models import Model

Floats = npt.NDArray[np.float64]
Point = tuple[str, Sequence[float] | str]


class Layout:
    """Where the numbers of a mechanism stand: columns by name, bodies, named points; which of these are points of joints, as
    (joint, 0 of its parent | 1 of its child) in the order of `Batch.joint_points`."""

    def __init__(self, model: Model, points: Mapping[str, Point]) -> None:
        self.coordinates = {name: i for i, name in enumerate(model.coordinates)}
        self.speeds = {name: i for i, name in enumerate(model.speeds)}
        self.is_spatial = any(name.endswith(".qw") for name in self.coordinates)
        self.dimensions = 3 if self.is_spatial else 2
        self.points = dict(points)
        self.joints: dict[str, tuple[int, int]] = {}
        for name, (body, at) in self.points.items():
            if f"{body}.x" in self.coordinates and isinstance(at, str):
                self.joints[name] = self._joint_of(model, name, body, at)
            elif f"{body}.x" not in self.coordinates or len(at) != self.dimensions:
                raise ArgumentError(f"point {name!r} is (body, place) of {self.dimensions} numbers; got {(body, at)!r}")

    def _joint_of(self, model: Model, name: str, body: str, joint: str) -> tuple[int, int]:
        number = self.bodies.index(body)
        for i, (own, ends) in enumerate(zip(model.joints, model.joint_bodies, strict=True)):
            if own == joint and number in ends:
                return i, ends.index(number)
        raise ArgumentError(f"point {name!r} is that of a joint of {body}; there is no joint {joint!r} of it")

    def body(self, name: str) -> tuple[int, int]:
        """First column of a body in q and in v."""
        if f"{name}.x" not in self.coordinates:
            raise ArgumentError(f"there is no body {name!r}; expected one of {', '.join(self.bodies)}")
        return self.coordinates[f"{name}.x"], self.speeds[f"{name}.vx"]

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the scenario's order."""
        return [name[:-2] for name in self.coordinates if name.endswith(".x")]
