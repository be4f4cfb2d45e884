"""The names of remedies in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities
from airtcp.words.grid import elided

if TYPE_CHECKING:
    from airtcp.data.documents import Outcome, Remedies


_LONGEST: Final = 70
"""Characters of a name in a sentence."""


def reference(remedies: Remedies) -> Outcome:
    """Return the outcome of the TCP without a remedy."""
    return quantities.outcome_of(remedies, remedies["reference"])


_TRANSPORTS: Final = {
    "lt-tcp": "a coded transport (LT-TCP)",
    "sliding": "a coded transport (sliding)",
}
_PROTOCOLS: Final = {
    "ll-arq": "retransmission on the link (LL-ARQ{})",
    "ll-harq": "retransmission with parity on the link (LL-HARQ{})",
}


_QUEUES: Final = {
    "codel": "CoDel",
    "fq-codel": "FQ-CoDel",
    "pie": "PIE",
    "dualpi2": "DualPI2",
    "red": "RED",
    "drop-tail": "drop-tail",
    "airtime-fair": "airtime-fair queueing",
    "per-station": "queues per station",
    "ack-filter": "an ACK filter",
    "jersey": "Jersey's marking",
    "tbf": "a token bucket filter",
}


def named(variant: str, plain: str = "sack") -> str:
    """Name a remedy in words.

    Args: variant: Its name in results. plain: The TCP that it is compared with.

    >>> named("sack@ll-arq:arq=selective")
    'retransmission on the link (LL-ARQ, arq=selective)'
    >>> named("lt-tcp@ll-harq")
    'a coded transport (LT-TCP) over retransmission with parity on the link (LL-HARQ)'
    >>> named("cubic@codel:target=10 ms", "cubic")
    'CoDel in the queue of the link (target=10 ms)'
    >>> named("cubic@last-in", "cubic")
    'last-in in the queue of the link'
    >>> named("cubic")
    'cubic'
    """
    parts = variant.split("@")
    links = {"none", *_PROTOCOLS}
    queue = next((p for p in parts[1:] if p.partition(":")[0] not in links), None)
    if queue is not None:
        kind, _, keys = queue.partition(":")
        local = f"{_QUEUES.get(kind, kind)} in the queue of the link"
        local += f" ({keys.replace(':', ', ')})" if keys else ""
        rest = "@".join(p for p in parts if p is not queue)
        return local if rest == plain else f"{named(rest, plain)} with {local}"
    transport, _, link = variant.partition("@")
    name, _, keys = transport.partition(":")
    spoken = _TRANSPORTS.get(name, transport)
    if name in _TRANSPORTS and keys:
        spoken = f"{spoken[:-1]}, {keys.replace(':', ', ')})"
    kind, _, keys = link.partition(":")
    if kind not in _PROTOCOLS:
        return f"{spoken} without a link protocol" if kind else spoken
    local = _PROTOCOLS[kind].format(f", {keys.replace(':', ', ')}" if keys else "")
    return local if transport == plain else f"{spoken} over {local}"


def spoken(variant: str, plain: str = "sack") -> str:
    """Name a remedy in a sentence, without the keys that stand in the table.

    >>> spoken("sack@ll-arq:arq=selective"), spoken("sliding"), spoken("cubic@codel", "cubic")
    ('retransmission on the link', 'a coded transport (sliding)', 'CoDel in the queue of the link')
    """
    name = re.sub(r" \((?:LL-H?ARQ|[\w.]+=)[^)]*\)", "", named(variant, plain))
    return elided(name, _LONGEST)


def tagged(variant: str, plain: str) -> str:
    """Name a remedy in a sentence, with the tag that the tables have.

    >>> tagged("sack@ll-arq:arq=selective", "sack"), tagged("sliding", "sack")
    ('retransmission on the link (ll-arq)', 'a coded transport (sliding)')
    """
    said = spoken(variant, plain)
    tag = short(variant, plain)
    return said if tag.lower() in said.lower() else f"{said} ({tag})"


def short(variant: str, plain: str) -> str:
    """Write the tag of a remedy without the plain TCP and without keys, for a narrow column.

    >>> short("sack@ll-arq:arq=selective", "sack"), short("lt-tcp@ll-harq", "sack")
    ('ll-arq', 'lt-tcp@ll-harq')
    """
    bare = "@".join(part.partition(":")[0] for part in variant.split("@"))
    return bare.removeprefix(f"{plain}@")


def shown(outcome: Outcome) -> str:
    """Write the goodput of a remedy."""
    return quantities.mean_text(outcome, "goodput_bps")
