"""What the tasks share: where their scenarios are, lengths of vectors."""

from pathlib import Path

import numpy as np

from ..states import Floats


def scenario(name: str) -> str:
    """Path of a scenario that comes with the package."""
    return str(Path(__file__).parents[1] / "scenarios" / f"{name}.yaml")


def length(vector: Floats) -> Floats:
    """[M] of [M, 2] or [M, 3]."""
    squares = vector[:, 0] ** 2 + vector[:, 1] ** 2
    return np.sqrt(squares if vector.shape[1] == 2 else squares + vector[:, 2] ** 2)
