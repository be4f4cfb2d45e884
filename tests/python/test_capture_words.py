"""What `airtcp capture` prints: rates, singulars, retransmissions; places of traces, Ctrl-C."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp.questions.capture import findings as words
from airtcp.questions.capture import findings_joined as capture_joined

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"


def _connection(**of_direction: Any) -> dict[str, Any]:
    direction = {
        "from": "a:1",
        "unique_bytes": 31_300,
        "goodput_bps": 29.3e6,
        "transfer_s": 0.00855,
    }
    other = {"from": "b:2", "unique_bytes": 0, "goodput_bps": None, "transfer_s": None}
    return {
        "client": "a:1", "server": "b:2", "vantage": "client", "vantage_told": False,
        "duration_s": 90.7, "directions": [direction | of_direction, other],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("of_direction", "line"),
    [
        ({}, "31.3 kB in 8.55 ms at 29.3 Mb/s in a connection of 90.7 s"),
        (
            {"transfer_s": 90.0, "goodput_bps": 2782.0},
            "31.3 kB in 90.0 s at 0.00278 Mb/s",
        ),
        ({"goodput_bps": None, "transfer_s": 0.0}, "31.3 kB in a connection of 90.7 s"),
        ({"goodput_bps": None, "transfer_s": None}, "31.3 kB in a connection of 90.7 s"),
    ],
)
def test_the_time_belongs_to_the_rate(of_direction: dict[str, Any], line: str) -> None:
    """The time of the transfer stands beside its rate; without a rate, that of the connection."""
    assert words.transfer(_connection(**of_direction)) == f"{line}, captured at the client"


def test_the_rate_is_bytes_by_time() -> None:
    """Goodput times the time of the transfer is the number of bytes, unless the capture ends early.

    One segment has no goodput.
    """
    rates, early = 0, 0
    for path in sorted(DATA.glob("*/*.pcap.gz")):
        for connection in airtcp.capture(path)["connections"]:
            for direction in connection["directions"]:
                rate, took = direction["goodput_bps"], direction["transfer_s"]
                assert (took is None) == (direction["data_segments"] == 0)
                assert took is None or took <= connection["duration_s"] + 1e-9
                if direction["data_segments"] < 2 or not took:
                    assert rate is None
                else:
                    rates += 1
                    whole = rate * took == pytest.approx(8 * direction["unique_bytes"])
                    early += not whole
                    # Data in flight at the end did not arrive, as far as the capture shows.
                    assert whole or direction["largest_outstanding_bytes"] > 0
    assert rates > 20
    assert early < rates / 2


def test_one_has_a_singular() -> None:
    """A single retransmission, timeout or cause is no plural, and its count is not repeated."""
    causes = {"fast": 1, "timeout": 0, "after_timeout": 0, "tail_loss_probe": 0, "unknown": 0}
    direction = {
        "retransmitted_segments": 1, "data_segments": 50, "retransmissions": causes,
        "spurious_retransmissions": 0, "capture_losses": 0,
    }  # fmt: skip
    text = words.losses(direction).text
    assert text == "1 of 50 data segments, in fast recovery. It is not shown to be spurious."
    needless = words.losses(direction | {"spurious_retransmissions": 1}).text
    assert needless.endswith("It was spurious: a copy had arrived.")
    many = direction | {"retransmitted_segments": 26, "retransmissions": causes | {"fast": 26}}
    assert words.losses(many | {"spurious_retransmissions": 1}).text == (
        "26 of 50 data segments, in fast recovery. 1 of them was spurious: a copy had arrived."
    )
    lacking = words.losses(direction | {"retransmitted_segments": 0, "capture_losses": 1})
    assert lacking.tone == "warn"
    assert lacking.text.startswith("50 data segments. The capture lacks one more segment that was")
    found = words.timeouts({"timeout_causes": {"tail": 2, "spurious": 0}})
    assert found is not None
    assert found.headline == "2 timeouts"
    assert found.text.startswith("because fewer than three")
    both = words.timeouts({"timeout_causes": {"tail": 2, "spurious": 1}})
    assert both is not None
    assert both.text.startswith("2 because")
    assert "; 1 spurious" in both.text
    joined = capture_joined.timeouts({"lost_on_link": 3})
    assert joined is not None
    assert joined.text == "after the last attempt of the link failed."
    link = {"transmitter": "a", "receiver": "b"}
    period = {
        "pattern": "mains_50hz",
        "loss_by_half": [0.4, 0.1],
        "p_value": 1e-12,
        "period_s": 0.02,
    }
    finding = capture_joined.period(link, period)
    assert f"{finding.headline}: {finding.text}".startswith(
        "losses of a -> b have a period: that of the mains at 50 Hz"
    )


def test_events_are_a_table_of_the_terminal(program: list[str]) -> None:
    """--events prints the first retransmissions in place of the connections, and how to get all."""
    path = str(DATA / "loss/sender.pcap.gz")

    def shown(*options: str) -> str:
        command = [*program, "capture", path, *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    events = shown("--events")
    rows = airtcp.capture(path).retransmissions.to_polars().sort("time_s")
    for row in rows.head(15).to_dicts():
        assert str(row["sequence"]) in events
    assert "retransmission" in events
    assert "timeouts" not in events
    assert "timeouts" in shown()
    many = airtcp.capture(path, events=True).json["retransmissions"]
    assert len(many) == len(rows)
    assert ("--format csv has all" in events) == (len(many) > 15)


def test_traces_go_to_a_new_folder(program: list[str], tmp_path: Path) -> None:
    """A place that ends in a separator is a folder, which is created."""
    folder = tmp_path / "new" / "links"
    command = [*program, "capture", str(DATA / "loss/sender.pcap.gz"), "--json", "--trace-out"]
    run = subprocess.run([*command, f"{folder}/"], capture_output=True, text=True, check=True)
    files = [Path(name) for name in json.loads(run.stdout)["traces"]["files"]]
    assert files
    assert {file.parent for file in files} == {folder}
    file = tmp_path / "table"
    file.write_text("mine")
    refused = subprocess.run([*command, f"{file}/"], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "a file of this name exists" in refused.stderr
    assert file.read_text() == "mine"


def test_an_interrupted_pipe_is_not_damaged(program: list[str]) -> None:
    """Ctrl-C stops a live capture within a packet: what precedes it is analysed, undamaged."""
    # More than a pipe holds: once it is written, the command is reading.
    cut = gzip.decompress((DATA / "cwnd/capture.pcap.gz").read_bytes())[:140_011]
    command = [*program, "capture", "-", "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        running.stdin.write(cut)
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    document = json.loads(out)
    (file,) = document["files"]
    assert file["packets"] > 50
    assert file["damaged_at_bytes"] is None
    assert file["warnings"] == []
    assert document["interrupted"]
    whole = subprocess.run(command, input=cut, capture_output=True, check=False)
    (file,) = json.loads(whole.stdout)["files"]
    assert file["damaged_at_bytes"] is not None
