"""TCP's throughput over links, fitted to link metrics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from airtcp import _core
from airtcp.inputs import arrays
from airtcp.inputs.arguments import as_json, finite, only_given, texts_of
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.inputs.reading import how_to_read
from airtcp.questions.study.call import study

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading
    from airtcp.questions.fit.conditions import Link
    from airtcp.questions.fit.document import FitDocument
    from airtcp.questions.fit.result import FitResult


@reads("trace fit")
@shows_progress
def trace_fit(
    links: Links,
    *,
    metrics: str | Iterable[str] = (),
    forms: Mapping[str, Iterable[str]] | None = None,
    where: str | Iterable[str] = (),
    link_class: str | Iterable[str] = (),
    rtt_slots: float | None = None,
    timeout_slots: float | None = None,
    segments_per_ack: float | None = None,
    max_window: float | None = None,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 1,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> FitResult:
    """Fit TCP's throughput to link metrics, and compare published formulas.

    TCP runs over each trace as in `study`. The throughputs are fitted to PRR, mu and
    other metrics by least absolute deviations.

    Args:
        links: Delivery traces, as for `study`, or results of studies: a JSON document, its
            table of links (`links.parquet`), or the folder with them. Results are not run again.
        metrics: Metrics to test beside PRR and mu: any number in a study's link, such as "beta" or
            "loss_bursts.mean", or its logarithm, such as "log(longest_success_burst)".
        forms: Forms that replace those of S1: their names with their terms, such as "prr", "prr^2",
            "1/sqrt(1-mu)", "prr*mu".
        where: Conditions on links, such as "0.2<=prr<=0.6" or "mu>0.5".
        link_class: Classes of links to use, such as "intermediate".
        rtt_slots: Round-trip time in the formulas, in slots; by default 2.
        timeout_slots: First retransmission timeout in the formulas, in slots; by default 100.
        segments_per_ack: Segments per acknowledgement; by default 2.
        max_window: Maximum window in packets; by default 130.
        profile: As for `study`.
        slot: As for `study`.
        replicas: As for `study`; the fits do not use them, so 1 is enough.
        seed: As for `study`.
        workers: As for `study`.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

    Returns: The result. A form that cannot be fitted to these links has a reason.

    Raises:
        TraceError: If a file cannot be read.
        AirtcpError: If an option is impossible, or no link is left to fit.

    Examples:
        >>> from airtcp import synth
        >>> paths = [synth(f"{i}.txt", prr=i / 10, mu=0.3, packets=2000) for i in (2, 3, 4, 5)]
        >>> result = trace_fit(paths, where="prr>0.1")
        >>> result
        FitResult(4 links, 3 of 6 forms)
        >>> print(result.json["fits"][3]["problem_text"])
        4 coefficients need 5 links or more; there are 4
    """
    from airtcp.questions.fit import links as fit_links
    from airtcp.questions.fit.result import FitResult

    read = how_to_read(reading, of=trace_fit)
    formulas = only_given(
        rtt_slots=rtt_slots,
        timeout_slots=timeout_slots,
        segments_per_ack=segments_per_ack,
        max_window=max_window,
    )
    for name, value in formulas.items():
        if not finite(value):
            message = f"{name} is {value}: expected a number above 0"
            raise _core.AirtcpError(message)
    names = texts_of("metrics", metrics)
    conditions, classes = texts_of("where", where), texts_of("link_class", link_class)
    with arrays.given(links) as paths:
        found = _links(
            paths,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            progress=progress,
            **reading,
        )
    kept = _kept(found, conditions, classes)
    written = (
        None
        if forms is None
        else [{"name": name, "terms": list(terms)} for name, terms in forms.items()]
    )
    request = {
        "links": fit_links.samples(kept, names),
        "options": only_given(metrics=names, forms=written, formulas=formulas),
    }
    answer: dict[str, Any] = json.loads(_core.fit_throughput(as_json(request), progress))
    asked = {"where": conditions, "classes": classes}
    asked |= only_given(read=read or None)
    return FitResult(_document(answer, found, kept, paths=paths, seed=seed, asked=asked))


class _Links(NamedTuple):
    """The links to fit."""

    links: list[Link]
    capacities: list[str]
    """Names of links of varying capacity, which have no losses."""
    study: dict[str, Any]
    """The document of the study of traces without its links; empty if there were no traces."""


def _links(paths: list[str], **options: Any) -> _Links:
    """Read the results among the paths, and study the traces among them."""
    from airtcp.questions.fit import links as fit_links

    results = [path for path in paths if fit_links.is_result(path)]
    found = [link for path in results for link in fit_links.read_result(path)]
    capacities = [name for path in results for name in fit_links.capacities(path)]
    studied: dict[str, Any] = {}
    if traces := [path for path in paths if path not in results]:
        studied = dict(study(traces, analyse={"drawn_order": True}, **options).json)
        found += [fit_links.link_of(link) for link in studied.pop("links")]
        capacities += [link["name"] for link in studied["capacities"]]
    return _Links(found, capacities, studied)


def _kept(found: _Links, conditions: list[str], classes: list[str]) -> list[Link]:
    """Choose the links to fit.

    Raises:
        AirtcpError: If there are none.
    """
    from airtcp.questions.fit.conditions import chosen

    if found.capacities and not found.links:
        message = (
            f"{found.capacities[0]}: the file has the capacity of a link over time, not its losses;"
            " expected links with losses"
        )
        raise _core.AirtcpError(message)
    kept = chosen(found.links, conditions, classes)
    if found.links and not kept:
        message = f"none of {len(found.links)} links meets the conditions {conditions + classes}"
        raise _core.AirtcpError(message)
    return kept


def _document(
    answer: dict[str, Any],
    found: _Links,
    kept: list[Link],
    *,
    paths: list[str],
    seed: int,
    asked: dict[str, Any],
) -> FitDocument:
    return {
        "schema": answer["schema"],
        "airtcp_version": answer["airtcp_version"],
        "seed": seed,
        "options": answer["options"] | asked,
        "study": found.study.get("options"),
        "paths": paths,
        "considered": len(found.links),
        "shortfall": answer["shortfall"],
        "links": answer["links"],
        "left_out": answer["left_out"],
        "fits": answer["fits"],
        "formulas": answer["formulas"],
        "order_drawn_links": sum(link.get("order_known") is False for link in kept),
        "slot_assumed_links": sum(link.get("slot_assumed") is True for link in kept),
        "capacities": found.capacities,
        "skipped": found.study.get("skipped", []),
        "interrupted": answer["interrupted"] or found.study.get("interrupted", False),
    }
