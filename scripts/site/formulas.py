"""Formulas as MathML, which browsers set themselves: the site needs no network and no script for them."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert

NAME = "mathml"


def inline_visit(writer, node):
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block_visit(writer, node):
    writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer(NAME, (inline_visit, None), (block_visit, None))
    return {"parallel_read_safe": True}
