"""Random numbers that are a function of where they are used: (seed, episode, stream, place). No state, so what one environment
draws depends neither on how many others there are nor on when they are reset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _core

Counts = npt.NDArray[np.uint64]


def uniforms(seeds: Counts, episodes: Counts, stream: int, width: int) -> npt.NDArray[np.float64]:
    """[M, width] numbers in [0, 1), of 53 bits, by the output function of SplitMix64. Row i depends on seeds[i], episodes[i],
    stream and its columns alone."""
    out = np.empty((len(seeds), width))
    if out.size > 0:
        _core.uniforms(np.ascontiguousarray(seeds), np.ascontiguousarray(episodes), stream, out)
    return out
