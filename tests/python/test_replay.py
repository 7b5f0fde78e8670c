"""`sarrus run --instance I` against the study that instance I is of: every row of the study is found in the replay, and everything
that is said of the instance, bit for bit; the replay ends where the instance failed. Exit code 77 (skipped) without a program or
without h5py.

    test_replay.py [--all]      --all: the long table, on every instruction set (minutes)
"""

import dataclasses
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# A slider-crank-like chain with springs in its pins: stiffnesses of 1e6 that are drawn, so that the nominal ones are nobody's.
STIFF = """\
sarrus: 1
name: stiff four-bar
space: planar
gravity: [0, -9.81]
bodies:
  - {name: crank, mass: 1.0, inertia: 0.1, position: [0.0, 0.25], orientation: 1.5707963267948966}
  - {name: coupler, mass: 1.0, inertia: 0.1, position: [0.5, 0.5]}
  - {name: rocker, mass: 1.0, inertia: 0.1, position: [1.0, 0.25], orientation: 1.5707963267948966, velocity: [0.5, 0],
     angular_velocity: -2}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], stiffness: 0}
  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.5], stiffness: 1.0e6, damping: 1.0}
  - {name: C, type: revolute, bodies: [coupler, rocker], at: [1, 0.5], stiffness: 0}
  - {name: D, type: revolute, bodies: [rocker, ground], at: [1, 0], stiffness: 10}
integrator: {method: rk4, dt: 1.0e-4, t_end: 0.02}
batch:
  instances: 24
  seed: 7
  parameters:
    - {path: joints.A.stiffness, distribution: uniform, low: 0, high: 1.0e6}
    - {path: joints.B.stiffness, distribution: lognormal, mu: 13.8, sigma: 1.0}
    - {path: bodies.coupler.mass, distribution: normal, mean: 1.0, sd: 0.1, min: 0.5}
output: {every: 10, channels: [state, energy, constraint, rank, reactions, work]}
"""

# Inputs are zero in a run; a method that chooses its steps ends them where the study looks.
INPUTS = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
bodies:
  - {name: rod, mass: 1.0, inertia: 0.1, position: [0.5, 0.0]}
joints:
  - {name: pivot, type: revolute, bodies: [ground, rod], at: [0, 0]}
forces:
  - {name: motor, type: torque, body: rod, value: {input: 0}}
integrator: {method: dopri5, dt: 1.0e-3, t_end: 0.4}
batch: {instances: 5, seed: 3, parameters: [{path: bodies.rod.mass, distribution: uniform, low: 0.9, high: 1.1}]}
output: {every: 20, channels: [state, energy, rank]}
"""

# Springs that push: most instances break their limit of energy, each at a time of its own.
FAILING = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {k: 0.0}
bodies:
  - {name: rod, mass: 1.0, inertia: 0.1, position: [0.5, 0.0]}
joints:
  - {name: pivot, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k"}
integrator: {method: rk4, dt: 1.0e-3, t_end: 2.0}
batch: {instances: 12, seed: 2, parameters: [{name: k, distribution: uniform, low: -2.0e4, high: 500}]}
output: {every: 7, channels: [state, energy, constraint, rank]}
limits: {energy: 1.0e-5}
"""


# Lengths, masses and angles so wide that a plan made of one instance's own values gives other bits.
WIDE = (
    (SOURCE / "scenarios/five_bar_monte_carlo.yaml")
    .read_text()
    .replace("low: 0.6981317007977318, high: 0.8726646259971648", "low: -3.0, high: 3.0")
    .replace("sd: 0.05, min: 0.5", "sd: 5.0, min: 0.05")
)


@dataclasses.dataclass
class Case:
    scenario: str  # text, or a file of scenarios/
    instances: tuple[int, ...]
    options: tuple[str, ...] = ()
    replay_options: tuple[str, ...] = ()  # of the replay alone: what may not change a bit
    isa: str = ""
    must_fail: bool = False  # some of the instances


def scenario_text(case: Case) -> str:
    if "\n" in case.scenario:
        return case.scenario
    text = (SOURCE / "scenarios" / case.scenario).read_text()
    if not re.search(r"^batch:", text, re.MULTILINE):
        body = re.search(r"^\s*- (?:name: |\{name: )([A-Za-z_0-9]+)", text, re.MULTILINE).group(1)
        draw = f"{{path: bodies.{body}.mass, distribution: normal, mean: 1.0, sd: 0.2, min: 0.2}}"
        text += f"\nbatch: {{instances: 9, seed: 4, parameters: [{draw}]}}\n"
    return text


def run(program: str, isa: str, *arguments: str) -> subprocess.CompletedProcess:
    environment = dict(os.environ, **({"SARRUS_FORCE_ISA": isa} if isa else {}))
    done = subprocess.run([program, "run", *arguments], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode in (0, 1), (arguments, done.returncode, done.stderr)
    return done


def bits(values: np.ndarray) -> np.ndarray:
    return values.view(np.uint64) if values.dtype == np.float64 else values


def trajectories(file: h5py.File) -> list[str]:
    n_times = file["time"].shape[0]
    found = []
    file.visititems(lambda name, thing: found.append(name) if isinstance(thing, h5py.Dataset) else None)
    return [p for p in found if not p.startswith(("replay/", "instance/")) and file[p].ndim >= 2 and file[p].shape[1] == n_times]


def compare_instance(study: h5py.File, replay: h5py.File, i: int) -> None:
    assert list(replay["instance/id"][:]) == [i]
    assert replay.attrs["n_study_instances"] == study["instance/id"].shape[0]
    for name in ("plan_hash", "seed", "backend"):
        assert replay.attrs[name] == study.attrs[name], name
    for name, dataset in study["instance"].items():
        if isinstance(dataset, h5py.Dataset) and name != "id":
            a, b = dataset[i : i + 1], replay["instance"][name][:]
            assert np.array_equal(bits(a), bits(b)), (name, a, b)
    for name, dataset in study["instance/parameters"].items():
        assert dataset[i] == replay["instance/parameters"][name][0], name
    if "events" in study:
        mine = study["events/rank/instance"][:] == i
        for name in ("event_time", "before", "after", "instance"):
            np.testing.assert_array_equal(study["events/rank"][name][mine], replay["events/rank"][name][:])


def compare_rows(study: h5py.File, replay: h5py.File, i: int) -> int:
    """Number of rows of the replay."""
    assert replay.attrs["complete"] == 1
    times = replay["time"][:]
    is_output = replay["replay/is_output"][0] == 1
    has_failed = study["instance/status"][i] != 0
    is_good = np.isfinite(study["state/q"][i]).all(axis=1)
    n_good = max(int(is_good.sum()), 1)  # the first row is there, good or not
    assert np.array_equal(is_good[: int(is_good.sum())], np.ones(int(is_good.sum()), bool))
    assert has_failed or n_good == study["time"].shape[0]
    np.testing.assert_array_equal(bits(times[is_output]), bits(study["time"][:n_good]))
    assert (np.diff(times) > 0).all() and times.shape[0] == replay.attrs["n_times_written"]
    assert set(trajectories(study)) <= set(trajectories(replay))
    for path in trajectories(study):
        a, b = study[path][i, :n_good], replay[path][0][is_output]
        assert np.array_equal(bits(np.ascontiguousarray(a)), bits(np.ascontiguousarray(b))), (path, i)
    if is_good.any():
        assert np.isfinite(replay["state/q"][0]).all()
    return times.shape[0]


def check_case(program: str, case: Case) -> str:
    pathlib.Path("s.yaml").write_text(scenario_text(case))
    run(program, case.isa, "s.yaml", "-o", "study.h5", "--quiet", *case.options)
    n_rows = n_failed = 0
    with h5py.File("study.h5") as study:
        for i in case.instances:
            result = pathlib.Path(f"s.instance_{i}.h5")
            done = run(program, case.isa, "s.yaml", "--instance", str(i), *case.options, *case.replay_options)
            has_failed = study["instance/status"][i] != 0
            assert done.returncode == (1 if has_failed else 0), (i, done)
            with h5py.File(result) as replay:
                compare_instance(study, replay, i)
                n_rows += compare_rows(study, replay, i)
            n_failed += has_failed
            result.unlink()
        assert n_failed > 0 or not case.must_fail
        n_outputs = study["time"].shape[0]
    return f"{len(case.instances)} instances ({n_failed} failed), {n_rows} rows, {n_outputs} outputs a study"


def check_picture(program: str) -> None:
    """python/plot.py takes a replay that ended with a failure."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    pathlib.Path("s.yaml").write_text(FAILING)
    run(program, "", "s.yaml", "--instance", "3", "--quiet")
    done = subprocess.run(
        [sys.executable, SOURCE / "python/plot.py", "s.instance_3.h5"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and pathlib.Path("s.instance_3.png").stat().st_size > 10000, done.stderr


def sets(*settings: str) -> tuple[str, ...]:
    return tuple(word for setting in settings for word in ("--set", setting))


def few() -> list[Case]:
    every = tuple(range(12))
    return [
        Case(STIFF, (0, 5, 11, 23), sets("integrator.dt=1e-4"), ("--threads", "1")),
        Case(STIFF, (3, 17), sets("integrator.method=dopri5")),
        Case(STIFF, (8,), sets("integrator.method=adams-moulton", "dynamics={projection: none}")),
        Case(STIFF, (0, 2), ("--instances", "3"), isa="baseline"),
        Case(STIFF, (6,), sets("output.channels=[state]"), sets("output.channels=[state, energy, reactions, singular_values]")),
        Case(INPUTS, (0, 4)),
        Case(FAILING, every, must_fail=True),
        Case(FAILING, every, sets("integrator.method=verner65", "integrator.max_steps=2000"), must_fail=True),
        Case(WIDE, (0, 4, 7, 19), (*sets("integrator.method=dopri5", "integrator.t_end=0.5"), "--instances", "24")),
        Case(WIDE, (2, 5, 11, 20), (*sets("integrator.method=adams-moulton", "integrator.t_end=0.5"), "--instances", "24")),
        Case("change_point.yaml", (1, 19), sets("integrator.t_end=0.5")),
        Case("change_point.yaml", (2,), sets("integrator.t_end=0.5", "integrator.method=dopri5")),
    ]


def many() -> list[Case]:
    cases = few()
    every = tuple(range(24))
    for isa in ("", "avx2", "baseline"):
        for method in ("rk4", "semi-implicit", "dopri5", "verner65", "adams-moulton"):
            chosen = sets(f"integrator.method={method}")
            cases.append(Case(STIFF, every, chosen, isa=isa))
            cases.append(Case(STIFF, every, (*chosen, *sets("dynamics={projection: none}")), isa=isa))
            cases.append(Case("change_point.yaml", (0, 1, 2, 7, 19, 23), (*chosen, *sets("integrator.t_end=1")), isa=isa))
            cases.append(Case(FAILING, tuple(range(12)), (*chosen, *sets("integrator.max_steps=2000")), isa=isa, must_fail=True))
            cases.append(Case(STIFF, (0, 13), (*chosen, "--specialize", "on"), ("--specialize", "off"), isa=isa))
            cases.append(Case(STIFF, (0, 13), (*chosen, "--specialize", "off"), ("--specialize", "on", "--threads", "1"), isa=isa))
    for method in ("rk4", "semi-implicit", "dopri5", "verner65", "adams-moulton"):
        chosen = sets(f"integrator.method={method}", "integrator.t_end=0.5")
        cases.append(Case(WIDE, every, (*chosen, "--instances", "24")))
        cases.append(Case(WIDE, every, (*chosen, *sets("dynamics.projection=every_step"), "--instances", "24")))
    for scenario in sorted(p.name for p in (SOURCE / "scenarios").glob("*.yaml") if p.stem not in ("n_four_bar_40", "mixed")):
        for method in ("rk4", "dopri5"):
            steps = () if scenario == "andrews.yaml" else ("integrator.dt=1e-3", "integrator.t_end=0.3")
            options = sets(f"integrator.method={method}", *steps)
            cases.append(Case(scenario, (0, 3, 8), (*options, "--instances", "9")))
    cases.append(Case("n_four_bar_40.yaml", (3,), (*sets("integrator.t_end=0.05"), "--instances", "9")))
    for pinv in ("svd", "jacobi", "greville", "householder", "mgs", "normal", "cholesky", "lapack"):
        cases.append(Case("change_point.yaml", (1, 19), sets(f"dynamics={{pinv: {pinv}}}", "integrator.t_end=0.1")))
    for rank in ("relative", "absolute", "gap", "tracked", "violation"):
        cases.append(Case("five_bar_singular.yaml", (0, 4), sets(f"dynamics={{rank: {{method: {rank}}}}}", "integrator.t_end=0.2")))
    cases.append(Case(STIFF, (700,), ("--instances", "1001", "--seed", "99", "--threads", "2")))
    cases.append(Case(STIFF, (1,), sets("integrator.dt=3e-4", "output.every=7", "integrator.t_end=0.0205")))
    cases.append(Case(STIFF, (1, 9), sets("integrator.method=dopri5", "integrator.dt=1e-2", "output={interval: 3.3e-3}")))
    return cases


def main() -> int:
    program = os.environ.get("SARRUS_PROGRAM", "")
    if not os.access(program, os.X_OK):
        print("skipped: SARRUS_PROGRAM names no program")
        return 77
    program = str(pathlib.Path(program).resolve())
    cases = many() if "--all" in sys.argv[1:] else few()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in cases:
            name = {STIFF: "stiff", INPUTS: "inputs", WIDE: "wide", FAILING: "failing"}.get(case.scenario, case.scenario)
            print(f"{name:24} {case.isa or 'widest':9} {' '.join(case.options):60} ", end="", flush=True)
            print(check_case(program, case), flush=True)
        check_picture(program)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
