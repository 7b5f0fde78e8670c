"""The program under test, for the tests of this folder that need no more of it than a place."""

import os
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def place():
    """SARRUS_PROGRAM, or the release's; None, after saying so, where there is none."""
    program = os.environ.get("SARRUS_PROGRAM", str(SOURCE / "build" / "release" / "sarrus"))
    if os.access(program, os.X_OK):
        return program
    print(f"skipped: there is no program {program}")
    return None
