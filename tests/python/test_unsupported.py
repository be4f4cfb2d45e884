"""Conclusions that an input does not support are not drawn, and no chart is without points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.questions.run.groups import directions, retransmitted
from airtcp.questions.study import findings as study_words
from page_parts import data_of, parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.study.result import StudyResult

HEADER = (
    '{"location": "here", "interframe_duration": 10}\n'
    "datetime,src,dst,channel,mean_rssi,pdr,tx_count\n"
)


def _counted(folder: Path, ratios: list[float]) -> Path:
    """Write links whose bursts have a number of losses and no order."""
    rows = "".join(
        f"2020-01-01 00:{minute % 60:02}:00,1,{2 + link},11,-80,{ratio},100\n"
        for link, ratio in enumerate(ratios)
        for minute in range(60)
    )
    path = folder / "counted.k7"
    path.write_text(HEADER + rows)
    return path


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """A study of links of equal PRR whose order of losses airtcp drew."""
    path = _counted(tmp_path_factory.mktemp("drawn"), [0.5, 0.5, 0.51, 0.52])
    return airtcp.study(path, replicas=2, compare=False, remedies=False)


def test_a_drawn_order_says_nothing_of_links_of_equal_prr(drawn: StudyResult) -> None:
    links = drawn.json["links"]
    assert len(links) == 4
    assert not any(link["order_known"] for link in links)
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in links]
    assert max(rates) > min(rates), "their throughput differs by the draw"
    assert study_words.widest_spread(links) is None
    said = " ".join(f"{f.headline} {f.text}" for f in study_words.study_findings(links))
    assert "at equal PRR" not in said
    assert "-fold" not in drawn.page()


def test_nothing_is_counted_of_no_link(drawn: StudyResult) -> None:
    headlines = [f.headline for f in study_words.study_findings(drawn.json["links"])]
    assert not [headline for headline in headlines if " 0 of 0" in headline or "of 0 " in headline]


def test_links_that_lose_nothing_have_no_count_either(tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("1" * 2000)
    result = airtcp.study(tmp_path, replicas=2, compare=False, remedies=False)
    headlines = [f.headline for f in study_words.study_findings(result.json["links"])]
    assert "No link shows an order of losses" in headlines
    assert not [headline for headline in headlines if " of 0" in headline]


def test_no_chart_of_a_study_is_empty(drawn: StudyResult, tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.7, packets=3000, seed=1)
    ordered = airtcp.study(tmp_path, replicas=2, compare=False, remedies=False)
    for page in (drawn.page(), ordered.page()):
        parts = parts_of(page)
        places = {plot.name for plot in parts.plots}
        filled = set(data_of(parts.payload))
        # The charts of one link follow the reader's choice; the page hides those without data.
        assert {name for name in places - filled if not name.startswith("link-")} == set()
    assert {"gain", "chain", "longest"} & {
        plot.name for plot in parts_of(drawn.page()).plots
    } == set()


def test_no_chart_of_a_run_is_empty() -> None:
    text = (
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\napp = { kind = "bulk", start = "5 s" }\n'
    )
    parts = parts_of(airtcp.run("quiet.toml", text=text).page())
    filled = set(data_of(parts.payload))
    assert {plot.name for plot in parts.plots} <= filled


def test_a_direction_has_theretransmitted_share_of_its_flows_together() -> None:
    """A flow with few segments does not count as much as one with many."""
    text = (
        'duration = "5 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "5 ms"\n'
        'loss = { model = "bernoulli", probability = "2 %" }\n'
        '[[flows]]\nname = "long"\nfrom = "a"\nto = "b"\n'
        '[[flows]]\nname = "short"\nfrom = "a"\nto = "b"\n'
        'app = { kind = "bulk", size = "20 kB" }\n'
    )
    document = airtcp.run("two.toml", text=text, replications=2).json
    flows = [flow for run in document["replications"] for flow in run["flows"]]
    again, sent = (sum(flow[key] for flow in flows) for key in ("retransmissions", "segments_sent"))
    assert again > 0
    groups = directions(document)
    assert groups == [] or groups[0].retransmission_ratio == pytest.approx(again / sent)
    assert retransmitted(document["summary"]["flows"]) == pytest.approx(again / sent)


def test_a_best_tcp_over_a_drawn_order_is_said_to_be_so(tmp_path: Path) -> None:
    path = _counted(tmp_path, [0.97])
    result = airtcp.compare(path, tcp="sack,cubic", remedies=False, synthetic=False)
    said = result.answer()
    assert said is not None
    assert "it was drawn, and bursts matter" in str(said.doubt)
