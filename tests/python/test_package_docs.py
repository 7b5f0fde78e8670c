"""Runs the Python examples of docs/python.md, in their order, as one program. Exit code 77 (skipped) without the package."""

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from package import run_all
from program import SOURCE

PAGE = SOURCE / "docs" / "python.md"


def test_examples():
    text = PAGE.read_text(encoding="utf-8")
    blocks = [(text[: found.start(1)].count("\n"), found[1]) for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]
    assert len(blocks) > 5
    scope = {"__name__": "examples"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for line, block in blocks:
                # Errors name the line of the page.
                code = compile("\n" * line + block, str(PAGE), "exec")
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, scope)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    sys.exit(run_all(globals()))
