"""Sampling as a user meets it: the draws in the unit interval stand beside the parameters, once for each draw and not for an own
sample; what a method, a design or a correlation makes is in the file, alone and in a replay, by a file, `--set` or the number of
instances on the command line, and the scenario in the result makes it again. Exit code 77 (skipped) without a program or h5py."""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

SCENARIO = """\
sarrus: 1
space: planar
parameters: {L: 0.5, m: 1.0}
bodies:
  - {name: rod, mass: "=m", inertia: 0.1, position: ["=L", 0]}
  - {name: bob, mass: 0.4, inertia: 0.1, position: ["=2*L", -0.2]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}
  - {name: B, type: revolute, bodies: [rod, bob], at: ["=2*L", 0]}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.002}
batch:
  instances: 8
  seed: 3
  parameters:
    - {name: L, distribution: uniform, low: 0.4, high: 0.6}
    - {name: m, distribution: uniform, low: 1, high: 2}
    - {path: [bodies.bob.mass, bodies.bob.inertia], distribution: uniform, low: 0.3, high: 0.5}
"""
LABELS = ("L", "m", "bodies.bob.mass")
LOW, HIGH = np.array([0.4, 1.0, 0.3]), np.array([0.6, 2.0, 0.5])


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, "run", *arguments, "--quiet"], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (arguments, done.stderr)
    return done.stderr


def study(*arguments, source="s.yaml"):
    """Units, parameters [N, 3] and q [N, T, n] of a run."""
    run(source, "-o", "study.h5", *arguments)
    with h5py.File("study.h5") as file:
        assert sorted(file["instance/unit"]) == sorted(LABELS)
        assert sorted(file["instance/parameters"]) == sorted((*LABELS, "bodies.bob.inertia"))
        columns = [np.stack([file[f"instance/{group}/{label}"][:] for label in LABELS], axis=1) for group in ("unit", "parameters")]
        assert file["instance/unit/L"].attrs["units"] == "1"
        assert list(file["instance/unit/L"].dims[0]) == list(file["instance/parameters/L"].dims[0])
        return *columns, file["state/q"][:], file["scenario"][()].decode()


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one[:3], other[:3], strict=True))


def test_parameters_are_quantiles_of_the_units():
    units, values, _, _ = study()
    assert ((units > 0) & (units < 1)).all()
    assert np.allclose(values, LOW + (HIGH - LOW) * units, rtol=1e-15, atol=0)


def test_an_own_sample_has_no_units_and_results_are_samples():
    _, values, q, _ = study("--set", "batch.sampling=lhs")
    pathlib.Path("study.h5").replace("old.h5")
    run("s.yaml", "-o", "again.h5", "--samples", "old.h5", "--set", "batch.design=saltelli")
    with h5py.File("again.h5") as file:
        assert "unit" not in file["instance"]
        assert np.array_equal(file["state/q"][:], q)
        assert np.array_equal(file["instance/parameters/m"][:], values[:, 1])
    # What was not used does not stand in the scenario as run, where it may not go with the number of rows.
    study("--instances", "7")
    pathlib.Path("study.h5").replace("old.h5")
    run("s.yaml", "-o", "again.h5", "--samples", "old.h5", "--set", "batch.sampling={method: grid, levels: [2, 2, 2]}")
    with h5py.File("again.h5") as file:
        pathlib.Path("resolved.yaml").write_bytes(file["scenario"][()])
    assert len(study(source="resolved.yaml")[0]) == 7


def test_methods_designs_and_correlations_reach_the_file():
    units, *_ = study("--set", "batch.sampling={method: sobol, scramble: false}")
    assert units[:4].tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]]
    units, *_ = study("--set", "batch.sampling=lhs", "--instances", "100")
    assert np.array_equal(np.sort(np.floor(units * 100), axis=0), np.repeat(np.arange(100.0), 3).reshape(100, 3))
    units, *_ = study("--set", "batch.sampling=grid")
    assert len(np.unique(units, axis=0)) == 8 and set(units.flat) == {0.25, 0.75}
    units, *_ = study("--set", "batch.design=saltelli", "--instances", "5")
    assert units.shape == (40, 3) and (units[1, 1:] == units[0, 1:]).all() and (units[4, 1:] == units[7, 1:]).all()
    units, *_ = study("--set", "batch.design=morris", "--instances", "5")
    assert units.shape == (20, 3) and (np.count_nonzero(np.diff(units[:4], axis=0), axis=1) == 1).all()
    plain = study("--instances", "2000")[0]
    units = study("--instances", "2000", "--set", "batch.correlation={[m, L]: -0.8}")[0]
    assert np.array_equal(units[:, [0, 2]], plain[:, [0, 2]])
    # Ranks of a Gaussian copula: 6/π asin(ρ/2), five standard deviations of a sample's at most 1/√N.
    ranks = np.argsort(np.argsort(units, axis=0), axis=0)
    assert abs(np.corrcoef(ranks.T)[0, 1] - 6 / np.pi * np.arcsin(-0.4)) < 5 / np.sqrt(2000)


def test_replays_and_the_scenario_of_the_result_make_it_again():
    for settings in (
        ("--set", "batch.sampling=lhs", "--instances", "300"),
        ("--set", "batch.sampling=sobol"),
        ("--set", "batch.design={method: saltelli, second_order: false}", "--instances", "7"),
        ("--set", "batch.correlation={[L, m]: 0.6, [L, bodies.bob.mass]: -0.3}", "--set", "batch.sampling=sobol"),
    ):
        whole = study(*settings)
        pathlib.Path("resolved.yaml").write_text(whole[3])
        assert same(whole, study(source="resolved.yaml")), settings
        one = study(*settings, "--instance", "6")
        assert np.array_equal(one[0][0], whole[0][6]) and np.array_equal(one[1][0], whole[1][6]), settings


def test_several_scenarios_count_their_points():
    pathlib.Path("both.yaml").write_text(
        "sarrus: 1\nscenarios:\n  - {file: s.yaml, instances: 3, set: {batch.design: saltelli}}\n"
        "  - {file: s.yaml, instances: 27, set: {batch.sampling: grid}}\n"
        "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.002}\n"
    )
    run("both.yaml", "-o", "both.h5")
    with h5py.File("both.h5") as file:
        assert file["0/instance/unit/L"].shape == (24,) and file["1/instance/unit/L"].shape == (27,)
        assert file["0"].attrs["n_study_instances"] == 24


def test_every_distribution_is_read_and_drawn():
    quantiles = {
        "triangular, low: 1, mode: 1, high: 4": lambda u: 4 - 3 * np.sqrt(1 - u),
        "weibull, scale: 2, shape: 1.5": lambda u: 2 * (-np.log1p(-u)) ** (1 / 1.5),
        "beta, alpha: 1, beta: 3, low: 1, high: 2": lambda u: 2 - np.cbrt(1 - u),
        "discrete, values: [3, 1, 2], weights: [1, 2, 1]": lambda u: np.array([1, 1, 2, 3])[np.ceil(4 * u).astype(int) - 1],
        "empirical, values: [5, 1, 2, 2, 8], min: 2": lambda u: np.quantile([2, 2, 5, 8], u),
        "truncated_normal, mean: 3, sd: 1, min: 3, max: 3.000001": lambda u: 3 + 1e-6 * u,
    }
    for words, quantile in quantiles.items():
        run("s.yaml", "-o", "one.h5", "--set", f"batch.parameters=[{{name: m, distribution: {words}}}]", "--instances", "200")
        with h5py.File("one.h5") as file:
            unit, value = file["instance/unit/m"][:], file["instance/parameters/m"][:]
        assert np.allclose(value, quantile(unit), rtol=1e-13, atol=0), words


def test_a_number_that_no_grid_has_is_refused():
    text = run("s.yaml", "-o", "none.h5", "--set", "batch.sampling=grid", "--instances", "30", code=2)
    assert "30 instances are no grid of 3 parameters; expected a number k^3, as 27 = 3^3 or 64 = 4^3" in text, text
    assert text.startswith("sarrus run: error: --instances: "), text
    levels = ("--set", "batch.instances=24", "--set", "batch.sampling={method: grid, levels: [2, 3, 4]}")
    text = run("s.yaml", "-o", "none.h5", *levels, "--instances", "23", "--parts", "2", code=2)
    assert "--instances: a grid of 24 points for 23 instances; expected as many" in text, text
    run("s.yaml", "-o", "grid.h5", *levels, "--instances", "24")
    # The number that is asked for is judged, not the one that it stands for.
    own = pathlib.Path("s.yaml").read_text().replace("instances: 8\n", "instances: 10\n", 1)
    assert "instances: 10" in own
    pathlib.Path("ten.yaml").write_text(own)
    pathlib.Path("all.yaml").write_text(own.replace("instances: 10", "instances: 27"))
    run("ten.yaml", "-o", "asked.h5", "--set", "batch.sampling=grid", "--instances", "27")
    run("all.yaml", "-o", "said.h5", "--set", "batch.sampling=grid")
    with h5py.File("asked.h5") as asked, h5py.File("said.h5") as said:
        assert np.array_equal(asked["state/q"][...], said["state/q"][...])
    assert "10 instances are no grid" in run("ten.yaml", "-o", "none.h5", "--set", "batch.sampling=grid", code=2)
    most = 2**40
    for text in (
        run("s.yaml", "-o", "none.h5", "--set", "batch.design=saltelli", "--instances", str(most), code=2),
        run("s.yaml", "-o", "none.h5", "--set", "batch.design=saltelli", "--instances", str(most), "--instance", "7", code=2),
    ):
        assert f"--instances: {8 * most} instances; expected at most {most}" in text, text
    assert not list(pathlib.Path().glob("none.h5*"))


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("s.yaml").write_text(SCENARIO)
        for test in tests:
            test()
            print("ok", test.__name__)


main()
