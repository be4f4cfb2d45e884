"""`airtcp measure` finds what the link does, and says what follows from its document.

Measurements over loopback need no privilege. Those over `airtcp-live emulate`, whose loss log is
the truth, need namespaces.
"""

from __future__ import annotations

import csv
import html
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest

import airtcp
from airtcp.questions.measure import call
from airtcp.questions.measure.answer import answer
from airtcp.questions.measure.result import MeasureResult
from live_program import live
from test_emulate import lacking

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PROBE_BYTES: Final = 120
"""Length of a small packet over IPv6."""
TRAIN_S: Final = 0.01
"""Gap below which two small packets are of a train."""
START: Final = """
import sys
import airtcp.cli.continued as continued
place = sys.argv.pop(1)
continued.program = lambda: place
from airtcp.cli import main
main()
"""
SCENARIO: Final = """
duration = "200 s"
[[links]]
name = "path"
from = "server"
to = "client"
rate = "{rate} Mb/s"
delay = "10 ms"
queue = {{ kind = "drop-tail", packets = 100 }}
loss = {{ model = "gilbert-elliott", mean_loss = 0.05, mean_burst = 4, slot = "1 ms" }}
reverse.loss = {{ model = "bernoulli", probability = "3 %" }}
[[flows]]
from = "server"
to = "client"
"""

needs_program = pytest.mark.skipif(live() is None, reason="needs airtcp-live (cargo build)")
needs_namespaces = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")


def begin(*words: str | Path) -> subprocess.Popen[str]:
    """Start `airtcp measure`."""
    command = [sys.executable, "-c", START, live() or "", "measure", *map(str, words)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def measure(*words: str | Path) -> tuple[int, str, str]:
    """Run `airtcp measure`, and return exit code, standard output and standard error."""
    program = begin(*words)
    out, err = program.communicate(timeout=60)
    return program.returncode, out, err


def refusal(*words: str | Path) -> str:
    """Return the one line with which `airtcp measure` refuses."""
    code, out, err = measure(*words)
    lines = [line for line in err.splitlines() if not line.startswith("airtcp measure:")]
    assert (code, out, len(lines)) == (2, "", 1), (code, out, err)
    return lines[0]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A new secret."""
    path = tmp_path / "secret"
    assert measure("--new-secret", path) == (0, "", "")
    assert path.stat().st_size == 32
    assert path.stat().st_mode & 0o777 == 0o600
    return path


def free_port() -> int:
    """Return a port that nothing listens at."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def served(secret: Path) -> Iterator[str]:
    """Run a server at loopback, and give its place; at the end SIGTERM ends it with status 0."""
    place = f"127.0.0.1:{free_port()}"
    command = [live() or "", "measure", "--serve", "--listen", place, "--secret", str(secret)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            assert "listening at" in server.stderr.readline()
            yield place
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=10) == 0


def train(outcomes: str) -> dict[str, Any]:
    """What the program writes of small packets with these fates."""
    delay = dict.fromkeys(("least_s", "median_s", "p95_s", "p99_s", "most_s"), 0.001)
    return {
        "interval_s": 0.001,
        "sent": len(outcomes),
        "arrived": outcomes.count("1"),
        "duplicates": 0,
        "late": 0,
        "latest": 0,
        "pauses": 0,
        "outcomes": outcomes,
        "sent_s": [n / 1000 for n in range(len(outcomes))],
        "delay_s": [0.001 if one == "1" else None for one in outcomes],
        "delay": delay,
    }


def written(down: str, bps: float = 1e7) -> dict[str, Any]:
    """What the program writes of a path of 40 ms that loses nothing to the server."""
    rtt = dict.fromkeys(("least_s", "median_s", "p95_s", "p99_s", "most_s"), 0.04)
    capacity = {
        "bps": bps,
        "kind": "steady",
        "interval_bps": [0.996 * bps, 1.004 * bps],
        "support": 0.9,
        "bursts": 20,
        "sent_bps": 1e9,
        "over_time": [[5.0 + n / 10, bps * (1 + n / 1000)] for n in range(20)],
    }
    ways = {
        way: {"train": train(outcomes), "capacity": capacity, "load": None}
        for way, outcomes in (("up", "1" * 5000), ("down", down))
    }
    idle = {"asked": 150, "answered": 150, "rtt": rtt, "jitter_s": 0.0001}
    clocks = {"offset_s": 3.0012345, "offset_error_s": 0.02, "drift": -2.5e-6, "drift_error": 4e-7}
    return {"address": "192.0.2.1:5299", "cut": None, "idle": idle, "clocks": clocks, **ways}


def test_losses_are_what_limits_and_what_they_cost_is_said() -> None:
    lossy = ("1" * 49 + "0") * 100
    document = call.document(written(lossy), "host", "path")
    said = answer(document)
    assert said.headline.startswith("Losses limit TCP from the server: CUBIC gets ")
    assert said.headline.endswith("without them.")
    assert said.help is not None
    assert "sliding" in said.help
    assert said.doubt == "No TCP connection came about: is its port closed? The queue is assumed."
    assert said.next == (
        "Each TCP: airtcp compare path.toml   The losses: airtcp study path.trace   All: --details"
        "   Page: --html FILE"
    )
    assert all(len(line) <= 100 for line in str(said).splitlines())
    losses = document["down"]["losses"]
    assert losses is not None
    assert losses["loss"] == pytest.approx(0.02)
    assert losses["loss_low"] < 0.02 < losses["loss_high"]


def test_a_clean_path_is_limited_by_its_rate() -> None:
    document = call.document(written("1" * 5000), "host")
    assert "The rate of the path limits TCP: CUBIC gets 9." in answer(document).headline
    assert answer(document).help is None


def test_bursts_that_vary_bound_the_capacity_from_below_if_tcp_got_more() -> None:
    raw = written("1" * 5000)
    load = {
        "duration_s": 10.0,
        "acked": 25_000_000,
        "retransmitted": 0,
        "busy_s": 10.0,
        "rwnd_limited_s": 0.0,
        "sndbuf_limited_s": 0.0,
        "samples": [[n / 10, 250_000 * n, 0, 0.04, 20] for n in range(1, 101)],
        "echoes": raw["idle"],
    }
    batches = raw["down"]["capacity"] | {"kind": "varying", "interval_bps": [4e6, 1.2e7]}
    raw["down"] = raw["down"] | {"capacity": batches, "load": load}
    document = call.document(raw, "host")
    capacity = document["down"]["capacity"]
    assert capacity is not None
    assert (capacity["bps"], capacity["low_bps"], capacity["high_bps"]) == (2e7, 4e6, 2e7)
    assert "4.0 to 20" in str(answer(document))


def test_a_short_measurement_says_what_it_knows() -> None:
    raw = written("1" * 5000)
    raw["cut"] = "interrupted"
    for way in ("up", "down"):
        raw[way] = {"train": None, "capacity": None, "load": None}
    said = answer(call.document(raw, "host"))
    assert said.headline == (
        "The measurement ended before packets were counted: a round trip takes 40 ms."
    )
    assert said.doubt is not None
    assert "ended early" in said.doubt


def test_the_scenario_runs_and_has_what_was_measured(tmp_path: Path) -> None:
    bursty = ("1" * 46 + "0000") * 50 + "1" * 100 + ("0000" + "1" * 146) * 20
    document = call.document(written(bursty), "host")
    text = document["scenario"]
    assert text is not None
    assert 'model = "gilbert-elliott"' in text
    assert "mean_burst = 4," in text
    assert "# assumed" in text
    path = tmp_path / "path.toml"
    path.write_text(text, "utf-8")
    result = airtcp.run(path, replications=2)
    rtt = result.json["summary"]["flows"][0]["rtt_min_s"]["mean"]
    assert rtt == pytest.approx(0.04, abs=0.002)


def test_what_passed_over_time_adds_up() -> None:
    outcomes = ("1" * 46 + "0000") * 50 + "1" * 2500
    raw = written(outcomes)
    raw["clocks"] = None
    losses = call.document(raw, "host")["down"]["losses"]
    assert losses is not None
    assert losses["runs"] == [{"packets": 4, "count": 50}]
    rows = losses["over_time"]
    assert (len(rows), sum(row["sent"] for row in rows)) == (50, 5000)
    assert sum(row["lost"] for row in rows) == 200
    assert {row["delay_median_s"] for row in rows} == {0.001}


def test_the_page_has_the_answer_the_charts_and_the_clocks() -> None:
    raw = written(("1" * 49 + "0") * 100)
    load = {
        "duration_s": 10.0,
        "acked": 11_000_000,
        "retransmitted": 3,
        "busy_s": 10.0,
        "rwnd_limited_s": 0.0,
        "sndbuf_limited_s": 0.0,
        "samples": [[n / 10, 110_000 * n, 0, 0.05, 20] for n in range(1, 101)],
        "echoes": raw["idle"],
    }
    raw["down"]["load"] = load
    result = MeasureResult(call.document(raw, "host"))
    page = result.page()
    said = (
        "The server's clock is 3001 \N{PLUS-MINUS SIGN}20 ms ahead of this host's, and loses 2.50"
    )
    assert said in html.unescape(page)
    parts = ("Losses limit TCP", "Delay and losses", "Runs of losses", "Bursts", "Round-trip time")
    for part in (*parts, "Greatest delay", "drop-tail", "TCP"):
        assert part in page, part
    assert [len(result.table(name)) for name in result.tables] == [100, 40, 100]
    answer = result.answer()
    assert answer is not None
    assert "Clocks" in str(answer.details)


def test_the_document_has_the_fields_of_its_schema() -> None:
    document = call.document(written("1" * 5000), "host")
    jsonschema.validate(document, airtcp.schema("measure"))
    schema = airtcp.schema("measure")

    def check(value: Any, of: dict[str, Any]) -> None:
        choices = of.get("anyOf", [of])
        named = next((one for one in choices if "$ref" in one), None)
        if named is not None and value is not None:
            of = schema["$defs"][named["$ref"].rsplit("/", 1)[1]]
        if isinstance(value, dict) and "properties" in of:
            assert set(value) == set(of["properties"])
            for key, part in of["properties"].items():
                check(value[key], part)

    check(document, schema)


def test_the_trace_is_read_by_study(tmp_path: Path) -> None:
    raw = written(("1" * 9 + "0") * 500)
    path = tmp_path / "path.trace"
    path.write_text(call.trace_text(raw), "utf-8")
    links = airtcp.stats(path)["links"]
    found = {link["labels"]["link"]: (link["prr"], link["interval_s"]) for link in links}
    assert found == {
        "up": (1.0, pytest.approx(0.001)),
        "down": (pytest.approx(0.9), pytest.approx(0.001)),
    }


@needs_program
def test_bad_input_is_one_line(tmp_path: Path, secret: Path) -> None:
    assert "expected one of HOST" in refusal()
    assert "expected one of HOST" in refusal("host", "--serve", "--secret", secret)
    assert "only the client" in refusal("--serve", "--secret", secret, "--json")
    assert "--html needs a HOST" in refusal("--serve", "--secret", secret, "--html", "x.html")
    assert "--listen is for --serve" in refusal("host", "--secret", secret, "--listen", "::1")
    assert "--new-secret FILE" in refusal("host")
    assert "no such file" in refusal("host", "--secret", tmp_path / "none")
    assert "exists" in refusal("--new-secret", secret)
    assert "no such host" in refusal("no-such-host.invalid", "--secret", secret)
    assert "expected a host" in refusal("host:99999", "--secret", secret)
    assert "6s to 120s" in measure("host", "--secret", secret, "--for", "2s")[2]
    assert "100/s to 10000/s" in measure("host", "--secret", secret, "--rate", "5/s")[2]
    nobody = f"127.0.0.1:{free_port()}"
    assert f"no answer from {nobody}: nothing listens" in refusal(nobody, "--secret", secret)
    kept = tmp_path / "path.json"
    kept.write_text("mine", "utf-8")
    assert "path.json" in refusal("host", "--secret", secret, "--out", tmp_path / "path")
    secret.chmod(0o644)
    assert "chmod 600" in refusal("host", "--secret", secret)
    secret.chmod(0o600)
    secret.write_bytes(b"short")
    assert "a secret has 32 bytes, found 5" in refusal("host", "--secret", secret)


@needs_program
def test_another_secret_gets_silence_and_a_port_in_use_is_said(
    tmp_path: Path, secret: Path
) -> None:
    other = tmp_path / "other"
    measure("--new-secret", other)
    with served(secret) as place:
        assert "the secret may differ" in refusal(place, "--secret", other)
        said = refusal("--serve", "--listen", place, "--secret", secret)
        assert "the port is in use" in said
        assert "the server allows" not in said
        said = refusal(place, "--secret", secret, "--rate", "5000/s")
        assert "refuses: it allows 1250 probes a second" in said


@needs_program
def test_a_path_is_measured_and_its_files_are_read(tmp_path: Path, secret: Path) -> None:
    prefix, page = tmp_path / "path", tmp_path / "path.html"
    with served(secret) as place:
        code, out, err = measure(
            place, "--secret", secret, "--for", "6s", "--out", prefix, "--json", "--html", page
        )
    assert code == 0, err
    assert f"report: {page}\n" in err
    assert "Delay and losses" in page.read_text("utf-8")
    document = json.loads(out)
    assert document == json.loads((tmp_path / "path.json").read_text("utf-8"))
    assert document["cut"] is None
    for way in ("up", "down"):
        assert document[way]["losses"]["sent"] == 2000
        assert document[way]["capacity"] is not None
        assert document[way]["load"]["goodput_bps"] > 1e6
    assert document["idle"]["rtt"]["median_s"] < 0.1
    # Both ends have the clocks of this host.
    clocks = document["clocks"]
    assert abs(clocks["offset_s"]) <= clocks["offset_error_s"] + 1e-5
    assert abs(clocks["drift_ppm"]) <= clocks["drift_error_ppm"] + 1
    links = airtcp.stats(tmp_path / "path.trace")["links"]
    assert sum(link["packets"] for link in links) == 4000
    assert airtcp.run(tmp_path / "path.toml", overrides={"duration": "100 ms"}, replications=1)


@needs_program
def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, secret: Path) -> None:
    prefix = tmp_path / "path"
    with served(secret) as place:
        program = begin(place, "--secret", secret, "--for", "60s", "--out", prefix)
        assert program.stderr is not None
        lines = iter(program.stderr.readline, "")
        assert any("small packets" in line for line in lines)
        time.sleep(1.5)
        # A terminal sends it to both programs.
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=30)
    assert program.returncode == 130, err
    assert "ended early" in out
    document = json.loads((tmp_path / "path.json").read_text("utf-8"))
    assert document["cut"] == "interrupted"
    for way in ("up", "down"):
        assert 0 < document[way]["losses"]["sent"] < 20_000
        assert document[way]["capacity"] is None


def lost_runs(log: Path, port: str) -> tuple[float, float]:
    """Return share and mean run of the small packets that a link lost, by the loss log."""
    with log.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["port"] == port]
    rows = [row for row in rows if int(row["length"]) == PROBE_BYTES]
    rows.sort(key=lambda row: float(row["entered_s"]))
    times = [float(row["entered_s"]) for row in rows]
    # The train has a packet a millisecond; echoes beside TCP are 20 ms apart.
    close = [later - before < TRAIN_S for before, later in pairwise(times)]
    rows = [row for row, near in zip(rows, [*close, False], strict=True) if near]
    fates = [row["fate"] != "delivered" for row in rows]
    runs = [len(list(group)) for lost, group in groupby(fates) if lost]
    return sum(fates) / len(fates), sum(runs) / max(len(runs), 1)


@needs_program
@needs_namespaces
@pytest.mark.parametrize("rate", [10, 100])
def test_over_a_known_link_it_finds_what_the_link_does(
    tmp_path: Path, secret: Path, rate: int
) -> None:
    scenario, log, about = (tmp_path / name for name in ("link.toml", "fates.tsv", "run.json"))
    scenario.write_text(SCENARIO.format(rate=rate), "utf-8")
    program = live() or ""
    serve = f"{program} measure --serve --quiet --secret {secret}"
    command = [program, "emulate", scenario, "--loss-log", log, "--json", about, "--server", serve]
    client = [program, "measure", "server", "--quiet", "--secret", secret, "--for", "15s"]
    done = subprocess.run(
        list(map(str, [*command, "--", *client])),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 3), done.stderr
    document: Any = call.document(json.loads(done.stdout), "server")
    assert document["cut"] is None
    for way, port, memory in (("down", "server", "bursty"), ("up", "client", None)):
        share, burst = lost_runs(log, port)
        losses = document[way]["losses"]
        assert losses["sent"] == 5000
        assert losses["loss_low"] <= share <= losses["loss_high"], way
        assert losses["mean_burst"] == pytest.approx(burst, rel=0.15), way
        assert losses["memory"] == memory or memory is None
    if not json.loads(about.read_text("utf-8"))["valid"]:
        pytest.skip("the machine is too busy for times: the emulation was late")
    assert document["idle"]["rtt"]["median_s"] == pytest.approx(0.02, abs=0.001)
    for way in ("up", "down"):
        assert document[way]["capacity"]["bps"] == pytest.approx(rate * 1e6, rel=0.03), way
