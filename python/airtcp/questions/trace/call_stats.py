"""The functions `stats` and `models`: metrics of links, and models that describe them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Unpack

from airtcp import _core
from airtcp.inputs import arrays
from airtcp.inputs.arguments import as_json, only_given
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.inputs.reading import how_to_read
from airtcp.questions.trace.answer import answer
from airtcp.words.answer import answered
from airtcp.words.names import shell_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading


@reads("trace stats")
@shows_progress
def stats(
    links: Links,
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
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

    Returns:
        The document `airtcp.trace/1`; its `links` have the same keys as those of a study.

    Examples:
        >>> from airtcp import synth
        >>> document = stats(synth("half.txt", prr=0.5, packets=1000, seed=2))
        >>> [link["class"] for link in document["links"]]
        ['intermediate']
    """
    options = {
        "read": how_to_read(reading, of=stats),
        "seed": seed,
        **only_given(analyse=None if analyse is None else dict(analyse)),
    }
    with arrays.given(links) as paths:
        document = json.loads(_core.trace_stats(paths, as_json(options), progress))
        plain = not arrays.has_traces(links) and not options["read"]
        path = shell_paths(paths) if plain and len(paths) == 1 else None
    return answered(document, answer(document, path))


@reads("trace models")
@shows_progress
def models(
    links: Links,
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
        links: Delivery traces, as for `study`.
        profile: TCP parameters, as for `study`.
        slot: Duration of a slot, as for `study`.
        replicas: Number of synthetic links for each model and trace.
        seed: Root seed. Equal seeds give equal results.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

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
    read = how_to_read(reading, of=models)
    options = {
        "read": read,
        "study": only_given(
            profile=profile, slot=slot, replicas=replicas, seed=seed, workers=workers
        ),
    }
    with arrays.given(links) as paths:
        document: dict[str, Any] = json.loads(_core.trace_models(paths, as_json(options), progress))
    asked = only_given(paths=paths, slot=slot, read=read or None)
    return document | asked
