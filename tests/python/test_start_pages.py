"""Runs the first pages (docs/start/*.md) and the one of a whole study, each as its reader would: blocks of sh and of Python in
their order, in a folder that has the repository's scenarios and scripts. A block of another language whose first line is the
comment of a file's name is that file. Exit code 77 (skipped) without the package or without what the pages call."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import program
from package import run_all
from program import SOURCE

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^(?:#|/\*) (\w[\w.]*\.\w+)(?: \*/)?\n")


class Reader:
    """Someone who types what a page shows."""

    def __init__(self, page, folder, sarrus):
        self.page, self.folder = page, folder
        for name in ("scenarios", "python"):
            (folder / name).symlink_to(SOURCE / name)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(Path(sarrus).resolve().parent)
        (folder / "bin").mkdir()
        (folder / "bin" / "sarrus").symlink_to(Path(sarrus).resolve())
        # python3 is the interpreter that runs this.
        path = [str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        self.env = os.environ | {"PATH": ":".join(path), "MPLBACKEND": "Agg"}

    def run(self, command, text, line):
        done = subprocess.run(command, input=text, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, f"{self.page}, block in line {line}: {done.returncode}\n{done.stdout}{done.stderr}"

    def read(self):
        """How many blocks of each language there were. All Python of a page is one program, run as far as it has been read."""
        text = self.page.read_text(encoding="utf-8")
        counts, python = {}, ""
        for block in BLOCK.finditer(text):
            language, body = block.groups()
            line = text.count("\n", 0, block.start()) + 2
            counts[language] = counts.get(language, 0) + 1
            if language == "sh":
                self.run(["bash", "-eu"], body, line)
            elif language == "python":
                python += body
                self.run([sys.executable, "-"], python, line)
            else:
                named = FILE.match(body)
                assert named, f"{self.page}: a block of {language} in line {line} that is no file"
                (self.folder / named[1]).write_text(body, encoding="utf-8")
        return counts


def read(name):
    with tempfile.TemporaryDirectory() as folder:
        return Reader(SOURCE / "docs" / f"{name}.md", Path(folder), program.place()).read()


def test_uncertainty():
    assert read("start/uncertainty") == {"yaml": 1, "sh": 2, "python": 2}


def test_monte_carlo():
    assert read("monte_carlo") == {"yaml": 2, "sh": 5, "python": 3}


def test_learning():
    assert read("start/learning")["python"] == 3


def test_pseudoinverses():
    assert read("start/pseudoinverses") == {"python": 3, "sh": 3}


def test_c():
    assert read("start/c") == {"sh": 3, "c": 1, "cmake": 1}


def test_all_are_read():
    names = {path.stem for path in (SOURCE / "docs" / "start").glob("*.md")}
    assert {f"test_{name}" for name in names} <= globals().keys()


if __name__ == "__main__":
    missing = [name for name in ("bash", "cmake", "cc", "pkg-config") if not shutil.which(name)]
    if missing or program.place() is None:
        print(f"skipped: there is no {', '.join(missing) or 'program'}")
        sys.exit(77)
    sys.exit(run_all(globals()))
