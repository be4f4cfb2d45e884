"""Links: what they are, what TCP gets over them, what models and formulas make of them."""

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
    """Study links: what each is, what TCP gets over it and over links that look like it.

    Args:
        links: Delivery traces: files, folders, patterns; "-" is standard input.
        profile: TCP parameters: `s1` (S1's, with timers in proportion to the slot; the default)
            or the name of a profile (`registry("tcp-profile")`).
        slot: Duration of a slot, such as "10 ms"; the trace's own interval if left out.
        replicas: Synthetic links of each kind.
        seed: Root seed; the same seed gives the same result.
        compare: Whether to compare TCPs over each link; if left out, up to 20 links.
        remedies: Whether to say what would help each link against its losses, or the remedies by
            name, as for `compare`; if left out, up to 20 links.
        workers: Threads; all cores if left out. The result does not depend on it.
        analyse: Options of the analysis, as in the document's `options.analyse`.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the study, and what was finished is
        in it.

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
    """Say what links are, without TCP.

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
    """Score the synthesisers of bursty links: is TCP's throughput right, and the longest burst?

    Args:
        links: Delivery traces: files, folders, patterns; "-" is standard input.
        profile: TCP parameters, as for `study`.
        slot: Duration of a slot, as for `study`.
        replicas: Synthetic links that each synthesiser draws for each trace.
        seed: Root seed; the same seed gives the same result.
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The document (`airtcp.models/1`): per link what the trace has and each synthesiser made
        of it, and over all links how far each is off.

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
    """Fit TCP's throughput over links to what the links are, and compare published formulas.

    TCP runs over each trace as in `study`; the throughputs are then fitted to PRR, mu and
    further metrics by least absolute deviations.

    Args:
        links: Delivery traces, as for `study`, or results of studies: a JSON document, its
            table of links (`links.parquet`), or the folder with them. These run nothing again.
        metrics: Further metrics to put to the test beside PRR and mu: any number that a study
            gives of a link, such as "beta" or "loss_bursts.mean", or its logarithm, as in
            "log(longest_success_burst)".
        forms: Forms in place of S1's, by name: their terms, such as "prr", "prr^2",
            "1/sqrt(1-mu)", "prr*mu".
        where: Conditions on links, such as "0.2<=prr<=0.6" or "mu>0.5".
        link_class: Classes of links to take, such as "intermediate".
        rtt_slots: Round-trip time for the formulas, in slots; 2 if left out.
        timeout_slots: First retransmission timeout for the formulas, in slots; 100 if left out.
        segments_per_ack: Segments an acknowledgement stands for; 2 if left out.
        max_window: Largest window, packets; 130 if left out.
        profile: As for `study`.
        slot: As for `study`.
        replicas: As for `study`; fits need none, so 1 is enough.
        seed: As for `study`.
        workers: As for `study`.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The result. A form that these links cannot bear stands in it with the reason.

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
