"""`airtcp emulate --html FILE`: the run as a child, and its page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from airtcp.cli import ctrl_c, places
from airtcp.cli.console import fail, note
from airtcp.cli.continued import PROGRAM, needed_program

if TYPE_CHECKING:
    from collections.abc import Sequence

_BY_SIGNAL: Final = 128
"""Added to the number of a signal that ended a program, as shells do."""


@dataclass(frozen=True)
class Asked:
    """What is asked of the command, of which the program does not know the page."""

    html: Path | None = None
    json: Path | None = None
    force: bool = False
    quiet: bool = False
    rest: list[str] = field(default_factory=list[str])
    """The arguments of the program, without the document."""

    @property
    def inputs(self) -> list[str]:
        """Names among the arguments that may be of files."""
        return [word for word in self.rest if not word.startswith("-")]


def asked(arguments: Sequence[str]) -> Asked:
    """Read the options of the page, up to `--`.

    >>> asked(["a.toml", "--html", "p.html", "--", "x", "--json=1"]).rest
    ['a.toml', '--', 'x', '--json=1']
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    files: dict[str, Path] = {}
    flags: set[str] = set()
    rest: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        name, sign, value = word.partition("=")
        if name in {"--html", "--json"}:
            path = value if sign else next(words, "")
            if not path:
                fail(f"{name} needs the name of a file")
            files[name] = Path(path)
        elif word == "--force":
            flags.add(word)
        else:
            flags |= {word} & {"-q", "--quiet"}
            rest.append(word)
    return Asked(
        files.get("--html"),
        files.get("--json"),
        force="--force" in flags,
        quiet=bool(flags & {"-q", "--quiet"}),
        rest=[*rest, *arguments[end:]],
    )


def run(asked: Asked) -> NoReturn:
    """Run the emulation, write its page, and end with its exit status."""
    if asked.html is None:
        fail("--html needs the name of a file")
    places.check(asked.html, force=asked.force, inputs=_files(asked.inputs), ours=True)
    place = needed_program("emulate")
    with tempfile.TemporaryDirectory(prefix="airtcp-") as folder:
        document = asked.json or Path(folder) / "run.json"
        # A document of an earlier run is not that of this one.
        before = _changed(document)
        words = [PROGRAM, "emulate", "--json", str(document), *_parent(), *asked.rest]
        code = _child(place, words)
        # It is opened at the start, and written at the end.
        if _changed(document) != before and document.stat().st_size:
            _page(document, asked.html)
            note(f"report: {asked.html}", quiet=asked.quiet)
    raise SystemExit(code)


def _page(document: Path, target: Path) -> None:
    from airtcp.questions.emulate.result import EmulateResult

    try:
        EmulateResult(json.loads(document.read_text("utf-8"))).report(target)
    except OSError as error:
        fail(f"{target}: {error.strerror}")


def _files(words: Sequence[str]) -> list[str]:
    return [word for word in words if Path(word).is_file()]


def _changed(path: Path) -> tuple[int, int] | None:
    """Return what differs after a file was written again; nothing if there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def _parent() -> list[str]:
    """Return the option with which the program ends if this one is killed."""
    return ["--parent", str(os.getpid())]


def _child(place: str, words: Sequence[str]) -> int:
    """Run a program, pass signals on to it, and return its exit status as a shell gives it."""
    # Ctrl-C reaches the child by itself, which is in the foreground as well; SIGTERM does not.
    with ctrl_c.handled(ctrl_c.unheard, signal.SIGINT):
        try:
            child = subprocess.Popen(words, executable=place)  # noqa: S603 - no shell
        except OSError as error:
            fail(f"{place}: {error.strerror}")
        with ctrl_c.handled(lambda number, _: child.send_signal(number), signal.SIGTERM):
            code = child.wait()
    return _BY_SIGNAL - code if code < 0 else code
