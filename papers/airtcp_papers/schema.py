"""The JSON Schema of a paper file, for editors that complete and check."""

from __future__ import annotations

from typing import Any

from airtcp_papers.form import json_schema
from airtcp_papers.paper_forms import FIGURE


def paper_schema() -> dict[str, Any]:
    """Return the schema of the file of a table or figure.

    >>> "published" in paper_schema()["properties"]
    True
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A published table or figure, and how to make it again",
        **json_schema(FIGURE),
    }
