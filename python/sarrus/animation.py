"""Pictures that move: a motion as a page for a browser, as a GIF or as a film."""

from __future__ import annotations

import argparse
import html
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .choices import count_check
from .confined import command_run
from .errors import ArgumentError
from .films import film_write, films_check, gif_fps
from .motions import Motion, Source, motion_of
from .own_files import name_check, page_write, replaced
from .shapes import (
    ARROW,
    ARROW_SHARE,
    AZIMUTH,
    COLORS,
    DARK_ARROW,
    DARK_COLORS,
    DARK_GHOST,
    DARK_INK,
    ELEVATION,
    GHOST,
    INK,
    JOINT,
    SUPPORT,
    longest_reaction,
    room,
    shapes_of,
    support,
)

SUFFIXES = (".html", ".gif", ".mp4")
MAX_NUMBERS = 20_000_000  # in a page, of which each takes some 8 bytes


class Animation:
    """A motion that can be looked at: in a notebook as it is, elsewhere by `save`. `motion` holds its frames."""

    def __init__(self, motion: Motion, *, dpi: int, azimuth: float, elevation: float) -> None:
        self.motion = motion
        self._dpi, self._azimuth, self._elevation = dpi, azimuth, elevation

    @property
    def page(self) -> str:
        """The player with the motion in it, one HTML document that needs nothing else."""
        template = (Path(__file__).parent / "player.html").read_text(encoding="utf-8")
        parts = {"TITLE": html.escape(self.motion.title), "MOTION": _script_text(self._data())}
        return re.sub(r"\{\{(TITLE|MOTION)\}\}", lambda found: parts[found[1]], template)

    def save(self, output: str | os.PathLike[str]) -> None:
        """Writes .html, .gif or .mp4. What stood there before stays until the new one is complete; a file that this package has not
        written is not replaced (ArgumentError)."""
        path = Path(output)
        suffix = _suffix_check(path)
        if suffix == ".html":
            page_write(path, self.page)
            return
        films_check(suffix)
        with replaced(path) as partial:
            film_write(self.motion, partial, dpi=self._dpi, azimuth=self._azimuth, elevation=self._elevation)

    def _data(self) -> dict[str, Any]:
        """What the player reads. Lengths are told to 1e-5 of the picture's size or better, angles to 1e-5."""
        motion = self.motion
        n_numbers = sum(own.poses.size + (0 if own.reactions is None else own.reactions.size) for own in motion.actors)
        if n_numbers > MAX_NUMBERS:
            text = f"the page would hold {n_numbers} numbers, and {MAX_NUMBERS} is the most; expected fewer ghosts or frames"
            raise ArgumentError(text)
        size = motion.size
        digits = max(0, 5 - math.floor(math.log10(size)))
        low, high = motion.limits()
        return {
            "title": motion.title,
            "spatial": motion.is_spatial,
            "ground_moves": motion.ground_moves,
            "up": motion.up,
            "smooth": motion.is_smooth(),
            "pad": room(motion),
            "fps": motion.fps,
            "speed": motion.speed,
            "size": size,
            "low": _rounded(low, digits),
            "high": _rounded(high, digits),
            "decimals": motion.decimals,
            "time": _rounded(motion.time, 9),
            "bodies": motion.bodies,
            "joints": [{"name": own.name, "ends": [own.parent, own.child], "kind": own.kind} for own in motion.joints],
            "longest": longest_reaction(motion),
            "view": [self._azimuth, self._elevation],
            "style": {
                "colors": COLORS,
                "ghost": GHOST,
                "ink": INK,
                "arrow": ARROW,
                "joint": JOINT,
                "arrow_share": ARROW_SHARE,
                "dark": {"colors": DARK_COLORS, "ghost": DARK_GHOST, "ink": DARK_INK, "arrow": DARK_ARROW},
            },
            "support": _rounded(support(SUPPORT), 4),
            "actors": [self._actor_data(i, digits) for i in range(len(motion.actors))],
        }

    def _actor_data(self, i: int, digits: int) -> dict[str, Any]:
        motion, actor = self.motion, self.motion.actors[i]
        d = 3 if motion.is_spatial else 2
        poses = np.concatenate([np.round(actor.poses[..., :d], digits), np.round(actor.poses[..., d:], 5)], axis=2)
        shapes = shapes_of(motion, actor, motion.size)
        return {
            "label": actor.label,
            "ghost": actor.is_ghost,
            "end": actor.end,
            "note": actor.note,
            "points": _rounded(actor.joint_points, digits),
            "shapes": [{"body": own.body, "line": _rounded(own.points, digits), "fill": own.is_filled} for own in shapes],
            "poses": (poses + 0.0).reshape(len(poses), -1).tolist(),
            "reactions": None if actor.reactions is None else _reactions_data(actor.reactions, longest_reaction(motion)),
        }

    def __repr__(self) -> str:
        motion = self.motion
        n_ghosts = sum(own.is_ghost for own in motion.actors)
        grey = f" and {n_ghosts} in grey" if n_ghosts else ""
        return f"<sarrus.Animation of {motion.title}: {len(motion.actors) - n_ghosts} instances{grey}, {len(motion.time)} frames>"

    def _repr_html_(self) -> str:
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:560px;border:0"></iframe>'


def _rounded(values: npt.ArrayLike, digits: int) -> Any:
    # Adding 0 makes zeros of negative ones.
    return (np.round(np.asarray(values, dtype=np.float64), digits) + 0.0).tolist()


def _reactions_data(loads: npt.NDArray[np.float64], longest: float) -> Any:
    """[F, J, d], as shares of the longest of them."""
    return _rounded(loads / (longest or 1.0), 4)


def _script_text(data: dict[str, Any]) -> str:
    """JSON that may stand in a script element: no name in it can end that, or begin a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _suffix_check(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ArgumentError(f"{path} has the suffix {suffix!r}; expected one of {', '.join(SUFFIXES)}")
    return suffix


def _positive(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        raise ArgumentError(f"{name}={value!r}; expected a positive number")
    return number


def _numbers(name: str, given: int | Iterable[int], least: int = 1) -> list[int]:
    """Each once, in their order."""
    try:
        own = [given] if isinstance(given, int | np.integer) else list(given)
    except TypeError:
        raise ArgumentError(f"{name}={given!r}; expected a number, or several") from None
    if len(own) < least:
        raise ArgumentError(f"{name}={given!r}; expected at least one number")
    return list(dict.fromkeys(count_check(name, number) for number in own))


def animate(
    source: Source,
    output: str | os.PathLike[str] | None = None,
    *,
    instance: int | Iterable[int] | None = None,
    ghosts: Iterable[int] | int = (),
    fps: float = 25,
    speed: float = 1.0,
    reactions: bool = False,
    duration: float | None = None,
    group: int | None = None,
    dpi: int = 100,
    view: tuple[float, float] = (AZIMUTH, ELEVATION),
) -> Animation:
    """The motion of instances as a picture, written to `output` (.html, .gif, .mp4) or, with None, for a notebook.

    source: the path of a result file, a `Result`, or a `Batch`: its scenario from the beginning with the parameters that the batch
        has, computed anew; the batch itself is left as it is
    instance: its number in the study, or several numbers; None: the first that there is
    ghosts: others, in grey: their numbers, or how many of them
    fps, speed: frames in a second of the picture, and seconds of motion in it
    reactions: the forces of joints as arrows, on the child; a file has to have them
    duration: s of the motion; None: all of it, of a Batch to its t_end
    group: of a file of several scenarios
    dpi: of .gif and .mp4, which are 7 inches wide
    view: azimuth and elevation in degrees, of a mechanism in space; in a page the mouse turns it

    Bodies are drawn through their joint points and centres of mass. States are interpolated between output times. An instance that
    failed stops at its last pose, and the picture says so. Raises `FileError`, `ArgumentError`, `UnsupportedError` (no ffmpeg for
    .mp4), `ImportError` (no Matplotlib for .gif and .mp4).
    """
    fps, speed = _positive("fps", fps), _positive("speed", speed)
    suffix = ".html" if output is None else _suffix_check(Path(output))
    if output is not None:
        name_check(Path(output))
    if suffix != ".html":
        films_check(suffix)
    numbers = None if instance is None else _numbers("instance", instance)
    motion = motion_of(
        source,
        numbers,
        ghosts if isinstance(ghosts, int | np.integer) else _numbers("ghosts", ghosts, 0),
        fps=gif_fps(fps) if suffix == ".gif" else fps,
        speed=speed,
        reactions=bool(reactions),
        group=group,
        duration=None if duration is None else _positive("duration", duration),
    )
    try:
        azimuth, elevation = map(float, view)
    except (TypeError, ValueError):
        azimuth = elevation = math.nan
    if not (math.isfinite(azimuth) and math.isfinite(elevation)):
        raise ArgumentError(f"view={view!r}; expected two angles, azimuth and elevation, in degrees")
    made = Animation(motion, dpi=count_check("dpi", dpi, 10), azimuth=azimuth, elevation=elevation)
    if output is not None:
        made.save(output)
    return made


# -- the command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sarrus animate", description="The motion of a result file as a page, a GIF or a film.")
    parser.add_argument("file", metavar="OUT.h5")
    parser.add_argument("-o", "--output", required=True, metavar="M.html|gif|mp4")
    parser.add_argument(
        "--instance", type=int, action="append", metavar="I", help="its number in the study; may be repeated (default: the first)"
    )
    parser.add_argument("--ghosts", type=int, default=0, metavar="N", help="so many others in grey")
    parser.add_argument("--fps", type=float, default=25.0, metavar="F", help="frames in a second of the picture (default 25)")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="S", help="seconds of motion in a second of the picture (default 1)"
    )
    parser.add_argument("--reactions", action="store_true", help="forces of joints as arrows")
    parser.add_argument("--duration", type=float, metavar="T", help="seconds of the motion at most")
    parser.add_argument("--group", type=int, metavar="G", help="of a file of several scenarios, the number of one")
    return parser


def command(arguments: Sequence[str]) -> int:
    """`sarrus animate`: the exit code, 2 for bad usage or input, 3 for what cannot be read or written."""
    try:
        own = _parser().parse_args(arguments)
    except SystemExit as done:
        return int(done.code or 0)

    def work() -> str:
        made = animate(
            own.file,
            own.output,
            instance=own.instance,
            ghosts=own.ghosts,
            fps=own.fps,
            speed=own.speed,
            reactions=own.reactions,
            duration=own.duration,
            group=own.group,
        )
        return f"{own.output}: {len(made.motion.time)} frames, {made.motion.fps:g} a second"

    return command_run("animate", own.file, work)
