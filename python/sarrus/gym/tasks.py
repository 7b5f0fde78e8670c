"""What an environment is: a scenario, what is seen of it, what acts on it, what is rewarded, when it ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..models import Scenario
from .layouts import Floats, Point
from .sights import COSINE, PLACE, SINE, VELOCITY, Q, Sight, V
from .states import State

Function = Callable[[State], Any]
Term = str | tuple[str, float] | Function
Start = Callable[[State, Floats], tuple[npt.ArrayLike, npt.ArrayLike]]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A reinforcement-learning task on a scenario. Its functions take a `State` of M environments and give arrays of M rows
    (NumPy, or what `numpy.asarray` takes, as a tensor of torch on the processor). Row i has to come from row i alone, which all
    elementwise functions keep to; then an environment's bits do not depend on how many there are.

    scenario: path, dict, text or `Model`; what its `batch.parameters` draws is drawn anew for every episode
    observation: what is seen, by name (`Names`), each by itself or with a factor, and by functions that give [M] or [M, K]; or one
        function
    reward: [M], by a function or by a formula (`Formula`)
    low, high: limits of the actions, N | N m, one each
    substeps: steps of the scenario for one of the environment; inputs are held meanwhile
    max_episode_steps: an episode is truncated then
    terminated: [M] of bool, likewise; None: only a failure of the mechanism ends an episode
    normalised: actions are in [−1, 1] for the policy; else in N | N m. Either way they are clipped to the limits
    wiring: for each input of the scenario (action, factor); None: input k is action k
    points: name → (body, place in its frame), or (body, name of a joint of it): where that joint is in the body, by the parameters
        that were drawn
    goal: makes goals [M, G] of uniform random numbers [M, n_random]
    start: makes (q, v) to begin from of the scenario's own and of [M, n_random] uniform numbers; they are assembled
    n_random: uniform numbers that goal and start get each
    info: name → [M] or [M, …], or a formula, shown in infos
    failure_reward: of the step in which the mechanism failed
    """

    scenario: Scenario
    observation: Sequence[Term] | Function
    reward: Function | str
    low: Sequence[float]
    high: Sequence[float]
    substeps: int
    max_episode_steps: int
    terminated: Function | str | None = None
    normalised: bool = True
    wiring: Sequence[tuple[int, float]] | None = None
    points: Mapping[str, Point] = field(default_factory=dict)
    goal: Callable[[Floats], npt.ArrayLike] | None = None
    start: Start | None = None
    n_random: int = 8
    info: Mapping[str, Function | str] = field(default_factory=dict)
    failure_reward: float = 0.0

    def __post_init__(self) -> None:
        low, high = np.asarray(self.low, dtype=np.float64), np.asarray(self.high, dtype=np.float64)
        if low.ndim != 1 or low.shape != high.shape or not np.all(np.isfinite(low) & np.isfinite(high) & (low < high)):
            raise ArgumentError(f"low and high are finite limits of the actions, low < high; got {self.low!r}, {self.high!r}")
        if self.substeps < 1 or self.max_episode_steps < 1:
            raise ArgumentError("substeps and max_episode_steps are whole numbers from 1 on")


_TERM = re.compile(r"(?:(sin|cos)\(\s*)?([^()\s]+)(?:\s+-\s+([^()\s]+))?\s*(\))?")


class Names:
    """Observations by name:

    "crank.theta", "crank.omega"     a coordinate, a speed
    "sin(crank.theta)", "cos(…)"     of it
    "rod.theta - crank.theta"        a difference, also within sin and cos: the angle of a joint
    "tip"                            a point of the task, all its coordinates; "tip.v": its velocity
    "goal", "action", "time"         as in `State`; time in s
    "energy", "reactions/A", …       what `Batch.observe` shows, "parameters" what was drawn

    Functions stand among them.
    """

    def __init__(self, terms: Sequence[Term], sight: Sight) -> None:
        self._parts: list[_Seen | _Asked] = []
        for term in terms:
            name, factor = (term, 1.0) if isinstance(term, str) or callable(term) else term
            part: _Seen | _Asked = _Asked(name, float(factor)) if callable(name) else _part_of(name, float(factor), sight)
            if isinstance(part, _Seen) and self._parts and isinstance(self._parts[-1], _Seen):
                self._parts[-1].join(part)
            else:
                self._parts.append(part)

    def __call__(self, state: State, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """[M, K], in the order of the terms."""
        blocks = [part.block(state) for part in self._parts]
        out = np.empty((len(state), sum(block.shape[1] for block in blocks)), dtype=dtype)
        end = 0
        for block, part in zip(blocks, self._parts, strict=True):
            start, end = end, end + block.shape[1]
            np.multiply(block, part.factor, out=out[:, start:end], casting="same_kind")
        return out


class _Asked:
    """A term that a function gives, [M] or [M, K]."""

    def __init__(self, get: Callable[[State], Any], factor: float) -> None:
        self._get, self.factor = get, factor

    def block(self, state: State) -> npt.NDArray[Any]:
        return np.asarray(self._get(state)).reshape(len(state), -1)


class _Seen:
    """Terms one after another that are rows of the board, with their factors."""

    def __init__(self, rows: list[int], factor: float) -> None:
        self._rows, self.factor = rows, np.full(len(rows), factor)
        self._place: slice | list[int] = slice(rows[0], rows[-1] + 1)

    def join(self, other: _Seen) -> None:
        self._rows += other._rows
        self.factor = np.concatenate((self.factor, other.factor))
        first, n = self._rows[0], len(self._rows)
        self._place = slice(first, first + n) if self._rows == list(range(first, first + n)) else self._rows

    def block(self, state: State) -> Floats:
        return state.seen(self._place).T


def _part_of(name: str, factor: float, sight: Sight) -> _Seen | _Asked:
    layout = sight.layout
    if name in ("goal", "action", "time"):
        return _Asked(lambda state: getattr(state, name), factor)
    for kind, point in ((PLACE, name), (VELOCITY, name.removesuffix(".v"))):
        if point in layout.points and (kind == PLACE or point != name):
            rows = sight.point(kind, point)
            return _Seen(list(range(rows.start, rows.stop)), factor)
    found = _TERM.fullmatch(name)
    if found is None or (found[1] is None) != (found[4] is None):
        raise ArgumentError(f"{name!r} is no observation; expected a name, a difference of two, or sin(…) or cos(…) of one")
    wave, first, second = found[1], found[2], found[3]
    columns = layout.coordinates.keys() | layout.speeds.keys()
    if first not in columns and wave is None and second is None:
        return _Asked(lambda state: state.observe(name), factor)
    for word in (first, second):
        if word is not None and word not in columns:
            raise ArgumentError(f"nothing is called {word!r} in {name!r}; expected a coordinate or a speed")
    return _difference(wave, first, second, factor, sight)


def _difference(wave: str | None, first: str, second: str | None, factor: float, sight: Sight) -> _Seen | _Asked:
    """A coordinate or speed, less another one, and its sine or cosine."""
    layout, kind = sight.layout, {None: Q, "sin": SINE, "cos": COSINE}[wave]
    words = [first] if second is None else [first, second]
    if all(word in layout.coordinates for word in words):
        return _Seen([sight.number(kind, *(layout.coordinates[word] for word in words))], factor)
    if wave is None and all(word in layout.speeds for word in words):
        return _Seen([sight.number(V, *(layout.speeds[word] for word in words))], factor)
    function = {None: np.asarray, "sin": np.sin, "cos": np.cos}[wave]
    return _Asked(lambda state: function(state.column(first) - (0.0 if second is None else state.column(second))), factor)
