"""Every kind of result, opened by readers that know nothing of this project: xarray.open_datatree with h5netcdf and no further
word. Each dataset of the file is in the tree, under its own name, with its own numbers. Files of earlier versions are still read.
Exit code 77 (skipped) without a program, h5py, xarray or h5netcdf."""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5netcdf  # noqa: F401
    import h5py
    import numpy as np
    import xarray
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)

from program import SOURCE, place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

EVERYTHING = "[state, acceleration, energy, work, constraint, rank, singular_values, reactions, joints]"
PLANAR = f"""\
sarrus: 1
space: planar
parameters: {{L: 1.0}}
gravity: [0, -9.81]
bodies:
  - {{name: rod, mass: 1, inertia: 0.1, position: ["=L/2", 0]}}
  - {{name: slider, mass: 2, inertia: 0.1, position: ["=L", 0]}}
joints:
  - {{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], drive: {{signal: {{polynomial: [0, 1]}}}}}}
  - {{name: B, type: revolute, bodies: [rod, slider], at: ["=L", 0]}}
integrator: {{method: rk4, dt: 5.0e-3, t_end: 0.05}}
batch: {{instances: 4, parameters: [{{name: L, distribution: uniform, low: 0.9, high: 1.1}}]}}
output:
  every: 2
  channels: {EVERYTHING}
  points: [{{name: tip, body: rod, at: [0.1, 0.2], channels: [position, velocity, acceleration]}}]
  quantities: {{high: "max(tip.y) - L", late: "first(tip.y < -9)"}}
  statistics: {{channels: [state, energy, reactions, points, drives, quantities], quantiles: [0.1, 0.5]}}
"""
SPATIAL = """\
sarrus: 1
space: spatial
gravity: [0, 0, -9.81]
bodies: [{name: nut, mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0]}]
joints:
  - name: A
    type: cylindrical
    bodies: [ground, nut]
    at: [0, 0, 0]
    axis: [0, 0, 1]
    drive: [{signal: {polynomial: [0, 1]}}, {signal: {polynomial: [0, 2]}}]
integrator: {method: rk4, dt: 5.0e-3, t_end: 0.05}
batch: {instances: 3, parameters: [{path: bodies.nut.mass, distribution: uniform, low: 0.9, high: 1.1}]}
output:
  every: 2
  channels: [state, acceleration, energy, work, constraint, rank, reactions]
  orientations: [euler, bryant, axis, cosines]
  points: [{name: tip, body: nut, at: [0.1, 0.2, 0], channels: [position, velocity]}]
  statistics: {channels: [state, reactions, points, drives]}
"""
# Its rank changes once and again under such a rule.
CHANGING = [
    "dynamics.pinv=lapack",
    "dynamics.rank={method: relative, tol: 0.3}",
    "integrator={method: rk4, dt: 0.01, t_end: 1.5, substeps: off}",
    "limits={violation: off, energy: off, error: off}",
    "output={every: 5, channels: [state, rank]}",
    "batch={instances: 4, parameters: [{path: bodies.crank.mass, distribution: uniform, low: 2.0, high: 4.0}]}",
]


def sarrus(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def run(scenario, out, *settings, more=()):
    words = [word for setting in settings for word in ("--set", setting)]
    sarrus("run", scenario, "-o", out, "--quiet", "--specialize", "off", *words, *more)
    return out


def results(folder):
    """(what it is, path) of a file of each kind."""
    planar, spatial, several = folder / "planar.yaml", folder / "spatial.yaml", folder / "several.yaml"
    planar.write_text(PLANAR, encoding="utf-8")
    spatial.write_text(SPATIAL, encoding="utf-8")
    several.write_text(
        "sarrus: 1\nscenarios: [{file: planar.yaml, instances: 2}, {file: spatial.yaml, instances: 3}]\n"
        "integrator: {method: rk4, dt: 5.0e-3, t_end: 0.05}\noutput: {every: 2, channels: [state, rank, reactions]}\n",
        encoding="utf-8",
    )
    four_bar = SOURCE / "scenarios" / "four_bar.yaml"
    yield "everything in the plane", run(planar, folder / "planar.h5")
    yield "everything in space", run(spatial, folder / "spatial.h5")
    yield "several scenarios", run(several, folder / "several.h5")
    for design in ("plain", "saltelli", "morris"):
        settings = [f"batch.design={design}", "output.sensitivity=[high]", "batch.instances=4"]
        yield f"sensitivity: {design}", run(planar, folder / f"{design}.h5", *settings)
    yield "changes of rank", run(four_bar, folder / "changing.h5", *CHANGING)
    yield "trajectories of some", run(planar, folder / "some.h5", "output.instances=[1, 3]")
    yield "trajectories of none", run(planar, folder / "none.h5", "output.instances=none")
    yield "a replay", run(planar, folder / "replay.h5", more=["--instance", "2"])
    yield "a replay of one of several", run(several, folder / "one.h5", more=["--instance", "1/2"])
    for what, scenario, settings in (("plane", planar, []), ("several", several, []), ("changes", four_bar, CHANGING)):
        parts = [run(scenario, folder / f"{what}{k}.h5", *settings, more=["--shard", f"{k}/2"]) for k in range(2)]
        merged = folder / f"{what}_merged.h5"
        sarrus("merge", *parts, "-o", merged)
        yield f"merged: {what}", merged


def same(a, b):
    if a.dtype.kind in "OU":
        return a.astype(str).tolist() == b.astype(str).tolist()
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def is_free_coordinate(name):
    """/joints/<joint>/coordinate and speed, which are called as the scales /coordinate and /speed: a tree gives those first."""
    return "joints" in name.split("/")[:-2]


def check(what, path):
    """Every dataset by its path in the tree; those that are coordinates or plain variables of it alike."""
    n = 0
    with h5py.File(path) as file, xarray.open_datatree(path, engine="h5netcdf", decode_times=False) as tree:
        datasets = {}
        file.visititems(lambda name, item: datasets.update({name: item}) if isinstance(item, h5py.Dataset) else None)
        for name, dataset in datasets.items():
            values = dataset.asstr()[()] if dataset.dtype.hasobject else dataset[()]
            node, _, leaf = name.rpartition("/")
            variable = tree[node].to_dataset(inherit=False)[leaf] if is_free_coordinate(name) else tree[name]
            assert variable.shape == dataset.shape, (what, name, variable.shape, dataset.shape)
            assert same(np.asarray(values), variable.values), (what, name)
            for axis, dim in enumerate(variable.dims):
                scale = dataset.name if dataset.is_scale else dataset.dims[axis][0].name
                assert scale.rpartition("/")[2] == dim, (what, name, dim, scale)
            n += 1
        assert n > 10, what
    with xarray.open_datatree(path, engine="h5netcdf"):
        pass  # with times decoded, as they are by default
    return n


def make_older(path):
    """The same as earlier versions wrote it: times of changes of rank under the name of the output times."""
    with h5py.File(path, "r+") as file:
        file.move("events/rank/event_time", "events/rank/time")
        file["events/rank/time"].attrs.modify("NAME", np.bytes_(b"time\0"))


def check_older(folder):
    """Parts that an earlier version has left have the same changes of rank, alone and merged."""
    four_bar = SOURCE / "scenarios" / "four_bar.yaml"
    parts = [run(four_bar, folder / f"older{k}.h5", *CHANGING, more=["--shard", f"{k}/2"]) for k in range(2)]
    counts = [json.loads(sarrus("info", part, "--json"))["n_rank_events"] for part in parts]
    assert min(counts) > 0
    for part in parts:
        make_older(part)
    assert [json.loads(sarrus("info", part, "--json"))["n_rank_events"] for part in parts] == counts
    merged = folder / "older.h5"
    sarrus("merge", *parts, "-o", merged)
    assert json.loads(sarrus("info", merged, "--json"))["n_rank_events"] == sum(counts)
    with h5py.File(merged) as file, h5py.File(folder / "changes_merged.h5") as newer:
        for name, column in newer["events/rank"].items():
            assert same(file["events/rank"][name.removeprefix("event_")][()], column[()]), name


def main():
    with tempfile.TemporaryDirectory() as folder:
        for what, path in results(pathlib.Path(folder)):
            print(f"{what}: {check(what, path)} datasets")
        check_older(pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
