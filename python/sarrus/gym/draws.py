"""Parameters of episodes, drawn by the library, of each environment by its seed and its episode alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..batches import Batch
from ..models import Model
from .states import Floats
from .streams import Counts

PLACES = 1024


class Drawer:
    """The library draws by seed, episode, label and number of the instance in its study. An environment of seed s is instance
    s mod 1024 here, wherever it stands among others: what it draws is what
    `Batch(model, 1, first_instance=s % 1024).redraw(seeds=[s], episodes=[e])` does. A call of the library costs as much as hundreds
    of draws, so next episodes are drawn ahead, of all environments at once."""

    def __init__(self, model: Model, n: int) -> None:
        self._batch = Batch(model, PLACES, draw=False, threads=1, backend="cpu", specialize="off")
        self._seeds, self._episodes = np.zeros(PLACES, dtype=np.uint64), np.zeros(PLACES, dtype=np.uint64)
        self._ahead = np.empty((n, len(self._batch.parameter_labels)))
        self._ahead_seeds, self._ahead_episodes = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
        self._is_ahead = np.zeros(n, dtype=bool)

    def take(self, rows: npt.NDArray[np.intp], seeds: Counts, episodes: Counts) -> Floats:
        """[M, parameters] of the environments `rows`; seeds and episodes are those of all N."""
        is_there = self._is_ahead & (self._ahead_seeds == seeds) & (self._ahead_episodes == episodes)
        values, missing = self._ahead[rows], ~is_there[rows]
        self._is_ahead[rows] = False
        if missing.any():
            lacking = rows[missing]
            values[missing] = self._draw(seeds[lacking], episodes[lacking])
            if np.any(episodes[lacking] > 0):  # environments that go on from one episode to the next
                self._draw_ahead(seeds, episodes)
        return values

    def _draw_ahead(self, seeds: Counts, episodes: Counts) -> None:
        rows = np.flatnonzero(~self._is_ahead)
        self._ahead_seeds[rows], self._ahead_episodes[rows] = seeds[rows], episodes[rows] + np.uint64(1)
        self._ahead[rows] = self._draw(self._ahead_seeds[rows], self._ahead_episodes[rows])
        self._is_ahead[rows] = True

    def _draw(self, seeds: Counts, episodes: Counts) -> Floats:
        """[M, parameters] of M pairs; where several have one place, in turns."""
        places = (seeds % np.uint64(PLACES)).astype(np.intp)
        values = np.empty((len(seeds), len(self._batch.parameter_labels)))
        left: npt.NDArray[np.intp] = np.arange(len(seeds))
        while len(left) > 0:
            taken, first = np.unique(places[left], return_index=True)
            rows = left[first]
            self._seeds[taken], self._episodes[taken] = seeds[rows], episodes[rows]
            mask = np.zeros(PLACES, dtype=bool)
            mask[taken] = True
            self._batch.redraw(mask, seeds=self._seeds, episodes=self._episodes)
            values[rows] = self._batch.parameters[taken]
            left = np.delete(left, first)
        return values
