"""Laws in C: the gate of those in Python, and what a library may not do."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import airtcp
from airtcp.laws import LawError
from test_laws import LINK, LOSSY, command
from test_laws_gate import PATHS, SCENARIOS, equal_in, equal_over
from test_laws_processes import LINK as TEXT
from test_laws_processes import program

ROOT = Path(__file__).parents[2]
HEADER = ROOT / "python" / "airtcp" / "laws"


def compiled(source: Path, folder: Path, *options: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = folder / f"{source.stem}.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-ffp-contract=off"]
    subprocess.run(
        [compiler, *flags, *options, "-I", str(HEADER), str(source), "-o", str(library), "-lm"],
        check=True,
    )
    return library


@pytest.fixture(scope="module")
def laws(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("laws")
    reno, cubic = (
        str(compiled(ROOT / "tests" / "laws" / f"{name}_c.c", folder)) for name in ("reno", "cubic")
    )
    return {
        "reno:growth=per-ack": reno,
        "reno:growth=bytes": f"{reno}:bytes=1",
        "cubic": cubic,
    }


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_equal_fingerprints(scenario: Path, laws: dict[str, str]) -> None:
    equal_in(scenario, laws)


@pytest.mark.parametrize("profile", ["rfc", "linux"])
@pytest.mark.parametrize("path", PATHS)
def test_equal_fingerprints_by_either_rules(path: str, profile: str, laws: dict[str, str]) -> None:
    equal_over(path, profile, laws)


def test_the_result_does_not_depend_on_threads(laws: dict[str, str]) -> None:
    runs = [airtcp.run(LOSSY, tcp=laws["cubic"], workers=n, replications=6) for n in (1, 2, 7)]
    assert runs[0].fingerprints == runs[1].fingerprints == runs[2].fingerprints
    law = runs[0].json["scenario"]["flows"][0]["tcp"]["congestion"]
    assert (law["external"], law["c"], len(law["sha256"])) == ("CubicC", 0.4, 64)


def test_they_keep_the_rules_of_every_law(laws: dict[str, str], tmp_path: Path) -> None:
    for law in laws.values():
        done = command("law", "check", law, folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


BODY = """#include "airtcp_law.h"
{before}static void avoid(airtcp_state *s, const airtcp_ack *a) {{ (void)a; {avoid} }}
static double reduced(airtcp_state *s, const airtcp_congestion *c) {{ (void)c; return {reduced}; }}
int airtcp_law_v1(airtcp_law *law) {{
  law->name = "Mine"; law->avoid = avoid; law->reduced = reduced; {table} return 0;
}}
"""


def written(
    folder: Path, *, avoid: str = "s->cwnd += 1;", reduced: str = "s->cwnd / 2", **more: str
) -> str:
    source = folder / "mine.c"
    table, before = more.get("table", ""), more.get("before", "")
    text = BODY.format(avoid=avoid, reduced=reduced, table=table, before=before)
    source.write_text(text, "utf-8")
    return str(compiled(source, folder))


@pytest.mark.parametrize(
    ("part", "text", "said"),
    [
        ("avoid", "s->cwnd = NAN;", "Mine.avoid at"),
        ("avoid", "s->cwnd = -1;", "cwnd was set to -1"),
        ("avoid", "s->pacing_rate = 0;", "pacing_rate was set to 0"),
        ("avoid", "s->host->grow(s, -5);", "was to grow by -5"),
        ("reduced", "s->key[0] - NAN", "the window after an episode was set to NaN"),
    ],
)
def test_a_value_that_may_not_be_set_stops_the_run(
    tmp_path: Path, part: str, text: str, said: str
) -> None:
    law = written(tmp_path, **{part: text})
    for workers in (1, 2):
        with pytest.raises(LawError) as raised:
            airtcp.run(LOSSY, tcp=law, replications=4, workers=workers)
        assert said in str(raised.value)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("law->abi = 2;", "another interface (version 2"),
        ("law->size = 8;", "another interface"),
        ('law->name = "";', "no name"),
        ("law->name = 0;", "no name"),
        ('law->name = "a b";', "letters, digits"),
        ('law->name = "cubic";', "a built-in TCP has this name"),
        ('law->keys = "a=x";', "expected KEY=NUMBER"),
        ("return 3;", "returned 3"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, table: str, said: str) -> None:
    law = written(tmp_path, table=table)
    done = command("law", "check", law, folder=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_what_is_no_law_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "other.c"
    source.write_text("int other(void);\nint other(void) { return 1; }\n", "utf-8")
    law = str(compiled(source, tmp_path))
    (tmp_path / "text.so").write_text("no library", "utf-8")
    for name, said in (
        (law, "exports no function airtcp_law_v1"),
        (str(tmp_path / "text.so"), "cannot be loaded"),
        (str(tmp_path / "none.so"), "No such file"),
    ):
        with pytest.raises(LawError, match=said):
            airtcp.run(LINK, tcp=name)


def test_the_header_is_the_one_that_the_command_prints(tmp_path: Path) -> None:
    done = command("law", "header", folder=tmp_path)
    assert done.stdout == (HEADER / "airtcp_law.h").read_text("utf-8")


ENDLESS = "for (volatile int go = 1; go;) s->user[0] += go;"


@pytest.mark.parametrize("callback", ["avoid", "start"])
def test_a_function_that_never_returns_ends_the_command(callback: str, tmp_path: Path) -> None:
    body = {"avoid": ENDLESS} if callback == "avoid" else {"table": "law->start = begun;"}
    begun = f"static void begun(airtcp_state *s) {{ {ENDLESS} }}\n"
    law = written(tmp_path, before=begun if callback == "start" else "", **body)
    (tmp_path / "link.toml").write_text(TEXT, "utf-8")
    words = ["run", "link.toml", "--tcp", law, "--law-timeout", "700ms", "-n", "3"]
    done = command(*words, folder=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    place = rf"error: Mine\.{callback} at \d+\.\d+ s, flow [^,]+, ACK \d+: "
    end = r"it has not returned for 0\.7 s; --law-timeout allows more \(.*mine\.so\)\n"
    assert re.fullmatch(place + end, done.stderr), done.stderr
    assert not done.stdout


def test_a_sweep_and_an_evaluation_name_a_function_that_never_returns(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=ENDLESS)
    (tmp_path / "link.toml").write_text(
        TEXT + 'tcp = { congestion = { external = "Mine" } }\n', "utf-8"
    )
    (tmp_path / "sweep.toml").write_text(
        'of = "link.toml"\n[vary]\n"links[0].delay" = ["10 ms", "20 ms"]\n', "utf-8"
    )
    said = "Mine.avoid at "
    more = ["--law-timeout", "500ms", "--quiet"]
    for words in (
        ["sweep", "sweep.toml", "--law", law, "--out", "out", "--json", *more],
        ["evaluate", law, "--only", "E23", "--quick", *more],
    ):
        done = command(*words, folder=tmp_path)
        assert done.returncode != 0
        assert said in done.stdout + done.stderr, done.stderr


def test_ctrl_c_ends_a_function_that_never_returns(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=ENDLESS)
    (tmp_path / "link.toml").write_text(TEXT, "utf-8")
    with program(tmp_path, "run", "link.toml", "--tcp", law, "--quiet") as running:
        time.sleep(5)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "interrupted: 0 replications were finished\n")


def test_finished_replications_are_kept(tmp_path: Path) -> None:
    law = written(tmp_path, avoid="s->cwnd += s->seed % 7 == 0 ? 0.0 / 0.0 : 1.0;")
    with pytest.raises(LawError, match=r"Mine\.avoid at .* cwnd") as error:
        airtcp.run(LOSSY, tcp=law, workers=1, replications=40)
    kept = error.value.result
    assert kept is not None
    failed = kept.json["failed"]
    # Replications run in order, so that all before the failed one are there.
    assert [one["replication"] for one in kept.json["replications"]] == [
        *range(failed["replication"])
    ]
    assert failed["reason"] == str(error.value)
