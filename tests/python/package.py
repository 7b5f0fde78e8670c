"""The package `sarrus` under test: of the build, by PYTHONPATH, or an installed one. Without it: skipped (exit code 77)."""

import signal
import sys
import traceback

try:
    import sarrus
except ModuleNotFoundError as error:
    if error.name not in ("sarrus", "numpy", "h5py"):
        raise
    print(f"skipped: {error}")
    sys.exit(77)

__all__ = ["raises", "run_all", "sarrus"]


def run_all(names):
    """Runs the functions of a module whose names begin with test_; the exit code of the program."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell has its background programs ignore, and their children
    tests = [value for name, value in list(names.items()) if name.startswith("test_") and callable(value)]
    n_failed = 0
    for test in tests:
        try:
            test()
        except Exception:
            n_failed += 1
            print(f"FAILED {test.__name__}", file=sys.stderr)
            traceback.print_exc()
    print(f"{len(tests)} tests, {n_failed} failed")
    return 1 if n_failed else 0


def raises(kind, call, *words):
    """The exception of that kind which the call raises, with all these words in its text."""
    try:
        call()
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in {error}"
        return error
    raise AssertionError(f"nothing was raised; expected {kind}")
