"""`output.precision`: trajectories rounded to fewer bits, against exact runs and against rounding by NumPy; what else is in the
file keeps its bits; stopped runs, parts, replays. Exit code 77 (skipped) without a program or h5py."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py is not installed")
    sys.exit(77)

from program import place

# Springs of both signs: those that push tear their instance apart, whose later rows are NaN.
SCENARIO = """\
sarrus: 1
space: planar
parameters: {k: 0.0}
bodies:
  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}
  - {name: bob, mass: 0.4, inertia: 0.1, position: [1.0, -0.2]}
joints:
  - {name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: "=k"}
  - {name: B, type: revolute, bodies: [rod, bob], at: [1.0, 0]}
integrator: {method: dopri5, dt: 5.0e-3, t_end: 1.0, max_steps: 250}
batch: {instances: 300, seed: 2, parameters: [{name: k, distribution: uniform, low: -5.0e+3, high: 1.0e+3}]}
output:
  channels: [state, energy, constraint, rank, reactions]
  points: [{name: tip, body: rod, at: [0.1, 0.2], channels: [position, velocity]}]
  quantities: {high: max(tip.y)}
  statistics: {channels: [state, quantities], quantiles: [0.5]}
"""
BITS, ERROR = "_QuantizeBitRoundNumberOfSignificantBits", "quantization_maximum_relative_error"
TRAJECTORIES = ("state/", "diagnostics/", "reactions/", "points/")


def rounded(x, n_bits):
    """Of NumPy's own: through mantissa and exponent, ties to even."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(fraction, n_bits + 1)), exponent - n_bits - 1)


def run(program, folder, name, *more, codes=(0, 1)):
    done = subprocess.run(
        [program, "run", str(folder / "study.yaml"), "-o", str(folder / name), "--quiet", "--specialize", "off", *more],
        capture_output=True, text=True, timeout=200,
    )
    assert done.returncode in codes, done.stderr
    return folder / name


def read(path):
    arrays, attributes = {}, {}

    def take(name, item):
        if isinstance(item, h5py.Dataset):
            arrays[name], attributes[name] = item[...], dict(item.attrs)

    with h5py.File(path) as f:
        f.visititems(take)
    return arrays, attributes


def is_trajectory(name, array):
    return name.startswith(TRAJECTORIES) and array.dtype == np.float64 and array.ndim >= 2


def assert_same_bits(a, b, name):
    assert a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes(), name


def check_rounding(exact, path, precision):
    arrays, attributes = read(path)
    n_rounded = 0
    for name, x in exact[0].items():
        if not is_trajectory(name, x):
            if name != "scenario" and x.dtype != object:
                assert_same_bits(arrays[name], x, name)
            assert BITS not in attributes[name], name
            continue
        n_bits = int(attributes[name][BITS])
        bound = float(attributes[name][ERROR])
        assert bound == 2.0 ** -(n_bits + 1) and bound <= precision < 2 * bound, (name, n_bits)
        assert (np.isnan(arrays[name]) == np.isnan(x)).all(), name
        there = ~np.isnan(x)
        assert (np.abs(arrays[name][there] - x[there]) <= precision * np.abs(x[there])).all(), name
        assert_same_bits(arrays[name][there], rounded(x[there], n_bits), name)
        assert precision < 1e-12 or (arrays[name][there] != x[there]).any(), f"{name} was not rounded"
        n_rounded += 1
    assert n_rounded == 9, n_rounded


def rounds_trajectories_alone(program, folder):
    exact_path = run(program, folder, "exact.h5")
    exact = read(exact_path)
    assert np.isnan(exact[0]["state/q"]).any() and not np.isnan(exact[0]["state/q"]).all(), "no instance has failed"
    size = {}
    for precision in (0.3, 1e-3, 1e-6, 1e-9, 1e-15):
        path = run(program, folder, "rounded.h5", "--set", f"output.precision={precision}")
        check_rounding(exact, path, precision)
        with h5py.File(path) as f:
            size[precision] = f["state/q"].id.get_storage_size()
    with h5py.File(exact_path) as f:
        size[0.0] = f["state/q"].id.get_storage_size()
    print("bytes of state/q by precision:", size)
    # Numbers of 29 and of 9 bits behind the leading one have 23 and 43 fewer of 64 bits: of 8 planes of bytes 2 and 5 are zeros. Of
    # the plane that is cut through nothing is promised, nor of the others more than that they are no larger.
    assert size[1e-9] < size[0.0] * 6 / 8 and size[1e-3] < size[0.0] * 3 / 8, size
    assert size[0.3] < size[1e-3] < size[1e-6] < size[1e-9] < size[1e-15] <= 1.02 * size[0.0], size
    finest = run(program, folder, "finest.h5", "--set", "output.precision=1e-17")
    for name, x in read(finest)[0].items():
        if x.dtype != object and name != "scenario":
            assert_same_bits(x, exact[0][name], name)
    assert BITS not in read(finest)[1]["state/q"], "nothing was rounded, but it says so"
    return exact


def threads_and_blocks_change_nothing(program, folder):
    set_it = ("--set", "output.precision=1e-6")
    whole = read(run(program, folder, "one.h5", *set_it, "--threads", "1"))[0]
    blocks = read(run(program, folder, "blocks.h5", *set_it, "--threads", "2"))[0]
    for name, x in whole.items():
        if x.dtype != object:
            assert_same_bits(x, blocks[name], name)


def parts_are_the_whole(program, folder):
    set_it = ("--set", "output.precision=1e-6")
    whole = read(run(program, folder, "whole.h5", *set_it))[0]
    for k in range(2):
        run(program, folder, f"part{k}.h5", *set_it, "--shard", f"{k}/2")
    merged = folder / "merged.h5"
    done = subprocess.run([program, "merge", "-o", str(merged), str(folder / "part0.h5"), str(folder / "part1.h5")],
                          capture_output=True, text=True, timeout=100)
    assert done.returncode in (0, 1), done.stderr
    arrays, attributes = read(merged)
    for name, x in whole.items():
        if is_trajectory(name, x):
            assert_same_bits(arrays[name], x, name)
            assert int(attributes[name][BITS]) == 19, name
    # Statistics of parts are made anew from their trajectories, of the rounded numbers: a mean is as near as they are. The sum of
    # 300 adds 300 rounding errors of 2^-53 of the largest.
    mean, q = merged_mean(arrays), whole["statistics/state/q/mean"]
    scale = np.nanmax(np.abs(whole["state/q"]), axis=0)
    assert (np.abs(mean - q) <= (2.0**-20 + 300 * 2.0**-53) * scale).all()


def merged_mean(arrays):
    return arrays["statistics/state/q/mean"]


def resumed_has_the_same_bytes(program, folder):
    more = ["--set", "output.precision=1e-6", "--set", "integrator={method: rk4, dt: 2.0e-5, t_end: 0.4}"]
    more += ["--set", "output.every=200", "--set", "batch.parameters.0.low=1.0"]
    whole = read(run(program, folder, "unstopped.h5", *more))[0]
    out = folder / "stopped.h5"
    checkpoint = folder / "stopped.h5.checkpoint"
    child = subprocess.Popen([program, "run", str(folder / "study.yaml"), "-o", str(out), "--quiet", "--specialize", "off",
                              "--checkpoint", "0", "--threads", "1", *more])
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 143, "the run was over before it was stopped"
    resumed = read(run(program, folder, "stopped.h5", *more, "--resume"))[0]
    for name, x in whole.items():
        if x.dtype != object:
            assert_same_bits(x, resumed[name], name)


def replay_is_exact(program, folder, exact):
    failed = int(np.isnan(exact[0]["state/q"]).any(axis=(1, 2)).argmin())
    path = run(program, folder, "replay.h5", "--set", "output.precision=1e-6", "--instance", str(failed))
    arrays, attributes = read(path)
    rows = arrays["replay/is_output"][0] == 1
    assert_same_bits(arrays["state/q"][0][rows], exact[0]["state/q"][failed], "state/q")
    assert BITS not in attributes["state/q"]


def main():
    program = place()
    if program is None:
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "study.yaml").write_text(SCENARIO)
        exact = rounds_trajectories_alone(program, folder)
        threads_and_blocks_change_nothing(program, folder)
        parts_are_the_whole(program, folder)
        resumed_has_the_same_bytes(program, folder)
        replay_is_exact(program, folder, exact)
    print("precision: all as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
