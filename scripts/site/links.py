"""Links of Markdown pages: found, held against the tree, and led to where their targets stand in the site."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable
from pathlib import Path

# A fence, a span of code, or the target of a link: what is within code is none.
TOKEN = re.compile(r"^(`{3,}).*?^\1`*[ \t]*$|(`+)(?!`).*?(?<!`)\2(?!`)|(?<=\]\()([^()\s]+)(?=\))", re.M | re.S)
PAGES_BESIDE_DOCS = {"README.md": "overview.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
# Folders that have pages of their own.
GENERATED = {
    "include/sarrus": "reference/c.md",
    "include/sarrus/sarrus.h": "reference/c.md",
    "python/sarrus": "reference/python.md",
    "python/sarrus/gym": "reference/python_gym.md",
}


class BrokenLinkError(Exception):
    """What a person is to read: FILE:LINE, and the target that is not there."""


def place_of(path: str) -> str:
    """Where a file or a folder of the repository stands in the site; a file that is no page has one that shows its text."""
    if path in PAGES_BESIDE_DOCS:
        return PAGES_BESIDE_DOCS[path]
    if path in GENERATED:
        return GENERATED[path]
    if path.startswith("include/sarrus/") and path.endswith(".h"):
        return f"reference/c/{Path(path).stem}.md"
    if path.startswith("docs/") and not path.endswith(".1"):
        return path.removeprefix("docs/")
    if path.endswith(".ipynb"):
        return path
    return f"source/{path}.md"


def led(text: str, path: str, root: Path, wanted: Callable[[str], None]) -> str:
    """The page `path` with its links led to the site; `wanted` is told of what they name. Raises `BrokenLinkError`."""
    folder, here = posixpath.dirname(path), posixpath.dirname(place_of(path))
    broken = []

    def replaced(token: re.Match[str]) -> str:
        target = token[3]
        if target is None or re.match(r"[a-z]+:|#", target):
            return token[0]
        name, mark, anchor = target.partition("#")
        to = posixpath.normpath(posixpath.join(folder, name))
        if to.startswith("..") or not (root / to).exists():
            line = text.count("\n", 0, token.start()) + 1
            broken.append(f"{path}:{line}: broken link: there is no {to}, which '{target}' names")
            return token[0]
        wanted(to)
        return os.path.relpath(place_of(to), here or ".") + mark + anchor

    made = TOKEN.sub(replaced, text)
    if broken:
        raise BrokenLinkError("\n".join(broken))
    return made
