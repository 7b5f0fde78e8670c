"""A result file of the program, read as a user of h5py would: every promise of docs/result_file.md that needs no knowledge of the
mechanism. Exit code 77 (skipped) without a program or without h5py."""

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

N_INSTANCES = 20
SCENARIO = f"""\
sarrus: 1
name: pendulum
space: planar
gravity: [0, -9.81]
bodies:
  - name: rod
    mass: 1.0
    inertia: 0.1
    position: [0.5, 0.0]
joints:
  - name: pivot
    type: revolute
    bodies: [ground, rod]
    at: [0, 0]
integrator:
  method: rk4
  dt: 0.001
  t_end: 0.2
batch:
  instances: {N_INSTANCES}
  seed: 3
  parameters:
    - {{path: bodies.rod.mass, distribution: uniform, low: 0.9, high: 1.1}}
output:
  every: 10
  channels: [state, energy, constraint, rank, reactions]
"""


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def check_root(file):
    assert file.attrs["sarrus_format"] == 1
    assert file.attrs["complete"] == 1
    assert file.attrs["seed"] == 3
    assert file.attrs["n_times_written"] == 21
    for name in ("sarrus_version", "created", "backend", "device", "plan_hash"):
        assert text(file.attrs[name]) != "", name
    assert text(file.attrs["created"]).endswith("Z")
    assert "pendulum" in text(file["scenario"][()])


def check_arrays(file):
    np.testing.assert_allclose(file["time"][:], 0.01 * np.arange(21), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(file["instance/id"][:], np.arange(N_INSTANCES))
    assert len(file["coordinate"]) == 3 and text(file["coordinate"][0]) == "rod.x"
    for name in ("state/q", "state/v"):
        assert file[name].shape == (N_INSTANCES, 21, 3)
        assert file[name].dtype == np.float64
        assert np.isfinite(file[name][...]).all()
    for name in ("energy", "position_error", "velocity_error", "rank"):
        assert file["diagnostics"][name].shape == (N_INSTANCES, 21), name
    assert file["diagnostics/rank"].dtype == np.uint16
    assert file["reactions/pivot"].shape == (N_INSTANCES, 21, 3)
    assert file["reactions/pivot"].attrs["unique"] == 1 and "not unique" not in file["reactions/pivot"].attrs["comment"]
    assert "do to rod, the child" in file["reactions/pivot"].attrs["comment"]
    mass = file["instance/parameters/bodies.rod.mass"][:]
    assert mass.shape == (N_INSTANCES,) and mass.min() >= 0.9 and mass.max() <= 1.1 and np.unique(mass).size == N_INSTANCES


def check_status(file):
    status = file["instance/status"]
    words = h5py.check_enum_dtype(status.dtype)
    assert words["ok"] == 0 and words["diverged"] == 4
    assert list(status.attrs["flag_values"]) == sorted(words.values())
    assert text(status.attrs["flag_meanings"]).split() == sorted(words, key=words.get)
    assert (status[:] == 0).all()
    assert np.isnan(file["instance/failed_time"][:]).all()
    assert all(text(reason) == "" for reason in file["instance/reason"][:])


def check_work(file):
    """What was done for each instance: 200 steps of four stages."""
    for name, count in (("steps", 200), ("rejections", 0), ("evaluations", 800), ("rank_changes", 0)):
        column = file["instance"][name]
        assert column.dtype == np.uint64 and (column[:] == count).all(), name
        assert column.dims[0][0] == file["instance/id"], name


def check_no_events(file):
    for name in ("event_time", "instance", "before", "after"):
        assert file["events/rank"][name].shape == (0,), name


def check_events(file):
    """A table of changes of rank, by time, then by instance; every step is an output, so that the rank itself shows the same."""
    table = file["events/rank"]
    time, instance, before, after = (table[name][:] for name in ("event_time", "instance", "before", "after"))
    assert time.dtype == np.float64 and instance.dtype == np.uint64 and before.dtype == after.dtype == np.uint16
    assert len(time) > 3 and (np.lexsort((instance, time)) == np.arange(len(time))).all()
    assert table["event_time"].is_scale and table["event_time"].maxshape == (None,)
    for name in ("instance", "before", "after"):
        assert table[name].dims[0][0] == table["event_time"], name
    outputs, rank = file["time"][:], file["diagnostics/rank"][:].astype(int)
    before_jump = np.argwhere(np.diff(rank[:, :-1], axis=1) != 0)
    jumps = {(outputs[k + 1], i, rank[i, k], rank[i, k + 1]) for i, k in before_jump}
    assert jumps == set(zip(time, instance.astype(int), before.astype(int), after.astype(int), strict=True))
    np.testing.assert_array_equal(file["instance/rank_changes"][:], np.bincount(instance.astype(int), minlength=len(rank)))
    for name in ("smallest_kept", "largest_dropped"):
        assert text(file["diagnostics"][name].attrs["units"]) == "kg^-0.5"
    assert (file["diagnostics/smallest_kept"][...] > file["diagnostics/largest_dropped"][...]).all()


def check_description(file):
    """Units and a name everywhere; scales on every axis; compressed and checksummed chunks."""
    datasets = []
    file.visititems(lambda _, thing: datasets.append(thing) if isinstance(thing, h5py.Dataset) else None)
    assert len(datasets) > 10
    for dataset in datasets:
        assert "units" in dataset.attrs and "long_name" in dataset.attrs, dataset.name
        if dataset.ndim > 1:
            assert dataset.shuffle and dataset.fletcher32 and dataset.compression == "gzip", dataset.name
            for axis in range(dataset.ndim):
                assert len(dataset.dims[axis]) == 1, (dataset.name, axis)
    assert file["state/q"].dims[0][0] == file["instance/id"]
    assert file["state/q"].dims[1][0] == file["time"]
    assert file["state/q"].dims[2][0] == file["coordinate"]
    assert file["state/v"].dims[2][0] == file["speed"]
    assert file["id"] == file["instance/id"], "the second name that netCDF readers need"


def check_netcdf_readers(path):
    """xarray, where it is installed, opens the groups as they are."""
    try:
        import h5netcdf  # noqa: F401
        import xarray
    except ImportError:
        print("xarray: not installed, left out")
        return
    with xarray.open_dataset(path, group="state", engine="h5netcdf") as state:
        assert dict(state.sizes) == {"id": N_INSTANCES, "time": 21, "coordinate": 3, "speed": 3}
    with xarray.open_dataset(path, group="instance", engine="h5netcdf") as instance:
        assert (instance["steps"] == 200).all()


def check_netcdf_events(path, n_events):
    """The table of events has an axis that readers of netCDF know by the name of its scale."""
    try:
        import h5netcdf  # noqa: F401
        import xarray
    except ImportError:
        return
    with xarray.open_dataset(path, group="events/rank", engine="h5netcdf") as table:
        assert dict(table.sizes) == {"event_time": n_events}
        assert set(table.variables) == {"event_time", "instance", "before", "after"}


def check_run_with_events(program, path):
    scenario = pathlib.Path(os.environ.get("SARRUS_SOURCE_DIR", "."), "scenarios", "four_bar.yaml")
    settings = {
        "dynamics.pinv": "lapack",
        "dynamics.rank": "{method: relative, tol: 0.3}",
        "integrator": "{method: rk4, dt: 0.01, t_end: 1.5, substeps: off}",
        "limits": "{violation: off, energy: off, error: off}",
        "output": "{every: 1, channels: [rank, singular_values]}",
        "batch": "{instances: 3, parameters: [{path: bodies.crank.mass, distribution: uniform, low: 2.0, high: 4.0}]}",
    }
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    run = subprocess.run([program, "run", str(scenario), "-o", str(path), *options], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with h5py.File(path, "r") as file:
        check_events(file)
        check_description_of_events(file)
        n_events = len(file["events/rank/event_time"])
    info = subprocess.run([program, "info", str(path)], capture_output=True, text=True, check=True)
    assert f"events     {n_events} changes of rank" in info.stdout
    check_netcdf_events(path, n_events)


def check_description_of_events(file):
    for dataset in file["events/rank"].values():
        assert text(dataset.attrs["units"]) == ("s" if dataset.name.endswith("time") else "1")
        assert text(dataset.attrs["long_name"]) != ""


def check_texts_of_others(program, path):
    """Names and attributes that would talk to the terminal are told without what it would obey."""
    with h5py.File(path, "r+") as file:
        file.attrs["device"] = "\x1b]0;title\x07 a\u009b31m device"
        file["state"]["odd\x1b[31m\x7f"] = np.zeros(3)
        file["state"]["odd\x1b[31m\x7f"].attrs["units"] = "\x1b[2J"
    info = subprocess.run([program, "info", str(path)], capture_output=True, check=True).stdout.decode()
    assert "?]0;title? a" in info and "state/odd?[31m?" in info and "?[2J" in info, info
    assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in info.replace("\n", "")), info


def main():
    program = os.environ.get("SARRUS_PROGRAM")
    if not program or not os.access(program, os.X_OK):
        print("skipped: SARRUS_PROGRAM names no program")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder, "pendulum.yaml")
        scenario.write_text(SCENARIO, encoding="utf-8")
        path = pathlib.Path(folder, "out.h5")
        run = subprocess.run([program, "run", str(scenario), "-o", str(path)], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        with h5py.File(path, "r") as file:
            check_root(file)
            check_arrays(file)
            check_status(file)
            check_work(file)
            check_no_events(file)
            check_description(file)
        check_netcdf_readers(path)
        check_netcdf_events(path, 0)
        check_run_with_events(program, pathlib.Path(folder, "events.h5"))
        check_texts_of_others(program, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
