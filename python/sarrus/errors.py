"""What goes wrong, as exceptions that say where: every one is a `sarrus.Error`."""

from __future__ import annotations

import atexit
import warnings
from dataclasses import dataclass

from . import _core


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a scenario or a file.

    `line` and `column` count from 1 and are 0 when unknown; `source_line` is the line that it is about.
    """

    severity: str
    file: str | None
    line: int
    column: int
    message: str
    source_line: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if place and self.line > 0:
            place += f":{self.line}:{self.column}" if self.column > 0 else f":{self.line}"
        return f"{place}: {self.message}" if place else self.message


class Error(Exception):
    """Base of all of them. `diagnostics` holds every finding of the call."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class ScenarioError(Error, ValueError):
    """A scenario that cannot be used. `file`, `line` and `column` are those of the first error (None, 0, 0: unknown)."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message, diagnostics)
        first = next((own for own in diagnostics if own.severity == "error"), None)
        self.file = first.file if first else None
        self.line = first.line if first else 0
        self.column = first.column if first else 0


class ArgumentError(Error, ValueError):
    """An argument of a call that is not allowed."""


class UnsupportedError(Error, NotImplementedError):
    """Something that this version, or this backend, does not do."""


class BackendError(Error, RuntimeError):
    """The backend that was asked for is not usable here, or its device has failed."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class InterruptedError(Error, RuntimeError):
    """A call was stopped, or its batch was in an earlier call: `Batch.reset` makes that usable again."""


class BusyError(Error, RuntimeError):
    """A batch or a model is in use by another thread."""


class SarrusWarning(UserWarning):
    """What is allowed, but may not be meant."""


# Threads that are in a call then do not come back.
atexit.register(_core.threads_park)

_CLASSES = {
    "BAD_ARGUMENT": ArgumentError,
    "BAD_INPUT": ScenarioError,
    "IO": FileError,
    "NO_BACKEND": BackendError,
    "UNSUPPORTED": UnsupportedError,
    "INTERRUPTED": InterruptedError,
    "SINK_FAILED": FileError,
    "DEVICE_FAILED": BackendError,
}
_NAMES = {value: name for name, value in _core.call_statuses().items()}
_SEVERITIES = ("error", "warning", "note")

_Rows = list[tuple[int, str | None, int, int, str, str | None]]


def _diagnostics_make(rows: _Rows) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(_SEVERITIES[severity], *rest) for severity, *rest in rows)


def exception_make(status: int, message: str, rows: _Rows) -> Exception:
    """The exception for a status of the library; called by the extension module."""
    name = _NAMES.get(status, "FAILED")
    diagnostics = _diagnostics_make(rows)
    texts = [str(own) for own in diagnostics if own.severity != "warning"]
    text = "\n".join(texts) if texts else message
    if name == "NO_MEMORY":
        return MemoryError(text)
    return _CLASSES.get(name, Error)(text, diagnostics)


def warnings_tell(rows: _Rows) -> None:
    """Warnings of a call that went well; called by the extension module."""
    for own in _diagnostics_make(rows):
        warnings.warn(str(own), SarrusWarning, stacklevel=3)
