"""The Python API as pages: what `__all__` names, in the words of the docstrings."""

from __future__ import annotations

import importlib
import inspect
import typing

import docstrings
import signatures

PARTS = {
    "sarrus": ("reference/python.md", "The package `sarrus`", "[Sarrus from Python](../python.md) is the tour."),
    "sarrus.gym": ("reference/python_gym.md", "`sarrus.gym`", "[Closed loops to learn on](../learning.md) is the tour."),
}


def kind_of(value: object) -> str:
    if inspect.ismodule(value):
        return "module"
    if inspect.isclass(value):
        return "exceptions" if issubclass(value, Exception) else "classes"
    return "functions" if callable(value) else "data"


def entry(module: str, name: str, kind: str) -> str:
    """A directive of autodoc. Of a function with overloads autodoc would show these; here one signature says it."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isfunction(value) and typing.get_overloads(value):
        arguments, returned = signatures.as_written(value, "function")
        said = docstrings.as_rest(inspect.getdoc(value).splitlines())
        return "\n".join([f".. py:function:: {module}.{name}{arguments} -> {returned}", "", *(f"   {line}" for line in said)])
    return f".. auto{DIRECTIVES[kind]}:: {module}.{name}\n{OPTIONS[kind]}"


def page(module: str, title: str, tour: str) -> str:
    package = importlib.import_module(module)
    by_kind: dict[str, list[str]] = {}
    for name in package.__all__:
        if not name.startswith("__"):
            by_kind.setdefault(kind_of(getattr(package, name)), []).append(name)
    made = [f"# {title}\n\n{tour}\n"]
    for kind in DIRECTIVES:
        if kind in by_kind:
            own = "\n".join(entry(module, name, kind) for name in by_kind[kind])
            made.append(f"## {kind.capitalize()}\n\n```{{eval-rst}}\n{own}\n```\n")
    for name in by_kind.get("data", []):
        words = ", ".join(f"`{word}`" for word in getattr(package, name))
        made.append(f"```{{py:data}} {module}.{name}\n\n{words}\n```\n")
    return "\n".join(made)


DIRECTIVES = {"functions": "function", "classes": "class", "exceptions": "exception"}
OPTIONS = {
    "functions": "",
    "classes": "   :members:\n   :special-members: __getitem__, __len__\n",
    "exceptions": "   :show-inheritance:\n",
}


def pages() -> list[tuple[str, str]]:
    return [(place, page(module, title, tour)) for module, (place, title, tour) in PARTS.items()]
