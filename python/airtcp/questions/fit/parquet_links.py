"""Reads the links of a Parquet file in a process of its own.

A small file can expand to any number of rows or to any length of text, and a damaged one can end
the process of the library that reads it. `python -m airtcp.questions.fit.parquet_links FILE`
prints a JSON object with `columns` and `rows`, or with the `problem`. It prints nothing if the
library gives up.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINKS: Final = 100_000
"""Most links of a table."""
MAX_BYTES: Final = 256 << 20
"""Most bytes of a table in memory: about 45 columns of numbers with the most links take 36 MB."""
LONGEST_NAME: Final = 4096
"""Characters of a text that are kept."""
_ROWS: Final = 64
"""Rows that are decoded at a time."""
_ADDRESS_SPACE: Final = 8 << 30


def _limited() -> None:
    """Bound the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = _ADDRESS_SPACE if hard == resource.RLIM_INFINITY else min(hard, _ADDRESS_SPACE)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def read(path: str) -> dict[str, Any]:
    """Read numbers, flags, and texts of bounded length.

    Args:
        path: A Parquet file.

    Returns:
        `columns` (names, of any type) and `rows`, or `problem`.
    """
    from arro3.core import DataType
    from arro3.io import read_parquet

    reader = read_parquet(path, batch_size=_ROWS)
    kinds = {field.name: field.type for field in reader.schema}
    wanted = [
        name
        for name, kind in kinds.items()
        if any(is_kind(kind) for is_kind in (DataType.is_numeric, DataType.is_boolean, _is_text))
    ]
    rows: list[dict[str, Any]] = []
    size = 0
    for batch in reader:
        size += batch.nbytes
        if size > MAX_BYTES:
            return {"problem": f"more than {MAX_BYTES >> 20} MiB of links; expected fewer"}
        values: list[Sequence[Any]] = []
        for name in wanted:
            column: Any = batch.column(name)
            values.append([_cut(value) for value in column.to_pylist()])
        rows += [dict(zip(wanted, row, strict=True)) for row in zip(*values, strict=True)]
        if len(rows) > MAX_LINKS or (not wanted and batch.num_rows > MAX_LINKS):
            return {"problem": f"more than {MAX_LINKS} links; expected {MAX_LINKS} or fewer"}
    return {"columns": list(kinds), "rows": rows}


def _is_text(kind: Any) -> bool:
    from arro3.core import DataType

    return any(
        is_kind(kind)
        for is_kind in (DataType.is_unicode, DataType.is_large_unicode, DataType.is_string)
    ) or "Utf8View" in repr(kind)


def _cut(value: Any) -> Any:
    return value[:LONGEST_NAME] if isinstance(value, str) else value


def main() -> None:
    """Print what the file of the command line holds."""
    _limited()
    json.dump(read(sys.argv[1]), sys.stdout)


if __name__ == "__main__":
    main()
