"""One description of a mechanism, for every program that is to simulate it: bodies and joints at t = 0 in the inertial frame.

It is read from a scenario file of Sarrus or generated (chains), and written as a scenario of Sarrus (`scenario`). The models of the
peers are written from the same description by linkage_mujoco.py and linkage_pinocchio.py. Units are SI, angles radians.
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml

GROUND = "ground"
# Directions that a joint leaves free, as angles (True) or displacements (False) about its axes.
FREE = {"revolute": (True,), "prismatic": (False,), "universal": (True, True), "spherical": ()}


@dataclass(frozen=True)
class Body:
    """At t = 0: centre of mass, rotation from the body frame to the inertial one, velocity and spin in the inertial frame."""

    name: str
    mass: float
    inertia: np.ndarray  # [3, 3] about the centre of mass, in the body frame, kg m²
    position: np.ndarray  # [3], m
    rotation: np.ndarray  # [3, 3]
    velocity: np.ndarray  # [3], m/s
    spin: np.ndarray  # [3], rad/s


@dataclass(frozen=True)
class Joint:
    """`at` and `axes` in the inertial frame at t = 0; spring and damper along the free direction of one that has a single one."""

    name: str
    type: str
    parent: str
    child: str
    at: np.ndarray  # [3], m
    axes: tuple[np.ndarray, ...]  # unit vectors, one for each direction of FREE[type]
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True)
class Linkage:
    """`tree` holds indices of joints from the ground outwards, `cuts` those that close loops."""

    name: str
    is_planar: bool
    gravity: np.ndarray  # [3], m/s²
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    tree: tuple[int, ...]
    cuts: tuple[int, ...]

    def body(self, name: str) -> Body:
        return next(body for body in self.bodies if body.name == name)

    def index(self, name: str) -> int:
        """Of a body; −1 is the ground."""
        return -1 if name == GROUND else next(i for i, body in enumerate(self.bodies) if body.name == name)


def span(bodies: tuple[Body, ...], joints: tuple[Joint, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tree and cuts: joints in the order of their distance from the ground, then of the list."""
    reached, tree, front = {GROUND}, [], [GROUND]
    while front:
        ahead = []
        for name in front:
            for i, joint in enumerate(joints):
                if joint.parent == name and joint.child not in reached:
                    reached.add(joint.child)
                    tree.append(i)
                    ahead.append(joint.child)
        front = ahead
    if len(tree) != len(bodies):
        raise ValueError("a body hangs on none that is nearer to the ground: joints are to be written from the ground outwards")
    return tuple(tree), tuple(i for i in range(len(joints)) if i not in tree)


def make(name: str, is_planar: bool, gravity: np.ndarray, bodies: list[Body], joints: list[Joint]) -> Linkage:
    return Linkage(name, is_planar, gravity, tuple(bodies), tuple(joints), *span(tuple(bodies), tuple(joints)))


# Rotations


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation by `angle` about a unit vector (Rodrigues)."""
    k = skew(axis)
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k)


def quaternion_matrix(q: np.ndarray) -> np.ndarray:
    """[..., 4] w, x, y, z of unit length to [..., 3, 3]."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def matrix_quaternion(a: np.ndarray) -> np.ndarray:
    """From the largest of the four, which loses no digits."""
    squares = np.array([1 + a[0, 0] + a[1, 1] + a[2, 2], 1 + a[0, 0] - a[1, 1] - a[2, 2]])
    squares = np.append(squares, [1 - a[0, 0] + a[1, 1] - a[2, 2], 1 - a[0, 0] - a[1, 1] + a[2, 2]])
    k = int(np.argmax(squares))
    products = np.array(
        [
            [squares[0], a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]],
            [a[2, 1] - a[1, 2], squares[1], a[0, 1] + a[1, 0], a[0, 2] + a[2, 0]],
            [a[0, 2] - a[2, 0], a[0, 1] + a[1, 0], squares[2], a[1, 2] + a[2, 1]],
            [a[1, 0] - a[0, 1], a[0, 2] + a[2, 0], a[1, 2] + a[2, 1], squares[3]],
        ]
    )
    return products[k] / np.linalg.norm(products[k])


# Motion of a tree whose joints have one free direction each


def posed(linkage: Linkage, angles: np.ndarray, rates: np.ndarray) -> Linkage:
    """The linkage with its tree's joints moved by `angles` [n] and moving by `rates` [n], in the order of `tree`."""
    shift = {GROUND: (np.eye(3), np.zeros(3))}  # where a point p of t = 0 comes to: turned @ p + moved
    twist = {GROUND: (np.zeros(3), np.zeros(3))}  # spin, and velocity of the body's point at the origin
    bodies, joints = list(linkage.bodies), list(linkage.joints)
    for i, angle, rate in zip(linkage.tree, angles, rates, strict=True):
        joint = linkage.joints[i]
        turned, moved = shift[joint.parent]
        at, axis = turned @ joint.at + moved, turned @ joint.axes[0]
        spin, slide = twist[joint.parent]
        if joint.type == "revolute":
            turning = turn(axis, angle)
            shift[joint.child] = (turning @ turned, turning @ (moved - at) + at)
            twist[joint.child] = (spin + rate * axis, slide - np.cross(rate * axis, at))
        else:
            shift[joint.child] = (turned, moved + angle * axis)
            twist[joint.child] = (spin, slide + rate * axis)
        joints[i] = replace(joint, at=at, axes=(axis,))
        if joint.stiffness:
            raise ValueError("springs are relaxed at given coordinates, which begin at 0 in every scenario")
        k = linkage.index(joint.child)
        turned, moved = shift[joint.child]
        spin, slide = twist[joint.child]
        place = turned @ bodies[k].position + moved
        velocity = slide + np.cross(spin, place)
        bodies[k] = replace(bodies[k], position=place, rotation=turned @ bodies[k].rotation, velocity=velocity, spin=spin)
    return replace(linkage, bodies=tuple(bodies), joints=tuple(joints))


def rates_of(linkage: Linkage) -> np.ndarray:
    """Speeds [n_v] of the tree's joints, from those of the bodies. A joint with several directions has to be at rest."""
    rates = []
    for i in linkage.tree:
        joint = linkage.joints[i]
        child = linkage.body(joint.child)
        spin, slide = child.spin, child.velocity + np.cross(child.spin, joint.at - child.position)
        if joint.parent != GROUND:
            parent = linkage.body(joint.parent)
            spin = spin - parent.spin
            slide = slide - parent.velocity - np.cross(parent.spin, joint.at - parent.position)
        if joint.type in ("revolute", "prismatic"):
            rates.append(joint.axes[0] @ (spin if joint.type == "revolute" else slide))
        elif np.abs(np.concatenate([spin, slide])).max() > 0.0:
            raise ValueError(f"the joint '{joint.name}' moves at the start")
        else:
            rates += [0.0] * (3 if joint.type == "spherical" else 2)
    return np.array(rates)


def moving(linkage: Linkage, velocities: np.ndarray, spins: np.ndarray) -> Linkage:
    """With other speeds of the bodies [n_bodies, 3] at the start, in the inertial frame."""
    bodies = zip(linkage.bodies, velocities, spins, strict=True)
    return replace(linkage, bodies=tuple(replace(body, velocity=v, spin=w) for body, v, w in bodies))


def gaps(linkage: Linkage, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """Root of the sum of squares of the distances at the cut joints [...], m: positions [..., n, 3], rotations [..., n, 3, 3]."""
    square = np.zeros(positions.shape[:-2])
    for i in linkage.cuts:
        joint = linkage.joints[i]
        ends = []
        for name in (joint.parent, joint.child):
            if name == GROUND:
                ends.append(joint.at)
                continue
            k = linkage.index(name)
            arm = linkage.bodies[k].rotation.T @ (joint.at - linkage.bodies[k].position)
            ends.append(positions[..., k, :] + rotations[..., k, :, :] @ arm)
        square = square + ((ends[0] - ends[1]) ** 2).sum(-1)
    return np.sqrt(square)


# The scenario of Sarrus


def numbers(values: np.ndarray) -> list[float]:
    return [float(x) for x in np.ravel(values)]


def inertia_entries(inertia: np.ndarray) -> list[float]:
    """Ixx, Iyy, Izz, and Ixy, Ixz, Iyz when they are not 0: the order of Sarrus and of MuJoCo."""
    entries = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return numbers(entries[:3] if not any(entries[3:]) else entries)


def scenario(linkage: Linkage, dynamics: dict, integrator: dict, output: dict) -> dict:
    """The document, which `json.dumps` writes as YAML 1.2."""
    n = 2 if linkage.is_planar else 3
    bodies = []
    for body in linkage.bodies:
        entry = {"name": body.name, "mass": body.mass, "position": numbers(body.position[:n])}
        if linkage.is_planar:
            entry["inertia"] = float(body.inertia[2, 2])
            entry["orientation"] = math.atan2(body.rotation[1, 0], body.rotation[0, 0])
            entry["angular_velocity"] = float(body.spin[2])
        else:
            entry["inertia"] = inertia_entries(body.inertia)
            if not np.array_equal(body.rotation, np.eye(3)):
                entry["orientation"] = numbers(matrix_quaternion(body.rotation))
            entry["angular_velocity"] = numbers(body.rotation.T @ body.spin)
        entry["velocity"] = numbers(body.velocity[:n])
        bodies.append(entry)
    joints = []
    for joint in linkage.joints:
        entry = {"name": joint.name, "type": joint.type, "bodies": [joint.parent, joint.child], "at": numbers(joint.at[:n])}
        if not linkage.is_planar and joint.axes:
            one = numbers(joint.axes[0])
            entry |= {"axis": one} if len(joint.axes) == 1 else {"axes": [one, numbers(joint.axes[1])]}
        for key in ("damping", "stiffness", "rest"):
            if getattr(joint, key):
                entry[key] = getattr(joint, key)
        joints.append(entry)
    head = {"sarrus": 1, "name": linkage.name, "space": "planar" if linkage.is_planar else "spatial"}
    settings = {"dynamics": dynamics, "integrator": integrator, "output": output}
    return {**head, "gravity": numbers(linkage.gravity[:n]), "bodies": bodies, "joints": joints, **settings}


class Reader:
    """Numbers of a scenario: YAML's, or expressions of the parameters."""

    def __init__(self, parameters: dict):
        names = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp")
        self.names = {"__builtins__": {}, "pi": math.pi, **{name: getattr(math, name) for name in names}}
        for name, value in parameters.items():
            self.names[name] = self.number(value)

    def number(self, value: object) -> float:
        if isinstance(value, str) and value.startswith("="):
            # Scenarios of this repository only; −a^2 means −(a²) in both languages.
            return float(eval(value[1:].replace("^", "**"), self.names))
        return float(value)

    def vector(self, values: list) -> np.ndarray:
        return np.array([self.number(value) for value in values])

    def direction(self, values: list) -> np.ndarray:
        vector = self.vector(values)
        return vector / np.linalg.norm(vector)

    def orientation(self, given: dict | None) -> np.ndarray:
        if given is None:
            return np.eye(3)
        if "axis" in given:
            return turn(self.direction(given["axis"]), self.number(given["angle"]))
        if "cosines" in given:
            return np.array([self.vector(row) for row in given["cosines"]])
        raise ValueError(f"an orientation in a form that is not read here: {given}")

    def body(self, given: dict) -> Body:
        rotation = self.orientation(given.get("orientation"))
        velocity, spin = self.vector(given.get("velocity", [0, 0, 0])), self.vector(given.get("angular_velocity", [0, 0, 0]))
        inertia = np.diag(self.vector(given["inertia"]))
        place = self.vector(given["position"])
        return Body(given["name"], self.number(given["mass"]), inertia, place, rotation, velocity, rotation @ spin)

    def joint(self, given: dict) -> Joint:
        axes = [given["axis"]] if "axis" in given else given.get("axes", [])
        springs = {key: self.number(given[key]) for key in ("damping", "stiffness", "rest") if key in given}
        directions = tuple(self.direction(axis) for axis in axes)
        return Joint(given["name"], given["type"], *given["bodies"], self.vector(given["at"]), directions, **springs)


def read(file: Path, released: dict | None = None) -> Linkage:
    """A scenario in space. A `drive` gives way to `released`, the damping and stiffness of a spring whose end of rest is where the
    drive's sine goes to from 0: MuJoCo's rollouts know no prescribed motion."""
    document = yaml.safe_load(file.read_text())
    reader = Reader(document.get("parameters", {}))
    joints = []
    for given in document["joints"]:
        joint = reader.joint(given)
        if "drive" in given:
            joint = replace(joint, **released, rest=2.0 * reader.number(given["drive"]["signal"]["sine"]["offset"]))
        joints.append(joint)
    bodies = [reader.body(given) for given in document["bodies"]]
    return make(document["name"], False, reader.vector(document["gravity"]), bodies, joints)


# Chains

LENGTH, MASS, DAMPING = 0.5, 1.0, 0.02


def chain(n: int, is_planar: bool) -> Linkage:
    """n links in a row, each on a revolute: at right angles to a plane; or in general directions, with bodies in general frames."""
    draw = np.random.default_rng(n)
    bodies, joints = [], []
    at, rotation = np.zeros(3), np.eye(3)
    for i in range(n):
        z = np.array([0.0, 0.0, 1.0])
        axis = z if is_planar else draw.normal(size=3)
        axis = axis / np.linalg.norm(axis)
        rotation = turn(axis, (0.4 if i % 2 == 0 else -0.4) + 0.1 * draw.uniform(-1.0, 1.0)) @ rotation
        along = rotation @ np.array([0.0, -LENGTH, 0.0])
        thin, thick = MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 60
        inertia = np.diag([thin, thin if is_planar else thick, thin])
        parent = bodies[-1].name if bodies else GROUND
        bodies.append(Body(f"link_{i + 1}", MASS, inertia, at + along / 2, rotation, np.zeros(3), np.zeros(3)))
        joints.append(Joint(f"J{i + 1}", "revolute", parent, bodies[-1].name, at, (axis,), damping=DAMPING))
        at = at + along
    name = f"{'planar' if is_planar else 'spatial'} chain of {n}"
    still = make(name, is_planar, np.array([0.0, -9.81, 0.0]), bodies, joints)
    return posed(still, np.zeros(n), draw.uniform(-0.1, 0.1, n))
