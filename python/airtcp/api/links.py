"""Links: their metrics, TCP over them, and how well models and formulas describe them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Unpack

from airtcp import _core
from airtcp.arguments import (
    COMPARED,
    as_json,
    finite,
    only_given,
    paths_of,
    remedies_of,
    texts_of,
)
from airtcp.reading import how_to_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.arguments import PathLike, Progress
    from airtcp.fit_document import FitDocument
    from airtcp.fits import FitResult
    from airtcp.reading import Reading
    from airtcp.results import StudyResult

_MOST_LINKS: Final = 2**32 - 1


def study(
    links: PathLike | Iterable[PathLike],
    *,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 20,
    seed: int = 1,
    compare: bool | None = None,
    remedies: bool | str | Iterable[str] | None = None,
    workers: int | None = None,
    analyse: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> StudyResult:
    """Study links: their metrics, and what TCP delivers over them and over synthetic links.

    Args:
        links: Delivery traces: files, folders or patterns; "-" is standard input.
        profile: TCP parameters: `s1` (those of S1, with timers in proportion to the slot; the
            default) or the name of a profile (`registry("tcp-profile")`).
        slot: Duration of a slot, such as "10 ms"; by default the trace's interval, else 10 ms.
        replicas: Number of synthetic links of each kind.
        seed: Root seed. Equal seeds give equal results.
        compare: Whether to compare TCPs over each link; by default for up to 20 links.
        remedies: Whether to try remedies against losses on each link, or their names, as for
            `compare`; by default for up to 20 links.
        workers: Number of threads; by default all cores. The result does not depend on it.
        analyse: Options of the analysis, as in `options.analyse` of the document.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The result. If Ctrl-C stopped the study, `interrupted` is true and the result holds the
        finished links.

    Raises:
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If an option is impossible.

    Examples:
        >>> from airtcp import synth
        >>> path = synth("steady.txt", prr=0.9, packets=2000, seed=1)
        >>> study(path, replicas=2)
        StudyResult(1 link, seed 1)
    """
    from airtcp.results import StudyResult

    read = how_to_read(reading)
    options = {
        "read": read,
        "study": only_given(
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            compare_links=COMPARED if compare is None else _MOST_LINKS * compare,
            remedy_links=COMPARED if remedies is None else _MOST_LINKS * (remedies is not False),
            remedies=None if remedies is None else remedies_of(remedies),
            workers=workers,
            analyse=None if analyse is None else dict(analyse),
        ),
    }
    return StudyResult(_core.study(paths_of(links), as_json(options), progress), {"read": read})


def stats(
    links: PathLike | Iterable[PathLike],
    *,
    seed: int = 1,
    analyse: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> dict[str, Any]:
    """Return the metrics of links, without TCP.

    Args:
        links: Delivery traces, as for `study`.
        seed: Root seed of the confidence intervals.
        analyse: As for `study`.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The document `airtcp.trace/1`; its `links` have the same keys as those of a study.

    Examples:
        >>> from airtcp import synth
        >>> document = stats(synth("half.txt", prr=0.5, packets=1000, seed=2))
        >>> [link["class"] for link in document["links"]]
        ['intermediate']
    """
    options = {
        "read": how_to_read(reading),
        "seed": seed,
        **only_given(analyse=None if analyse is None else dict(analyse)),
    }
    return json.loads(_core.trace_stats(paths_of(links), as_json(options), progress))


def models(
    links: PathLike | Iterable[PathLike],
    *,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 10,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> dict[str, Any]:
    """Score models of bursty links by TCP's throughput and the longest burst.

    Args:
        links: Delivery traces: files, folders or patterns; "-" is standard input.
        profile: TCP parameters, as for `study`.
        slot: Duration of a slot, as for `study`.
        replicas: Number of synthetic links for each model and trace.
        seed: Root seed. Equal seeds give equal results.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The document (`airtcp.models/1`): for each link, the trace's values and those of each
        model; over all links, the error of each model.

    Raises:
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If an option is impossible.

    Examples:
        >>> from airtcp import synth
        >>> path = synth("bursty.txt", prr=0.5, mu=0.6, packets=3000, seed=1)
        >>> document = models(path, replicas=2)
        >>> document["links"][0]["scores"][1]["synthesiser"]
        'gilbert-elliott'
    """
    paths, read = paths_of(links), how_to_read(reading)
    options = {
        "read": read,
        "study": only_given(
            profile=profile, slot=slot, replicas=replicas, seed=seed, workers=workers
        ),
    }
    document: dict[str, Any] = json.loads(_core.trace_models(paths, as_json(options), progress))
    asked = only_given(paths=paths, slot=slot, read=read or None)
    return document | asked


def trace_fit(
    links: PathLike | Iterable[PathLike],
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
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The result. A form that cannot be fitted to these links has a reason in it.

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
    from airtcp import fit_links
    from airtcp.fits import FitResult

    read = how_to_read(reading)
    given = {
        "rtt_slots": rtt_slots,
        "timeout_slots": timeout_slots,
        "segments_per_ack": segments_per_ack,
        "max_window": max_window,
    }
    for name, value in given.items():
        if value is not None and not finite(value):
            message = f"{name} is {value}: expected a number above 0"
            raise _core.AirtcpError(message)
    names = texts_of("metrics", metrics)
    conditions = texts_of("where", where)
    classes = texts_of("link_class", link_class)
    paths = paths_of(links)
    results = [path for path in paths if fit_links.is_result(path)]
    found = [link for path in results for link in fit_links.read_result(path)]
    studied: dict[str, Any] = {}
    capacities = [name for path in results for name in fit_links.capacities(path)]
    traces = [path for path in paths if path not in results]
    if traces:
        result = study(
            traces,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            progress=progress,
            analyse={"drawn_order": True},
            **reading,
        )
        studied = dict(result.json)
        found += [fit_links.link_of(link) for link in studied.pop("links")]
        capacities += [link["name"] for link in studied["capacities"]]
    if capacities and not found:
        message = (
            f"{capacities[0]}: this is the capacity of a link over time, and says nothing about"
            " losses; expected links with losses"
        )
        raise _core.AirtcpError(message)
    kept = fit_links.chosen(found, conditions, classes)
    if found and not kept:
        message = f"none of {len(found)} links meets the conditions {conditions + classes}"
        raise _core.AirtcpError(message)
    request = {
        "links": fit_links.samples(kept, names),
        "options": only_given(
            metrics=names,
            forms=None
            if forms is None
            else [{"name": name, "terms": list(terms)} for name, terms in forms.items()],
            formulas=only_given(**given),
        ),
    }
    answer: dict[str, Any] = json.loads(_core.fit_throughput(as_json(request), progress))
    options = answer["options"] | {"where": conditions, "classes": classes}
    options |= only_given(read=read or None)
    document: FitDocument = {
        "schema": answer["schema"],
        "airtcp_version": answer["airtcp_version"],
        "seed": seed,
        "options": options,
        "study": studied.get("options"),
        "paths": paths,
        "considered": len(found),
        "shortfall": answer["shortfall"],
        "links": answer["links"],
        "left_out": answer["left_out"],
        "fits": answer["fits"],
        "formulas": answer["formulas"],
        "drawn": sum(link.get("order_known") is False for link in kept),
        "slot_assumed": sum(link.get("slot_assumed") is True for link in kept),
        "capacities": capacities,
        "skipped": studied.get("skipped", []),
        "interrupted": answer["interrupted"] or studied.get("interrupted", False),
    }
    return FitResult(document)
