#!/usr/bin/env python3
"""Matrices a second of every pseudoinverse of 24 to 64 rows, one thread, beside NumPy's `pinv` or, with --apply, loops of LAPACK's
`dgelsy`, `dgesdd` and `dgejsv` by SciPy: the tables of docs/pinv.md. Rank n − 1; the best of some calls in turn.

    PYTHONPATH=build/release/python python3 bench/peers/pinv_sizes.py [--apply] [--sizes 32,64] [--rounds 6]
"""

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is there

import time
from functools import partial

import numpy as np
import sarrus

METHODS = ("householder", "varga", "mgs", "mgs2", "greville", "cholesky", "normal", "svd", "jacobi")
SLOW = 4  # of `svd` and `jacobi`, and of loops over single matrices, only every so many


def matrices(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    count = max(256, int(1e6 / n**2) // 8 * 8)
    left, right = rng.standard_normal((count, n, n - 1)), rng.standard_normal((count, n - 1, n))
    return left @ right / np.sqrt(n), rng.standard_normal((count, n))


def peers(a: np.ndarray, b: np.ndarray, is_apply: bool) -> dict:
    """Name to (matrices, call); the first is what ratios are to."""
    n, few = a.shape[1], a[: len(a) // SLOW]
    if not is_apply:
        return {"numpy": (len(few), lambda: np.linalg.pinv(few, rcond=1e-10))}
    from scipy.linalg import lapack

    own = [np.asfortranarray(one) for one in few]
    work = int(lapack.dgelsy_lwork(n, n, 1, 1e-10)[0])
    free = np.zeros(n, dtype=np.int32)
    return {
        "dgelsy": (len(own), lambda: [lapack.dgelsy(one, b[i], free, 1e-10, work) for i, one in enumerate(own)]),
        "dgesdd": (len(own), lambda: [lapack.dgesdd(one) for one in own]),
        "dgejsv": (len(own) // SLOW, lambda: [lapack.dgejsv(one, joba=4, jobu=0, jobv=0) for one in own[: len(own) // SLOW]]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--apply", action="store_true", help="to one right side")
    parser.add_argument("--sizes", default="24,32,48,64")
    parser.add_argument("--rounds", type=int, default=6)
    given = parser.parse_args()
    for n in map(int, given.sizes.split(",")):
        a, b = matrices(n)
        calls = peers(a, b, given.apply)
        for method in METHODS:
            count = len(a) // (SLOW if method in ("svd", "jacobi") else 1)
            rhs = b[:count] if given.apply else None
            calls[method] = (count, partial(sarrus.pinv, a[:count], method=method, rhs=rhs, threads=1))
        best = dict.fromkeys(calls, 0.0)
        for _ in range(given.rounds):
            for name, (count, call) in calls.items():
                began = time.perf_counter()
                call()
                best[name] = max(best[name], count / (time.perf_counter() - began))
        first = next(iter(best.values()))
        print(n, "  ".join(f"{name} {rate:.3g} ({rate / first:.2f})" for name, rate in best.items()), flush=True)


if __name__ == "__main__":
    main()
