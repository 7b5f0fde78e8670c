"""Words for the choices of a call, and where compiled kernels are kept: the environment says that, and where libraries may be, as
for the program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core
from .errors import ArgumentError

BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}
SPECIALIZE = {"off": 0, "auto": 1, "on": 2}


def value_of(kind: str, words: Mapping[str, int], word: str) -> int:
    """The number of a word; `ArgumentError` lists what was expected."""
    if not isinstance(word, str) or word not in words:
        raise ArgumentError(f"{kind}={word!r}; expected one of {', '.join(map(repr, words))}")
    return words[word]


def count_check(name: str, value: int, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number from `least` to `most`; True and False are none."""
    if isinstance(value, bool):
        raise ArgumentError(f"{name}={value!r}; expected a whole number")
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise ArgumentError(f"{name}={value!r}; expected a whole number") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name}={value!r}; expected a whole number from {least} to {most}")
    return number


def seed_check(seed: int) -> int:
    """A seed of the draws."""
    return count_check("seed", seed, 0, 2**64 - 1)


def text_check(name: str, text: str) -> str:
    """A text that the library can take: UTF-8 without a 0 in it."""
    try:
        if "\0" not in text and text.encode():
            return text
    except UnicodeEncodeError:
        pass
    raise ArgumentError(f"{name}: {text!r} is no text of UTF-8 without a zero")


def names_of(channels: Iterable[str] | str) -> list[str]:
    """One name or several, of observables."""
    names = [channels] if isinstance(channels, str) or not isinstance(channels, Iterable) else list(channels)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"observables are asked for by their names; got {name!r}")
    return names


def _places() -> tuple[str | None, str, str | None]:
    """The cache of kernels, the compiler, and where NVIDIA's libraries may be, as for the program; and among the packages of this
    Python."""
    cache, compiler, prefixes = _core.kernel_places()
    own = [sys.prefix] if sys.prefix.startswith("/") and ":" not in sys.prefix else []
    named = prefixes.split(":") if prefixes else []
    return cache, compiler, ":".join(dict.fromkeys(named + own)) or None


def threads_check(threads: int | None) -> int:
    """Threads as the library counts them, 0: all processors."""
    return 0 if threads is None else count_check("threads", threads, 1, 4096)


def batch_options(backend: str, threads: int | None, specialize: str) -> dict[str, Any]:
    """What the extension module reads as sarrus_batch_options."""
    cache, compiler, cuda_prefixes = _places()
    return {
        "backend": value_of("backend", BACKENDS, backend),
        "threads": threads_check(threads),
        "isa": os.environ.get("SARRUS_FORCE_ISA"),
        "specialize": value_of("specialize", SPECIALIZE, specialize),
        "cache_dir": cache,
        "compiler": compiler,
        "cuda_prefixes": cuda_prefixes,
    }
