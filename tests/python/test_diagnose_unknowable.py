"""What a capture cannot tell of other TCPs: without SACK, in a shared queue, over aggregates."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.diagnose import findings as words
from airtcp.questions.diagnose import predict
from airtcp.questions.diagnose.answer import answer
from airtcp.questions.diagnose.unknowable import (
    BATCH,
    is_without_sack,
    may_be_application,
    only_own,
)

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
duration = "5 s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = {rate}
delay = "25 ms"
queue = {{ kind = "drop-tail", packets = 40 }}
loss = {{ model = "bernoulli", probability = {loss} }}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "cubic"{tcp} }}
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave few TCPs."""
    monkeypatch.setattr(predict, "laws", lambda: ["reno", "cubic", "bbr1"])
    monkeypatch.setattr(predict, "_TRANSPORTS", ())


def _diagnosed(folder: Path, rate: str, tcp: str = "", loss: float = 0.005) -> Any:
    place = folder / "made.pcapng"
    text = LINK.format(rate=rate, tcp=tcp, loss=loss)
    airtcp.run("made", text=text, seed=3, replications=1, pcap=place)
    return airtcp.diagnose(place, replications=10).json


def test_losses_without_sack_predict_nothing(tmp_path: Path) -> None:
    """The reason and what would tell are named."""
    document = _diagnosed(tmp_path, '"8 Mb/s"', ', sack = false, recovery = "newreno"')
    assert document["obstacle"] == "no-sack"
    assert document["predictions"] == []
    said = answer(document)
    assert "because it repaired losses without SACK" in said.headline
    assert "would tell" in (said.help or "")


def test_over_aggregates_only_the_own_tcp_is_predicted(tmp_path: Path) -> None:
    """16 packets at once each 20 ms are 9.6 Mb/s in the mean; no other TCP is named."""
    trace = tmp_path / "aggregates.mahi"
    trace.write_text("".join(f"{20 * n}\n" * 16 for n in range(1, 400)), "utf-8")
    document = _diagnosed(tmp_path, f'{{ trace = "{trace}" }}', loss=0.0005)
    assert "batches" in document["doubts"]
    assert document["obstacle"] is None
    assert [row["variant"] for row in document["predictions"]] == ["cubic"]
    said = answer(document).help
    assert said is not None
    assert said.startswith("Whether another TCP helps cannot be told, because ")
    assert "would tell" in said
    assert words.better(document) == []


def _seen(**more: Any) -> dict[str, Any]:
    rate = {"kind": more.pop("kind", "steady"), "has_phases": False}
    still = {"found": more.pop("still", False)}
    usual = {"has_sack": True, "lost": 5, "batch_packets": 2, "shared": None}
    return {**usual, "rate": rate, "stand_stills": still, **more}


def test_a_queue_may_be_shared_unless_its_drops_exclude_it() -> None:
    """A rate without a single value is also what others in the queue leave."""
    kind = "varying"
    own = {"backlog_spread": 0.02}
    apart = {"backlog_spread": 0.4}
    assert only_own(_seen(kind=kind), has_air=False) == ["sharing"]
    assert only_own(_seen(kind=kind, shared=apart), has_air=False) == ["sharing"]
    few = {"backlog_spread": None}
    assert only_own(_seen(kind=kind, shared=few), has_air=False) == ["sharing"]
    assert only_own(_seen(kind=kind, shared=own), has_air=False) == []
    # A capture of the air shows the link itself, and stand-stills are replayed.
    assert only_own(_seen(kind=kind), has_air=True) == []
    assert only_own(_seen(kind=kind, still=True), has_air=False) == []
    # Few packets in the queue exclude nothing.
    assert only_own(_seen(kind="weak", shared=own), has_air=False) == ["sharing"]


def test_a_steady_link_of_its_own_allows_predictions() -> None:
    assert only_own(_seen(), has_air=False) == []
    assert only_own(_seen(batch_packets=BATCH), has_air=False) == ["batches"]
    assert is_without_sack(_seen(has_sack=False))
    assert not is_without_sack(_seen(has_sack=False, lost=0))
    assert only_own(_seen(has_sack=False, lost=0), has_air=False) == ["no-sack"]


def test_over_a_weak_link_the_own_tcp_may_get_what_it_got() -> None:
    """Replays that get twice the goodput are no lower bound for the same TCP."""
    asked: Any = SimpleNamespace(
        seen={"rate": {"kind": "weak", "value_bps": 5e6}, "goodput_bps": 1e6},
        sender=SimpleNamespace(law="cubic"),
        seed=1,
    )
    found = predict.Replays([], [], {"cubic": [2e6] * 20, "reno": [2e6] * 20}, [])
    lows = {row["variant"]: row["low"] for row in predict.predictions(found, asked)}
    assert lows["cubic"] == 1e6
    assert (lows["reno"] or 0) > 1.5e6


def test_pauses_without_a_rate_may_be_the_application() -> None:
    """A known rate of the application is a part of the scenario; an unknown one is not."""
    assert may_be_application({"application": None}, 0.6)
    assert not may_be_application({"application": None}, 0.4)
    assert not may_be_application({"application": {"rate_bps": 6e6}}, 0.6)
