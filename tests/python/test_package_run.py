"""`sarrus.run`, `sarrus.open` and `sarrus.check` against the program on the same scenarios. Exit code 77 (skipped) without the
package."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import h5py
import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE
from test_package_batch import SCENARIO, same

STUDY = str(SOURCE / "scenarios" / "five_bar_monte_carlo.yaml")
SHORT = {"integrator.t_end": 0.1}


def program(*arguments):
    return subprocess.run([str(sarrus.models.program_path()), *arguments], capture_output=True, text=True, check=False)


def datasets(path):
    out = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: out.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return out


def test_file_is_that_of_the_program():
    with tempfile.TemporaryDirectory() as folder:
        own, other = pathlib.Path(folder) / "own.h5", f"{folder}/other.h5"
        result = sarrus.run(STUDY, own, instances=9, seed=3, threads=1, backend="cpu", settings=SHORT)
        done = program("run", STUDY, "-o", other, "--instances", "9", "--seed", "3", "--backend", "cpu", "--quiet", "--set",
                       "integrator.t_end=0.1")  # fmt: skip
        assert done.returncode == 0, done.stderr
        ours, theirs = datasets(own), datasets(other)
        assert set(ours) == set(theirs) == set(result.keys())
        for name, values in ours.items():
            assert np.array_equal(values, theirs[name], equal_nan=values.dtype.kind == "f") if hasattr(values, "dtype") else (
                values == theirs[name]
            ), name
        assert result.path == str(own) and result.summary["output_bytes"] == own.stat().st_size
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, own, instances=2, settings=SHORT, no_clobber=True))
        raises(sarrus.FileError, lambda: sarrus.run(STUDY, f"{folder}/no/such/folder.h5", settings=SHORT))
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, "", settings=SHORT), "path")
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, f"{folder}/a\0b", settings=SHORT))
        precious = pathlib.Path(folder) / "scenario.yaml"
        precious.write_text("sarrus: 1\n")
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, precious, instances=2, settings=SHORT))
        assert precious.read_text() == "sarrus: 1\n"


def test_resume():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.h5"
        first = sarrus.run(STUDY, out, instances=3, settings=SHORT, resume=True)
        assert first.summary["resumed_at"] is None
        about = out.stat()
        again = sarrus.run(STUDY, out, instances=3, settings=SHORT, resume=True, no_clobber=True)
        assert again.summary["is_complete"] and again.summary["resumed_at"] > 0 and again.summary["n_instances"] == 3
        assert (out.stat().st_ino, out.stat().st_mtime_ns) == (about.st_ino, about.st_mtime_ns)
        same(first.q, again.q)
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, out, instances=4, settings=SHORT, resume=True))
        raises(sarrus.ArgumentError, lambda: sarrus.run(STUDY, instances=3, settings=SHORT, resume=True))


def test_in_memory():
    places = pathlib.Path(tempfile.gettempdir())
    before = set(places.glob("sarrus-*"))
    result = sarrus.run(STUDY, instances=9, seed=3, backend="cpu", settings=SHORT)
    assert set(places.glob("sarrus-*")) <= before
    n_times = len(result.time)
    assert result.path is None and result.q.shape == (9, n_times, 12) and result.v.shape == (9, n_times, 12)
    assert not result.status.any() and result["/state/q"].shape == result.q.shape and "diagnostics/energy" in result
    raises(KeyError, lambda: result["state"], "state/q")
    assert "state/z" not in result and result["coordinate"][0] == "crank_a.x" and "five-bar" in result["scenario"]
    assert set(result.parameters) == set(sarrus.load(STUDY).parameters)
    summary = result.summary
    assert summary["is_complete"] and summary["n_instances"] == 9 and summary["n_failed"] == 0 and summary["failures"] == {}
    assert "9 instances" in repr(result) and "<table>" in result._repr_html_()
    # The same numbers as stepping gives.
    batch = sarrus.Batch(STUDY, 9, seed=3, backend="cpu", settings=SHORT)
    same(batch.rollout(n_times, 10, "q", include_start=True)["q"][:, 1:], result.q[:, 1:])
    tree = result.to_xarray()
    same(tree["state/q"].values, result.q)


def test_a_result_is_of_its_own_file():
    """Numbers of a later run under the same name are not the result's. Going on with a complete file leaves it alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "out.h5")
        own = {"settings": SHORT, "backend": "cpu", "specialize": "off"}
        first = sarrus.run(STUDY, path, instances=3, seed=1, **own)
        assert first.q.shape[0] == 3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(sarrus.run(STUDY, path, instances=3, seed=1, resume=True, **own).q, first.q)
        later = [sarrus.run(STUDY, path, instances=3, seed=seed, **own) for seed in (2, 3)]
        page = f"{folder}/page.html"
        for old in (first, later[0]):
            reads = (old.keys, old.to_xarray, lambda old=old: old.q, lambda old=old: old.parameters, lambda old=old: "time" in old)
            more = (lambda old=old: sarrus.report(old, page), lambda old=old: sarrus.animate(old, page))
            for read in (*reads, *more):
                raises(sarrus.FileError, read, str(path), "another file")
        assert later[1].q.shape[0] == 3 and "time" in later[1]
        retried = sarrus.run(STUDY, path, retry_failed=path, **own)
        raises(sarrus.FileError, lambda: later[1].q, "another file")
        moved = path.rename(f"{folder}/moved.h5")
        raises(sarrus.FileError, lambda: retried.q, "not there")
        moved.rename(path)
        assert retried.q.shape[0] == 3


def test_samples():
    table = np.linspace(0.29, 0.31, 5)[:, None]
    result = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=SHORT)
    same(result.parameters["L"], table[:, 0])
    assert result.summary["n_instances"] == 5
    raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=table, instances=4))


def test_samples_in_files():
    table = np.array([[0.29], [0.3], [0.31]])
    labels = sarrus.load(SCENARIO).parameters
    expected = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=SHORT)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        np.save(place / "s.npy", table)
        (place / "s.csv").write_text(f"{labels[0]}\n0.29\n0.3\n0.31\n", encoding="utf-8-sig")
        sarrus.run(SCENARIO, place / "s.h5", samples=table, backend="cpu", settings=SHORT)
        for name in ("s.npy", "s.csv", "s.h5"):
            same(sarrus.run(SCENARIO, samples=place / name, backend="cpu", settings=SHORT).q, expected.q)
            assert sarrus.Batch(SCENARIO, samples=str(place / name), backend="cpu").n == 3
        (place / "s.csv").write_text(f"{labels[0]}\n0.3,2\n", encoding="utf-8")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=place / "s.csv"))
        for text in ("{}\n0.3_0\n", '{}\n"0.3\n', "{},{}\n1,1\n", "{}\n", "{}\nnan\n", "{}\n1" + 140000 * "0", "", "\0\n1\n"):
            (place / "s.csv").write_text(text.replace("{}", labels[0]), encoding="utf-8")
            raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=place / "s.csv"))
        (place / "s.txt").write_text(f"# own\n\n{labels[0]}\n# more\n 0.29 \n0.30\n31e-2\n", encoding="utf-8")
        same(sarrus.run(SCENARIO, samples=place / "s.txt", backend="cpu", settings=SHORT).q, expected.q)
        # As the program reads it: quotes, comments behind blanks, hexadecimal numbers; what it is the content says.
        halves = sarrus.run(SCENARIO, samples=[[0.25], [0.3125]], backend="cpu", settings=SHORT)
        (place / "s.npy").write_text(f' # own\n"{labels[0]}" \n\t# more\n0x1p-2\n "0x5p-4"\n', encoding="utf-8")
        same(sarrus.run(SCENARIO, samples=place / "s.npy", backend="cpu", settings=SHORT).q, halves.q)
        (place / "s.csv").write_text(f"{labels[0]}\n0.3\n0.31x\n", encoding="utf-8")
        error = raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=place / "s.csv"), "s.csv:3:1", "0.31x")
        assert error.diagnostics[0].line == 3
        (place / "s.csv").write_text(f"{labels[0]},none\n0.3,1\n", encoding="utf-8")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=place / "s.csv"), "does not draw 'none'")
        (place / "s.npy").write_bytes(b"")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples=place / "s.npy"))
        for path in ("instance/parameters", f"instance/parameters/{labels[0]}/deeper"):
            with h5py.File(place / "bad.h5", "w") as file:
                file[path] = 1.0
            raises(sarrus.Error, lambda: sarrus.run(SCENARIO, samples=place / "bad.h5"), "bad.h5")
        with h5py.File(place / "plain.h5", "w") as file:
            file[labels[0]] = table[:, 0]
        same(sarrus.run(SCENARIO, samples=place / "plain.h5", backend="cpu", settings=SHORT).q, expected.q)
        raises(sarrus.FileError, lambda: sarrus.run(SCENARIO, samples=place / "none.npy"))
    raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, samples={}, settings={"batch": {}}))


def test_shared_lists_end_soon():
    """A tree that holds itself many times is counted as it is written: 2^40 entries end at a million."""
    tree = [1]
    for _ in range(40):
        tree = [tree, tree]
    raises(sarrus.ArgumentError, lambda: sarrus.load({"sarrus": 1, "space": "planar", "bodies": tree}), "1,000,000 entries")
    pose = [0.5, 0.0]
    bodies = [{"name": name, "mass": 1, "inertia": 0.1, "position": pose} for name in ("a", "b")]
    joints = [{"name": name.upper(), "type": "revolute", "bodies": ["ground", name], "at": [0, 0]} for name in ("a", "b")]
    shared = {"sarrus": 1, "space": "planar", "bodies": bodies, "joints": joints, "integrator": {"dt": 1e-3, "t_end": 1}}
    assert sarrus.load(shared).sizes["n"] == 6


def test_samples_of_a_scenario_that_draws_nothing():
    """Any of its numbers by name or path; the motion is that of one which draws them."""
    own = {"batch.parameters": [{"name": "L", "distribution": "uniform", "low": 0.2, "high": 0.4}]}
    table = {"L": np.linspace(0.29, 0.31, 5)}
    drawn = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=SHORT | own)
    plain = SHORT | {"batch.parameters": []}
    result = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=plain)
    same(result.parameters["L"], table["L"])
    same(result.q, drawn.q)
    same(sarrus.run(sarrus.load(SCENARIO, plain), samples=table, backend="cpu").q, drawn.q)
    masses = sarrus.run(SCENARIO, samples={"bodies.crank.mass": [1.0, 1.0]}, backend="cpu", settings=plain)
    same(masses.q[0], masses.q[1])
    batch = sarrus.Batch(SCENARIO, samples=table, backend="cpu", settings=plain)
    same(batch.q, result.q[:, 0])
    asked = plain | {"output.quantities": {"far": "max(crank.x)"}, "output.sensitivity": ["far"]}
    table = {"L": np.linspace(0.29, 0.31, 5), "bodies.crank.mass": [1.0, 1.2, 0.8, 1.1, 0.9]}
    result = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=asked)
    assert result["parameter"] == list(table) and result["sensitivity/far/rank_correlation"].shape == (2,)
    raises(sarrus.ScenarioError, lambda: sarrus.run(SCENARIO, settings=asked), "a sensitivity without sampled parameters")
    raises(sarrus.ScenarioError, lambda: sarrus.run(SCENARIO, samples={"nothing": [1.0]}, settings=plain), "nothing")
    for bad in ({"L": [np.nan]}, {"L": ["x"]}, {"L": []}, {"L": [0.3, 0.3], "bodies.crank.mass": [1.0, 1.0, 1.0]}):
        raises(sarrus.ArgumentError, lambda bad=bad: sarrus.run(SCENARIO, samples=bad, settings=plain))


def test_numbers_of_instances():
    """A grid or a design whose number is not the scenario's own is that which is asked for, as for the program."""
    draws = [{"name": "L", "distribution": "uniform", "low": 0.2, "high": 0.4}]
    draws.append({"path": "bodies.crank.mass", "distribution": "uniform", "low": 2, "high": 4})
    grid = SHORT | {"batch.parameters": draws, "batch.instances": 2000, "batch.sampling": {"method": "grid", "levels": [3, 2]}}
    own = {"backend": "cpu", "settings": grid}
    result = sarrus.run(SCENARIO, instances=6, **own)
    assert result.summary["n_instances"] == 6 and len(set(result.parameters["L"])) == 3
    batch = sarrus.Batch(SCENARIO, 6, **own)
    same(batch.parameters, np.stack([result.parameters[label] for label in batch.parameter_labels], axis=1))
    for call in (
        lambda: sarrus.run(SCENARIO, **own),
        lambda: sarrus.run(SCENARIO, instances=7, **own),
        lambda: sarrus.Batch(SCENARIO, **own),
        lambda: sarrus.Batch(SCENARIO, 7, **own),
    ):
        raises(sarrus.ScenarioError, call, "2000 instances for a grid of 6 points")
    raises(sarrus.ScenarioError, lambda: sarrus.run(SCENARIO, instances=6, settings=grid | {"integrator.dt": -1}), "dt")
    for call in (lambda: sarrus.run(SCENARIO, instances=0, **own), lambda: sarrus.Batch(SCENARIO, 1.5, **own)):
        raises(sarrus.ArgumentError, call, "a whole number")


def test_parts():
    """What the program does with --parts and --memory, for a path, a dict with settings and a sample: the numbers of one run."""
    with tempfile.TemporaryDirectory() as folder:
        settings = SHORT | {"output.quantities": {"far": "max(crank.x)"}, "output.statistics": ["quantities"]}
        whole = sarrus.run(SCENARIO, instances=12, seed=4, backend="cpu", settings=settings, specialize="off")
        for options, n_parts in (({"parts": 3}, 3), ({"memory": "2G"}, 1), ({"memory": 2e9, "parts": 2, "threads": 1}, 2)):
            path = pathlib.Path(folder, "parted.h5")
            own = {"instances": 12, "seed": 4, "backend": "cpu", "settings": settings, "specialize": "off"}
            result = sarrus.run(SCENARIO, path, **own, **options)
            summary = result.summary
            assert summary["n_parts"] == n_parts and summary["is_complete"] and summary["n_instances"] == 12, summary
            assert summary["n_failed"] == 0 and summary["failures"] == {} and summary["t_end"] == whole.time[-1], summary
            assert "12 instances" in repr(result) and result.path == str(path.absolute())
            same(result.q, whole.q)
            same(result["statistics/quantities/far/mean"], whole["statistics/quantities/far/mean"])
            assert path.with_name("parted.h5.parts").exists() == (n_parts > 1)
            path.unlink()
            shutil.rmtree(f"{path}.parts", ignore_errors=True)
        table = {"L": [0.3, 9.0, 0.31]}
        result = sarrus.run(SCENARIO, path, samples=table, parts=2, backend="cpu", settings=SHORT)
        same(result.parameters["L"], np.array(table["L"]))
        assert result.summary["n_failed"] == 1
        assert result.summary["failures"] == {"assembly_failed": {"count": 1, "first_instance": 1, "first_time": 0.0}}
        own = {"settings": SHORT}
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, parts=2, **own), "without an output")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, f"{folder}/none.h5", parts=0, **own), "parts=0")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, f"{folder}/none.h5", memory=-1, **own), "memory=-1")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, f"{folder}/none.h5", memory="much", **own), "--memory", "much")
        raises(sarrus.FileError, lambda: sarrus.run(SCENARIO, f"{folder}/no/such/none.h5", parts=2, **own))
        assert not list(pathlib.Path(folder).glob("none.h5*"))


def test_parts_are_stopped_and_gone_on_with():
    """Ctrl-C is a KeyboardInterrupt once the program has stopped in order; the next call goes on to the numbers of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "out.h5")
        own = {"instances": 60, "backend": "cpu", "threads": 1, "specialize": "off"}
        settings = {"integrator.t_end": 40.0, "output.interval": 10.0, "output.channels": ["state"]}
        timer = threading.Thread(target=lambda: (_parts_wait(path), os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        raises(KeyboardInterrupt, lambda: sarrus.run(STUDY, path, parts=2, settings=settings, **own))
        timer.join()
        assert not path.exists() and path.with_name("out.h5.parts").is_dir()
        parted = sarrus.run(STUDY, path, parts=2, settings=settings, **own)
        same(parted.q, sarrus.run(STUDY, settings=settings, **own).q)


def _parts_wait(path):
    """Until the first part is being written, or for 20 s."""
    deadline = time.monotonic() + 20
    while not list(path.parent.glob("out.h5.parts/*.partial")) and time.monotonic() < deadline:
        time.sleep(0.01)


def test_retries():
    """Failed instances again with another limit; the others keep their bits; into a file, into memory, and over the old one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "retried.h5")
        own = {"backend": "cpu", "specialize": "off"}
        few = SHORT | {"integrator.method": "dopri5", "integrator.max_steps": 3}
        old = sarrus.run(SCENARIO, path, instances=6, settings=few, **own)
        assert old.summary["n_failed"] == 6
        enough = few | {"integrator.max_steps": 100000}
        whole = sarrus.run(SCENARIO, instances=6, settings=enough, **own)
        for output in (None, f"{folder}/again.h5", path):
            result = sarrus.run(SCENARIO, output, retry_failed=path, settings=enough, **own)
            assert (result.summary["n_retried"], result.summary["n_failed"], result.summary["n_study"]) == (6, 0, 6), result.summary
            same(result.q, whole.q)
            assert list(result["instance/retried"]) == [1] * 6
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, retry_failed=path, seed=3, settings=enough), "seed together")
        raises(sarrus.ArgumentError, lambda: sarrus.run(SCENARIO, retry_failed=path, parts=3, settings=enough), "parts together")
        raises(sarrus.FileError, lambda: sarrus.run(SCENARIO, retry_failed=f"{folder}/missing.h5", settings=enough), "missing.h5")
        other = enough | {"bodies.crank.mass": 7.0}
        raises(sarrus.Error, lambda: sarrus.run(SCENARIO, retry_failed=path, settings=other), "bodies")


def test_failures_are_counted():
    table = np.array([[0.3], [9.0], [0.31]])
    result = sarrus.run(SCENARIO, samples=table, backend="cpu", settings=SHORT)
    assert list(sarrus.status_words(result.status)) == ["ok", "assembly_failed", "ok"]
    assert result.summary["n_failed"] == 1 and result.summary["failures"]["assembly_failed"]["first_instance"] == 1
    assert np.isnan(result.q[1]).all() and np.isfinite(result.q[[0, 2]]).all()


def test_open():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/out.h5"
        sarrus.run(STUDY, path, instances=9, backend="cpu", settings=SHORT)
        with sarrus.open(path) as tree:
            q = tree["state/q"]
            assert q.dims == ("id", "time", "coordinate") and tree.attrs["complete"] == 1
            assert list(q.attrs["units"][:3]) == ["m", "m", "rad"]
            with h5py.File(path) as file:
                same(q.sel(coordinate="coupler.theta").values, file["state/q"][:, :, 11])
                same(tree["time"].values, file["time"][:])
                same(tree["instance/parameters"]["L"].values, file["instance/parameters/L"][:])
            assert tree["events/rank/event_time"].dims == ("event_time",)
        with h5py.File(path, "r+") as file:  # as earlier versions called it
            file.move("events/rank/event_time", "events/rank/time")
            file["events/rank/time"].attrs.modify("NAME", np.bytes_(b"time\0"))
        with sarrus.open(path) as tree:
            assert tree["events/rank/event_time"].dims == ("event_time",) and "time" in tree["state/q"].dims
        own = {"output.channels": ["state", "joints"], "output.statistics": {"channels": ["state", "joints"]}}
        sarrus.run(STUDY, path, instances=9, backend="cpu", settings=SHORT | own)
        with sarrus.open(path) as tree:  # of which a group is called as the scale of another
            joint = next(iter(tree["joints"].children))
            x, mean = tree[f"joints/{joint}/coordinate"], tree[f"statistics/joints/{joint}/coordinate/mean"]
            assert np.abs(mean.values - x.mean("id").values).max() <= 1e-13 * np.abs(x.values).max()
            for of_state in (tree["state/q"], tree["statistics/state/q/mean"]):
                assert str(of_state.coordinate.values[11]) == "coupler.theta"
        raises(sarrus.FileError, lambda: sarrus.open(f"{folder}/none.h5"))
        with h5py.File(path, "r+") as file:  # what h5netcdf takes for granted
            del file["state/q"].attrs["DIMENSION_LIST"]
            file["state/q"].attrs["DIMENSION_LIST"] = 5
        raises(sarrus.FileError, lambda: sarrus.open(path), "out.h5")
        foreign = f"{folder}/foreign.h5"
        with h5py.File(foreign, "w") as file:
            file["x"] = np.arange(3)
        raises(sarrus.FileError, lambda: sarrus.open(foreign), "foreign.h5")
        pathlib.Path(foreign).write_bytes(b"no HDF5 at all" * 99)
        raises(sarrus.FileError, lambda: sarrus.open(foreign), "foreign.h5")


def test_statistics_without_trajectories():
    settings = SHORT | {
        "output.instances": [2, 4],
        "output.statistics": {"channels": ["state", "energy"], "quantiles": [0.5]},
    }
    everything = sarrus.run(STUDY, instances=7, backend="cpu", settings=SHORT)
    result = sarrus.run(STUDY, instances=7, backend="cpu", settings=settings)
    assert np.array_equal(result.q, everything.q[[2, 4]]) and list(result["trajectory"]) == [2, 4]
    assert np.array_equal(result["statistics/state/q/max"], everything.q.max(axis=0))
    with result.to_xarray() as tree:
        assert tree["state/q"].dims == ("trajectory", "time", "coordinate") and list(tree["state/q"]["trajectory"]) == [2, 4]
        assert tree["statistics/state/q/quantiles"].dims == ("time", "coordinate", "quantile")
        assert tree["statistics/n"].dims == ("time",) and np.all(tree["statistics/n"] == 7)
        middle = tree["statistics/state/q/quantiles"].sel(quantile=0.5)
        assert np.array_equal(middle, np.quantile(everything.q, 0.5, axis=0))
    none = sarrus.run(STUDY, instances=7, backend="cpu", settings=settings | {"output.instances": "none"})
    assert "state/q" not in none and "trajectory" not in none and np.array_equal(none.time, everything.time)


def test_several_scenarios():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/mixed.h5"
        settings = {"integrator.t_end": 0.05, "scenarios.0.instances": 3, "scenarios.1.instances": 2}
        model = sarrus.load(str(SOURCE / "scenarios" / "mixed.yaml"), settings)
        assert model.is_mixed
        raises(sarrus.UnsupportedError, lambda: sarrus.Batch(model, 3))
        raises(sarrus.ArgumentError, lambda: sarrus.run(model, instances=3))
        raises(sarrus.ArgumentError, lambda: sarrus.run(model, retry_failed=path), "several scenarios")
        parted = sarrus.run(model, f"{folder}/parted.h5", backend="cpu", parts=2)
        assert parted.summary["n_instances"] == 1005 and parted.summary["n_parts"] == 2, parted.summary
        result = sarrus.run(model, path, backend="cpu")
        same(parted["1/state/q"], result["1/state/q"])
        assert result["0/state/q"].shape[0] == 3 and result["1/state/q"].shape[0] == 2
        with sarrus.open(path) as tree:
            assert tree["1/state/q"].shape[0] == 2


def test_check():
    done = program("check", "--json", STUDY)
    card = sarrus.check(STUDY)
    assert dict(card) == json.loads(done.stdout)
    assert str(card) == card.text == card["card"] == program("check", STUDY).stdout
    assert card["n_redundant"] == 1 and "<pre>" in card._repr_html_()
    singular = sarrus.check(str(SOURCE / "scenarios" / "five_bar_singular.yaml"))
    assert singular.text.startswith("Warnings\n") and singular["warnings"][0]["text"] in singular.text
    assert sarrus.check(STUDY, {"batch.instances": 12})["n_instances"] == 12
    assert sarrus.check(sarrus.load(STUDY, {"batch.instances": 13}))["n_instances"] == 13
    from_dict = sarrus.check(SCENARIO)
    assert from_dict["name"] == "four-bar" and from_dict["n_dof"] == 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "gone.yaml"
        file.write_text(sarrus.load(SCENARIO).resolved)
        model = sarrus.load(file)
        file.unlink()
        assert sarrus.check(model)["n_dof"] == 1
    place = str(SOURCE / "scenarios" / "mixed.yaml")
    assert sarrus.check(sarrus.load(place, {"scenarios.0.instances": 3}))["groups"][0]["n_instances"] == 3
    mixed = sarrus.check(place)
    assert len(mixed["groups"]) >= 2 and mixed["groups"][0]["card"] in mixed.text
    raises(sarrus.ScenarioError, lambda: sarrus.check({**SCENARIO, "joints": "none"}))
    before = pathlib.Path.cwd()
    try:  # a list keeps its place, wherever one goes
        os.chdir(SOURCE / "scenarios")
        model = sarrus.load("mixed.yaml")
        os.chdir(before)
        assert sarrus.check(model).text == mixed.text
    finally:
        os.chdir(before)


def test_warnings():
    """What `sarrus check` warns of is a warning of Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sarrus.run(str(SOURCE / "scenarios" / "five_bar_singular.yaml"), instances=1, settings={"integrator.t_end": 0.01})
        sarrus.run(SCENARIO, settings={"integrator.t_end": 0.01})
    assert [own.category for own in caught] == [sarrus.SarrusWarning] and "singular" in str(caught[0].message)


def test_progress_and_interrupt():
    told = []
    bar = sarrus.studies._Bar

    class Spy(bar):
        def tell(self, *numbers):
            told.append(numbers)
            super().tell(*numbers)
            if numbers[1] > 10**6 and numbers[0] > 300 * 4000:
                os.kill(os.getpid(), signal.SIGINT)

    sarrus.studies._Bar = Spy
    try:
        sarrus.run(STUDY, instances=9, progress=True, settings=SHORT)
        assert told and told[-1][0] == told[-1][1] == 900
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/out.h5"
            settings = {"integrator.t_end": 400, "output.interval": 1}
            # What cannot be written within a tenth of a second is dropped, all of it on a machine that is busy enough.
            for _ in range(5):
                raises(KeyboardInterrupt, lambda: sarrus.run(STUDY, path, instances=300, progress=True, settings=settings))
                if pathlib.Path(path).exists():
                    break
            with sarrus.open(path) as tree:
                assert tree.attrs["complete"] == 0 and tree.sizes["time"] > 0
    finally:
        sarrus.studies._Bar = bar


def test_program_of_the_package():
    for arguments, word in ((["--version"], sarrus.__version__), (["list", "joints"], "revolute")):
        command = [sys.executable, "-m", "sarrus", *arguments]
        assert word in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_is_light():
    """Under 0.3 s on a quiet machine; what counts here is that nothing heavy comes along."""
    heavy = {"xarray", "gymnasium", "h5py", "matplotlib", "torch", "tqdm", "sarrus.animation", "sarrus.gym"}
    text = f"import sys, sarrus; print(sorted({heavy!r} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_time_of_failure():
    """Instances that end between output times: `failed_time` is how far they came, alike in a study of any interval and in a replay
    of one; rows up to it are there, and none behind it."""
    found = {}
    ends = {"integrator.method": "dopri5", "integrator.rtol": 1e-9, "integrator.max_steps": 40}
    with tempfile.TemporaryDirectory() as folder:
        for interval in (0.02, 0.25):
            run = sarrus.run(STUDY, settings=ends | {"output.interval": interval}, instances=8)
            failed, times = run["instance/failed_time"], run["time"]
            assert (run["instance/status"] != 0).all() and not np.isin(failed, times).any()
            there = np.isfinite(run["state/q"]).all(axis=2)
            assert (there == (times <= failed[:, None])).all(), interval
            found[interval] = failed
        assert np.array_equal(found[0.02], found[0.25])
        given = [f"--set={name}={value}" for name, value in ends.items()]
        out = f"{folder}/one.h5"
        done = program("run", STUDY, "--instances", "8", "--instance", "3", "-o", out, "--set=output.interval=0.25", *given)
        assert done.returncode == 1, done.stderr
        with h5py.File(out) as replay:
            assert replay["instance/failed_time"][0] == found[0.25][3]


if __name__ == "__main__":
    sys.exit(run_all(globals()))
