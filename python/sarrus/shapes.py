"""What is drawn of bodies, joints and supports: lines in the frames of bodies, and how space comes onto the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .motions import Actor, Motion

Floats = npt.NDArray[np.float64]

COLORS = ("#1f6f9f", "#d2691e", "#3b8a4d", "#8e4b9e", "#b03a48", "#0f8b8d", "#8a6d1a", "#5d6d7e")
# The same on dark paper, each at least 4.5 times as bright as that (WCAG's contrast), ghosts aside.
DARK_COLORS = ("#5aa9d6", "#e8935a", "#6bbf7f", "#c48bd4", "#e07a86", "#4fc3c5", "#cbb05a", "#9aa8b5")
DARK_GHOST, DARK_INK, DARK_ARROW = "#4a5763", "#dfe6ec", "#f06292"
GHOST, INK, ARROW = "#c9d0d6", "#22303c", "#c2185b"
JOINT, ARROW_SHARE, SUPPORT = 0.008, 0.22, 0.03  # a joint's circle, the longest arrow, a support: shares of the picture's size
AZIMUTH, ELEVATION = -60.0, 25.0  # degrees


@dataclass(frozen=True)
class Shape:
    """A line [K, d] in a body's frame; a filled one is closed."""

    body: int
    points: Floats
    is_filled: bool


def shapes_of(motion: Motion, actor: Actor, size: float) -> list[Shape]:
    """Every body through its joint points and its centre of mass. One that would look the same however it turns gets its axes."""
    out = []
    for body in range(len(motion.bodies)):
        own = [
            actor.joint_points[j, side]
            for j, joint in enumerate(motion.joints)
            for side, other in enumerate((joint.parent, joint.child))
            if other == body and joint.kind != "none"
        ]
        points = _distinct(np.array(own).reshape(-1, 3 if motion.is_spatial else 2), 1e-9 * size)
        make = _lines_in_space if motion.is_spatial else _outline
        out += [Shape(body, line, is_filled) for line, is_filled in make(points, size)]
    return out


def _distinct(points: Floats, tolerance: float) -> Floats:
    kept: list[Floats] = []
    for point in points:
        if all(np.linalg.norm(point - other) > tolerance for other in kept):
            kept.append(point)
    return np.array(kept).reshape(len(kept), points.shape[1])


def _axes(length: float, d: int) -> list[tuple[Floats, bool]]:
    return [(np.stack([np.zeros(d), length * unit]), False) for unit in np.eye(d)]


def _outline(points: Floats, size: float) -> list[tuple[Floats, bool]]:
    """The convex hull of joint points and centre of mass: a polygon, or a line."""
    hull = _hull(_distinct(np.concatenate([points, np.zeros((1, 2))]), 1e-9 * size), 1e-9 * size * size)
    if len(hull) == 1:
        return _axes(0.04 * size, 2)
    return [(hull, len(hull) > 2)]


def _hull(points: Floats, tolerance: float) -> Floats:
    """Corners counterclockwise (Andrew's monotone chain); of points on a line its ends."""
    rows = sorted(map(tuple, points.tolist()))
    if len(rows) < 3:
        return np.array(rows)

    def chain(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        out: list[tuple[float, ...]] = []
        for x, y in ordered:
            while len(out) > 1:
                (ax, ay), (bx, by) = out[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > tolerance:
                    break
                out.pop()
            out.append((x, y))
        return out[:-1]

    return np.array(chain(rows) + chain(rows[::-1]))


def _lines_in_space(points: Floats, size: float) -> list[tuple[Floats, bool]]:
    """From the centre of mass to every joint point, and from one of these to the next."""
    centre = np.zeros(3)
    out = [(np.stack([centre, point]), False) for point in points if np.linalg.norm(point) > 1e-9 * size]
    is_line = len(points) < 2 or np.linalg.matrix_rank(points, tol=1e-6 * size) < 2
    if not is_line:
        out.append((np.concatenate([points, points[:1]]) if len(points) > 2 else points, False))
    if len(points) < 2:
        reach = float(np.linalg.norm(points)) or 0.5 * size
        out += _axes(0.35 * reach, 3)
    return out


def projection(motion: Motion, azimuth: float = AZIMUTH, elevation: float = ELEVATION) -> Floats:
    """[2, d], rows right and up of the paper: nothing in the plane, seen from far away at these angles in degrees in space."""
    if not motion.is_spatial:
        return np.eye(2)
    a, e = math.radians(azimuth), math.radians(elevation)
    seen = np.array([[-math.sin(a), math.cos(a), 0.0], [-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)]])
    return np.roll(seen, (motion.up - 2) % 3, axis=1)


def support(scale: float) -> Floats:
    """[S, 2, 2]: the lines of a hatched support below a point, on the paper."""
    corners = np.array([[0.0, 0.0], [-0.7, -1.0], [0.7, -1.0]])
    lines = [(corners[0], corners[1]), (corners[0], corners[2]), ([-1.1, -1.0], [1.1, -1.0])]
    lines += [([x, -1.0], [x - 0.35, -1.4]) for x in np.linspace(-0.7, 1.1, 5)]
    return scale * np.array(lines)


def longest_reaction(motion: Motion) -> float:
    """N, of the instances that are not grey; 0 without reactions."""
    loads = [np.linalg.norm(own.reactions, axis=2).max(initial=0.0) for own in motion.actors if own.reactions is not None]
    return float(max(loads, default=0.0))


def room(motion: Motion) -> float:
    """What is left free beside the motion, as a share of the picture's size."""
    return 0.12 if longest_reaction(motion) == 0.0 else ARROW_SHARE
