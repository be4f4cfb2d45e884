"""Makes a page from the document, the templates and the chart library."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from airtcp.charts import theme
from airtcp.data.plain import printable, printable_values
from airtcp.pages import first_screen

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHEME: Final = """
{
  const root = document.documentElement;
  try {
    const kept = localStorage.getItem("airtcp-scheme");
    if (kept === "dark" || kept === "light") root.dataset.chosen = kept;
  } catch { /* no storage here */ }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.scheme = root.dataset.chosen ?? (dark ? "dark" : "light");
}
"""


@cache
def library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed, as `scripts/vega` bundled them."""
    kept = resources.files("airtcp.pages").joinpath("vega", "vega.min.js.gz")
    bundle = gzip.decompress(kept.read_bytes()).decode()
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _text(name: str) -> str:
    return resources.files("airtcp.pages").joinpath("templates", name).read_text("utf-8")


def _hash(script: str) -> str:
    """Return the source expression of a script (Content Security Policy Level 3, section 2.3.1)."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _embedded(value: Any) -> str:
    """Encode for a script element, where `<` could end it early."""
    value = printable_values(value)
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _shown(value: Any) -> Any:
    """Escape invisible characters in the texts of a result; trusted text is our own."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return printable(value, "\n\t") if plain else value


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("airtcp.pages", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(payload: dict[str, Any], document: Mapping[str, Any], **values: Any) -> str:
    """Make a page.

    Args:
        payload: The data of its script; colours and chart styles are added.
        document: The result, with its `seed` if it has one, its `airtcp_version`, and whether it
            was `interrupted`.
        **values: The values of its template.
    """
    payload |= {
        "config": theme.CONFIG,
        "colours": {"light": theme.LIGHT, "dark": theme.DARK},
    }
    scripts = ("picture.js", "page.js", "table.js", "items.js", "data.js")
    raw = {
        "css": _text("page.css"),
        "scheme": _SCHEME,
        "library": library(),
        "script": "".join(map(_text, scripts)),
        "payload": _embedded(payload),
    }
    # No other script runs in the page, whatever a name in a result holds.
    raw["hashes"] = " ".join(_hash(raw[name]) for name in ("scheme", "library", "script"))
    # Everything else is escaped; these are our own, or encoded by `_embedded`.
    trusted = {name: Markup(text) for name, text in raw.items()}  # noqa: S704
    seed, version = document.get("seed"), document["airtcp_version"]
    drawn = [] if seed is None else [("Seed", str(seed))]
    values["facts"] = [*values["facts"], *drawn, ("Version", version)]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            **trusted,
            **values,
            answer_kind=str(document.get("schema", "")).partition("/")[0].removeprefix("airtcp."),
            answer_cards=[first_screen.card(finding) for finding in values["findings"]],
            seed=seed,
            version=version,
            interrupted=document["interrupted"],
        )
    )


def indented(value: Any) -> str:
    """Write a part of a document for a reader, as JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
