"""Signatures of Python as they are written: types by the names that the source gives them."""

from __future__ import annotations

import inspect

from sphinx.util.inspect import stringify_signature


def as_written(documented: object, what: str) -> tuple[str, str | None] | None:
    """Arguments and what is returned of a "function", a "method" or a "class"; None: it has no signature."""
    try:
        read = inspect.signature(documented)
    except (TypeError, ValueError):
        return None
    if what == "method":  # without self
        read = read.replace(parameters=list(read.parameters.values())[1:])
    arguments = stringify_signature(read.replace(return_annotation=inspect.Signature.empty))
    returned = None if what == "class" or read.return_annotation is inspect.Signature.empty else str(read.return_annotation)
    # A default that a dataclass makes anew is no expression.
    return shortened(arguments).replace("<factory>", "..."), returned and shortened(returned)


def shortened(text: str) -> str:
    return text.replace("npt.", "").replace("np.", "")
