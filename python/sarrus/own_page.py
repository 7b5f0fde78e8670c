"""Pages that the package writes, told from those of others."""

from __future__ import annotations

from pathlib import Path

from .errors import ArgumentError, FileError

MARK = '<meta name="generator" content="Sarrus">'  # of player.html and reports/report.html
N_HEAD = 1000  # bytes among which it stands


def page_check(path: Path) -> None:
    """Refuses the name of a file that is there and is no page of the package."""
    if not path.exists():
        return
    if not path.is_file():
        raise ArgumentError(f"{path} is no file; expected a name that is free")
    try:
        with path.open("rb") as file:
            head = file.read(N_HEAD)
            is_foreign = len(head) > 0 and MARK.encode() not in head
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    if is_foreign:
        raise ArgumentError(f"{path} is no page that Sarrus has written, and would be replaced; expected a name that is free")


def page_write(path: Path, text: str) -> None:
    """Writes a page of the package. What stood there before stays until the new one is complete."""
    partial = path.with_name(f"{path.stem}.partial{path.suffix}")
    page_check(path)
    page_check(partial)
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)
