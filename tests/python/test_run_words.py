"""Findings of a run: each cause from a scenario that has it, with its numbers."""

from __future__ import annotations

import html
import io
from typing import TYPE_CHECKING, Any

from rich.console import Console

import airtcp
from airtcp.cli import run_tables, tables
from airtcp.findings import causes, controllers, groups, words
from airtcp.findings import run as run_words
from examples import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

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


def _run(text: str) -> Any:
    return airtcp.run("s.toml", text=text).json


def _said(document: Any) -> str:
    return " ".join(f"{f.headline}. {f.text}" for f in run_words.findings(document))


def test_starved_flows_and_the_queue_that_drops_their_packets_are_named() -> None:
    document = _run(FULL_QUEUE)
    found = run_words.findings(document)[0]
    assert found.headline == "Starved: the 10 downloads"
    assert "ap dropped" in found.text
    assert "because the queue was full" in found.text
    # The chain: what fills that queue, and how often its victims time out.
    dropped = groups.drops(document)[groups.Place("ap", "queue_full")]
    uploads = {group.name: set(group.flows) for group in groups.groups(document)}["uploads"]
    acks = sum(n for (flow, kind), n in dropped.items() if flow in uploads and kind == "TCP ACKs")
    assert acks > 0.5 * dropped.total()
    assert f"{100 * acks / dropped.total():.0f} % of them TCP ACKs of the uploads" in found.text
    assert "times out" in found.text
    assert "--set 'cells[0].queue=" in found.text


def test_what_a_finding_tells_to_try_can_be_tried() -> None:
    document = _run(FULL_QUEUE)
    text = run_words.findings(document)[0].text
    key, value = text.split("--set '")[1].split("'")[0].split("=", 1)
    tried = airtcp.run("s.toml", text=FULL_QUEUE, overrides={key: value})
    assert tried.json["scenario"]["cells"][0]["queue"] != document["scenario"]["cells"][0]["queue"]


def test_frames_given_up_lead_to_a_rate_control_that_can_be_set() -> None:
    cells: Any = [{"name": "a", "stations": [{"name": "ap"}, {"name": "far"}]}]
    document: Any = {"replications": [{"cells": cells}], "summary": {"links": []}, "scenario": {}}
    said = causes.first_try(document, groups.Place("far", "retry_limit"))
    key, value = said.split("--set '")[1].split("'")[0].split("=", 1)
    tried = airtcp.run("s.toml", text=FULL_QUEUE, overrides={key: value, "duration": "10 ms"})
    assert tried.json["scenario"]["cells"][0]["rate_control"]["control"] == "minstrel"


def test_rate_control_to_try_is_that_of_the_standard() -> None:
    cells: Any = [{"name": "a", "stations": [{"name": "ap"}, {"name": "far"}]}]

    def said(standard: str, control: str) -> str:
        cell = {"standard": standard, "rate_control": {"control": control}}
        summary: Any = {"links": [], "cells": []}
        document: Any = {
            "replications": [{"cells": cells}],
            "summary": summary,
            "scenario": {"cells": [cell]},
        }
        return causes.first_try(document, groups.Place("far", "retry_limit"))

    assert 'control="minstrel-ht"' in said("802.11ax", "fixed")
    assert 'control="minstrel"' in said("802.11g", "fixed")
    assert not said("802.11ac", "minstrel-ht")
    assert not said("802.11a", "minstrel")


def test_links_that_are_not_written_one_by_one_get_no_option() -> None:
    links: Any = [{"name": "bottleneck"}, {"name": "bottleneck (reverse)"}]
    document: Any = {"replications": [{}], "summary": {"links": links}, "scenario": {}}
    said = causes.first_try(document, groups.Place("bottleneck", "queue_full"))
    assert "fq-codel" in said
    assert "--set" not in said


def test_a_full_link_is_the_bottleneck() -> None:
    assert "air is the bottleneck" in _said(_run(LINK.format(more="")))


def test_losses_that_leave_a_link_idle_are_the_limit() -> None:
    more = 'loss = { model = "bernoulli", probability = 0.03 }'
    said = _said(_run(LINK.format(more=more)))
    assert "Losses of air limit the flows" in said
    assert "--remedies usual" in said
    assert "Starved" not in said


def test_reductions_of_the_window_are_those_of_the_table() -> None:
    document = _run(LINK.format(more='loss = { model = "bernoulli", probability = 0.03 }'))
    flow = document["summary"]["flows"][0]
    flow["fast_retransmits"]["mean"], flow["timeouts"]["mean"] = 40.44, 0.0
    said = _said(document)
    assert "reduces its window 40.4 times a replication (40.4 fast retransmits, 0 timeouts)" in said


def test_losses_that_let_nothing_through_are_the_limit() -> None:
    for probability in (0.9, 1):
        more = f'loss = {{ model = "bernoulli", probability = {probability} }}'
        said = _said(_run(LINK.format(more=more)))
        assert "Losses of air stop the flows" in said
        assert "do not hold" not in said


def test_little_to_send_is_no_fault_of_the_link() -> None:
    text = LINK.format(more="") + 'app = { kind = "constant-rate", rate = "100 kb/s" }\n'
    assert "No link is full, and losses do not limit the flows" in _said(_run(text))


def test_few_losses_hold_a_long_path_down() -> None:
    long = LINK.replace("10 Mb/s", "100 Mb/s").replace('tcp = "reno"', "")
    more = 'loss = { model = "bernoulli", probability = 0.0008 }'
    assert "Losses of air limit the flows" in _said(_run(long.format(more=more)))
    # The same losses of a flow that has little to send limit nothing.
    little = long.format(more=more) + 'app = { kind = "constant-rate", rate = "1 Mb/s" }\n'
    assert "losses do not limit the flows" in _said(_run(little))


def test_losses_that_hold_the_rate_of_tfrc_down_are_named() -> None:
    more = 'loss = {{ model = "bernoulli", probability = {} }}'
    tfrc = LINK + 'transport = "tfrc"\n'
    said = _said(_run(tfrc.format(more=more.format(0.05))))
    assert "Losses of air limit the flows" in said
    assert "TFRC computes its rate from the loss event rate" in said
    assert "TFRC" not in _said(_run(tfrc.format(more="")))


def test_a_queue_that_serves_in_turn_is_not_advised_again() -> None:
    text = FULL_QUEUE.replace("layout =", 'queue = { kind = "fq-codel" }\nlayout =')
    said = _said(_run(text))
    assert "Starved" in said
    assert "fq-codel" not in said
    assert "contends for the medium as one station" in said


def test_flows_that_starve_in_turns_are_seen() -> None:
    document = airtcp.run(SCENARIOS / "wifi-star.toml", overrides={"replications": "4"}).json
    rates = [[f["delivered_bytes"] for f in r["flows"]] for r in document["replications"]]
    hungry = [sum(x < 0.2 * sum(each) / len(each) for x in each) for each in rates]
    found = run_words.findings(document)[0]
    assert sum(map(bool, hungry)) >= 2, "the scenario must show it"
    assert found.tone == "bad"
    assert f"In {sum(map(bool, hungry))} of 4 replications" in found.text
    assert "times out" in found.text or "TCP ACKs" in found.text


def test_hidden_stations_and_what_helps() -> None:
    path, few = SCENARIOS / "wifi-hidden.toml", {"replications": "1", "duration": "10 s"}
    document = airtcp.run(path, overrides=few).json
    found = [f for f in run_words.findings(document) if f.headline == "Hidden stations collide"]
    assert len(found) == 1
    assert "sta0 and sta1" in found[0].text
    key, value = found[0].text.split("--set '")[1].split("'")[0].split("=", 1)
    with_rts = airtcp.run(path, overrides={**few, key: value}).json
    assert "Hidden" not in _said(with_rts)


def test_a_share_is_not_given_twice() -> None:
    path, few = SCENARIOS / "wifi-hidden.toml", {"replications": "1", "duration": "10 s"}
    document = airtcp.run(path, overrides=few).json
    lost = document["summary"]["cells"][0]["lost"]["data"]
    for cause in lost:
        lost[cause]["mean"] = 0.0
    lost["with_data"]["mean"] = document["summary"]["cells"][0]["data_error_rate"]["mean"]
    [found] = [f for f in run_words.findings(document) if f.headline == "Hidden stations collide"]
    assert "all of them because another station's exchange is under way." in found.text
    lost["with_data"]["mean"] *= 0.7
    [found] = [f for f in run_words.findings(document) if f.headline == "Hidden stations collide"]
    assert "% are lost because another station's exchange is under way." in found.text


def test_a_medium_that_is_busier_than_every_link_is_named() -> None:
    few = {"replications": "1", "duration": "5 s"}
    document = airtcp.run(SCENARIOS / "polling-access-point.toml", overrides=few).json
    busy = 100 * document["summary"]["cells"][0]["busy_share"]["mean"]
    assert busy > 50, "the scenario must show it"
    said = _said(document)
    assert f"The medium of cell is the busiest ({words.number(busy)} % of the time)" in said
    assert "server-ap is the busiest" not in said


def test_fewer_than_one_drop_a_replication_is_no_zero() -> None:
    document = _run(FULL_QUEUE)
    document["replications"][0]["drops"] = [
        {
            "flow": "down1",
            "place": "ap",
            "reason": "queue_full",
            "payload": True,
            "ack": True,
            "packets": 1,
        }
    ]
    document["replications"][1]["drops"] = []
    told = " ".join(causes.cause(document, [{"down1"}] * 2))
    assert "ap dropped 1 of its data packets in 2 replications because the queue was full." in told
    assert "The queue of ap dropped 1 packet of all flows in 2 replications" in told
    most = causes.most_drops(document)
    assert most is not None
    assert "1 packet in 2 replications was dropped there because the queue was full" in most[1]


def test_drops_at_one_place_for_two_reasons_are_not_elsewhere() -> None:
    loss = 'loss = { model = "bernoulli", probability = 0.001 }'
    more = f'{loss}\nqueue = {{ kind = "drop-tail", packets = 20 }}'
    said = _said(_run(LINK.format(more=more)))
    assert "Most drops: air" in said
    assert "elsewhere" not in said
    assert "other places" not in said
    assert "because the queue was full" in said


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
    sure = run_words.findings(_rates([[0.10, *rest], [0.11, *rest]], UPLOADS))[0]
    assert sure.headline == "Starved: flow0"
    assert sure.text.startswith("It gets 0.105 Mb/s on average, the other 9 flows 2.00 Mb/s each.")
    # Less than a fifth in the mean, but the interval reaches from below zero to 2.7 Mb/s.
    unsure = _rates([[0.40, *rest], [0.0, *rest]], UPLOADS)
    [found] = [f for f in run_words.findings(unsure) if "flow0" in f.headline]
    assert found.headline == "Low goodput, but not significantly: flow0"
    assert found.tone == "warn"
    assert "2 replications do not exclude a fair share" in found.text
    for finding in (sure, found):
        assert not {"Each", "their", "These"} & set(finding.text.split())


def test_what_starves_in_turns_is_counted_where_it_starves() -> None:
    rest = [2.0] * 9
    document = _rates([[0.0, *rest], [2.0, 0.0, *rest[1:]], [2.0, *rest]], UPLOADS)
    for number, (flow, station) in enumerate((("flow0", "sta0"), ("flow1", "sta1"))):
        row = {"flow": flow, "payload": True, "ack": False, "to": "ap", "packets": 6 + 6 * number}
        rows = [
            {**row, "place": station, "reason": "retry_limit"},
            # The losses of the flow that does not starve there do not count.
            {**row, "flow": "flow5", "place": "sta5", "reason": "retry_limit", "packets": 1},
        ]
        document["replications"][number]["drops"] = rows
        document["replications"][number]["flows"][number]["timeouts"] = 4
    document["replications"][2]["drops"] = []
    found = run_words.findings(document)[0]
    assert found.headline == "In 2 of 3 replications a flow starves"
    assert (
        "Of starved flows, data packets were dropped after the last retransmission on the"
        " air: sta0 6 on average in 1 of 3, sta1 12 on average in 1 of 3 replications."
    ) in found.text
    assert "A starved flow times out 4.0 times on average." in found.text


def test_what_opens_a_connection_is_no_ack() -> None:
    found = run_words.findings(_run(FAR))
    assert found[0].headline == "Nothing got through"
    assert "sta0 dropped 3 of its SYN, FIN or RST segments a replication after" in found[0].text
    assert not any("TCP ACKs" in f"{f.headline} {f.text}" for f in found)


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
    found = run_words.findings(_run(FAR))[0]
    assert (found.headline, found.tone) == ("Nothing got through", "bad")
    assert found.text.startswith("In 2 replications no data of the flow arrived. sta0 dropped")
    # Beside a flow with deliveries, it is named.
    star = 'kind = "star", stations = 1, radius_m = 5000'
    both = FAR.replace(star, 'kind = "positions", stations = [[5, 0], [5000, 0]]')
    found = run_words.findings(_run(both.replace("[[flows]]", "[[flows]]\ncount = 2")))[0]
    assert found.headline == "Nothing got through: flow1"


def test_the_advice_for_a_cell_names_its_price() -> None:
    document = _run(FULL_QUEUE)
    total = document["summary"]["total_goodput_bps"]["mean"] * 1e-6
    said = run_words.findings(document)[0].text
    assert "It may lower the total goodput" in said
    assert f"Compare the total, now {total:.1f} Mb/s." in said
    # Behind a wire no other station waits for the medium.
    few = LINK.format(more='queue = { kind = "drop-tail", packets = 5 }')
    place = groups.Place("air", "queue_full")
    assert "total" not in causes.first_try(_run(few), place)


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
    ended = run("run", "cell.toml", "--quiet")
    assert ended.code == 0
    assert ended.out.lstrip().startswith("Starved: the 10 downloads")
    assert "direction" in ended.out


def test_the_page_begins_with_what_happened() -> None:
    result = airtcp.run("s.toml", text=FULL_QUEUE)
    found = run_words.findings(result.json)
    page = html.unescape(result.page())
    places = [page.index(part) for f in found for part in (f.headline, f.text)]
    assert found[0].headline == "Starved: the 10 downloads"
    assert places == sorted(places)
    assert places[-1] < page.index("in all</h3>") < page.index('id="flows"')


def test_what_explains_least_leaves_a_narrow_terminal_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = airtcp.run("s.toml", text=LINK.format(more=""), overrides={"duration": "1 s"})
    heads: dict[str, list[str]] = {}
    left: dict[str, list[str]] = {}

    def put(console: Console, head: str, names: list[str], columns: list[tables.Column]) -> None:
        heads.setdefault(head, [column.head for column in columns])
        gone = tables.fitted(console, head, names, columns)[1]
        left.setdefault(head, []).extend(x for x in gone if x not in left.get(head, []))

    monkeypatch.setattr(run_tables, "put", put)
    for width in range(100, 20, -2):
        console = Console(file=io.StringIO(), width=width)
        monkeypatch.setattr(run_tables, "screen", lambda console=console: console)
        run_tables.put_result(result)
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


def test_a_link_that_sends_is_not_idle_all_the_time() -> None:
    slow = LINK.format(more='loss = { model = "bernoulli", probability = 0.45 }')
    document = airtcp.run("s.toml", text=slow, overrides={"duration": "100 s"}).json
    assert 0 < document["summary"]["links"][0]["utilisation"]["mean"] < 0.004
    said = _said(document)
    assert "Losses of air limit the flows" in said
    assert "idle 100 % of the time" not in said


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
