"""Own samples in files, as `sarrus run --samples` takes them: a table of numbers with a line of names, a .npy array, or an HDF5
file, a result among others. The file's first bytes say which it is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .choices import text_check
from .errors import ArgumentError, ScenarioError
from .models import Model

Floats = npt.NDArray[np.float64]


class FileSample(Mapping[str, Floats]):
    """The columns of a file by their names; of an array without names there are none."""

    def __init__(self, path: str) -> None:
        try:
            self._core = _core.Sample(path)
        except ScenarioError as error:
            raise ArgumentError(f"samples: {error}", error.diagnostics) from None
        self._labels = list(self._core.labels)

    @cached_property
    def _table(self) -> Floats:
        """Only who has to draw the columns looks at them."""
        table = np.empty((self._core.n_rows, self._core.n_columns))
        self._core.copy(table)
        return table

    def __getitem__(self, label: str) -> Floats:
        return self._table[:, self._labels.index(label)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def table_for(self, model: Model) -> Floats:
        """[instances, parameters], columns in the model's order."""
        table = np.empty((self._core.n_rows, len(model.parameters)))
        try:
            self._core.draw(model._core, table)
        except ScenarioError as error:
            raise ArgumentError(f"samples: {error}", error.diagnostics) from None
        return table


def sample_of(samples: Any) -> Any:
    """What a path names. Anything else as it is."""
    if not isinstance(samples, str | os.PathLike):
        return samples
    return FileSample(text_check("samples", os.fsdecode(samples)))
