"""Own samples in files, as `sarrus run --samples` takes them."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ArgumentError, FileError


class ResultSample(dict[str, Any]):
    """The drawn parameters of a result, by path."""


def sample_of(samples: Any) -> Any:
    """What a path names: an array of a .npy, a dict by label of a .csv or of a result. Anything else as it is."""
    if not isinstance(samples, str | os.PathLike):
        return samples
    path = Path(samples)
    try:
        match path.suffix.lower():
            case ".npy":
                return np.load(path, allow_pickle=False)
            case ".csv":
                return _csv_read(path)
            case ".h5" | ".hdf5":
                return _result_read(path)
    except OSError as error:
        raise FileError(f"cannot read the samples '{path}': {error}") from None
    except (ValueError, KeyError) as error:
        raise ArgumentError(f"the samples '{path}': {error}") from None
    raise ArgumentError(f"samples are in a .csv, a .npy or a .h5; got '{path}'")


def _csv_read(path: Path) -> dict[str, Any]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [[text.strip() for text in row] for row in csv.reader(file) if row]
    if len(rows) < 2:
        raise ValueError("expected a line of names, and a row of numbers for each instance")
    names = rows[0]
    for i, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise ValueError(f"row {i} has {len(row)} numbers for {len(names)} names")
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice in the first line")
    table = np.array(rows[1:], dtype=np.float64)
    return dict(zip(names, table.T, strict=True))


def _result_read(path: Path) -> ResultSample:
    import h5py

    with h5py.File(path, "r") as file:
        if "instance/parameters" not in file:
            raise ValueError("the file has no drawn parameters; expected a result of one scenario that draws some")
        return ResultSample({name: column[()] for name, column in file["instance/parameters"].items()})
