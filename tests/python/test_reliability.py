"""`sarrus reliability`: probabilities that are known exactly, and how many of their intervals hold them; a linkage against plain
draws; what does not depend on threads; what is refused. Exit code 77 (skipped) without a program or without h5py."""

import json
import math
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

from program import place

PROGRAM = place()
if PROGRAM is None:
    sys.exit(77)

# Sums, radii and products of drawn numbers need no motion.
EXACT = """\
sarrus: 1
space: planar
parameters: {a: 0, b: 0, u: 0, m: 1}
bodies: [{name: p, mass: "=m", inertia: 1, position: [0, 0]}]
joints: []
integrator: {method: rk4, dt: 0.1, t_end: 0.1}
batch:
  instances: 1000
  parameters:
    - {name: a, distribution: normal, mean: 0, sd: 1}
    - {name: b, distribution: normal, mean: 0, sd: 1}
    - {name: u, distribution: uniform, low: 0, high: 1}
output:
  channels: []
  quantities: {sum: a + b, radius: sqrt(a^2 + b^2), u: u, plateau: "a > 2 ? 1 : 0"}
"""

PENDULUM = """\
sarrus: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.0, v: 0.0}
bodies: [{name: rod, mass: "=m", inertia: 0.1, position: [0, -0.5], velocity: ["=v/2", 0], angular_velocity: "=v"}]
joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], damping: 0.05}]
integrator: {method: rk4, dt: 2.0e-3, t_end: 0.6}
batch:
  instances: 20000
  parameters:
    - {name: v, distribution: normal, mean: 3.0, sd: 0.4}
    - {name: m, distribution: uniform, low: 0.8, high: 1.2}
output: {every: 10, channels: [], quantities: {top: max(rod.y)}}
"""


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def found(path, *arguments, codes=(0,)):
    done = sarrus("reliability", path, "--json", *arguments)
    assert done.returncode in codes, (done.returncode, done.stderr)
    return json.loads(done.stdout)


def written(text):
    folder = tempfile.TemporaryDirectory()
    (pathlib.Path(folder.name) / "s.yaml").write_text(text)
    return folder


def test_exact_probabilities():
    """P(a + b > x) = erfc(x / 2) / 2, P(radius > r) = exp(-r²/2), P(u < x) = x. Intervals are to hold 95 of 100; of 25, 20 are
    missed with probability 1.7e-3 where each holds with 0.95, and of three cases with 5e-3."""
    with written(EXACT) as name:
        path = pathlib.Path(name) / "s.yaml"
        for arguments, exact in (
            (("--quantity", "sum", "--above", 6.0314), math.erfc(6.0314 / 2) / 2),
            (("--quantity", "radius", "--above", 5.25652), math.exp(-(5.25652**2) / 2)),
            (("--quantity", "u", "--below", 1e-4), 1e-4),
        ):
            rows = [found(path, *arguments, "--seed", seed) for seed in range(25)]
            held = sum(row["low"] <= exact <= row["high"] for row in rows)
            assert held >= 20, (arguments, held)
            # the mean of the estimates, by what they say of their own scatter
            mean = sum(row["probability"] for row in rows) / len(rows)
            scatter = max(row["variation"] for row in rows)
            assert abs(mean / exact - 1) < 4 * scatter / math.sqrt(len(rows)) + 0.05, (arguments, mean / exact)
            assert all(row["n_instances"] < 8000 for row in rows)


def test_numbers_that_are_alike():
    """Discrete numbers, and a floor under most of them: who goes on must not depend on how far beyond a limit it is."""
    count, n = 10, 25
    text = EXACT.replace("parameters: {a: 0", "parameters: {" + ", ".join(f"d{i}: 0" for i in range(count)) + ", a: 0").replace(
        "quantities: {",
        'quantities: {floor: "max(a + b, 3)", whole: rint(a + b), ones: "' + "+".join(f"d{i}" for i in range(count)) + '", ',
    )
    draws = "".join(f"    - {{name: d{i}, distribution: discrete, values: [0, 1], weights: [0.9, 0.1]}}\n" for i in range(count))
    with written(text.replace("output:", draws + "output:")) as name:
        path = pathlib.Path(name) / "s.yaml"
        for quantity, limit, exact in (
            ("ones", 5.5, sum(math.comb(count, k) * 0.1**k * 0.9 ** (count - k) for k in range(6, count + 1))),
            ("whole", 4.75, math.erfc(4.5 / 2) / 2),
            ("floor", 6, math.erfc(3) / 2),
        ):
            rows = [found(path, "--quantity", quantity, "--above", limit, "--seed", seed) for seed in range(n)]
            held = sum(row["low"] <= exact <= row["high"] for row in rows)
            assert held >= 20, (quantity, held)
        # of a plain sample the interval is right at its ends, too
        sure = found(path, "--quantity", "u", "--above", 1e-4, "--instances", 1000)
        assert sure["n_levels"] == 1 and sure["low"] < 1 - 1e-4 <= sure["high"]


def test_a_linkage_against_plain_draws():
    with written(PENDULUM) as name:
        path = pathlib.Path(name) / "s.yaml"
        done = sarrus("run", path, "-o", path.with_suffix(".h5"), "--quiet", "--specialize", "off")
        assert done.returncode == 0, done.stderr
        with h5py.File(path.with_suffix(".h5")) as file:
            tops = file["quantities/top"][:]
        limit = float(np.quantile(tops, 0.998))
        few = found(path, "--quantity", "top", "--above", limit, "--instances", 1000)
        exact, error = (tops > limit).mean(), np.sqrt(0.002 / len(tops))
        assert few["n_levels"] == 3 and few["n_instances"] < 3000
        # 2 in 1,000 of plain draws, known to a sixth; the interval of the few is some ±40 %
        assert few["low"] - 2 * error < exact < few["high"] + 2 * error, (few, exact)


def test_what_it_does_not_depend_on():
    with written(PENDULUM) as name:
        path = pathlib.Path(name) / "s.yaml"
        common = ("--quantity", "top", "--above", -0.05, "--instances", 500)
        assert found(path, *common, "--threads", 1) == found(path, *common, "--threads", 2)
        assert found(path, *common) == found(path, *common, "--set", "batch.sampling=sobol")
        assert found(path, *common) != found(path, *common, "--seed", 1)
        text = sarrus("reliability", path, *common)
        assert text.returncode == 0 and "probability of top above -0.05" in text.stdout and "level" in text.stdout
        three = sarrus("reliability", path, *common, "--quiet").stdout.split()
        assert len(three) == 3 and float(three[1]) < float(three[0]) < float(three[2])


def test_limits_that_are_not_reached():
    with written(EXACT) as name:
        path = pathlib.Path(name) / "s.yaml"
        far = found(path, "--quantity", "u", "--above", 2.0, "--instances", 200)
        assert far["probability"] is None and far["low"] == 0 and far["high"] < 1e-13 and 10 < far["n_levels"] <= 20
        # 0 or 1: most are at 0, and few at what is above it
        flat = found(path, "--quantity", "plateau", "--above", 0.5, "--instances", 1000)
        assert flat["low"] < math.erfc(2 / math.sqrt(2)) / 2 < flat["high"]
        flat = found(path, "--quantity", "plateau", "--above", 1.5, "--instances", 200)
        assert flat["probability"] is None and flat["high"] < 0.2
        likely = found(path, "--quantity", "sum", "--below", 10)
        assert likely["probability"] == 1 and likely["n_levels"] == 1


def test_failed_instances():
    with written(EXACT.replace('mass: "=m"', 'mass: "=m*(a + 1)"')) as name:
        path = pathlib.Path(name) / "s.yaml"
        row = found(path, "--quantity", "sum", "--above", 3, codes=(1,))
        assert row["n_failed"] > 100 and row["low"] < math.erfc(3 / 2) / 2 < 1.2 * row["high"]


def test_levels_are_of_tens():
    """Each that goes on makes ten: other numbers are rounded up, the result is that of the round number, and it is said."""
    with written(EXACT) as name:
        path = pathlib.Path(name) / "s.yaml"
        rows = [found(path, "--quantity", "sum", "--below", 10, "--instances", n) for n in (11, 20)]
        assert rows[0] == rows[1] and rows[0]["n_level"] == rows[0]["n_instances"] == 20, rows
        for n, said in ((11, "sarrus: note: a level had 20 instances, not 11: "), (20, "")):
            done = sarrus("reliability", path, "--quantity", "sum", "--below", 10, "--instances", n)
            assert done.stderr.startswith(said) and (said or done.stderr == ""), done.stderr
        done = sarrus("reliability", path, "--quantity", "sum", "--below", 10, "--instances", 11, "--quiet")
        assert done.stderr == "", done.stderr
        done = sarrus("reliability", path, "--quantity", "sum", "--below", 10, "--set", "batch.instances=15")
        assert "a level had 20 instances, not 15" in done.stderr, done.stderr


def test_what_is_refused():
    with written(EXACT) as name:
        path = pathlib.Path(name) / "s.yaml"
        for arguments, word in (
            (("--quantity", "none", "--above", 1), "there is no quantity 'none'"),
            (("--quantity", "sum"), "--above X or --below X"),
            (("--above", 1), "expected --quantity NAME"),
            (("--quantity", "sum", "--above", 1, "--below", 0), "two limits"),
            (("--quantity", "sum", "--above", "nan"), "--above needs a number"),
            (("--quantity", "sum", "--above", "1x"), "--above needs a number"),
            (("--quantity", "sum", "--above", 1, "--instances", 3), "--instances"),
            (("--quantity", "sum", "--above", 1, "--set", "batch.parameters=[]"), "without random parameters"),
        ):
            done = sarrus("reliability", path, *arguments)
            assert done.returncode == 2 and word in done.stderr, (arguments, done.stderr)


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
