"""Tables are read by documented names or by options, and asked about otherwise."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp

if TYPE_CHECKING:
    from conftest import Program

FIELD = Path(__file__).parents[1] / "tables"


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("uplinks-with-ack-flag.csv", "--column fcnt --kind sequence", [(240, 44)]),
        ("two-devices-by-name.csv", "--link-column deviceName", [(200, 25), (200, 68)]),
        ("one-way-delays.csv", "--column rtt_ms --kind arrival --lost-value 0", [(400, 61)]),
        (
            "one-way-delays.csv",
            "--column up_delay_ms --kind arrival --lost-value -1",
            [(400, 34)],
        ),
        (
            "one-way-delays.csv",
            "--column down_delay_ms --kind arrival --lost-value -1 --unsent-value 0",
            [(366, 27)],
        ),
    ],
)
def test_options_read_what_was_asked_about(
    run: Program, name: str, options: str, expected: list[tuple[int, int]]
) -> None:
    asked = run("trace", "stats", FIELD / name)
    assert asked.code == 2
    assert "Its columns, with the options that read them" in " ".join(asked.err.split())
    words = shlex.split(options)
    keywords: Any = {
        flag[2:].replace("-", "_"): value
        for flag, value in zip(words[::2], words[1::2], strict=True)
    }
    links = airtcp.stats(FIELD / name, **keywords)["links"]
    counts = [(link["packets"], link["packets"] - link["received"]) for link in links]
    assert counts == expected
    done = run("trace", "stats", FIELD / name, *words, "--details")
    assert done.code == 0, done.err
    assert "taken as" in done.out


def test_numbers_are_values_too() -> None:
    (link,) = airtcp.stats(
        FIELD / "one-way-delays.csv",
        column=4,
        kind="arrival",
        lost_value=-1.0,
        unsent_value=0,
    )["links"]
    assert (link["packets"], link["received"]) == (366, 339)


def test_a_log_of_seconds_is_no_link(run: Program) -> None:
    asked = run("trace", "stats", FIELD / "throughput-log-with-index.csv")
    assert asked.code == 2
    said = " ".join(asked.err.split())
    assert "--rate-column dl_throughput --rate-unit UNIT" in said
    assert "--column seq --kind sequence" in said


def test_a_wide_log_of_rates_is_a_capacity_everywhere(run: Program, tmp_path: Path) -> None:
    path = FIELD / "modem-log-wide.csv"
    for options in ({}, {"rate_column": "rx_kbps"}, {"rate_column": 4}):
        (capacity,) = airtcp.stats(path, **options)["capacities"]
        assert capacity["mean_bps"] == pytest.approx(24.85e6, rel=2e-4)
        assert '"rx_kbps" taken as rates' in capacity["notes"][0]
    (tmp_path / "a.toml").write_text(
        f"""duration = "5 s"
[[links]]
name = "modem"
from = "a"
to = "b"
delay = "20 ms"
forward = {{ rate = {{ trace = "{path}", offset = "20 s" }} }}
[[flows]]
from = "a"
to = "b"
"""
    )
    done = run("run", "a.toml")
    assert done.code == 0, done.err
    done = run("compare", path, "--rate-column", "rx_kbps", "--tcp", "sack")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("iperf317-reverse.json", "8 of 728 datagrams are lost in total"),
        ("windows-fr.txt", "the output of Windows' ping"),
    ],
)
def test_what_has_no_losses_over_time_is_named(run: Program, name: str, said: str) -> None:
    done = run("trace", "stats", FIELD / name)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_datagrams_that_came_late_are_no_outage() -> None:
    (link,) = airtcp.stats(FIELD / "iperf3-counter-shift.json")["links"]
    assert (link["packets"], link["packets"] - link["received"]) == (6120, 120)
    notes = "; ".join(link["notes"])
    assert "no outage" in notes
    assert "paused" not in notes
