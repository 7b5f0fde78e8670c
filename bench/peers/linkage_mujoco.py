"""A linkage in MuJoCo: a tree of hinges, slides and balls, whose loops `connect` equality constraints close."""

import time

import mujoco
import numpy as np
from linkage import GROUND, Linkage, inertia_entries, matrix_quaternion, quaternion_matrix, rates_of
from mujoco import rollout
from side_by_side import Variant

FULL_PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS
# A tree has nothing to be solved for, so that the settings of constraints do nothing.
TREE = Variant("RK4", None)


def text(values: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in values)


def joint_xml(linkage: Linkage, i: int) -> str:
    """Joints of MuJoCo are carried by the child; of several the first comes next to the parent."""
    joint = linkage.joints[i]
    child = linkage.body(joint.child)
    place = text(child.rotation.T @ (joint.at - child.position))
    if joint.type == "spherical":
        return f'<joint name="{joint.name}" type="ball" pos="{place}"/>'
    kind = "slide" if joint.type == "prismatic" else "hinge"
    spring = f'damping="{joint.damping!r}" stiffness="{joint.stiffness!r}" springref="{joint.rest!r}"'
    xml = ""
    for k, axis in enumerate(joint.axes):
        xml += f'<joint name="{joint.name}_{k}" type="{kind}" pos="{place}" axis="{text(child.rotation.T @ axis)}" {spring}/>'
    return xml


def bodies_xml(linkage: Linkage) -> str:
    """Bodies in the frames of the scenario, which are those of their inertia: MuJoCo then turns no tensor."""
    below = dict.fromkeys((GROUND, *(body.name for body in linkage.bodies)), "")
    for i in reversed(linkage.tree):
        joint = linkage.joints[i]
        body = linkage.body(joint.child)
        place, turned = body.position, body.rotation
        if joint.parent != GROUND:
            parent = linkage.body(joint.parent)
            place, turned = parent.rotation.T @ (place - parent.position), parent.rotation.T @ turned
        entries = inertia_entries(body.inertia)
        inertia = f'{"diaginertia" if len(entries) == 3 else "fullinertia"}="{text(entries)}"'
        below[joint.parent] = (
            f'<body name="{body.name}" pos="{text(place)}" quat="{text(matrix_quaternion(turned))}">'
            f'<inertial pos="0 0 0" mass="{body.mass!r}" {inertia}/>{joint_xml(linkage, i)}{below[body.name]}</body>'
        ) + below[joint.parent]
    return below[GROUND]


def linkage_xml(linkage: Linkage, variant: Variant, dt: float) -> str:
    """A cut revolute is one `connect` too: what else it holds, the other joints of a plane loop hold."""
    settings = "" if variant.timeconst is None else f'solref="{variant.timeconst * dt!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    connects = ""
    for i in linkage.cuts:
        joint = linkage.joints[i]
        first = next(body for body in linkage.bodies if body.name in (joint.parent, joint.child))
        other = joint.child if first.name == joint.parent else joint.parent
        anchor = text(first.rotation.T @ (joint.at - first.position))
        second = "" if other == GROUND else f'body2="{other}"'
        connects += f'<connect body1="{first.name}" {second} anchor="{anchor}" {settings}/>'
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f'<option timestep="{dt!r}" gravity="{text(linkage.gravity)}" integrator="{variant.integrator}" {variant.options}>'
        f'<flag contact="disable" limit="disable" frictionloss="disable" island="disable" refsafe="{variant.refsafe}"/></option>'
        f"<worldbody>{bodies_xml(linkage)}</worldbody><equality>{connects}</equality></mujoco>"
    )


class MujocoModel:
    """The model, and where its coordinates are."""

    def __init__(self, linkage: Linkage, variant: Variant, dt: float):
        self.linkage = linkage
        self.model = mujoco.MjModel.from_xml_string(linkage_xml(linkage, variant, dt))
        self.data = mujoco.MjData(self.model)
        order = []  # of MuJoCo's speeds those of the tree's joints, one after the other
        for i in linkage.tree:
            joint = linkage.joints[i]
            is_ball = joint.type == "spherical"
            for label in [joint.name] if is_ball else [f"{joint.name}_{k}" for k in range(len(joint.axes))]:
                at = self.model.joint(label).dofadr[0]
                order += range(at, at + (3 if is_ball else 1))
        self.order = np.array(order)
        self.data.qvel[self.order] = rates_of(linkage)
        self.ids = np.array([self.model.body(body.name).id for body in linkage.bodies])

    def start(self) -> np.ndarray:
        state = np.zeros(mujoco.mj_stateSize(self.model, FULL_PHYSICS))
        mujoco.mj_getState(self.model, self.data, state, FULL_PHYSICS)
        return state

    def acceleration(self) -> np.ndarray:
        """Of the tree's joints, at the start."""
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self.order].copy()

    def run(self, n_steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions [n_steps, n_bodies, 3] and rotations [n_steps, n_bodies, 3, 3] of the bodies after each step."""
        states, _ = rollout.rollout(self.model, [self.data], self.start()[None], nstep=n_steps)
        positions, rotations = np.zeros((n_steps, len(self.ids), 3)), np.zeros((n_steps, len(self.ids), 3, 3))
        show = mujoco.MjData(self.model)
        # A motion that diverged is put back to its start by MuJoCo: its clock then lags.
        if not np.all(np.isfinite(states)) or not np.isclose(states[0, -1, 0], n_steps * self.model.opt.timestep):
            raise FloatingPointError("diverged")
        for i in range(n_steps):
            mujoco.mj_setState(self.model, show, states[0, i], FULL_PHYSICS)
            mujoco.mj_kinematics(self.model, show)
            positions[i], rotations[i] = show.xipos[self.ids], quaternion_matrix(show.xquat[self.ids])
        return positions, rotations


class MujocoSide:
    """Ready to be timed: buffers are allocated. `seconds` of the processor are what a repetition is to take."""

    def __init__(self, label: str, linkage: Linkage, variant: Variant, dt: float, n_steps: int):
        self.label, self.n_steps = label, n_steps
        self.held = MujocoModel(linkage, variant, dt)
        self.states = np.zeros((1, n_steps, self.held.start().size))
        self.rates, self.clock_rates = [], []

    def warm_up(self, seconds: float) -> None:
        self.measure()
        n = max(1, round(seconds * self.rates.pop() / self.n_steps))
        self.clock_rates.pop()
        self.states = np.zeros((n, *self.states.shape[1:]))

    def measure(self) -> None:
        start = np.tile(self.held.start(), (self.states.shape[0], 1))
        data = [self.held.data]
        with rollout.Rollout(nthread=0) as pool:
            clock, begin = time.perf_counter(), time.process_time()
            pool.rollout(self.held.model, data, start, nstep=self.n_steps, state=self.states)
            n = self.states.shape[0] * self.n_steps
            self.rates.append(n / (time.process_time() - begin))
            self.clock_rates.append(n / (time.perf_counter() - clock))
        # The data now hold the end of a motion, and the next repetition is to begin as this one did.
        mujoco.mj_setState(self.held.model, self.held.data, start[0], FULL_PHYSICS)
