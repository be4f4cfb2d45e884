"""`airtcp law`: a congestion control of one's own, checked before it runs over links."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import fail, refusals

if TYPE_CHECKING:
    from airtcp.laws.given import OwnLaws
    from airtcp.laws.suite import Broken

app = typer.Typer(
    name="law",
    help="A congestion control of your own: check it, or write its frame for C or a kernel.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_Law = Annotated[
    str,
    typer.Argument(
        metavar="LAW",
        help="The law: my_law.py, my_law.py:Aimd:a=2, package.module:Aimd, my_law.so.",
    ),
]
_LINK: Final = """duration = "5 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
from = "a"
to = "b"
tcp = "linux"
"""
"""The link on which a law has to give the same result twice."""
_FRESH_S: Final = 60


@app.command("check")
def check(
    law: _Law,
    cases: Annotated[int, typer.Option(help="Number of random cases.", min=1, max=100_000)] = 256,
    seed: Annotated[int, typer.Option(help="Seed of the cases.", min=0, max=opt.MAX_SEED)] = 1,
) -> None:
    """Check that a law behaves as every law must, and that equal seeds give equal results.

    Random calls drive it as a sender would, also with gigabytes acknowledged at once. A case in
    which it breaks a rule is printed as a unit test in Python. Exit status 1 then, 0 if it keeps
    all rules, 2 if it cannot be loaded.
    """
    from airtcp.laws.suite import CALLS, broken

    with refusals("law check", [law]):
        laws, name = _named(law)
        offered = laws.core
        if offered is None:
            fail(f"{law}: no law of your own; expected my_law.py, my_law.py:Aimd or my_law.so")
        found = broken(offered, cases=cases, seed=seed)
        if found is not None:
            _print_broken(found, laws, name)
        differs = _differs(law, name)
    if differs is not None:
        typer.echo(f"{name} breaks a rule: equal seeds give equal results.\n\n{differs}")
        raise typer.Exit(1)
    kept = (
        f"{name} keeps the rules of every law: {cases} random cases of up to {CALLS} calls, growth "
        "without loss, and the same run twice, the second time in a fresh process."
    )
    typer.echo(textwrap.fill(kept, 80))


@app.command("header")
def header() -> None:
    """Print airtcp_law.h, the interface of laws in shared libraries (C, Zig, Rust)."""
    from airtcp import _core

    typer.echo(_core.law_header(), nl=False)


@app.command("skeleton")
def skeleton(
    law: _Law,
    bpf: Annotated[
        bool, typer.Option("--bpf", help="The frame of an eBPF program (struct_ops) for Linux.")
    ] = False,
) -> None:
    """Print the frame of a kernel's congestion control for a law in Python.

    The law's own text stands in it as comments, beside the kernel's names. What has no hook in the
    kernel is named. The translation stays yours.
    """
    from airtcp.laws.skeleton import bpf as frame

    if not bpf:
        fail("which frame? --bpf is for Linux (eBPF); airtcp law header is for C in airtcp")
    with refusals("law skeleton", [law]):
        laws, _ = _named(law)
        found = laws.all[0].made_of if laws.all else None
        if found is None:
            fail(f"{law}: expected a law in Python, such as my_law.py:Aimd")
        typer.echo(frame(found), nl=False)


def _named(law: str) -> tuple[OwnLaws, str]:
    """Load a law; return it with its label and keys."""
    from airtcp.laws.given import OwnLaws

    laws = OwnLaws()
    names = laws.names(law)
    if len(names) != 1 or not laws.all:
        fail(f"{law}: expected one law of your own, such as my_law.py:Aimd or my_law.so")
    return laws, names[0]


def _print_broken(found: Broken, laws: OwnLaws, name: str) -> None:
    """Print the rule that a law breaks and the test that shows it, and end."""
    law = laws.all[0]
    typer.echo(f"{name} breaks a rule: {found.rule}.")
    if law.is_python:
        module = Path(law.file).stem if law.file.endswith(".py") else law.file
        typer.echo("\nThe shortest case found, as a test:\n")
        typer.echo(found.test(law.label, module, name.split(":")[1:]), nl=False)
    else:
        typer.echo("\nThe shortest case found, as the calls of a sender:\n")
        typer.echo("\n".join(found.statements))
    raise typer.Exit(1)


def _differs(law: str, name: str) -> str | None:
    """Run a link twice, the second time in a fresh process; return what differs."""
    from airtcp.inputs.workers import command, environment
    from airtcp.questions.run import call

    here = call.run("link", text=_LINK, tcp=law).json["replications"][0]
    words = ["run", "-", "--tcp", law, "--why", "no", "--json", "--quiet"]
    fresh = subprocess.run(  # noqa: S603 - this program
        [*command(), *words],
        input=_LINK,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=_FRESH_S,
    )
    if fresh.returncode != 0:
        return f"In a fresh process it failed:\n{fresh.stderr.strip()}"
    there: dict[str, Any] = json.loads(fresh.stdout)["replications"][0]
    if here["fingerprint"] == there["fingerprint"]:
        return None
    mbps = [run["flows"][0]["goodput_bps"] / 1e6 for run in (here, there)]
    return (
        f"The same run gave {mbps[0]:.3f} Mb/s, and {mbps[1]:.3f} in a fresh process. {name}\n"
        "keeps something outside its objects (a class attribute or a variable of the module\n"
        "that changes), or draws numbers or reads the time by itself. A law keeps its state in\n"
        "self, and draws from self.random."
    )
