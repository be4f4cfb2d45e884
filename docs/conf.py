"""Configuration of Sphinx. `make site` builds the site from what scripts/site stages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer

ROOT = Path(__file__).resolve().parent.parent
_CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))

project = "airtcp"
author = "airtcp contributors"
project_copyright = author
version = release = _CARGO["workspace"]["package"]["version"]
html_title = f"airtcp {version}"

root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# The anchors of headings are those of Git viewers, so that a link works in both.
myst_heading_anchors = 4
highlight_language = "none"
# An option in prose keeps its two hyphens.
smartquotes = False

# A docstring has annotations in its signature, and code between single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
python_maximum_signature_line_length = 72
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["airtcp.css"]
# versions.js is one folder above this version, where every version of the site reads it.
html_js_files = ["version-switch.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/version.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0063a8", "color-brand-content": "#0063a8"},
    "dark_css_variables": {"color-brand-primary": "#62b6f5", "color-brand-content": "#62b6f5"},
}


def _dashes(_app: Any, doctree: Any, _name: str) -> None:
    """Write the dash between a parameter and its meaning, which Sphinx leaves to smart quotes."""
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" \N{EN DASH} "))


def setup(app: Any) -> None:
    """Add the lexer of packet scripts, which are shown without colours, and the dashes."""
    app.add_lexer("tcp", TextLexer)
    app.connect("doctree-resolved", _dashes)
