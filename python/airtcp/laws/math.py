"""Functions with the same result on every machine.

Python's `math` and the operator `**` with fractions use the C library of the machine, and C
libraries round differently. These are a port of musl's in Rust. `+ - * /`, `math.sqrt` and
`math.floor` are exact everywhere.
"""

from airtcp._core import cbrt, exp, log, pow  # noqa: A004 - the names of mathematics

__all__ = ["cbrt", "exp", "log", "pow"]
