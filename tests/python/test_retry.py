"""`sarrus run --retry-failed`: a copy of a study whose failed instances were run again. The others keep their bits, new rows are
those of a study that was run so as a whole, what is of all together is made anew; results that do not fit are refused. Exit code 77
(skipped) without a program or without h5py."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
from result_content import PROGRAM, datasets

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"

# A pendulum on a spring: the stiffer, the smaller a step it takes. 20 ms are too long for some.
STUDY = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {k: 1.0}
bodies:
  - {name: rod, mass: 1.0, inertia: 0.1, position: [0.5, 0]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}
forces:
  - {name: s, type: spring, between: [[ground, [1.0, 1.0]], [rod, [0.5, 0]]], stiffness: "=k", rest_length: 0.5}
integrator: {method: rk4, dt: 0.02, t_end: 1.0}
batch:
  instances: 60
  sampling: lhs
  parameters:
    - {name: k, distribution: lognormal, mu: 10, sigma: 1.5}
output:
  every: 5
  channels: [state, energy, rank]
  quantities: {low: "min(rod.y)"}
  sensitivity: [low]
  statistics: {channels: [state, rank, quantities], quantiles: [0.5]}
"""
FOUR_BAR = """\
sarrus: 1
space: planar
parameters: {w: 7.0, m: 3.0}
gravity: [0, -9.81]
bodies:
  - {name: crank, mass: "=m", inertia: 0.0225, position: [0.0, 0.15], velocity: ["=-0.15*w", 0.0], angular_velocity: "=w"}
  - {name: coupler, mass: 1.0, inertia: 0.0833333333333333, position: [0.4, 0.6], velocity: [-1.95, -0.2], angular_velocity: -0.5}
  - {name: rocker, mass: 0.9, inertia: 0.06375, position: [0.9, 0.45], velocity: [-0.9, -0.2], angular_velocity: 2.0}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}
  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.3]}
  - {name: C, type: revolute, bodies: [coupler, rocker], at: [0.8, 0.9]}
  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}
dynamics: {formulation: udwadia-kalaba}
integrator: {method: dopri5, t_end: 1}
output:
  interval: 0.09090909090909091
  channels: [acceleration, joints, constraint, rank]
  points: [{name: tip, body: coupler, at: [0.1, 0.1]}]
batch:
  instances: 3
  seed: 789
  parameters:
    - {name: w, distribution: normal, mean: 7, sd: 2, min: 1, max: 12}
    - {name: m, distribution: uniform, low: 2, high: 4}
    - {path: output.points.tip.at.0, distribution: uniform, low: 0, high: 0.1}
"""
FINE = ("--set", "integrator.dt=0.002", "--set", "output.every=50")
FINER = ("--set", "integrator.dt=0.0001", "--set", "output.every=1000")


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def run(scenario, out, *arguments, codes=(0, 1)):
    done = sarrus("run", scenario, "-o", out, "--quiet", "--specialize", "off", *arguments)
    assert done.returncode in codes, done.stderr
    return done


def over_instances(name):
    """Datasets with a row an instance that a run makes."""
    head = name.split("/")[0]
    return (
        head in ("state", "diagnostics", "quantities", "instance") and "parameters" not in name and "unit" not in name
    ) and name not in (
        "instance/id",
        "instance/retried",
    )


def same(a, b):
    return list(a) == list(b) if a.dtype == object else a.tobytes() == b.tobytes()


def expect_rows(new, old, whole, again):
    """Rows of `again` are those of the study `whole`, others those of `old`."""
    n = len(new["instance/status"])
    rows = np.isin(np.arange(n), again)
    names = [name for name in old if over_instances(name)]
    assert len(names) > 10
    for name in names:
        assert same(new[name][~rows], old[name][~rows]), name
        assert same(new[name][rows], whole[name][rows]), name
    for name in old:
        if name.startswith(("instance/parameters", "instance/unit", "coordinate", "time", "instance/id", "scenario")):
            assert same(np.atleast_1d(new[name]), np.atleast_1d(old[name])), name


def test_rows():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, first, second, third = folder / "study.yaml", folder / "a.h5", folder / "b.h5", folder / "c.h5"
        study.write_text(STUDY)
        run(study, first, codes=(1,))
        run(study, folder / "fine.h5", *FINE)
        run(study, folder / "finer.h5", *FINER, codes=(0,))
        old, fine, finer = (datasets(folder / name) for name in ("a.h5", "fine.h5", "finer.h5"))
        failed = np.flatnonzero(old["instance/status"])
        assert 3 < len(failed) < 55
        done = sarrus("run", study, "--retry-failed", first, "-o", second, "--json", *FINE)
        still = np.flatnonzero(fine["instance/status"])
        still = still[np.isin(still, failed)]
        assert 0 < len(still) < len(failed), "some should fail again"
        assert done.returncode == 1 and json.loads(done.stdout)["retried"] == len(failed), done.stderr
        assert json.loads(done.stdout)["failed"] == len(still) and json.loads(done.stdout)["n_instances"] == 60
        new = datasets(second)
        expect_rows(new, old, fine, failed)
        assert list(np.flatnonzero(new["instance/retried"] == 1)) == list(failed)
        assert "0.002" in new["retries/1/scenario"].decode() and "0.02" in new["scenario"].decode()
        # what is of all instances together
        good = new["instance/status"] == 0
        q = new["state/q"]
        assert same(new["statistics/n"], np.isfinite(new["state/v"][:, :, 0]).sum(axis=0).astype("u8"))
        assert same(new["statistics/state/q/quantiles"][..., 0], np.nanmedian(q, axis=0))
        np.testing.assert_allclose(new["statistics/state/q/mean"], np.nanmean(q, axis=0), rtol=0, atol=1e-12)
        assert new["statistics/quantities/low/n"] == good.sum() == new["sensitivity/low/n"]
        assert new["statistics/quantities/low/max"] == new["quantities/low"][good].max()
        # once more, in the place of the file itself
        assert run(study, third, "--retry-failed", second, *FINER).returncode == 0
        expect_rows(datasets(third), new, finer, still)
        shutil.copy(second, folder / "same.h5")
        run(study, folder / "same.h5", "--retry-failed", folder / "same.h5", *FINER, codes=(0,))
        for path in (third, folder / "same.h5"):
            last = datasets(path)
            marks = last["instance/retried"]
            assert (last["instance/status"] == 0).all() and set(np.flatnonzero(marks == 2)) == set(still)
            assert (marks[failed] > 0).all() and marks.sum() == len(failed) + len(still)
            assert last["sensitivity/low/n_dropped"] == 0
        # nobody has failed: a copy
        run(study, folder / "d.h5", "--retry-failed", third, codes=(0,))
        for name, value in datasets(third).items():
            assert same(np.atleast_1d(value), np.atleast_1d(datasets(folder / "d.h5")[name])), name
        assert not list(folder.glob("*.retry*")) and not list(folder.glob(".*"))
        info = sarrus("info", folder / "d.h5")
        assert info.returncode == 0, info.stderr


def test_kept_trajectories():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, first, second = folder / "study.yaml", folder / "a.h5", folder / "b.h5"
        study.write_text(STUDY)
        run(study, first)
        failed = np.flatnonzero(datasets(first)["instance/status"])
        good = np.setdiff1d(np.arange(60), failed)
        for kept in ([int(failed[1]), int(good[3]), int(failed[-1])], [int(good[0])], "none"):
            settings = ("--set", f"output.instances={kept}")
            run(study, first, *settings, codes=(1,))
            run(study, folder / "fine.h5", *settings, *FINE)
            done = run(study, second, *settings, "--retry-failed", first, *FINE)
            assert "statistics over time are not in it" in done.stderr, done.stderr
            new, old, fine = datasets(second), datasets(first), datasets(folder / "fine.h5")
            assert "statistics/n" not in new and "statistics/quantities/low/n" in new
            for name in old:
                if name.startswith(("quantities", "instance/status")):
                    assert same(new[name][failed], fine[name][failed]) and same(new[name][good], old[name][good])
                if name.startswith("state"):
                    rows = [number in failed for number in new["trajectory"]]
                    for row, is_new in enumerate(rows):
                        assert same(new[name][row], (fine if is_new else old)[name][row]), (name, row)
            assert ("state/q" in new) == (kept != "none")


def test_changes_of_rank():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scenario = SCENARIOS / "five_bar_singular.yaml"
        draws = "[{path: bodies.crank_b.mass, distribution: uniform, low: 0.9, high: 1.1}]"
        common = (
            "--set",
            "integrator.t_end=4",
            "--set",
            "output.channels=[rank]",
            "--set",
            f"batch={{instances: 6, parameters: {draws}}}",
        )
        # a bound that some motions keep and others do not, so that some fail without the scenario being another
        run(scenario, folder / "whole.h5", *common, "--set", "limits.violation=off", "--set", "limits.error=off")
        bound = np.median(datasets(folder / "whole.h5")["instance/max_violation"])
        run(scenario, folder / "a.h5", *common, "--set", f"limits.violation={bound:.17g}", "--set", "limits.error=off", codes=(1,))
        failed = np.flatnonzero(datasets(folder / "a.h5")["instance/status"])
        assert 0 < len(failed) < 6
        run(
            scenario,
            folder / "b.h5",
            "--retry-failed",
            folder / "a.h5",
            *common,
            "--set",
            "limits.violation=off",
            "--set",
            "limits.error=off",
        )
        whole, new = datasets(folder / "whole.h5"), datasets(folder / "b.h5")
        table = sorted(name for name in whole if name.startswith("events/rank/"))
        assert len(table) == 4 and len(whole[table[0]]) > 1
        for name in (*table, "diagnostics/rank", "instance/rank_changes"):
            assert same(new[name], whole[name]), name


def test_small_chunks():
    """A chunk stored without deflate, whose new bytes are deflated to the same number, was read as if they were not."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study = folder / "study.yaml"
        study.write_text(FOUR_BAR)
        run(study, folder / "a.h5", "--set", "integrator.max_steps=146", codes=(1,))
        run(study, folder / "b.h5", "--retry-failed", folder / "a.h5", codes=(0,))
        run(study, folder / "c.h5", codes=(0,))
        new, whole = datasets(folder / "b.h5"), datasets(folder / "c.h5")
        for name in whole:
            assert name.split("/")[0] in ("scenario",) or same(np.atleast_1d(new[name]), np.atleast_1d(whole[name])), name


def test_own_samples():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, bare = folder / "study.yaml", folder / "bare.yaml"
        study.write_text(FOUR_BAR)
        bare.write_text(FOUR_BAR[: FOUR_BAR.index("batch:")])
        (folder / "w.csv").write_text("w\n7\n8\n9\n")
        # a scenario that draws nothing has what was sampled then
        run(bare, folder / "a.h5", "--samples", folder / "w.csv", "--set", "integrator.max_steps=100", codes=(1,))
        run(bare, folder / "b.h5", "--retry-failed", folder / "a.h5", codes=(0,))
        run(bare, folder / "c.h5", "--samples", folder / "w.csv", codes=(0,))
        new, whole = datasets(folder / "b.h5"), datasets(folder / "c.h5")
        for name in ("state/a", "points/tip/position"):
            assert same(new[name], whole[name]) and not same(new[name][0], new[name][1]), name
        # fewer parameters would leave the others at their nominal numbers
        run(study, folder / "a.h5", "--set", "integrator.max_steps=146", codes=(1,))
        fewer = "batch.parameters=[{name: w, distribution: normal, mean: 7, sd: 2, min: 1, max: 12}]"
        done = run(study, folder / "d.h5", "--retry-failed", folder / "a.h5", "--set", fewer, codes=(2,))
        assert "'batch.parameters' differs" in done.stderr


def test_names_of_others():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, first = folder / "study.yaml", folder / "b.h5.retry"
        study.write_text(STUDY)
        run(study, first)
        before = first.read_bytes()
        run(study, folder / "b.h5", "--retry-failed", first, *FINE)
        assert first.read_bytes() == before and not list(folder.glob(".b*"))
        # two at once have rows of their own
        both = [
            subprocess.Popen(
                [PROGRAM, "run", study, "-o", folder / f"{k}.h5", "--quiet", "--specialize", "off", "--retry-failed", first, *words]
            )
            for k, words in (("c", FINE), ("c", FINER))
        ]
        codes = [process.wait(timeout=120) for process in both]
        assert min(codes) <= 1, codes
        new = datasets(folder / "c.h5")
        words = FINER if "0.0001" in new["retries/1/scenario"].decode() else FINE
        run(study, folder / "whole.h5", *words)
        failed = np.flatnonzero(datasets(first)["instance/status"])
        assert same(new["state/q"][failed], datasets(folder / "whole.h5")["state/q"][failed])


def test_nothing_had_failed():
    """The result is a copy, and the command says so."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first, out = folder / "a.h5", folder / "out.h5"
        (folder / "study.yaml").write_text(STUDY.replace("mu: 10", "mu: 3"))
        run(folder / "study.yaml", first, codes=(0,))
        done = sarrus("run", folder / "study.yaml", "--retry-failed", first, "-o", out)
        assert done.returncode == 0 and "no instance had failed" in done.stdout, done
        a, b = datasets(first), datasets(out)
        assert same(a["state/q"], b["state/q"]) and same(a["instance/status"], b["instance/status"])


def test_what_is_refused():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study, first, out = folder / "study.yaml", folder / "a.h5", folder / "out.h5"
        study.write_text(STUDY)
        run(study, first)
        run(study, folder / "part.h5", "--shard", "0/2")
        run(study, folder / "rest.h5", "--shard", "1/2")
        run(study, folder / "one.h5", "--instance", "0")
        assert sarrus("merge", folder / "part.h5", folder / "rest.h5", "-o", folder / "merged.h5").returncode in (0, 1)
        before = first.read_bytes()
        for old, arguments, word in (
            (first, ("--set", "bodies.rod.mass=2"), "'bodies' differs"),
            (first, ("--set", "output.channels=[state]"), "'channels' differs"),
            (first, ("--set", "batch.parameters.0.mu=9"), "'batch.parameters' differs"),
            (first, ("--set", "integrator.dt=0.01"), "other output times"),
            (first, ("--set", "integrator.t_end=2"), "other output times"),
            (folder / "part.h5", (), "of a part of its study"),
            (folder / "one.h5", (), "of a part of its study"),
            (folder / "merged.h5", (), "h5repack"),
            (study, (), "not an HDF5 file"),
            (folder / "none.h5", (), "No such file"),
            (first, ("--seed", "3"), "--seed together with --retry-failed"),
            (first, ("--shard", "0/2"), "--shard together with"),
            (first, ("--instances", "3"), "--instances together with"),
            (first, ("--resume",), "--resume together with"),
        ):
            done = sarrus("run", study, "--retry-failed", old, "-o", out, *arguments)
            assert done.returncode in (2, 3) and word in done.stderr, (word, done.stderr)
            assert not out.exists() and not list(folder.glob("out*")) and not list(folder.glob(".out*"))
        done = sarrus("run", study, "--retry-failed", first, "-o", study, *FINE)
        assert done.returncode == 2 and study.read_text() == STUDY and first.read_bytes() == before


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
