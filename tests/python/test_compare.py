"""`sarrus.compare`, `sarrus compare` and runs by each formulation, against NumPy's pseudoinverse of the whole saddle system, which
shares nothing with them but the equations that `Batch.systems` shows. Exit code 77 (skipped) without the package."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE

PROGRAM = os.environ.get("SARRUS_PROGRAM", str(SOURCE / "build" / "release" / "sarrus"))

EPS = np.finfo(float).eps
IN_FULL = ("pseudo-range", "null-space", "udwadia-phohomsiri", "saddle", "partial", "range-space", "barycentric")
OVER_A_TREE = ("relative", "recursive")
INVERTS_MASS = ("udwadia-kalaba", "pseudo-range", "partial", "range-space")
# Methods that keep all the digits that the condition leaves, on matrices that are no squares of others.
SOUND = ("svd", "jacobi", "varga", "householder", "mgs2")
SCENARIOS = ("five_bar", "slider_crank", "cube_linkage", "planetary_train", "spatial_four_bar", "driven_crank", "massless_coupler")


def path(name):
    return str(SOURCE / "scenarios" / f"{name}.yaml")


def saddle_solve(system, i, rank):
    """a and J'λ of instance i by NumPy: the pseudoinverse of [M J'; J 0] of rank n + rank (S1 26)."""
    mass, jacobian = system["mass"][i], system["jacobian"][i]
    n, m = mass.shape[0], jacobian.shape[0]
    whole = np.block([[mass, jacobian.T], [jacobian, np.zeros((m, m))]])
    u, sigma, vt = np.linalg.svd(whole)
    k = n + rank
    right = np.concatenate([system["force"][i], system["gamma"][i]])
    x = vt[:k].T @ ((u[:, :k].T @ right) / sigma[:k])
    return x[:n], jacobian.T @ x[n:], sigma[0] / sigma[k - 1]


def test_systems():
    """The kernels' accelerations solve the equations that are shown, in the plane and in space, by either formulation. Both sides
    are backward stable: they differ by some n eps of the condition of the saddle matrix, 1e3 leaves room for the sums."""
    for name in SCENARIOS:
        for formulation in ("udwadia-kalaba", "relative"):
            if formulation == "relative" and name == "massless_coupler":
                continue
            batch = sarrus.Batch(path(name), 8, settings={"dynamics.formulation": formulation})
            batch.advance(7)
            system = batch.systems()
            a = batch.observe("acceleration")["acceleration"]
            rank = batch.observe("rank")["rank"]
            assert np.abs(system["mass"] - np.swapaxes(system["mass"], 1, 2)).max() == 0
            for i in range(batch.n):
                wanted, load, condition = saddle_solve(system, i, int(rank[i]))
                size = np.abs(wanted).max() + np.abs(np.linalg.pinv(system["mass"][i]) @ load).max()
                bound = 1e3 * EPS * condition * size
                assert np.abs(a[i] - wanted).max() <= bound, (name, formulation, i, np.abs(a[i] - wanted).max(), bound)


def test_systems_have_rows_and_weights():
    """A pendulum of two bodies by hand: M is diagonal, F the weights, J v = 0 of a motion on the constraints, and γ = −J̇ v."""
    batch = sarrus.Batch(path("double_pendulum"), 4, settings={"dynamics.formulation": "udwadia-kalaba"})
    batch.advance(20)
    system = batch.systems()
    v = np.array(batch.observe("v")["v"])
    for i in range(batch.n):
        diagonal = np.diag(system["mass"][i])
        assert np.abs(system["mass"][i] - np.diag(diagonal)).max() == 0
        weights = np.zeros(6)
        weights[1::3] = -9.81 * diagonal[1::3]
        assert np.allclose(system["force"][i], weights, rtol=0, atol=1e-12)
        assert np.abs(system["jacobian"][i] @ v[i]).max() < 1e-7


def test_agreement():
    """Every formulation with every sound pseudoinverse on every scenario: right, or refused for a reason that holds. What inverts M
    and meets one that is singular in some states fails there and says so."""
    for name in SCENARIOS:
        found = sarrus.compare(path(name), states=16, ranks=False, seconds=1e-4)
        lacks = name == "massless_coupler"
        assert found.states["n_unique_a"] == found.states["n_trajectory"] + found.states["n_random"], name
        assert found.reference is not None and found.reference.acceleration == 0 and found.reference.verdict == "ok"
        for row in found:
            if row.formulation in OVER_A_TREE or row.pinv not in SOUND:
                continue
            if row.formulation == "saddle-factored":
                continue
            if lacks and row.formulation in INVERTS_MASS:
                assert row.verdict in ("failed", "refused") and "singular" in row.reason, row
                continue
            assert row.verdict == "ok" and row.reason == "" and row.n_wrong == 0, (name, row)
            # The largest condition bounds them all; twice, since both the row and the reference have errors.
            assert row.acceleration <= 2 * found.states["tolerance"] * found.states["condition_most"], (name, row)
            assert row.flops > 0 and row.nanoseconds > 0
        assert found.find("udwadia-kalaba").verdict == "ok", name
        assert found.find("relative").verdict == ("refused" if lacks else "ok"), (name, found.find("relative"))
        assert found.find("saddle", "lapack").verdict == "refused"
        factored, is_redundant = found.find("saddle-factored"), found.states["rank_most"] < found.states["m"]
        assert factored.verdict == ("refused" if is_redundant else "ok"), (name, factored)
        assert "depend on one another" in factored.reason if is_redundant else factored.flops > 0, factored
        assert "no pseudoinverse" in found.find("saddle-factored", "svd").reason


def test_factored_at_a_change_point():
    """Without a rank decision there is no answer where the rank falls: the instance ends, and says so, at its first step."""
    settings = {"dynamics.formulation": "saddle-factored", "integrator.t_end": 0.1}
    result = sarrus.run(path("five_bar_singular"), settings=settings)
    assert (result["instance/status"] != 0).all() and result["instance/steps"][0] == 0
    right = sarrus.run(path("five_bar_singular"), settings=settings | {"dynamics.formulation": "saddle"})
    assert (right["instance/status"] == 0).all()


def test_recursion():
    """Articulated bodies of an open arm: right in `sarrus.compare`, and the motion of `relative` to 1e-8 over a second."""
    found = sarrus.compare(path("arm_7r"), states=8, ranks=False, seconds=1e-4)
    assert found.find("recursive").verdict == "ok" and found.find("recursive").n_states > 0
    settings = {"integrator": {"method": "rk4", "dt": 1e-3, "t_end": 1}, "output": {"interval": 0.1, "channels": ["state"]}}
    runs = [sarrus.run(path("arm_7r"), settings=settings | {"dynamics": {"formulation": f}})["state/q"] for f in OVER_A_TREE]
    assert np.abs(runs[0] - runs[1]).max() < 1e-8 and not np.array_equal(*runs)


def test_recursion_around_loops():
    """Closed loops, of which three have redundant rows: right in `sarrus.compare`, where no row is another one under its name, and
    the motion of `relative` over a second. Both are off by the integrator's error alike and differ by round-off, which a linkage
    that goes on for a second multiplies by no more than 1e4: 1e-10 of lengths of 1 m."""
    for name in ("four_bar", "slider_crank", "andrews", "spatial_four_bar", "sarrus_linkage", "delta_robot"):
        found = sarrus.compare(path(name), states=8, ranks=False, seconds=1e-4)
        rows = [found.find(formulation) for formulation in ("udwadia-kalaba", *OVER_A_TREE)]
        assert all(row.verdict == "ok" and row.n_states > 0 and row.n_wrong == 0 for row in rows), (name, rows)
        assert len({(row.acceleration, row.force) for row in rows}) == 3, (name, rows)
    settings = {"integrator": {"method": "rk4", "dt": 1e-3, "t_end": 1}, "output": {"interval": 0.1, "channels": ["state"]}}
    for name in ("four_bar", "slider_crank", "spatial_four_bar", "stewart_platform", "sarrus_linkage"):
        runs = [sarrus.run(path(name), settings=settings | {"dynamics": {"formulation": f}}, instances=3) for f in OVER_A_TREE]
        assert all((run["instance/status"] == 0).all() for run in runs), name
        states = [run["state/q"] for run in runs]
        assert np.abs(states[0] - states[1]).max() < 1e-10 and not np.array_equal(*states), name


def test_levers_through_zero():
    """Where the slope of a cam, or the arm of a yoke, comes through 0 no lever of a row says how long a mechanism is: units of
    the dense formulations were 1e-17 m there, and the saddle matrix gave multipliers off by 1e15."""
    for name in ("cam_follower", "scotch_yoke"):
        found = sarrus.compare(path(name), states=8, ranks=False, seconds=1e-4)
        rows = [found.find(formulation) for formulation in IN_FULL]
        assert all(row.verdict in ("ok", "refused") for row in rows) and found.find("saddle").n_states == 16, (name, rows)


def test_wrong_is_not_ok():
    """The normal equations of a mechanism with masses of 1e-9 lose all digits (condition 2e7, squared and squared again), and what
    damps its singular values is wrong where they count: neither may pass."""
    found = sarrus.compare(path("hoop_on_cylinder"), states=8, ranks=False, seconds=1e-4)
    for row in found:
        if row.verdict == "ok":
            assert row.acceleration <= 2 * found.states["tolerance"] * found.states["condition_most"]
    assert found.find("pseudo-range", "normal").verdict == "failed"
    assert found.find("saddle", "householder").verdict == "ok"
    damped = sarrus.compare(path("five_bar"), states=8, ranks=False, seconds=1e-4).find("saddle", "tikhonov")
    assert damped.verdict == "failed" and damped.n_wrong > 0 and "times the tolerance" in damped.reason


def test_certificate():
    """The five-bar has rank 11 of 12 and no unique multiplier, a four-bar full rank and all of them unique (S1, result 3)."""
    five = sarrus.compare(path("five_bar"), states=8, ranks=False, seconds=1e-4).states
    assert (five["n"], five["m"], five["rank_least"], five["rank_most"]) == (12, 12, 11, 11)
    assert five["n_unique_lambda"] == 0 and five["n_unique_multipliers"] == 0
    four = sarrus.compare(path("slider_crank"), states=8, ranks=False, seconds=1e-4).states
    assert four["n_unique_lambda"] == four["n_trajectory"] + four["n_random"] and four["n_unique_multipliers"] == four["m"]


def test_doubt():
    """At a change point the rank is a decision, not a fact: such states are counted, and no sound row fails because of them. Rows
    that were tried on no state off the constraints have no number for it."""
    found = sarrus.compare(path("five_bar_singular"), states=16, ranks=False, seconds=1e-4)
    assert found.states["n_doubtful"] > 0 and found.states["condition_most"] < 1e6
    for formulation in ("udwadia-kalaba", *IN_FULL, "relative"):
        assert found.find(formulation).verdict == "ok", found.find(formulation)
    assert np.isnan(found.find("relative").inconsistent) and np.isfinite(found.find("saddle").inconsistent)


def test_nothing_accelerates():
    """Where accelerations are round-off, of forces that balance or of a motion at constant speed, ranks are as sure as elsewhere
    and every row is judged; a single row of a singular M is refused for that alone."""
    slide = {
        "sarrus": 1,
        "space": "planar",
        "gravity": [0, 0],
        "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "position": [0.2, 0.1]}],
        "joints": [{"name": "J", "type": "prismatic", "bodies": ["ground", "b"], "at": [0.2, 0.1], "axis": [0.6, 0.8]}],
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 0.1},
    }
    driven = slide | {"joints": [slide["joints"][0] | {"drive": {"signal": {"ramp": {"slope": 0.1}}}}]}
    fixed = slide | {"gravity": [1, -9.81], "joints": [{"name": "J", "type": "fixed", "bodies": ["ground", "b"], "at": [0.3, 0.4]}]}
    for mechanism in (slide, driven, fixed):
        found = sarrus.compare(mechanism, states=4, ranks=False, seconds=1e-5)
        assert found.states["n_doubtful"] == 0 and found.states["n_trajectory"] == 4, found.states
        for row in found:
            if row.verdict == "refused":
                assert "M is singular" not in row.reason and "no state" not in row.reason, row
            elif row.pinv != "tikhonov":  # whose damping takes all that is left where nothing is free
                assert row.verdict == "ok" and row.n_states > 0, row


def test_short_motion():
    """A motion with fewer times than states are asked for gives all that it has."""
    found = sarrus.compare(path("pendulum"), states=64, ranks=False, seconds=1e-5)
    assert found.states["n_trajectory"] == 64
    model = sarrus.load(path("pendulum"), {"integrator": {"method": "rk4", "dt": 1e-3, "t_end": 0.01}})
    assert sarrus.compare(model, states=64, ranks=False, seconds=1e-5).states["n_trajectory"] == 11


def test_same_numbers_again():
    """All but times is the same in every run, operations too."""
    runs = [sarrus.compare(path("four_bar"), states=4, seed=2**64 - 1, ranks=False, seconds=1e-3) for _ in range(3)]
    told = [[(r.formulation, r.pinv, r.flops, r.acceleration, r.n_states) for r in run if np.isfinite(r.flops)] for run in runs]
    assert told[0] == told[1] == told[2]


def test_flops():
    """The operations of saddle by householder grow with the cube of n + m, and those of a least-squares solution by the same method
    are those that `sarrus.pinv` would count: two mechanisms of 24 and 60 rows, of full rank and nearly."""
    counts = {name: sarrus.compare(path(name), states=8, ranks=False, seconds=1e-4) for name in ("five_bar", "cube_linkage")}
    small, large = (counts[name].find("saddle", "householder").flops for name in counts)
    assert 2.3 < np.log(large / small) / np.log(60 / 24) < 3.1
    for found in counts.values():
        assert found.find("pseudo-range", "householder").flops < found.find("saddle", "householder").flops


def test_trajectories():
    """Ten seconds by each formulation: the same motion to 1e-8, redundant rows or not."""
    for name, end in (("five_bar", 10), ("slider_crank", 10), ("cube_linkage", 10), ("massless_coupler", 2)):
        settings = {
            "integrator": {"method": "rk4", "dt": 1e-3, "t_end": end},
            "output": {"interval": 0.2, "channels": ["state"]},
            "batch": {"instances": 2},
        }
        runs = {}
        for formulation in ("udwadia-kalaba", *IN_FULL, "saddle-factored"):
            if name == "massless_coupler" and formulation in INVERTS_MASS[1:]:
                own = settings | {"dynamics.formulation": formulation}
                raises(sarrus.UnsupportedError, lambda: sarrus.run(path(name), settings=own), "inverts M")  # noqa: B023
                continue
            result = sarrus.run(path(name), settings=settings | {"dynamics.formulation": formulation})
            assert (result["instance/status"] == 0).all(), (name, formulation)
            runs[formulation] = result["state/q"]
        wanted = runs.pop("udwadia-kalaba")
        for formulation, q in runs.items():
            assert np.abs(q - wanted).max() < 1e-8, (name, formulation, np.abs(q - wanted).max())
            assert not np.array_equal(q, wanted), f"{formulation} has the very bits of another formulation"


def found_in_python():
    return sarrus.compare(path("five_bar"), states=4, ranks=False, seconds=1e-4).s5


def test_command():
    """`sarrus compare --json`: an object with the rows, as the contract has them; a table without."""
    command = [PROGRAM, "compare", path("five_bar"), "--states", "4", "--rank", "auto"]
    out = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(out.stdout)
    keys = {"formulation", "pinv", "rank", "verdict", "reason", "acceleration", "force", "reaction", "flops", "nanoseconds"}
    assert all(keys <= set(row) for row in found["rows"])
    assert {row["verdict"] for row in found["rows"]} == {"ok", "refused", "failed"}
    assert found["rows"][found["reference_row"]]["acceleration"] == 0
    printed = {row["equation"]: (row["formulation"], row["table_1"], row["tables_2_to_5"]) for row in found["s5"]}
    assert printed["(31)"] == ("udwadia-kalaba", 44112, 44112) and printed["(43)"] == ("udwadia-phohomsiri", 99084, 114636)
    assert printed == {of["equation"]: (word, of["table_1"], of["tables_2_to_5"]) for word, of in found_in_python().items()}
    table = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in table.stdout.splitlines() if line.startswith("(35) pseudo-range")).split()
    row = next(row for row in found["rows"] if (row["formulation"], row["pinv"]) == ("pseudo-range", "householder"))
    assert line[2:4] == ["54468", "54468"] and line[7] == f"{row['flops']:.0f}"
    assert "udwadia-phohomsiri" in table.stdout and "most accurate row" in table.stdout and table.stderr == ""


def test_picture():
    """`python/plot_compare.py` draws one comparison, and the cost of several against their size, whose exponents it prints."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        folder, files = Path(folder), []
        for name in ("slider_crank", "five_bar", "andrews"):
            command = [PROGRAM, "compare", path(name), "--states", "2", "--rank", "auto", "--json"]
            files.append(folder / f"{name}.json")
            with files[-1].open("w") as file:
                subprocess.run(command, stdout=file, check=True)
        picture = folder / "one.png"
        for own, words in ((files[:1], ""), (files, "saddle n^")):
            command = [sys.executable, str(SOURCE / "python" / "plot_compare.py"), *own, "-o", picture]
            out = subprocess.run(command, capture_output=True, text=True, check=True)
            assert words in out.stdout and picture.stat().st_size > 10_000
            picture.unlink()


def test_refusals():
    for arguments in (["--states", "0"], ["--rank", "some"], ["--nothing"], []):
        command = [PROGRAM, "compare", *arguments, *([path("five_bar")] if arguments else [])]
        out = subprocess.run(command, capture_output=True, text=True)
        assert out.returncode == 2 and out.stdout == "" and "error" in out.stderr, arguments
    for words in ([], ["--json"]):
        out = subprocess.run([PROGRAM, "compare", path("torque_free_body"), *words], capture_output=True, text=True)
        assert out.returncode == 2 and "no constraints" in out.stderr and out.stdout == ""
    settings = {"dynamics.formulation": "saddle", "dynamics.pinv": "lapack"}
    raises(sarrus.ScenarioError, lambda: sarrus.load(path("five_bar"), settings), "method of the lanes")
    for other in ({"dynamics.pinv": "svd"}, {"dynamics.rank": {"method": "relative"}}):
        settings = {"dynamics.formulation": "saddle-factored", **other}
        raises(sarrus.ScenarioError, lambda: sarrus.load(path("five_bar"), settings), "saddle-factored")  # noqa: B023
    raises(sarrus.ArgumentError, lambda: sarrus.compare(path("five_bar"), states=0), "states")
    raises(sarrus.ArgumentError, lambda: sarrus.compare(path("five_bar"), states=200_000), "1 to 100000")
    raises(sarrus.ArgumentError, lambda: sarrus.compare(path("five_bar"), seed=2**64), "seed")
    raises(sarrus.ArgumentError, lambda: sarrus.compare(path("five_bar"), seconds=-1), "seconds")


if __name__ == "__main__":
    sys.exit(run_all(globals()))
