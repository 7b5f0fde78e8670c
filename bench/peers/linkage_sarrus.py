"""A linkage in Sarrus, through its program: scenario files that are written here, one thread, fixed steps of RK4."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from linkage import GROUND, Linkage, quaternion_matrix, scenario

CHECK_STEP = 2.0**-6  # s; a power of two, so that a division by it loses nothing


@dataclass(frozen=True)
class Setting:
    label: str
    formulation: str
    specialize: str = "off"
    projection: str = "every_step"


@dataclass(frozen=True)
class Program:
    """`cache` keeps kernels that were compiled for a mechanism."""

    path: str
    folder: Path
    cache: Path

    def run(self, document: dict, *words: str) -> tuple[dict, float, Path]:
        """Summary, processor seconds of the whole process, result file."""
        file, out = self.folder / "linkage.yaml", self.folder / "linkage.h5"
        file.write_text(json.dumps(document))
        command = [self.path, "run", str(file), "-o", str(out), "--quiet", "--json", "--threads", "1", *words]
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complaint:
            process = subprocess.Popen(
                command, stdout=said, stderr=complaint, env={**os.environ, "SARRUS_CACHE_DIR": str(self.cache)}
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            complaint.seek(0)
            text = said.read()
            if process.returncode not in (0, 1) or not text.strip():
                raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{complaint.read()}")
        return json.loads(text), usage.ru_utime + usage.ru_stime, out


def states(linkage: Linkage, file: Path) -> tuple[np.ndarray, ...]:
    """Of instance 0 at all output times: positions [T, n, 3], rotations [T, n, 3, 3], velocities and spins (inertial) [T, n, 3]."""
    with h5py.File(file) as f:
        q, v = f["state/q"][0], f["state/v"][0]
    n = len(linkage.bodies)
    if linkage.is_planar:
        q, v = q.reshape(-1, n, 3), v.reshape(-1, n, 3)
        zero, one = np.zeros(q.shape[:2]), np.ones(q.shape[:2])
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        rotations = np.stack([np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, one], -1)], axis=-2)
        positions, velocities = (np.concatenate([x[..., :2], zero[..., None]], -1) for x in (q, v))
        return positions, rotations, velocities, np.stack([zero, zero, v[..., 2]], -1)
    q, v = q.reshape(-1, n, 7), v.reshape(-1, n, 6)
    rotations = quaternion_matrix(q[..., 3:])
    return q[..., :3], rotations, v[..., :3], np.einsum("tnij,tnj->tni", rotations, v[..., 3:])


def along_joints(linkage: Linkage, rotations: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """Of a tree of revolutes: what `spins` [n_bodies, 3] (or their rates) are about the joints' axes, at `rotations`."""
    values = []
    for i in linkage.tree:
        joint = linkage.joints[i]
        child = linkage.index(joint.child)
        axis = rotations[child] @ linkage.bodies[child].rotation.T @ joint.axes[0]
        relative = spins[child] - (spins[linkage.index(joint.parent)] if joint.parent != GROUND else 0.0)
        values.append(axis @ relative)
    return np.array(values)


def joint_angles(linkage: Linkage, rotations: np.ndarray) -> np.ndarray:
    """[n], in (−π, π], of a tree of revolutes whose bodies have come to `rotations` [n_bodies, 3, 3]."""
    turned = [rotations[k] @ body.rotation.T for k, body in enumerate(linkage.bodies)]
    values = []
    for i in linkage.tree:
        joint = linkage.joints[i]
        own = turned[linkage.index(joint.child)]
        relative = own if joint.parent == GROUND else turned[linkage.index(joint.parent)].T @ own
        vector = np.array([relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0], relative[1, 0] - relative[0, 1]])
        values.append(np.arctan2(joint.axes[0] @ vector, np.trace(relative) - 1.0))
    return np.array(values)


def dynamics(setting: Setting) -> dict:
    return {"formulation": setting.formulation, "projection": setting.projection}


def acceleration(program: Program, linkage: Linkage, formulation: str) -> np.ndarray:
    """Of the tree's joints at the start: one step of the semi-implicit method is v⁺ = v + h a(q, v).

    In relative coordinates v are the rates of the joints, which the file shows at the bodies' next places; in absolute ones v are
    the bodies' own, of which a is taken at the places where it was computed.
    """
    setting = Setting("", formulation, projection="none")
    integrator = {"method": "semi-implicit", "dt": CHECK_STEP, "t_end": CHECK_STEP, "substeps": "off"}
    document = {**scenario(linkage, dynamics(setting), integrator, {"channels": ["state"]}), "limits": "off"}
    _, _, out = program.run(document, "--specialize", "off")
    _, rotations, _, spins = states(linkage, out)
    if formulation == "relative":
        rates = [along_joints(linkage, rotations[k], spins[k]) for k in (0, 1)]
        return (rates[1] - rates[0]) / CHECK_STEP
    # The file has angular velocities in the frames of the bodies; their rates there are those in the inertial frame.
    own = [np.einsum("nji,nj->ni", rotations[k], spins[k]) for k in (0, 1)]
    rates = np.einsum("nij,nj->ni", rotations[0], (own[1] - own[0]) / CHECK_STEP)
    return along_joints(linkage, rotations[0], rates)


def motion(program: Program, linkage: Linkage, setting: Setting, integrator: dict, interval: float) -> tuple[dict, tuple]:
    """The summary, and what `states` has, every `interval` seconds."""
    output = {"interval": interval, "channels": ["state", "constraint"]}
    summary, _, out = program.run(scenario(linkage, dynamics(setting), integrator, output), "--specialize", "off")
    if summary["n_failed"]:
        raise SystemExit(f"{linkage.name}, {setting.label}: {summary['first_failures']}")
    return summary, states(linkage, out)


class SarrusSide:
    """Steps of the processor's time: that of the whole process less that of one which makes a single step of the same batch."""

    def __init__(self, program: Program, linkage: Linkage, setting: Setting, dt: float, n_steps: int, n_instances: int = 64):
        self.label, self.program, self.setting = setting.label, program, setting
        self.n_steps, self.n_instances = n_steps, n_instances
        self.is_alone = n_instances == 1
        self.documents = []
        for steps in (n_steps, 1):
            integrator = {"method": "rk4", "dt": dt, "t_end": dt * steps}
            output = {"interval": dt * steps, "channels": ["state"]}
            self.documents.append(scenario(linkage, dynamics(setting), integrator, output))
        self.rates, self.clock_rates, self.note = [], [], ""

    def run(self, document: dict) -> tuple[dict, float]:
        words = ("--specialize", self.setting.specialize, "--instances", str(self.n_instances))
        summary, seconds, _ = self.program.run(document, *words)
        wanted = summary["n_instances"] * summary["n_steps"]
        if summary["n_failed"] or summary["steps"]["total"] != wanted:
            raise SystemExit(f"{self.label}: {summary['steps']} steps, {summary['n_failed']} failed {summary['first_failures']}")
        return summary, seconds

    def seconds(self) -> tuple[dict, float]:
        _, start = self.run(self.documents[1])
        summary, whole = self.run(self.documents[0])
        return summary, whole - start

    def measure(self) -> None:
        summary, taken = self.seconds()
        self.rates.append((self.n_steps - 1) * self.n_instances / taken)
        self.clock_rates.append(self.n_steps * self.n_instances / summary["integrate_seconds"])

    def warm_up(self, seconds: float) -> None:
        """Compiles the kernels when they are asked for, and finds the number of instances; `note` says why there are none."""
        summary, _ = self.run(self.documents[0])
        specialization = summary["specialization"]
        if self.setting.specialize == "on" and specialization["step_share"] < 1.0:
            self.note = specialization["note"]
            return
        # Of a batch that takes less than this, the start of the process is too much to be told from the steps.
        taken = seconds if self.is_alone else 0.0
        while taken < 0.3 * seconds:
            _, taken = self.seconds()
            self.n_instances *= 4 if taken < 0.3 * seconds else 1
        if not self.is_alone:
            self.n_instances = max(16, 16 * round(self.n_instances * seconds / taken / 16))
