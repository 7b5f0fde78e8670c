"""What a task's functions see of environments: coordinates, speeds, points of bodies, goals, actions, time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


def turned(quaternion: Floats, vector: Floats) -> Floats:
    """Vectors [M, 3] (or [3]) of a body's frame in the inertial one, by Euler parameters [M, 4] w, x, y, z."""
    w, axis = quaternion[:, :1], quaternion[:, 1:]
    vector = np.broadcast_to(vector, axis.shape)
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


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
        self._known: dict[tuple[str, str], Floats] = {}

    def __len__(self) -> int:
        return len(self.q)

    def column(self, name: str) -> Floats:
        """A coordinate ("crank.theta") or a speed ("crank.omega"), [M]."""
        if name in self.layout.coordinates:
            return self.q[:, self.layout.coordinates[name]]
        if name in self.layout.speeds:
            return self.v[:, self.layout.speeds[name]]
        raise ArgumentError(f"nothing is called {name!r}; expected a coordinate or a speed, as {next(iter(self.layout.speeds))!r}")

    def _once(self, what: str, name: str, function: Callable[[str], Floats]) -> Floats:
        """What function(name) gives, computed when it is asked for first."""
        key = (what, name)
        if key not in self._known:
            self._known[key] = function(name)
        return self._known[key]

    def sine(self, name: str) -> Floats:
        """sin of a coordinate, [M]."""
        return self._once("sin", name, lambda name: np.sin(self.column(name)))

    def cosine(self, name: str) -> Floats:
        """cos of a coordinate, [M]."""
        return self._once("cos", name, lambda name: np.cos(self.column(name)))

    def point(self, name: str) -> Floats:
        """Place of a point that the task names, [M, 2] or [M, 3] m."""
        return self._once("point", name, self._place)

    def velocity(self, name: str) -> Floats:
        """Velocity of a point that the task names, [M, 2] or [M, 3] m/s."""
        return self._once("velocity", name, self._velocity)

    def _body_of(self, name: str) -> tuple[str, Floats, int, int]:
        """A point's body, its place there, [2 | 3] or [M, 2 | 3], and the body's first columns."""
        if name not in self.layout.points:
            raise ArgumentError(f"there is no point {name!r}; expected one of {', '.join(self.layout.points)}")
        body, at = self.layout.points[name]
        place = self._look(f"point/{name}") if isinstance(at, str) else np.asarray(at, dtype=np.float64)
        return body, place, *self.layout.body(body)

    def _arm(self, name: str) -> Floats:
        """From the mass center of the body to the point, in the inertial frame."""
        body, at, i_q, _ = self._body_of(name)
        if self.layout.is_spatial:
            return turned(self.q[:, i_q + 3 : i_q + 7], at)
        sine, cosine = self.sine(f"{body}.theta"), self.cosine(f"{body}.theta")
        arm = np.empty((len(self), 2))
        np.subtract(cosine * at[..., 0], sine * at[..., 1], out=arm[:, 0])
        np.add(sine * at[..., 0], cosine * at[..., 1], out=arm[:, 1])
        return arm

    def _place(self, name: str) -> Floats:
        i_q = self._body_of(name)[2]
        return self.q[:, i_q : i_q + self.layout.dimensions] + self._once("arm", name, self._arm)

    def _velocity(self, name: str) -> Floats:
        _, at, i_q, i_v = self._body_of(name)
        speed = self.v[:, i_v : i_v + self.layout.dimensions]
        if self.layout.is_spatial:
            local = np.broadcast_to(at, (len(self), 3))
            return speed + turned(self.q[:, i_q + 3 : i_q + 7], np.cross(self.v[:, i_v + 3 : i_v + 6], local))
        arm, rate = self._once("arm", name, self._arm), self.v[:, i_v + 2]
        velocity = np.empty((len(self), 2))
        np.subtract(speed[:, 0], rate * arm[:, 1], out=velocity[:, 0])
        np.add(speed[:, 1], rate * arm[:, 0], out=velocity[:, 1])
        return velocity

    def observe(self, channel: str) -> Floats:
        """What `Batch.observe` calls so: "energy" [M], "reactions/A" [M, 3], …; and "parameters" [M, P]. NaN of a failed one."""
        return self._look(channel)
