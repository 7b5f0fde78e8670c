"""Random numbers that are a function of where they are used: (seed, episode, stream, place). No state, so what one environment
draws depends neither on how many others there are nor on when they are reset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)

Counts = npt.NDArray[np.uint64]


def _mixed(x: Counts) -> Counts:
    """The output function of SplitMix64, a permutation of 64 bits."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


def uniforms(seeds: Counts, episodes: Counts, stream: int, width: int) -> npt.NDArray[np.float64]:
    """[M, width] numbers in [0, 1), of 53 bits. Row i depends on seeds[i], episodes[i], stream and its columns alone."""
    head = _mixed(np.atleast_1d(seeds).astype(np.uint64) + _GOLDEN)
    head = _mixed(head + (np.atleast_1d(episodes).astype(np.uint64) + np.uint64(1)) * _GOLDEN)
    head = _mixed(head + np.full(1, stream + 1, dtype=np.uint64) * _FIRST)
    places = (np.arange(width, dtype=np.uint64) + np.uint64(1)) * _GOLDEN
    bits = _mixed(head[:, None] + places[None, :])
    return (bits >> np.uint64(11)) * 2.0**-53
