"""`sarrus.Batch` and `sarrus.Model` that went through bytes. Exit code 77 (skipped) without the package."""

import copy
import os
import pathlib
import pickle
import shutil
import sys
import tempfile

import numpy as np
from package import raises, run_all, sarrus
from program import SOURCE
from test_package_batch import SCENARIO


def test_pickle():
    """A batch that went through bytes makes the same steps, redraws the same draws and begins anew where it began; so does a
    copy. A model goes without its file."""
    for options in ({}, {"seed": 9, "first_instance": 3}, {"samples": np.linspace(0.28, 0.32, 7)[:, None]}, {"draw": False}):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "linkage.yaml"
            path.write_text(sarrus.load(SCENARIO).resolved, encoding="utf-8")
            own = sarrus.Batch(path, settings={"integrator.dt": 2e-3}, threads=1, specialize="off", **options)
        own.input = np.arange(7.0)[:, None]
        own.advance(30)
        others = [pickle.loads(pickle.dumps(own)), copy.deepcopy(own)]
        for other in others:
            assert (other.model.name, other.interval, other.n) == (own.model.name, own.interval, own.n)
            assert other.model.path == str(path) and other.model.resolved == own.model.resolved
        for act, *given in (("advance", 20), ("redraw",), ("advance", 5), ("reset",), ("advance", 5)):
            for each in (own, *others):
                getattr(each, act)(*given)
            for other in others:
                for field in ("q", "v", "input", "parameters", "time", "status", "episode"):
                    assert np.array_equal(other.read(field), own.read(field)), (options, field)
    assert len(pickle.loads(pickle.dumps(sarrus.load(SCENARIO))).parameters) == 1
    sample = np.linspace(0.28, 0.32, 7)[:, None]
    own = sarrus.Batch(SCENARIO, samples=sample, threads=1)
    sample[:] = np.nan
    own.word = "kept"
    assert np.array_equal(copy.copy(own).q, own.q) and copy.copy(own).word == "kept"

    class Own(sarrus.Model):
        pass

    assert isinstance(copy.copy(Own(SCENARIO)), Own)


def test_pickle_of_a_list():
    """It is read anew from where it stood, whatever the folder is now; one that has changed is refused."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("mixed", "pendulum", "four_bar", "five_bar_monte_carlo"):
            shutil.copy(SOURCE / "scenarios" / f"{name}.yaml", folder)
        before = pathlib.Path.cwd()
        os.chdir(folder)
        mixed = sarrus.load("mixed.yaml", {"integrator.t_end": 1.0})
        os.chdir(before)
        data = pickle.dumps(mixed)
        again = pickle.loads(data)
        assert again.is_mixed and again.resolved == mixed.resolved and again.n_instances == mixed.n_instances
        assert again.path == "mixed.yaml" and pickle.loads(pickle.dumps(again)).resolved == mixed.resolved
        path = pathlib.Path(folder) / "mixed.yaml"
        path.write_text(path.read_text(encoding="utf-8").replace("instances: 1000", "instances: 10"), encoding="utf-8")
        raises(sarrus.FileError, lambda: pickle.loads(data))


if __name__ == "__main__":
    sys.exit(run_all(globals()))
