"""What moves in a picture: poses of bodies at the times of frames, and where the joints are, from a result or a batch."""

from __future__ import annotations

import contextlib
import math
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .batches import Batch, status_word
from .choices import count_check
from .confined import limited
from .errors import ArgumentError, Error, FileError, SarrusWarning, ScenarioError
from .models import Model
from .studies import Result

Floats = npt.NDArray[np.float64]
Source = str | os.PathLike[str] | Result | Batch

MAX_FRAMES = 20_000
# How a joint is drawn. A pin's two points are one, those of a rod have a distance, a slide lets them part; what holds nothing is
# left out.
_KINDS = {"distance": "rod", "free": "none", "bushing": "none"}
_KINDS |= dict.fromkeys(("prismatic", "slot", "cylindrical", "screw", "planar", "general"), "slide")


@dataclass(frozen=True)
class Joint:
    """parent and child are numbers of bodies, −1 ground; kind: "pin", "rod", "slide" or "none"."""

    name: str
    parent: int
    child: int
    kind: str


@dataclass(frozen=True)
class Actor:
    """One instance at the times of the frames. It stands still from `end` on, `note` says why ("": it has come to its end)."""

    label: str
    is_ghost: bool
    joint_points: Floats  # [J, 2, d] m, in the frames of parent and child
    poses: Floats  # [F, B, 3 | 7] x, y, θ or x, y, z, w, x, y, z
    end: float  # s
    note: str
    reactions: Floats | None  # [F, J, d] N, on the child at its point; 0 from `end` on


@dataclass(frozen=True)
class Motion:
    """All that a picture is made from: frames of some instances of one mechanism. The first actors are the ones asked for."""

    title: str
    is_spatial: bool
    ground_moves: bool
    up: int  # the axis that is upright in the picture of a mechanism in space
    bodies: list[str]
    joints: list[Joint]
    time: Floats  # [F] s
    fps: float
    speed: float
    actors: list[Actor]

    def joint_ends(self, actor: Actor) -> Floats:
        """[F, J, 2, d] m: the joint's point as its parent and as its child carry it, inertial frame. On a ground that moves the
        point of the other body stands for that of ground."""
        ends = np.empty((len(actor.poses), len(self.joints), 2, 3 if self.is_spatial else 2))
        for j, joint in enumerate(self.joints):
            for side, body in enumerate((joint.parent, joint.child)):
                point = actor.joint_points[j, side]
                ends[:, j, side] = point if body < 0 else carried(actor.poses[:, body], point[None])[:, 0]
            if self.ground_moves and min(joint.parent, joint.child) < 0:
                side = 0 if joint.parent < 0 else 1
                ends[:, j, side] = ends[:, j, 1 - side]
        return ends

    def places(self, actor: Actor) -> Floats:
        """[F, B + 2 J, d] m: centres of mass and ends of joints, which the picture has to have room for."""
        d = 3 if self.is_spatial else 2
        ends = self.joint_ends(actor)
        seen = ends[:, [joint.kind != "none" for joint in self.joints]]
        return np.concatenate([actor.poses[:, :, :d], seen.reshape(len(self.time), -1, d)], axis=1)

    def limits(self) -> tuple[Floats, Floats]:
        """The box [d] of all places of all actors over the whole motion."""
        boxes = [(own.min(axis=(0, 1)), own.max(axis=(0, 1))) for own in map(self.places, self.actors)]
        return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)

    @property
    def size(self) -> float:
        """m, the diagonal of that box; 1 of a point."""
        low, high = self.limits()
        return float(np.linalg.norm(high - low)) or 1.0

    def is_smooth(self) -> bool:
        """Whether pins stay closed halfway between frames, to 0.4 % of the picture's size: then a player may show what is there."""
        pins = [joint.kind == "pin" for joint in self.joints]
        for actor in self.actors:
            between = replace(actor, poses=poses_between(actor.poses[:-1], actor.poses[1:], np.full((1, 1, 1), 0.5)))
            ends = self.joint_ends(between)[:, pins]
            if np.linalg.norm(ends[:, :, 0] - ends[:, :, 1], axis=2).max(initial=0.0) > 0.004 * self.size:
                return False
        return True

    @property
    def decimals(self) -> int:
        """With which times are told: a thousandth of the motion, or finer."""
        length = float(self.time[-1] - self.time[0])
        return int(np.clip(3 - math.floor(math.log10(length)), 1, 9)) if length > 0.0 else 3

    def caption(self, time: float) -> str:
        """What stands beside the picture at a time."""
        lines = [f"t = {time:.{self.decimals}f} s"]
        stopped = [own for own in self.actors if own.note and time >= own.end]
        lines += [f"{own.label}: {own.note}" for own in stopped if not own.is_ghost]
        n_ghosts = sum(own.is_ghost for own in stopped)
        return "\n".join(lines + ([f"{n_ghosts} in grey stopped"] if n_ghosts else []))


@dataclass(frozen=True)
class _Track:
    """One instance as it was computed: at output times, NaN from its failure on."""

    number: int
    joint_points: Floats
    time: Floats  # [T]
    q: Floats  # [T, n]
    status: int
    failed_time: float
    reactions: Floats | None  # [T, J, k]


def carried(poses: Floats, points: Floats) -> Floats:
    """[F, K, d]: points [K, d] of a body's frame in the inertial one, at poses [F, 3 | 7]."""
    if poses.shape[1] == 3:
        c, s = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
        x, y = points[:, 0], points[:, 1]
        return np.stack([poses[:, 0, None] + c * x - s * y, poses[:, 1, None] + s * x + c * y], axis=-1)
    scalar, vector = poses[:, None, 3:4], np.broadcast_to(poses[:, None, 4:7], (len(poses), len(points), 3))
    once = np.cross(vector, points)
    return poses[:, None, :3] + points + 2.0 * (scalar * once + np.cross(vector, once))


# -- instances


def motion_of(
    source: Source,
    instances: Sequence[int] | None,
    ghosts: Sequence[int] | int,
    *,
    fps: float,
    speed: float,
    reactions: bool,
    group: int | None,
    duration: float | None,
) -> Motion:
    """Reads or computes what `animate` draws."""
    if isinstance(source, Batch):
        if group is not None:
            raise ArgumentError("group is that of a file of several scenarios; got a Batch")
        duration = _t_end(source.model) if duration is None else duration
        instances = [source.first_instance] if instances is None else instances
        model, tracks = source.model, _tracks_of_batch(source, instances, ghosts, speed / fps, reactions, duration)
    else:
        with opened(source) as (file, place):
            own = _group_of(file, group, place)
            first = own["trajectory" if "trajectory" in own else "instance/id"][0]
            instances = [int(first)] if instances is None else instances
            model, tracks = _tracks_of_file(own, place, instances, ghosts, reactions)
            return _motion_make(model, tracks, len(instances), fps, speed, duration)
    return _motion_make(model, tracks, len(instances), fps, speed, duration)


def _chosen(instances: Sequence[int], ghosts: Sequence[int] | int, numbers: Sequence[int]) -> list[int]:
    """The instances to draw and then those in grey, as numbers of the study; `numbers` are those that there are."""
    if isinstance(ghosts, int | np.integer):
        others = [number for number in numbers if number not in set(instances)]
        n_ghosts = min(count_check("ghosts", int(ghosts)), len(others))
        ghosts = [others[i] for i in np.linspace(0, len(others) - 1, n_ghosts).round().astype(int)] if n_ghosts else []
    there = set(numbers)
    wanted = [*instances, *(number for number in ghosts if number not in set(instances))]
    for number in wanted:
        if number not in there:
            kept = f"{len(numbers)} instances, {numbers[0]} to {numbers[-1]}" if numbers else "no instance"
            if 0 < len(numbers) <= 8 and numbers[-1] - numbers[0] >= len(numbers):
                kept = ", ".join(str(own) for own in numbers)
            raise ArgumentError(f"there is no instance {number}; expected one of {kept}")
    return wanted


def _tracks_of_batch(
    batch: Batch, instances: Sequence[int], ghosts: Sequence[int] | int, frame: float, reactions: bool, duration: float
) -> list[_Track]:
    """The scenario from its beginning with the parameters that the batch has; the batch itself is only read."""
    first = batch.first_instance
    numbers = _chosen(instances, ghosts, range(first, first + batch.n))
    rows = [number - first for number in numbers]
    samples = batch.parameters[rows] if batch.model.parameters else None
    options = {"draw": False} if samples is None else {"samples": samples}
    fresh = Batch(batch.model, len(rows), backend="cpu", **options)
    n_steps = max(1, math.ceil(duration / fresh.interval * (1.0 - 1e-12)))
    ratio = frame / fresh.interval
    # Frames at ends of steps, or some poses for each.
    every = max(1, min(n_steps, round(ratio) if abs(ratio - round(ratio)) < 1e-9 * ratio else int(ratio / 4.0)))
    names = ["q", "reactions"] if reactions and batch.model.joints else ["q"]
    seen = fresh.rollout(-(-n_steps // every) + 1, every, names, include_start=True)
    time = np.arange(seen["q"].shape[1]) * every * fresh.interval
    ended = np.where(fresh.status == 0, np.nan, fresh.time)
    points, loads = fresh.joint_points(), seen.get("reactions")
    return [
        _Track(number, points[i], time, seen["q"][i], int(fresh.status[i]), float(ended[i]), None if loads is None else loads[i])
        for i, number in enumerate(numbers)
    ]


def _t_end(model: Model) -> float:
    found = re.search(r'^  "?t_end"?:\s*([^\s#,}]+)', model.resolved, re.M)
    with contextlib.suppress(TypeError, ValueError):
        return float(found[1])
    raise ArgumentError("the scenario's t_end is no number; expected duration=, the seconds of motion")


@contextlib.contextmanager
def opened(source: str | os.PathLike[str] | Result) -> Iterator[tuple[Any, str]]:
    import h5py

    try:
        if isinstance(source, Result):
            place, n_bytes = source.path or "the result", 0
            file = source._file()
        elif isinstance(source, str | os.PathLike):
            place = os.fspath(source)
            n_bytes = Path(place).stat().st_size
            with limited(n_bytes):
                file = h5py.File(Path(place), "r")
        else:
            raise ArgumentError(f"what moves is the path of a result file, a Result or a Batch; got {source!r}")
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{place}: {error}; expected a result file of Sarrus") from error
    with limited(n_bytes), _damage_told(place), file:
        if "sarrus_format" not in file.attrs:
            raise FileError(f"{place}: no result file of Sarrus; it has no attribute sarrus_format")
        with limited(n_bytes + parts_bytes(file, place)):
            yield file, place


@contextlib.contextmanager
def _damage_told(place: str) -> Iterator[None]:
    try:
        yield
    except (Error, ImportError, MemoryError):
        raise
    except Exception as error:  # h5py and NumPy raise all sorts of a damaged file
        told = str(error.args[0] if isinstance(error, KeyError) and error.args else error).partition("\n")[0]
        raise FileError(f"{place}: the file is damaged: {told or type(error).__name__}") from error


def parts_bytes(file: Any, place: str) -> int:
    """Of the files that hold the rows of a merged study, of all of its scenarios."""
    groups = [file, *(file[name] for name in file if name.isdigit())]
    names = [name for group in groups if "parts/file" in group for name in group["parts/file"][:]]
    n_bytes = 0
    for name in names:
        with contextlib.suppress(OSError):
            n_bytes += (Path(place).parent / name.decode(errors="replace")).stat().st_size
    return n_bytes


def groups_count(file: Any, place: str) -> int:
    """Of a file of several scenarios; 0 of one."""
    n_groups = int(file.attrs.get("n_groups", 0))
    if not 0 <= n_groups <= len(file):
        raise FileError(f"{place}: the file is damaged: it names {n_groups} groups and has {len(file)} objects")
    return n_groups


def _group_of(file: Any, group: int | None, place: str) -> Any:
    n_groups = groups_count(file, place)
    if n_groups == 0 and group is None:
        return file
    if n_groups == 0:
        raise ArgumentError(f"{place} has one scenario; expected no group")
    if group is None or not 0 <= count_check("group", group) < n_groups:
        names = ", ".join(f"{i} ({name})" for i, name in enumerate(file.attrs.get("group_files", [])))
        raise ArgumentError(f"{place} has {n_groups} groups: {names}; expected group= with a number from 0 to {n_groups - 1}")
    return file[str(group)]


def _tracks_of_file(
    file: Any, place: str, instances: Sequence[int], ghosts: Sequence[int] | int, reactions: bool
) -> tuple[Model, list[_Track]]:
    if "state/q" not in file:
        raise FileError(f"{place} holds no states; expected output.channels with state, and output.instances not none")
    of_all = [int(number) for number in file["instance/id"][:]]
    # Rows of the states, where a study keeps those of some instances alone.
    numbers = [int(number) for number in file["trajectory"][:]] if "trajectory" in file else of_all
    chosen = _chosen(instances, ghosts, numbers)
    rows = [numbers.index(number) for number in chosen]
    text = file["scenario"][()].decode()
    try:
        model = Model(text if "\n" in text else text + "\n")
    except ScenarioError as error:
        raise FileError(f"{place}: the scenario in it cannot be read: {str(error).partition(chr(10))[0]}") from error
    labels = model.parameters
    places = [of_all.index(number) for number in chosen]
    samples = {label: [float(file["instance/parameters"][label][i]) for i in places] for label in labels}
    options: dict[str, Any] = {"samples": samples} if labels else {"draw": False}
    points = Batch(model, len(rows), backend="cpu", specialize="off", **options).joint_points()
    if reactions and any(f"reactions/{name}" not in file for name in model.joints):
        raise FileError(f"{place} holds no reactions of all joints; expected output.channels with reactions")
    time, tracks = file["time"][:], []
    for i, row in enumerate(rows):
        loads = np.stack([file[f"reactions/{name}"][row] for name in model.joints], axis=1) if reactions and model.joints else None
        status, ended = int(file["instance/status"][places[i]]), float(file["instance/failed_time"][places[i]])
        tracks.append(_Track(chosen[i], points[i], time, file["state/q"][row], status, ended, loads))
    return model, tracks


# -- frames


def _motion_make(model: Model, tracks: list[_Track], n_first: int, fps: float, speed: float, duration: float | None) -> Motion:
    shown = []
    for i, track in enumerate(tracks):
        if _n_poses(track) > 0:
            shown.append((i, track))
        elif i < n_first:
            raise ArgumentError(f"instance {track.number} has no pose to show: {status_word(track.status)}")
        else:
            warnings.warn(f"instance {track.number} has no pose and is left out", SarrusWarning, stacklevel=4)
    frames = _frames(shown[0][1].time[0], max(_end(track) for _, track in shown), duration, fps, speed)
    actors = [_actor_make(track, frames, i >= n_first, model.is_spatial) for i, track in shown]
    kinds = _joint_kinds(model)
    joints = [Joint(name, *ends, kind) for name, ends, kind in zip(model.joints, model.joint_bodies, kinds, strict=True)]
    width = 7 if model.is_spatial else 3
    bodies = [name.rpartition(".")[0] for name in model.coordinates[::width]]
    title = model.name or "a mechanism"
    return Motion(title, model.is_spatial, _ground_moves(model), _up_axis(model), bodies, joints, frames, fps, speed, actors)


def _n_poses(track: _Track) -> int:
    """Number of output times before the first without a pose."""
    is_there = np.isfinite(track.q).all(axis=1) & np.isfinite(track.time)
    return len(is_there) if is_there.all() else int(np.argmin(is_there))


def _end(track: _Track) -> float:
    return float(track.time[_n_poses(track) - 1])


def _frames(start: float, end: float, duration: float | None, fps: float, speed: float) -> Floats:
    """Times of the frames; the last pose is one of them."""
    if duration is not None:
        end = min(end, start + duration)
    n_frames = int((end - start) * fps / speed * (1.0 + 1e-12)) + 1
    if n_frames >= MAX_FRAMES:
        text = f"{end - start:g} s are {n_frames} frames, and {MAX_FRAMES} the most; expected a lower fps or a higher speed"
        raise ArgumentError(text)
    if n_frames < 10 and end > start:
        text = f"the motion of {end - start:.3g} s makes {n_frames} frames; speed={0.2 * (end - start):.1g} would show it in 5 s"
        warnings.warn(text, SarrusWarning, stacklevel=5)
    frames = start + np.arange(n_frames) * speed / fps
    return np.append(frames, end) if end - frames[-1] > 1e-9 * (end - start) else frames


def _actor_make(track: _Track, frames: Floats, is_ghost: bool, is_spatial: bool) -> Actor:
    n = _n_poses(track)
    end = float(track.time[n - 1])
    shown = np.minimum(frames, end)
    first = np.clip(np.searchsorted(track.time[:n], shown, side="right") - 1, 0, max(0, n - 2))
    second = np.minimum(first + 1, n - 1)
    span = track.time[second] - track.time[first]
    part = np.divide(shown - track.time[first], span, out=np.zeros_like(shown), where=span > 0)
    width = 7 if is_spatial else 3
    q = track.q[:n].reshape(n, -1, width)
    poses = poses_between(q[first], q[second], part[:, None, None])
    loads = None
    if track.reactions is not None and not is_ghost:
        own = track.reactions[:n, :, : 3 if is_spatial else 2]
        loads = own[first] + part[:, None, None] * (own[second] - own[first])
        loads = np.where((frames <= end)[:, None, None], np.nan_to_num(loads), 0.0)
    note = ""
    if track.status != 0:
        at = track.failed_time if np.isfinite(track.failed_time) else end
        note = f"{status_word(track.status)} at t = {at:.4g} s"
    return Actor(f"instance {track.number}", is_ghost, track.joint_points, poses, end, note, loads)


def poses_between(first: Floats, second: Floats, part: Floats) -> Floats:
    """Poses a part of the way from the first to the second; Euler parameters stay of length 1 and do not change sign from one frame
    to the next, so that a player may interpolate them again."""
    if first.shape[2] == 3:
        return first + part * (second - first)
    second = second.copy()
    second[..., 3:] *= np.where(np.sum(first[..., 3:] * second[..., 3:], axis=-1, keepdims=True) < 0, -1.0, 1.0)
    poses = first + part * (second - first)
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    turns = np.sum(poses[1:, :, 3:] * poses[:-1, :, 3:], axis=-1)
    poses[1:, :, 3:] *= np.cumprod(np.where(turns < 0, -1.0, 1.0), axis=0)[..., None]
    return poses


# -- the scenario's text, in the form that `Model.resolved` gives it


def _joint_kinds(model: Model) -> list[str]:
    section = re.search(r'^"?joints"?:[^\n]*\n((?:[ ].*\n?)*)', model.resolved, re.M)
    items = re.split(r"^  - ", section[1], flags=re.M)[1:] if section else []
    types = [re.search(r'^(?:    )?"?type"?:\s*"?([a-z]+)', item, re.M) for item in items]
    if len(types) != len(model.joints):
        return ["pin"] * len(model.joints)
    return [_KINDS.get(found[1], "pin") if found else "pin" for found in types]


def _ground_moves(model: Model) -> bool:
    return re.search(r'^"?ground"?:\n(?:[ ].*\n)*?  "?motion"?:', model.resolved, re.M) is not None


def _up_axis(model: Model) -> int:
    """Against gravity, where that is along an axis, else z."""
    found = re.search(r'^"?gravity"?:\s*\[([^\]]*)\]', model.resolved, re.M)
    try:
        gravity = np.abs([float(word) for word in found[1].split(",")]) if found else np.zeros(3)
    except ValueError:
        return 2
    return int(gravity.argmax()) if len(gravity) == 3 and gravity.any() else 2
