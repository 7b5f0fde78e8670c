"""Statistics over instances and the choice of trajectories in a result file, against what NumPy makes of the trajectories of all:
the same bits whatever the threads and whoever is kept, with instances that fail on the way; of stopped runs, parts, several
scenarios. Exit code 77 (skipped) without a program or h5py."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

LEVELS = [0.05, 0.5, 0.95, 1.0, 0.0]
# Springs of both signs: the stiff ones use up their steps, each at a time of its own.
PUSHED = """\
sarrus: 1
space: planar
parameters: {k: 0.0}
bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]
joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k"}]
integrator: {method: dopri5, dt: 5.0e-3, t_end: 0.3, max_steps: 250}
batch: {instances: 150, seed: 2, parameters: [{name: k, distribution: uniform, low: -5.0e+3, high: 1.0e+4}]}
output:
  every: 3
  channels: [state, energy, rank, reactions]
  points: [{name: tip, body: rod, at: [0.1, 0.2], channels: [position, velocity]}]
  quantities: {high: max(tip.y), never: "first(tip.y > 1e9)", seldom: "first(tip.y < 0)"}
"""
STATISTICS = "{channels: [state, energy, rank, reactions, points, quantities], quantiles: [0.05, 0.5, 0.95, 1, 0]}"


def sarrus(program, *arguments, codes=(0, 1)):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode in codes, done.stderr
    return done


def read(path):
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: out.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
        out["n_trajectories"] = int(f.attrs["n_trajectories"])
        for name in out:
            if name.startswith("statistics/"):
                dataset = f[name]
                assert "units" in dataset.attrs and "long_name" in dataset.attrs, name
                assert dataset.is_scale or all(len(axis) > 0 for axis in dataset.dims), f"{name} lacks a scale"
                if dataset.ndim > 0 and not dataset.is_scale and not name.startswith(("statistics/quant", "statistics/status")):
                    assert dataset.dims[0][0].name == "/time", name
                if name.endswith("/quantiles"):
                    assert dataset.dims[dataset.ndim - 1][0].name == "/statistics/quantile", name
            elif name.startswith(("state/", "points/", "diagnostics/", "reactions/")):
                wanted = "/trajectory" if "trajectory" in out else "/instance/id"
                assert f[name].dims[0][0].name in (wanted, "/id"), name
    return out


def run(program, folder, *arguments, text=PUSHED, codes=(0, 1)):
    scenario, path = pathlib.Path(folder) / "scenario.yaml", pathlib.Path(folder) / "out.h5"
    scenario.write_text(text)
    sarrus(program, "run", str(scenario), "-o", str(path), "--backend", "cpu", "--quiet", *arguments, codes=codes)
    return read(path)


def same(what, found, wanted):
    assert found.shape == wanted.shape, f"{what}: {found.shape}, not {wanted.shape}"
    assert np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f"), f"{what} differs"


def near(what, found, wanted, values):
    """Two ways to sum n numbers: some round-off of the largest, times the logarithm of n for one, n for the other's pieces."""
    assert np.array_equal(np.isnan(found), np.isnan(wanted)), f"{what}: NaN elsewhere"
    size = np.nanmax(np.abs(values), axis=0)
    assert np.all(np.isnan(wanted) | (np.abs(found - wanted) <= 1e-13 * size)), what


def near_skewness(what, found, values, low, high):
    """g1. With t the mean of |x - mean|³ in units of sd³, a mean that is off by e moves it by up to 3 (1 + t) e / sd, and the sums
    of 150 numbers by up to 4 · 170 · 2⁻⁵³ (1 + t) (src/study/spread.h); NumPy's mean is off by up to 150 · 2⁻⁵³ of the largest
    number."""
    mean, sd = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    alike = ~(low < high)
    with np.errstate(all="ignore"):
        g1 = np.nanmean((values - mean) ** 3, axis=0) / sd**3
        t = np.nanmean(np.abs(values - mean) ** 3, axis=0) / sd**3
        bound = 2.0**-53 * (1 + t) * (680 + 450 * np.nanmax(np.abs(values), axis=0) / sd)
    assert np.array_equal(np.isnan(found), alike), f"{what}: NaN elsewhere"
    assert np.all(alike | (np.abs(found - g1) <= bound)), what


def check_of(f, path, values):
    """values [N, …], NaN where an instance is none."""
    base = f"statistics/{path}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of times at which nobody is left
        near(f"{base}/mean", f[f"{base}/mean"], np.nanmean(values, axis=0), values)
        near(f"{base}/sd", f[f"{base}/sd"], np.nanstd(values, axis=0, ddof=1), values)
        near_skewness(f"{base}/skewness", f[f"{base}/skewness"], values, f[f"{base}/min"], f[f"{base}/max"])
        same(f"{base}/min", f[f"{base}/min"], np.nanmin(values, axis=0))
        same(f"{base}/max", f[f"{base}/max"], np.nanmax(values, axis=0))
        same(f"{base}/quantiles", f[f"{base}/quantiles"], np.moveaxis(np.nanquantile(values, LEVELS, axis=0), 0, -1))


def check_all(f):
    paths = [p for p in f if p.startswith(("state/", "points/", "reactions/", "diagnostics/"))]
    assert {"state/q", "state/v", "points/tip/velocity", "reactions/A", "diagnostics/rank"} <= set(paths)
    for path in paths:
        values = f[path].astype(float)
        if path == "diagnostics/rank":
            values[f[path] == 65535] = np.nan
        check_of(f, path, values)
    n = np.isfinite(f["state/v"][:, :, 0]).sum(axis=0)
    same("statistics/n", f["statistics/n"], n.astype(np.uint64))
    assert n[0] == 150 and 2 < n[-1] < 140 and len(np.unique(n)) > 3, n
    good = f["instance/status"] == 0
    for name in ("high", "seldom"):
        values = f[f"quantities/{name}"][good]
        check_of(f, f"quantities/{name}", values)
        assert f[f"statistics/quantities/{name}/n"] == np.isfinite(values).sum() > 1
    assert np.isnan(f["quantities/seldom"][good]).any()
    assert f["statistics/quantities/never/n"] == 0 and np.isnan(f["statistics/quantities/never/mean"])
    same("statistics/quantile", f["statistics/quantile"], np.array(LEVELS))


def check_choices(program, folder):
    everything = run(program, folder, "--set", f"output.statistics={STATISTICS}", "--threads", "2")
    check_all(everything)
    of_statistics = {p for p in everything if p.startswith("statistics/")}
    assert "trajectory" not in everything and everything["n_trajectories"] == 150

    choice = ("--set", f"output.statistics={STATISTICS}", "--threads", "1", "--set")
    some = run(program, folder, *choice, "output.instances=[149, 3, 17]")
    same("trajectory", some["trajectory"], np.array([3, 17, 149], np.uint64))
    assert some["n_trajectories"] == 3
    none = run(program, folder, *choice, "output.instances=none")
    assert none["n_trajectories"] == 0 and "trajectory" not in none
    assert set(none) == {p for p in everything if not p.startswith(("state/", "points/", "reactions/", "diagnostics/"))}
    for path, values in everything.items():
        if path in ("scenario", "n_trajectories"):
            continue
        for other in (some, none):
            if path.startswith(("state/", "points/", "reactions/", "diagnostics/")):
                if other is some:
                    same(path, other[path], values[[3, 17, 149]])
            elif values.dtype.kind in "fiu":
                same(path, other[path], values)
    # They are of what nobody keeps, too, and quantiles are not needed.
    bare = run(program, folder, "--set", "output.channels=[]", "--set", "output.statistics=[state, energy]")
    assert "state/q" not in bare and "diagnostics/energy" not in bare and "statistics/quantile" not in bare
    for path in ("n", "state/q/sd", "diagnostics/energy/mean"):
        same(path, bare[f"statistics/{path}"], everything[f"statistics/{path}"])
    assert not any(p.endswith("/quantiles") for p in bare) and len(of_statistics) > len([p for p in bare if "statistics" in p])


def merged_of(program, folder, n_parts, asked):
    folder = pathlib.Path(folder)
    parts = [str(folder / f"{k}.h5") for k in range(n_parts)]
    for k, part in enumerate(parts):
        sarrus(program, "run", str(folder / "scenario.yaml"), "-o", part, "--quiet", *asked, "--shard", f"{k}/{n_parts}")
    done = sarrus(program, "merge", *parts, "-o", str(folder / "merged.h5"))
    assert "statistics over time are not" not in done.stderr, done.stderr
    return read(folder / "merged.h5")


def check_parts(program, folder):
    """Without trajectories a merge has the bits of one run that makes quantiles in the same way, with instances that fail and parts
    shorter than 32 instances, of 1 to 8 parts; sums, and numbers or counts, that somebody spoils make other statistics."""
    folder = pathlib.Path(folder)
    kept = ("output.instances=none", "output.instances=[3, 60]", "output.channels=[energy]")
    sketched = STATISTICS.replace("}", ", quantile_method: sketch}")
    for n, choice, statistics in (
        (9, kept[0], sketched),
        (9, kept[0], STATISTICS),
        (64, kept[1], sketched),
        (64, kept[1], STATISTICS),
        (150, kept[2], sketched),
        (150, kept[1], sketched),
        (150, kept[0], STATISTICS),
        (150, kept[0], sketched),
    ):
        asked = ("--set", f"output.statistics={statistics}", "--set", choice, "--instances", str(n))
        whole = run(program, folder, *asked)
        assert not any(path.startswith("partial/") for path in whole)
        for n_parts in (1, 2, 3, 8):
            merged = merged_of(program, folder, n_parts, asked)
            assert set(merged) - {path for path in merged if path.startswith("parts/")} == set(whole)
            for path, values in whole.items():
                if path.startswith("statistics/"):
                    same(f"{n_parts} parts, {n} instances, {choice}: {path}", merged[path], values)
        assert len([path for path in whole if path.startswith("statistics/")]) > 40
        with h5py.File(folder / "merged.h5") as f:
            method = "sketch" if statistics is sketched else "exact"
            assert f["statistics/state/q/quantiles"].attrs["method"] == method
        if (n, choice) == (150, kept[0]):
            check_spoilt(program, folder, whole, "counts" if statistics is sketched else "numbers")


def check_spoilt(program, folder, whole, handed_on):
    with h5py.File(folder / "1.h5", "r+") as f:
        assert [word for word in f["partial/state/q"] if word in ("counts", "numbers")] == [handed_on]
        f["partial/state/q/sums"][1] *= 1.0 + 1e-15
        f[f"partial/state/q/{handed_on}"][2] = np.roll(f[f"partial/state/q/{handed_on}"][2], 1)
    sarrus(program, "merge", *(str(folder / f"{k}.h5") for k in range(8)), "-o", str(folder / "merged.h5"))
    spoilt = read(folder / "merged.h5")
    for i, word in ((1, "mean"), (2, "quantiles")):
        found, wanted = spoilt[f"statistics/state/q/{word}"], whole[f"statistics/state/q/{word}"]
        assert np.any(found[i] != wanted[i]) and np.array_equal(found[3:], wanted[3:])


def check_sketches(program, folder):
    """Where one run has exact quantiles those of merged parts of more than 4,096 instances say that they are not, and are as near
    as they say."""
    asked = ("--set", f"output.statistics={STATISTICS}", "--set", "output.instances=none", "--instances", "4100")
    exact = run(program, folder, *asked)
    with h5py.File(pathlib.Path(folder) / "out.h5") as f:
        assert f["statistics/state/q/quantiles"].attrs["method"] == "exact"
    merged = merged_of(program, folder, 3, asked)
    with h5py.File(pathlib.Path(folder) / "merged.h5") as f:
        assert f["statistics/state/q/quantiles"].attrs["method"] == "sketch"
        assert f["statistics/quantities/high/quantiles"].shape == (len(LEVELS),)
    n_off = 0
    for path, values in exact.items():
        if not path.startswith("statistics/"):
            continue
        if not path.endswith("/quantiles") or path.startswith("statistics/quantities"):
            same(path, merged[path], values)
            continue
        error, off = merged[f"{path}_error"], np.abs(merged[path] - values)
        base = path[: -len("quantiles")]
        largest = np.fmax(np.abs(exact[base + "min"]), np.abs(exact[base + "max"]))[..., None]
        assert f"{path}_error" not in exact and np.array_equal(np.isnan(error), np.isnan(values)), path
        assert np.all(np.isnan(values) | (off <= error + 1e-15 * largest)), path
        assert np.all(np.isnan(values) | (error <= 2.0**-7 * largest)), path
        n_off += np.count_nonzero(off > 1e-9 * largest)
    assert n_off > 100, "they should not be exact"


def check_replay(program, folder):
    """A replay shows its one instance, whatever the study keeps."""
    kept = ("--set", f"output.statistics={STATISTICS}", "--set", "output.instances=[3]")
    study = run(program, folder, *kept)
    one = run(program, folder, *kept, "--instance", "5")
    assert one["state/q"].shape[0] == 1 and not any(p.startswith("statistics") for p in one) and one["n_trajectories"] == 1
    last = one["state/q"][0][one["replay/is_output"][0] == 1]
    third = run(program, folder, *kept, "--instance", "3")
    rows = third["state/q"][0][third["replay/is_output"][0] == 1]
    same("replay", rows, study["state/q"][0][: len(rows)])
    assert len(last) > 0


def check_mixed(program, folder):
    folder = pathlib.Path(folder)
    (folder / "scenario.yaml").write_text(PUSHED)
    document = (
        "sarrus: 1\nscenarios: [{file: scenario.yaml, instances: 8}, {file: scenario.yaml, instances: 12, seed: 7}]\n"
        "integrator: {method: dopri5, dt: 5.0e-3, t_end: 0.1, max_steps: 250}\n"
        "output: {instances: [1, 7], statistics: [state]}\n"
    )
    (folder / "mixed.yaml").write_text(document)
    sarrus(program, "run", str(folder / "mixed.yaml"), "-o", str(folder / "mixed.h5"), "--quiet")
    own = ("--set", "integrator.t_end=0.1", "--set", "output={instances: none, statistics: [state]}")
    alone = {"0": run(program, folder, *own, "--instances", "8")}
    alone["1"] = run(program, folder, *own, "--instances", "12", "--seed", "7")
    with h5py.File(folder / "mixed.h5") as f:
        for group, n in (("0", 8), ("1", 12)):
            assert list(f[group]["trajectory"]) == [1, 7] and f[group]["instance/id"].shape == (n,)
            assert f[group]["state/q"].shape[0] == 2 and f[group]["statistics/n"][0] == n
            for path in ("statistics/state/q/mean", "statistics/state/v/sd", "statistics/n"):
                same(path, f[group][path][...], alone[group][path])
    told = json.loads(sarrus(program, "info", str(folder / "mixed.h5"), "--json").stdout)
    assert told["n_trajectories"] == 4 and [g["n_trajectories"] for g in told["groups"]] == [2, 2]
    (folder / "mixed.yaml").write_text(document.replace("[1, 7]", "[1, 8]"))
    done = sarrus(program, "run", str(folder / "mixed.yaml"), "-o", str(folder / "no.h5"), codes=(2,))
    assert "mixed.yaml:4:25: error: there is no instance 8; expected numbers from 0 to 7" in done.stderr, done.stderr


def check_errors(program, folder):
    done = sarrus(
        program,
        "run",
        str(pathlib.Path(folder) / "scenario.yaml"),
        "--instances",
        "9",
        "-o",
        f"{folder}/no.h5",
        "--set",
        "output.instances=[12]",
        codes=(2,),
    )
    assert "output.instances keeps the trajectory of instance 12; the study has those from 0 to 8" in done.stderr, done.stderr
    assert not pathlib.Path(folder, "no.h5").exists()


def check_stopped(program, folder, order):
    """A run that is stopped, or killed, has statistics as far as it has times."""
    path = pathlib.Path(folder) / "stopped.h5"
    partial = path.with_suffix(".h5.partial")
    text = PUSHED.replace("method: dopri5, dt: 5.0e-3, t_end: 0.3, max_steps: 250", "method: rk4, dt: 1.0e-4, t_end: 100")
    (pathlib.Path(folder) / "long.yaml").write_text(text.replace("every: 3", "every: 1"))
    command = [program, "run", f"{folder}/long.yaml", "-o", str(path), "--quiet", "--set", f"output.statistics={STATISTICS}"]
    process = subprocess.Popen([*command, "--set", "output.instances=none"], stderr=subprocess.DEVNULL)
    # It is seen when it holds no times yet; two blocks more, and one of them is committed.
    until, sizes = time.monotonic() + 60, set()
    while len(sizes) < 3 and time.monotonic() < until:
        time.sleep(0.02)
        sizes |= {partial.stat().st_size} if partial.exists() else set()
    time.sleep(0.3)
    process.send_signal(order)
    assert process.wait(timeout=60) == (130 if order == signal.SIGINT else -order)
    with h5py.File(path if order == signal.SIGINT else partial) as f:
        n_times = int(f.attrs["n_times_written"])
        assert f.attrs["complete"] == 0 and 0 < n_times < len(f["time"])
        mean, n = f["statistics/state/q/mean"], f["statistics/n"]
        assert np.isfinite(mean[:n_times]).all() and (n[:n_times] > 0).all()
        if order == signal.SIGINT:
            assert np.isnan(mean[n_times : n_times + 50]).all() and not n[n_times : n_times + 50].any()
            assert f["statistics/quantities/high/n"][()] > 0
        else:
            assert f["statistics/quantities/high/n"][()] == 0 and np.isnan(f["statistics/quantities/high/mean"][()])


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_choices(program, folder)
        check_parts(program, folder)
        check_sketches(program, folder)
        check_replay(program, folder)
        check_mixed(program, folder)
        check_errors(program, folder)
        check_stopped(program, folder, signal.SIGINT)
        check_stopped(program, folder, signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
