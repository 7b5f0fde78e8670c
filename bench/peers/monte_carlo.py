#!/usr/bin/env python3
"""A sensitivity study of the four-bar crank-rocker, by Sarrus and as it is written today: SALib around mujoco.rollout. What makes
the peak rate of the rocker: the masses of three bodies, the speed of the crank, or the damping of its bearing? Sobol' indices of
both, with wall time, memory, lines of code and the gap of the loop, in one run.

    python bench/peers/monte_carlo.py [--points 256] [--threads 2] [--sarrus PATH] [--json FILE]

Needs: h5py, mujoco, SALib. Each side runs in a process of its own, which gives its largest memory. Exit code 1 when an index of one
is not within twice the intervals of both.
"""

import argparse
import inspect
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NAMES = ["crank", "coupler", "rocker", "speed", "damping"]
BOUNDS = [[0.8, 1.2], [0.8, 1.2], [0.8, 1.2], [0.9, 1.1], [0.0, 0.05]]
DT, T_END = 1e-3, 2.0

SCENARIO = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {crank: 1, coupler: 1, rocker: 1, speed: 1, damping: 0}
bodies:
  - {name: crank, mass: "=3*crank", inertia: "=0.0225*crank", position: [0, 0.15], velocity: ["=-1.05*speed", 0],
     angular_velocity: "=7*speed"}
  - {name: coupler, mass: "=coupler", inertia: "=coupler/12", position: [0.4, 0.6], velocity: ["=-1.95*speed", "=-0.2*speed"],
     angular_velocity: "=-0.5*speed"}
  - {name: rocker, mass: "=0.9*rocker", inertia: "=0.06375*rocker", position: [0.9, 0.45], velocity: ["=-0.9*speed", "=-0.2*speed"],
     angular_velocity: "=2*speed"}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], damping: "=damping"}
  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.3]}
  - {name: C, type: revolute, bodies: [coupler, rocker], at: [0.8, 0.9]}
  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 2.0}
batch:
  instances: 256
  sampling: sobol
  design: saltelli
  parameters:
    - {name: crank, distribution: uniform, low: 0.8, high: 1.2}
    - {name: coupler, distribution: uniform, low: 0.8, high: 1.2}
    - {name: rocker, distribution: uniform, low: 0.8, high: 1.2}
    - {name: speed, distribution: uniform, low: 0.9, high: 1.1}
    - {name: damping, distribution: uniform, low: 0.0, high: 0.05}
output:
  every: 1
  instances: none
  quantities: {peak: max(rocker.rate)}
  sensitivity: [peak]
"""

MODEL = """
<mujoco><option timestep="0.001" gravity="0 -9.81 0" integrator="RK4" iterations="1"><flag contact="disable"/></option>
<worldbody>
  <body name="crank" pos="0 0.15 0"><joint name="A" axis="0 0 1" pos="0 -0.15 0" damping="{damping}"/>
    <inertial pos="0 0 0" mass="{m1}" diaginertia="{i1} {i1} {i1}"/>
    <body name="coupler" pos="0.4 0.45 0"><joint name="B" axis="0 0 1" pos="-0.4 -0.3 0"/>
      <inertial pos="0 0 0" mass="{m2}" diaginertia="{i2} {i2} {i2}"/><site name="end" pos="0.4 0.3 0"/></body></body>
  <body name="rocker" pos="0.9 0.45 0"><joint name="D" axis="0 0 1" pos="0.1 -0.45 0"/>
    <inertial pos="0 0 0" mass="{m3}" diaginertia="{i3} {i3} {i3}"/><site name="top" pos="-0.1 0.45 0"/></body>
</worldbody>
<equality>
  <connect body1="coupler" body2="rocker" anchor="0.4 0.3 0" solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"/>
</equality>
</mujoco>"""


def sarrus_study(program, n_points, n_threads):
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(SCENARIO)
        command = [program, "run", path, "-o", path.with_suffix(".h5"), "--quiet", "--threads", str(n_threads)]
        subprocess.run([*command, "--instances", str(n_points)], check=True)
        with h5py.File(path.with_suffix(".h5")) as file:
            indices = {name: file[f"sensitivity/peak/{name}"][:].tolist() for name in KEPT}
            return indices, float(file["instance/max_violation"][:].max() * 2.0)  # of a mechanism of 2 m


def mujoco_study(n_points, n_threads):
    import mujoco
    from mujoco import rollout
    from SALib.analyze import sobol as analysis
    from SALib.sample import sobol as sample

    problem = {"num_vars": len(NAMES), "names": NAMES, "bounds": BOUNDS}
    rows = sample.sample(problem, n_points, seed=1)
    models, starts = [], []
    for crank, coupler, rocker, speed, damping in rows:
        masses = {
            "m1": 3 * crank,
            "i1": 0.0225 * crank,
            "m2": coupler,
            "i2": coupler / 12,
            "m3": 0.9 * rocker,
            "i3": 0.06375 * rocker,
        }
        model = mujoco.MjModel.from_xml_string(MODEL.format(damping=damping, **masses))
        data = mujoco.MjData(model)
        data.qvel[:] = np.array([7.0, -7.5, 2.0]) * speed
        start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        models.append(model)
        starts.append(start)
    data = [mujoco.MjData(models[0]) for _ in range(n_threads)]
    n_steps, peaks = round(T_END / DT), []
    for i in range(0, len(models), 256):  # states of all rows at once would take gigabytes
        states, _ = rollout.rollout(models[i : i + 256], data, np.array(starts[i : i + 256]), nstep=n_steps)
        rates = states[:, :, 1 + models[0].nq + 2]
        peaks += np.maximum(rates.max(axis=1), np.array(starts)[i : i + 256, 1 + models[0].nq + 2]).tolist()
    found = analysis.analyze(problem, np.array(peaks), seed=1)
    indices = dict(zip(KEPT, (found[name].tolist() for name in ("S1", "S1_conf", "ST", "ST_conf")), strict=True))
    return indices, mujoco_gap(models[0], starts[0], n_steps)


KEPT = ["first", "first_confidence", "total", "total_confidence"]


def mujoco_gap(model, start, n_steps):
    """The largest distance of the two ends of the loop, over one motion."""
    import mujoco

    data, gap = mujoco.MjData(model), 0.0
    mujoco.mj_setState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    for _ in range(n_steps):
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        gap = max(gap, float(np.linalg.norm(data.site("end").xpos - data.site("top").xpos)))
    return gap


def lines_of(*texts):
    return sum(1 for text in texts for line in text.splitlines() if line.strip())


def measured(side, arguments):
    """One side in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--points", str(arguments.points), "--threads", str(arguments.threads)]
    began = time.perf_counter()
    done = subprocess.run([*command, "--sarrus", arguments.sarrus], capture_output=True, text=True, check=True)
    return json.loads(done.stdout) | {"seconds": time.perf_counter() - began}


def agreement(one, other):
    """The largest distance of an index of both in units of their intervals together."""
    return max(
        abs(a - b) / np.hypot(c, d)
        for kind in ("first", "total")
        for a, b, c, d in zip(one[kind], other[kind], one[f"{kind}_confidence"], other[f"{kind}_confidence"], strict=True)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--points", type=int, default=256, help="base points; rows are 12 of each")
    parser.add_argument("--threads", type=int, default=2)
    default = Path(__file__).resolve().parents[2] / "build" / "release" / "sarrus"
    parser.add_argument("--sarrus", default=str(default), help="the program")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--side", choices=["sarrus", "mujoco"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side is not None:
        run = mujoco_study if arguments.side == "mujoco" else lambda *rest: sarrus_study(arguments.sarrus, *rest)
        indices, gap = run(arguments.points, arguments.threads)
        used = [resource.getrusage(one) for one in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        processor = sum(one.ru_utime + one.ru_stime for one in used)
        most = max(one.ru_maxrss for one in used) * 1024
        print(json.dumps({"indices": indices, "gap": gap, "bytes": most, "processor_seconds": processor}))
        return 0
    sides = {side: measured(side, arguments) for side in ("sarrus", "mujoco")}
    sides["sarrus"]["lines"] = lines_of(SCENARIO) + 1  # and the command
    sides["mujoco"]["lines"] = lines_of(MODEL, inspect.getsource(mujoco_study))
    for side, found in sides.items():
        size = f"{found['bytes'] / 1e6:7.0f} MB  {found['lines']:3} lines"
        times = f"{found['seconds']:8.2f} s, {found['processor_seconds']:.2f} s of processors"
        print(f"{side:8} {times}  {size}  gap {found['gap']:.1e} m")
    for kind in ("first", "total"):
        for j, name in enumerate(NAMES):
            row = "   ".join(
                f"{found['indices'][kind][j]:7.4f} ± {found['indices'][kind + '_confidence'][j]:.4f}" for found in sides.values()
            )
            print(f"{kind:6} {name:8} {row}")
    worst = agreement(sides["sarrus"]["indices"], sides["mujoco"]["indices"])
    print(
        f"largest difference of an index: {worst:.2f} of both intervals; {os.cpu_count()} processors, {arguments.points * 12} rows"
    )
    if arguments.json is not None:
        Path(arguments.json).write_text(
            json.dumps(sides | {"points": arguments.points, "threads": arguments.threads}, indent=1) + "\n"
        )
    return 0 if worst < 2.0 else 1


if __name__ == "__main__":
    sys.exit(main())
