"""What a result file has for a report: who made it, how the instances ended, their parameters and quantities."""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..batches import status_word
from ..errors import ArgumentError, Error, FileError
from ..models import Model
from ..motions import groups_count
from .numbers import Floats

Found = TypeVar("Found")
Group = Any  # of h5py, which has no types

VERDICTS = ("max_violation", "energy_mismatch", "step_error", "nearest_change_point")


@dataclass(frozen=True)
class Ending:
    """How some instances ended, and the first of them."""

    word: str
    n: int
    first: int
    time: float  # s, NaN: not known
    reason: str


@dataclass(frozen=True)
class Column:
    """A number of each instance that the file has: a parameter or a quantity. `Study.values` reads it."""

    name: str
    path: str
    unit: str
    what: str  # long_name; of a quantity its expression


@dataclass
class Study:
    """A group of a result file: the root, or one of several scenarios. `damage` fills up while the report is made."""

    group: Group
    place: str
    number: int | None  # of the group
    file_name: str  # of its scenario, in a document of several
    ids: npt.NDArray[np.uint64]
    status: npt.NDArray[np.uint8]
    is_there: npt.NDArray[np.bool_]  # [N] False of instances whose part of a merged study is missing
    missing_parts: list[str]
    damage: list[str] = field(default_factory=list)
    model: Model | None = None

    @property
    def n(self) -> int:
        return len(self.ids)

    @property
    def n_there(self) -> int:
        return int(self.is_there.sum())

    @property
    def n_failed(self) -> int:
        return int(np.count_nonzero(self.status[self.is_there]))

    @property
    def is_complete(self) -> bool:
        return int(self.group.attrs.get("complete", 0)) == 1

    @property
    def scenario(self) -> str:
        return self.tried("the scenario", lambda: text_of(self.group["scenario"][()])) or "" if "scenario" in self.group else ""

    @property
    def name(self) -> str:
        if self.model is not None and self.model.name:
            return self.model.name
        return self.file_name or Path(self.place).stem

    @property
    def has_own_sample(self) -> bool:
        """Whether the numbers were brought along: drawn ones have the units that they are quantiles of."""
        instance = self.group.get("instance")
        return instance is not None and len(instance.get("parameters", ())) > 0 and "unit" not in instance

    @property
    def design(self) -> str:
        """The word of `batch.design`, or of `batch.sampling`; "random" without either, and of a sample of one's own."""
        if self.has_own_sample:
            return "random"
        section = re.search(r'^"?batch"?:\n((?:[ ].*\n?)*)', self.scenario, re.M)
        words = dict(re.findall(r'^  "?(design|sampling)"?:\s*"?([a-z]+)', section[1], re.M)) if section else {}
        if (
            section
            and "sampling" not in words
            and (found := re.search(r'^  "?sampling"?:\n    "?method"?:\s*"?([a-z]+)', section[1], re.M))
        ):
            words["sampling"] = found[1]
        design = words.get("design", "plain")
        return design if design != "plain" else words.get("sampling", "random")

    def attribute(self, name: str, default: str = "") -> str:
        return text_of(self.group.attrs.get(name, default))

    def tried(self, what: str, read: Callable[[], Found]) -> Found | None:
        """What `read` gives; None of what cannot be read, which goes to the damage."""
        try:
            return read()
        except (Error, ImportError):
            raise
        except Exception as error:  # h5py and NumPy raise all sorts of a damaged file, that memory is lacking among them
            self.damage.append(f"{what}: {error}")
            return None

    def child(self, path: str) -> Any:
        """A group or a dataset; None of what is not there, and of what cannot be opened, which goes to the damage."""
        at = self.group
        for name in path.split("/"):
            if at is None or not hasattr(at, "get") or at.get(name, getlink=True) is None:
                return None
            at = self.tried(f"/{path}", lambda at=at, name=name: at[name])
        return at

    def column(self, path: str, name: str) -> Column | None:
        """None where it is not there or has another shape."""
        dataset = self.child(path)
        if dataset is None or getattr(dataset, "shape", None) != (self.n,):
            return None
        return Column(name, path, text_of(dataset.attrs.get("units", "")), text_of(dataset.attrs.get("long_name", "")))

    def values(self, column: Column, stride: int = 1) -> Floats | None:
        """[N] or every so many of them, NaN of those that are not there; None of what cannot be read."""
        values = self.tried(f"/{column.path}", lambda: np.asarray(self.group[column.path][:][::stride], dtype=np.float64))
        if values is not None:
            values[~self.is_there[::stride]] = math.nan
        return values

    def quantities(self, wanted: Sequence[str] | None) -> list[Column]:
        """Those asked for in that order, or all in the order of the scenario."""
        there = list(self.child("quantities") or ())
        if wanted is None:
            own = sorted(there, key=lambda name: _place_in(self.scenario, "quantities", name))
        else:
            own = list(dict.fromkeys(wanted))
            for name in own:
                if name not in there:
                    expected = f"expected one of {', '.join(there)}" if there else "it has no quantities (output.quantities)"
                    raise ArgumentError(f"{self.place} has no quantity {name!r}; {expected}")
        return list(filter(None, (self.column(f"quantities/{name}", name) for name in own)))

    def parameters(self) -> list[Column]:
        """One for each draw, in the order of the scenario: a draw for several paths stands in the file under each of them."""
        there = list(self.child("instance/parameters") or ())
        drawn = [name for name in self.model.parameters if name in there] if self.model is not None else []
        if not drawn:
            drawn = [name for name in self.child("instance/unit") or () if name in there] or there
        return list(filter(None, (self.column(f"instance/parameters/{name}", name) for name in drawn)))

    def endings(self) -> list[Ending]:
        """Of each status that there is, the good one first."""
        found = []
        for value in np.unique(self.status[self.is_there]).tolist():
            rows = np.flatnonzero((self.status == value) & self.is_there)
            row, time, reason = int(rows[0]), math.nan, ""
            if value != 0:
                time = self.tried("/instance/failed_time", lambda row=row: float(self.group["instance/failed_time"][row]))
                time = math.nan if time is None else time
                reason = self.tried("/instance/reason", lambda row=row: text_of(self.group["instance/reason"][row])) or ""
            found.append(Ending(status_word(value), len(rows), int(self.ids[row]), time, reason))
        return found


def text_of(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _place_in(scenario: str, section: str, name: str) -> tuple[int, str]:
    """Where a key stands below a section of the scenario; at the end where it is not found."""
    found = re.search(rf'^  "?{section}"?:\n((?:    .*\n?)*)', scenario, re.M)
    at = re.search(rf'^    "?{re.escape(name)}"?:', found[1], re.M) if found else None
    return (at.start() if at else len(scenario), name)


# -- opening


def studies_of(file: Group, place: str, group: int | None) -> list[Study]:
    """Of the scenario of a file, of one of several, or of all of them."""
    n_groups = groups_count(file, place)
    if n_groups == 0:
        if group is not None:
            raise ArgumentError(f"{place} has one scenario; expected no group")
        return [_study_open(file, place, None, "")]
    names = [text_of(name) for name in file.attrs.get("group_files", [])]
    names += [""] * (n_groups - len(names))
    if group is not None and not 0 <= group < n_groups:
        listed = ", ".join(f"{i} ({name})" for i, name in enumerate(names))
        raise ArgumentError(f"{place} has {n_groups} groups: {listed}; expected a group from 0 to {n_groups - 1}")
    chosen = range(n_groups) if group is None else [group]
    return [_study_open(file[str(i)], place, i, names[i]) for i in chosen]


def _study_open(group: Group, place: str, number: int | None, file_name: str) -> Study:
    for path in ("instance/id", "instance/status", "time"):
        if path not in group:
            raise FileError(f"{place} has no /{path}; expected the result of a run")
    try:
        ids, status = group["instance/id"][:], np.asarray(group["instance/status"][:], dtype=np.uint8)
    except OSError as error:
        raise FileError(f"{place}: the list of instances cannot be read: {error}") from error
    is_there, missing = _parts_look(group, place, len(ids))
    study = Study(group, place, number, file_name, ids, status, is_there, missing)
    scenario = study.scenario
    # A scenario of another version may not be read; then its name and the moving picture are missing.
    with contextlib.suppress(Error):
        study.model = Model(scenario if "\n" in scenario else scenario + "\n")
    return study


def _parts_look(group: Group, place: str, n: int) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Whose rows are there, and the parts of a merged study that are missing. HDF5 reads the rows of these as NaN or 0, their
    status as 255."""
    is_there, missing = np.ones(n, dtype=bool), []
    if "parts/file" in group:
        folder = Path(place).parent
        rows = zip(group["parts/file"][:], group["parts/first_instance"][:], group["parts/n_instances"][:], strict=True)
        for name, first, count in rows:
            if not os.access(folder / text_of(name), os.R_OK):
                missing.append(text_of(name))
                is_there[int(first) : int(first) + int(count)] = False
    return is_there, missing


def datasets_below(group: Group, path: str) -> Iterator[tuple[str, Any]]:
    """(path, dataset) of all below a path, in the order of their names."""
    if path not in group:
        return
    here = group[path]
    if hasattr(here, "dtype"):
        yield path, here
        return
    for name in here:
        yield from datasets_below(group, f"{path}/{name}")
