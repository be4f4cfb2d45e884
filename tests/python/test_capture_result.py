"""Results of captures: tables, series, the page, and a vantage that is told."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import airtcp
from airtcp.cli.capture import Table
from browser import wait_for

if TYPE_CHECKING:
    from airtcp.questions.capture.result import CaptureResult
    from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"
LAWS = ("reno", "cubic")
_DRAWN = """
[...document.querySelectorAll("[data-chart]")].map((n) => [n.dataset.chart, n.dataset.drawn])
"""
# The middle tenth of the time.
_ZOOM = """(() => {
  const figure = Page.figures.get("sequence0");
  const end = Math.max(...figure.rows().map((row) => row.t));
  figure.view.signal("view_t", [0.45 * end, 0.55 * end]).run();
})()"""


@pytest.fixture(scope="module")
def loss() -> CaptureResult:
    """A transfer of a kernel with losses, captured at the sender."""
    return airtcp.capture(DATA / "loss/sender.pcap.gz", series=True, events=True)


def _upload(result: CaptureResult) -> dict[str, Any]:
    directions = [d for c in result["connections"] for d in c["directions"]]
    return max(directions, key=lambda d: d["unique_bytes"])


def _of(result: CaptureResult, table: str, sender: str) -> pl.DataFrame:
    return result.table(table).to_polars().filter(pl.col("from") == sender)


def _on_one_host(capture: bytes) -> bytes:
    """Give the second flow of a run the addresses of the first, and a port of its own."""
    data, at = bytearray(capture), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        # A packet: addresses and ports of IPv4 and TCP.
        ends = at + 28 + 12
        if kind == 6 and data[ends + 3] == data[ends + 7] == 2:
            is_from_sender = data[ends + 1] == 0
            data[ends + 3] = data[ends + 7] = 1
            struct.pack_into(">H", data, ends + (8 if is_from_sender else 10), 50_000)
        at += length
    return bytes(data)


def test_each_transmission_is_listed_once(tmp_path: Path) -> None:
    """A small connection between the hosts of a transfer brings no rows of the transfer again."""
    link = """
        duration = "5 s"
        [[links]]
        from = "a"
        to = "b"
        rate = "10 Mb/s"
        delay = "20 ms"
        loss = { model = "bernoulli", probability = 0.01 }
        """
    flow = """
        [[flows]]
        from = "a"
        to = "b"
        tcp = "linux"
        """
    text = link + flow + flow + """app = { kind = "bulk", size = "20 kB" }"""
    airtcp.run("two", text=text, replications=1, pcap=tmp_path / "two.pcapng")
    place = tmp_path / "one-host.pcapng"
    place.write_bytes(_on_one_host((tmp_path / "two.pcapng").read_bytes()))
    result = airtcp.capture(place, series=True)
    ends = [(c["client"], c["server"]) for c in result["connections"]]
    assert ends == [("10.0.0.1:49152", "10.1.0.1:9"), ("10.0.0.1:50000", "10.1.0.1:9")]
    sent = [max(d["data_segments"] for d in c["directions"]) for c in result["connections"]]
    assert 0 < sent[1] < sent[0] / 10
    listed = result.table("transmissions").to_polars()
    assert listed.height == sent[0]
    assert set(listed["from"]) == {"10.0.0.1:49152"}


def test_retransmissions_are_a_table_of_the_document(loss: CaptureResult) -> None:
    """Document and frame have the same rows, with the keys that other tools rely on."""
    rows = loss["retransmissions"]
    assert {"time_s", "connection", "from", "sequence", "cause", "spurious"} <= rows[0].keys()
    counted = sum(d["retransmitted_segments"] for c in loss["connections"] for d in c["directions"])
    assert len(rows) == counted > 0
    assert loss.retransmissions.to_polars().to_dicts() == rows
    without = airtcp.capture(DATA / "loss/sender.pcap.gz")
    assert "retransmissions" not in without.json
    assert without.retransmissions.to_polars().equals(loss.retransmissions.to_polars())


def test_the_options_name_every_table(loss: CaptureResult) -> None:
    """`--table` accepts all tables, and each of them has rows."""
    assert [table.value for table in Table] == loss.tables
    for name in set(loss.tables) - {"links", "rates", "between"}:
        assert loss.table(name).to_polars().height > 0, name


def test_series_add_up_to_the_counters(loss: CaptureResult) -> None:
    """The points of a short transfer are complete: they repeat what the report counts."""
    upload = _upload(loss)
    segments = _of(loss, "segment_series", upload["from"])
    assert segments["one_of"].unique().to_list() == [1]
    assert segments.height == upload["data_segments"]
    again = segments.filter(pl.col("kind") == "retransmission")
    assert again.height == upload["retransmitted_segments"]
    assert again["spurious"].sum() == upload["spurious_retransmissions"]
    assert segments["length"].sum() == upload["payload_bytes"]
    first = segments.filter(pl.col("kind") == "first")
    # The stream begins at 0, and every byte is sent for the first time once.
    assert first["offset_bytes"].to_list()[0] == 0
    ends = first["offset_bytes"] + first["length"].cast(pl.Int64)
    assert first["offset_bytes"].to_list()[1:] == ends.to_list()[:-1]
    acks = _of(loss, "ack_series", upload["from"])
    assert acks["ack_offset_bytes"].max() <= int(ends.max()) + 1  # pyright: ignore[reportArgumentType, reportOperatorIssue]
    blocks = _of(loss, "sack_series", upload["from"])
    assert (blocks["end_offset_bytes"] > blocks["start_offset_bytes"]).all()
    assert blocks["duplicate"].sum() == upload["dsacks"]
    rtts = _of(loss, "rtt_series", upload["from"])
    assert rtts.height == upload["rtt_s"]["samples"]
    assert rtts["rtt_s"].mean() == pytest.approx(upload["rtt_s"]["mean"], rel=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_the_congestion_window_is_that_of_the_sender(law: str, tmp_path: Path) -> None:
    """Where the flight shows the congestion window, it is the simulator's own within 1.5 segments.

    The flight has whole segments, and the window grows by one in a round trip.
    """
    capture = tmp_path / "run.pcapng"
    run = airtcp.run(
        ROOT / "scenarios/lossy-link.toml",
        replications=1,
        series=True,
        pcap=capture,
        overrides={"duration": "30 s", "flows[0].tcp": {"congestion": law}},
    )
    result = airtcp.capture(capture, series=True)
    upload = _upload(result)
    assert upload["cwnd_bytes"]["round_trips"] > 50
    rounds = _of(result, "window_series", upload["from"]).drop_nulls("cwnd_bytes")
    start = result["connections"][0]["start_s"]
    estimated = rounds.select((pl.col("time_s") - start).alias("t_s"), "cwnd_bytes").sort("t_s")
    own = run.table("window_series").to_polars().filter(pl.col("side") == "client").sort("t_s")
    joined = estimated.join_asof(own.select("t_s", pl.col("cwnd_bytes").alias("own")), on="t_s")
    error = (joined["cwnd_bytes"].cast(pl.Float64) - joined["own"]).abs()
    near = (error <= 1.5 * upload["largest_segment_bytes"]).to_list()
    assert sum(near) >= 0.95 * len(near)
    assert upload["cwnd_bytes"]["max"] <= int(own["cwnd_bytes"].max()) + 1500  # pyright: ignore[reportArgumentType]


def test_a_told_vantage_replaces_the_inferred_one() -> None:
    """At the receiver, out-of-order segments exist; told to be the sender, they were sent again."""
    path = DATA / "ipv6/receiver.pcap.gz"
    inferred, told = airtcp.capture(path), airtcp.capture(path, vantage="client")
    assert not inferred["connections"][0]["vantage_told"]
    assert {c["vantage"] for c in told["connections"]} == {"client"}
    assert all(c["vantage_told"] for c in told["connections"])
    assert _upload(inferred)["out_of_order"] > 0
    assert _upload(told)["out_of_order"] == 0
    with pytest.raises(airtcp.AirtcpError, match="vantage: unknown value"):
        airtcp.capture(path, vantage="moon")


def test_timeouts_have_causes() -> None:
    """The causes of timeouts add up, and the frozen link's timeouts are spurious."""
    for name in ("freeze", "bbr", "bursts", "loss", "no-sack"):
        result = airtcp.capture(DATA / name / "sender.pcap.gz")
        for connection in result["connections"]:
            for direction in connection["directions"]:
                assert sum(direction["timeout_causes"].values()) == direction["timeouts"], name
                agreed = sum(direction["spurious_agreement"].values())
                assert agreed == direction["spurious_retransmissions"], name


def test_the_page(loss: CaptureResult, browser: Browser, tmp_path: Path) -> None:
    """Every diagram is drawn without a complaint, and zooming fills in the segments in view."""
    path = loss.report(tmp_path / "page.html")
    page = browser.open(path)
    names = page.evaluate(_DRAWN)
    assert ["sequence0", "sequence0"] in names
    assert all(drawn not in (None, "empty") for _, drawn in names), names
    assert "Time-sequence diagram" in page.inner_text("body")
    before = page.evaluate("Page.figures.get('sequence0').rows().length")
    page.evaluate(_ZOOM)
    wait_for(page, f"Page.figures.get('sequence0').rows().length < {before}")


def test_hostile_names_are_escaped(tmp_path: Path) -> None:
    """The name of a file can neither steer a terminal nor become markup."""
    path = tmp_path / "a\x1b[31m<script>alert(1)<.pcap.gz"
    path.write_bytes((DATA / "loss/sender.pcap.gz").read_bytes())
    page = airtcp.capture(path).page()
    assert "<script>alert" not in page
    assert "\x1b" not in page
    run = subprocess.run(
        [sys.executable, "-m", "airtcp", "capture", path], capture_output=True, check=True
    )
    assert b"\x1b[31m<" not in run.stdout


def test_out_holds_all_tables(tmp_path: Path) -> None:
    """`--out` writes the document, the page and each table; `--table` prints one of them."""
    path, out = DATA / "bursts/sender.pcap.gz", tmp_path / "out"
    program = [sys.executable, "-m", "airtcp", "capture", str(path)]
    subprocess.run([*program, "--out", str(out)], capture_output=True, check=True)
    result = airtcp.capture(path, series=True)
    assert {p.name for p in out.glob("[!.]*")} == {
        "capture.json",
        "report.html",
        *(f"{name}.parquet" for name in result.tables),
    }
    assert json.loads((out / "capture.json").read_text()) == result.json
    for name in result.tables:
        assert pl.read_parquet(out / f"{name}.parquet").equals(result.table(name).to_polars()), name
    run = subprocess.run(
        [*program, "--table", "window_series", "--format", "csv"], capture_output=True, check=True
    )
    assert pl.read_csv(run.stdout).height == result.table("window_series").to_polars().height


def test_the_document_comes_in_pieces(loss: CaptureResult, tmp_path: Path) -> None:
    """The pieces are the text; the head has the connections with the most bytes, and all else."""
    pieces: list[str] = []
    loss.put_text(pieces.append)
    assert "".join(pieces) == loss.text
    assert json.loads(loss.text) == loss.json
    assert loss.json == loss.head | {"answer": loss.answer().document()}
    folder = ROOT / "benches"
    program = (
        "import sys, pathlib, capture_file as c; c.connections(pathlib.Path(sys.argv[1]), 1200)"
    )
    path = tmp_path / "many.pcap"
    subprocess.run([sys.executable, "-c", program, path], cwd=folder, check=True)
    many = airtcp.capture(path)
    assert (many.total, len(many["connections"]), many["omitted"]) == (1200, 1200, 0)
    known = {key: part for key, part in many.json.items() if key != "answer"}
    assert many.head == known | {"connections": many["connections"][:1000]}
    sizes = [sum(d["unique_bytes"] for d in c["directions"]) for c in many["connections"]]
    assert sizes == sorted(sizes, reverse=True)
    starts = [c["start_s"] for c in many["connections"]]
    assert starts == sorted(starts)
    run = subprocess.run(
        [sys.executable, "-m", "airtcp", "capture", path], capture_output=True, check=True
    )
    shown = run.stdout.decode().replace("\u202f", "")
    assert shown.startswith("The largest of 1200 connections, ")
    assert "and 1192 more: --details" in shown
