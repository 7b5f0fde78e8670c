"""The task `sarrus/FiveBarReach-v0` in NumPy, for a simulator that knows nothing of it: observation, reward, end, beginning anew.

Angles are absolute, from the x axis, of [left, right, left_rod, right_rod]; lengths as in five_bar_arm.yaml.
"""

from __future__ import annotations

import numpy as np

HALF, INNER, OUTER, MASS, FRICTION = 0.08, 0.20, 0.30, 0.30, 0.02  # m, kg, N m s
TORQUE, STEP, N_SUBSTEPS, N_STEPS = 0.6, 2e-3, 10, 100  # N m, s


def starts(phi: np.ndarray) -> np.ndarray:
    """[N, 4] rad: both inner links lean outwards by phi."""
    x = HALF + INNER * np.sin(phi)
    psi = np.arctan2(np.sqrt(OUTER**2 - x**2), -x)
    return np.stack((np.pi / 2 + phi, np.pi / 2 - phi, np.pi - psi, psi), axis=1)


def elbow(side: float, angle: np.ndarray) -> np.ndarray:
    return np.stack((side * HALF + INNER * np.cos(angle), INNER * np.sin(angle)), axis=1)


def tip(side: float, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """[N, 2] m, by one of the two arms: −1 left, 1 right."""
    place = elbow(side, inner)
    place[:, 0] += OUTER * np.cos(outer)
    place[:, 1] += OUTER * np.sin(outer)
    return place


def gap(left: np.ndarray, right: np.ndarray, left_rod: np.ndarray, right_rod: np.ndarray) -> float:
    """Between the tips of the two arms, m."""
    apart = tip(-1.0, left, left_rod) - tip(1.0, right, right_rod)
    return float(np.sqrt((apart**2).sum(axis=1)).max())


class Arm:
    """N environments that begin anew in the step in which they end. A simulator derives from it and has `advance` and `place`."""

    def __init__(self, n: int) -> None:
        self.n, self.generator = n, np.random.default_rng(0)
        self.elapsed = np.arange(n) % N_STEPS  # out of step, as in training
        self.goal = np.zeros((n, 2))
        self.angles, self.speeds, self.inner = np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 2))
        self._begin(np.arange(n))

    def advance(self, torques: np.ndarray) -> None:
        """N_SUBSTEPS steps with the torques [N, 2] held; brings `angles` and `speeds` [N, 4] up to date."""
        raise NotImplementedError

    def place(self, rows: np.ndarray) -> None:
        """Takes `angles` and `speeds` of these over."""
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of what is held."""

    def gap(self) -> float:
        return gap(*self.angles.T)

    def _begin(self, rows: np.ndarray) -> None:
        u = self.generator.random((len(rows), 3))
        self.angles[rows], self.speeds[rows] = starts(0.2 + 0.6 * u[:, 0]), 0.0
        self.goal[rows] = np.stack((-0.14 + 0.28 * u[:, 1], 0.24 + 0.16 * u[:, 2]), axis=1)
        self.place(rows)

    def observation(self, place: np.ndarray) -> np.ndarray:
        out = np.empty((self.n, 10), dtype=np.float32)
        out[:, 0:4:2], out[:, 1:4:2] = np.sin(self.angles[:, :2]), np.cos(self.angles[:, :2])
        out[:, 4:6], out[:, 6:8], out[:, 8:10] = 0.1 * self.speeds[:, :2], 5.0 * place, 5.0 * self.goal
        return out

    def step(self, actions: np.ndarray) -> int:
        """One step of all; how many episodes ended. Rewards and observations are made and kept in `last`."""
        torques = TORQUE * np.clip(np.asarray(actions, dtype=np.float64), -1.0, 1.0)
        self.advance(torques)
        self.elapsed += 1
        place = tip(1.0, self.angles[:, 1], self.angles[:, 3])
        miss = np.sqrt(((place - self.goal) ** 2).sum(axis=1))
        rewards = 1.0 - np.tanh(10.0 * miss) - 0.02 * (torques**2).sum(axis=1) / TORQUE**2
        apart = np.sqrt(((elbow(1.0, self.angles[:, 1]) - elbow(-1.0, self.angles[:, 0])) ** 2).sum(axis=1)) / (2.0 * OUTER)
        ended = (apart > 0.97) | (apart < 0.1) | (self.elapsed >= N_STEPS)
        self.last = self.observation(place), rewards, ended
        rows = np.flatnonzero(ended)
        if len(rows) > 0:
            self.elapsed[rows] = 0
            self._begin(rows)
            place[rows] = tip(1.0, self.angles[rows, 1], self.angles[rows, 3])
            self.last = self.observation(place), rewards, ended, self.last[0]
        return len(rows)
