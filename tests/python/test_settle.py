"""What an answer advises to run holds: the few that it names, and the number of replications."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import airtcp
from airtcp.cli import show
from airtcp.questions.compare import answer_table, quantities, settle
from airtcp.questions.compare.answer_tcp import told
from examples import SCENARIOS
from made_cases import case, compared, outcome, subject

if TYPE_CHECKING:
    import pytest

    from conftest import Program

LOSSY = SCENARIOS / "lossy-link.toml"


def _runs(variant: str, *mbps: float, sooner: float = 0.1) -> list[dict[str, Any]]:
    return [
        {
            "variant": variant,
            "goodput_bps": 1e6 * rate,
            "delivery_p95_s": sooner,
            "retransmission_ratio": 0.01,
        }
        for rate in mbps
    ]


def _open(scatter: float) -> Any:
    """Two TCPs 5 % apart, whose differences scatter, and one that cannot be told from them."""
    rates = {"sack": 10.0, "veno": 9.5, "vegas": 9.99}
    signs = [1.0, -1.0] * 5
    runs = [
        run
        for name, rate in rates.items()
        for run in _runs(name, *(rate + (name != "sack") * scatter * sign for sign in signs))
    ]
    made = case(
        [outcome(name, rate) for name, rate in rates.items()],
        "sack",
        not_distinguishable=["veno", "vegas"],
        needed=400,
    )
    return made | {"runs": runs}


def test_the_number_is_that_of_the_few_and_grows_with_the_scatter() -> None:
    small, large = (settle.tcps(_open(s), "sack", ["veno", "vegas"]) for s in (0.3, 0.8))
    assert small is not None
    assert large is not None
    assert small.number is not None
    assert large.number is not None
    assert 10 < small.number < large.number < 400
    # What needs far more than a screenful of replications is not among the few.
    assert settle.tcps(_open(50.0), "sack", ["veno"]) == settle.Settling(["veno"], None)


def test_one_difference_that_matters_decides_a_pair() -> None:
    # Goodput would need hundreds, but the delivery times differ in every replication.
    made = _open(0.8)
    for run in made["runs"]:
        run["delivery_p95_s"] = 0.2 if run["variant"] == "veno" else 0.1
    found = settle.tcps(made, "sack", ["veno"])
    assert found is not None
    assert found.number == 11


def test_the_command_names_the_few() -> None:
    few = settle.Settling(["per-station:controller={}"], None)
    command = few.command("schemes", "base", 8)
    assert shlex.split(command) == ["--schemes", "base,per-station:controller={}", "-n", "16"]
    assert few.tells(8).endswith("alone (-n 16) may tell.")


def test_the_advised_replications_tell_in_a_cell() -> None:
    cell = SCENARIOS / "wifi-slow-station.toml"
    first = airtcp.compare_schemes(cell, schemes="all").answer()
    assert first is not None
    advised = str(first.next).removeprefix("To tell: ").partition("   ")[0]
    options = shlex.split(advised)
    assert first.table is not None
    assert len(first.table.names) == 9
    named, number = options[1].split(","), int(options[3])
    assert number < 40
    result = airtcp.compare_schemes(cell, schemes=named, replications=number)
    said = result.answer()
    assert said is not None
    assert not said.headline.startswith("Cannot tell")
    undecided = [
        name
        for question in result.json["subjects"][0]["verdict"]["questions"]
        for name in question.get("undecided", [])
        if name not in {*question["better"], *question["worse"]}
    ]
    assert not set(undecided) & set(named[1:2])


def test_the_advised_replications_tell_of_tcps() -> None:
    few = airtcp.compare(LOSSY, tcp="cubic,sack,veno,vegas", replications=3, remedies=False)
    first = few.answer()
    assert first is not None
    assert first.headline.startswith("Cannot tell which of ")
    advised = str(first.next).removeprefix("To tell: ").partition("   ")[0]
    _, named, _, number = shlex.split(advised)
    said = airtcp.compare(LOSSY, tcp=named, replications=int(number), remedies=False).answer()
    assert said is not None
    assert not said.headline.startswith("Cannot tell")


def test_bbr_of_linux_is_tried() -> None:
    result = airtcp.compare(LOSSY, remedies=False)
    assert result.json["variants"][-1] == "bbr1"
    said = result.answer()
    assert said is not None
    assert said.headline.startswith("Of the TCPs tried that fit this path, bbr1 gets most: ")
    # Two TCPs that are named are all that is compared: nothing is said of others.
    two = told(
        case(
            [outcome("sack", 2.0), outcome("cubic", 1.0)], "sack", worse=[compared("cubic", "sack")]
        )
    )
    assert two.headline == "sack gets most here: 2.0 Mb/s, and cubic 1.0."


def test_the_scenario_as_it_is_stands_in_the_table() -> None:
    text = LOSSY.read_text("utf-8").replace("100 s", "10 s")
    for given, name in (
        ('"linux"', "sack"),
        ('{ profile = "linux", congestion = "cubic" }', "cubic"),
        ('{ profile = "linux", congestion = "hybla" }', "own"),
        ('"s0"', "own"),
    ):
        scenario = text.replace('"linux"', given)
        said = airtcp.compare("link", text=scenario, replications=3).answer()
        assert said is not None
        assert said.table is not None
        rows = dict(zip(said.table.names, said.table.columns[-1].cells, strict=True))
        assert "scenario's own" in rows[name], given
        assert sum("scenario's own" in cell for cell in rows.values()) == 1


def test_a_law_over_another_link_or_with_other_flows_is_not_as_it_is() -> None:
    tcp = {"congestion": {"law": "reno"}}
    entries = [
        {"variant": name, "transport": "tcp", "parameters": tcp} for name in ("sack", "sack@ll-arq")
    ]
    flows = [{"transport": "tcp", "tcp": tcp}]
    made = subject(case([], None), tcp=entries, scenario={"flows": flows})
    assert quantities.own(made) == {"sack"}
    other = {"transport": "tcp", "tcp": {"congestion": {"law": "cubic"}}}
    made["scenario"]["flows"] = [*flows, other]
    assert quantities.own(made) == set()
    assert quantities.own(subject(case([], None), tcp=entries, scenario=None)) == set()


def test_a_table_keeps_the_scenario_as_it_is_among_many() -> None:
    outcomes = [outcome(f"cubic:beta=0.{i}", 5.0 + i) for i in range(30)]
    outcomes.append(outcome("own", 1.0))
    worse = [compared(o["variant"], "cubic:beta=0.29") for o in outcomes[:-2]]
    made = case(outcomes, "cubic:beta=0.29", worse=[*worse, compared("own", "cubic:beta=0.29")])
    own = {"variant": "own", "transport": "tcp", "parameters": {}}
    grid = answer_table.table(subject(made, tcp=[own]))
    assert grid.names[-1] == "own"
    assert grid.columns[-1].cells[-1] == "scenario's own"


def test_a_comparison_beside_a_rival_fits_a_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = airtcp.compare(LOSSY, share="cubic", overrides={"duration": "20 s"}).answer()
    assert said is not None
    show.put_answer(said, details=False)
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 25
    assert "verdict" in out
    assert "scenario's own" in out


def test_the_queue_of_a_wire_is_not_that_of_a_cell() -> None:
    cell = SCENARIOS / "wifi-slow-station.toml"
    result = airtcp.compare(
        cell, tcp="cubic,vegas", replications=2, remedies=False, overrides={"duration": "4 s"}
    )
    said = result.answer()
    assert said is not None
    assert said.table is not None
    assert not any("queue" in column.heading for column in said.table.columns)
    heads = [c.heading for part in said.details if hasattr(part, "columns") for c in part.columns]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportAttributeAccessIssue]
    assert "wired queue (ms)" in heads
    link = airtcp.compare(LOSSY, tcp="cubic,vegas", replications=2, remedies=False).answer()
    assert link is not None
    assert link.table is not None
    assert any(column.heading == "queue (ms)" for column in link.table.columns)


def test_a_rate_control_is_no_scheme(run: Program) -> None:
    cell = str(SCENARIOS / "wifi-star.toml")
    for name in ("arf", "ideal", "ftca+minstrel-ht"):
        bare = name.rpartition("+")[2]
        refused = run("compare", cell, "--schemes", name)
        assert f"{bare} is a rate control of stations, no scheme" in refused.err
        assert f"--set cells[0].rate_control.control={bare}" in refused.err


def test_the_list_of_schemes_names_what_all_tries(run: Program) -> None:
    said = " ".join(run("list", "scheme").out.split())
    for name in ("--schemes all", "base (the cell as it is)", "edca", "rts", "ack-1", "list queue"):
        assert name in said
    assert "--schemes all" not in run("list", "queue").out
