"""`sarrus.Batch` and `sarrus.load`, as a user calls them: bits of resets, snapshots and redraws, fields, observables, misuse. Exit
code 77 (skipped) without the package."""

import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE

# A four-bar with a torque on its crank and a drawn length, short enough to be made often.
SCENARIO = {
    "sarrus": 1,
    "name": "four-bar",
    "space": "planar",
    "gravity": [0, -9.81],
    "parameters": {"L": 0.3},
    "bodies": [
        {"name": "crank", "mass": 3.0, "inertia": 0.0225, "position": [0, "=L/2"]},
        {"name": "coupler", "mass": 1.0, "inertia": 0.08, "position": [0.4, 0.6]},
        {"name": "rocker", "mass": 0.9, "inertia": 0.06, "position": [0.9, 0.45]},
    ],
    "joints": [
        {"name": "A", "type": "revolute", "bodies": ["ground", "crank"], "points": [[0, 0], [0, "=-L/2"]], "damping": 0.1},
        {"name": "B", "type": "revolute", "bodies": ["crank", "coupler"], "points": [[0, "=L/2"], [-0.4, -0.3]]},
        {"name": "C", "type": "revolute", "bodies": ["coupler", "rocker"], "at": [0.8, 0.9]},
        {"name": "D", "type": "revolute", "bodies": ["ground", "rocker"], "at": [1, 0]},
    ],
    "forces": [{"name": "motor", "type": "torque", "body": "crank", "value": {"input": 0}}],
    "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 1.0},
    "output": {"interval": 0.01, "channels": ["state", "energy", "reactions", "rank"]},
    "batch": {
        "instances": 7,
        "seed": 5,
        "parameters": [{"name": "L", "distribution": "uniform", "low": 0.28, "high": 0.32}],
    },
}


def batch(n=11, **options):
    return sarrus.Batch(SCENARIO, n, **{"backend": "cpu", "specialize": "off", "threads": 1, **options})


def with_settings(**settings):
    return sarrus.load(SCENARIO, {key.replace("__", "."): value for key, value in settings.items()})


def same(a, b):
    assert np.array_equal(a, b, equal_nan=True), f"differs by {np.nanmax(np.abs(a - b))}"


def test_model():
    model = sarrus.load(SCENARIO)
    assert model.name == "four-bar" and model.path is None and not model.is_mixed
    assert model.n_instances == 7 and model.seed == 5 and model.parameters == ["L"]
    assert model.joints == ["A", "B", "C", "D"]
    assert model.coordinates[:3] == ["crank.x", "crank.y", "crank.theta"] and model.speeds[2] == "crank.omega"
    assert model.sizes["n_dof"] == 1 and model.sizes["n_inputs"] == 1
    assert "degrees of freedom" in model.card and "four-bar" in repr(model) and "<pre>" in model._repr_html_()
    assert with_settings(batch__instances=3).n_instances == 3
    assert sarrus.load(model.resolved).coordinates == model.coordinates


def test_fields():
    b = batch()
    assert len(b) == b.n == 11 and b.backend == "cpu" and "1 thread" in b.device
    assert b.q.shape == b.v.shape == (11, 9) and b.input.shape == b.parameters.shape == (11, 1)
    assert b.time.shape == b.status.shape == (11,) and b.status.dtype == np.uint8 and not b.status.any()
    assert b.parameter_labels == ["L"] and (b.parameters >= 0.28).all() and len(np.unique(b.parameters)) == 11
    b.advance(10)
    assert np.allclose(b.time, 0.01, rtol=1e-15)
    assert b.interval == 1e-3 and not b.q.flags.writeable and b.read("q").flags.writeable
    out = np.empty((11, 9))
    assert b.read("q", out) is out
    same(out, b.q)


def test_see():
    """Numbers of the bodies go into the caller's own array; one that would be copied on the way is refused, not left as it was."""
    b = batch()
    b.advance(10)
    table = np.array([[0, 0, -1, 0, 0, -1], [1, 2, -1, 0, 0, -1]], dtype=np.int32)
    at, out = np.zeros((2, 3)), np.full((2, 11), -7.0)
    b.see(table, at, None, None, out)
    assert np.array_equal(out[0], b.q[:, 0]) and np.array_equal(out[1], b.v[:, 2])
    frozen = out.copy()
    frozen.flags.writeable = False
    for wrong in (
        (table, at, None, None, out.astype(np.float32)), (table, at, None, None, np.zeros((11, 2)).T),
        (table, at, None, None, out[None]),
        (table, at, None, None, np.zeros(22)), (table, at, None, None, np.zeros((2, 22))[:, ::2]), (table, at, None, None, frozen),
        (table.astype(np.int64), at, None, None, out), (table, at[:1], None, None, out), (table[:, :5].copy(), at, None, None, out),
        (table, at, np.zeros((10, 2)), None, out), (table, at, None, np.ones(10, bool), out),
    ):  # fmt: skip
        raises(sarrus.ArgumentError, lambda wrong=wrong: b.see(*wrong))
    beyond = np.array([[0, 9, -1, 0, 0, -1]], dtype=np.int32)
    raises(sarrus.ArgumentError, lambda: b.see(beyond, at[:1], None, None, out[:1]))


def test_view():
    """The same numbers in place, and what is written there is stepped with."""
    b = sarrus.Batch(with_settings(dynamics__formulation="udwadia-kalaba"), 11, backend="cpu", specialize="off")
    b.advance(5)
    view = b.view("q")
    n_tiles, width, n_lanes = view.shape
    assert width == 9 and n_tiles == -(-11 // n_lanes)
    same(view.transpose(0, 2, 1).reshape(-1, 9)[:11], b.q)
    inputs = b.view("input")
    inputs[3 // n_lanes, 0, 3 % n_lanes] = 2.5
    assert b.input[3, 0] == 2.5 and np.count_nonzero(b.input) == 1
    capsule = np.from_dlpack(inputs)
    assert np.shares_memory(capsule, inputs)
    kept = b.q
    del b
    same(view.transpose(0, 2, 1).reshape(-1, 9)[:11], kept)
    # Over a tree the tiles hold coordinates of joints.
    over_tree = sarrus.Batch(with_settings(dynamics__formulation="relative"), 3, backend="cpu", specialize="off")
    for field, find in (("q", over_tree.view), ("v", over_tree.view), ("q", over_tree.device_view)):
        words = (f"Batch.{field}", 'settings={"dynamics.formulation": "udwadia-kalaba"}')
        raises(sarrus.UnsupportedError, lambda find=find, field=field: find(field), *words)


def test_reset_is_a_fresh_batch():
    for formulation in ("udwadia-kalaba", "relative"):
        model = with_settings(dynamics__formulation=formulation)
        b, fresh, undisturbed = (sarrus.Batch(model, 11, backend="cpu", specialize="off") for _ in range(3))
        torque = np.linspace(-1, 1, 11)
        for own in (b, undisturbed):
            own.input = torque
            own.advance(37)
        mask = np.arange(11) % 3 == 0
        b.reset(mask)
        assert (b.input[mask] == 0).all() and (b.time[mask] == 0).all() and (b.time[~mask] > 0).all()
        b.write("input", torque[:, None], mask)
        fresh.input = torque
        for own in (b, fresh, undisturbed):
            own.advance(21)
        same(b.q[mask], fresh.q[mask])
        same(b.v[mask], fresh.v[mask])
        same(b.q[~mask], undisturbed.q[~mask])
        b.reset()
        b.input = torque
        b.advance(21)
        same(b.q, fresh.q)


def test_place_and_threads_do_not_matter():
    large, small, part = batch(40, threads=2), batch(5), batch(3, first_instance=20)
    for own in (large, small, part):
        own.advance(50)
    same(large.q[:5], small.q)
    same(large.q[20:23], part.q)
    same(large.parameters[20:23], part.parameters)


def test_save_and_load():
    b = batch()
    b.advance(10)
    data = b.save()
    assert isinstance(data, bytes)
    b.advance(10)
    wanted, parameters = b.q, b.parameters
    other = batch(11, seed=99)
    other.load(data)
    other.advance(10)
    same(other.q, wanted)
    same(other.parameters, parameters)
    raises(sarrus.ScenarioError, lambda: other.load(data[:-1]))
    raises(sarrus.ScenarioError, lambda: other.load(bytes([data[0] ^ 1]) + data[1:]))
    same(other.q, wanted)
    raises(sarrus.ScenarioError, lambda: batch(12).load(data))
    # another formulation is another plan, and the one that was chosen can be named
    bodies, again, tree = (
        sarrus.Batch(with_settings(dynamics__formulation=own), 11, backend="cpu", specialize="off")
        for own in ("udwadia-kalaba", "udwadia-kalaba", "relative")
    )
    raises(sarrus.ScenarioError, lambda: tree.load(bodies.save()), "another plan", "dynamics.formulation as it was then")
    again.load(bodies.save())


def test_redraw():
    b = batch()
    first = b.parameters
    b.redraw()
    assert (b.episode == 1).all() and not np.any(b.parameters == first)
    second = b.parameters
    b.redraw(episodes=np.zeros(11, dtype=int))
    same(b.parameters, first)
    mask = np.arange(11) == 4
    b.redraw(mask, episodes=1)
    same(b.parameters[mask], second[mask])
    same(b.parameters[~mask], first[~mask])
    b.redraw(seeds=np.arange(11))
    assert not np.any(b.parameters == first)
    b.redraw(episodes=1, numbers=np.arange(11)[::-1])
    same(b.parameters, second[::-1])
    b.redraw(mask, episodes=1, numbers=4)
    assert (b.parameters[4] == second[4]).all() and (b.parameters[~mask] == second[::-1][~mask]).all()
    b.redraw(numbers=2**64 - 1, episodes=1)
    assert np.unique(b.parameters).size == 1
    for episode in (2**53 + 1, 2**64 - 1):  # doubles would round them
        b.redraw(mask, episodes=episode)
        assert b.episode.tolist() == [episode if own else 1 for own in mask]
        other = batch()
        other.load(b.save())
        assert other.episode.tolist() == b.episode.tolist()


def test_samples_and_nominal():
    table = np.linspace(0.29, 0.31, 6)[:, None]
    for samples in (table, {"L": table[:, 0]}):
        b = sarrus.Batch(SCENARIO, samples=samples, backend="cpu", specialize="off")
        assert b.n == 6
        same(b.parameters, table)
    assert sarrus.Batch(SCENARIO, samples={"L": 0.31}, backend="cpu", specialize="off").parameters.tolist() == [[0.31]]
    assert (batch(4, draw=False).parameters == 0.3).all()
    raises(sarrus.ArgumentError, lambda: sarrus.Batch(SCENARIO, samples={"M": [1.0]}), "'M'", "'L'")
    raises(sarrus.ArgumentError, lambda: sarrus.Batch(SCENARIO, samples=np.ones((3, 2))), "(3, 2)")
    raises(sarrus.ArgumentError, lambda: sarrus.Batch(SCENARIO, 4, samples=table), "6 rows")
    raises(sarrus.ArgumentError, lambda: sarrus.Batch(SCENARIO, samples=[[np.nan]]))


def test_write_and_assemble():
    """Torn loops are closed again; a length that closes none fails alone."""
    b = batch()
    assert b.observe("position_error")["position_error"].max() < 1e-9
    b.write("q", b.q + 0.01 * np.random.default_rng(1).normal(size=b.q.shape))
    assert b.observe("position_error")["position_error"].min() > 1e-3
    b.assemble()
    assert not b.status.any() and b.observe("position_error")["position_error"].max() < 1e-9
    lengths = b.read("parameters")
    lengths[3], lengths[7] = 9.0, np.nan
    b.parameters = lengths
    b.assemble()
    assert [sarrus.STATUS_WORDS[i] for i in b.status[[3, 7]]] == ["assembly_failed", "invalid_parameter"]
    assert not np.delete(b.status, [3, 7]).any()
    same(b.parameters, lengths)


def test_nan_harms_one():
    b, well = batch(), batch()
    torque = np.zeros(11)
    torque[6] = np.nan
    b.input = torque
    for own in (b, well):
        own.advance(3)
    others = np.arange(11) != 6
    assert sarrus.status_words(b.status)[6] == "nonfinite_force" and b.failed_step[6] == 1
    same(b.q[others], well.q[others])
    assert np.isnan(b.observe("energy")["energy"][6]) and np.isfinite(b.q).all()
    b.reset(~others)
    assert not b.status.any()
    b.advance(3)
    same(b.q[6], well.q[6])


def test_written_numbers_that_are_not_finite():
    """They mark the instances whose numbers they are, also over a tree, which asks bodies for some of theirs alone."""
    for formulation in ("relative", "udwadia-kalaba"):
        for field in ("q", "v"):
            b, untouched = (batch(6, settings={"dynamics.formulation": formulation}) for _ in range(2))
            written = getattr(b, field).copy()
            written[0, 0], written[3, -1] = np.nan, np.inf
            setattr(b, field, written)
            for own in (b, untouched):
                own.advance(3)
            assert [bool(word) for word in b.status] == [True, False, False, True, False, False], (formulation, field, b.status)
            good = b.status == 0
            same(b.q[good], untouched.q[good])


def test_observe_and_rollout():
    b, again = batch(), batch()
    rows = b.rollout(4, 5, ["q", "energy", "reactions", "reactions/C", "crank.theta", "rank"], include_start=True)
    assert rows["q"].shape == (11, 4, 9) and rows["energy"].shape == (11, 4) and rows["reactions"].shape == (11, 4, 4, 3)
    for k in range(4):
        again.advance(5 if k > 0 else 0)
        own = again.observe(["q", "energy", "reactions", "crank.theta", "rank"])
        for name, values in own.items():
            same(rows[name][:, k], values)
    same(rows["reactions/C"], rows["reactions"][:, :, 2])
    same(rows["crank.theta"], rows["q"][:, :, 2])
    assert (rows["rank"] == 8).all()
    verdict, counts = b.verdict(), b.statistics()
    assert (verdict["violation"] < 1e-6).all() and (counts["n_steps"] == 15).all() and (counts["n_evaluations"] >= 60).all()
    assert "ok" in b._repr_html_() and "four-bar" in repr(b)


def test_joint_points():
    """Both ends of a revolute are one point of the assembled mechanism, whatever the drawn length and the formulation."""
    for formulation in ("udwadia-kalaba", "relative"):
        b = sarrus.Batch(with_settings(dynamics__formulation=formulation), 11, backend="cpu", specialize="off")
        points, q = b.joint_points(), b.q.reshape(11, 3, 3)
        same(points[:, 0, 1, 1], -b.parameters[:, 0] / 2)
        ends = []
        for j, bodies in enumerate(b.model.joint_bodies):
            for side, body in enumerate(bodies):
                x, y, angle = (q[:, body, k] if body >= 0 else np.zeros(11) for k in range(3))
                px, py = points[:, j, side, 0], points[:, j, side, 1]
                ends.append([x + np.cos(angle) * px - np.sin(angle) * py, y + np.sin(angle) * px + np.cos(angle) * py])
        ends = np.array(ends).reshape(4, 2, 2, 11)
        assert np.abs(ends[:, 0] - ends[:, 1]).max() < 1e-9
    spatial = sarrus.Batch(str(SOURCE / "scenarios" / "spatial_four_bar.yaml"), 1, backend="cpu", specialize="off")
    assert spatial.model.is_spatial and spatial.joint_points().shape == (1, len(spatial.model.joints), 2, 3)


def test_rank_events():
    parallelogram = {
        "sarrus": 1, "space": "planar",
        "bodies": [{"name": name, "mass": 1.0, "inertia": 0.1, "position": at, "angular_velocity": 2.0 if name != "c" else 0,
                    "velocity": [-1, 0] if name != "c" else [-2, 0]}
                   for name, at in (("a", [0, 0.5]), ("b", [2, 0.5]), ("c", [1, 1]))],
        "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
                   {"name": "B", "type": "revolute", "bodies": ["ground", "b"], "at": [2, 0]},
                   {"name": "C", "type": "revolute", "bodies": ["a", "c"], "at": [0, 1]},
                   {"name": "D", "type": "revolute", "bodies": ["b", "c"], "at": [2, 1]}],
        "integrator": {"method": "rk4", "dt": 1e-3, "t_end": 3}, "output": {"channels": ["state", "rank"]},
    }  # fmt: skip
    b = sarrus.Batch(parallelogram, 2, keep_rank_events=True, backend="cpu", specialize="off")
    b.advance(3000)
    events = b.rank_events(clear=True)
    assert not b.rank_events() and all(len(event) == 4 for event in events)
    same(np.array([event[2] - event[3] != 0 for event in events]), np.ones(len(events), dtype=bool))


def test_misuse():
    b = batch()
    for call in (
        lambda: b.read("mass"),
        lambda: b.observe("mass"),
        lambda: b.observe("reactions/Z"),
        lambda: b.advance(-1),
        lambda: b.advance(1.5),
        lambda: b.reset(np.zeros(5, dtype=bool)),
        lambda: b.reset([1.0] * 11),
        lambda: b.write("q", np.ones(4)),
        lambda: b.read("q", np.empty((11, 9), dtype=np.float32)),
        lambda: b.redraw(seeds=[-1] * 11),
        lambda: b.redraw(episodes=[1, 2]),
        lambda: b.redraw(numbers=[0.5] * 11),
        lambda: batch(0),
        lambda: batch(2**63),
        lambda: batch("many"),
        lambda: batch(backend="gpu"),
        lambda: batch(specialize="yes"),
        lambda: batch(threads=0),
        lambda: batch(threads=5000),
        lambda: batch(seed=-1),
        lambda: batch(seed=2**64),
        lambda: b.rollout(0),
        lambda: sarrus.Batch(b.model, 2, settings={"integrator.dt": 1}),
        lambda: sarrus.load({"sarrus": object()}),
        lambda: sarrus.load(5),
        lambda: sarrus.load(None),
        lambda: sarrus.load("a\0b"),
        lambda: sarrus.load({**SCENARIO, "name": {1, 2}}),
        lambda: batch(np.array([1, 2])),
        lambda: b.write("q", None),
        lambda: b.write("input", np.ma.masked_array(np.ones(11), np.ones(11, dtype=bool))),
        lambda: b.write("input", "five"),
        lambda: sarrus.status_words([-1]),
        lambda: sarrus.load(SCENARIO, {3: 1}),
    ):
        raises((sarrus.ArgumentError, TypeError), call)
    raises(sarrus.UnsupportedError, lambda: b.write("time", 0.0))
    raises((MemoryError, sarrus.Error), lambda: batch(2**50))
    b.advance(1)
    assert not b.status.any()


def test_errors_say_where():
    text = "sarrus: 1\nspace: planar\nbodies:\n  - {name: a, mass: -1, inertia: 1, position: [0, 0]}\n"
    error = raises(sarrus.ScenarioError, lambda: sarrus.load(text), "mass")
    assert isinstance(error, ValueError) and error.file == "<text>" and error.line >= 1 and len(error.diagnostics) > 1
    mass = next(own for own in error.diagnostics if "mass" in own.message)
    assert (mass.line, mass.column) == (4, 21) and "mass: -1" in mass.source_line and mass.severity == "error"
    error = raises(sarrus.FileError, lambda: sarrus.load("no_such_file.yaml"), "no_such_file.yaml")
    assert isinstance(error, OSError)
    error = raises(sarrus.ScenarioError, lambda: with_settings(integrator__dt=-1), "dt")
    open_chain = {**SCENARIO, "bodies": [*SCENARIO["bodies"], {"name": "loose", "mass": 0, "inertia": 0, "position": [5, 5]}]}
    raises(sarrus.ScenarioError, lambda: sarrus.Batch(open_chain, 2), "loose")


def test_one_thread_at_a_time():
    b = batch(2000)
    refused = []

    def other():
        time.sleep(0.05)
        try:
            b.advance(1)
        except sarrus.BusyError as error:
            refused.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    b.advance(400)
    thread.join()
    assert refused and "another thread" in refused[0]
    b.advance(1)


INTERRUPTED = """
import os, signal, threading, time, sys
import numpy as np
sys.path.insert(0, {folder!r})
import test_package_batch as own
b = own.batch(64)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.perf_counter()
try:
    b.advance(10**9)
except KeyboardInterrupt:
    pass
else:
    sys.exit("nothing stopped it")
assert time.perf_counter() - began < 5
own.raises(own.sarrus.InterruptedError, lambda: b.advance(1))
b.reset()
b.advance(3)
fresh = own.batch(64)
fresh.advance(3)
own.same(b.q, fresh.q)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


ENDED = """
import os, sys, threading, time
sys.path.insert(0, {folder!r})
import test_package_batch as own
b = own.batch(500)
pid = os.fork()
if pid == 0:
    own.raises(own.sarrus.UnsupportedError, lambda: b.advance(1), "fork")
    sys.exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
def steps():
    while True:
        b.advance(1)
threading.Thread(target=steps, daemon=True).start()
time.sleep(0.2)
"""


def test_ends():
    """A child that was forked off, and a program whose threads are in a call, end."""
    folder = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", ENDED.format(folder=folder)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_arguments_of_reading():
    """What is no array to be written to is named; whole numbers on both sides of 2^63 are whole numbers."""
    b = batch(3)
    q, v = b.read_state()
    fixed = q.copy()
    fixed.flags.writeable = False
    mask = [True, False, True]
    for call in (
        lambda: b.read("q", fixed),
        lambda: b.read("q", q.tolist()),
        lambda: b.read(["q"]),
        lambda: b.read("q", mask=mask),
        lambda: b.read_state(mask=mask),
        lambda: b.read_state(q, q),
        lambda: b.redraw(numbers=[0.5, 1, 2]),
        lambda: b.redraw(numbers=[2**64, 1, 2]),
        lambda: b.redraw(numbers=[-1, 1, 2]),
        lambda: b.redraw(numbers=[[1], [1, 2], 3]),
        lambda: b.redraw(numbers=np.ma.masked_array([1, 2, 3], mask=[0, 1, 0])),
    ):
        raises(sarrus.ArgumentError, call)
    b.redraw(numbers=[2**64 - 1, 0, 5])
    seen = b.parameters.copy()
    b.redraw(numbers=np.array([2**64 - 1, 0, 5], dtype=np.uint64), episodes=[1, 1, 1])
    assert b.parameters.tobytes() == seen.tobytes()
    assert np.array_equal(b.read("q", np.full_like(q, -7.0), mask)[1], np.full(q.shape[1], -7.0)) and v.shape[0] == 3


ENDED_IN_WAIT = """
import sys, threading, time
sys.path.insert(0, {folder!r})
import test_package_batch as own
def steps(b):
    while True:
        b.advance(1)
def runs(model):
    while True:
        own.sarrus.run(model, {output!r}, instances=8, backend="cpu", specialize="off")
for _ in range(8):
    threading.Thread(target=steps, args=(own.batch(2),), daemon=True).start()
threading.Thread(target=runs, args=(own.sarrus.load(own.SCENARIO),), daemon=True).start()
time.sleep(0.05)
"""


def test_ends_of_threads_that_wait():
    """Threads that wait for the interpreter's lock when it ends; the moment is met in nearly every try."""
    with tempfile.TemporaryDirectory() as own:
        program = ENDED_IN_WAIT.format(folder=str(pathlib.Path(__file__).parent), output=f"{own}/result.h5")
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
            assert (done.returncode, done.stderr) == (0, ""), done.stderr


LOOKED_AT = """
import os, signal, sys, threading, time
sys.path.insert(0, {folder!r})
import test_package_batch as own
b = own.batch(2000)
b.advance(1)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        b.observe("energy")
except KeyboardInterrupt:
    b.advance(1)
    sys.exit(7)
"""


def test_interrupt_of_a_look():
    """Ctrl-C where no steps are made leaves the batch as it was."""
    folder = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", LOOKED_AT.format(folder=folder)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 7, done.stderr


def test_threads_that_plan_one_model():
    model, failures = sarrus.load(SCENARIO), []

    def plan():
        try:
            sarrus.Batch(model, 2, backend="cpu", specialize="off")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=plan) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_sampling():
    """A batch is the first instances of the scenario's study, or a larger study of its own; designs and pairs as keys are read."""
    draws = [{"name": "L", "distribution": "uniform", "low": 0.28, "high": 0.32}]
    draws.append({"path": "bodies.crank.mass", "distribution": "uniform", "low": 2, "high": 4})

    def of(n, instances=7, **options):
        keys = {"instances": instances, "seed": 5, "parameters": draws} | options
        return sarrus.Batch(SCENARIO | {"batch": keys}, n, backend="cpu", specialize="off", threads=1).parameters

    for method in ("lhs", "sobol", "random"):
        whole = of(12, 12, sampling=method)
        same(whole[:5], of(5, 12, sampling=method))
        if method == "lhs":
            same(np.sort(np.floor((whole[:, 1] - 2) / 2 * 12)), np.arange(12.0))
            same(whole, of(12, 7, sampling=method))
    same(of(9, 9, sampling={"method": "grid", "levels": [3, 3]})[:, 1], np.tile(2 + 2 * (np.arange(3) + 0.5) / 3, 3))
    assert of(None, 4, design="saltelli").shape == (24, 2)
    plain, correlated = of(200, 200), of(200, 200, correlation={("L", "bodies.crank.mass"): 0.9})
    same(plain[:, 0], correlated[:, 0])
    assert np.corrcoef(plain.T)[0, 1] < 0.3 and np.corrcoef(correlated.T)[0, 1] > 0.8
    result = sarrus.run(SCENARIO | {"batch": {"instances": 4, "design": "saltelli", "parameters": draws}}, instances=2)
    assert result.units["L"].shape == (12,) and set(result.units) == {"L", "bodies.crank.mass"}
    tree = result.to_xarray()
    same(tree["instance/unit"]["L"].values, result.units["L"])


def test_interrupt():
    """Ctrl-C during a call stops it, and the batch can be used after a reset."""
    folder = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(folder=folder)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    sys.exit(run_all(globals()))
