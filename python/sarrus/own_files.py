"""Pages and films that the package writes, told from the files of others."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import ArgumentError, FileError

MARK = '<meta name="generator" content="Sarrus">'  # of player.html and reports/report.html
FILM_MARK = "a motion drawn by Sarrus"  # the comment of a film
# What a file begins with, from which byte on, and its mark.
_FILMS = {".gif": (b"GIF8", 0, "a GIF"), ".mp4": (b"ftyp", 4, "a film")}
N_LOOK = 4096  # bytes at the beginning of a file, and at the end of a film, among which the mark stands


def name_check(path: Path) -> None:
    """Refuses the name of a file that is there and that the package has not written. An empty one is nobody's loss."""
    if not path.exists():
        return
    if not path.is_file():
        raise ArgumentError(f"{path} is no file; expected a name that is free")
    try:
        with path.open("rb") as file:
            head = file.read(N_LOOK)
            file.seek(max(len(head), os.fstat(file.fileno()).st_size - N_LOOK))
            tail = file.read(N_LOOK)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    if path.suffix.lower() in _FILMS:
        magic, at, what = _FILMS[path.suffix.lower()]
        # ffmpeg writes what it tells of a film at its end, behind the pictures.
        is_own = head[at:].startswith(magic) and any(FILM_MARK.encode() in part for part in (head, tail))
    else:
        is_own, what = MARK.encode() in head, "a page"
    if head and not is_own:
        no = what.replace("a ", "no ", 1)
        raise ArgumentError(f"{path} is {no} that Sarrus has written, and would be replaced; expected a name that is free")


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Gives the place of a new file, which takes the name when it is complete: what stood there before stays until then. It is in a
    folder of its own, so that no file of another is in its way."""
    name_check(path)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.stem[:100]}.partial-", dir=path.parent) as folder:
            partial = Path(folder) / path.name
            yield partial
            name_check(path)
            partial.replace(path)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error


def page_write(path: Path, text: str) -> None:
    """Writes a page of the package."""
    with replaced(path) as partial:
        partial.write_text(text, encoding="utf-8")
