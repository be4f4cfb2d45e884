"""The option --set, which replaces values of a scenario."""

from __future__ import annotations

from airtcp.cli.console import fail


def replaced(items: list[str]) -> dict[str, str]:
    """Read the arguments of --set: each value by its path."""
    found: dict[str, str] = {}
    for item in items:
        path, sign, value = item.partition("=")
        if not sign or not path.strip():
            fail(f"--set {item}: expected PATH=VALUE, such as 'links[0].rate=20 Mb/s'")
        found[path.strip()] = value.strip()
    return found
