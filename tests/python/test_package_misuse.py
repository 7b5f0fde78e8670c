"""Mistakes in calls of the package are told as its own errors, which say what was expected. Exit code 77 (skipped) without it."""

import math
import os
import pathlib
import shutil
import sys
import tempfile

import numpy as np
from package import raises, run_all, sarrus
from sarrus.choices import batch_options
from test_package_batch import SCENARIO, same

OWN = {"backend": "cpu", "specialize": "off", "threads": 1}


def test_results():
    """They are read by paths of datasets, over which they go round."""
    result = sarrus.run(SCENARIO, instances=2, settings={"integrator.t_end": 0.1}, **OWN)
    assert list(result) == result.keys() and "state/q" in list(result)
    for path in (0, 1.5, None, b"time", slice(2), ["time"]):
        raises(sarrus.ArgumentError, lambda path=path: result[path], "state/q", repr(path))
        assert path not in result


def test_batches():
    batch = sarrus.Batch(SCENARIO, 3, **OWN)
    for name in (5, None, b"q", ["q"]):
        for call in (
            lambda name=name: batch.observe([name]),
            lambda name=name: batch.rollout(2, 1, [name]),
            lambda name=name: batch.rollout(2, 1, ["q", name]),
        ):
            raises(sarrus.ArgumentError, call, "names", repr(name))
    raises(sarrus.ArgumentError, lambda: batch.observe(5), "names")
    for data in ("abc", 5, None, [1, 2], np.zeros(3)):
        raises(sarrus.ArgumentError, lambda data=data: batch.load(data), "bytes")
    for kind in (bytes, bytearray, memoryview):
        batch.load(kind(batch.save()))


def test_names_that_are_nearly_those_of_fields():
    """What is written to them would change nothing. Names of one's own, and those of a class of one's own, are taken."""
    batch = sarrus.Batch(SCENARIO, 3, **OWN)
    for name, meant in (("inputs", "input"), ("imput", "input"), ("Q", "q"), ("V", "v"), ("parameter", "parameters")):
        raises(AttributeError, lambda name=name: setattr(batch, name, 1.0), repr(name), repr(meant))
        assert not hasattr(batch, name)
    raises(AttributeError, lambda: setattr(batch, "time", 1.0))
    batch.note, batch.input = "mine", 2.0
    assert batch.note == "mine" and (batch.input == 2.0).all()

    class Steered(sarrus.Batch):
        inputs = None

    steered = Steered(SCENARIO, 3, **OWN)
    steered.inputs = [1.0]
    assert steered.inputs == [1.0]
    same(steered.q, batch.q)


def test_texts():
    """Half a character, which a string of Python may hold, is none of UTF-8; what stands behind a zero would be lost."""
    for call in (
        lambda: sarrus.load({**SCENARIO, "name": "\ud800"}),
        lambda: sarrus.load("name: \ud800\n"),
        lambda: sarrus.load(SCENARIO, {"name": "\ud800"}),
        lambda: sarrus.load(SCENARIO, {"name": ["\ud800"]}),
        lambda: sarrus.load(SCENARIO, {"\ud800": 1}),
        lambda: sarrus.load(SCENARIO, {"name": "a\0b"}),
    ):
        raises(sarrus.ArgumentError, call)


def test_numbers_that_are_none():
    """What is not finite is refused as in a file, with its place."""
    body = SCENARIO["bodies"][0]
    for bad in (math.nan, math.inf, -math.inf):
        error = raises(sarrus.ScenarioError, lambda bad=bad: sarrus.check({**SCENARIO, "bodies": [{**body, "mass": bad}]}), "mass")
        assert error.line and error.column, error
        raises(sarrus.ScenarioError, lambda bad=bad: sarrus.check(SCENARIO, {"bodies.0.mass": bad}), "--set:1:", "mass")


def test_columns_of_samples():
    drawn = {**SCENARIO, "batch": {"parameters": [{"path": "bodies.crank.mass", "distribution": "uniform", "low": 1, "high": 2}]}}
    label = sarrus.load(drawn).parameters[0]
    for bad in ([[1.0, 1.5]], [], [[[1.0]]]):
        raises(sarrus.ArgumentError, lambda bad=bad: sarrus.run(drawn, samples={label: bad}))


def test_numbers_of_other_kinds():
    """What NumPy would drop, uncover or refuse in its own words."""
    tree = sarrus.Kinematics(SCENARIO)
    n = tree.n
    for bad in (np.zeros(n) + 1j, np.ma.masked_all(n), "x", [[0.0], [0.0, 0.0]], None):
        raises(sarrus.ArgumentError, lambda bad=bad: tree.inertia(bad))
    for bad in (5, None, "0", [0.5], [n]):
        raises(sarrus.ArgumentError, lambda bad=bad: tree.inertia(np.zeros(n), by=bad))
    raises(sarrus.ArgumentError, lambda: sarrus.pinv([[1, 2], [3]]))
    batch = sarrus.Batch(SCENARIO, 2, **OWN)
    raises(sarrus.ArgumentError, lambda: batch.rollout(2**62, 1, ["energy"]), "n_times")


def test_pages_and_files():
    result = sarrus.run(SCENARIO, instances=2, settings={"integrator.t_end": 0.1}, **OWN)
    raises(sarrus.ArgumentError, lambda: sarrus.open(5), "path", "5")
    raises(sarrus.ArgumentError, lambda: sarrus.report(result, instances=5.0), "instances=5.0")
    raises(sarrus.ArgumentError, lambda: sarrus.report(result, quantities=5), "quantities=5")
    for view in ("ab", 5, (1.0,), (math.nan, 0.0), (1.0, 2.0, 3.0), None):
        raises(sarrus.ArgumentError, lambda view=view: sarrus.animate(result, view=view), "view=", "azimuth")


def test_an_old_refusal_is_not_told_again():
    batch = sarrus.Batch(SCENARIO, 2, **OWN)
    raises(sarrus.Error, lambda: batch.load(b"none"), "bytes")
    batch.advance(2)
    raises(sarrus.ArgumentError, lambda: batch.advance(2**60), "more steps than can be counted")


def test_the_compiler_is_that_of_the_program():
    """An empty entry of PATH is the present folder, where nobody expects a compiler."""
    own = {name: os.environ.pop(name, None) for name in ("SARRUS_CC", "PATH")}
    path, before = own["PATH"] or "", pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        fake = pathlib.Path(folder, "cc")
        fake.write_text("#!/bin/sh\n")
        fake.chmod(0o755)
        try:
            os.chdir(folder)
            os.environ["PATH"] = f":.:{path}"
            assert batch_options("cpu", 1, "off")["compiler"] == (shutil.which("cc", path=path) or "cc")
            os.environ["PATH"] = folder
            assert batch_options("cpu", 1, "off")["compiler"] == str(fake)
        finally:
            os.chdir(before)
            os.environ.update({name: value for name, value in own.items() if value is not None})


if __name__ == "__main__":
    sys.exit(run_all(globals()))
