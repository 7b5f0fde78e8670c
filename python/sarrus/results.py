"""Result files, read lazily."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

from .errors import ArgumentError, FileError

if TYPE_CHECKING:
    import xarray

    from .studies import Result


def open(path: str | os.PathLike[str] | Result) -> xarray.DataTree:
    """The result file, or a `Result`, as an xarray DataTree: nothing is read before it is asked for. Close it, or use `with`.

    `tree["state/q"]` has the dimensions of the file (id, time, coordinate), with their values as coordinates; the rows of the table
    of changes of rank are a dimension `event_time`. Raises `FileError` when the file is missing or no result of Sarrus.
    """
    if hasattr(path, "to_xarray"):
        return path.to_xarray()
    try:
        place = os.fspath(path)
    except TypeError:
        place = b""
    if not isinstance(place, str):
        raise ArgumentError(f"a result file is told by its path; got {path!r}")
    return tree_open(place, place)


def tree_open(source: str | BinaryIO, name: str) -> xarray.DataTree:
    """As `open`, of a path or of a file in memory; `name` stands for it in errors."""
    try:
        import h5netcdf  # noqa: F401
        import xarray
    except ImportError:
        raise ImportError("xarray and h5netcdf are needed: pip install xarray h5netcdf") from None
    try:
        groups = xarray.open_groups(source, engine="h5netcdf", decode_times=False, phony_dims="access")
        return _tree_make(groups, name)
    except FileError:
        raise
    except Exception as error:  # h5netcdf and xarray raise all sorts of a damaged file
        raise FileError(f"{name}: {error}; expected a result file of Sarrus") from error


def _scales_move(groups: dict[str, xarray.Dataset]) -> None:
    """Takes scales to the groups that use them, where a group below is called as one: /statistics/joints/A/coordinate could not
    inherit `coordinate`."""
    for path in list(groups):
        above, _, own = path.rpartition("/")
        while above and own not in groups.get(above, ()):
            above = above.rpartition("/")[0]
        owner = above or "/"
        if own not in groups[owner].coords:
            continue
        scale = groups[owner][own].variable
        groups[owner] = groups[owner].drop_vars(own)
        for user, group in groups.items():
            if own in group.dims and user.startswith(f"{above}/"):
                groups[user] = group.assign_coords({own: scale})


def _tree_make(groups: dict[str, xarray.Dataset], name: str) -> xarray.DataTree:
    import xarray

    for path, group in groups.items():
        # Files of earlier versions call the times of changes of rank as the output times, for which they would be taken.
        if path.rpartition("/")[0].endswith("/events") and "time" in group.dims:
            groups[path] = group.rename(time="event_time")
    _scales_move(groups)
    tree = xarray.DataTree.from_dict(groups)
    tree.set_close(lambda: [group.close() for group in groups.values()])
    if "sarrus_format" not in tree.attrs:
        tree.close()
        raise FileError(f"{name}: no result file of Sarrus; it has no attribute sarrus_format")
    return tree
