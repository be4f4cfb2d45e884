"""Published experiments as data, and their reproduction.

`papers/` holds one TOML file for each table or figure of a publication: the experiment, the
published values, the orderings that the text claims, and the parameters that it leaves open. A
*driver* repeats the experiment and measures; a *verdict* compares. `airtcp reproduce` is the
command, `airtcp.reproduce` the function.
"""

from airtcp.papers.form import PaperError

__all__ = ["PaperError"]
