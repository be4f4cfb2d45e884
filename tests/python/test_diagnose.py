"""Diagnoses: predictions come true, every capture is answered, and doubt is stated."""

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
from airtcp.data.exact import count_interval, share_interval
from airtcp.questions.diagnose import findings as words
from airtcp.questions.diagnose import predict
from airtcp.questions.diagnose.answer import answer
from airtcp.questions.diagnose.check import checked
from airtcp.questions.diagnose.losses import fit_losses
from airtcp.questions.diagnose.transfer import transfer_of
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
queue = {{ kind = "drop-tail", packets = {packets} }}
{loss}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "{law}"{tcp} }}
{app}
"""


def _text(**keys: Any) -> str:
    usual = {"packets": 40, "loss": "", "law": "cubic", "tcp": "", "app": ""}
    return LINK.format(**(usual | keys))


def _made(folder: Path, **keys: Any) -> Path:
    """Capture a transfer; `keys` are those of LINK."""
    place = folder / "made.pcapng"
    airtcp.run("made", text=_text(**keys), seed=5, replications=1, pcap=place)
    return place


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave few TCPs."""
    monkeypatch.setattr(predict, "laws", lambda: ["reno", "cubic", "bbr1"])
    monkeypatch.setattr(predict, "_TRANSPORTS", ("sliding",))


def _prediction(document: Any, variant: str) -> Any:
    return next(row for row in document["predictions"] if row["variant"] == variant)


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
    from airtcp.data.exact import at_least, at_most

    low, high = share_interval(events, trials)
    assert low == 0.0 if events == 0 else at_least(events, trials, low) == pytest.approx(0.025)
    assert (
        high == 1.0 if events == trials else at_most(events, trials, high) == pytest.approx(0.025)
    )


@pytest.mark.usefixtures("quick")
def test_predictions_come_true(tmp_path: Path) -> None:
    """What the laws get over the same simulated link lies in their intervals, from CUBIC alone."""
    loss = 'loss = { model = "bernoulli", probability = 0.01 }'
    document = airtcp.diagnose(_made(tmp_path, loss=loss), replications=40).json
    made = airtcp.run("made", text=_text(loss=loss), seed=5, replications=1)
    drops = made.json["replications"][0]["links"][0]["drops"]
    assert document["link"] is not None
    assert document["link"]["rate_bps"]["kind"] == "steady"
    assert document["link"]["rate_bps"]["value"] == pytest.approx(8e6, rel=0.01)
    # Slow start overflowed the queue; the other losses are those of the link.
    origins = [each["origin"] for each in document["lost_packets"]]
    assert (origins.count("link"), origins.count("queue")) == (drops["loss"], drops["queue_full"])
    for law in ("bbr1", "reno", "cubic"):
        text = _text(loss=loss, law=law)
        runs = airtcp.run("true", text=text, seed=99, replications=8).json["replications"]
        true = sorted(run["flows"][0]["goodput_bps"] for run in runs)
        row = _prediction(document, law)
        inside = sum(row["low"] * 0.97 <= goodput <= row["high"] * 1.03 for goodput in true)
        assert inside >= 6, (law, row, true)
    assert _prediction(document, "bbr1")["p_better"] == 1.0
    assert document["limits"][0]["cause"] == "link-losses"
    assert answer(document).headline.startswith("Losses of the link limit the transfer: ")


@pytest.mark.usefixtures("quick")
def test_the_law_whose_replays_agree_is_taken(tmp_path: Path) -> None:
    """BBR that random losses meet paces for less than half of the time, so CUBIC is guessed."""
    text = _text(law="bbr1", loss='loss = { model = "bernoulli", probability = 0.01 }')
    place = tmp_path / "made.pcapng"
    airtcp.run("made", text=text.replace("8 Mb/s", "16 Mb/s"), seed=5, replications=1, pcap=place)
    document = airtcp.diagnose(place, replications=20).json
    agrees = {each["tcp"]: each["agrees"] for each in document["tcp_checked"]}
    assert agrees == {"cubic": False, "reno": False, "bbr1": True}
    assert (document["tcp"], document["obstacle"]) == ("bbr1", None)
    assert '"congestion" = "bbr1"' in (document["scenario"] or "")
    # A law that is told is not replaced by one that agrees.
    told = airtcp.diagnose(place, replications=20, tcp="cubic").json
    assert told["tcp_checked"] == [{"tcp": "cubic", "agrees": False}]
    assert (told["tcp"], told["obstacle"]) == ("cubic", "check")


@pytest.mark.usefixtures("quick")
def test_newreno_is_reno(tmp_path: Path) -> None:
    place = _made(tmp_path, law="reno")
    documents = [
        airtcp.diagnose(place, replications=5, tcp=law).json for law in ("newreno", "reno")
    ]
    assert documents[0] == documents[1]
    with pytest.raises(airtcp.AirtcpError, match="no such congestion law"):
        airtcp.diagnose(place, tcp="newvegas")


@pytest.mark.usefixtures("quick")
def test_a_full_link_is_the_limit(tmp_path: Path) -> None:
    """Without losses of the link, its rate limits, and no TCP gets more."""
    document = airtcp.diagnose(_made(tmp_path), replications=10).json
    assert document["limits"][0]["cause"] == "link-rate"
    assert document["link"] is not None
    assert abs(document["link"]["queue_packets"]["value"] - 40) <= 1
    assert {each["origin"] for each in document["lost_packets"]} == {"queue"}
    assert words.better(document) == []
    assert answer(document).help == "No TCP and no remedy surely gets more than this transfer got."


@pytest.mark.usefixtures("quick")
def test_a_small_receive_window_is_the_limit(tmp_path: Path) -> None:
    """Four times the window would help; no other TCP would."""
    result = airtcp.diagnose(_made(tmp_path, tcp=', receive_buffer = "15 kB"'), replications=10)
    limit = result.json["limits"][0]
    assert limit["cause"] == "receive-window"
    assert limit["ratio"] > 2.5
    assert answer(result.json).headline.startswith("The receive window limits the transfer: ")
    assert words.better(result.json) == []


@pytest.mark.usefixtures("quick")
def test_an_application_that_sets_the_pace_is_said(tmp_path: Path) -> None:
    """Each TCP gets what the application writes."""
    app = 'app = { kind = "constant-rate", rate = "1 Mb/s", message = "20 kB" }'
    result = airtcp.diagnose(_made(tmp_path, app=app), replications=5)
    found = result.json["other_link"]
    assert found is not None
    assert found["application"] is not None
    for row in result.json["predictions"]:
        assert row["goodput_bps"] == pytest.approx(1e6, rel=0.15)
    assert answer(result.json).headline.startswith("The application limits the transfer: ")
    assert words.better(result.json) == []


@pytest.mark.parametrize("scale", [("rtt_p50_s", 1.3), ("goodput_bps", 2.0), ("goodput_bps", 0.4)])
def test_the_check_refuses_what_replays_do_not_give(scale: tuple[str, float]) -> None:
    """A statistic outside its interval is named, and nothing is predicted."""
    same = {"goodput_bps": 1e6, "rtt_p50_s": 0.05, "link_losses": 2.0, "drop_episodes": 0.5}
    replays = [{key: value * (1 + i / 200) for key, value in same.items()} for i in range(30)]
    assert checked(same, replays, 10.0)["reproduces"]
    name, factor = scale
    found = checked({**same, name: same[name] * factor}, replays, 10.0)
    assert not found["reproduces"]
    assert [each["name"] for each in found["statistics"] if not each["inside"]] == [name]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.pcap.gz")), ids=lambda p: p.parent.name)
def test_every_labelled_capture_is_answered(path: Path) -> None:
    """An answer is a prediction, or the reason why there is none."""
    result = airtcp.diagnose(path, replications=5)
    document = result.json
    assert bool(document["predictions"]) == (document["obstacle"] is None)
    is_of_air = path.name in {"air.pcap.gz", "monitor.pcap.gz"}
    assert (document["air"] is not None) == is_of_air
    jsonschema.validate(json.loads(result.text), airtcp.schema("diagnose"))
    for finding in result.findings:
        assert (finding.text or finding.headline).endswith((".", "?"))


@pytest.mark.parametrize("kind", ["diagnose", "fit"])
def test_the_schemas_of_the_reference_are_current_and_explain_each_field(kind: str) -> None:
    """The files of the reference are what the types give, and no field lacks a meaning."""
    path = ROOT / "docs" / "reference" / f"{kind}.schema.json"
    schema = airtcp.schema(kind)  # pyright: ignore[reportArgumentType]
    assert json.loads(path.read_text("utf-8")) == schema
    own = [schema, *(each for name, each in schema["$defs"].items() if "." not in name)]
    for record in own:
        assert record["description"]
        # The record that a reference names has a meaning of its own.
        fields = record["properties"].values()
        assert all(field.get("description") or set(field) == {"$ref"} for field in fields), record
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
    place = DATA / "freeze" / "sender.pcap.gz"
    # The connection with the fewest bytes is the last one.
    last = len(airtcp.capture(place).json["connections"]) - 1
    document = airtcp.diagnose(place, connection=last).json
    assert document["obstacle"] == "short"
    assert document["observed"] is not None
    assert answer(document).headline.startswith("The transfer is too short for a diagnosis: ")
    assert answer(document).headline.endswith("; it needs 50.")


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
    assert [first.table(name).to_polars().is_empty() for name in first.tables] == [False] * 4


@pytest.mark.usefixtures("quick")
def test_an_unlike_replay_predicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """If replays differ from the transfer, no TCP is named, and the statistic is."""
    whole = predict.statistics_of

    def slower(seen: Any, goodput: float) -> Any:
        found = dict(whole(seen, goodput))
        return {**found, "rtt_p50_s": found["rtt_p50_s"] * (3 if "is_cut" in seen else 1)}

    path = DATA / "bursts" / "sender.pcap.gz"

    def nothing(_place: Path, goodput: float) -> Any:
        return whole({}, goodput)

    monkeypatch.setattr(predict, "_measured", nothing)
    monkeypatch.setattr(predict, "statistics_of", slower)
    document = airtcp.diagnose(path, replications=5).json
    assert document["obstacle"] == "check"
    assert document["predictions"] == []
    said = answer(document)
    assert "no replay with cubic, reno or bbr1 reproduces it" in said.headline
    assert "edian RTT is" in said.headline
    assert said.help is not None
    assert said.help.startswith("Its TCP may be another one, which --tcp names")


@pytest.mark.usefixtures("quick")
def test_a_used_link_limits_a_tcp_that_does_not_queue(tmp_path: Path) -> None:
    """BBR fills the link, and few of its packets wait."""
    document = airtcp.diagnose(
        _made(tmp_path, law="bbr1", packets=12), replications=5, tcp="bbr1"
    ).json
    assert document["link"]["busy_share"] < 0.5
    assert [limit["cause"] for limit in document["limits"]] == ["link-rate"]
    assert answer(document).headline.startswith("The rate of the link limits the transfer: ")


def test_finished_steps_stay_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link and the losses are known before the first replay."""

    def stopped(*_: object) -> None:
        raise predict.Stopped

    monkeypatch.setattr(predict, "replays", stopped)
    document = airtcp.diagnose(DATA / "loss" / "sender.pcap.gz").json
    assert document["interrupted"]
    assert document["losses"] is not None
    assert document["losses"]["lost"] == 19
    assert document["link"] is not None
    assert document["predictions"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connection": 7}, "connection 7: the capture has 2, numbered from 0"),
        ({"tcp": "tcp"}, "no such congestion law"),
        ({"rate": "20"}, "expected a number above 0 with a unit"),
        ({"rtt": "0 ms"}, "expected a number above 0 with a unit"),
        ({"replications": 4}, "expected 5 or more; .* tell nothing"),
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
    assert answer(result.json).headline.startswith("No transfer to diagnose: 0 packets")


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
