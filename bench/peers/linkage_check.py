"""The same linkage in all programs: accelerations and short motions, held against one another before anything is measured."""

import mujoco
import numpy as np
from linkage import Linkage, moving, posed, scenario
from linkage_mujoco import TREE, MujocoModel
from linkage_pinocchio import PinocchioModel
from linkage_sarrus import Program, Setting, acceleration, joint_angles, motion, states
from side_by_side import VARIANTS

# Of accelerations, relative to the largest of them. M of a chain has a condition that grows as that of a beam, with n⁴, and whoever
# factors it loses as many digits: beyond LONG joints the tolerance grows likewise.
TOLERANCE, LONG = 1e-9, 64
# Of joint angles after a short motion by the same method in the same coordinates, rad.
MOTION_TOLERANCE = 1e-9


class DisagreementError(Exception):
    pass


def hold(what: str, found: np.ndarray, expected: np.ndarray, tolerance: float, scale: float) -> float:
    """The largest difference, in units of `scale`."""
    difference = float(np.abs(found - expected).max()) / scale
    if not difference <= tolerance:
        raise DisagreementError(f"{what}: off by {difference:.1e}, at most {tolerance:.0e} are allowed")
    return difference


def accelerations_agree(program: Program, pinocchio, linkage: Linkage, n_states: int, formulations: tuple[str, ...]) -> dict:
    """Of a tree of revolutes, at its own state and at others drawn around it. Pinocchio moves its joints, the others get the tree
    where it has come to. Differences from Pinocchio, relative to the largest acceleration."""
    draw = np.random.default_rng(1)
    n = len(linkage.tree)
    tolerance = TOLERANCE * max(1.0, n / LONG) ** 4
    drawn = [(draw.uniform(-0.8, 0.8, n), draw.uniform(-1.0, 1.0, n)) for _ in range(n_states)]
    model = PinocchioModel(pinocchio, linkage, program.folder / "states.txt", drawn)
    local, world = model.accelerations()
    worst = {}

    def note(who: str, found: np.ndarray, expected: np.ndarray) -> None:
        off = hold(f"{linkage.name}, acceleration of {who}", found, expected, tolerance, float(np.abs(expected).max()))
        worst[who] = max(worst.get(who, 0.0), off)

    for k, (angles, rates) in enumerate(drawn):
        there = posed(linkage, angles, rates)
        note("Pinocchio, world", world[k], local[k])
        note("MuJoCo", MujocoModel(there, TREE, 1e-3).acceleration(), local[k])
        for formulation in formulations:
            note(f"Sarrus, {formulation}", acceleration(program, there, formulation), local[k])
    return worst


def motions_agree(program: Program, pinocchio, linkage: Linkage, dt: float, n_steps: int) -> dict:
    """Joint angles after some steps of RK4, of a tree of revolutes."""
    model = PinocchioModel(pinocchio, linkage, program.folder / "states.txt")
    expected = model.angles_after(dt, n_steps)[0]
    integrator = {"method": "rk4", "dt": dt, "t_end": dt * n_steps}
    _, (_, rotations, _, _) = motion(program, linkage, Setting("motion", "relative"), integrator, dt * n_steps)
    _, by_mujoco = MujocoModel(linkage, TREE, dt).run(n_steps)
    found = {"Sarrus": joint_angles(linkage, rotations[-1]), "MuJoCo": joint_angles(linkage, by_mujoco[-1])}
    what = f"{linkage.name}, angles after {n_steps} steps by"
    return {who: hold(f"{what} {who}", angles, expected, MOTION_TOLERANCE, 1.0) for who, angles in found.items()}


def rigid_accelerations(linkage: Linkage) -> np.ndarray:
    """[n_bodies, 6], of centres of mass and of spins, at rest: MuJoCo's masses, forces and Jacobian of the connects, which hold
    exactly here (its own are springs)."""
    held = MujocoModel(linkage, VARIANTS[1], 1e-3)
    model, data = held.model, held.data
    mujoco.mj_forward(model, data)
    jacobian = data.efc_J.reshape(-1, model.nv)
    free = data.qacc_smooth
    # M⁻¹ Jᵀ, a row of J at a time.
    lever = np.zeros_like(jacobian)
    mujoco.mj_solveM(model, data, lever, np.ascontiguousarray(jacobian))
    qacc = free - lever.T @ np.linalg.lstsq(jacobian @ lever.T, jacobian @ free, rcond=1e-10)[0]
    rows = []
    for body in held.ids:
        shift, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, shift, turn, int(body))
        rows.append(np.concatenate([shift @ qacc, turn @ qacc]))
    return np.array(rows)


def loops_agree(program: Program, linkage: Linkage) -> dict:
    """Accelerations of all bodies from rest."""
    none = np.zeros((len(linkage.bodies), 3))
    still = moving(linkage, none, none)
    expected = rigid_accelerations(still)
    h = 2.0**-6
    worst = {}
    integrator = {"method": "semi-implicit", "dt": h, "t_end": h, "substeps": "off"}
    settings = {"formulation": "udwadia-kalaba", "projection": "none"}
    document = {**scenario(still, settings, integrator, {"channels": ["state"]}), "limits": "off"}
    _, _, out = program.run(document, "--specialize", "off")
    _, rotations, velocities, spins = states(still, out)
    # Angular velocities in the bodies' frames are what the step adds to; from rest they are those of the first places.
    own = np.einsum("nji,nj->ni", rotations[1], spins[1])
    found = np.concatenate([velocities[1], np.einsum("nij,nj->ni", rotations[0], own)], axis=1) / h
    for part, name in ((slice(0, 3), "m/s²"), (slice(3, 6), "rad/s²")):
        scale = float(np.abs(expected[:, part]).max())
        what = f"{linkage.name}, accelerations in {name}"
        worst[name] = hold(what, found[:, part], expected[:, part], TOLERANCE, scale)
    return worst
