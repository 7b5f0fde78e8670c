"""scripts/build_site refuses what a reader would trip over: each fault is planted alone into a small repository that builds without
it. Exit code 77 (skipped) without the package or without what builds the site (scripts/install_dependencies --site)."""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from package import raises, run_all, sarrus
from program import SOURCE

sys.path.insert(0, str(SOURCE / "scripts" / "site"))

# Lists under a heading are the navigation.
START = """# Start

See [a part](page.md#a-part), [a header](../include/sarrus/version.h), [a file](../src/a.c) and `[no](link.md)`.

```
[no](link.md)
```

## All

- [A page](page.md)
- [A notebook](../python/notebooks/book.ipynb)
- [Overview](../README.md)
- [C](../include/sarrus)
- [Python](../python/sarrus)
- [gym](../python/sarrus/gym)
- [Changes](../CHANGELOG.md)
- [House rules](../CONTRIBUTING.md)
"""

SPOKEN_OF = ("api", "change_points", "cuda", "learning", "python", "reliability", "replay", "scenario")
START += "".join(f"- [{name}]({name}.md)\n" for name in SPOKEN_OF)


def book(code):
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# A notebook\n", "\n", "[back](../../docs/page.md)"]},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": [code], "execution_count": None, "outputs": []},
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


class Small:
    """A small repository."""

    def __init__(self, folder):
        self.root = Path(folder) / "repository"
        self.put("docs/index.md", START)
        # Pages that headers and generated pages speak of.
        for name in SPOKEN_OF:
            self.put(f"docs/{name}.md", f"# {name}\n")
        self.put("docs/page.md", "# A page\n\n## A part\n\n```math\na^2\n```\n")
        for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
            self.put(name, f"# {name}\n")
        self.put("src/a.c", "int a;\n")
        self.put("python/notebooks/book.ipynb", book("import sarrus\nprint(6 * 7)"))
        for name in ("docs/images", "scenarios", "python/sarrus/gym"):
            (self.root / name).mkdir(parents=True)
        shutil.copytree(SOURCE / "include", self.root / "include")
        self.out = Path(folder) / "site"

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def build(self):
        """Exit code, and what was said."""
        command = [str(SOURCE / "scripts" / "build_site"), str(self.out), "--source", str(self.root)]
        # Kernels work in the notebook's folder, and find the package all the same where its place is relative.
        place = os.path.relpath(Path(sarrus.__file__).parents[1])
        env = os.environ | {"PYTHON": sys.executable, "PYTHONPATH": place}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=250, env=env)
        return done.returncode, done.stdout + done.stderr


def small(test):
    @functools.wraps(test)
    def run():
        with tempfile.TemporaryDirectory() as folder:
            test(Small(folder))

    return run


def refused(repository, *words):
    code, said = repository.build()
    assert code != 0, f"the site was built in spite of the fault\n{said}"
    for word in words:
        assert word in said, f"{word!r} is not in\n{said}"


@small
def test_without_a_fault(repository):
    code, said = repository.build()
    assert code == 0, said
    page = (repository.out / "page.html").read_text(encoding="utf-8")
    assert "<math" in page and "<msup>" in page
    assert "42" in (repository.out / "python/notebooks/book.html").read_text(encoding="utf-8")
    assert 'href="page.html#a-part"' in (repository.out / "index.html").read_text(encoding="utf-8")
    assert "int" in (repository.out / "source/src/a.c.html").read_text(encoding="utf-8")
    assert 'id="sarrus.Batch.advance"' in (repository.out / "reference/python.html").read_text(encoding="utf-8")
    # What else is in a folder is not overwritten.
    (repository.out / ".sarrus_site").unlink()
    assert repository.build()[0] == 2


@small
def test_broken_link(repository):
    repository.put("docs/page.md", "# A page\n\n## A part\n\n[gone](nowhere.md)\n")
    refused(repository, "docs/page.md:5: broken link: there is no docs/nowhere.md")


@small
def test_broken_link_of_a_notebook(repository):
    text = (repository.root / "python/notebooks/book.ipynb").read_text(encoding="utf-8")
    repository.put("python/notebooks/book.ipynb", text.replace("docs/page.md", "docs/nowhere.md"))
    refused(repository, "python/notebooks/book.ipynb", "broken link: there is no docs/nowhere.md")


@small
def test_broken_anchor(repository):
    repository.put("docs/index.md", START.replace("#a-part", "#no-part"))
    refused(repository, "index.md", "no-part")


@small
def test_page_that_nothing_leads_to(repository):
    repository.put("docs/lost.md", "# Lost\n")
    refused(repository, "lost.md")


@small
def test_cell_that_raises(repository):
    repository.put("python/notebooks/book.ipynb", book("assert 6 * 7 == 41, 'not so'"))
    refused(repository, "book", "not so")


@small
def test_header_that_is_not_understood(repository):
    header = "/* Odd. */\n#define SARRUS_VERSION_H\ntypedef union odd {\n    int a;\n} odd;\n#endif\n"
    repository.put("include/sarrus/version.h", header)
    refused(repository, "no declaration that this script knows", "union odd")


def test_notebooks_are_kept_without_outputs():
    paths = sorted((SOURCE / "python" / "notebooks").glob("*.ipynb"))
    assert len(paths) == 5
    for path in paths:
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells), path.name
        assert any("assert" in "".join(cell["source"]) for cell in cells), path.name


def test_every_function_is_on_a_page():
    import c_headers

    folder = SOURCE / "include" / "sarrus"
    made = dict(c_headers.pages(folder))
    for header in folder.glob("*.h"):
        code = re.sub(r"/\*.*?\*/|^#.*?[^\\]$", "", header.read_text(encoding="utf-8"), flags=re.S | re.M)
        names = [re.search(r"\b(sarrus_\w+)\([^()]*\)\s*$", own) for own in re.split(r"[;{}]", code) if "typedef" not in own]
        page = made.get(f"reference/c/{header.stem}.md", "")
        for name in (found[1] for found in names if found):
            assert re.search(rf"^::::{{c:function}} .*\b{name}\(", page, re.M), f"{header.name}: {name} is not on its page"
    assert sum(page.count("::::{c:function}") for page in made.values()) > 90
    raises(c_headers.HeaderError, lambda: c_headers.items("int without_an_end("), "without an end")


if __name__ == "__main__":
    missing = [name for name in ("sphinx", "myst_nb", "furo", "latex2mathml") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: there is no {', '.join(missing)}")
        sys.exit(77)
    sys.exit(run_all(globals()))
