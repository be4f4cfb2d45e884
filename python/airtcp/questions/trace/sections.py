"""The page of models of bursty links: their errors in TCP's throughput and longest burst."""

from __future__ import annotations

from math import exp, inf
from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.command import command
from airtcp.pages.section import Page, Plot, Section, some
from airtcp.questions.trace import answer_models
from airtcp.questions.trace import charts as charts_models
from airtcp.words import sentences as words
from airtcp.words.notes import models_notes
from airtcp.words.sentences import percent

if TYPE_CHECKING:
    from airtcp.pages.sent import Rows

_LEAST_BURST: Final = 1.0
"""Lower end of the bars of longest bursts, whose axis is logarithmic."""
_LINKS: Final = (
    "Every dot is a link: the trace on the horizontal axis, the mean over the synthetic links with"
    " its 95 % interval on the vertical. TCP's throughput is in percent of what the link carries."
    " Drag to move, Shift and wheel to zoom, double-click to go back."
)
_TERMS: Final = {
    "Throughput": (
        "Packets that TCP delivered in order per second, one packet a slot, over the trace itself"
        " and over links of the same length that the model draws (Srinivasan et al., “PRR Is Not"
        " Enough”, section 9)."
    ),
    **answer_models.LEGEND,
}


def models_page(document: dict[str, Any]) -> Page:
    """Make the page of models from their document."""
    links: list[dict[str, Any]] = document["links"]
    overall: list[dict[str, Any]] = document["overall"]
    rows = score_rows(document)
    line = _ends(rows)
    notes = tuple(models_notes(links))
    skipped = some([f"{file['path']}: {file['reason']}" for file in document["skipped"]])
    return Page(
        answer_models.answer(document),
        [
            Section(
                "overall",
                "Models",
                answer_models.UNLIKE if len({model["links"] for model in overall}) > 1 else "",
                _overview(document, rows, line),
                answer_models.every(document),
            ),
            Section("links", "Model and trace", _LINKS, _against(document, rows, line)),
            *((Section("notes", "Notes", notes=notes),) if notes else ()),
            *((Section("skipped", "Files not read", notes=skipped),) if skipped else ()),
            Section("method", "Method", terms=tuple(_TERMS.items())),
        ],
        document,
        title=f"Models of {words.counted(len(links), 'bursty link')}",
        lead="Each model is made of a trace and draws synthetic links of the same length. Does TCP"
        " get the same over them as over the trace, and is their longest burst as long?",
        command=_command(document),
        chart="off",
        facts=[
            ("Links", words.count(len(links))),
            ("Synthetic links", f"{document['replicas']} of each model and link"),
            ("TCP profile", document["profile"]),
        ],
    )


def _overview(document: dict[str, Any], rows: Rows, line: Rows) -> tuple[Plot, ...]:
    """Draw the error of each model."""
    names = [model["synthesiser"] for model in document["overall"]]
    links = len(document["links"])
    factor = charts_models.overview("factor", names, links)
    plot = Plot(
        "off",
        "Error of each model",
        "Every dot is a link; on the dashed line model and trace agree.",
        charts_models.overview("off", names, links),
        {"points": rows, "line": line},
        (("factor", "longest burst", factor),),
        label="TCP",
        wide=True,
    )
    return (plot,)


def _against(document: dict[str, Any], rows: Rows, line: Rows) -> tuple[Plot, ...]:
    """Draw the links of each model against their traces."""
    links = len(document["links"])
    return tuple(
        Plot(
            f"model-{index}",
            model["synthesiser"],
            _said(model),
            charts_models.against("share", links),
            {
                "points": [row for row in rows if row["synthesiser"] == model["synthesiser"]],
                "line": line,
            },
            ((f"model-{index}-burst", "longest burst", charts_models.against("burst", links)),),
            label="TCP",
        )
        for index, model in enumerate(document["overall"])
    )


def score_rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each link and fitted model, for the charts."""
    return [
        _row(link, score)
        for link in document["links"]
        for score in link["scores"]
        if score["packets_per_second"]["mean"] is not None
    ]


def _row(link: dict[str, Any], score: dict[str, Any]) -> dict[str, Any]:
    trace, ratio = link["empirical"], score["longest_burst_log_ratio"]
    to_share = 100 * link["slot_s"]
    rate, burst = score["packets_per_second"], score["longest_success_burst"]
    share = rate["mean"] * to_share
    trace_share = trace["packets_per_second"] * to_share
    share_low, share_high = _bounds(rate, to_share, (0.0, 100.0))
    burst_low, burst_high = _bounds(burst, 1.0, (_LEAST_BURST, inf))
    return {
        "synthesiser": score["synthesiser"],
        "link": link["name"],
        "prr": trace["prr"],
        "trace_share": trace_share,
        "share": share,
        "share_low": share_low,
        "share_high": share_high,
        "off": share - trace_share,
        # A missing burst has no place on a logarithmic axis.
        "trace_burst": trace["longest_success_burst"] or None,
        "burst": burst["mean"] or None,
        "burst_low": burst_low,
        "burst_high": burst_high,
        "factor": None if ratio is None else exp(ratio),
    }


def _bounds(
    estimate: dict[str, Any], scale: float, possible: tuple[float, float]
) -> tuple[float | None, float | None]:
    """Return the ends of an interval, cut off at the limits of the quantity."""
    low, high = estimate["ci_low"], estimate["ci_high"]
    if low is None or high is None:
        return None, None
    least, most = possible
    return max(scale * low, least), min(max(scale * high, least), most)


def _ends(rows: list[dict[str, Any]]) -> list[dict[str, float]]:
    """Return the ends of the lines on which model and trace agree."""
    shares = [row["trace_share"] for row in rows]
    bursts = [row["trace_burst"] for row in rows if row["trace_burst"]]
    return [
        {"share": 0.0, "burst": min(bursts, default=_LEAST_BURST)},
        {"share": max(shares, default=1.0), "burst": max(bursts, default=_LEAST_BURST)},
    ]


def _said(model: dict[str, Any]) -> str:
    return (
        f"{model['description']}. TCP off by {percent(model['mean_normalised_error'])} %,"
        f" the longest burst by {answer_models.times(model['mean_absolute_burst_log_ratio'])}."
    )


def _command(document: dict[str, Any]) -> str:
    return command(
        "trace",
        "models",
        paths=document["paths"],
        options=[(name, document.get(name)) for name in ("profile", "slot", "replicas", "seed")],
        read=document.get("read"),
    )
