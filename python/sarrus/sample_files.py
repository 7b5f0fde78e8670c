"""Own samples in files, as `sarrus run --samples` takes them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ArgumentError, FileError

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class ResultSample(dict[str, Any]):
    """The drawn parameters of a result, by path."""


def sample_of(samples: Any) -> Any:
    """What a path names: an array of a .npy, a dict by label of a text or of an HDF5 file (.h5, .hdf5). Anything else as it is."""
    if not isinstance(samples, str | os.PathLike):
        return samples
    path = Path(samples)
    try:
        match path.suffix.lower():
            case ".npy":
                return np.load(path, allow_pickle=False)
            case ".h5" | ".hdf5":
                return _hdf5_read(path)
        return _table_read(path)
    except OSError as error:
        raise FileError(f"cannot read the samples '{path}': {error}") from None
    except (ValueError, KeyError, EOFError) as error:
        raise ArgumentError(f"the samples '{path}': {error}") from None

def _table_read(path: Path) -> dict[str, Any]:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    rows = [(i, line) for i, line in enumerate(lines, start=1) if line.strip() and not line.startswith("#")]
    if len(rows) < 2:
        raise ValueError("expected a line of names, and a line of numbers for each instance")
    separator = next((mark for mark in (",", ";", "\t") if mark in rows[0][1]), ",")
    names = [name.strip() for name in rows[0][1].split(separator)]
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice in the first line")
    table = np.empty((len(rows) - 1, len(names)))
    for k, (i, line) in enumerate(rows[1:]):
        numbers = [text.strip() for text in line.split(separator)]
        if len(numbers) != len(names):
            raise ValueError(f"line {i} has {len(numbers)} numbers for {len(names)} names")
        for text in numbers:
            if not _NUMBER.fullmatch(text):
                raise ValueError(f"line {i}: '{text[:40]}' is no number")
        table[k] = [float(text) for text in numbers]
    return dict(zip(names, table.T, strict=True))


def _hdf5_read(path: Path) -> ResultSample:
    import h5py

    with h5py.File(path, "r") as file:
        group = file.get("instance/parameters", file)
        if not isinstance(group, h5py.Group):
            raise ValueError("/instance/parameters is no group")
        columns = ResultSample()
        for name in group:
            column = group.get(name)
            if isinstance(column, h5py.Dataset):
                if column.dtype.kind not in "iuf":
                    raise ValueError(f"'{name}' is of {column.dtype}; expected numbers")
                columns[name] = column[()]
            elif group is not file:
                raise ValueError(f"'{name}' is no dataset")
        if not columns:
            raise ValueError("the file has no drawn parameters; expected a result that draws some, or datasets of numbers")
        return columns
