"""The source of the site: the pages of docs/ with links that a site can follow.

A page of docs/ is read in two places. In a Git viewer, a link names a file of the repository, and
README.md is the index of a folder. On the site, README.md is `index`, the changelog and the page
for contributors stand beside the others, and a linked file outside docs/ is a download. The navigation of the
site is made of the index's own headings and links.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from reference_pages import python_names

ROOT: Final = Path(__file__).resolve().parent.parent
MOVED: Final = {
    "docs/README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "docs/adr": "adr/index.md",
}
"""Places on the site, of what is not at its place in docs/."""
EXPLORER: Final = '\n<p><a href="../../explorer/index.html">Open the explorer of this site</a></p>\n'
"""A link between two pages of the site that are no pages of docs/."""
_LINK: Final = re.compile(r"(\]\()([^)\s]+)(\))")
_FENCE: Final = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)


def stage(folder: Path, repository: str, more: dict[str, bytes]) -> list[Path]:
    """Write the source of the site to a folder, and return its pages.

    Args:
        folder: Files there that differ are replaced; others are removed.
        repository: Address of the repository, for links to its folders.
        more: Files of the site that are not made of those of docs/, by their place.
    """
    wanted = dict(more)
    for path in sorted((ROOT / "docs").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and path.suffix != ".md" and not _left_out(name):
            wanted[name.removeprefix("docs/")] = path.read_bytes()
    for path in [
        *sorted((ROOT / "docs").rglob("*.md")),
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
    ]:
        name = path.relative_to(ROOT).as_posix()
        page = Page(name, repository)
        wanted[page.place] = page.text().encode()
        wanted |= {place: (ROOT / file).read_bytes() for file, place in page.files.items()}
    wanted["guide/explorer.md"] += EXPLORER.encode()
    wanted["adr/index.md"] = _decisions().encode()
    wanted["notebooks.md"] += _contents(
        "", [f"/{name.removesuffix('.md')}" for name in more if name.endswith(".md")]
    )
    wanted["reference/python.md"] += _docstrings().encode()
    _write(folder, wanted)
    return [folder / name for name in wanted if name.endswith(".md")]


def _left_out(name: str) -> bool:
    return "__pycache__" in name or name.startswith(("docs/conf.py", "docs/_"))


def _write(folder: Path, wanted: dict[str, bytes]) -> None:
    """Write what differs, so that Sphinx reads only the pages that changed."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Page:
    """A page: its place on the site, its text there, and the files outside docs/ that it names."""

    def __init__(self, name: str, repository: str) -> None:
        """Read a page by its name in the repository."""
        self.name = name
        self.place = MOVED.get(name, name.removeprefix("docs/"))
        self.files: dict[str, str] = {}
        self._repository = repository

    def text(self) -> str:
        """Return the page as the site has it."""
        text = (ROOT / self.name).read_text("utf-8")
        parts = _FENCE.split(text)
        parts[::2] = [_LINK.sub(self._linked, part) for part in parts[::2]]
        text = "".join(parts)
        return text + navigation(text) if self.place == "index.md" else text

    def _linked(self, found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        name = os.path.normpath(Path(self.name).parent / target)
        if name in MOVED or (
            name.startswith("docs/")
            and not name.startswith("docs/notebooks/")
            and (ROOT / name).is_file()
        ):
            place = MOVED.get(name, name.removeprefix("docs/"))
        elif name.startswith("docs/notebooks/"):
            place = name.removeprefix("docs/").removesuffix(".py") + ".md"
        elif (ROOT / name).is_file() and not name.endswith(".md"):
            place = self.files.setdefault(name, f"repository/{name}")
        else:
            return f"{found[1]}{self._repository}/tree/main/{name}{found[3]}"
        here = os.path.relpath(place, Path(self.place).parent)
        return f"{found[1]}{here}{'#' if anchor else ''}{anchor}{found[3]}"


def navigation(index: str) -> str:
    """Return the tables of contents of an index: a section for each heading, with its pages in order."""
    _, *parts = _HEADING.split(index)
    out: list[str] = []
    seen: set[str] = set()
    for caption, body in zip(parts[::2], parts[1::2], strict=True):
        pages = [link.partition("#")[0] for _, link, _ in _LINK.findall(body)]
        pages = [page for page in dict.fromkeys(pages) if page.endswith(".md") and page not in seen]
        seen |= set(pages)
        if pages:
            out.append(
                _contents(caption, [f"/{page.removesuffix('.md')}" for page in pages]).decode()
            )
    return "".join(out)


def _contents(caption: str, pages: list[str]) -> bytes:
    head = f":caption: {caption}\n" if caption else ""
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n{head}\n{listed}\n```\n".encode()


def _docstrings() -> str:
    """Return what the public names of the package say of themselves."""
    parts: list[str] = []
    for name in python_names():
        kind = "autofunction" if name[0].islower() else "autoclass"
        below = "   :members:\n   :inherited-members: Exception\n" if kind == "autoclass" else ""
        text = f".. {kind}:: airtcp.{name}\n{below}"
        parts.append(f"\n## {name}\n\n```{{eval-rst}}\n{text}```\n")
    return "".join(parts)


def _decisions() -> str:
    entries = [
        f"- [{path.read_text('utf-8').splitlines()[0].removeprefix('# ')}]({path.name})"
        for path in sorted((ROOT / "docs" / "adr").glob("*.md"))
    ]
    names = [path.stem for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]
    listed = "\n".join(entries)
    return f"# Decisions\n\n{listed}\n{_contents('', names).decode()}"
