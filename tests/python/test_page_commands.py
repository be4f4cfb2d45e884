"""The command on a page reproduces the result of the page."""

from __future__ import annotations

import ast
import html
import json
import random
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.pages.command import command
from airtcp.questions.trace.model_scores import ModelScores
from examples import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.result_files import Written
    from conftest import Program


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the commands, with files that need reading options."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)  # noqa: S311 - losses, no secrets
    for name, bad in (("a b", 0.2), ("c", 0.4), ("d", 0.3), ("e", 0.5)):
        rows = ["n,first,second"]
        rows += [f"{n},{draw.random() > bad:d},{draw.random() > 0.6:d}" for n in range(1500)]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    rates = [f"{n} {draw.randint(100, 900)}" for n in range(30)]
    (tmp_path / "rates.txt").write_text("\n".join(rates) + "\n")
    (tmp_path / "named.csv").write_text("time_s,mbps\n" + "\n".join(rates).replace(" ", ",") + "\n")
    airtcp.synth(tmp_path / "bits.txt", prr=0.8, packets=1500)
    (tmp_path / "lossy.toml").write_text((SCENARIOS / "lossy-link.toml").read_text("utf-8"))
    (tmp_path / "star.toml").write_text((SCENARIOS / "wifi-star.toml").read_text("utf-8"))
    return tmp_path


READING: dict[str, Any] = {"column": 2, "kind": "lost", "interval": "4 ms"}


def _study() -> Written:
    return airtcp.study(
        ["a b.csv", "c.csv"], replicas=2, seed=5, compare=False, remedies=False, **READING
    )


def _one_study() -> Written:
    first: dict[str, Any] = {"column": "first", "kind": "received"}
    return airtcp.study("c.csv", replicas=2, slot="3 ms", profile="linux", remedies=False, **first)


def _capacity() -> Written:
    return airtcp.study("rates.txt", rate_unit="kB/s", seed=3, remedies=False)


def _both() -> Written:
    return airtcp.study(
        ["bits.txt", "named.csv"], interval="4 ms", replicas=2, compare=False, remedies=False
    )


def _compare() -> Written:
    return airtcp.compare(
        "a b.csv", tcp="newreno,sack", replications=2, seed=4, synthetic=False, **READING
    )


def _overridden() -> Written:
    return airtcp.compare(
        "lossy.toml",
        tcp="newreno,cubic",
        replications=2,
        overrides={"duration": "3 s", "links[0].queue": {"kind": "drop-tail", "packets": 9}},
    )


def _fit() -> Written:
    paths = ["a b.csv", "c.csv", "d.csv", "e.csv"]
    return airtcp.trace_fit(paths, where="prr>0.1", slot="5 ms", seed=2, rtt_slots=3, **READING)


def _models() -> Written:
    return ModelScores(airtcp.models("a b.csv", replicas=2, slot="5 ms", seed=2, **READING))


def _red() -> Written:
    queue = {"kind": "red", "limit": 40, "min": 4, "max": 12}
    return airtcp.compare(
        "bits.txt",
        tcp="newreno,sack",
        replications=2,
        synthetic=False,
        as_link={"rate": "4 Mb/s", "queue": queue},
    )


def _schemes() -> Written:
    return airtcp.compare_schemes(
        "star.toml",
        schemes=["ftca:exclusive=true+rts", "codel"],
        reference="edca",
        replications=2,
        overrides={"duration": "3 s", "cells[0].layout.stations": 3, "flows[0].count": 3},
    )


def _run() -> Written:
    return airtcp.run(
        "lossy.toml",
        seed=7,
        replications=2,
        series=True,
        overrides={"duration": "3 s", "links[0].queue": {"kind": "drop-tail", "packets": 9}},
    )


def _cell() -> Written:
    return airtcp.run(
        "star.toml",
        replications=1,
        timeline="1 s..1.01 s",
        overrides={"duration": "2 s", "warmup": "0 s"},
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("made", [_run, _cell])
def test_the_command_of_a_run_makes_its_page(run: Program, made: Callable[[], Written]) -> None:
    result = made()
    page = result.page()
    (*others, found) = re.findall(r"<pre><code>(airtcp .*?)</code>", page)
    # The other command compares what would help.
    assert [text.split()[1] for text in others] == ["compare"]
    ended = run(*shlex.split(html.unescape(found))[1:], "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out) == json.loads(result.text)
    assert Path("report.html").read_text("utf-8") == page


def _analysed() -> Written:
    return airtcp.study(
        "bits.txt",
        replicas=2,
        compare=False,
        remedies="ll-arq",
        analyse={"lags": [1, 2, 4], "drawn_order": True},
    )


def _formed() -> Written:
    return airtcp.trace_fit(
        ["a b.csv", "c.csv", "d.csv", "e.csv"],
        forms={"line": ["prr"], "two": ["prr", "mu"]},
        max_window=40,
        link_class="intermediate",
        **READING,
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("made", [_analysed, _formed])
def test_settings_that_only_python_has_are_in_a_call(made: Callable[[], Written]) -> None:
    result = made()
    (found,) = re.findall(r"<pre><code>(airtcp.*?)</code>", result.page())
    call = ast.parse(html.unescape(found), mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    arguments = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    again = getattr(airtcp, call.func.attr)(ast.literal_eval(call.args[0]), **arguments)
    assert json.loads(again.text) == json.loads(result.text)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "made",
    [
        _study,
        _one_study,
        _capacity,
        _both,
        _compare,
        _overridden,
        _fit,
        _models,
        _red,
        _schemes,
    ],
)
def test_the_command_of_a_page_makes_its_result(run: Program, made: Callable[[], Written]) -> None:
    result = made()
    (found,) = re.findall(r"<pre><code>(airtcp .*?)</code>", result.page())
    ended = run(*shlex.split(html.unescape(found))[1:], "--json")
    assert ended.code == 0, ended.err
    again = json.loads(ended.out)
    given = json.loads(result.text)
    # Choices for many links, and defaults, may be written differently.
    for document in (again, given):
        del document["airtcp_version"]
        document.pop("options", None)
    assert again == given


def test_names_are_quoted_and_many_are_left_out() -> None:
    assert command("study", paths=["a b", "-c"], options=[("seed", 3), ("slot", None)]) == (
        "airtcp study 'a b' ./-c --seed 3"
    )
    many = command("study", paths=[str(n) for n in range(50)], options=[("metric", ["x", "y"])])
    assert " ... --metric x --metric y" in many
