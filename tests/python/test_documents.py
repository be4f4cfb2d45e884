"""What the documentation refers to is there, and it names nothing of the machine it was made on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from examples import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HOME = re.compile(r"(?<![\w./-])/(?:work|root|home|tmp|Users)/")


def _pages() -> list[Path]:
    return sorted(
        page for folder in ("*.md", "docs/**/*.md", "demo/*.md") for page in ROOT.glob(folder)
    )


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", head.lower()) for head in heads)
    return {head.strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        assert place.exists(), f"{page}: no {target}"
        if anchor and place.suffix == ".md":
            assert anchor in _anchors(place), f"{page}: no heading for {target}"


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_no_place_on_a_machine(page: Path) -> None:
    assert not _HOME.search(page.read_text("utf-8"))


def test_the_examples_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import airtcp

    text = (ROOT / "README.md").read_text("utf-8")
    python, toml = (
        re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL) for kind in ("python", "toml")
    )
    monkeypatch.chdir(ROOT)
    for example in python:
        exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own text
    assert "goodput_bps" in capsys.readouterr().out
    for example in toml:
        result = airtcp.run(tmp_path / "readme.toml", text=example, replications=2)
        assert result.json["summary"]["flows"][0]["goodput_bps"]["mean"] > 0
