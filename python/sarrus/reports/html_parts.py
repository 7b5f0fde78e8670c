"""Parts of the page. Texts that are given as `inner` are HTML; titles and names are escaped here."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .charts import escaped


def data(value: float, text: str) -> str:
    """A number as it is read, and all of its digits for programs and for the pointer."""
    if isinstance(value, float) and not math.isfinite(value):
        return escaped(text)
    return f'<data value="{value!r}" title="{value!r}">{escaped(text)}</data>'


def section(title: str, inner: str, name: str) -> str:
    return f'<section id="{escaped(name)}"><h2>{escaped(title)}</h2>{inner}</section>' if inner else ""


def card(title: str, inner: str, kind: str = "", subtitle: str = "") -> str:
    under = f'<p class="under">{subtitle}</p>' if subtitle else ""
    return f'<article class="card {kind}"><h3>{escaped(title)}</h3>{under}{inner}</article>'


def figure(picture: str, caption: str = "") -> str:
    told = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{picture}{told}</figure>" if picture else ""


def note(inner: str) -> str:
    return f'<p class="note">{inner}</p>'


def facts(rows: Sequence[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<div><dt>{escaped(name)}</dt><dd>{inner}</dd></div>' for name, inner in rows)}</dl>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, kinds: str, name: str) -> str:
    """`kinds`: a letter a column, w words to the left, n numbers to the right."""
    of = {"w": "", "n": ' class="number"'}
    top = "".join(f"<th{of[kind]}>{escaped(text)}</th>" for text, kind in zip(head, kinds, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{of[kind]}>{inner}</td>' for inner, kind in zip(row, kinds, strict=True))}</tr>" for row in rows
    )
    return f'<div class="scroll"><table class="{name}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def folded(title: str, inner: str) -> str:
    return f"<details><summary>{escaped(title)}</summary>{inner}</details>"
