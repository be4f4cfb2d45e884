"""The builder of charts against altair: the same specifications of the same charts."""

from __future__ import annotations

import copy
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as real  # noqa: ICN001 - charts name ours `alt`
import pytest

import airtcp
from airtcp.charts import parts as charts
from airtcp.charts import vega_lite
from airtcp.questions.trace.model_scores import ModelScores

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.study.result import StudyResult

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
MODULES = [
    import_module(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "vega_lite as alt" in path.read_text("utf-8")
]


def _plain(spec: Any) -> Any:
    """Return a specification of altair in the form of ours; to Vega-Lite both mean the same.

    altair moves selections to the top, and names the layer that makes one with a number that grows
    over the life of the process. It leaves equal data in layers that were begun apart.
    """
    if not isinstance(spec, dict):
        return spec
    found = copy.deepcopy(spec)
    for one in found.pop("params", []):
        views = one.pop("views", None)
        for part in (found, *found.get("layer", [])):
            if part is found if views is None else part.get("name") in views:
                part.setdefault("params", []).append(one)
    for part in (found, *found.get("layer", [])):
        if str(part.get("name", "")).startswith("view_"):
            del part["name"]
    layers: list[Any] = found.get("layer", [])
    data = [one.get("data") for one in layers]
    if data and data[0] is not None and all(one == data[0] for one in data):
        found["data"] = data[0]
        for one in layers:
            del one["data"]
    return found


def _made(page: Callable[[], str], alt: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the charts of a page, built with `alt`."""
    specs: list[Any] = []
    finish = charts.finish

    def recorded(chart: Any, *arguments: Any, **more: Any) -> Any:
        spec = finish(chart, *arguments, **more)
        specs.append(copy.deepcopy(spec))
        return spec

    with monkeypatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "alt", alt)
            if hasattr(module, "finish"):
                patch.setattr(module, "finish", recorded)
        # A result lays its page out once.
        vars(getattr(page, "__self__", page)).pop("_page", None)
        page()
    return json.loads(json.dumps(specs))


def _pages(study: StudyResult, folder: Path) -> dict[str, Callable[[], str]]:
    scenario = ROOT / "scenarios" / "lossy-link.toml"
    run = airtcp.run(
        scenario, overrides={"duration": "2 s"}, replications=2, series=True, pcap=folder / "a.pcap"
    )
    cell = airtcp.run(
        ROOT / "scenarios" / "wifi-two-cells.toml",
        overrides={"duration": "1 s", "warmup": "0.1 s"},
        replications=2,
        series=True,
        timeline="0.5 s..0.52 s",
    )
    compared = airtcp.compare(
        scenario, tcp=["newreno", "cubic"], overrides={"duration": "2 s"}, replications=2
    )
    paths = [
        airtcp.synth(folder / f"{i}.txt", prr=0.4 + 0.05 * i, mu=0.1 * i, packets=500, seed=i)
        for i in range(9)
    ]
    schemes = airtcp.compare_schemes(
        ROOT / "scenarios" / "wifi-star.toml",
        schemes="rts",
        overrides={"duration": "1 s", "warmup": "0.1 s"},
        replications=2,
    )
    return {
        "schemes": schemes.page,
        "models": ModelScores(airtcp.models(paths[5:7], replicas=1)).page,
        "study": study.page,
        "run": run.page,
        "cell": cell.page,
        "compare": compared.page,
        "capture": lambda: airtcp.capture(folder / "a.pcap", series=True).page(),
        "fit": airtcp.trace_fit(paths).page,
    }


def test_charts_of_pages_are_those_of_altair(
    study: StudyResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, page in _pages(study, tmp_path).items():
        monkeypatch.setenv("AIRTCP_CACHE", str(tmp_path / f"ours-{name}"))
        ours = _made(page, vega_lite, monkeypatch)
        monkeypatch.setenv("AIRTCP_CACHE", str(tmp_path / f"theirs-{name}"))
        theirs = [_plain(spec) for spec in _made(page, real, monkeypatch)]
        assert ours, name
        assert ours == theirs, name


def test_pages_do_not_load_altair() -> None:
    assert len(MODULES) > 10
    assert all(module.alt is vega_lite for module in MODULES)
    assert not [m for m in MODULES if "altair" in (Path(str(m.__file__)).read_text("utf-8"))]


@pytest.mark.parametrize("shorthand", ["prr:Q", "name:N", "mean(rate):Q", "count():Q"])
def test_shorthands_are_those_of_altair(shorthand: str) -> None:
    theirs = real.Chart(real.NamedData("d")).mark_point().encode(x=real.X(shorthand))
    ours = vega_lite.Chart(vega_lite.NamedData("d")).mark_point().encode(x=shorthand)
    assert ours.to_dict()["encoding"] == theirs.to_dict()["encoding"]


def test_a_shorthand_of_no_known_form() -> None:
    with pytest.raises(ValueError, match="no FIELD:TYPE"):
        vega_lite.X("rate:Z")


def test_a_chart_does_not_change() -> None:
    base = vega_lite.Chart(vega_lite.NamedData("d")).mark_point()
    before = base.to_dict()
    base.encode(x="a:Q").add_params(vega_lite.param(name="p", value=1)).transform_filter("true")
    vega_lite.layer(base, base).add_params(vega_lite.selection_point(name="s"))
    assert base.to_dict() == before
