"""Published experiments as data: what papers say, and whether it comes out here as well.

`papers/` holds one TOML file for each table or figure of a publication: the experiment, the
published values, what the text claims as an ordering, and what it leaves open. A *driver* makes
the experiment again and measures; a *verdict* compares. `airtcp reproduce` is the command,
`airtcp.reproduce` the function.
"""

from airtcp.papers.form import PaperError

__all__ = ["PaperError"]
