"""Reported values of comparisons and studies are in their ranges and below the link's capacity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from airtcp.questions.study.result import StudyResult

RATE = 10e6
SHARES = {
    "airtime_share", "b", "busy_share", "error_rate", "g", "isolated_loss_packet_share",
    "isolated_loss_share", "jain_index", "loss_estimate", "loss_event_rate", "loss_rate",
    "probability", "prr", "residual_loss", "retransmission_ratio", "slot_use", "utilisation",
}  # fmt: skip
SIGNED = {
    "autocorrelation", "beta", "center", "k", "loss_excess", "mu", "mu_ci", "prefix",
    "signal_dbm", "snr_db", "success_excess", "x_m", "y_m",
}  # fmt: skip
"""May be below zero: measures of dependence, levels and places."""
DIFFERENCES = ("difference", "difference_bps", "gain", "gain_percent", "less_than_best_bps")
ASKED = {"options", "parameters", "scenario"}
"""Inputs, not results."""


def _numbers(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Return every number that is reported, with the keys that lead to it."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key not in ASKED and not key.endswith(DIFFERENCES):
                yield from _numbers(value, (*path, key))
    elif isinstance(part, list):
        for value in part:
            yield from _numbers(value, path)
    elif isinstance(part, (int, float)) and not isinstance(part, bool):
        yield path, part


def _estimates(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if {"mean", "ci_low", "ci_high"} <= part.keys():
            yield part
        for value in part.values():
            yield from _estimates(value)
    elif isinstance(part, list):
        for value in part:
            yield from _estimates(value)


def _in_range(document: Any) -> int:
    """Check every number against its range, and count the shares."""
    shares = 0
    for path, value in _numbers(document):
        assert math.isfinite(value), path
        *_, above, key = ("", *path)
        # The ends of an interval are in the range of its mean.
        name = above if key in {"mean", "ci_low", "ci_high"} else key
        if name in SHARES:
            shares += 1
            assert 0 <= value <= 1, (path, value)
        elif not SIGNED & set(path):
            assert value >= 0, (path, value)
    for estimate in _estimates(document):
        mean, low, high = (estimate[key] for key in ("mean", "ci_low", "ci_high"))
        if mean is None:
            continue
        assert low is None or low - 1e-9 * abs(mean) <= mean, estimate
        assert high is None or mean <= high + 1e-9 * abs(mean), estimate
    return shares


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("ranges")
    (folder / "link.toml").write_text(f'duration = "2 s"\n{LOSSY_LINK}')
    trace = airtcp.synth(folder / "link.txt", prr=0.8, mu=0.5, packets=6000, seed=1)
    subjects = [folder / "link.toml", trace]
    return airtcp.compare(subjects, tcp="cubic,newreno,tahoe", replications=3, seed=5).json


def test_a_comparison(compared: Any) -> None:
    assert _in_range(compared) > 20
    for subject in compared["subjects"]:
        for case in subject["cases"]:
            for run in case["runs"]:
                if run.get("link_bps") is not None:
                    assert run["goodput_bps"] <= run["carried_bps"] <= run["link_bps"] <= RATE
                assert run["retransmissions"] <= run["segments_sent"]
                assert run["delivery_p50_s"] <= run["delivery_p95_s"]
                if run.get("lossy_packets") is not None:
                    assert run["lossy_packets_lost"] <= run["lossy_packets"]
                if run.get("packets_per_second") is not None:
                    assert run["packets_per_second"] <= 1 / subject["slot_s"]


def test_a_study(study: StudyResult) -> None:
    document: Any = study.json
    assert _in_range(document) > 100
    for link in document["links"]:
        assert link["received"] <= link["packets"]
        assert link["prr"] == pytest.approx(link["received"] / link["packets"])
        assert -1 <= (link["mu"] or 0) <= 1
        low, high = link["prr_ci"]
        assert 0 <= low <= link["prr"] <= high <= 1
        for kind in ("success", "loss"):
            runs = link[f"{kind}_bursts"]
            assert runs["longest"] <= runs["packets"] <= link["packets"]
        tcp = link["tcp"]
        measured = tcp["empirical"]
        assert measured["packets_per_second"] <= 1 / tcp["slot_s"]
        assert measured["delivered_packets"] + measured["retransmissions"] <= (
            measured["sent_packets"] + 1
        )


# Of the kinds that crates/sim/tests/engine/ranges.rs does not draw.
LINKS = {
    "varying rate": 'rate = { trace = "rates.csv" }',
    "ll-arq": 'rate = "10 Mb/s"\nprotocol = { kind = "ll-arq" }',
    "ll-harq": 'rate = "10 Mb/s"\nprotocol = { kind = "ll-harq" }',
    "four hops": 'rate = "10 Mb/s"\nhops = 4',
    "fq-codel": 'rate = "10 Mb/s"\nqueue = { kind = "fq-codel", ecn = true }',
    "pie": 'rate = "10 Mb/s"\nqueue = { kind = "pie" }',
    "jersey": 'rate = "10 Mb/s"\nqueue = { kind = "jersey" }',
    "one packet": 'rate = "10 Mb/s"\nqueue = { kind = "drop-tail", packets = 1 }',
}
SENDERS = ('tcp = "linux"', 'transport = "tfrc"', 'transport = "sliding"', 'transport = "lt-tcp"')


@pytest.mark.parametrize("kind", LINKS)
def test_a_run(tmp_path: Path, kind: str) -> None:
    (tmp_path / "rates.csv").write_text("time_s,rate_mbps\n0,8\n0.3,0\n0.5,2\n1,10\n")
    flows = "".join(f'[[flows]]\nfrom = "a"\nto = "b"\n{sender}\n' for sender in SENDERS)
    (tmp_path / "a.toml").write_text(
        f'duration = "2 s"\nreplications = 2\n[[links]]\nfrom = "a"\nto = "b"\n'
        f'delay = "10 ms"\nloss = {{ model = "bernoulli", probability = 0.05 }}\n{LINKS[kind]}\n'
        + flows
    )
    document: Any = airtcp.run(tmp_path / "a.toml").json
    assert _in_range(document) > 20
    for replication in document["replications"]:
        assert replication["conservation"]["ok"]
        assert all(link["delivered_bps"] <= RATE for link in replication["links"])
        forward = replication["links"][0]["delivered_bps"]
        assert sum(flow["goodput_bps"] for flow in replication["flows"]) <= forward


def test_a_number_out_of_its_range_is_found(compared: Any) -> None:
    for bad in ({"prr": 1.2}, {"retransmission_ratio": {"mean": 2.0}}, {"mean_queue": -1e-21}):
        with pytest.raises(AssertionError):
            _in_range({"a": [bad]})
    assert compared["subjects"]
