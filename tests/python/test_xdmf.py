"""The channel joint_points, and `sarrus xdmf`, which makes lines of them that ParaView shows: the file is read by its own words
here, by VTK where that is installed, and by each reader of ParaView where that is (pvpython on the path, or PVPYTHON); places are
those of the result to the bit, and a picture has the colors of the bodies. Exit code 77 (skipped) without a program or h5py."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)

from program import SOURCE, place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None
PVPYTHON = os.environ.get("PVPYTHON") or shutil.which("pvpython")
READERS = ("any", "XDMFReader", "Xdmf3ReaderS", "Xdmf3ReaderT")

PLANAR = """\
sarrus: 1
name: "rod & slider"
space: planar
parameters: {L: 1.0}
gravity: [0, -9.81]
bodies:
  - {name: crank, mass: 1, inertia: 0.1, position: ["=L/2", 0]}
  - {name: slider, mass: 2, inertia: 0.1, position: [2, 0]}
  - {name: bob, mass: 1, inertia: 0.1, position: ["=L", -0.5]}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], ["=-L/2", 0]]}
  - {name: rod, type: distance, bodies: [crank, slider], points: [["=L/2", 0], [0.1, 0]]}
  - {name: guide, type: prismatic, bodies: [ground, slider], at: [2, 0], axis: [1, 0]}
  - {name: B, type: revolute, bodies: [crank, bob], points: [["=L/2", 0], [0, 0.5]]}
integrator: {method: rk4, dt: 2.0e-3, t_end: 0.1}
batch: {instances: 5, parameters: [{name: L, distribution: uniform, low: 0.9, high: 1.1}]}
output:
  every: 5
  channels: [state, joint_points]
  points: [{name: tip, body: bob, at: [0.1, -0.2]}]
"""


def sarrus(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stderr


def run(scenario, out, *settings, more=()):
    words = [word for setting in settings for word in ("--set", setting)]
    sarrus("run", scenario, "-o", out, "--quiet", "--specialize", "off", *words, *more)
    return out


def carried(q, s):
    """Points s [N, 2] of a body in the plane whose coordinates are q [N, T, 3]."""
    c, n = np.cos(q[..., 2]), np.sin(q[..., 2])
    return q[..., :2] + np.stack([c * s[:, None, 0] - n * s[:, None, 1], n * s[:, None, 0] + c * s[:, None, 1]], axis=-1)


def check_places(path):
    """Against the coordinates of the bodies and the drawn length."""
    with h5py.File(path) as file:
        q, length = file["state/q"][...], file["instance/parameters/L"][:]
        zero, joints = np.zeros_like(length), file["joints"]
        crank, bob = q[..., :3], q[..., 6:9]
        assert sorted(joints["A"]) == ["point"] and sorted(joints["guide"]) == ["parent_point", "point"]
        assert joints["A"]["point"].attrs["units"] == "m" and joints["A"]["point"].dims[2][0].name == "/vector_component"
        near = {"rtol": 0, "atol": 4e-16 * 8}  # some sums and products of numbers up to 2
        np.testing.assert_allclose(joints["A"]["point"], carried(crank, np.stack([-length / 2, zero], axis=1)), **near)
        np.testing.assert_allclose(joints["B"]["point"], carried(bob, np.stack([zero, zero + 0.5], axis=1)), **near)
        np.testing.assert_allclose(joints["rod"]["parent_point"], carried(crank, np.stack([length / 2, zero], axis=1)), **near)
        rod = np.linalg.norm(joints["rod"]["point"][...] - joints["rod"]["parent_point"][...], axis=2)
        assert np.ptp(rod, axis=1).max() < 1e-9 and np.ptp(rod[:, 0]) > 0.01  # each keeps its own
        assert (joints["guide"]["parent_point"][...] == [2, 0]).all()
        np.testing.assert_array_equal(joints["B"]["point"][:, 0], joints["B"]["point"][:, 0])


def item_value(item):
    """Numbers of a DataItem, which stand in it."""
    assert item.get("Format") == "XML" and not item.findall("*")
    return np.array(item.text.split(), dtype=float).reshape([int(n) for n in item.get("Dimensions").split()])


def grids_of(path):
    """[(time, [(name, places, lines, bodies)])] of the file."""
    domain = ElementTree.parse(path).getroot().find("Domain")
    out = []
    for step in domain.find("Grid"):
        alone = step.get("GridType") == "Uniform"
        grids = []
        for grid in [step] if alone else step.findall("Grid"):
            topology = grid.find("Topology")
            places = item_value(grid.find("Geometry/DataItem"))
            text = ElementTree.tostring(grid, encoding="unicode")
            assert "Reference" not in text and not re.search(r">\s+<", text.strip())  # what VTK trips over
            lines, bodies = (item_value(item).astype(int) for item in (topology.find("DataItem"), grid.find("Attribute/DataItem")))
            assert len(lines) == len(bodies) == int(topology.get("NumberOfElements"))
            grids.append((grid.get("Name"), places, lines, bodies))
        out.append((float(step.find("Time").get("Value")), grids))
    return out


def check_vtk(path, steps):
    """The same by VTK, which ParaView reads with."""
    if vtk is None:
        return
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert np.array_equal(times, [time for time, _ in steps])
    for time, grids in steps:
        reader.UpdateTimeStep(time)
        blocks = [reader.GetOutputDataObject(0)]
        while hasattr(blocks[0], "GetBlock"):
            blocks = [block.GetBlock(i) for block in blocks for i in range(block.GetNumberOfBlocks())]
        assert len(blocks) == len(grids)
        for block, (_, places, lines, bodies) in zip(blocks, grids, strict=True):
            assert np.array_equal(vtk_to_numpy(block.GetPoints().GetData())[:, : places.shape[1]], places)
            assert np.array_equal(vtk_to_numpy(block.GetCells().GetConnectivityArray()).reshape(-1, 2), lines)
            assert np.array_equal(vtk_to_numpy(block.GetCellData().GetArray("body")), bodies)


def check_paraview(path, steps, picture=False):
    """The same by each reader of ParaView; with a picture, that it has the colors of several bodies, where a screen can be had."""
    if PVPYTHON is None:
        return
    screen = [] if "DISPLAY" in os.environ else [shutil.which("xvfb-run"), "-a"]
    script, out = pathlib.Path(__file__).with_name("paraview_places.py"), path.with_suffix(".npz")
    for reader in READERS:
        is_drawn = picture and reader == READERS[0] and None not in screen  # one xvfb-run may trip over the end of another
        command = [*(screen if is_drawn else []), PVPYTHON, "--force-offscreen-rendering", script, reader, path, out]
        command += [path.with_suffix(".png")] if is_drawn else []
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0 and "ERR|" not in done.stderr, (reader, done.stdout, done.stderr)
        with np.load(out) as found:
            assert np.array_equal(found["times"], [time for time, _ in steps]), reader
            assert sum(name.endswith("_points") for name in found) == sum(len(grids) for _, grids in steps), reader
            for t, (_, grids) in enumerate(steps):
                for g, (_, places, lines, bodies) in enumerate(grids):
                    points = found[f"{t}_{g}_points"]
                    assert points.dtype == np.float64 and not points[:, places.shape[1] :].any(), reader
                    assert np.array_equal(points[:, : places.shape[1]], places), reader
                    assert np.array_equal(found[f"{t}_{g}_lines"], lines), reader
                    assert np.array_equal(found[f"{t}_{g}_body"], bodies), reader
            print(f"{path.name}: {found['version']}, {reader} ({found['reader']}){', drawn' if is_drawn else ''}")
            assert not is_drawn or found["colors"] >= 4, "fewer colors than the background, two bodies and a rod"


def check_readers(path, steps, picture=False):
    check_vtk(path, steps)
    check_paraview(path, steps, picture)


def check_lines(folder, path):
    """Two instances, every second time: lines from centres to joints and points, and the rod."""
    out = folder / "two.xdmf"
    sarrus("xdmf", path, "-o", out, "--instance", "1", "--instance", "3", "--every", "2", "--quiet")
    steps = grids_of(out)
    with h5py.File(path) as file:
        assert [time for time, _ in steps] == list(file["time"][::2])
        for k, (_, grids) in enumerate(steps):
            assert [name for name, *_ in grids] == ["instance 1", "instance 3"]
            for i, (_, places, lines, bodies) in zip((1, 3), grids, strict=True):
                at = (i, 2 * k)
                q, joints = file["state/q"][at].reshape(-1, 3), file["joints"]
                drawn = {(body, *places[a], *places[b]) for body, (a, b) in zip(bodies, lines, strict=True)}
                ends = [(0, joints["A"]["point"][at]), (0, joints["rod"]["parent_point"][at]), (0, joints["B"]["point"][at])]
                ends += [(1, joints["rod"]["point"][at]), (1, joints["guide"]["point"][at])]
                ends += [(2, joints["B"]["point"][at]), (2, file["points/tip/position"][at])]
                wanted = {(body, *q[body, :2], *end) for body, end in ends}
                wanted.add((-1, *joints["rod"]["parent_point"][at], *joints["rod"]["point"][at]))
                assert drawn == wanted, (drawn, wanted)
    check_readers(out, steps, picture=True)


def check_kinds(folder, planar, path):
    """Other results: in space with many joints, without states, of some trajectories, several scenarios, parts, failures."""
    stewart = folder / "stewart.h5"
    settings = ["output={every: 10, channels: [state, joint_points]}", "integrator.t_end=0.05"]
    run(SOURCE / "scenarios" / "stewart_platform.yaml", stewart, *settings)
    sarrus("xdmf", stewart, "--quiet")
    steps = grids_of(folder / "stewart.xdmf")
    with h5py.File(stewart) as file:
        for name, joint in file["joints"].items():
            assert any((place == joint["point"][0, -1]).all() for place in steps[-1][1][0][1]), name
    check_readers(folder / "stewart.xdmf", steps)
    for name, settings, words in (
        ("bare", ["output.channels=[joint_points]"], ()),
        ("some", ["output.instances=[2, 4]"], ("--instance", "4")),
        ("one", [], ("--instance", "2")),
    ):
        out = run(planar, folder / f"{name}.h5", *settings, more=["--instance", "2"] if name == "one" else [])
        sarrus("xdmf", out, *words, "--quiet")
        ((label, places, *_),) = grids_of(folder / f"{name}.xdmf")[-1][1]
        number = int(label.split()[1])
        with h5py.File(path) as file:
            last = file["joints/B/point"][number, -1]
            assert any((place == last).all() for place in places), name
    parts = [run(planar, folder / f"part{k}.h5", more=["--shard", f"{k}/2"]) for k in range(2)]
    sarrus("merge", *parts, "-o", folder / "merged.h5", "--quiet")
    sarrus("xdmf", folder / "merged.h5", "--instance", "4", "--quiet")
    sarrus("xdmf", path, "--instance", "4", "--quiet")
    whole, merged = (grids_of(folder / name) for name in ("out.xdmf", "merged.xdmf"))
    assert all((a[1][0][1] == b[1][0][1]).all() for a, b in zip(whole, merged, strict=True))
    check_readers(folder / "merged.xdmf", merged)
    several = folder / "several.yaml"
    several.write_text(
        "sarrus: 1\nscenarios: [{file: planar.yaml, instances: 1}, {file: planar.yaml, instances: 2}]\n"
        "integrator: {method: rk4, dt: 2.0e-3, t_end: 0.02}\noutput: {every: 5, channels: [state, joint_points]}\n",
        encoding="utf-8",
    )
    run(several, folder / "several.h5")
    assert "expected the number of one" in sarrus("xdmf", folder / "several.h5", code=2)
    sarrus("xdmf", folder / "several.h5", "--group", "1", "--instance", "1", "--quiet")
    assert len(grids_of(folder / "several.xdmf")) == 3
    run_failing = [
        "integrator={method: dopri5, dt: 1.0e-2, t_end: 0.1, max_steps: 3, rtol: 1.0e-12, atol: 1.0e-14}",
        "output.every=1",
    ]
    done = subprocess.run(
        [PROGRAM, "run", planar, "-o", folder / "failing.h5", "--quiet"] + [w for s in run_failing for w in ("--set", s)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    sarrus("xdmf", folder / "failing.h5", "--quiet")
    steps = grids_of(folder / "failing.xdmf")
    assert all(np.isfinite(grids[0][1]).all() for _, grids in steps)
    check_readers(folder / "failing.xdmf", steps)


def check_refusals(folder, planar, path):
    plain = run(planar, folder / "plain.h5", "output.channels=[state]")
    assert "joint_points" in sarrus("xdmf", plain, code=2)
    silent = run(planar, folder / "silent.h5", "output.instances=none")
    assert "no trajectories" in sarrus("xdmf", silent, code=2)
    for name, twice in (("once", ()), ("twice", ("--instance", "0"))):
        sarrus("xdmf", path, "-o", folder / f"{name}.xdmf", "--instance", "0", *twice)
    assert (folder / "twice.xdmf").read_text() == (folder / "once.xdmf").read_text()
    assert "no trajectory of instance 7" in sarrus("xdmf", path, "--instance", "7", code=2)
    text = planar.read_text(encoding="utf-8")
    assert "expected a name that is free" in sarrus("xdmf", path, "-o", planar, code=2)
    assert planar.read_text(encoding="utf-8") == text
    sarrus("xdmf", folder / "none.h5", code=3)
    sarrus("xdmf", code=2)
    sarrus("xdmf", path, "-o", folder / "no" / "folder.xdmf", code=3)
    moving = SOURCE / "scenarios" / "kapitza_pendulum.yaml"
    assert "ground at rest" in sarrus("run", moving, "--set", "output.channels=[joint_points]", "-o", folder / "k.h5", code=2)


def check_full(folder, path):
    """Where there is no room for all of it, an older file stays, and nothing is left beside it; a pipe gets it at once."""
    out = folder / "full.xdmf"
    sarrus("xdmf", path, "-o", out, "--quiet")
    before = out.read_bytes()
    room = len(before) // 2 // 1024
    command = ["bash", "-c", f'ulimit -f {room}; exec "$0" xdmf "$1" -o "$2" --quiet', PROGRAM, path, out]
    done = subprocess.run(command, capture_output=True, check=False)
    assert room > 0 and done.returncode == 3, done
    assert out.read_bytes() == before and not out.with_name("full.xdmf.partial").exists()
    command = ["bash", "-c", 'timeout 20 "$0" xdmf "$1" -o /dev/stdout --quiet | cat', PROGRAM, path]
    assert subprocess.run(command, capture_output=True, check=False, timeout=60).stdout == before


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        planar = folder / "planar.yaml"
        planar.write_text(PLANAR, encoding="utf-8")
        path = run(planar, folder / "out.h5")
        check_places(path)
        check_lines(folder, path)
        check_kinds(folder, planar, path)
        check_refusals(folder, planar, path)
        check_full(folder, path)
    print("read by VTK too" if vtk is not None else "VTK is not installed")
    print("read by ParaView too" if PVPYTHON is not None else "ParaView is not installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
