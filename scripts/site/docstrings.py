"""Docstrings as reStructuredText: they are written to be read in a terminal, with `code`, lists of arguments and small tables."""

from __future__ import annotations

import re

ARGUMENTS = re.compile(r"^(\w+(?:, \w+)*): (.*)$")
CODE = re.compile(r"(`[^`]+`)")


def as_rest(lines: list[str]) -> list[str]:
    """The lines of a docstring, its indentation removed."""
    blocks, current = [], []
    for line in [*lines, ""]:
        if line.strip():
            current.append(line)
        elif current:
            blocks.append(current)
            current = []
    made: list[str] = []
    for block in blocks:
        made += [*block_made(block), ""]
    return made


def block_made(block: list[str]) -> list[str]:
    if all(line.startswith("    ") for line in block):
        return ["::", "", *block]
    if any(re.search(r"\S {3,}\S", line) for line in block):
        return ["::", "", *(f"    {line}" for line in block)]
    if ARGUMENTS.match(block[0]):
        return arguments_made(block)
    return [marked(line) for line in block]


def arguments_made(block: list[str]) -> list[str]:
    """One item for each line that begins one; lines that are indented go on with it."""
    made: list[str] = []
    for line in block:
        found = ARGUMENTS.match(line)
        if found:
            names = ", ".join(f"``{name}``" for name in found[1].split(", "))
            made.append(f"- {names}: {marked(found[2])}")
        else:
            made.append(f"  {marked(line.strip())}")
    return made


def marked(text: str) -> str:
    """Spans of code in the marks of reStructuredText; whatever else it has a meaning for is text."""
    parts = CODE.split(text)
    return "".join(f"``{part[1:-1]}``" if i % 2 else re.sub(r"([*|\\]|_\b)", r"\\\1", part) for i, part in enumerate(parts))
