"""Words for the choices of a call, and where compiled kernels are kept: the environment says that, as for the program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import ArgumentError

BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}
SPECIALIZE = {"off": 0, "auto": 1, "on": 2}


def value_of(kind: str, words: Mapping[str, int], word: str) -> int:
    """The number of a word; `ArgumentError` lists what was expected."""
    if word not in words:
        raise ArgumentError(f"{kind}={word!r}; expected one of {', '.join(map(repr, words))}")
    return words[word]


def count_check(name: str, value: int, least: int = 0) -> int:
    """A whole number from `least` on."""
    try:
        number = value.__index__()
    except AttributeError:
        raise ArgumentError(f"{name}={value!r}; expected a whole number") from None
    if number < least or number >= 2**63:
        raise ArgumentError(f"{name}={value!r}; expected a whole number from {least} on")
    return number


def _cache_folder() -> str | None:
    own = os.environ.get("SARRUS_CACHE_DIR")
    if own:
        return own
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    if xdg.startswith("/"):
        return f"{xdg}/sarrus"
    home = os.environ.get("HOME")
    return str(Path(home) / ".cache/sarrus") if home else None


def _compiler() -> str:
    name = os.environ.get("SARRUS_CC") or "cc"
    return name if "/" in name else shutil.which(name) or name


def batch_options(backend: str, threads: int | None, specialize: str) -> dict[str, Any]:
    """What the extension module reads as sarrus_batch_options."""
    n_threads = 0 if threads is None else count_check("threads", threads, 1)
    if n_threads > 4096:
        raise ArgumentError(f"threads={threads!r}; expected at most 4096")
    return {
        "backend": value_of("backend", BACKENDS, backend),
        "threads": n_threads,
        "isa": os.environ.get("SARRUS_FORCE_ISA"),
        "specialize": value_of("specialize", SPECIALIZE, specialize),
        "cache_dir": _cache_folder(),
        "compiler": _compiler(),
    }
