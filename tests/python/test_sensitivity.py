"""`output.sensitivity` in files: Sobol' indices, elementary effects and rank correlations against NumPy's of the same rows, with
blocks left out whose instances failed; what a part and a replay have; what is refused. Exit code 77 (skipped) without a program or
without h5py."""

import pathlib
import subprocess
import tempfile

import numpy as np
from result_content import PROGRAM, h5py

# A pendulum of which a mass below 0.02 cannot be assembled; `low` depends on all three parameters.
STUDY = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.0, c: 0.1, turn: 0.3}
bodies:
  - {name: rod, mass: "=m - 0.02", inertia: 0.1, position: [0.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0], damping: "=c"}
integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}
batch:
  instances: 64
  seed: 7
  parameters:
    - {name: turn, distribution: uniform, low: 0, high: 1}
    - {name: m, distribution: uniform, low: 0, high: 1}
    - {name: c, distribution: discrete, values: [0.0, 0.5, 1.0]}
output:
  every: 50
  channels: [energy]
  quantities: {low: "min(rod.y)*(1 + turn)", same: "final(t)", late: "first(rod.y < -0.2)"}
  sensitivity: [low, same, late]
"""
NAMES = ["turn", "m", "c"]


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def run(folder, *arguments, codes=(0, 1)):
    path = folder / "out.h5"
    done = sarrus("run", folder / "study.yaml", "-o", path, "--quiet", "--specialize", "off", *arguments)
    assert done.returncode in codes, done.stderr
    return h5py.File(path)


def blocks(file, quantity, n_rows):
    """Rows of the blocks that are whole, [blocks][n_rows], and which they are."""
    y = np.where(file["instance/status"][:] == 0, file[f"quantities/{quantity}"][:], np.nan).reshape(-1, n_rows)
    whole = np.isfinite(y).all(axis=1)
    return y[whole], whole


def counted(file, quantity, whole):
    group = file[f"sensitivity/{quantity}"]
    assert group["n"][()] == whole.sum() and group["n_dropped"][()] == (~whole).sum()
    return group


def folder_with_study():
    folder = tempfile.TemporaryDirectory()
    (pathlib.Path(folder.name) / "study.yaml").write_text(STUDY)
    return folder


def test_saltelli():
    d = len(NAMES)
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        for design, n_rows in (("saltelli", 2 * d + 2), ("{method: saltelli, second_order: false}", d + 2)):
            with run(folder, "--set", f"batch.design={design}", "--set", "batch.sampling=sobol") as file:
                y, whole = blocks(file, "low", n_rows)
                group = counted(file, "low", whole)
                assert 0 < (~whole).sum() < len(whole), "some blocks should have failed"
                y = y - y.mean()
                a, ab, b = y[:, 0], y[:, 1 : d + 1].T, y[:, -1]
                variance = np.var(np.r_[a, b])
                first, total = (b * (ab - a)).mean(axis=1) / variance, 0.5 * ((a - ab) ** 2).mean(axis=1) / variance
                # sums of at most 64 numbers of some variances each
                np.testing.assert_allclose(group["first"][:], first, rtol=0, atol=1e-13)
                np.testing.assert_allclose(group["total"][:], total, rtol=0, atol=1e-13)
                assert (group["first_confidence"][:] > 0).all() and (group["total_confidence"][:] < 0.7).all()
                assert ("second" in group) == (n_rows == 2 * d + 2)
                if "second" in group:
                    ba = y[:, d + 1 : 2 * d + 1].T
                    second = (np.einsum("jn,kn->jk", ba, ab) / len(y) - (a * b).mean()) / variance - first[:, None] - first
                    upper = np.triu(np.ones((d, d)), 1) > 0
                    np.testing.assert_allclose(group["second"][:][upper], second[upper], rtol=0, atol=1e-13)
                    assert np.isnan(group["second"][:][~upper]).all()
                    assert [scale.name for axis in group["second"].dims for scale in axis.values()] == [
                        "/parameter",
                        "/other_parameter",
                    ]
                assert list(file["parameter"].asstr()[:]) == list(file["other_parameter"].asstr()[:]) == NAMES
                # a quantity that all instances have alike has no variance, one that many lack has few blocks
                assert file["sensitivity/same/n"][()] == whole.sum() and np.isnan(file["sensitivity/same/first"][:]).all()
                counted(file, "late", blocks(file, "late", n_rows)[1])


def test_morris():
    d = len(NAMES)
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        with run(folder, "--set", "batch.design=morris") as file:
            y, whole = blocks(file, "low", d + 1)
            group = counted(file, "low", whole)
            units = np.stack([file[f"instance/unit/{name}"][:].reshape(-1, d + 1)[whole] for name in NAMES])
            step, change = np.diff(units, axis=2), np.diff(y, axis=1)
            effects = np.stack([(change[step[j] != 0] / step[j][step[j] != 0]) for j in range(d)])
            assert effects.shape == (d, whole.sum())
            np.testing.assert_allclose(group["mu"][:], effects.mean(axis=1), rtol=1e-12)
            np.testing.assert_allclose(group["mu_star"][:], abs(effects).mean(axis=1), rtol=1e-12)
            np.testing.assert_allclose(group["sigma"][:], effects.std(axis=1, ddof=1), rtol=1e-12)
            # the bootstrap of a mean has its standard error, which 100 resamples tell to some 30 %
            error = 1.96 * abs(effects).std(axis=1) / np.sqrt(whole.sum())
            np.testing.assert_allclose(group["mu_star_confidence"][:], error, rtol=0.3)


def ranks(x):
    """From 0 on, equal ones with the mean of theirs."""
    return ((x[:, None] > x).sum(axis=1) + (x[:, None] >= x).sum(axis=1) - 1) / 2


def test_any_sample():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        rows = np.random.default_rng(1).random((40, 3))
        np.savetxt(folder / "own.csv", rows, header="m,turn,c", delimiter=",", comments="")
        for arguments in ((), ("--set", "batch.sampling=lhs"), ("--samples", folder / "own.csv", "--set", "batch.design=saltelli")):
            with run(folder, *arguments) as file:
                y, whole = blocks(file, "low", 1)
                group = counted(file, "low", whole)
                for j, name in enumerate(NAMES):
                    x = file[f"instance/parameters/{name}"][:][whole]
                    exact = np.corrcoef(ranks(x), ranks(y[:, 0]))[0, 1]
                    found = [group[f"rank_correlation{end}"][j] for end in ("_low", "", "_high")]
                    assert abs(found[1] - exact) < 1e-13 and found[0] < found[1] < found[2], (name, found, exact)


def test_an_own_sample_of_a_scenario_that_draws_nothing():
    """The table's columns are the parameters, as if the scenario drew them; without names, or without a sample, there are none."""
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        rows = np.random.default_rng(1).random((40, 3))
        np.savetxt(folder / "own.csv", rows, header="m,turn,bodies.rod.inertia", delimiter=",", comments="")
        np.save(folder / "own.npy", rows)
        plain = ("--set", "batch.parameters=[]")
        with run(folder, *plain, "--samples", folder / "own.csv") as file:
            assert list(file["parameter"].asstr()) == ["m", "turn", "bodies.rod.inertia"]
            y, whole = blocks(file, "low", 1)
            assert 30 < whole.sum() < 40
            group = counted(file, "low", whole)
            for j in range(3):
                exact = np.corrcoef(ranks(rows[whole, j]), ranks(y[:, 0]))[0, 1]
                assert abs(group["rank_correlation"][j] - exact) < 1e-13, (j, exact)
            unsampled = file["quantities/low"][:]
        with run(folder, *plain, "--samples", folder / "own.csv", "--set", "output.sensitivity=[]") as file:
            assert "sensitivity" not in file and file["quantities/low"][:].tobytes() == unsampled.tobytes()
        for arguments in (plain, (*plain, "--samples", folder / "own.npy")):
            done = sarrus("run", folder / "study.yaml", "-o", folder / "none.h5", "--quiet", *arguments)
            assert done.returncode == 2 and "without sampled parameters" in done.stderr, done
        done = sarrus("run", folder / "study.yaml", *plain, "--samples", folder / "own.csv", "--set", "output.sensitivity=[lowe]")
        assert done.returncode == 2 and "did you mean 'low'?" in done.stderr, done


def test_parts_and_replays_have_none():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        for arguments in (("--shard", "0/2"), ("--instance", "5")):
            with run(folder, *arguments) as file:
                assert "sensitivity" not in file and "parameter" not in file


def test_threads_do_not_matter():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        found = []
        for threads in ("1", "2"):
            with run(folder, "--set", "batch.design=saltelli", "--threads", threads) as file:
                found.append({path: file[f"sensitivity/low/{path}"][()].tobytes() for path in file["sensitivity/low"]})
        assert found[0] == found[1]


def test_what_is_refused():
    with folder_with_study() as name:
        folder = pathlib.Path(name)
        for change, word in (
            ("output.sensitivity=[lowe]", "did you mean 'low'?"),
            ("output.sensitivity=[low, low]", "stands twice"),
            ("output.sensitivity=low", "a list of names of quantities"),
            ("output.sensitivity=[{low: 1}]", "the name of a quantity"),
            ("output.quantities={}", "there is no quantity 'low'"),
            ("batch.parameters=[]", "without sampled parameters"),
        ):
            done = sarrus("check", folder / "study.yaml", "--set", change)
            assert done.returncode == 2 and word in done.stderr, (change, done.stderr)


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
