"""A linkage in Pinocchio: a tree whose joints have one free direction each. Models are files for linkage_pinocchio.cpp, which is
compiled here for this processor, against the headers of the wheels `pin` and `cmeel-eigen`."""

import hashlib
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
from linkage import GROUND, Linkage, rates_of

SOURCE = Path(__file__).with_suffix(".cpp")
# Boost's lists of joints have to be longer than its ready-made ones; so does Pinocchio's own build.
DEFINITIONS = ("-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS")
FLAGS = ("-std=c++17", "-O3", "-march=native", *DEFINITIONS)
CONVENTIONS = ("local", "world")


def build(compiler: str, folder: Path) -> Path:
    """The program, compiled when there is none yet of this text by this compiler; that takes a minute."""
    headers = Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "include"
    # gcc 12 warns about its own headers of AVX-512.
    command = [compiler, *FLAGS, "-w", "-isystem", str(headers), "-isystem", str(headers / "eigen3")]
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    key = hashlib.sha256(SOURCE.read_bytes() + version + " ".join(command).encode()).hexdigest()[:16]
    program = folder / f"linkage_pinocchio_{key}"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = program.with_suffix(".partial")
        subprocess.run([*command, str(SOURCE), "-o", str(partial)], check=True)
        partial.rename(program)
    return program


def frame(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to the axis."""
    least = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(least, axis)
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def model_text(linkage: Linkage, states: list[tuple[np.ndarray, np.ndarray]]) -> str:
    """`states` are angles and rates of the tree's joints."""
    words = [*linkage.gravity, len(linkage.tree)]
    frames = {GROUND: (np.eye(3), np.zeros(3), 0)}
    for k, i in enumerate(linkage.tree):
        joint = linkage.joints[i]
        if joint.type not in ("revolute", "prismatic") or joint.stiffness:
            raise ValueError(f"the joint '{joint.name}' is none that is written here")
        body = linkage.body(joint.child)
        turned, at, parent = frames[joint.parent]
        own = frame(joint.axes[0])
        frames[joint.child] = (own, joint.at, k + 1)
        to_own = own.T @ body.rotation
        words += [parent, int(joint.type == "revolute"), *np.ravel(turned.T @ own), *(turned.T @ (joint.at - at)), body.mass]
        words += [*(own.T @ (body.position - joint.at)), *np.ravel(to_own @ body.inertia @ to_own.T), joint.damping]
    words.append(len(states))
    for angles, rates in states:
        words += [*angles, *rates]
    return " ".join(repr(word) if isinstance(word, int) else repr(float(word)) for word in words) + "\n"


class PinocchioModel:
    def __init__(self, program: Path, linkage: Linkage, file: Path, states: list | None = None):
        self.program, self.file = program, file
        here = (np.zeros(len(linkage.tree)), rates_of(linkage))
        file.write_text(model_text(linkage, states or [here]))

    def ask(self, *words: object) -> np.ndarray:
        command = [str(self.program), str(self.file), *map(str, words)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return np.array([[float(word) for word in line.split()] for line in said.splitlines()])

    def accelerations(self) -> np.ndarray:
        """[2, n_states, n] by both conventions."""
        return np.stack(np.split(self.ask("accelerate"), 2))

    def angles_after(self, dt: float, n_steps: int) -> np.ndarray:
        """[n_states, n] by RK4."""
        return self.ask("step", repr(dt), n_steps)


class PinocchioSide:
    """`call` is `aba`, one acceleration, or `rk4`, a step that has four and the sums around them."""

    def __init__(self, label: str, model: PinocchioModel, call: str, convention: str):
        self.label, self.model, self.call, self.convention = label, model, call, convention
        self.n_calls = 1000
        self.rates, self.clock_rates = [], []

    def measure(self) -> None:
        seconds, by_clock, n_calls, _ = self.model.ask(self.call, self.convention, self.n_calls)[0]
        self.rates.append(n_calls / seconds)
        self.clock_rates.append(n_calls / by_clock)

    def warm_up(self, seconds: float) -> None:
        self.measure()
        self.n_calls = max(100, round(seconds * self.rates.pop()))
        self.clock_rates.pop()
