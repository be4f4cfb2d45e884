"""Makes a page from the document, the templates and the chart library."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from airtcp.charts import theme
from airtcp.data.plain import printable, printable_values
from airtcp.pages import first_screen
from airtcp.questions.chart_data import data_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.words.answer import Answer
    from airtcp.words.grid import Grid

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


def render(
    template: str,
    script: str,
    payload: dict[str, Any],
    document: Mapping[str, Any],
    facts: Sequence[tuple[str, str]],
    *,
    answer: Answer | None = None,
    chart: str = "",
    whole: Grid | None = None,
    **values: Any,
) -> str:
    """Make a page.

    Args: template: The template of the page. script: Its script, which runs after the common
        script. payload: The data of its script; colours and chart styles are added. document: The
        result, with its `seed` if it has one, its `airtcp_version`, and whether it was
        `interrupted`. facts: Further facts in the head of the page. answer: The answer, which
        takes the first screen; every section is folded then. chart: The name of the chart beside
        the answer. whole: The table below the answer with all rows; by default that of the answer.
        **values: The values of its template.
    """
    grid = whole or (answer.table if answer is not None else None)
    payload |= {
        "config": theme.CONFIG,
        "colours": {"light": theme.LIGHT, "dark": theme.DARK},
    }
    page = _environment().get_template(template)
    # Tables and folded parts, before the script of the page, which starts the figures.
    first = _text("answer.js")
    raw = {
        "css": _text("page.css"),
        "scheme": _SCHEME,
        "library": library(),
        "script": _text("picture.js") + _text("page.js") + first + _text(script),
        "payload": _embedded(payload),
    }
    # No other script runs in the page, whatever a name in a result holds.
    raw["hashes"] = " ".join(_hash(raw[name]) for name in ("scheme", "library", "script"))
    # Everything else is escaped; these are our own, or encoded by `_embedded`.
    trusted = {name: Markup(text) for name, text in raw.items()}  # noqa: S704
    seed, version = document.get("seed"), document["airtcp_version"]
    drawn = [] if seed is None else [("Seed", str(seed))]
    made = page.render(
        **trusted,
        **values,
        answer=answer,
        answer_kind=str(document.get("schema", "")).partition("/")[0].removeprefix("airtcp."),
        answer_grid=None if grid is None else first_screen.laid(grid),
        answer_cards=[first_screen.card(finding) for finding in values.get("findings", ())],
        facts=[*facts, *drawn, ("Version", version)],
        seed=seed,
        version=version,
        interrupted=document["interrupted"],
    )
    made = _without_empty(made, payload)
    if answer is None:
        return made
    return first_screen.folded(first_screen.with_chart(made, chart))


_FIGURE: Final = re.compile(
    r'<figure class="plot[^>]*data-chart="([^"]*)".*?</figure>\n?', re.DOTALL
)


def _without_empty(page: str, payload: dict[str, Any]) -> str:
    """Take out the charts without points, but for those of the link that a reader chooses."""
    data = data_of(payload)
    if not data:
        return page
    several = len(payload.get("columns", {}).get("name", ())) > 1

    def kept(found: re.Match[str]) -> str:
        name = html.unescape(found[1])
        chosen = several and name.startswith("link-")
        return found[0] if chosen or name in data else ""

    return _FIGURE.sub(kept, page)


def indented(value: Any) -> str:
    """Write a part of a document for a reader, as JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
