"""The places where a command may write, decided before the work.

An output never replaces a file that the same command reads. Without --force it replaces only files
that airtcp wrote for the same purpose: a page, a capture, or the files of an earlier result of the
same command in --out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from airtcp.cli.console import fail, spare
from airtcp.cli.options import Format
from airtcp.data.plain import printable
from airtcp.files import destinations
from airtcp.files import folder as folders
from airtcp.files.destinations import PlaceError
from airtcp.questions.result_files import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PRESENTED: Final = frozenset(
    (
        "as_json",
        "cache",
        "figure_width",
        "figures",
        "force",
        "form",
        "html",
        "out",
        "pcap",
        "quiet",
        "radiotap",
        "show",
        "table",
        "workers",
    )
)
"""Options that change the presentation of a result, but not the result."""
_LONGEST_COMMAND: Final = 200


@dataclass(frozen=True)
class Places:
    """The places of a result."""

    out: Path | None
    """The folder for everything."""
    report: Path | None
    """The page, if it is not in that folder."""
    purpose: folders.Purpose
    force: bool = False
    """Whether existing files may be replaced."""
    stdout: bool = False
    """Whether a capture goes to standard output, which then takes nothing else."""

    @property
    def with_page(self) -> bool:
        """True if the folder also gets the page."""
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
    force: bool,
    inputs: Iterable[str | Path],
    pcap: Path | None = None,
    radiotap: Path | None = None,
) -> Places:
    """Decide the places of the result, and refuse those that would overwrite other work.

    A report without a given place goes to `report.html` in the folder of --out.

    Args: asked: The arguments of the command. out: The value of --out. html: The value of --html.
        force: The value of --force. inputs: The inputs: files, folders, patterns. pcap: The value
        of --pcap. radiotap: The value of --radiotap.
    """
    given = list(inputs)
    if 0 in destinations.closed and "-" in map(str, given):
        _refuse("standard input is closed; - reads it")
    sources = list(_sources(given))
    purpose = _purpose(asked)
    report = out / REPORT if html is None and out is not None else html
    if out is not None and report is not None and _same(report, out / REPORT):
        report = out / REPORT
    _apart(out=out, html=report, pcap=pcap, radiotap=radiotap)
    try:
        if out is not None:
            folders.check(out, purpose, force=force, option="--out", pattern="*.parquet")
        if report is not None and (out is None or report != out / REPORT or not force):
            destinations.check(report, force=force, inputs=sources, ours=True)
    except PlaceError as error:
        _refuse(str(error))
    if 1 in destinations.closed and not any((out, report, pcap, radiotap)):
        _refuse("standard output is closed, and no file is asked for; send it to a file or a pipe")
    spare()
    taken = destinations.to_stdout(pcap)
    formats = asked.get("as_json") or asked.get("form", Format.TABLE) is not Format.TABLE
    if taken and (formats or destinations.to_stdout(html)):
        other = "--format" if formats else "--html"
        _refuse(f"--pcap and {other} both go to standard output; write one of them to a file")
    return Places(out, report, purpose, force, stdout=taken)


def _apart(
    *, out: Path | None, html: Path | None, pcap: Path | None, radiotap: Path | None
) -> None:
    """Refuse outputs of one command that would overwrite each other."""
    given = {"--out": out, "--html": html, "--pcap": pcap, "--radiotap": radiotap}
    # A device accepts several outputs; only files can overwrite each other.
    named = {
        option: path for option, path in given.items() if path and not destinations.in_place(path)
    }
    for one, other in combinations(named, 2):
        a, b = named[one], named[other]
        if _same(a, b):
            _refuse(f"{one} and {other} have the same name, {b}; give one of them another")
        for upper, lower in ((one, other), (other, one)):
            if not _inside(named[lower], named[upper]):
                continue
            place = named[lower]
            if upper in ("--html", "--pcap"):
                _refuse(
                    f"{lower} {place} is inside {upper} {named[upper]}, which is a file; "
                    "give one of them another name"
                )
            direct = _same(place.parent, named[upper])
            if direct and place.name != REPORT and folders.is_a_result(place.name):
                _refuse(
                    f"{lower} {place} has a name that {upper} {named[upper]} uses for its own "
                    "files; give it another name"
                )
            if direct and place.name == REPORT and (upper, lower) != ("--out", "--html"):
                _refuse(
                    f"{lower} {place} has the name that airtcp gives to reports, inside {upper} "
                    f"{named[upper]}; give it another name"
                )


def _same(a: Path, b: Path) -> bool:
    return os.path.realpath(a) == os.path.realpath(b)


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents


def _refuse(message: str) -> NoReturn:
    """End with an error of one line, for any name."""
    fail(printable(message))


def refuse_open() -> NoReturn:
    """Refuse to open a report that nothing writes."""
    _refuse("--open shows the report, and none is written without --html FILE or --out DIR")


def check(path: Path | None, *, force: bool, inputs: Iterable[str | Path], ours: bool) -> None:
    """Refuse a single file that must not be written, as `decide` does."""
    if path is None:
        return
    try:
        destinations.check(path, force=force, inputs=list(_sources(inputs)), ours=ours)
    except PlaceError as error:
        _refuse(str(error))


def check_captures(asked: dict[str, Any], folder: Path, *, force: bool) -> None:
    """Refuse a folder that holds captures of another command."""
    try:
        folders.check(folder, _purpose(asked), force=force, option="--radiotap", pattern="*.pcapng")
    except PlaceError as error:
        _refuse(str(error))


def of_scenarios(paths: Iterable[str | Path]) -> Iterator[Path]:
    """Yield scenarios and the files that they name: traces and layouts."""
    from airtcp._core import ScenarioError
    from airtcp.questions.scenarios import text_of

    for path in map(Path, paths):
        yield path
        if not path.is_file():
            # A pipe can be read only once.
            continue
        try:
            with path.open("rb") as file:
                tree: Any = tomllib.loads(text_of(file, str(path)))
        except (OSError, ValueError, RecursionError, ScenarioError):
            # Its errors are reported where it is read.
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
    from airtcp.questions.trace.call import sources_of

    return sources_of(inputs)


def _purpose(asked: dict[str, Any]) -> folders.Purpose:
    """Return the arguments of a command without those of presentation."""
    said = {name: value for name, value in asked.items() if name != "reading"}
    said |= asked.get("reading", {})
    question = {name: value for name, value in said.items() if name not in _PRESENTED}
    text = json.dumps([str(Path.cwd()), question], sort_keys=True, default=str)
    command = shlex.join(["airtcp", *sys.argv[1:]])
    if len(command) > _LONGEST_COMMAND:
        command = command[:_LONGEST_COMMAND] + " ..."
    return folders.Purpose(
        hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest(), command
    )
