"""Collects the pages of the site into a folder that Sphinx reads: collect.py REPOSITORY FOLDER. Exit code 1 with broken links."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import c_headers
import python_pages
from links import PAGES_BESIDE_DOCS, BrokenLinkError, led, place_of

NOTEBOOKS = "python/notebooks"
LANGUAGES = {".c": "c", ".h": "c", ".cu": "cuda", ".py": "python", ".yaml": "yaml", ".cmake": "cmake", ".md": "markdown"}
ITEM = re.compile(r"^- \[[^\]]*\]\(([^()\s#]+\.(?:md|ipynb))\)", re.M)


class Collection:
    """The folder, and what the pages in it want to be there too."""

    def __init__(self, root: Path, out: Path) -> None:
        self.root, self.out = root, out
        self.wanted: set[str] = set()
        self.broken: list[str] = []

    def put(self, place: str, text: str) -> None:
        file = self.out / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def with_links(self, text: str, path: str) -> str:
        try:
            return led(text, path, self.root, self.wanted.add)
        except BrokenLinkError as error:
            self.broken.append(str(error))
            return text

    def pages(self) -> None:
        paths = [*PAGES_BESIDE_DOCS, *(str(p.relative_to(self.root)) for p in sorted((self.root / "docs").rglob("*.md")))]
        for path in paths:
            text = self.with_links((self.root / path).read_text(encoding="utf-8"), path)
            if path == "docs/index.md":
                text = with_navigation(text)
            if path == "docs/decisions/README.md":
                text += "\n```{toctree}\n:glob:\n:hidden:\n\n0*\n```\n"
            self.put(place_of(path), text)

    def notebooks(self) -> None:
        """Their text is a list of cells, of which those in Markdown have links."""
        for file in sorted((self.root / NOTEBOOKS).glob("*.ipynb")):
            path = str(file.relative_to(self.root))
            book = json.loads(file.read_text(encoding="utf-8"))
            for cell in book["cells"]:
                if cell["cell_type"] == "markdown":
                    cell["source"] = self.with_links("".join(cell["source"]), path)
            self.put(path, json.dumps(book))

    def sources(self) -> None:
        """Files that are linked and no pages: their text. Folders: a list of what is in them."""
        for path in sorted(self.wanted):
            place = place_of(path)
            if not place.startswith("source/"):
                if not (self.out / place).exists():
                    self.broken.append(f"{path}: is linked, and has no page")
                continue
            head = f"---\norphan: true\n---\n\n# {path}\n\n"
            if (self.root / path).is_dir():
                self.put(place, head + self.listing(path))
                continue
            text = (self.root / path).read_text(encoding="utf-8")
            fence = "`" * (max([2, *(len(run) for run in re.findall(r"`+", text))]) + 1)
            self.put(place, f"{head}{fence}{LANGUAGES.get(Path(path).suffix, 'text')}\n{text.rstrip()}\n{fence}\n")

    def listing(self, path: str) -> str:
        """Names with their first words: of a scenario why it is there."""
        rows = []
        for file in sorted((self.root / path).iterdir()):
            if file.is_file() and file.suffix in LANGUAGES:
                first = file.read_text(encoding="utf-8").splitlines()[:1]
                said = re.sub(r"^# why: ", "", first[0]) if first and first[0].startswith("# why: ") else ""
                rows.append(f"- `{file.name}` {escaped(said)}")
        return "\n".join(rows) + "\n"


def escaped(text: str) -> str:
    return re.sub(r"([*_\[\]<>|\\`])", r"\\\1", text)


def with_navigation(text: str) -> str:
    """The start page's lists are the site's navigation: each section a part of it. Sphinx refuses pages that are in none."""
    parts = re.split(r"^(## .*)$", text, flags=re.M)
    made = [parts[0]]
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        pages = "\n".join(re.sub(r"\.(md|ipynb)$", "", page) for page in ITEM.findall(body))
        made += [heading, body.rstrip(), "\n"]
        if pages:
            made.append(f"\n```{{toctree}}\n:hidden:\n:caption: {heading.removeprefix('## ')}\n\n{pages}\n```\n\n")
    return "".join(made)


def main(root: Path, out: Path) -> int:
    out.mkdir(parents=True)
    collection = Collection(root, out)
    collection.pages()
    collection.notebooks()
    for place, text in c_headers.pages(root / "include" / "sarrus") + python_pages.pages():
        collection.put(place, text)
    shutil.copytree(root / "docs" / "images", out / "images")
    # Notebooks read scenarios.
    shutil.copytree(root / "scenarios", out / "scenarios")
    collection.sources()
    for line in collection.broken:
        print(line, file=sys.stderr)
    return 1 if collection.broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    except (c_headers.HeaderError, subprocess.CalledProcessError) as error:
        sys.exit(f"build_site: {error}")
