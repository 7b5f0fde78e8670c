"""What a batch shows, by the names of observables and by the paths of a result file."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import ArgumentError
from .models import Model

# Those that a result has under another name, and those in its group of diagnostics.
_STATE = {"state/q": "q", "state/v": "v", "state/a": "acceleration"}
_DIAGNOSTICS = ("energy", "work", "position_error", "velocity_error", "rank")


def channel_find(model: Model, observables: Mapping[str, int], name: str) -> tuple[str, int | slice | None]:
    """The observable that a name belongs to, and which columns of it (None: all)."""
    if name in observables:
        return name, None
    if name in _STATE:
        return _STATE[name], None
    for word, names in (("q", model.coordinates), ("v", model.speeds)):
        if name in names:
            return word, names.index(name)
    head, _, rest = name.partition("/")
    if head == "diagnostics" and rest in _DIAGNOSTICS:
        return rest, None
    joint, _, order = rest.partition("/")
    if joint in model.joints:
        found = _of_joint(model, head, model.joints.index(joint), order)
        if found is not None:
            return found
    raise ArgumentError(
        f"nothing is called {name!r}; expected one of {', '.join(observables)}, a coordinate, a speed, or of a joint "
        "reactions/JOINT, drives/JOINT (of one that is driven), joints/JOINT/coordinate, joints/JOINT/speed (of one that is free)"
    )


def _of_joint(model: Model, group: str, i_joint: int, order: str) -> tuple[str, int | slice] | None:
    counts = model.joint_coordinates
    if group == "reactions" and not order:
        width = 3 if len(model.coordinates) == len(model.speeds) else 6  # in space there are Euler parameters
        return "reactions", slice(i_joint * width, (i_joint + 1) * width)
    if group == "drives" and not order and counts[i_joint][1] > 0:
        start = sum(n_driven for _, n_driven in counts[:i_joint])
        n = counts[i_joint][1]
        return "drives", start if n == 1 else slice(start, start + n)
    if group == "joints" and order in ("coordinate", "speed") and counts[i_joint][0] > 0:
        start = sum(n for n, _ in counts[:i_joint])
        return f"joint_{order}s", slice(start, start + counts[i_joint][0])
    return None
