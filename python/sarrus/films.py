"""Films by Matplotlib: .gif and .mp4."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import FileError, UnsupportedError
from .motions import Actor, Motion, carried
from .own_files import FILM_MARK
from .shapes import ARROW, ARROW_SHARE, COLORS, GHOST, INK, SUPPORT, longest_reaction, projection, room, shapes_of, support

Floats = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint8]


def film_write(motion: Motion, path: Path, *, dpi: int, azimuth: float, elevation: float) -> None:
    """Draws every frame into the file; its suffix says how."""
    pictures = _Stage(motion, azimuth, elevation).pictures(dpi)
    if path.suffix.lower() == ".gif":
        _gif_write(pictures, path, motion.fps)
    else:
        _mp4_write(pictures, path, motion.fps)


def gif_fps(fps: float) -> float:
    """The nearest rate that a GIF has: its frames last whole hundredths of a second, and browsers show none for less than two."""
    return 100.0 / max(2, round(100.0 / fps))


def films_check(suffix: str) -> None:
    """Raises what would keep a film from being written."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        raise ImportError("Matplotlib is needed for films: pip install matplotlib; a page, .html, does without") from None
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise UnsupportedError("a .mp4 is written by the program ffmpeg, which is not in PATH; .gif and .html do without")


def _gif_write(pictures: Iterator[Pixels], path: Path, fps: float) -> None:
    from PIL import Image

    images = [Image.fromarray(pixels).quantize(128, dither=Image.Dither.NONE) for pixels in pictures]
    images[0].save(path, save_all=True, append_images=images[1:], duration=round(1000.0 / fps), loop=0, comment=FILM_MARK.encode())


def _mp4_write(pictures: Iterator[Pixels], path: Path, fps: float) -> None:
    first = next(pictures)
    height, width = first.shape[:2]
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    # The sizes of what players take are even.
    command += ["-r", f"{fps:g}", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
    command += ["-metadata", f"comment={FILM_MARK}", f"file:{path}"]
    with tempfile.TemporaryFile() as told, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=told) as running:
        assert running.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            for pixels in itertools.chain([first], pictures):
                running.stdin.write(pixels.tobytes())
            running.stdin.close()
        code = running.wait()
        told.seek(0)
        text = told.read().decode(errors="replace").strip()
    if code != 0:
        raise FileError(f"{path}: ffmpeg ended with {code}: {text}")


class _Stage:
    """The figure, with limits that hold for the whole motion."""

    def __init__(self, motion: Motion, azimuth: float, elevation: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.motion = motion
        self.view = projection(motion, azimuth, elevation)
        self.size = motion.size
        paper = np.concatenate([(motion.places(own) @ self.view.T).reshape(-1, 2) for own in motion.actors])
        low, high = paper.min(axis=0), paper.max(axis=0)
        half = np.maximum((high - low) / 2.0 + room(motion) * self.size, 0.25 * self.size)
        width = 7.0
        self.figure = Figure(figsize=(width, float(np.clip(width * half[1] / half[0], 3.0, 9.0)) + 0.8), layout="constrained")
        self.canvas = FigureCanvasAgg(self.figure)
        self.axes = axes = self.figure.add_subplot()
        middle = (low + high) / 2.0
        axes.set(xlim=middle[0] + half[0] * np.array([-1, 1]), ylim=middle[1] + half[1] * np.array([-1, 1]), aspect="equal")
        axes.set_title(motion.title.replace("$", r"\$"), loc="left", color=INK, fontsize=11)
        if motion.is_spatial:
            axes.set_axis_off()
            self._show_directions(middle - 0.92 * half)
        else:
            axes.set(xlabel="x  [m]", ylabel="y  [m]")
            axes.grid(color="#e6eaed", lw=0.7)
            axes.set_axisbelow(True)
        self.caption = axes.text(0.01, 0.99, "", transform=axes.transAxes, va="top", color=INK, fontsize=9, zorder=9)
        first = [own for own in motion.actors if not own.is_ghost]
        several = len(first) > 1
        self.drawn = [
            _Drawn(self, own, COLORS[first.index(own) % len(COLORS)] if several and not own.is_ghost else None)
            for own in sorted(motion.actors, key=lambda own: not own.is_ghost)
        ]
        longest = longest_reaction(motion)
        if longest > 0.0:
            axes.set_title(f"longest arrow: {longest:.3g} N", loc="right", color=ARROW, fontsize=9)

    def _show_directions(self, corner: Floats) -> None:
        for unit, name in zip(np.eye(3), "xyz", strict=True):
            end = corner + 0.08 * self.size * (self.view @ unit)
            self.axes.plot(*np.stack([corner, end]).T, color=INK, lw=0.8)
            beyond = corner + 0.105 * self.size * (self.view @ unit)
            self.axes.text(*beyond, name, color=INK, fontsize=8, ha="center", va="center")

    def pictures(self, dpi: int) -> Iterator[Pixels]:
        """Every frame, [height, width, 3]. What stands still is drawn once."""
        self.figure.set_dpi(dpi)
        moving = sorted([self.caption, *(own for drawn in self.drawn for own in drawn.artists)], key=lambda own: own.get_zorder())
        for own in moving:
            own.set_animated(True)
        self.canvas.draw()
        still = self.canvas.copy_from_bbox(self.figure.bbox)
        for i_frame in range(len(self.motion.time)):
            self.canvas.restore_region(still)
            self._show(i_frame)
            for own in moving:
                self.axes.draw_artist(own)
            yield np.asarray(self.canvas.buffer_rgba())[..., :3].copy()

    def _show(self, i_frame: int) -> None:
        self.caption.set_text(self.motion.caption(float(self.motion.time[i_frame])).replace("$", r"\$"))
        for own in self.drawn:
            own.show(i_frame)


class _Drawn:
    """One instance on the stage. `color`: of all its bodies; None: each body has its own, or it is grey."""

    def __init__(self, stage: _Stage, actor: Actor, color: str | None) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        motion, axes = stage.motion, stage.axes
        self.motion, view = motion, stage.view
        # All frames at once: what a frame shows is then a row of these.
        self.ends = motion.joint_ends(actor) @ view.T
        self.middles = actor.poses[:, :, : view.shape[1]] @ view.T
        self.shapes = shapes_of(motion, actor, stage.size)
        self.lines = [carried(actor.poses[:, own.body], own.points) @ view.T for own in self.shapes]
        ghost = actor.is_ghost
        colors = [GHOST if ghost else color or COLORS[own.body % len(COLORS)] for own in self.shapes]
        z = 1 if ghost else 3
        edges = LineCollection([], colors=colors, linewidths=1.2 if ghost else 2.6, capstyle="round", zorder=z)
        filled = [shade for shade, own in zip(colors, self.shapes, strict=True) if own.is_filled]
        self.fill = axes.add_collection(PolyCollection([], facecolors=filled, alpha=0.12 if ghost else 0.25, zorder=z))
        self.edges = axes.add_collection(edges)
        shade = GHOST if ghost else INK
        self.rods = axes.add_collection(LineCollection([], colors=shade, linewidths=1.4, zorder=z))
        self.slides = axes.add_collection(LineCollection([], colors=shade, linewidths=0.9, linestyles=":", zorder=z))
        hatch = LineCollection([], colors=GHOST if ghost else COLORS[-1], linewidths=0.9, zorder=z - 0.5)
        self.supports = axes.add_collection(hatch)
        (self.pins,) = axes.plot([], [], "o", ms=3 if ghost else 5.5, mfc="white", mec=shade, zorder=z + 1)
        (self.sliders,) = axes.plot([], [], "s", ms=4 if ghost else 7, mfc="white", mec=shade, zorder=z + 0.9)
        (self.centres,) = axes.plot([], [], "+", ms=4, mec=shade, zorder=z + 1)
        self.lattice = support(SUPPORT * stage.size)
        self.artists: list[Any] = [
            self.fill,
            self.edges,
            self.rods,
            self.slides,
            self.supports,
            self.pins,
            self.sliders,
            self.centres,
        ]
        self.arrows: Any = None
        longest = longest_reaction(motion)
        if actor.reactions is not None and not ghost and longest > 0.0:
            self.loads = actor.reactions @ view.T * (ARROW_SHARE * stage.size / longest)
            zero = np.zeros(len(motion.joints))
            options = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.004, "minlength": 0}
            self.arrows = axes.quiver(zero, zero, zero, zero, color=ARROW, zorder=6, **options)
            self.artists.append(self.arrows)

    def show(self, i: int) -> None:
        joints, ends = self.motion.joints, self.ends[i]
        lines = [own[i] for own in self.lines]
        self.fill.set_verts([line for line, own in zip(lines, self.shapes, strict=True) if own.is_filled])
        closed = [np.concatenate([line, line[:1]]) if own.is_filled else line for line, own in zip(lines, self.shapes, strict=True)]
        self.edges.set_segments(closed)
        kinds = np.array([own.kind for own in joints], dtype=object)
        self.rods.set_segments(list(ends[kinds == "rod"]))
        self.slides.set_segments(list(ends[kinds == "slide"]))
        self.pins.set_data(*np.concatenate([ends[kinds == "pin", 1], ends[kinds == "rod"].reshape(-1, 2)]).T)
        self.sliders.set_data(*ends[kinds == "slide", 1].T)
        self.centres.set_data(*self.middles[i].T)
        held = [(j, own) for j, own in enumerate(joints) if own.kind != "none" and min(own.parent, own.child) < 0]
        grounds = [ends[j, 0 if own.parent < 0 else 1] for j, own in held]
        self.supports.set_segments([line + point for point in grounds for line in self.lattice])
        if self.arrows is not None:
            self.arrows.set_offsets(ends[:, 1])
            self.arrows.set_UVC(*self.loads[i].T)
