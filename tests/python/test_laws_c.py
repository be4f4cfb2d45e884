"""Laws in C: the gate of those in Python, and what a library may not do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import airtcp
from airtcp.laws import LawError
from test_laws import LINK, LOSSY, command
from test_laws_gate import PATHS, SCENARIOS, equal_in, equal_over

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
static void avoid(airtcp_state *s, const airtcp_ack *a) {{ (void)a; {avoid} }}
static double reduced(airtcp_state *s, const airtcp_congestion *c) {{ (void)c; return {reduced}; }}
int airtcp_law_v1(airtcp_law *law) {{
  law->name = "Mine"; law->avoid = avoid; law->reduced = reduced; {table} return 0;
}}
"""


def written(
    folder: Path, *, avoid: str = "s->cwnd += 1;", reduced: str = "s->cwnd / 2", **more: str
) -> str:
    source = folder / "mine.c"
    table = more.get("table", "")
    source.write_text(BODY.format(avoid=avoid, reduced=reduced, table=table), "utf-8")
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
