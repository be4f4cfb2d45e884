"""Findings of a run: each cause from a scenario that has it, with its numbers."""

from __future__ import annotations

import html
import io
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console

import airtcp
from airtcp.cli.show import fitted
from airtcp.questions.run import controllers, groups, starved
from airtcp.questions.run import findings as run_words
from airtcp.questions.run import tables as run_tables
from airtcp.words.grid import Grid
from airtcp.words.sentences import Finding
from examples import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

FULL_QUEUE = """
duration = "5 s"
replications = 2
[[cells]]
layout = { kind = "star", stations = 10 }
[[flows]]
count = 10
from = "sta*"
to = "ap"
[[flows]]
name = "down"
count = 10
from = "ap"
to = "sta*"
"""
LINK = """
duration = "20 s"
replications = 2
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "40 ms"
{more}
[[flows]]
from = "a"
to = "b"
"""


def _run(text: str, why: Literal["auto", "yes", "no"] = "no") -> Any:
    return airtcp.run("s.toml", text=text, why=why).json


def _said(document: Any) -> str:
    return " ".join(f"{f.headline}. {f.text}" for f in run_words.findings(document))


def test_flows_that_starve_are_short_of_what_raises_them() -> None:
    document = _run(FULL_QUEUE, "auto")
    slow = [flow for flow in document["why"]["slow_flows"] if flow["short_of"] == "queue"]
    assert slow, "the scenario must show it"
    said = _said(document)
    assert "slow because of the queue" in said or "starves a flow in each run" in said
    # Without what they are short of, they get several times as much.
    names = [flow["flow"] for flow in slow]
    overrides = dict(change.split("=", 1) for change in slow[0]["change"])
    without = airtcp.run("s.toml", text=FULL_QUEUE, overrides=overrides).json
    got, gets = (
        sum(flow["goodput_bps"]["mean"] for flow in of["summary"]["flows"] if flow["name"] in names)
        for of in (document, without)
    )
    assert gets > 2 * got
    # The counters of the run alone say who starves, and blame nothing.
    counted = _said(_run(FULL_QUEUE))
    assert "The 10 downloads starve: " in counted
    assert "because" not in counted


def test_what_a_finding_tells_to_try_can_be_tried() -> None:
    text = LINK.format(more="").replace("20 s", "8 s") + "tcp.send_buffer = '20 kB'\n"
    document = _run(text, "auto")
    [found] = [f for f in run_words.findings(document) if "send buffer of a limits" in f.headline]
    key, value = found.text.split("--set '")[1].split("'")[0].split("=", 1)
    tried = airtcp.run("s.toml", text=text, overrides={key: value}).json
    before, after = (d["summary"]["total_goodput_bps"]["mean"] for d in (document, tried))
    assert after > 1.5 * before


def test_a_full_link_is_said_to_be_full() -> None:
    said = run_words.findings(_run(LINK.format(more=""), "auto"))[0].headline
    assert said.startswith("The link air is full: 9.4 Mb/s, and 17 ")
    assert said.endswith("at twice the rate")


def test_losses_that_leave_a_link_idle_are_the_limit() -> None:
    more = 'loss = { model = "bernoulli", probability = 0.03 }'
    document = _run(LINK.format(more=more), "auto")
    said = _said(document)
    assert said.startswith("Losses of the link air limit the flow: ")
    assert "--remedies usual" in said
    assert "starve" not in said
    # The number in the sentence is that of the run without losses.
    lossless = _run(LINK.format(more="")).get("summary")["total_goodput_bps"]["mean"]
    assert abs(document["limits"][0]["without_bps"] / lossless - 1) < 0.1


def test_losses_that_let_nothing_through_are_the_limit() -> None:
    more = 'loss = { model = "bernoulli", probability = 1 }'
    found = run_words.findings(_run(LINK.format(more=more), "auto"))
    assert found[0].headline == "Nothing got through"
    assert found[0].text.startswith("air dropped ")
    assert found[1].headline.startswith("Losses of the link air limit the flow: 0 Mb/s, and ")
    assert found[1].text == "", "no remedy helps"
    # Without the runs that take losses away, the counters say what they know.
    said = [f.headline for f in run_words.findings(_run(LINK.format(more=more)))]
    assert said == ["Nothing got through"]


def test_little_to_send_is_no_fault_of_the_link() -> None:
    text = LINK.format(more="") + 'app = { kind = "constant-rate", rate = "100 kb/s" }\n'
    said = _said(_run(text, "auto"))
    assert said.startswith("The flow gets what its application asks: 0.100 Mb/s.")
    assert "limit" not in said


def test_few_losses_hold_a_long_path_down() -> None:
    long = LINK.replace("10 Mb/s", "100 Mb/s")
    more = 'loss = { model = "bernoulli", probability = 0.0008 }'
    assert "Losses of the link air limit the flow" in _said(_run(long.format(more=more), "auto"))
    # The same losses of a flow that has little to send limit nothing.
    little = long.format(more=more) + 'app = { kind = "constant-rate", rate = "1 Mb/s" }\n'
    assert "Losses" not in _said(_run(little, "auto"))


def test_losses_that_hold_the_rate_of_tfrc_down_are_named() -> None:
    more = 'loss = { model = "bernoulli", probability = 0.05 }'
    tfrc = LINK + 'transport = "tfrc"\n'
    assert "Losses of the link air limit the flow" in _said(_run(tfrc.format(more=more), "auto"))
    assert "Losses" not in _said(_run(tfrc.format(more=""), "auto"))


def test_flows_that_starve_in_turns_are_seen() -> None:
    few = {"replications": "4", "duration": "10 s"}
    document = airtcp.run(SCENARIOS / "wifi-star.toml", overrides=few).json
    rates = [[f["delivered_bytes"] for f in r["flows"]] for r in document["replications"]]
    hungry = [sum(x < 0.2 * sum(each) / len(each) for x in each) for each in rates]
    assert sum(map(bool, hungry)) >= 2, "the scenario must show it"
    [found] = [f for f in run_words.findings(document) if f.headline == "Flows starve in turns"]
    assert found.tone == "bad"
    assert f"In {sum(map(bool, hungry))} of 4 replications" in found.text
    # A limit of the slowest flow of each run says it, too.
    document["limits"] = [{"of": "slowest-of-each-run"}]
    assert starved.starvation(document) is None


def test_hidden_stations_and_what_helps() -> None:
    path = SCENARIOS / "wifi-hidden.toml"
    document = airtcp.run(path, why="yes").json
    [found] = [f for f in run_words.findings(document) if f.headline.startswith("Stations of cell")]
    key, value = found.text.split("--set '")[1].split("'")[0].split("=", 1)
    reserved = airtcp.run(path, overrides={key: value}).json
    before, after = (d["summary"]["total_goodput_bps"]["mean"] for d in (document, reserved))
    assert after > 1.1 * before


def _rates(rates: list[list[float]], text: str = FULL_QUEUE) -> Any:
    """Make a run in which the uploads get these rates in Mb/s, by replication."""
    overrides = {"replications": str(len(rates)), "duration": "100 ms"}
    document = airtcp.run("s.toml", text=text, overrides=overrides).json
    for replication, each in zip(document["replications"], rates, strict=True):
        for flow, rate in zip(replication["flows"], each, strict=True):
            flow["delivered_bytes"] = rate * 1e6 * replication["measured_s"] / 8
    for i, flow in enumerate(document["summary"]["flows"]):
        each = [
            8 * r["flows"][i]["delivered_bytes"] / r["measured_s"] for r in document["replications"]
        ]
        half = 12.7 * abs(each[0] - each[1]) / 2
        mean = sum(each) / 2
        flow["goodput_bps"] = {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}
    return document


UPLOADS = FULL_QUEUE[: FULL_QUEUE.rindex("[[flows]]")]


def test_a_flow_starves_only_where_its_interval_excludes_a_fair_share() -> None:
    rest = [2.0] * 9
    sure = _rates([[0.10, *rest], [0.11, *rest]], UPLOADS)
    found = starved.starvation(sure)
    assert found is not None
    assert found.headline == "flow0 starves: 0.10 Mb/s, and the other endless flows 2.0 each", (
        "a name keeps its letters"
    )
    # A slow flow that the search names is not named twice.
    sure["why"] = {"slow_flows": [{"flow": "flow0", "short_of": "queue"}]}
    assert starved.starvation(sure) is None
    # That no removal helps it does not say that it starves.
    sure["why"] = {"slow_flows": [{"flow": "flow0", "short_of": None}]}
    assert starved.starvation(sure) is not None
    # Less than a fifth in the mean, but the interval reaches from below zero to 2.7 Mb/s.
    unsure = _rates([[0.40, *rest], [0.0, *rest]], UPLOADS)
    assert starved.starvation(unsure) is None


def test_what_starves_in_turns_is_counted() -> None:
    rest = [2.0] * 9
    document = _rates([[0.0, *rest], [2.0, 0.0, *rest[1:]], [2.0, *rest]], UPLOADS)
    found = starved.starvation(document)
    assert found is not None
    assert found.headline == "Flows starve in turns"
    assert found.text.startswith("In 2 of 3 replications a flow gets less than 20 % of the mean")
    # Always the same flow does not starve in turns.
    same = _rates([[0.0, *rest], [0.3, *rest], [2.0, *rest]], UPLOADS)
    assert starved.starvation(same) is None


FAR = """
duration = "5 s"
replications = 2
[[cells]]
layout = { kind = "star", stations = 1, radius_m = 5000 }
[[flows]]
from = "sta*"
to = "ap"
"""


def test_a_flow_of_which_nothing_arrives_comes_first() -> None:
    [found] = run_words.findings(_run(FAR))
    assert (found.headline, found.tone) == ("Nothing got through", "bad")
    assert found.text.startswith("sta0 is out of range: ")
    # Beside a flow with deliveries, it is named.
    star = 'kind = "star", stations = 1, radius_m = 5000'
    both = FAR.replace(star, 'kind = "positions", stations = [[5, 0], [5000, 0]]')
    said = _said(_run(both.replace("[[flows]]", "[[flows]]\ncount = 2")))
    assert "Nothing got through: flow1. sta1 is out of range" in said


def test_groups_and_drops_add_up() -> None:
    document = _run(FULL_QUEUE)
    together = sum(group.goodput_bps for group in groups.groups(document))
    assert abs(together / document["summary"]["total_goodput_bps"]["mean"] - 1) < 1e-9
    for replication in document["replications"]:
        # Without a warm-up, every dropped packet of the run is in the rows.
        rows = sum(row["packets"] for row in replication["drops"])
        assert rows == replication["conservation"]["dropped"]


def test_the_terminal_begins_with_what_happened(run: Program, tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(FULL_QUEUE, "utf-8")
    ended = run("run", "cell.toml", "--quiet", "--details")
    assert ended.code == 0
    first = ended.out.split("\n")[0]
    assert "queue of" in first, first
    assert "direction" in ended.out


def test_the_page_begins_with_what_happened() -> None:
    result = airtcp.run("s.toml", text=FULL_QUEUE)
    found = run_words.findings(result.json)
    page = html.unescape(result.page())
    places = [page.index(part) for f in found for part in (f.headline, f.text) if part]
    assert any(f.headline.startswith("The 10 downloads starve: ") for f in found)
    assert places == sorted(places)
    assert places[-1] < page.index("Total goodput") < page.index('id="flows"')


def test_what_explains_least_leaves_a_narrow_terminal_first() -> None:
    result = airtcp.run("s.toml", text=LINK.format(more=""), overrides={"duration": "1 s"})
    heads: dict[str, list[str]] = {}
    left: dict[str, list[str]] = {}

    laid = [part for part in run_tables.grids(result.json) if isinstance(part, Grid)]
    for width in range(100, 20, -2):
        for grid in laid:
            heads.setdefault(grid.head, [column.head for column in grid.columns])
            gone = fitted(Console(file=io.StringIO(), width=width), grid, width)[1]
            known = left.setdefault(grid.head, [])
            known.extend(heading for heading in gone if heading not in known)
    assert heads["flow"][:2] == ["goodput (Mb/s)", "RTT (ms)"]
    assert left["flow"] == [
        "sent (Mb/s)",
        "fast retransmits",
        "timeouts",
        "retransmitted (%)",
    ]
    assert heads["link"][:2] == ["delivered\n(Mb/s)", "busy (%)"]
    assert left["link"] == [
        "95 % of queue delays (ms)",
        "queue delay (ms)",
        "longest queue (packets)",
        "mean queue (packets)",
        "lost (%)",
    ]


def test_a_link_that_hardly_sends_is_limited_by_its_losses() -> None:
    slow = LINK.format(more='loss = { model = "bernoulli", probability = 0.45 }')
    document = airtcp.run("s.toml", text=slow, overrides={"duration": "100 s"}, why="auto").json
    assert 0 < document["summary"]["links"][0]["utilisation"]["mean"] < 0.004
    assert "Losses of the link air limit the flow" in _said(document)


def test_copies_of_a_link_that_duplicates_are_named() -> None:
    document = _run(LINK.format(more="duplication = 0.5"))
    link = document["summary"]["links"][0]
    assert link["delivered_bps"]["mean"] > 1.2e7, "more than the link's rate"
    [said] = [f for f in run_words.findings(document) if f.headline == "Copies count as delivered"]
    copies = float(said.text.split(" Mb/s are copies")[0].split()[-1])
    # Every second packet is duplicated: a third of all arrivals are copies.
    assert 0.31 < copies / (link["delivered_bps"]["mean"] * 1e-6) < 0.36
    assert "goodput does not count copies" in said.text
    lossy = 'loss = { model = "bernoulli", probability = 0.05 }'
    assert "Copies" not in _said(_run(LINK.format(more=lossy)))


VOICE = """
duration = "8 s"
warmup = "3 s"
links = [{ name = "air", from = "a", to = "b", rate = "1 Mb/s", delay = "10 ms",
           queue = { kind = "drop-tail", packets = 400 } }]
[[flows]]
from = "a"
to = "b"
tcp = "linux"
[[flows]]
name = "voice"
from = "a"
to = "b"
transport = "udp"
app = { kind = "constant-rate", rate = "64 kb/s", message = "160 B" }
"""


def test_datagrams_missed_and_dropped_are_counts_of_different_times() -> None:
    document = _run(VOICE)
    missed = document["summary"]["flows"][1]["datagrams_lost"]["mean"]
    places = groups.drops(document, {"voice"})
    dropped = sum(there.total() for there in places.values())
    assert dropped > 2 * missed > 0, "the scenario must show it"
    [said] = [f for f in run_words.findings(document) if f.headline == "UDP loses datagrams"]
    assert f"The share counts {missed:.0f} datagrams that the receiver found missing" in said.text
    assert f"; {dropped:.0f} were dropped in that time." in said.text
    assert "of them a replication" not in said.text
    # Behind a short queue both counts are of the same packets, nearly.
    near = _said(_run(VOICE.replace("packets = 400", "packets = 5")))
    assert "UDP loses datagrams" in near
    assert "The share counts" not in near


def test_a_controller_at_its_bounds() -> None:
    """Stations that a bound keeps from an equal share are named with the bound."""

    def station(name: str, aifsn: float, share: float | None) -> dict[str, Any]:
        limited = {} if share is None else {"aifsn_limited_share": {"mean": share}}
        return {"name": name, "adjusted_aifsn": {"mean": aifsn}, **limited}

    controller = {"aifsn_min": 2, "aifsn_max": 10}
    document: Any = {
        "scenario": {
            "cells": [
                {"schemes": []},
                {"schemes": [{"scheme": "ftca"}, {"controller": controller}]},
            ]
        },
        "summary": {
            "cells": [
                {"name": "plain", "stations": [{"name": "a"}]},
                {
                    "name": "cell",
                    "stations": [
                        {"name": "ap"},
                        station("sta0", 10, 0.8),
                        station("sta1", 2, 0.25),
                        station("sta2", 2.5, 0.5),
                        station("sta3", 5, 0.05),
                    ],
                },
            ]
        },
    }
    (found,) = controllers.controllers_at_bounds(document)
    assert found.headline == "The controller of cell stands at its bounds"
    assert found.text == (
        "sta1 and sta2 stand at aifsn_min = 2 in up to 50.0 % of the adjustments and still get less"
        " than an equal share. sta0 stands at aifsn_max = 10 in 80.0 % of the adjustments and still"
        " gets more than an equal share."
    )
    document["summary"]["cells"][1]["stations"][1:4] = [station(f"s{i}", 2, 0.2) for i in range(4)]
    (found,) = controllers.controllers_at_bounds(document)
    assert found.text == (
        "4 stations stand at aifsn_min = 2 in up to 20.0 % of the adjustments (s0) and still get"
        " less than an equal share."
    )
    document["summary"]["cells"] = [{"name": "plain", "stations": [{"name": "a"}]}]
    assert controllers.controllers_at_bounds(document) == []


def test_of_many_flows_the_first_are_shown() -> None:
    """A table of thousands of rows would take longer than the run."""
    text = """
duration = "1 s"
replications = 1
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
queue = { kind = "drop-tail", packets = 10 }
[[flows]]
from = "a"
to = "b"
count = 205
"""
    result = airtcp.run("many.toml", text=text, why="no")
    parts = list(run_tables.grids(result.json))
    [table] = [part for part in parts if isinstance(part, Grid) and part.head == "flow"]
    assert [*table.names] == [f"flow{i}" for i in range(200)]
    assert Finding("The first 200 of 205 flows", "--json has all.") in parts
    dropped = {row["flow"] for row in result.json["replications"][0]["drops"]}
    flows = result.json["replications"][0]["flows"]
    silent = [i for i, f in enumerate(flows) if f["name"] in dropped and not f["delivered_bytes"]]
    assert starved.silent_flows(result.json) == silent
