"""Moore-Penrose pseudoinverses of stacks of matrices, by the simulator's methods."""

from __future__ import annotations

import numbers
import os
import time
from typing import Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .choices import BACKENDS, threads_check, value_of
from .errors import ArgumentError
from .samples import floats_of

Floats = npt.NDArray[np.float64]
METHODS: dict[str, int] = _core.pinv_methods()
RANK_METHODS: dict[str, int] = _core.rank_methods()
# Between calls of the library Python looks at signals. A part of a stack begins with what some 50 m n min(m, n) flops a matrix and
# 2 m n for each right-hand side let a thread do in about 0.1 s, and grows or shrinks to take that long.
_N_FLOPS_AT_ONCE = 100_000_000
_SECONDS_AT_ONCE = 0.1


class PinvReport(NamedTuple):
    """`pinv(…, report=True)`: the pseudoinverses, the rank found of each matrix, the smallest size (singular value or pivot) that
    counted and the largest that did not."""

    x: Floats
    rank: npt.NDArray[np.int32]
    kept: Floats
    dropped: Floats


@overload
def pinv(
    a: npt.ArrayLike,
    method: str = "auto",
    rank: str | int | npt.ArrayLike | None = None,
    rhs: npt.ArrayLike | None = None,
    *,
    tolerance: float | None = None,
    violation: npt.ArrayLike | None = None,
    threads: int | None = None,
    backend: str = "cpu",
    report: Literal[False] = False,
) -> Floats: ...
@overload
def pinv(
    a: npt.ArrayLike,
    method: str = "auto",
    rank: str | int | npt.ArrayLike | None = None,
    rhs: npt.ArrayLike | None = None,
    *,
    tolerance: float | None = None,
    violation: npt.ArrayLike | None = None,
    threads: int | None = None,
    backend: str = "cpu",
    report: Literal[True],
) -> PinvReport: ...
def pinv(
    a: npt.ArrayLike,
    method: str = "auto",
    rank: str | int | npt.ArrayLike | None = None,
    rhs: npt.ArrayLike | None = None,
    *,
    tolerance: float | None = None,
    violation: npt.ArrayLike | None = None,
    threads: int | None = None,
    backend: str = "cpu",
    report: bool = False,
) -> Floats | PinvReport:
    """Pseudoinverses of a[..., m, n] as [..., n, m], or their products with rhs[..., m, k] as [..., n, k].

    method: one of `sarrus.PINV_METHODS`; "auto" is "householder" here
    rank: a rule of `sarrus.RANK_METHODS`, or the number of singular values that count, one for all or [...] for each: with
        "truncated" exactly so many, as far as they are not 0, and no more than there are; else at most, beside the rule "auto"
    tolerance: of the rule ("auto": as "relative"); below 1, but for "absolute". Without one "auto" takes 10 max(m, n)
        of a double's round-off, and of float32 and float16, whose numbers tell no more, max(m, n) of theirs
    violation: [...] of the rule "violation"
    rhs: [..., m, k], or [..., m], a stack of vectors when `a` has one dimension more
    report: ranks and sizes too, as `PinvReport`

    Ctrl-C ends a long call within a second, unless a single matrix takes longer.

    A matrix with a NaN or an infinity gives NaN and rank 0 and harms no other. Bits depend on the matrix and the method alone; with
    `rhs`, on how many right sides there are besides. A NaN or an infinity in one right side makes all of its matrix NaN, its rank
    stays.
    Raises `ArgumentError`, `UnsupportedError`, `BackendError`.
    """
    stack = floats_of("matrices", a)
    if stack.ndim < 2 or 0 in stack.shape[-2:]:
        raise ArgumentError(f"matrices are a[..., m, n] with m and n from 1 on; got the shape {stack.shape}")
    lead, (m, n) = stack.shape[:-2], stack.shape[-2:]
    right, is_vector = _right_hand_sides(rhs, lead, m)
    n_matrices = int(np.prod(lead, dtype=np.int64))
    n_columns = m if right is None else right.shape[-1]
    rule, most = _rank_rule(rank, lead)
    if method == "truncated":
        _truncation_check(most, min(m, n), tolerance)
    if (rule == "violation") != (violation is not None):
        raise ArgumentError('the rule "violation" and the argument violation= belong together; one of them is there alone')
    how = {
        "method": value_of("method", METHODS, method),
        "rank_method": value_of("rank", RANK_METHODS, rule),
        "tolerance": _tolerance(tolerance, rule) or (0.0 if method in ("truncated", "tikhonov") else _noise_of(a, rule, max(m, n))),
        "threads": threads_check(threads),
        "backend": value_of("backend", BACKENDS, backend),
    }
    x = np.empty((n_matrices, n, n_columns))
    found = PinvReport(x, np.zeros(n_matrices, np.int32), np.empty(n_matrices), np.empty(n_matrices))
    given = (
        np.ascontiguousarray(stack.reshape(n_matrices, m, n)),
        None if right is None else np.ascontiguousarray(right.reshape(n_matrices, m, n_columns)),
        most,
        None if violation is None else _for_each("violation", violation, lead, np.float64),
    )
    n_threads = how["threads"] or os.cpu_count() or 1
    n_at_once = n_threads * (1 + _N_FLOPS_AT_ONCE // (50 * m * n * min(m, n) + 2 * m * n * n_columns))
    first, is_begun = 0, False
    while first < n_matrices or not is_begun:  # an empty stack is looked at too
        is_begun, began, part = True, time.monotonic(), slice(first, first + n_at_once)
        own = [None if array is None else array[part] for array in given]
        _core.pinv_compute(how, *own[:2], *(array[part] for array in found), *own[2:])
        first += n_at_once
        scale = 2.0 if time.monotonic() - began < _SECONDS_AT_ONCE else 0.5
        n_at_once = max(n_threads, int(scale * n_at_once))
    shaped = x.reshape(*lead, n) if is_vector else x.reshape(*lead, n, n_columns)
    if not report:
        return shaped
    return PinvReport(shaped, *(own.reshape(lead) for own in found[1:]))


def _right_hand_sides(rhs: npt.ArrayLike | None, lead: tuple[int, ...], m: int) -> tuple[Floats | None, bool]:
    """rhs as [..., m, k], and whether it was a stack of vectors."""
    if rhs is None:
        return None, False
    right = floats_of("rhs", rhs)
    is_vector = right.ndim >= 1 and right.ndim <= len(lead) + 1 and right.shape[-1] == m
    if is_vector:
        right = right[..., None]
    if right.ndim < 2 or right.shape[-2] != m or right.shape[-1] == 0:
        raise ArgumentError(f"rhs is [..., {m}, k] or [..., {m}] for matrices of {m} rows; got the shape {np.shape(rhs)}")
    try:
        return np.broadcast_to(right, (*lead, *right.shape[-2:])), is_vector
    except ValueError:
        raise ArgumentError(f"rhs of shape {np.shape(rhs)} does not fit matrices stacked {lead}") from None


def _for_each(name: str, values: npt.ArrayLike, lead: tuple[int, ...], kind: type[np.generic]) -> np.ndarray:
    """One number for each matrix, flat."""
    floats_of(name, values)
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values), lead).reshape(-1), dtype=kind)
    except ValueError:
        raise ArgumentError(f"{name} of shape {np.shape(values)} does not fit matrices stacked {lead}") from None


def _rank_rule(
    rank: str | int | npt.ArrayLike | None, lead: tuple[int, ...]
) -> tuple[str, npt.NDArray[np.int32] | None]:
    """The rule's word, and the largest rank of each matrix (None: as many as it has rows or columns)."""
    if rank is None:
        return "auto", None
    if isinstance(rank, str):
        return rank, None
    numbers = np.asarray(rank)
    if numbers.dtype.kind not in "iu" or np.ma.isMaskedArray(rank) or np.any(numbers < 0) or np.any(numbers > 4096):
        raise ArgumentError(f"rank={rank!r}; expected a rule's name or whole numbers from 0 on")
    return "auto", _for_each("rank", numbers, lead, np.int32)


def _truncation_check(most: npt.NDArray[np.int32] | None, largest: int, tolerance: float | None) -> None:
    """It counts as many singular values as it is told, whatever their size."""
    if most is None:
        raise ArgumentError('method="truncated" without a number as rank; expected how many singular values count')
    if np.any(most > largest):
        raise ArgumentError(f"rank={most.max()} of matrices that have {largest} singular values; expected {largest} at most")
    if tolerance is not None:
        raise ArgumentError(f"tolerance={tolerance!r} together with method='truncated'; expected the number alone, rank=")


def _noise_of(values: npt.ArrayLike, rule: str, largest: int) -> float:
    """The tolerance of matrices of `largest` rows or columns whose numbers are rounded to less than doubles; 0: of doubles."""
    kind = np.asarray(values).dtype
    if kind.kind != "f" or kind.itemsize >= 8 or rule != "auto":
        return 0.0
    return min(0.5, largest * float(np.finfo(kind).eps))


def _tolerance(tolerance: float | None, rule: str) -> float:
    if tolerance is None:
        return 0.0
    if not isinstance(tolerance, numbers.Real) or not (np.isfinite(tolerance) and tolerance > 0):
        raise ArgumentError(f"tolerance={tolerance!r}; expected a number above 0")
    if rule != "absolute" and tolerance >= 1.0:  # of the others it is a share of the largest
        raise ArgumentError(f"tolerance={tolerance!r}: nothing would count; with the rule {rule!r} a number below 1 was expected")
    return float(tolerance)
