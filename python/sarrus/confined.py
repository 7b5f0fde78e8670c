"""Commands that read a result file do so in a process of their own: the HDF5 library can crash on a damaged file, or read it for
ever."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import FrameType

from .errors import Error, FileError

# Of a processor, for the reading: far more than any file takes, each MB of which holds 1 GB of numbers at most.
SECONDS, SECONDS_OF_MEGABYTE = 60.0, 15.0
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)
_is_confined = False


@contextlib.contextmanager
def limited(n_bytes: int) -> Iterator[None]:
    """Within a command: what takes longer than files of that size ever do ends the process."""
    if not _is_confined:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + SECONDS + SECONDS_OF_MEGABYTE * n_bytes / 1e6) + 1
    most = min([most, *(own for own in before if own != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_CPU, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def command_run(name: str, path: str, work: Callable[[], str]) -> int:
    """The exit code of a command whose `work` reads the file and returns what is to be said when all is well: 2 for bad usage or
    input, 3 for what cannot be read or written, which a damaged file is."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _child_run(name, path, work)
    ended, is_stopped = _waited_for(child)
    if ended >= 0:
        return ended
    if is_stopped or -ended in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        return 128 - ended
    if -ended == signal.SIGKILL:
        print(f"sarrus {name}: error: {path}: the process was killed, as systems do that lack memory", file=sys.stderr)
        return 128 - ended
    told = "the HDF5 library crashed on it" if -ended in _CRASHES else f"it ended with signal {-ended}"
    if -ended == signal.SIGXCPU:
        told = "or too slow to read: it took more time of the processor than any file of its size"
    print(f"sarrus {name}: error: {path}: the file is damaged, {told}", file=sys.stderr)
    return 3


def _waited_for(child: int) -> tuple[int, bool]:
    """The exit code of a child, or minus the signal that has ended it, and whether this process was to stop it. The child hears of
    signals from here; at the second Ctrl-C it is killed: the library may be where it looks at none."""
    n_heard = 0

    def tell(number: int, _frame: FrameType | None) -> None:
        nonlocal n_heard
        n_heard += 1
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number if n_heard == 1 else signal.SIGKILL)

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), n_heard > 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _child_run(name: str, path: str, work: Callable[[], str]) -> None:
    """Never returns. In a session of its own it hears of Ctrl-C once."""
    global _is_confined
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        _is_confined = True
        code = _work_do(name, path, work)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _work_do(name: str, path: str, work: Callable[[], str]) -> int:
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            line = work()
    except (Error, ImportError) as error:
        print(f"sarrus {name}: error: {error}", file=sys.stderr)
        return 3 if isinstance(error, FileError) else 2
    except MemoryError as error:
        print(f"sarrus {name}: error: {path}: the file is damaged, or too large for the memory: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    for warning in told:
        print(f"sarrus {name}: warning: {warning.message}", file=sys.stderr)
    print(line)
    return 0
