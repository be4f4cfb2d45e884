"""What the page of a study shows of one link: its losses, and TCP over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.section import Item, Plot
from airtcp.questions.study import answer_link, charts_link, rows
from airtcp.questions.study import findings as study_words
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.trace.findings import memory, reason
from airtcp.words import notes
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import Link
    from airtcp.questions.study.rows import Rows, Run

    Data = Mapping[str, Rows]

_WINDOW_POINTS: Final = 600
"""Points of the congestion window of one link, when there are few links."""
_MANY: Final = 200
_CAPTIONS: Final = {
    "tcp": "Thin ticks are the replicas, the dot their mean, the bar its 95 % confidence interval.",
    "time": "Share of the packets that arrive in each stretch of the trace.",
    "cwnd": "TCP's congestion window over the trace. Drag sideways to move, Shift and wheel to zoom"
    " in time.",
    "success": "Long runs let the window grow. Dotted: independent losses. Dashed:"
    " Gilbert-Elliott.",
    "loss": "A run of losses costs TCP less than the same number of single losses. Dotted:"
    " independent losses. Dashed: Gilbert-Elliott.",
    "convergence": "mu of the first packets, up to the whole trace; the band is the error of the"
    " whole. S1's links settled after 10 000 to 40 000 packets.",
    "cpdf": "Probability that a packet arrives after losses (left) or successes (right) in a row;"
    " the dashed line is the PRR.",
    "autocorrelation": "Correlation of the outcomes of two packets by their distance; dashed: the"
    " Gilbert-Elliott chain; band: no memory.",
}
_WIDE: Final = {"time", "cwnd", "autocorrelation"}


def link_items(links: Sequence[Link]) -> tuple[list[Item], int]:
    """Return what the page shows of each link, and the one to show first."""
    specs = link_words.noted(
        {
            "tcp": charts_link.link_throughput(),
            "time": charts_link.reception_over_time(),
            "cwnd": charts_link.window(),
            **{
                f"{kind}{end}": charts_link.bursts(kind, view)
                for kind in ("success", "loss")
                for end, view in (("", "share"), ("-tail", "tail"))
            },
            "convergence": charts_link.convergence(),
            "cpdf": charts_link.conditional(),
            "autocorrelation": charts_link.autocorrelation(),
        },
        links,
    )
    points = _WINDOW_POINTS if len(links) <= _MANY else _WINDOW_POINTS // 4
    first = max(range(len(links)), key=lambda index: _rank(links[index]))
    several = len(links) > 1
    return [_item(link, specs, points, several=several) for link in links], first


def _rank(link: Link) -> tuple[bool, bool, bool, float]:
    """Order links by what there is to see: preferably an intermediate one."""
    gain = link["tcp"]["difference"]["independent"]["packets_per_second"]["mean"] or 0.0
    low, high = study_words.INTERMEDIATE
    window = link["tcp"]["empirical"]["cwnd"] is not None
    return window, low <= link["prr"] <= high, link["converged"], abs(gain)


def _item(link: Link, specs: Mapping[str, Any], points: int, *, several: bool) -> Item:
    data: dict[str, Data] = {
        "tcp": rows.throughput(link),
        "time": {"time": rows.time(link)},
        "cwnd": {"cwnd": rows.window(link, points)},
        "success": rows.runs(link, "success"),
        "loss": rows.runs(link, "loss"),
        "convergence": rows.convergence(link),
        "cpdf": rows.conditional(link),
        "autocorrelation": {"autocorrelation": rows.autocorrelation(link)},
    }
    headings = _headings(link)
    plots = tuple(
        Plot(
            f"link-{name}",
            headings[name],
            _CAPTIONS[name],
            specs[name],
            of,
            ((f"link-{name}-tail", "tail", specs[f"{name}-tail"]),)
            if name in {"success", "loss"}
            else (),
            label="distribution",
            wide=name in _WIDE,
        )
        for name, of in data.items()
    )
    labels = ", ".join(f"{key} {value}" for key, value in link["labels"].items())
    source = f"{link['source']['path']} ({link['source']['layout']})"
    # The answer on the only link stands on the first screen.
    said = [answer_link.headline(link), answer_link.help_for(link)] if several else []
    return Item(
        link["name"],
        plots,
        f"{source}; {labels}" if labels else source,
        _facts(link),
        _counts(link),
        (*filter(None, said), *(f"{line}." for line in _notes(link))),
    )


def _notes(link: Link) -> list[str]:
    settled = [] if link["mu"] is None else [reason(link["convergence"])]
    return [*settled, *notes.notes([link])]


def _facts(link: Link) -> tuple[tuple[str, str], ...]:
    """Return the metrics of a link."""
    slot = f"{words.number(link['tcp']['slot_s'] * 1e3)} ms"
    found = {
        "Packets": words.count(link["packets"]),
        "Received": words.count(link["received"]),
        "PRR": f"{words.number(link['prr'])}{words.bounds(link['prr_ci'])} ({link['class']})",
        "mu": f"{words.number(link['mu'])}{words.bounds(link['mu_ci'])}",
        "mu has settled": "yes" if link["converged"] else "no",
        "Beta": words.number(link["beta"]),
        "g, success after a loss": words.number(link["g"]),
        "b, loss after a success": words.number(link["b"]),
        "Longest run of successes": _longest(link, "success"),
        "Longest run of losses": _longest(link, "loss"),
        "Slot": f"{slot} assumed" if link["tcp"]["slot_assumed"] else slot,
    }
    return tuple(found.items())


def _longest(link: Link, kind: Run) -> str:
    """Write the length of the longest run, and what is expected of the chain."""
    run = link["longest_success_burst"] if kind == "success" else link["longest_loss_burst"]
    said = "not measured" if run is None else words.count(run)
    expected = link_words.expected_longest(link, kind)
    return said if expected is None else f"{said}; of a chain about {words.count(expected)}"


def _counts(link: Link) -> Grid:
    """Return the table of what TCP did: counts over the trace, means over replicas of models."""
    tcp = link["tcp"]
    measured: list[tuple[str, Any]] = [("this trace", tcp["empirical"])]
    measured += [("independent", tcp["independent"]), ("Gilbert-Elliott", tcp["gilbert_elliott"])]
    known = [(name, of) for name, of in measured if of is not None]

    def column(head: str, key: str, scale: float = 1.0) -> Column:
        values = [of[key] for _, of in known]
        means: list[Any] = [value["mean"] if isinstance(value, dict) else value for value in values]
        return Column(head, [_said(m, scale) for m in means])

    columns = [
        column(f"packets/s{link_words.beside_rates(link)}", "packets_per_second"),
        column("timeouts", "timeouts"),
        column("fast retransmits", "fast_retransmits"),
        column("retransmitted (%)", "retransmission_ratio", 100.0),
    ]
    return Grid("TCP over", [name for name, _ in known], columns)


def _said(value: float | None, scale: float) -> str:
    if value is None:
        return "-"
    return words.count(value) if isinstance(value, int) else words.number(scale * value)


def _headings(link: Link) -> dict[str, str]:
    """Write the heading of each chart of a link."""
    empirical = link["tcp"]["empirical"]
    alone = link["isolated_loss_share"]
    losses = "" if alone is None else f"{100 * alone:.0f} % of loss runs are single losses; "
    found = {
        "tcp": link_words.against_independent(link).headline,
        "time": "Packets received over time",
        "cwnd": f"{words.counted(empirical['timeouts'], 'timeout')} and"
        f" {words.counted(empirical['fast_retransmits'], 'fast retransmit')}"
        f" in {words.number(empirical['duration_s'])} s",
        "success": f"Longest run of successes: {_longest(link, 'success')}",
        "loss": words.begun(f"{losses}longest run of losses: {_longest(link, 'loss')}"),
        "convergence": "mu has settled" if link["converged"] else "mu has not settled",
        "cpdf": "What the last packets say of the next",
        "autocorrelation": "How long the link remembers",
    }
    if memory(link) == "unmeasured":
        names = ("success", "loss", "convergence", "cpdf", "autocorrelation")
        found |= dict.fromkeys(names, "The order of losses was not measured")
    return found
