"""The page of a diagnosis: the predictions, the losses, the link and the check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from airtcp.pages.command import command
from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.diagnose import charts as charts_diagnose
from airtcp.questions.diagnose import findings as diagnose_words
from airtcp.questions.diagnose import rows, tables
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument
    from airtcp.words.answer import Answer

_GOODPUT: Final = "What each TCP would get"
_GOODPUT_ABOUT: Final = (
    "A new transfer over this link: median and 90 % predictive interval. The dashed line is the"
    " goodput of the capture."
)
_BACKLOG: Final = "Packets that waited at the bottleneck when the lost packet came."
_LOSSES: Final = "Drops of a full queue are at one backlog; losses of the link are at any."
_LINK: Final = "By the timing of packets."
_CHECK: Final = (
    "The transfer of the capture beside replays with the same TCP over links that agree with it."
)
_SCENARIO: Final = "The link and the transfer, for a run of the simulator."
_TERMS: Final = (
    (
        "Rate",
        "The mode of the slopes between arrivals of packets that waited for each other.",
    ),
    (
        "Queue, origin of the losses",
        "The backlog at each loss: packets sent before that had not left the bottleneck.",
    ),
    (
        "Predictions",
        "Links that agree with the capture are drawn, and each is replayed once with each TCP.",
    ),
)


def diagnose_page(document: DiagnoseDocument, answer: Answer) -> Page:
    """Make the page of a diagnosis."""
    seen, predicted = document["observed"], document["predictions"]
    title = "No transfer" if seen is None else f"{seen['sender']} to {seen['receiver']}"
    return Page(
        answer,
        _sections(document),
        document,
        title=f"Diagnosis: {title}",
        command=_command(document),
        chart=charts_diagnose.PREDICTIONS if predicted else charts_diagnose.BACKLOG,
        facts=[
            ("TCP", document["tcp"] if document["tcp_told"] else f"{document['tcp']} (a guess)"),
            ("Links drawn", words.count(document["replications"])),
        ],
        findings=[part for part in answer.details if isinstance(part, Finding)],
        whole=tables.predictions(document, len(predicted), every=True) if predicted else None,
        lead=f"From a packet capture: {diagnose_words.transfer(document)}.",
    )


def _sections(document: DiagnoseDocument) -> list[Section]:
    variants = [row["variant"] for row in document["predictions"]]
    goodput = Plot(
        charts_diagnose.PREDICTIONS,
        _GOODPUT,
        _GOODPUT_ABOUT,
        charts_diagnose.predictions(variants),
        rows.predictions(document),
        wide=True,
    )
    backlog = Plot(
        charts_diagnose.BACKLOG,
        "Backlog at each loss",
        _BACKLOG,
        charts_diagnose.backlog(),
        rows.backlog(document),
        wide=True,
    )
    link, check = tables.link(document), tables.check(document, "")
    return [
        Section("predictions", _GOODPUT, plots=(goodput,)),
        Section("losses", "Losses", _LOSSES, plots=(backlog,)),
        *([Section("link", "The link", _LINK, grid=replace(link, title=""))] if link else []),
        *([Section("replay", "The check", _CHECK, grid=check)] if check else []),
        *(
            [Section("scenario", "Scenario", _SCENARIO, code=document["scenario"])]
            if document["scenario"]
            else []
        ),
        Section("method", "Method", terms=_TERMS),
    ]


def _command(document: DiagnoseDocument) -> str:
    seen, link = document["observed"], document["link"]
    told = link is not None and link["sources"]["rate_bps"] == "option"
    rate = None if link is None or not told else f"{link['rate_bps']['value'] / 1e6} Mb/s"
    rtt_told = seen is not None and seen["rtt_from"] == "the option rtt"
    rtt = f"{1e3 * (seen['rtt_min_s'] or 0)} ms" if seen is not None and rtt_told else None
    return command(
        "diagnose",
        paths=document["paths"],
        options=[
            ("interface", document["interface"]),
            ("connection", None if seen is None else seen["connection"]),
            ("tcp", document["tcp"] if document["tcp_told"] else None),
            ("rate", rate),
            ("rtt", rtt),
            ("replications", document["replications"]),
            ("seed", document["seed"]),
        ],
    )
