"""Drivers: a name, the parameters, and a function that measures.

A driver gets a context, which does the work that several figures share, its parameters with
defaults filled in, and whether to draw (not for the sensitivity to an assumption). It returns
measures and plots without a verdict: the file of the figure has the published values, and
`airtcp_papers.verdict` compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.form import Form, Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.ensembles import LinkSet
    from airtcp_papers.link_run import LinkRun
    from airtcp_papers.outcome import Outcome

    Measured = Callable[[Context, Mapping[str, Any], bool], Outcome]


@dataclass(frozen=True)
class Driver:
    """An experiment that figures can name."""

    name: str
    description: str
    parameters: Form
    measure: Measured


# Parameters of every driver that runs TCP over sets of links.
TCP: Final[Form] = {
    "tcp": Key("open", "TCP keys in place of the profile's", default={}),
    "profile": Key("text", "TCP profile; s1 scales S1's timers with the slot", default="s1"),
    "replicas": Key("whole", "links made of each model of a link", default=8),
    "ensemble": Key("open", "parameters of generated sets in place of their own", default={}),
    "runs": Key("whole", "independent draws of generated sets", default=3),
}
SETS: Final[Form] = {"sets": Key("sets", "the sets of links", required=True), **TCP}


def runs_of(
    context: Context, name: str, parameters: Mapping[str, Any]
) -> tuple[LinkSet, list[list[LinkRun]]]:
    """Return a set, and its links in each repeat; a measured set has a single repeat.

    Raises: DataMissingError: If the data of a measured set are missing.
    """
    links = context.set(name, parameters["ensemble"])
    if links.measured:
        links.data(context.data)
    repeats = 1 if links.measured else context.repeats(parameters["runs"])
    found = [
        context.links(
            name,
            repeat=repeat,
            change=parameters["ensemble"],
            tcp=parameters["tcp"],
            profile=parameters["profile"],
            replicas=parameters["replicas"],
        )
        for repeat in range(repeats)
    ]
    return links, found


def every_set(
    context: Context, parameters: Mapping[str, Any], outcome: Outcome
) -> Iterator[tuple[LinkSet, list[list[LinkRun]]]]:
    """Iterate over the sets; a set without data is noted in the outcome and left out."""
    from airtcp_papers.ensembles import DataMissingError

    for name in parameters["sets"]:
        try:
            yield runs_of(context, name, parameters)
        except DataMissingError as error:
            outcome.skipped.append(({"set": name}, str(error)))


def within(links: Sequence[LinkRun], prr: Sequence[float]) -> list[LinkRun]:
    """Return the links with a PRR in a range, both ends included, over which models were made."""
    return [link for link in links if link.models and prr[0] <= link.prr <= prr[1]]
