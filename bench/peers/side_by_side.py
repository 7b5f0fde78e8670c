"""A planar mechanism in MuJoCo and in Sarrus, measured side by side in one run.

MuJoCo gets the mechanism as a tree of hinges whose loops are closed by `connect` equality constraints, and runs it with
`mujoco.rollout` on a pool of threads. Sarrus runs its scenario file through its own program. Repetitions alternate, medians
are kept.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import mujoco
import numpy as np
from mujoco import rollout

FULL_PHYSICS = mujoco.mjtState.mjSTATE_FULLPHYSICS


@dataclass(frozen=True)
class Body:
    """A rigid body at t = 0 in the inertial frame: m, kg, kg m² (about the centre of mass)."""

    name: str
    parent: str | None
    hinge: tuple[float, float]
    mass: float
    inertia: float
    com: tuple[float, float]


@dataclass(frozen=True)
class Loop:
    """A cut joint: the same point of two bodies."""

    bodies: tuple[str, str]
    at: tuple[float, float]


@dataclass(frozen=True)
class Mechanism:
    """What both programs simulate. `exact_error(times, angles)` is the largest error of the body angles, rad.

    times has shape [T], angles [T, n_bodies]: rotation of each body since t = 0.
    """

    name: str
    scenario: str
    dt: float
    t_end: float
    gravity: float
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    exact_error: object
    sarrus_bodies: tuple[int, ...]
    n_rollouts: int
    n_instances: int
    extra_sites: tuple[tuple[str, str, tuple[float, float]], ...] = ()
    extra_xml: str = ""


@dataclass(frozen=True)
class Variant:
    """MuJoCo settings. `timeconst` is solref's, in steps."""

    label: str
    timeconst: float | None
    integrator: str = "RK4"
    options: str = 'solver="Newton" jacobian="dense"'
    refsafe: str = "enable"


# MuJoCo's documentation asks for a time constant of at least two steps, which `refsafe` enforces; without it one can go on to
# where RK4 itself becomes unstable (0.36 steps). Without inequalities the problem is linear: one Newton iteration solves it.
ONE_ITERATION = 'solver="Newton" jacobian="dense" iterations="1"'
VARIANTS = (
    Variant("RK4, default solref/solimp", None),
    Variant("RK4, stiff (2 dt)", 2.0),
    Variant("RK4, stiff (2 dt), 1 iteration", 2.0, options=ONE_ITERATION),
    Variant("RK4, hard (0.5 dt, refsafe off), 1 iteration", 0.5, options=ONE_ITERATION, refsafe="disable"),
    Variant("RK4, stiff (2 dt), CG", 2.0, options='solver="CG" jacobian="dense"'),
    Variant("RK4, stiff (2 dt), PGS", 2.0, options='solver="PGS" jacobian="dense"'),
    Variant("Euler, stiff (2 dt), 1 iteration", 2.0, "Euler", ONE_ITERATION),
    Variant("implicitfast, stiff (2 dt), 1 iteration", 2.0, "implicitfast", ONE_ITERATION),
)

# Sarrus: with the positions left alone, and projected after each step; kernels compiled for the mechanism, and the generic ones.
FREE = ["--set", "dynamics.projection=none"]
PROJECTED = ["--set", "dynamics.projection=every_step"]
SARRUS_SETTINGS = {
    "Sarrus, RK4": [*FREE, "--specialize", "on"],
    "Sarrus, RK4, projection every step": [*PROJECTED, "--specialize", "on"],
    "Sarrus, RK4, generic kernels": [*FREE, "--specialize", "off"],
    "Sarrus, RK4, projection, generic kernels": [*PROJECTED, "--specialize", "off"],
}


@dataclass
class Row:
    """Rates in instance-steps/s, one a repetition; the largest loop violation, m; the largest angle error, rad."""

    label: str
    integrator: str
    rates: list[float] = field(default_factory=list)
    violation: float = float("nan")
    error: float = float("nan")
    failure: str = ""

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


def body_xml(mechanism: Mechanism, body: Body, origin: tuple[float, float]) -> str:
    """Body frames sit at the centre of mass, parallel to the inertial frame at t = 0, so every joint starts at 0."""
    x, y = body.com
    children = "".join(body_xml(mechanism, child, body.com) for child in mechanism.bodies if child.parent == body.name)
    sites = "".join(
        f'<site name="{name}" pos="{px - x!r} {py - y!r} 0"/>'
        for name, owner, (px, py) in mechanism.extra_sites
        if owner == body.name
    )
    return (
        f'<body name="{body.name}" pos="{x - origin[0]!r} {y - origin[1]!r} 0">'
        f'<joint name="{body.name}" type="hinge" axis="0 0 1" pos="{body.hinge[0] - x!r} {body.hinge[1] - y!r} 0"/>'
        f'<inertial pos="0 0 0" mass="{body.mass!r}" diaginertia="{body.inertia!r} {body.inertia!r} {body.inertia!r}"/>'
        f"{sites}{children}</body>"
    )


def mechanism_xml(mechanism: Mechanism, variant: Variant) -> str:
    """The model, with everything that this mechanism has no use for switched off."""
    by_name = {body.name: body for body in mechanism.bodies}
    roots = "".join(body_xml(mechanism, body, (0.0, 0.0)) for body in mechanism.bodies if body.parent is None)
    sites = "".join(
        f'<site name="{name}" pos="{x!r} {y!r} 0"/>' for name, owner, (x, y) in mechanism.extra_sites if owner == "ground"
    )
    settings = ""
    if variant.timeconst is not None:
        settings = f'solref="{variant.timeconst * mechanism.dt!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    connects = ""
    for loop in mechanism.loops:
        com = by_name[loop.bodies[0]].com
        anchor = f"{loop.at[0] - com[0]!r} {loop.at[1] - com[1]!r} 0"
        connects += f'<connect body1="{loop.bodies[0]}" body2="{loop.bodies[1]}" anchor="{anchor}" {settings}/>'
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f'<option timestep="{mechanism.dt!r}" gravity="0 {mechanism.gravity!r} 0" integrator="{variant.integrator}"'
        f" {variant.options}>"
        f'<flag contact="disable" limit="disable" frictionloss="disable" island="disable" refsafe="{variant.refsafe}"/></option>'
        f"<worldbody>{sites}{roots}</worldbody><equality>{connects}</equality>{mechanism.extra_xml}</mujoco>"
    )


def rotate(angle: np.ndarray, offset: tuple[float, float]) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * offset[0] - s * offset[1], s * offset[0] + c * offset[1]], axis=-1)


def motion(mechanism: Mechanism, order: list[str], qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Body angles [..., n_bodies] and the loop violation [...] from MuJoCo's joint angles [..., nq]."""
    angle, com = {}, {}
    for body in mechanism.bodies:
        turn = qpos[..., order.index(body.name)]
        if body.parent is None:
            angle[body.name] = turn
            hinge = np.broadcast_to(np.array(body.hinge), (*turn.shape, 2))
        else:
            parent = next(b for b in mechanism.bodies if b.name == body.parent)
            angle[body.name] = angle[parent.name] + turn
            arm = (body.hinge[0] - parent.com[0], body.hinge[1] - parent.com[1])
            hinge = com[parent.name] + rotate(angle[parent.name], arm)
        com[body.name] = hinge + rotate(angle[body.name], (body.com[0] - body.hinge[0], body.com[1] - body.hinge[1]))
    square = 0.0
    for loop in mechanism.loops:
        ends = []
        for name in loop.bodies:
            rest = next(b for b in mechanism.bodies if b.name == name).com
            ends.append(com[name] + rotate(angle[name], (loop.at[0] - rest[0], loop.at[1] - rest[1])))
        square = square + ((ends[0] - ends[1]) ** 2).sum(-1)
    return np.stack([angle[body.name] for body in mechanism.bodies], axis=-1), np.sqrt(square)


class MujocoSide:
    """One variant, ready to be timed: buffers are allocated and threads are running."""

    def __init__(self, mechanism: Mechanism, variant: Variant, n_steps: int, pool: rollout.Rollout, n_threads: int):
        self.mechanism, self.n_steps, self.pool = mechanism, n_steps, pool
        self.row = Row(variant.label, variant.integrator)
        self.model = mujoco.MjModel.from_xml_string(mechanism_xml(mechanism, variant))
        self.data = [mujoco.MjData(self.model) for _ in range(n_threads)]
        n_state = mujoco.mj_stateSize(self.model, FULL_PHYSICS)
        start = np.zeros(n_state)
        mujoco.mj_getState(self.model, self.data[0], start, FULL_PHYSICS)
        self.start = np.tile(start, (mechanism.n_rollouts, 1))
        self.states = np.zeros((mechanism.n_rollouts, n_steps, n_state))

    def measure(self) -> None:
        begin = time.perf_counter()
        self.pool.rollout(self.model, self.data, self.start, nstep=self.n_steps, state=self.states)
        self.row.rates.append(self.states.shape[0] * self.n_steps / (time.perf_counter() - begin))

    def judge(self) -> None:
        names = [mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(self.model.njnt)]
        qpos = self.states[:, :, 1 : 1 + self.model.nq]
        expected = self.mechanism.dt * np.arange(1, self.n_steps + 1)
        # A diverged rollout is put back to its start by MuJoCo: its clock then lags.
        if not np.all(np.isfinite(qpos)) or not np.allclose(self.states[:, :, 0], expected):
            self.row.failure = "diverged"
            return
        angles, violation = motion(self.mechanism, names, qpos)
        self.row.violation = float(violation.max())
        self.row.error = self.mechanism.exact_error(self.states[0, :, 0], angles[0])


class SarrusSide:
    """The same mechanism through `sarrus run`. The folder `cache` keeps the kernels from the first repetition on."""

    def __init__(self, mechanism: Mechanism, label: str, settings: list[str], arguments: argparse.Namespace, cache: str):
        self.mechanism = mechanism
        self.t_end = arguments.t_end
        self.is_specialised = "on" in settings
        self.row = Row(label, "RK4")
        self.environment = {**os.environ, "SARRUS_CACHE_DIR": cache}
        scenario = Path(__file__).resolve().parents[2] / "scenarios" / mechanism.scenario
        self.command = [arguments.sarrus, "run", str(scenario), "--quiet", "--json", "--threads", str(arguments.threads)]
        self.command += ["--set", f"integrator.dt={mechanism.dt!r}", "--set", f"integrator.t_end={self.t_end!r}", *settings]

    def run(self, out: Path, n_instances: int, interval: float) -> dict:
        arguments = ["-o", str(out), "--instances", str(n_instances), "--set", f"output.interval={interval!r}"]
        command = [*self.command, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise SystemExit(f"{' '.join(self.command)}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def measure(self) -> None:
        """The time of integrating alone, as of a rollout; the file is kept small so that writing it takes no processor away."""
        with tempfile.TemporaryDirectory() as folder:
            summary = self.run(Path(folder) / "many.h5", self.mechanism.n_instances, self.t_end / 2)
        self.row.rates.append(summary["n_instances"] * summary["n_steps"] / summary["integrate_seconds"])
        if summary["n_failed"]:
            self.row.failure = f"{summary['n_failed']} instances failed"
        elif self.is_specialised and summary["specialization"]["step_share"] < 1.0:
            self.row.failure = f"not specialised: {summary['specialization']['note']}"

    def judge(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "one.h5"
            summary = self.run(out, 1, self.mechanism.dt)
            with h5py.File(out) as f:
                times, q = f["time"][:], f["state/q"][0]
        self.row.violation = summary["max_position_error"]
        columns = [3 * i + 2 for i in self.mechanism.sarrus_bodies]
        self.row.error = self.mechanism.exact_error(times, q[:, columns] - q[0, columns])


def print_table(mechanism: Mechanism, rows: list[Row], n_threads: int, t_end: float) -> None:
    print(f"{mechanism.name}: dt {mechanism.dt:g} s, {t_end:g} s of motion, {n_threads} threads, MuJoCo {mujoco.__version__}")
    print(f"{'':46s} {'steps/s':>12s} {'violation, m':>13s} {'angle error':>12s}")
    for row in rows:
        print(f"{row.label:46s} {row.rate:12.0f} {row.violation:13.1e} {row.error:12.1e}  {row.failure}")


def compare(rows: list[Row]) -> dict:
    """Sarrus against MuJoCo's fastest and MuJoCo's most accurate RK4 variant, which need not be the same one."""
    healthy = [row for row in rows if not row.failure and row.integrator == "RK4"]
    peers = [row for row in healthy if not row.label.startswith("Sarrus")]
    fastest = max(peers, key=lambda row: row.rate)
    closest = min(peers, key=lambda row: row.violation)
    return {
        row.label: {
            "fastest_peer": fastest.label,
            "throughput_ratio": row.rate / fastest.rate,
            "closest_peer": closest.label,
            "violation_ratio": row.violation / closest.violation,
            "violation_ratio_to_fastest": row.violation / fastest.violation,
        }
        for row in healthy
        if row.label.startswith("Sarrus")
    }


def find_program() -> str:
    root = Path(__file__).resolve().parents[2]
    for candidate in (root / "build" / "release" / "sarrus", root / "build" / "sarrus"):
        if candidate.is_file():
            return str(candidate)
    return "sarrus"


def parse_arguments(mechanism: Mechanism) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"{mechanism.name} in MuJoCo and in Sarrus, side by side")
    parser.add_argument("--sarrus", default=find_program(), help="the program (default: of the build folder, else on the PATH)")
    parser.add_argument("--no-sarrus", action="store_true", help="measure MuJoCo only")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--t-end", type=float, default=mechanism.t_end, help="seconds of motion")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    return parser.parse_args()


def main(mechanism: Mechanism) -> int:
    arguments = parse_arguments(mechanism)
    n_steps = round(arguments.t_end / mechanism.dt)
    with rollout.Rollout(nthread=arguments.threads) as pool, tempfile.TemporaryDirectory() as cache:
        sides = [MujocoSide(mechanism, variant, n_steps, pool, arguments.threads) for variant in VARIANTS]
        if not arguments.no_sarrus:
            for label, settings in SARRUS_SETTINGS.items():
                sides.append(SarrusSide(mechanism, label, settings, arguments, cache))
        for _ in range(arguments.repetitions):
            for side in sides:
                side.measure()
        for side in sides:
            side.judge()
    rows = [side.row for side in sides]
    comparison = {} if arguments.no_sarrus else compare(rows)
    if arguments.json:
        # JSON has no NaN.
        known = [{key: value for key, value in vars(row).items() if value == value} for row in rows]
        table = [{**entry, "instance_steps_per_second": row.rate} for entry, row in zip(known, rows, strict=True)]
        head = {"mechanism": mechanism.name, "dt": mechanism.dt, "t_end": arguments.t_end, "threads": arguments.threads}
        json.dump({**head, "mujoco": mujoco.__version__, "rows": table, "comparison": comparison}, sys.stdout, indent=1)
        print()
    else:
        print_table(mechanism, rows, arguments.threads, arguments.t_end)
        for label, against in comparison.items():
            print(
                f"{label}: {against['throughput_ratio']:.1f} times the steps/s of '{against['fastest_peer']}', "
                f"{against['violation_ratio_to_fastest']:.1e} of its violation; "
                f"{against['violation_ratio']:.1e} of the violation of '{against['closest_peer']}'"
            )
    return 1 if any(row.failure for row in rows if row.label.startswith("Sarrus")) else 0
