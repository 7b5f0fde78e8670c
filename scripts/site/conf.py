"""Sphinx's settings for the documentation site. scripts/build_site collects the pages and starts it."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import docstrings  # noqa: E402
import formulas  # noqa: E402
import signatures  # noqa: E402

VERSION = re.search(r'SARRUS_VERSION "([^"]+)"', (HERE.parents[1] / "include/sarrus/version.h").read_text(encoding="utf-8"))

project = "Sarrus"
author = "the authors of Sarrus"
release = version = VERSION[1]
html_title = f"Sarrus {release}"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_copyright = False
root_doc = "index"
extensions = ["myst_nb", "sphinx.ext.autodoc", "formulas"]
exclude_patterns = ["scenarios"]

# Anchors as GitHub makes them; ```math as GitHub reads it.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_fence_as_directive = ["math"]
# Tables that name no language, as blocks of a terminal, stay as they are.
highlight_language = "none"

nb_execution_mode = "force"
# A cell that raises is a warning with its traceback, and -W makes it an error; an exception would end the build without it.
nb_execution_raise_on_error = False
nb_execution_timeout = 120
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
c_maximum_signature_line_length = 100
default_role = "code"
html_math_renderer = formulas.NAME


def docstring_read(_app, _what, _name, _object, _options, lines):
    lines[:] = docstrings.as_rest(lines)


def signature_read(_app, what, _name, documented, _options, _signature, _returned):
    if what not in ("function", "method", "class"):
        return None
    return signatures.as_written(documented, what)


def setup(app):
    app.connect("autodoc-process-docstring", docstring_read)
    app.connect("autodoc-process-signature", signature_read)
