"""What is told of the quantities of a study at its end: moments, intervals, histograms, covariances, how the instances ended,
against NumPy, sums over binomials and an integral; the same bytes in parts, started together too, and after failed instances were
run again. Exit code 77 (skipped) without a program or h5py."""

import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

N, BINS, LEVELS = 150, 12, [0.02, 0.25, 0.5, 0.9]
# Some springs are so stiff that their instances use up their steps, over bodies, of which more fail.
STUDY = """\
sarrus: 1
space: planar
parameters: {k: 0.0, L: 0.0}
bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]
joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k", damping: "=L"}]
dynamics: {formulation: udwadia-kalaba}
integrator: {method: dopri5, dt: 5.0e-3, t_end: 0.3, max_steps: 250}
batch:
  instances: 150
  seed: 2
  parameters:
    - {name: k, distribution: uniform, low: -5.0e+3, high: 1.0e+4}
    - {name: L, distribution: normal, mean: 0.5, sd: 0.1}
output:
  every: 3
  instances: none
  quantities: {high: max(rod.y), low: min(rod.y), never: "first(rod.y > 1e9)"}
  statistics: {channels: [state, quantities], quantiles: [0.02, 0.25, 0.5, 0.9], histogram: 12, covariance: true}
"""


def sarrus(*arguments, codes=(0, 1)):
    done = subprocess.run([place(), *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode in codes, done.stderr
    return done


def read(path):
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: out.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    return out


def half_width(n):
    """Of the mean, in units of sd: Student's t, whose share within ±t is an integral of its density (Simpson), by halving."""
    freedom = n - 1
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    low, high = 1.0, 20.0
    for _ in range(60):
        t = (low + high) / 2
        x = np.linspace(0.0, t, 4001)
        y = scale * (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
        share = 2 * t / 12000 * (y[0] + y[-1] + 4 * y[1::2].sum() + 2 * y[2:-1:2].sum())
        low, high = (t, high) if share < 0.95 else (low, t)
    return low / math.sqrt(n)


def interval(x, level):
    """The two of the numbers in order beside which the quantile is with 2.5 % at most."""
    n, x = len(x), np.sort(x)
    below = np.cumsum([math.comb(n, k) * level**k * (1 - level) ** (n - k) for k in range(n + 1)])
    low, high = np.flatnonzero(below <= 0.025), np.flatnonzero(below >= 0.975)
    return (x[low[-1]] if len(low) else np.nan), (x[high[0]] if high[0] < n else np.nan)


def check_quantity(f, name):
    own = {path.rsplit("/", 1)[1]: values for path, values in f.items() if path.startswith(f"statistics/quantities/{name}/")}
    good = f["instance/status"] == 0
    x = f[f"quantities/{name}"][good]
    x = x[np.isfinite(x)]
    d = x - x.mean()
    assert own["n"] == len(x) > 20
    assert np.isclose(own["mean"], x.mean(), rtol=1e-13, atol=1e-15) and np.isclose(own["sd"], x.std(ddof=1), rtol=1e-12)
    assert np.isclose(own["skewness"], (d**3).mean() / (d**2).mean() ** 1.5, rtol=1e-10, atol=1e-11)
    assert own["min"] == x.min() and own["max"] == x.max()
    assert np.array_equal(own["quantiles"], np.quantile(x, LEVELS))
    # Simpson's error of a smooth density over 4,000 steps is below 1e-12
    assert np.isclose(own["mean_confidence"], half_width(len(x)) * x.std(ddof=1), rtol=1e-9)
    wanted = np.array([interval(x, level) for level in LEVELS])
    assert np.array_equal(own["quantiles_low"], wanted[:, 0], equal_nan=True)
    assert np.array_equal(own["quantiles_high"], wanted[:, 1], equal_nan=True)
    counts, edges = np.histogram(x, bins=BINS)
    assert np.allclose(own["edges"], edges, rtol=0, atol=1e-15 * np.abs(x).max()) and own["edges"].shape == (BINS + 1,)
    assert np.array_equal(own["histogram"], np.histogram(x, bins=own["edges"])[0]) and own["histogram"].sum() == len(x)
    assert np.abs(own["histogram"].astype(int) - counts).sum() <= 2


def check_covariance(f, n_wanted):
    """Pairwise sums of differences from a mean: some u sd sd' (src/study/covariance.h), NumPy's somewhat more."""
    names = [name.decode() for name in f["statistics/variable"]]
    assert names == ["high", "low", "never", "k", "L"] and np.array_equal(f["statistics/other_variable"], f["statistics/variable"])
    assert f["statistics/covariance_n"] == n_wanted
    found, r = f["statistics/covariance"], f["statistics/correlation"]
    if n_wanted == 0:
        assert np.all(np.isnan(found)) and np.all(np.isnan(r))
        return
    good = f["instance/status"] == 0
    columns = [f[f"quantities/{name}"][good] for name in names[:3]] + [f[f"instance/parameters/{name}"][good] for name in names[3:]]
    wanted = np.cov(columns)
    sd = np.sqrt(np.diag(wanted))
    assert np.all(np.abs(found - wanted) <= 1e-13 * np.outer(sd, sd)) and np.array_equal(found, found.T)
    alike = sd == 0
    assert np.array_equal(np.isnan(r), alike[:, None] | alike[None, :])
    with np.errstate(invalid="ignore"):
        near = np.abs(r - wanted / np.outer(sd, sd)) <= 1e-12
    assert np.all(near | np.isnan(r)) and np.all(np.diag(r)[~alike] == 1.0)
    assert np.abs(found[np.triu_indices(3, 1)]).max() > 0


def check_parameters(f):
    good = f["instance/status"] == 0
    for name in ("k", "L"):
        for word, chosen in (("", good), ("failed_", ~good)):
            x, base = f[f"instance/parameters/{name}"][chosen], f"statistics/parameters/{name}/{word}"
            d = x - x.mean()
            assert f[base + "n"] == len(x) > 20 and f[base + "min"] == x.min() and f[base + "max"] == x.max()
            # sums of 150 numbers, by two ways
            assert abs(f[base + "mean"] - x.mean()) <= 1e-13 * np.abs(x).max()
            assert np.isclose(f[base + "sd"], x.std(ddof=1), rtol=1e-12)
            assert np.isclose(f[base + "skewness"], (d**3).mean() / (d**2).mean() ** 1.5, rtol=1e-9, atol=1e-11)


def check_study(f, n_all):
    check_parameters(f)
    for name in ("high", "low"):
        check_quantity(f, name)
    assert f["statistics/quantities/never/n"] == 0 and np.isnan(f["statistics/quantities/never/mean_confidence"])
    assert not f["statistics/quantities/never/histogram"].any() and np.isnan(f["statistics/quantities/never/edges"]).all()
    words = [word.decode() for word in f["statistics/status"]]
    counts = dict(zip(words, f["statistics/status_count"], strict=True))
    assert np.array_equal(f["statistics/status_count"], np.bincount(f["instance/status"], minlength=len(words)))
    assert counts["ok"] > 20 and counts["step_limit"] > 20 and sum(counts.values()) == N
    check_covariance(f, n_all)


def same_totals(what, found, wanted):
    paths = [path for path in wanted if path.startswith("statistics/")]
    assert len(paths) > 50 and set(paths) == {path for path in found if path.startswith("statistics/")}, what
    for path in paths:
        if "/quantiles" in path and not path.startswith("statistics/quantities/"):
            continue
        is_text = wanted[path].dtype.kind == "O"
        assert np.array_equal(found[path], wanted[path], equal_nan=not is_text), f"{what}: {path}"


def check_parts(folder, scenario, asked, whole):
    for n in (1, 2, 3, 8):
        parts = [folder / f"{k}_of_{n}.h5" for k in range(n)]
        for k, part in enumerate(parts):
            sarrus("run", scenario, "-o", part, "--quiet", *asked, "--shard", f"{k}/{n}")
        sarrus("merge", *parts, "-o", folder / "merged.h5")
        same_totals(f"{n} parts", read(folder / "merged.h5"), whole)
    sarrus("run", scenario, "-o", folder / "parts.h5", "--quiet", *asked, "--parts", 5)
    same_totals("--parts", read(folder / "parts.h5"), whole)
    if shutil.which("mpirun") is None:
        return
    launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"]
    done = subprocess.run(
        [*launch, place(), "run", str(scenario), "-o", str(folder / "ranks.h5"), "--quiet", "--threads", "1", *asked],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    same_totals("mpirun -n 3", read(folder / "ranks.h5"), whole)


def main():
    if place() is None:
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scenario = folder / "study.yaml"
        scenario.write_text(STUDY)
        sketched = ("--set", "output.statistics.quantile_method=sketch")
        sarrus("run", scenario, "-o", folder / "whole.h5", "--quiet", *sketched)
        whole = read(folder / "whole.h5")
        # nobody has the quantity that never comes
        check_study(whole, 0)
        # stiff springs are those that use up their steps
        assert whole["statistics/parameters/k/failed_mean"] > whole["statistics/parameters/k/mean"] + 1e3
        check_parts(folder, scenario, sketched, whole)
        every = ("--set", "output.quantities.never=mean(rod.x)")
        sarrus("run", scenario, "-o", folder / "every.h5", "--quiet", *every, "--threads", 2)
        everybody = read(folder / "every.h5")
        check_covariance(everybody, (everybody["instance/status"] == 0).sum())
        sarrus("run", scenario, "-o", folder / "again.h5", "--quiet", *every, "--threads", 1)
        same_totals("one thread", read(folder / "again.h5"), everybody)
        # those that failed are run again with as many steps as they like
        more = ("--set", "integrator.max_steps=100000")
        sarrus("run", scenario, "--retry-failed", folder / "whole.h5", "-o", folder / "new.h5", "--quiet", *sketched, *more)
        new = read(folder / "new.h5")
        assert new["statistics/status_count"][0] > 2 * whole["statistics/status_count"][0]
        check_study(new, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
