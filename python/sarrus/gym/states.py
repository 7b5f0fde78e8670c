"""What a task's functions see of environments: coordinates, speeds, points of bodies, goals, actions, time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

Floats = npt.NDArray[np.float64]
Point = tuple[str, Sequence[float]]


class Layout:
    """Where the numbers of a mechanism stand: columns by name, bodies, named points."""

    def __init__(self, coordinates: Sequence[str], speeds: Sequence[str], points: Mapping[str, Point]) -> None:
        self.coordinates = {name: i for i, name in enumerate(coordinates)}
        self.speeds = {name: i for i, name in enumerate(speeds)}
        self.is_spatial = any(name.endswith(".qw") for name in coordinates)
        self.dimensions = 3 if self.is_spatial else 2
        self.points = dict(points)
        for name, (body, at) in self.points.items():
            if f"{body}.x" not in self.coordinates or len(at) != self.dimensions:
                raise ArgumentError(f"point {name!r} is (body, place) of {self.dimensions} numbers; got {(body, at)!r}")

    def body(self, name: str) -> tuple[int, int]:
        """First column of a body in q and in v."""
        if f"{name}.x" not in self.coordinates:
            raise ArgumentError(f"there is no body {name!r}; expected one of {', '.join(self.bodies)}")
        return self.coordinates[f"{name}.x"], self.speeds[f"{name}.vx"]

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the scenario's order."""
        return [name[:-2] for name in self.coordinates if name.endswith(".x")]


def planar_point(q: Floats, v: Floats, at: Sequence[float]) -> tuple[Floats, Floats]:
    """Place and velocity, [M, 2] each, of a point of a body: q [M, 3] its x, y, θ, v [M, 3] its speeds, `at` in its frame."""
    sine, cosine = np.sin(q[:, 2]), np.cos(q[:, 2])
    arm_x = cosine * at[0] - sine * at[1]
    arm_y = sine * at[0] + cosine * at[1]
    place = np.stack((q[:, 0] + arm_x, q[:, 1] + arm_y), axis=1)
    return place, np.stack((v[:, 0] - v[:, 2] * arm_y, v[:, 1] + v[:, 2] * arm_x), axis=1)


def turned(quaternion: Floats, vector: Floats) -> Floats:
    """Vectors [M, 3] (or [3]) of a body's frame in the inertial one, by Euler parameters [M, 4] w, x, y, z."""
    w, axis = quaternion[:, :1], quaternion[:, 1:]
    vector = np.broadcast_to(vector, axis.shape)
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


def spatial_point(q: Floats, v: Floats, at: Sequence[float]) -> tuple[Floats, Floats]:
    """Place and velocity, [M, 3] each, of a point of a body: q [M, 7] x y z and Euler parameters, v [M, 6], ω in its frame."""
    local = np.asarray(at, dtype=np.float64)
    place = q[:, :3] + turned(q[:, 3:7], local)
    return place, v[:, :3] + turned(q[:, 3:7], np.cross(v[:, 3:6], np.broadcast_to(local, (len(q), 3))))


class State:
    """M environments at one time; row i of every array is of the same environment. Its arrays are read, not written.

    q, v: coordinates and speeds [M, n_q], [M, n]
    goal: what the task drew for the episode, [M, G]
    action: what the inputs were made of, within its limits, in N | N m, [M, A]; 0 after a reset
    time: s since the episode began, [M]
    """

    def __init__(
        self, layout: Layout, q: Floats, v: Floats, *, goal: Floats, action: Floats, time: Floats, look: Callable[[str], Floats]
    ) -> None:
        self.layout, self.q, self.v = layout, q, v
        self.goal, self.action, self.time = goal, action, time
        self._look = look
        self._points: dict[str, tuple[Floats, Floats]] = {}

    def __len__(self) -> int:
        return len(self.q)

    def column(self, name: str) -> Floats:
        """A coordinate ("crank.theta") or a speed ("crank.omega"), [M]."""
        if name in self.layout.coordinates:
            return self.q[:, self.layout.coordinates[name]]
        if name in self.layout.speeds:
            return self.v[:, self.layout.speeds[name]]
        raise ArgumentError(f"nothing is called {name!r}; expected a coordinate or a speed, as {next(iter(self.layout.speeds))!r}")

    def _moved(self, body: str, at: Sequence[float]) -> tuple[Floats, Floats]:
        first_q, first_v = self.layout.body(body)
        if self.layout.is_spatial:
            return spatial_point(self.q[:, first_q : first_q + 7], self.v[:, first_v : first_v + 6], at)
        return planar_point(self.q[:, first_q : first_q + 3], self.v[:, first_v : first_v + 3], at)

    def _point(self, name: str) -> tuple[Floats, Floats]:
        if name not in self._points:
            if name not in self.layout.points:
                raise ArgumentError(f"there is no point {name!r}; expected one of {', '.join(self.layout.points)}")
            self._points[name] = self._moved(*self.layout.points[name])
        return self._points[name]

    def point(self, name: str) -> Floats:
        """Place of a point that the task names, [M, 2] or [M, 3] m."""
        return self._point(name)[0]

    def velocity(self, name: str) -> Floats:
        """Velocity of a point that the task names, [M, 2] or [M, 3] m/s."""
        return self._point(name)[1]

    def observe(self, channel: str) -> Floats:
        """What `Batch.observe` calls so: "energy" [M], "reactions/A" [M, 3], …; and "parameters" [M, P]. NaN of a failed one."""
        return self._look(channel)
