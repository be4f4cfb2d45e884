"""Diagnoses: known links are found again, every capture is answered, and doubt is stated."""

from __future__ import annotations

import gzip
import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import airtcp
from airtcp.diagnosis import matching, pipeline
from airtcp.diagnosis import replay as replaying
from airtcp.diagnosis.exact import count_interval, share_interval
from airtcp.diagnosis.losses import fit_losses
from airtcp.diagnosis.model import sender_of
from airtcp.diagnosis.transfer import Transfer, transfer_of
from airtcp.findings import diagnose as words
from test_guide import on_a_terminal

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"
GUIDE = ROOT / "docs/guide/diagnose.md"
LINK = """
duration = "5 s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = "8 Mb/s"
delay = "25 ms"
queue = {{ kind = "drop-tail", packets = 40 }}
{loss}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "cubic"{tcp} }}
{app}
"""


def _made(folder: Path, *, loss: str = "", tcp: str = "", app: str = "") -> Path:
    place = folder / "made.pcapng"
    text = LINK.format(loss=loss, tcp=tcp, app=app)
    airtcp.run("made", text=text, seed=5, replications=1, pcap=place)
    return place


def _transfer(path: Path) -> Transfer:
    found = transfer_of(airtcp.capture(path, events=True).json, None)
    assert found is not None
    return found


def _fit(path: Path) -> Any:
    transfer = _transfer(path)
    losses = fit_losses(transfer)
    replayer = pipeline.fitting_replayer(transfer, sender_of(transfer, "cubic", None), 1)
    match = matching.match(replayer, losses, None, lambda _done, _planned: None)
    return pipeline.fitted(transfer, losses, match, told=False)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave few candidates, few replays and few TCPs."""
    monkeypatch.setattr(matching, "_FACTORS", (1.0, 1.8, 50.0))
    monkeypatch.setattr(matching, "_ALL", 3)
    monkeypatch.setattr(pipeline.answering, "laws", lambda: ["reno", "cubic", "bbr"])


def _document(rows: list[tuple[int, bool]]) -> dict[str, Any]:
    """Make the document of a capture with retransmissions of segments of 1000 bytes."""
    path = DATA / "loss" / "sender.pcap.gz"
    document = airtcp.capture(path, events=True).json
    number = max(range(2), key=lambda i: document["connections"][i]["packets"])
    direction = document["connections"][number]["directions"][0]
    document["retransmissions"] = [
        {
            "time_s": float(i),
            "connection": number,
            "from": direction["from"],
            "sequence": s % (1 << 32),
            "length": 1000,
            "spurious": spurious,
        }
        for i, (s, spurious) in enumerate(rows)
    ]
    direction["retransmitted_segments"] = len(rows)
    direction["spurious_retransmissions"] = sum(spurious for _, spurious in rows)
    return document


def _losses(rows: list[tuple[int, bool]]) -> Any:
    found = transfer_of(_document(rows), None)
    assert found is not None
    return fit_losses(found)


def test_bursts_are_runs_of_neighbouring_segments() -> None:
    """Bursts are counted across the wrap of the sequence number, and spurious ones left out."""
    wrap = (1 << 32) - 1000
    burst = [(wrap, False), (wrap + 1000, False), (wrap + 2000, False)]
    fit = _losses([*burst, (wrap + 9000, False), (wrap + 20_000, True), (wrap + 1000, False)])
    assert (fit["lost"], fit["lost_first"], fit["bursts"]) == (5, 4, 2)
    assert (fit["longest_burst"], fit["lost_again"]) == (3, 1)
    # Too few to fit.
    assert fit["mean_burst"] is None
    assert not fit["bursty"]


def test_the_chain_of_gilbert_has_the_closed_form() -> None:
    """g = k/n, with the exact interval of a share; independence is tested."""
    starts = [40_000 * i + 1000 * j for i in range(6) for j in range(3)]
    fit = _losses([(start, False) for start in starts])
    low, high = share_interval(6, 18)
    assert fit["mean_burst"] == pytest.approx(3.0)
    assert fit["mean_burst_low"] == pytest.approx(1 / high)
    assert fit["mean_burst_high"] == pytest.approx(1 / low)
    assert fit["bursty"]
    # A burst is one event, so the interval of the loss is that of six events.
    events = count_interval(6)
    assert fit["share_high"] / fit["share"] == pytest.approx(events[1] / 6)
    alone = _losses([(20_000 * i, False) for i in range(18)])
    assert not alone["bursty"]


def test_the_overshoot_of_slow_start_is_left_out() -> None:
    """Many losses of the first window happen once; later losses are those of the link."""
    early = [(2000 * i, False) for i in range(12)]
    late = [(100_000 + 30_000 * i, False) for i in range(10)]
    fit = _losses([*early, *late])
    assert (fit["lost"], fit["overshoot"], fit["lost_first"]) == (22, 12, 10)
    assert fit["steady_share"] < fit["share"]
    # As many losses, spread, are no overshoot.
    assert _losses([(20_000 * i, False) for i in range(22)])["overshoot"] == 0


@pytest.mark.parametrize(("events", "trials"), [(0, 30), (3, 10), (30, 30), (400, 9000)])
def test_exact_intervals_invert_the_test(events: int, trials: int) -> None:
    """At each end, the probability of what was seen, or more, is 2.5 % (Clopper and Pearson)."""
    from airtcp.diagnosis.exact import at_least, at_most

    low, high = share_interval(events, trials)
    assert low == 0.0 if events == 0 else at_least(events, trials, low) == pytest.approx(0.025)
    assert (
        high == 1.0 if events == trials else at_most(events, trials, high) == pytest.approx(0.025)
    )


def test_a_link_whose_queue_overflows_is_found_again(tmp_path: Path) -> None:
    """Rate, delay and queue are those of the simulated link, and overflow is not excluded."""
    link = _fit(_made(tmp_path))
    assert link["rate_bps"]["low"] <= 8e6 <= link["rate_bps"]["high"] < 8.8e6
    assert link["delay_s"]["low"] <= 0.025 <= link["delay_s"]["high"] < 0.027
    assert link["queue_packets"]["low"] <= 40 <= link["queue_packets"]["high"] < 48
    assert min(each["part"] for each in link["origins"] if each["possible"]) == 0
    assert link["link_loss"]["low"] == 0 < link["link_loss"]["high"] < 0.003
    assert link["utilisation"] > 0.85


def test_a_link_that_loses_packets_is_found_again(tmp_path: Path) -> None:
    """Losses of the link are not taken for overflow, and the open end of the rate is stated."""
    link = _fit(_made(tmp_path, loss='loss = { model = "bernoulli", probability = 0.02 }'))
    assert link["rate_bps"]["low"] <= 8e6
    assert link["link_loss"]["low"] <= 0.02 <= link["link_loss"]["high"]
    assert min(each["part"] for each in link["origins"] if each["possible"]) > 0.1
    assert link["queue_packets"]["high"] is None


@pytest.mark.usefixtures("quick")
def test_a_small_receive_window_is_the_limit_and_a_larger_one_the_remedy(tmp_path: Path) -> None:
    """The gain is that of the window over a link that carries it, and less over the least link."""
    result = airtcp.diagnose(_made(tmp_path, tcp=', receive_buffer = "15 kB"'), replications=5)
    gains = {(w["factor"], w["rate_bps"] > 8e6): w["gain"]["value"] for w in result.json["windows"]}
    assert gains[2, True] == pytest.approx(2, rel=0.1)
    assert gains[8, False] < gains[8, True] / 2
    headlines = [finding.headline for finding in result.findings]
    assert headlines[0] == "Limited by the receive window"
    assert "A larger receive window helps" in headlines


def test_an_application_that_sets_the_pace_is_said(tmp_path: Path) -> None:
    """No other TCP is recommended to an application that has nothing to send."""
    app = 'app = { kind = "constant-rate", rate = "1 Mb/s" }'
    result = airtcp.diagnose(_made(tmp_path, app=app))
    assert result.json["obstacle"] == "application"
    assert result.json["answers"] is None
    assert "No other TCP would help" in [finding.headline for finding in result.findings]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.pcap.gz")), ids=lambda p: p.parent.name)
def test_every_labelled_capture_is_answered(path: Path) -> None:
    """An answer is a fit with its replay, or the reason why there is none."""
    result = airtcp.diagnose(path, replications=5)
    document = result.json
    assert (document["replay"] is None) == (document["obstacle"] is not None)
    assert result.findings
    is_of_air = path.name in {"air.pcap.gz", "monitor.pcap.gz"}
    assert (document["air"] is not None) == is_of_air
    if path.parent.name in {"duplicates", "ipv6"} and document["link"] is not None:
        # The links of these folders duplicate packets.
        assert document["doubts"]
    if document["answers"] is not None and not document["answers"]["trusted"]:
        assert not [f for f in result.findings if "most goodput" in f.headline]
    jsonschema.validate(json.loads(result.text), airtcp.schema("diagnose"))
    for finding in result.findings:
        # The terminal writes "headline: text".
        assert ":" not in finding.headline
        assert finding.text.endswith((".", "?"))


@pytest.mark.parametrize("kind", ["diagnose", "fit"])
def test_the_schemas_of_the_reference_are_current_and_explain_each_field(kind: str) -> None:
    """The files of the reference are what the types give, and no field lacks a meaning."""
    path = ROOT / "docs" / "reference" / f"{kind}.schema.json"
    schema = airtcp.schema(kind)  # pyright: ignore[reportArgumentType]
    assert json.loads(path.read_text("utf-8")) == schema
    own = [schema, *(each for name, each in schema["$defs"].items() if "." not in name)]
    for record in own:
        assert record["description"]
        assert all(field.get("description") for field in record["properties"].values()), record
    assert not jsonschema.Draft202012Validator.check_schema(schema)


def test_a_schema_refuses_other_fields() -> None:
    """A document with a field that the types do not have is refused, as is one that lacks one."""
    document = airtcp.diagnose(DATA / "freeze" / "sender.pcap.gz", connection=0).json
    schema = airtcp.schema("diagnose")
    jsonschema.validate(document, schema)
    for wrong in ({**document, "more": 1}, {k: v for k, v in document.items() if k != "link"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_short_transfer_is_said_in_whole_sentences() -> None:
    """The number of segments stands beside the number that a diagnosis needs."""
    document = airtcp.diagnose(DATA / "freeze" / "sender.pcap.gz", connection=0).json
    assert document["obstacle"] == "short"
    assert document["observed"] is not None
    document["observed"]["limited_by"] = dict.fromkeys(document["observed"]["limited_by"], 0.0)
    document["observed"]["limited_by"]["slow_start"] = 1.0
    first = words.findings(document)[0]
    assert first.headline == "Too short for a diagnosis"
    assert first.text.endswith(
        "a diagnosis needs 50. The transfer was limited by slow start 100 % of the time."
    )


def test_a_repeated_diagnosis_replaces_its_result(tmp_path: Path, program: list[str]) -> None:
    """The folder of a result is replaced by the same command without --force."""
    source = str(DATA / "freeze" / "sender.pcap.gz")
    command = [*program, "diagnose", source, "--connection", "0", "--out", str(tmp_path / "d")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("quick")
def test_the_result_depends_on_the_seed_only(tmp_path: Path) -> None:
    """Equal captures and seeds give equal documents, and the scenario runs."""
    path = DATA / "bursts" / "sender.pcap.gz"
    first, second = (airtcp.diagnose(path, replications=5, workers=n) for n in (1, 2))
    assert first.text == second.text
    place = first.write_scenario(tmp_path / "link.toml")
    assert place is not None
    flows = airtcp.run(place).json["replications"][0]["flows"]
    assert flows[0]["goodput_bps"] > 0
    assert "<html" in first.page()
    assert [first.table(name).to_polars().is_empty() for name in first.tables] == [False] * 3


@pytest.mark.usefixtures("quick")
def test_an_unlike_replay_ranks_nothing() -> None:
    """If the replay differs from the transfer, no TCP and no origin of the losses is named."""
    document = airtcp.diagnose(DATA / "bursts" / "sender.pcap.gz", replications=5).json
    assert document["replay"] is not None
    assert document["answers"] is not None
    document["replay"]["reproduces"] = document["answers"]["trusted"] = False
    document["replay"]["statistics"][0]["inside"] = False
    headlines = [finding.headline for finding in words.findings(document)]
    assert "What would help is unknown" in headlines
    assert "The origin of the losses is unknown" in headlines
    assert "The model does not reproduce this transfer" in headlines
    assert not [line for line in headlines if "most goodput" in line]
    # Data that arrived faster than the fit allows are said, and not used.
    assert document["link"] is not None
    assert document["observed"] is not None
    document["link"]["rate_bps"]["high"] = 5e6
    for fastest, said in ((8.4e6, 1), (5.2e6, 0)):
        document["observed"]["delivery_bps"] = fastest
        texts = [finding.text for finding in words.findings(document)]
        assert sum("data arrived at up to" in text for text in texts) == said


def test_finished_steps_stay_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The losses are known before the first replay."""

    def stopped(*_: object) -> None:
        raise replaying.Stopped

    monkeypatch.setattr(replaying.Replayer, "replay", stopped)
    document = airtcp.diagnose(DATA / "loss" / "sender.pcap.gz").json
    assert document["interrupted"]
    assert document["losses"] is not None
    assert document["losses"]["lost"] == 19
    assert document["link"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connection": 7}, "connection 7: the capture has 2, numbered from 0"),
        ({"tcp": "tcp"}, "no such congestion law"),
        ({"rate": "20"}, "expected a number above 0 with a unit"),
        ({"rtt": "0 ms"}, "expected a number above 0 with a unit"),
        ({"replications": 4}, "expected 5 or more; .* too wide"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(airtcp.AirtcpError, match=message):
        airtcp.diagnose(DATA / "loss" / "sender.pcap.gz", **options)


def test_a_capture_without_tcp_is_said(tmp_path: Path) -> None:
    """A capture without packets is an answer, not an error."""
    place = tmp_path / "empty.pcap"
    data = gzip.decompress((DATA / "loss" / "sender.pcap.gz").read_bytes())
    place.write_bytes(data[:24])
    result = airtcp.diagnose(place)
    assert result.json["obstacle"] == "no-data"
    assert [finding.headline for finding in result.findings] == ["No transfer to diagnose"]


def test_the_guide_shows_a_diagnosis(tmp_path: Path, program: list[str]) -> None:
    """The commands of the guide print what it shows."""
    page = GUIDE.read_text("utf-8")
    commands, shown = page.split("```\n")[1:4:2]
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    printed = ""
    for command in commands.splitlines():
        arguments = shlex.split(command.removeprefix("airtcp"))
        printed = on_a_terminal([*program, *arguments], tmp_path)
    at = 0
    for part in shown.split("...\n"):
        assert part.strip() in printed[at:]
        at = printed.index(part.strip(), at) + len(part.strip())
