"""Published experiments as data, and their reproduction.

Beside this package stands one TOML file for each table or figure of a publication: the experiment,
the published values, the orderings that the text claims, and the parameters that it leaves open. A
*driver* repeats the experiment and measures; a *verdict* compares. `airtcp reproduce` is the
command, `airtcp_papers.reproduce` the function.

    >>> import airtcp_papers
    >>> airtcp_papers.published("S1.fig13")[0].item
    'Figure 13'
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from airtcp_papers.call import published, reproduce
    from airtcp_papers.form import PaperError
    from airtcp_papers.result import PapersResult

__all__ = ["PaperError", "PapersResult", "published", "reproduce"]

_HOME = {
    "PaperError": "airtcp_papers.form",
    "PapersResult": "airtcp_papers.result",
    "published": "airtcp_papers.call",
    "reproduce": "airtcp_papers.call",
}
"""The module of each name; it is loaded when the name is first used."""


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME:
        message = f"module 'airtcp_papers' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
