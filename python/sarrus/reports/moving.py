"""The moving picture of a report: which instances it shows, and the player of `sarrus.animate` with them in it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..animation import Animation
from ..motions import Source, motion_of
from ..shapes import AZIMUTH, ELEVATION
from .contents import Column, Study

FPS = 25.0
SECONDS = 8.0  # of the picture, where a second of motion in one of the picture would make it much shorter or longer
N_GHOSTS = 6
MAX_NUMBERS = 3_000_000  # in the poses of all actors; above that there are no ghosts


def numbers_kept(study: Study) -> list[int]:
    """Numbers of the instances whose trajectories can be read."""
    if "state/q" not in study.group:
        return []
    kept = study.group["trajectory"][:] if "trajectory" in study.group else study.ids
    there = study.is_there[np.searchsorted(study.ids, kept)]
    return [int(number) for number in kept[there]]


def instances_chosen(study: Study, quantities: Sequence[Column]) -> dict[int, str]:
    """Instances with words for why they are shown: in the middle and at the ends of the first quantity, and one that failed."""
    kept = np.array(numbers_kept(study), dtype=np.uint64)
    if len(kept) == 0:
        return {}
    rows = np.searchsorted(study.ids, kept)
    good = rows[study.status[rows] == 0]
    found: dict[int, str] = {}
    own = quantities[0] if quantities else None
    values = None if own is None else study.values(own)
    if own is not None and values is not None and np.isfinite(values[good]).sum() > 1:
        good = good[np.isfinite(values[good])]
        values = values[good]
        middle = int(np.argmin(np.abs(values - np.median(values))))
        for i, word in ((middle, "median"), (int(np.argmin(values)), "least"), (int(np.argmax(values)), "greatest")):
            found.setdefault(int(study.ids[good[i]]), f"{word} {own.name}")
    elif len(good):
        found[int(study.ids[good[0]])] = ""
    # A failed one with a pose to show, where one of the first has it.
    for place in np.flatnonzero(study.status[rows] != 0)[:20].tolist():
        place_in_file = int(np.searchsorted(_trajectories(study), kept[place]))
        if np.isfinite(study.group["state/q"][place_in_file, :1]).all():
            found.setdefault(int(kept[place]), "failed")
            break
    return found


def _trajectories(study: Study) -> np.ndarray:
    return study.group["trajectory"][:] if "trajectory" in study.group else study.ids


def speed_for(seconds: float) -> float:
    """Seconds of motion in one of the picture: 1 where that is well to be looked at, else a round number."""
    if SECONDS / 3.0 <= seconds <= 2.0 * SECONDS or not seconds > 0.0:
        return 1.0
    wanted = seconds / SECONDS
    power = 10.0 ** math.floor(math.log10(wanted))
    return float(f"{power * max(digit for digit in (1, 2, 5) if digit * power <= wanted * (1 + 1e-12)):.1g}")


def picture_of(study: Study, source: Source, chosen: dict[int, str], end: float) -> tuple[Animation, list[str]]:
    """The player, and what has to be said beside it. `end`: s, the last output time."""
    speed = speed_for(end)
    kept = numbers_kept(study)
    n_numbers = (end * FPS / speed + 2) * (len(chosen) + N_GHOSTS) * study.group["state/q"].shape[2]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        motion = motion_of(
            source,
            list(chosen),
            N_GHOSTS if n_numbers < MAX_NUMBERS and len(kept) > len(chosen) + 1 else 0,
            fps=FPS,
            speed=speed,
            reactions=False,
            group=study.number,
            duration=None,
        )
    words = {f"instance {number}": word for number, word in chosen.items()}
    actors = [replace(own, label=", ".join(filter(None, (own.label, words.get(own.label, ""))))) for own in motion.actors]
    made = Animation(replace(motion, actors=actors), dpi=100, azimuth=AZIMUTH, elevation=ELEVATION)
    return made, [str(own.message) for own in told]
