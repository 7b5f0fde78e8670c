"""`sarrus.report`: the numbers on its page against NumPy's from the file, files that are incomplete, damaged or lack parts, misuse,
names that would break a page, and the command. Exit code 77 (skipped) without the package."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

try:
    import h5py
    import numpy as np
    from package import raises, run_all, sarrus
    from program import SOURCE
    from report_pages import Page
    from sarrus.reports import charts, numbers, over_time, parameters
except ModuleNotFoundError as error:
    if error.name not in ("h5py", "numpy"):
        raise
    print(f"skipped: {error}")
    sys.exit(77)

# Springs of both signs: the stiff ones use up their steps, each at a time of its own.
PUSHED = """\
sarrus: 1
name: pushed rods
space: planar
parameters: {k: 0.0, m: 1.0}
bodies: [{name: rod, mass: "=m", inertia: 0.1, position: [0.5, 0]}]
joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k", damping: 0.2}]
gravity: [0, -9.81]
dynamics: {formulation: udwadia-kalaba}
integrator: {method: dopri5, dt: 5.0e-3, t_end: 0.3, max_steps: 250}
batch:
  instances: 90
  seed: 2
  parameters:
    - {name: m, distribution: normal, mean: 1.0, sd: 0.05}
    - {name: k, distribution: uniform, low: -2.0e+3, high: 4.0e+3}
output:
  every: 3
  channels: [state, energy, work, constraint, rank, reactions, joints]
  points: [{name: tip, body: rod, at: [0.1, 0.2], channels: [position]}]
  quantities: {swing: max(rod.angle) - min(rod.angle), never: "first(tip.y > 1e9)", low: "first(tip.y < 0.15)"}
"""
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-")
STUDY = f"{FOLDER.name}/study.h5"


def ran(*arguments, **options):
    """Without what a run warns of here: springs of both signs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sarrus.run(*arguments, backend="cpu", specialize="off", threads=1, **options)


def study():
    """The file of the study above, which is run once."""
    if not pathlib.Path(STUDY).exists():
        ran(PUSHED, STUDY)
    return STUDY


def copied(name):
    return shutil.copy(study(), f"{FOLDER.name}/{name}.h5")


def page_of(*arguments, **options):
    """The page, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = sarrus.report(*arguments, **options)
    assert [str(own.message) for own in told] == made.troubles
    assert all(own.filename == __file__ for own in told)
    return Page(made.page), made.troubles


def close(found, wanted):
    """All digits: both are sums of the same numbers, in another order."""
    assert np.allclose(found, wanted, rtol=1e-12, atol=0.0, equal_nan=True), (found, wanted)


def test_quantities():
    page, troubles = page_of(study())
    assert troubles == [] and page.text.count("pushed rods") >= 2
    rows = page.rows("quantities")
    assert list(rows) == ["swing", "never", "low"] and page.units[:3] == ["rad", "s", "s"]
    with h5py.File(STUDY) as file:
        for name, row in rows.items():
            values = file[f"quantities/{name}"][:]
            good = values[np.isfinite(values)]
            assert row[0][1] == [len(good)] and row[-1][1] == [len(values) - len(good)]
            if name == "never":
                assert all(text == "–" for text, _ in row[1:-1])
                continue
            close(row[1][1], [good.mean()])
            close(row[2][1], [good.std(ddof=1)])
            half = numbers.student_factor(len(good) - 1) * good.std(ddof=1) / np.sqrt(len(good))
            close(row[3][1], [good.mean() - half, good.mean() + half])
            off = good - good.mean()
            assert abs(row[4][1][0] - (off**3).mean() / (off**2).mean() ** 1.5) < 1e-11, row[4]
            close([row[i][1][0] for i in range(5, 10)], np.quantile(good, [0, 0.05, 0.5, 0.95, 1]))
        assert file["quantities/swing"].attrs["long_name"] in page.text


def test_parameters():
    """What each is drawn from, its unit, and the scenario's own number; of an own sample that it is one."""
    page, _ = page_of(study())
    rows = page.rows("parameters")
    assert {name: [row[0][0], row[1][0], row[2][1]] for name, row in rows.items()} == {
        "m": ["normal: mean 1.0, sd 0.05", "kg", [1.0]],
        "k": ["uniform: low -2.0e+3, high 4.0e+3", "N m rad-1", [0.0]],
    }, rows
    several = "[{path: [bodies.rod.mass, bodies.rod.inertia, joints.A.damping], distribution: discrete, values: [0.1, 0.25]}]"
    page, _ = page_of(ran(PUSHED, instances=3, settings={"batch.parameters": several}))
    ((name, row),) = page.rows("parameters").items()
    assert name.startswith("bodies.rod.mass") and "and bodies.rod.inertia, joints.A.damping" in page.units, (name, page.units)
    assert row[0][0] == "discrete: values 0.1 0.25" and row[2][1] == [1.0], row
    page, _ = page_of(ran(PUSHED, samples={"m": [1.0, 1.1], "k": [0.0, 10.0]}))
    assert [row[0][0] for row in page.rows("parameters").values()] == ["own sample"] * 2
    assert "numbers brought along, not drawn" in page.text and "seed, design" not in page.text
    page, _ = page_of(ran(PUSHED, instances=1, settings={"batch.parameters": []}))
    assert "parameters" not in page.tables
    text = "batch:\n  parameters:\n    - path:\n        - a.b\n        - c.d\n      distribution: normal\n      mean: 1\n"
    assert parameters.draws_of(text) == [{"path": "a.b, c.d", "distribution": "normal", "mean": "1"}]


def test_names_of_axes():
    """A name that is too wide is cut, and whole at the pointer; the power of ten behind it never is."""
    name = "quantity_of_a_name_that_is_wider_than_any_picture_of_a_page_can_be_without_a_cut"
    values = 1e-7 * np.linspace(1.0, 9.0, 30)
    for picture in (
        charts.histogram_chart(numbers.bins_of(values), name, "label"),
        charts.cloud_chart(values, values, (name, name), "label"),
        charts.bars_chart([[charts.Bar(name, 3e-7)]], name, "label"),
    ):
        page = Page(picture)
        cut = [text for text in page.texts if text.startswith("…") and "×10⁻⁷" in text]
        assert len(cut) == 1 + ("dots" in picture) and all(len(text) < 60 for text in cut), page.texts
        assert f"{name} ×10⁻⁷" in page.texts  # at the pointer
    square = Page(charts.matrix_chart([name, "b"], np.eye(2), "label"))
    assert square.texts.count(name) == 2


def test_students_quantiles():
    # Tables, as that of Abramowitz and Stegun 26.10, with more digits.
    for freedoms, wanted in (
        (1, 12.70620473617471),
        (2, 4.302652729749464),
        (5, 2.570581835636314),
        (10, 2.2281388519649385),
        (30, 2.042272456301238),
        (100, 1.983971518523551),
        (1000, 1.9623390808264074),
        (10**6, 1.9599663),
    ):
        assert abs(numbers.student_factor(freedoms) - wanted) < (1e-9 if freedoms < 10**6 else 1e-7), freedoms


def test_influence():
    page, _ = page_of(study())
    assert page.tables["influence"][0] == [["quantity", []], ["m", []], ["k", []]]
    with h5py.File(STUDY) as file:
        for name in ("swing", "low"):
            values = file[f"quantities/{name}"][:]
            good = np.isfinite(values)
            y = np.array([np.mean(np.flatnonzero(np.sort(values[good]) == value)) for value in values[good]])
            for cell, label in zip(page.rows("influence")[name], ("m", "k"), strict=True):
                x = np.argsort(np.argsort(file[f"instance/parameters/{label}"][:][good]))
                close(cell[1], [np.corrcoef(x, y)[0, 1]])
    assert all(text == "–" for text, _ in page.rows("influence")["never"])
    low, high = numbers.rank_interval(0.5, 103)
    half = 1.959963984540054 * np.sqrt(1.125 / 100)
    close([low, high], np.tanh(np.arctanh(0.5) + np.array([-half, half])))


def test_correlations():
    rng = np.random.default_rng(3)
    rows = 1e6 + rng.normal(size=(4, 50)) @ np.diag(rng.normal(size=50))
    rows[3] = 7.0
    found = numbers.correlations(rows)
    assert np.isnan(found[3]).all() and np.isnan(found[:, 3]).all()
    assert np.abs(found[:3, :3] - np.corrcoef(rows[:3])).max() < 1e-9
    # numbers that some instances lack leave the pairs of the others alone
    rows = rng.normal(size=(5, 60))
    rows[2, :20] = rows[4, 10:30] = np.nan
    found = numbers.pairwise_correlations(rows)
    for i in range(5):
        for j in range(5):
            kept = np.isfinite(rows[[i, j]]).all(axis=0)
            assert abs(found[i, j] - np.corrcoef(rows[i, kept], rows[j, kept])[0, 1]) < 1e-12, (i, j)
    rows[3, 2:] = np.nan
    assert np.isnan(numbers.pairwise_correlations(rows)[3]).all()


def test_endings():
    page, _ = page_of(study())
    rows = page.rows("endings")
    with h5py.File(STUDY) as file:
        status = file["instance/status"][:]
        words, counts = np.unique(sarrus.status_words(status), return_counts=True)
        assert {word: row[0][1] for word, row in rows.items()} == {word: [n] for word, n in zip(words, counts, strict=True)}
        assert 5 < np.count_nonzero(status) < len(status) - 5
        first = int(np.flatnonzero(status)[0])
        word = sarrus.status_words(status)[first]
        assert rows[word][2][1] == [first] and rows[word][3][1] == [file["instance/failed_time"][first]]
        assert rows[word][4][0] == file["instance/reason"][first].decode()
        assert page.fact("instances")[1] == [len(status)] and page.fact("output times")[1] == [file["time"][-1]]
        energy = file["instance/energy_mismatch"][:]
        assert any(found == [energy.max()] for _, found in page.facts)
    assert "times of failure" in page.labels() and "violation 1e-06" in page.fact("limits")[0]


def curves_check(page, label, values):
    """`values` [N, T] of all output times, of which all are drawn."""
    own = page.curves[label]["columns"]
    wanted = {"min": 0.0, "5 %": 0.05, "median": 0.5, "95 %": 0.95, "max": 1.0}
    for name in own:
        found, there = np.array(own[name], dtype=float), np.nanquantile(values, wanted[name], axis=0)
        # Six digits.
        assert np.allclose(found, there, rtol=1e-5, atol=1e-300), (label, name)
    return set(own)


def test_envelopes():
    page, _ = page_of(study(), channels=["state", "reactions/A", "points/tip", "joints"])
    everything = {"min", "5 %", "median", "95 %", "max"}
    with h5py.File(STUDY) as file:
        for i, name in enumerate(file["coordinate"].asstr()):
            assert curves_check(page, f"{name} over time", file["state/q"][..., i]) == everything
        assert curves_check(page, "reactions/A.fy over time", file["reactions/A"][..., 1]) == everything
        assert curves_check(page, "points/tip/position.y over time", file["points/tip/position"][..., 1]) == everything
        assert curves_check(page, "joints/A/coordinate over time", file["joints/A/coordinate"][..., 0]) == everything
        close(page.curves["rod.x over time"]["t"], file["time"][:])
        units = [page.curves[f"{name} over time"]["unit"] for name in ("reactions/A.fy", "rod.theta", "rod.vx")]
        assert units == ["N", "rad", "m s-1"], units
        energy, work = file["diagnostics/energy"][:], file["diagnostics/work"][:]
        curves_check(page, "Balance of energy |E − E₀ − W|", np.abs(energy - energy[:, :1] - work))
        curves_check(page, "Velocity error ‖Φ̇‖", file["diagnostics/velocity_error"][:])
    default, _ = page_of(study())
    assert "way of tip" in default.labels() and "joints/A/coordinate over time" in default.curves
    assert "rod.vx over time" not in default.curves
    one, _ = page_of(study(), channels="rod.vy")
    assert [label for label in one.curves if label.endswith("over time")] == ["rod.vy over time"]
    with h5py.File(STUDY) as file:
        curves_check(one, "rod.vy over time", file["state/v"][..., list(file["speed"].asstr()).index("rod.vy")])


def test_blocks():
    """However few numbers are read at once, and of however few instances, the page is the same, or that of an even selection."""
    whole = sarrus.report(study()).page
    before = over_time.MAX_BLOCK, over_time.MAX_READ
    try:
        over_time.MAX_BLOCK = 700
        assert sarrus.report(study()).page == whole
        over_time.MAX_READ = 5000
        page, _ = page_of(study(), channels="state/q")
    finally:
        over_time.MAX_BLOCK, over_time.MAX_READ = before
    assert "an even selection was read" in page.text
    with h5py.File(STUDY) as file:
        stride = -(-90 * 3 * len(file["time"]) // 5000)
        curves_check(page, "rod.x over time", file["state/q"][::stride, :, 0])


def test_statistics():
    settings = {
        "output.instances": "none",
        "output.statistics": {"channels": ["state", "energy", "points"], "quantiles": [0.1, 0.9]},
    }
    result = ran(PUSHED, settings=settings)
    page, _ = page_of(result)
    assert not any(tag == "iframe" for tag, _ in page.tags) and "way of tip" in page.labels()
    own = page.curves["rod.y over time"]["columns"]
    assert list(own) == ["min", "10 %", "mean", "90 %", "max"]
    wanted = result["statistics/state/q/quantiles"][:, 1]
    assert np.allclose(own["10 %"], wanted[:, 0], rtol=1e-5) and np.allclose(own["90 %"], wanted[:, 1], rtol=1e-5)
    assert np.allclose(own["mean"], result["statistics/state/q/mean"][:, 1], rtol=1e-5)
    last = int(result["statistics/n"][-1])
    assert f"90 at the beginning, {last} at the end" in page.text


def test_sensitivity():
    settings = {"batch.parameters.0.max": 1.2, "batch.parameters.0.min": 0.8, "integrator.max_steps": 100000}
    settings |= {"output.sensitivity": ["swing", "low"], "output.instances": "none"}
    sobol = ran(PUSHED, instances=16, settings=settings | {"batch.design": "saltelli"})
    page, _ = page_of(sobol)
    total = sobol["sensitivity/swing/total"]
    assert [row[0][0] for row in page.tables["sobol"][1:3]] == [["m", "k"][i] for i in np.argsort(-total)]
    for i, label in enumerate(("m", "k")):
        row = next(row for row in page.tables["sobol"] if row[0][0] == label)
        wanted = [sobol[f"sensitivity/swing/{name}"][i] for name in ("first", "first_confidence", "total", "total_confidence")]
        close([cell[1][0] for cell in row[1:]], wanted)
    assert f"full colour is {numbers.number_text(abs(sobol['sensitivity/swing/second'][0, 1]), 2)}" in page.text
    assert {"Sobol’ indices of swing", "second order indices of swing"} <= set(page.labels())
    n, n_dropped = sobol["sensitivity/swing/n"], sobol["sensitivity/swing/n_dropped"]
    assert n + n_dropped == 16 and 0 < n_dropped < 12 and f"of {n} base points, {n_dropped} left out" in page.text
    assert "no independent draws" in page.text and sobol["sensitivity/low/n"] == 0 and "There is nothing to tell" in page.text
    morris = ran(PUSHED, instances=9, settings=settings | {"batch.design": "morris"})
    page, _ = page_of(morris)
    for i, label in enumerate(("m", "k")):
        row = next(row for row in page.tables["morris"] if row[0][0] == label)
        wanted = [morris[f"sensitivity/swing/{name}"][i] for name in ("mu_star", "mu_star_confidence", "sigma", "mu")]
        close([cell[1][0] for cell in row[1:]], wanted)
    assert "Morris’ measures of swing" in page.labels()
    # Of another sample the run has the coefficients that the page computes.
    plain = ran(PUSHED, instances=50, settings=settings)
    page, _ = page_of(plain)
    for name in ("swing", "low"):
        close([cell[1][0] for cell in page.rows("influence")[name]], plain[f"sensitivity/{name}/rank_correlation"])
    assert "sobol" not in page.tables and "morris" not in page.tables


def test_motion():
    with h5py.File(study()) as file:
        values, status = file["quantities/swing"][:], file["instance/status"][:]
    good = np.flatnonzero(np.isfinite(values))
    middle = good[np.argmin(np.abs(values[good] - np.median(values[good])))]
    page, _ = page_of(STUDY)
    (frame,) = [attrs for tag, attrs in page.tags if tag == "iframe"]
    assert frame["sandbox"] == "allow-scripts" and frame["srcdoc"].startswith("<!DOCTYPE html>")
    for number, word in ((middle, "median"), (good[values[good].argmin()], "least"), (good[values[good].argmax()], "greatest")):
        assert f"instance {number}, {word} swing" in frame["srcdoc"], (number, word)
    assert f"instance {np.flatnonzero(status)[0]}, failed" in frame["srcdoc"]
    page, _ = page_of(STUDY, instances=[3, 5])
    (frame,) = [attrs for tag, attrs in page.tags if tag == "iframe"]
    assert '"label":"instance 3"' in frame["srcdoc"] and '"label":"instance 5"' in frame["srcdoc"]


def test_order_and_title():
    page, _ = page_of(study(), quantities=["low", "swing"], title="A <title> & more")
    assert list(page.rows("quantities")) == ["low", "swing"] and page.texts.count("A <title> & more") == 2
    assert "median low" in page.text


def test_incomplete_files():
    place = copied("stopped")
    with h5py.File(place, "a") as file:
        file.attrs["complete"] = np.int32(0)
        file.attrs["n_times_written"] = np.uint64(7)
        wanted = file["time"][6]
    page, troubles = page_of(place)
    assert len(troubles) == 1 and "not complete" in troubles[0] and "7 of 21 output times" in troubles[0]
    assert troubles[0] in page.text and ("div", {"class": "banner", "role": "alert"}) in page.tags
    assert "How the instances stand so far" in page.text and "They are of the times so far." in page.text
    assert page.curves["rod.x over time"]["t"][-1] == wanted and len(page.curves["rod.x over time"]["t"]) == 7


def test_damaged_files():
    place = pathlib.Path(copied("damaged"))
    with h5py.File(place) as file:
        found = file["state/q"].id.get_chunk_info(0)
    data = bytearray(place.read_bytes())
    data[found.byte_offset + 20] ^= 0xFF
    place.write_bytes(data)
    page, troubles = page_of(str(place))
    assert len(troubles) == 1 and "damaged" in troubles[0] and "/state/q" in troubles[0]
    assert troubles[0] in page.text and "rod.x over time" not in page.curves and "joints/A/coordinate over time" in page.curves
    assert len(page.rows("quantities")) == 3 and "There is no moving picture" in page.text
    # A group that cannot be opened is not as one that is not there.
    place = pathlib.Path(copied("headless"))
    with h5py.File(place) as file:
        at = h5py.h5o.get_info(file["quantities"].id).addr
    data = bytearray(place.read_bytes())
    data[at : at + 4] = b"\xff" * 4
    place.write_bytes(data)
    page, troubles = page_of(str(place))
    assert len(troubles) == 1 and "damaged" in troubles[0] and "/quantities" in troubles[0], troubles
    # Cut off: no file any more.
    short = pathlib.Path(FOLDER.name) / "short.h5"
    short.write_bytes(pathlib.Path(study()).read_bytes()[:20000])
    raises(sarrus.FileError, lambda: sarrus.report(str(short)), "short.h5")


def test_merged_files():
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder, "study.yaml")
        scenario.write_text(PUSHED)
        program, parts = str(sarrus.models.program_path()), []
        for i in range(3):
            parts.append(f"{folder}/part{i}.h5")
            options = ["--quiet", "--specialize", "off", "--shard", f"{i}/3"]
            command = [program, "run", str(scenario), "-o", parts[-1], *options]
            assert subprocess.run(command, check=False, capture_output=True).returncode in (0, 1)
        merged = f"{folder}/merged.h5"
        assert subprocess.run([program, "merge", *parts, "-o", merged], check=False, capture_output=True).returncode == 1
        page, troubles = page_of(merged)
        one, _ = page_of(study())
        assert troubles == [] and page.tables == one.tables and page.curves == one.curves
        pathlib.Path(parts[1]).unlink()
        page, troubles = page_of(merged)
        assert len(troubles) == 1 and "part1.h5" in troubles[0] and troubles[0] in page.text
        with h5py.File(STUDY) as file:
            kept = np.r_[0:30, 60:90]
            values = file["quantities/swing"][:][kept]
            close(page.rows("quantities")["swing"][1][1], [np.nanmean(values)])
            ended = np.unique(file["instance/status"][:][kept], return_counts=True)[1]
            assert [row[0][1][0] for row in page.rows("endings").values()] == list(ended)
            curves_check(page, "rod.x over time", file["state/q"][:][kept][..., 0])


def test_retried_instances():
    with tempfile.TemporaryDirectory() as folder:
        scenario, place = pathlib.Path(folder, "study.yaml"), f"{folder}/retried.h5"
        scenario.write_text(PUSHED)
        options = ["--retry-failed", study(), "-o", place, "--set", "integrator.max_steps=330", "--quiet", "--specialize", "off"]
        done = subprocess.run([str(sarrus.models.program_path()), "run", str(scenario), *options], check=False, capture_output=True)
        assert done.returncode == 1, done.stderr
        page, _ = page_of(place)
        with h5py.File(place) as file, h5py.File(STUDY) as before:
            n, ok = (
                int((before["instance/status"][:] > 0).sum()),
                int((before["instance/status"][:] > file["instance/status"][:]).sum()),
            )
        assert 0 < ok < n and page.fact("run again")[0].startswith(f"{n} instances that had failed, {ok} of them ok now")
        assert "Retry 1: the scenario of instances that were run again" in page.texts


def test_odd_studies():
    """No quantities; a single instance; quantities that do not vary; none that is good."""
    bare = ran(PUSHED, instances=1, settings={"output.quantities": {}, "output.channels": ["energy"]})
    page, _ = page_of(bare)
    assert "quantities" not in page.tables and "influence" not in page.tables and "energy over time" in page.curves
    settings = {"output.quantities": {"same": "max(rod.x) * 0 + 0.1", "swing": "max(rod.angle)"}, "integrator.max_steps": 100000}
    one, _ = page_of(ran(PUSHED, instances=1, settings=settings))
    assert one.rows("quantities")["same"][0][1] == [1] and "The one number is 0.1" in one.text
    assert set(one.curves["rod.x over time"]["columns"]) == {"value"} and one.rows("quantities")["same"][3][0] == "–"
    several, _ = page_of(ran(PUSHED, instances=40, settings=settings))
    row = several.rows("quantities")["same"]
    n = int(row[0][1][0])
    assert row[2][1] == [0.0] and f"All {n} numbers are 0.1" in several.text and n > 5
    assert all(text == "–" for text, _ in several.rows("influence")["same"])
    none = ran(PUSHED, instances=5, settings={"integrator.max_steps": 3})
    page, troubles = page_of(none)
    assert troubles == ["All instances failed."] and page.rows("quantities")["swing"][0][1] == [0]
    assert "No instance has a number." in page.text and list(page.rows("endings")) == ["step_limit"]


def test_far_numbers():
    """Outliers are counted beside the bins; infinite numbers and NaN are told; numbers with a small spread keep their digits."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(size=997), [1e6, -1e9, np.inf, np.nan]])
    summary, bins = numbers.summary_of(values), numbers.bins_of(values)
    assert (summary.n, summary.n_nan, summary.n_infinite) == (999, 1, 1)
    assert (bins.n_below, bins.n_above) == (1, 1) and bins.counts.sum() == 997 and bins.high[-1] < 10
    assert numbers.bins_of(np.array([np.nan, 3.0])) is None
    few = numbers.bins_of(np.repeat([1.0, 2.0, 7.0], 5))
    assert list(few.values) == [1.0, 2.0, 7.0] and list(few.counts) == [5, 5, 5]
    near = 1e6 + 1e-6 * rng.uniform(size=100)
    own = numbers.summary_of(near)
    assert np.isnan(numbers.summary_of(np.full(5, 3.0)).skewness) and np.isnan(numbers.summary_of(np.array([1.0])).skewness)
    assert numbers.summary_of(np.array([-1e200, 0.0, 1e200])).skewness == 0.0
    for scale in (1.0, 1e-200, 1e100):  # of 0, 0, 0, 1: p = 1/4, (1 - 2 p) / sqrt(p (1 - p))
        found = numbers.summary_of(scale * np.array([0.0, 0.0, 0.0, 1.0])).skewness
        assert abs(found - 0.5 / np.sqrt(3 / 16)) < 1e-12
    assert numbers.number_text(own.mean, numbers.digits_of(own)).startswith("1000000.000000")
    texts = [numbers.number_text(value) for value in (0.0, -0.5, 12345.6, 1.5e-7, np.inf, np.nan)]
    assert texts == ["0", "−0.5000", "12346", "1.500·10⁻⁷", "∞", "–"]
    decades = numbers.bins_by_decades(np.array([0.0, 1e-12, 1e-9, 2e-9]), 1e-3)
    assert decades.n_below == 1 and decades.counts.sum() == 3


def test_names_are_no_markup():
    """Names are those of the file, whoever has written it."""
    evil, place = '</script><script>alert(1)</script>"&<b>ü', copied("evil")
    with h5py.File(place, "a") as file:
        file.move("quantities/swing", "quantities/" + evil.replace("/", "|"))
        file["quantities/low"].attrs["long_name"] = evil
        file["quantities/low"].attrs["units"] = "<m>"
        text = file["scenario"][()].decode().replace('"pushed rods"', json.dumps(evil, ensure_ascii=False))
        del file["scenario"]
        file["scenario"] = text
    before, made = Page(sarrus.report(study()).page), sarrus.report(place)
    page = Page(made.page)
    assert made.title == evil and evil.replace("/", "|") in page.rows("quantities")
    for tag in ("script", "iframe", "b", "section"):
        n, n_before = ([own for own, _ in some.tags].count(tag) for some in (page, before))
        assert n == n_before, tag
    links = [value for _, attrs in page.tags for key, value in attrs.items() if key in ("src", "href")]
    assert links and all(link.startswith("#") for link in links)
    assert "http" not in re.sub(r'srcdoc="[^"]*"', "", made.page).replace("http-equiv", "")
    frame = Page(made._repr_html_())
    assert [tag for tag, _ in frame.tags] == ["iframe"] and frame.tags[0][1]["srcdoc"] == made.page


def test_several_scenarios():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "one.yaml").write_text(PUSHED)
        pathlib.Path(folder, "both.yaml").write_text(
            "sarrus: 1\nscenarios:\n  - {file: one.yaml, instances: 8}\n"
            f"  - {{file: '{SOURCE}/scenarios/pendulum.yaml', instances: 1}}\n"
            "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.1}\noutput: {interval: 0.01, channels: [state]}\n"
        )
        result = ran(f"{folder}/both.yaml")
        page, _ = page_of(result)
        assert sarrus.report(result).title == "pushed rods, pendulum"
        names = [attrs["id"] for tag, attrs in page.tags if tag in ("section", "div") and "id" in attrs]
        assert {"g0", "g1", "g0-study", "g1-study", "g1-motion"} <= set(names) and len(names) == len(set(names))
        alone, _ = page_of(result, group=1)
        assert "rod.x over time" in alone.curves and "pushed rods" not in alone.text
        raises(sarrus.ArgumentError, lambda: sarrus.report(result, group=2), "2 groups", "one.yaml")


def test_misuse():
    for call, words in (
        (lambda: sarrus.report(study(), "report.pdf"), (".pdf", ".html")),
        (lambda: sarrus.report(study(), quantities=["strok"]), ("'strok'", "expected one of", "swing")),
        (lambda: sarrus.report(study(), quantities=[]), ("quantities=[]",)),
        (lambda: sarrus.report(study(), instances=[90]), ("no instance 90",)),
        (lambda: sarrus.report(study(), instances=[-1]), ("instances=-1",)),
        (lambda: sarrus.report(study(), channels=["stat"]), ("no channel 'stat'", "state/q")),
        (lambda: sarrus.report(study(), group=0), ("one scenario",)),
        (lambda: sarrus.report(3), ("path of a result file",)),
    ):
        raises(sarrus.ArgumentError, call, *words)
    own = shutil.copy(study(), f"{FOLDER.name}/own.html")
    raises(sarrus.ArgumentError, lambda: sarrus.report(own, own), "the result itself")
    raises(sarrus.FileError, lambda: sarrus.report(f"{FOLDER.name}/none.h5"), "none.h5")
    raises(sarrus.FileError, lambda: sarrus.report(__file__), "expected a result file of Sarrus")
    raises(sarrus.FileError, lambda: sarrus.report(study(), f"{FOLDER.name}/no/such/page.html"), "page.html")
    other = f"{FOLDER.name}/other.h5"
    with h5py.File(other, "w") as file:
        file["x"] = 1.0
    raises(sarrus.FileError, lambda: sarrus.report(other), "no attribute sarrus_format")
    with h5py.File(other, "a") as file:
        file.attrs["sarrus_format"] = 1
    raises(sarrus.FileError, lambda: sarrus.report(other), "no /instance/id")


def command(*arguments):
    own = [sys.executable, "-m", "sarrus", "report", *map(str, arguments)]
    return subprocess.run(own, capture_output=True, text=True, check=False)


def test_command():
    place = pathlib.Path(FOLDER.name) / "page.html"
    place.write_text("somebody's")
    done = command(study(), "-o", place)
    assert done.returncode == 2 and "no page that Sarrus has written" in done.stderr, done
    assert place.read_text() == "somebody's"
    place.write_text(f"<head>{sarrus.own_files.MARK} an older one")
    options = ["--quantities", "low,swing", "--instances", "3,5", "--instances", "7", "--channels", "state/v", "--title", "T"]
    done = command(study(), "-o", place, *options)
    assert done.returncode == 0 and "page.html" in done.stdout and not done.stderr, done
    wanted = sarrus.report(STUDY, quantities=["low", "swing"], instances=[3, 5, 7], channels=["state/v"], title="T").page
    assert place.read_text(encoding="utf-8") == wanted
    assert sorted(own.name for own in place.parent.glob("page*")) == ["page.html"]
    for arguments, code, word in (
        ((STUDY,), 2, "-o"),
        ((STUDY, "-o", f"{FOLDER.name}/a.pdf"), 2, ".pdf"),
        ((STUDY, "-o", place, "--instances", "many"), 2, "--instances"),
        ((STUDY, "-o", place, "--quantities", "no"), 2, "no quantity 'no'"),
        ((f"{FOLDER.name}/none.h5", "-o", place), 3, "none.h5"),
        ((STUDY, "-o", f"{FOLDER.name}/no/such/page.html"), 3, "page.html"),
    ):
        done = command(*arguments)
        assert done.returncode == code and word in done.stderr and "Traceback" not in done.stderr, done
    assert place.read_text(encoding="utf-8") == wanted
    done = command("--help")
    assert done.returncode == 0 and "--quantities" in done.stdout


def test_program_hands_over():
    """The program itself where python3 has the package; what lies in the present folder is none."""
    program = os.environ.get("SARRUS_PROGRAM")
    if not program:
        return
    folder = pathlib.Path(FOLDER.name)
    (folder / "sarrus").mkdir()
    (folder / "sarrus" / "__init__.py").write_text("raise SystemExit(7)")
    package = {"PATH": str(pathlib.Path(sys.executable).parent), "PYTHONPATH": str(pathlib.Path(sarrus.__file__).parents[1])}
    options = {"cwd": folder, "capture_output": True, "text": True, "timeout": 100}
    (folder / "own.html").unlink(missing_ok=True)
    own = [program, "report", study(), "-o", folder / "own.html"]
    done = subprocess.run(own, env={**os.environ, **package}, **options)
    assert done.returncode == 0 and "own.html" in done.stdout, done
    assert (folder / "own.html").read_text(encoding="utf-8").startswith("<!")
    done = subprocess.run([program, "animate", "--help"], env={**os.environ, **package}, **options)
    assert done.returncode == 0 and "--ghosts" in done.stdout, done
    done = subprocess.run(own, env={"PATH": "/nowhere"}, **options)
    assert done.returncode == 2 and "python3 has none here" in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_all(globals()))
