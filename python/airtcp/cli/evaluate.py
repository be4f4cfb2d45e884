"""`airtcp evaluate`: a congestion control by the criteria of the IETF."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import fail, note, progress, refusals
from airtcp.cli.output import STANDARD, Output, kept, writes_report_on_request

if TYPE_CHECKING:
    from collections.abc import Sequence


@writes_report_on_request
def evaluate(
    law: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="The congestion control (airtcp list congestion), with keys after colons: "
            "cubic:beta_cubic=0.5; or one of your own, my_law.py:Aimd:a=2.",
            autocompletion=complete.law,
            show_default=False,
        ),
    ],
    against: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME]...",
            help="The laws that it is held against: verdicts are relative to reno and cubic, and "
            "all of them are rivals on one link.",
            autocompletion=complete.tcps,
        ),
    ] = "reno,cubic,bbr",
    only: Annotated[
        str | None,
        typer.Option(
            metavar="ID[,ID]...",
            help="Evaluate these criteria only, such as E1,E4.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer paths, shorter runs and 3 replications.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Longer runs and 10 replications.")] = False,
    write: Annotated[
        str | None,
        typer.Option(
            metavar="ID[,ID]...",
            help="Save the scenarios of these criteria to --out or here, and run nothing.",
            show_default=False,
        ),
    ] = None,
    replications: Annotated[
        int | None, opt.replications("Number of replications; by default 5.", 1000, default=False)
    ] = None,
    seed: opt.Seed = 1,
    law_timeout: opt.LawTimeout = "60 s",
    workers: opt.Workers = None,
    output: Output = STANDARD,
) -> None:
    """Evaluate a congestion control by the criteria that RFC 9743 asks of a new one.

    Each criterion holds it against Reno and CUBIC in the same scenarios. A verdict is pass,
    attention, wrong or not evaluated; the exit code is 0 whatever the verdicts are, and 2 if the
    law itself failed.
    """
    from airtcp.questions.evaluate import call
    from airtcp.questions.evaluate.law import read_law
    from airtcp.words.sentences import counted

    if quick and full:
        fail("--quick and --full: give one of them")
    effort = "quick" if quick else "full" if full else "standard"
    if write is not None:
        with refusals("evaluate", []):
            files = call.scenario_files(law, write, against=against, effort=effort, seed=seed)
            own = read_law(law).sources
        _save(files, output, own)
        return
    where = output.places([])
    begin, used = time.perf_counter(), _processor_s()
    with refusals("evaluate", []), progress(quiet=output.quiet) as tell:
        result, failed = kept(
            lambda: call.evaluate(
                law,
                against=against,
                only=only or (),
                effort=effort,
                replications=replications,
                seed=seed,
                law_timeout=law_timeout,
                workers=workers,
                progress=tell,
            )
        )
    wall, cpu = time.perf_counter() - begin, _processor_s() - used
    note(f"evaluated in {wall:.0f} s, {cpu:.0f} s of processor time", quiet=output.quiet)
    done = len(result)
    output.finish(
        result,
        where,
        rows=lambda: (result.criteria, result.json["criteria"]),
        stopped="" if result.interrupted else None,
        finished=done,
        failed=failed and f"{failed}; {counted(done, 'criterion was', 'criteria were')} evaluated",
    )


def _processor_s() -> float:
    """Return the processor time of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


def _save(files: dict[str, str], output: Output, laws: Sequence[str]) -> None:
    """Write scenarios to the folder of --out, or to the present one.

    Args: files: Texts by name. output: The options. laws: Files of laws that the scenarios name.
    """
    import shlex

    from airtcp.files import atomic_write
    from airtcp.words.sentences import counted

    home = output.out or Path()
    there = [name for name in files if (home / name).exists()]
    if there and not output.force:
        fail(f"{home / there[0]} exists; --force replaces it, --out DIR writes elsewhere")
    with atomic_write.staged() as staged:
        for name, text in files.items():
            staged.file(home / name, live=False).write_text(text, encoding="utf-8")
    tomls: Sequence[str] = [name for name in files if name.endswith(".toml")]
    note(f"{counted(len(tomls), 'scenario')}: {home}", quiet=output.quiet)
    words = [
        "airtcp",
        "run",
        str(home / tomls[0]),
        *(part for law in laws for part in ("--law", law)),
    ]
    print(shlex.join(words))  # noqa: T201 - the command that comes next
