"""How many packets mu needs (S1, figures 16 to 18).

A link's mu is *stable after* n packets if mu of every longer prefix lies within `band` of the mu
of the whole trace. It *changes late* if mu moves by more than `band` within the last `late`
packets. The scatter of mu over chunks is the root mean square of its deviations from the mu of
the whole; `excess` relates it to what a stationary Gilbert-Elliott chain shows.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import SETS, Driver, every_set, within
from airtcp_papers.drivers.statistics import percent
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun

PARAMETERS: Final[Form] = {
    **SETS,
    "prr": Key("interval", "range of PRR of the links", default=[0.2, 0.6]),
    "band": Key("number", "deviation of mu that counts as none", default=0.02),
    "late": Key("whole", "packets at the end in which a change is late", default=8000),
    "shows": Key("text", "what is drawn", accepted=("chunks", "prefixes"), default="chunks"),
    "drawn": Key("whole", "links whose prefixes are drawn", default=5),
}


def stable_after(link: LinkRun, band: float) -> float | None:
    """Return the packets after which mu stays within the band of its last value."""
    if link.mu is None or not link.prefix:
        return None
    stable = link.prefix[-1][0]
    for packets, mu in reversed(link.prefix):
        if abs(mu - link.mu) > band:
            break
        stable = packets
    return float(stable)


def changes_late(link: LinkRun, band: float, late: int) -> bool:
    """Return whether mu moves by more than the band in the last packets."""
    return link.mu is not None and any(
        abs(mu - link.mu) > band for packets, mu in link.prefix if packets >= link.packets - late
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    band, late = parameters["band"], parameters["late"]
    for links, runs in every_set(context, parameters, outcome):
        at = {"set": links.name}
        chosen = [
            [link for link in within(run, links.prr(parameters["prr"])) if link.mu is not None]
            for run in runs
        ]
        stable = [_median([stable_after(link, band) for link in run]) for run in chosen]
        changing = [
            percent(sum(changes_late(link, band, late) for link in run), len(run)) for run in chosen
        ]
        outcome.measures += [
            repeated("stable after", at, stable, "packets"),
            repeated("late change", at, changing, "%"),
            repeated("chunk scatter", at, [_median([x.chunk_rms for x in run]) for run in chosen]),
            repeated("error of mu", at, [_median([x.mu_error for x in run]) for run in chosen]),
            repeated("excess", at, [_median([x.chunk_ratio for x in run]) for run in chosen]),
        ]
        if draw and chosen[0]:
            picture = _chunks if parameters["shows"] == "chunks" else _prefixes
            outcome.plots.append(
                picture(links.name, links.label, links.words, chosen[0], parameters["drawn"])
            )
    return outcome


def _chunks(name: str, label: str, words: str, links: Sequence[LinkRun], _: int) -> Plot:
    rows = [
        {"x": link.mu, "y": link.chunk_rms, "label": link.name, "shade": link.prr}
        for link in links
        if link.chunk_rms is not None
    ]
    chunk = max((link.chunk for link in links), default=0)
    return Plot(
        name,
        f"Scatter of mu over chunks of {chunk} packets: {label}",
        words,
        Axis("mu of the whole trace"),
        Axis("root mean square deviation of mu"),
        [Layer("point", rows)],
        shaded="PRR",
    )


def _prefixes(name: str, label: str, words: str, links: Sequence[LinkRun], drawn: int) -> Plot:
    # Chooses links spread over the range of mu, so that their curves lie apart.
    ordered = sorted(links, key=lambda link: link.mu or 0.0)
    count = min(drawn, len(ordered))
    picked = [ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count)]
    rows = [
        {"x": packets, "y": mu, "series": link.name}
        for link in picked
        for packets, mu in link.prefix
    ]
    return Plot(
        name,
        f"mu of the first packets: {label}",
        f"{words} Five links, spread over the range of mu.",
        Axis("packets from the start"),
        Axis("mu so far"),
        [Layer("line", rows)],
    )


DRIVER = Driver("convergence", "how many packets mu needs", PARAMETERS, measure)
