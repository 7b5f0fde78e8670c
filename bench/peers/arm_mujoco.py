"""The five-bar arm of arm_task.py in MuJoCo: by `mujoco.rollout`, by a pool of threads over MjData, and by MJX."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mujoco
import numpy as np
from arm_task import FRICTION, HALF, INNER, MASS, N_SUBSTEPS, OUTER, STEP, TORQUE, Arm
from mujoco import rollout

# As in side_by_side.py: the loop is linear, one iteration solves it; the time constant of solref in steps, refsafe off below two.
STIFF, HARD = 2.0, 0.5
FULL_PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS


def arm_xml(side: str, x: float) -> str:
    def link(length: float) -> str:
        inertia = MASS * length**2 / 12.0
        return f'<inertial pos="{length / 2} 0 0" mass="{MASS}" diaginertia="{inertia} {inertia} {inertia}"/>'

    return (
        f'<body pos="{x} 0 0">{link(INNER)}<joint name="{side}" axis="0 0 1" damping="{FRICTION}"/>'
        f'<body pos="{INNER} 0 0">{link(OUTER)}<joint name="{side}_rod" axis="0 0 1"/>'
        f'<site name="tip_{side}" pos="{OUTER} 0 0"/></body></body>'
    )


def model_of(time_constant: float, step: float = STEP) -> mujoco.MjModel:
    """Hinges are 0 where the links lie along x; coordinates are left, left_rod, right, right_rod, each against its parent."""
    refsafe = "enable" if time_constant >= 2.0 else "disable"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" autolimits="false"/><option timestep="{step}" gravity="0 0 0" integrator="RK4" '
        f'solver="Newton" jacobian="dense" iterations="1"><flag contact="disable" limit="disable" frictionloss="disable" '
        f'island="disable" refsafe="{refsafe}"/></option><worldbody>{arm_xml("left", -HALF)}{arm_xml("right", HALF)}</worldbody>'
        f'<equality><connect site1="tip_left" site2="tip_right" solref="{time_constant * step} 1" '
        'solimp="0.9999 0.9999 0.001 0.5 2"/></equality>'
        '<actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>'
    )


def to_coordinates(angles: np.ndarray) -> np.ndarray:
    """[N, 4] absolute, [left, right, left_rod, right_rod], to MuJoCo's."""
    left, right, left_rod, right_rod = angles.T
    return np.stack((left, left_rod - left, right, right_rod - right), axis=1)


def to_angles(coordinates: np.ndarray) -> np.ndarray:
    left, left_rod, right, right_rod = coordinates.T
    return np.stack((left, right, left + left_rod, right + right_rod), axis=1)


def mujoco_motion(angles: np.ndarray, actions: np.ndarray, step: float) -> np.ndarray:
    """Angles [N, 4] after actions [n_steps, N, 2], by a step of one's own."""
    model = model_of(HARD, step)
    out = np.zeros_like(angles)
    for i, coordinates in enumerate(to_coordinates(angles)):
        data = mujoco.MjData(model)
        data.qpos[:] = coordinates
        for action in actions[:, i]:
            data.ctrl[:] = TORQUE * action
            mujoco.mj_step(model, data, nstep=round(N_SUBSTEPS * STEP / step))
        out[i] = to_angles(data.qpos[None])[0]
    return out


class RolloutArm(Arm):
    """`mujoco.rollout` with its pool of threads and its buffers made before: a call a step."""

    def __init__(self, n: int, threads: int, time_constant: float) -> None:
        self.model = model_of(time_constant)
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        self.pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
        width = mujoco.mj_stateSize(self.model, FULL_PHYSICS)
        self.state, self.states = np.zeros((n, width)), np.zeros((n, N_SUBSTEPS, width))
        self.control = np.zeros((n, N_SUBSTEPS, 2))
        super().__init__(n)

    def place(self, rows: np.ndarray) -> None:
        self.state[rows, 0] = 0.0  # time
        self.state[rows, 1:5] = to_coordinates(self.angles[rows])
        self.state[rows, 5:9] = to_coordinates(self.speeds[rows])

    def advance(self, torques: np.ndarray) -> None:
        self.control[:] = torques[:, None]
        self.pool.rollout(self.model, self.data, self.state, self.control, nstep=N_SUBSTEPS, state=self.states)
        self.state[:] = self.states[:, -1]
        self.angles, self.speeds = to_angles(self.state[:, 1:5]), to_angles(self.state[:, 5:9])

    def close(self) -> None:
        self.pool.close()


class PooledArm(Arm):
    """An MjData for each environment and a pool of Python's threads, each with its share: how environments are often held."""

    def __init__(self, n: int, threads: int, time_constant: float) -> None:
        self.model = model_of(time_constant)
        self.data = [mujoco.MjData(self.model) for _ in range(n)]
        self.coordinates, self.rates = np.zeros((n, 4)), np.zeros((n, 4))
        self.pool = ThreadPoolExecutor(threads)
        self.shares = [share for share in np.array_split(np.arange(n), threads) if len(share)]
        super().__init__(n)

    def place(self, rows: np.ndarray) -> None:
        coordinates, rates = to_coordinates(self.angles[rows]), to_coordinates(self.speeds[rows])
        for i, own, rate in zip(rows, coordinates, rates, strict=True):
            data = self.data[i]
            data.time, data.qpos[:], data.qvel[:] = 0.0, own, rate

    def advance(self, torques: np.ndarray) -> None:
        def run(share: np.ndarray) -> None:
            for i in share:
                data = self.data[i]
                data.ctrl[:] = torques[i]
                mujoco.mj_step(self.model, data, nstep=N_SUBSTEPS)
                self.coordinates[i], self.rates[i] = data.qpos, data.qvel

        list(self.pool.map(run, self.shares))
        self.angles, self.speeds = to_angles(self.coordinates), to_angles(self.rates)

    def close(self) -> None:
        self.pool.shutdown()


class MjxArm(Arm):
    """MJX, in double precision on the processor: one compiled function of all environments; XLA chooses its threads."""

    @staticmethod
    def is_there() -> bool:
        return all(importlib.util.find_spec(name) is not None for name in ("jax", "mujoco.mjx"))

    def __init__(self, n: int, time_constant: float) -> None:
        import jax
        from mujoco import mjx

        jax.config.update("jax_enable_x64", True)
        model = model_of(time_constant)
        held, start = mjx.put_model(model), mjx.make_data(model)

        def one(coordinates: Any, rates: Any, torques: Any) -> tuple[Any, Any]:
            data = start.replace(qpos=coordinates, qvel=rates, ctrl=torques)
            data = jax.lax.fori_loop(0, N_SUBSTEPS, lambda _, d: mjx.step(held, d), data)
            return data.qpos, data.qvel

        self.run = jax.jit(jax.vmap(one))
        self.coordinates, self.rates = np.zeros((n, 4)), np.zeros((n, 4))
        super().__init__(n)

    def place(self, rows: np.ndarray) -> None:
        self.coordinates[rows], self.rates[rows] = to_coordinates(self.angles[rows]), to_coordinates(self.speeds[rows])

    def advance(self, torques: np.ndarray) -> None:
        coordinates, rates = self.run(self.coordinates, self.rates, torques)
        self.coordinates, self.rates = np.array(coordinates), np.array(rates)
        self.angles, self.speeds = to_angles(self.coordinates), to_angles(self.rates)
