"""The documentation covers the program: keys, commands and names, and pictures with their makers.

`make site` builds the site, and fails on a warning; it is not built again here.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import airtcp
from airtcp_papers import record
from airtcp_papers.rows import counted
from examples import DOCS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

sys.path.insert(0, str(ROOT / "scripts"))
site_pages: Any = importlib.import_module("site_pages")
evidence_pages: Any = importlib.import_module("evidence_pages")
reference_pages: Any = importlib.import_module("reference_pages")
scenario_page: Any = importlib.import_module("scenario_page")
REFERENCE = DOCS / "reference"


def _keys(of: Any) -> Iterator[str]:
    """Every key that a schema names anywhere."""
    if isinstance(of, dict):
        if isinstance(of.get("properties"), dict):
            yield from (name for name, key in of["properties"].items() if "const" not in key)
        for value in of.values():
            yield from _keys(value)
    elif isinstance(of, list):
        for value in of:
            yield from _keys(value)


def test_the_page_of_scenarios_has_every_key_and_alternative() -> None:
    schema = json.loads((REFERENCE / "scenario.schema.json").read_text("utf-8"))
    page = (REFERENCE / "scenario.md").read_text("utf-8")
    keys = set(_keys(schema))
    assert len(keys) > 200
    assert [key for key in sorted(keys) if f"| `{key}` |" not in page] == []
    tags = set(re.findall(r'"const": "([^"]+)"', json.dumps(schema)))
    assert [tag for tag in sorted(tags) if f'"{tag}"' not in page] == []


def test_links_of_the_page_of_scenarios_lead_to_its_sections() -> None:
    page = (REFERENCE / "scenario.md").read_text("utf-8")
    sections = re.findall(r"^## `(.+)`$", page, re.MULTILINE)
    slugs = [re.sub(r"[^a-z0-9_-]", "", section.lower()) for section in sections]
    assert set(re.findall(r"\(#([^)]+)\)", page)) <= set(slugs)
    assert len(set(slugs)) == len(slugs)


def test_the_page_of_commands_has_every_command_and_option() -> None:
    page = (REFERENCE / "commands.md").read_text("utf-8")
    commands = dict(reference_pages.commands())
    assert {"study", "run", "trace fit"} <= set(commands)
    for name, command in commands.items():
        (_, *rest) = page.split(f"\n## airtcp {name}\n")
        section = rest[0].split("\n## ")[0]
        if not hasattr(command, "commands"):
            options = [option for one in command.params for option in one.opts if option[0] == "-"]
            hidden = {
                option
                for one in command.params
                if getattr(one, "hidden", False)
                for option in one.opts
            }
            assert [o for o in options if o not in section and o not in hidden] == [], name


def test_pages_of_names_have_every_name() -> None:
    page = (REFERENCE / "algorithms.md").read_text("utf-8")
    assert [e for e in airtcp.registry() if f"| `{e['name']}` |" not in page] == []
    page = (REFERENCE / "python.md").read_text("utf-8")
    names = [name for name in airtcp.__all__ if name[0] != "_"]
    assert [name for name in names if f"| `airtcp.{name}` |" not in page] == []


def test_the_gallery_has_twenty_pictures_with_what_makes_them() -> None:
    page = (DOCS / "gallery.md").read_text("utf-8")
    sections = page.split("\n## ")[1:]
    assert len(sections) >= 20
    for section in sections:
        (picture,) = re.findall(r"!\[.+\]\((.+)\)", section)
        sources = re.findall(r"\]\((figures/.+?\.(?:toml|py))\)", section)
        assert len(sources) == 2, section
        assert all((DOCS / name).is_file() for name in [picture, *sources]), section
        assert re.search(r"`make figures NAMES=[a-z0-9-]+`", section)


def test_counts_of_the_page_on_validation_are_those_of_the_recorded_rows() -> None:
    for path in (DOCS / "papers" / "results").glob("*.json"):
        rows: Any = [
            row for one in record.read(path.parent, path.stem).values() for row in one["rows"]
        ]
        published = evidence_pages.tally([row for row in rows if not row["own"]])
        assert published["met"] == counted(rows)[0]["met"]
        assert published["rows"] == sum(
            published[k] for k in ("met", "not reproduced", "undecided")
        )


def test_every_page_is_in_the_navigation() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    linked = {
        os.path.normpath(DOCS / link.partition("#")[0])
        for link in re.findall(r"\]\(([^)]+)\)", index)
    }
    pages = {str(path) for path in DOCS.rglob("*.md") if path.parent.name != "adr"}
    assert pages - {str(DOCS / "README.md")} <= linked


def test_a_page_of_the_site_links_what_a_page_of_the_repository_links(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (tmp_path / "docs" / "README.md").write_text("# Index\n")
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "a.rs").write_text("")
    text = "[i](../README.md#x) [a](../../crates/a.rs) [d](../../crates/) [w](https://a.b/c)\n"
    (tmp_path / "docs" / "guide" / "p.md").write_text(text + "```\n[k](../README.md)\n```\n")
    monkeypatch.setattr(site_pages, "ROOT", tmp_path)
    page = site_pages.Page("docs/guide/p.md", "https://host/r")
    assert page.text() == (
        "[i](../index.md#x) [a](../repository/crates/a.rs) [d](https://host/r/tree/main/crates) "
        "[w](https://a.b/c)\n```\n[k](../README.md)\n```\n"
    )
    assert page.files == {"crates/a.rs": "repository/crates/a.rs"}
