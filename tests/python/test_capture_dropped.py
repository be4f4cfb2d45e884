"""The page of a capture: times in which the capturing system dropped packets are shaded."""

from __future__ import annotations

from typing import Any, Final

from airtcp.pages.section import Plot
from airtcp.questions.capture import charts, charts_answer, dropped
from airtcp.questions.run import charts as charts_run

START: Final = 1_700_000_000.0


def document(*stretches: tuple[float, float, int]) -> dict[str, Any]:
    """Return a document with drops at these times since the start."""
    drops = [
        {"from_s": START + begin, "to_s": START + end, "packets": packets}
        for begin, end, packets in stretches
    ]
    return {"files": [{"path": "a", "drops": drops}, {"path": "b"}]}


def test_bands_are_cut_to_what_is_shown() -> None:
    found = document(
        (-2.0, -1.0, 5), (-1.0, 0.5, 6), (2.0, 3.0, 7), (9.0, 12.0, 8), (11.0, 12.0, 9)
    )
    assert dropped.bands(found, START, 10.0) == [
        {"t": 0.0, "t2": 0.5, "packets": 6},
        {"t": 2.0, "t2": 3.0, "packets": 7},
        {"t": 9.0, "t2": 10.0, "packets": 8},
    ]
    assert dropped.bands(document(), START, 10.0) == []


def test_bands_are_behind_every_kind_of_chart() -> None:
    plots = (
        Plot("a", "A", "One.", charts_answer.flight(), {"flight": [{"t": 0, "kb": 1}]}),
        Plot("b", "B", "", charts_run.series("rtt", "name", "ms", "ms"), {"rtt": [{"t": 0}]}),
        Plot(
            "c",
            "C",
            "Three.",
            charts.time_sequence(["first"], 1.0, 1.0),
            {"segments": [{"t": 0}]},
            thinned={"segments": ()},
        ),
    )
    assert dropped.shaded(plots, []) == plots
    bands = [{"t": 0.0, "t2": 1.0, "packets": 3}]
    for before, after in zip(plots, dropped.shaded(plots, bands), strict=True):
        layers = after.spec["layer"]
        assert layers[0]["data"] == {"name": "dropped"}
        assert layers[0]["mark"]["type"] == "rect"
        # What was drawn is drawn above it, with the same axis.
        own = before.spec.get("layer", [before.spec])
        marks = [layer["mark"] for layer in own]
        assert [layer["mark"] for layer in layers[1:]] == marks
        title = own[0]["encoding"]["x"]["title"]
        assert layers[0]["encoding"]["x"]["title"] == title
        assert (after.spec["width"], after.spec["height"]) == ("container", before.spec["height"])
        assert after.data["dropped"] == bands
        assert after.rows == before.rows, "the CSV file has the rows of the chart"
        assert "capturing system dropped packets" in after.caption
        assert after.drawn["dropped"] == bands
