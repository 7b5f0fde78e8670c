"""`sarrus.pinv` against NumPy's pseudoinverse: shapes, ranks, right-hand sides, methods, misuse. Exit code 77 (skipped) without the
package."""

import subprocess
import sys

import numpy as np
from package import raises, run_all, sarrus
from sarrus import pseudoinverse

EPS = np.finfo(float).eps
HOST_METHODS = [name for name in sarrus.PINV_METHODS if not name.startswith("cusolver")]
# Methods that square the condition, and the one that damps, have tests of their own below the C interface.
STABLE = [name for name in HOST_METHODS if name not in ("normal", "cholesky", "tikhonov", "truncated")]


def matrices(lead, m, n, rank, condition=100.0, seed=0):
    """A stack of this rank, whose singular values go from 1 down to 1 / condition."""
    rng = np.random.default_rng(seed)
    k = min(m, n)
    u = np.linalg.qr(rng.normal(size=(*lead, m, k)))[0]
    v = np.linalg.qr(rng.normal(size=(*lead, n, k)))[0]
    sizes = np.zeros(k)
    sizes[:rank] = np.geomspace(1, 1 / condition, rank) if rank > 1 else 1.0
    return (u * sizes) @ np.swapaxes(v, -1, -2)


def near(found, wanted, condition, n):
    """Both are backward stable: relative differences of some n eps times the condition, squared where a direction is dropped, since
    the perturbation of A+ has the factor cond^2 off its range (Wedin 1973)."""
    bound = 100 * n * EPS * condition**2
    difference = np.abs(found - wanted).max() / np.abs(wanted).max()
    assert difference <= bound, f"{difference} > {bound}"


def test_shapes_and_methods():
    for method in STABLE:
        for lead, m, n, rank in (((), 4, 3, 3), ((5,), 3, 6, 3), ((2, 3), 5, 5, 3), ((4,), 1, 4, 1), ((4,), 6, 1, 1)):
            a = matrices(lead, m, n, rank)
            x, ranks, kept, dropped = sarrus.pinv(a, method, report=True)
            assert x.shape == (*lead, n, m) and ranks.shape == lead and (ranks == rank).all(), method
            near(x, np.linalg.pinv(a, rcond=1e-10), 100, max(m, n))
            assert (kept > 1e-4).all() and (dropped[np.isfinite(dropped)] < 1e-12).all()


def test_right_hand_sides():
    a = matrices((2, 3), 5, 4, 3)
    rng = np.random.default_rng(1)
    for right in (rng.normal(size=(2, 3, 5, 2)), rng.normal(size=(5, 2)), rng.normal(size=(3, 5, 2))):
        x = sarrus.pinv(a, rhs=right)
        assert x.shape == (2, 3, 4, 2)
        near(x, np.linalg.pinv(a, rcond=1e-10) @ right, 100, 5)
    vector = rng.normal(size=(2, 3, 5))
    x = sarrus.pinv(a, rhs=vector)
    assert x.shape == (2, 3, 4)
    near(x, (np.linalg.pinv(a, rcond=1e-10) @ vector[..., None])[..., 0], 100, 5)
    assert sarrus.pinv(a[0, 0], rhs=vector[0, 0]).shape == (4,)


def test_rank_is_a_decision():
    """The same stack, 1e-6 below the rest: dropped by a rule or by number, kept without."""
    a = matrices((7,), 6, 6, 6, condition=10)
    u, s, vt = np.linalg.svd(a)
    s[:, -1] = 1e-6
    a = (u * s[:, None, :]) @ vt
    cut = (u[:, :, :5] * (1 / s[:, None, :5])).transpose(0, 1, 2) @ vt[:, :5]
    for arguments in ({"rank": 5}, {"rank": np.full(7, 5)}, {"rank": "relative", "tolerance": 1e-4}, {"rank": "gap"},
                      {"rank": 5, "method": "truncated"}):  # fmt: skip
        x, ranks, *_ = sarrus.pinv(a, **{"method": "svd", **arguments}, report=True)
        assert (ranks == 5).all(), arguments
        near(np.swapaxes(x, 1, 2), cut, 10 * 1e2, 6)
    assert (sarrus.pinv(a, report=True).rank == 6).all()
    mixed = sarrus.pinv(a, "truncated", rank=np.arange(7) % 6 + 1, report=True).rank
    assert (mixed == np.arange(7) % 6 + 1).all()


def test_bits_of_a_matrix_are_its_own():
    a = matrices((33,), 5, 4, 3)
    whole = sarrus.pinv(a, "svd")
    for part in (slice(0, 1), slice(7, 12), slice(32, 33)):
        assert np.array_equal(sarrus.pinv(a[part], "svd", threads=1), whole[part])
    a[4, 2, 1] = np.nan
    x, ranks, *_ = sarrus.pinv(a, "svd", report=True)
    others = np.arange(33) != 4
    assert np.isnan(x[4]).all() and ranks[4] == 0 and np.array_equal(x[others], whole[others])


def test_strange_input():
    assert sarrus.pinv(np.ones((0, 3, 2))).shape == (0, 2, 3)
    squares = np.arange(12).reshape(3, 4) ** 2.0
    near(sarrus.pinv(np.asfortranarray(squares)), np.linalg.pinv(squares), 1e4, 4)
    near(sarrus.pinv([[1, 2], [3, 4]]), np.linalg.inv([[1, 2], [3, 4]]), 20, 2)
    assert (sarrus.pinv(np.zeros((2, 3, 3)), "svd") == 0).all()
    near(sarrus.pinv(matrices((), 100, 80, 80)), np.linalg.pinv(matrices((), 100, 80, 80)), 100, 100)


def test_misuse():
    a = matrices((3,), 4, 4, 4)
    for call in (
        lambda: sarrus.pinv(a, "qr"),
        lambda: sarrus.pinv(a, rank="largest"),
        lambda: sarrus.pinv(a, rank=-1),
        lambda: sarrus.pinv(a, rank=1.5),
        lambda: sarrus.pinv(a, rank=[1, 2]),
        lambda: sarrus.pinv(a[0, 0]),
        lambda: sarrus.pinv(np.ones((3, 0, 2))),
        lambda: sarrus.pinv(a, rhs=np.ones((3, 5, 1))),
        lambda: sarrus.pinv(a, tolerance=0),
        lambda: sarrus.pinv(a, tolerance=np.nan),
        lambda: sarrus.pinv(a, threads=0),
        lambda: sarrus.pinv(a, threads=2**62),
        lambda: sarrus.pinv(a, rank="violation"),
        lambda: sarrus.pinv(a, violation=[1, 2]),
        lambda: sarrus.pinv(a, backend="gpu"),
        lambda: sarrus.pinv(a, rhs=np.ones((2, 4, 1))),
        lambda: sarrus.pinv("words"),
        lambda: sarrus.pinv(a * 1j),
        lambda: sarrus.pinv(a, violation=1j, rank="violation"),
        lambda: sarrus.pinv(a, tolerance="1e-3"),
        lambda: sarrus.pinv(a, tolerance=[1e-3]),
    ):
        raises((sarrus.ArgumentError, ValueError, TypeError), call)
    hidden = np.ma.masked_array(np.eye(4), mask=np.eye(4))
    for call, words in (
        (lambda: sarrus.pinv(hidden), ("matrices", "unmasked")),
        (lambda: sarrus.pinv(a, rhs=hidden), ("rhs", "unmasked")),
        (lambda: sarrus.pinv(a, rank=np.ma.masked_array([1, 2, 3], mask=[1, 0, 0])), ("rank",)),
        (lambda: sarrus.pinv(a, rank="violation", violation=np.ma.masked_array([1e-3] * 3)), ("violation", "unmasked")),
        (lambda: sarrus.pinv(a, tolerance=2), ("tolerance=2", "below 1")),
        (lambda: sarrus.pinv(a, "svd", "relative", tolerance=1.0), ("tolerance=1.0", "'relative'")),
        (lambda: sarrus.pinv(a, "truncated", rank=5), ("rank=5", "4 at most")),
        (lambda: sarrus.pinv(a, "truncated", rank=[1, 5, 2]), ("rank=5", "4 at most")),
        (lambda: sarrus.pinv(a, "truncated", rank=2, tolerance=0.1), ("tolerance=0.1", "truncated")),
    ):
        raises(sarrus.ArgumentError, call, *words)
    assert not sarrus.pinv(a, "svd", "absolute", tolerance=2e9).any()  # the caller's own size
    for n in (0, 1):  # an empty stack too
        raises((sarrus.UnsupportedError, sarrus.ArgumentError), lambda n=n: sarrus.pinv(np.ones((n, 70, 70)), "svd"))


def test_noise_is_not_inverted():
    """Without a rank, and with a threshold of round-off, these two methods have nothing to go by."""
    a = matrices((3,), 4, 4, 2)
    for method, arguments, fit in (("truncated", {}, {"rank": 2}),
                                   ("tikhonov", {}, {"rank": "relative", "tolerance": 1e-6})):  # fmt: skip
        raises(sarrus.ArgumentError, lambda method=method, arguments=arguments: sarrus.pinv(a, method, **arguments), method)
        assert np.isfinite(sarrus.pinv(a, method, **fit)).all()


def test_a_stack_is_its_matrices():
    """A stack that takes several calls of the library, with all that has a number for each matrix, has the bits of each alone."""
    m, n = 24, 30
    n_matrices = 2 * (pseudoinverse._N_FLOPS_AT_ONCE // (50 * m * n * m)) + 5
    few = matrices((4,), m, n, 20)
    index = np.arange(n_matrices) % 4
    most = np.array([20, 19, 3, 24])
    whole = sarrus.pinv(few[index], "svd", rank=most[index], rhs=few[index][:, :, :2], threads=1, report=True)
    alone = [sarrus.pinv(few[i], "svd", rank=most[i], rhs=few[i][:, :2], report=True) for i in range(4)]
    for name in whole._fields:
        expected = np.array([getattr(own, name) for own in alone])[index]
        assert getattr(whole, name).tobytes() == expected.tobytes(), name


def test_numbers_of_less_than_doubles():
    """What rounding to 24 bits, or 11, makes of a rank is none; a tolerance is taken at its word, doubles are judged as ever."""
    rng = np.random.default_rng(3)
    for shape, rank in (((8, 8), 5), ((12, 7), 3), ((40, 64), 20)):
        a = rng.standard_normal((6, shape[0], rank)) @ rng.standard_normal((6, rank, shape[1])) / rank
        for kind in (np.float32, np.float16):
            for method in ("auto", "svd", "jacobi"):
                report = sarrus.pinv(a.astype(kind), method, report=True)
                assert (report.rank == rank).all(), (shape, kind, method, report.rank)
        error = np.abs(sarrus.pinv(a.astype(np.float32)) - np.linalg.pinv(a, rcond=1e-10)).max()
        assert error < 1e-3, (shape, error)
        full = min(shape)
        assert (sarrus.pinv(a.astype(np.float32), tolerance=1e-12, report=True).rank == full).all()
        rounded = a.astype(np.float32)
        single, doubles = (sarrus.pinv(kept, rank="relative", report=True).rank for kept in (rounded, rounded.astype(float)))
        assert (single == doubles).all() and (doubles > rank).all(), (single, doubles)
        assert (sarrus.pinv(a.astype(np.float32), rank="absolute", tolerance=1e-12, report=True).rank == full).all()
        assert (sarrus.pinv(a.astype(np.float32).astype(float), report=True).rank == full).all()


STOPPED = """
import os, signal, sys, threading, time
import numpy as np, sarrus
a = np.random.default_rng(0).standard_normal((10000, 60, 60))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    sarrus.pinv(a, "svd")
except KeyboardInterrupt:
    sys.exit(7 if time.monotonic() - began < 5.0 else 8)
"""


def test_interrupt():
    """Ctrl-C stops a stack that would take minutes."""
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, timeout=100)
    assert done.returncode == 7, (done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(run_all(globals()))
