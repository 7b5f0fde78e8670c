"""Runs the Python examples of docs/python.md, in their order, as one program, and holds what pages list against the program.
Exit code 77 (skipped) without the package."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from package import run_all, sarrus
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


def told(*words):
    done = subprocess.run([str(sarrus.models.program_path()), *words], capture_output=True, text=True, check=True)
    return done.stdout


def section(page, start, end):
    found = re.search(f"{start}(.*?){end}", (SOURCE / page).read_text(encoding="utf-8"), re.M | re.S)
    return set(re.findall(r"[a-z][a-z0-9-]+", found[1]))


def test_lists():
    """Topics and commands are those of the program; the words of samplings are its own."""
    topics = set(re.search(r"TOPIC is one of\n +(.*)", told("list", "--help"))[1].split(", "))
    assert len(topics) > 10
    for listed in (
        section("docs/command_line.md", "^## sarrus list$", "^## "),
        section("docs/sarrus.1", "^.It Cm list Ar TOPIC$", "^.It "),
    ):
        assert topics <= listed, topics - listed
    commands = set(re.findall(r"^  ([a-z]+) ", told("--help"), re.M))
    assert {"run", "report"} < commands <= section("README.md", r"^\| Interfaces \|", "$")
    samplings = {line.split()[0] for line in told("list", "samplings").splitlines()}
    named = re.findall(r"`sampling: ([a-z_]+)` or `([a-z_]+)`", (SOURCE / "docs/result_file.md").read_text(encoding="utf-8"))
    assert named and set(named[0]) <= samplings, named


if __name__ == "__main__":
    sys.exit(run_all(globals()))
