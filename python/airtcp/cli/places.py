"""Where a command may write: decided before any work is done for it.

An output never replaces a file that the same command reads. Without --force it replaces only what
airtcp wrote for the same purpose: a page, a capture, or the files of an earlier answer to the same
question in --out.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import folder as folders
from airtcp import output
from airtcp.cli.console import fail
from airtcp.output import PlaceError
from airtcp.written import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PRESENTED: Final = frozenset(
    (
        "as_json",
        "cache",
        "force",
        "form",
        "html",
        "out",
        "pcap",
        "quiet",
        "radiotap",
        "report",
        "show",
        "workers",
    )
)
"""Options that change where and how a result is shown, and not the result."""
_LONGEST_COMMAND: Final = 200


@dataclass(frozen=True)
class Places:
    """Where a result is to be written."""

    out: Path | None
    """The folder for everything."""
    report: Path | None
    """The page, if it is not in that folder."""
    purpose: folders.Purpose

    @property
    def with_page(self) -> bool:
        """True if the folder gets the page, too."""
        return self.report is not None and self.report == self.inside

    @property
    def inside(self) -> Path | None:
        """The place of the page in the folder."""
        return None if self.out is None else self.out / REPORT


def decide(
    asked: dict[str, Any],
    *,
    out: Path | None,
    html: Path | None,
    wanted: bool,
    piped: bool,
    force: bool,
    inputs: Iterable[str | Path],
) -> Places:
    """Decide where the result goes, and refuse places that would cost somebody something.

    A report that nobody placed goes to `report.html` in this folder, unless the result itself
    was asked for on standard output.

    Args:
        asked: The arguments of the command.
        out: What --out says.
        html: What --html says.
        wanted: Whether there is to be a report where nobody placed it.
        piped: Whether the result is for standard output.
        force: What --force says.
        inputs: What the command reads: files, folders, patterns.
    """
    sources = list(_sources(inputs))
    purpose = _purpose(asked)
    report = html
    if html is None and wanted and (out is not None or not piped):
        report = Path(REPORT) if out is None else out / REPORT
    try:
        if out is not None:
            folders.check(out, purpose, force=force, option="--out", pattern="*.parquet")
        if report is not None and (out is None or report != out / REPORT or not force):
            output.check(report, force=force, inputs=sources, ours=True)
    except PlaceError as error:
        hint = (
            "; --html FILE places the report elsewhere, --no-report leaves it out"
            if html is None and out is None and wanted
            else ""
        )
        fail(f"{error}{hint}")
    return Places(out, report, purpose)


def check(path: Path | None, *, force: bool, inputs: Iterable[str | Path], ours: bool) -> None:
    """Refuse a single file that may not be written, as `decide` does."""
    if path is None:
        return
    try:
        output.check(path, force=force, inputs=list(_sources(inputs)), ours=ours)
    except PlaceError as error:
        fail(str(error))


def check_captures(asked: dict[str, Any], folder: Path, *, force: bool) -> None:
    """Refuse a folder for captures that holds others'."""
    try:
        folders.check(folder, _purpose(asked), force=force, option="--radiotap", pattern="*.pcapng")
    except PlaceError as error:
        fail(str(error))


def of_scenarios(paths: Iterable[str | Path]) -> Iterator[Path]:
    """Give scenarios and the files that they name: traces and layouts."""
    for path in map(Path, paths):
        yield path
        if not path.is_file():
            # What comes through a pipe can be read once only.
            continue
        try:
            tree: Any = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            # What is wrong with it is said where it is read.
            continue
        for text in _texts(tree):
            for name in (text, text.partition("#")[0]):
                try:
                    if name and (path.parent / name).is_file():
                        yield path.parent / name
                except (OSError, ValueError):
                    continue


def _texts(tree: Any) -> Iterator[str]:
    left: list[Any] = [tree]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            left.extend(cast("dict[str, Any]", part).values())
        elif isinstance(part, list):
            left.extend(cast("list[Any]", part))


def _sources(inputs: Iterable[str | Path]) -> Iterator[Path]:
    from airtcp.api.traces import sources_of

    return sources_of(inputs)


def _purpose(asked: dict[str, Any]) -> folders.Purpose:
    """What a command asks: its arguments, but for those of presentation."""
    question = {name: value for name, value in asked.items() if name not in _PRESENTED}
    text = json.dumps([str(Path.cwd()), question], sort_keys=True, default=str)
    said = shlex.join(["airtcp", *sys.argv[1:]])
    if len(said) > _LONGEST_COMMAND:
        said = said[:_LONGEST_COMMAND] + " ..."
    return folders.Purpose(
        hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest(), said
    )
