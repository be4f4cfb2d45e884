"""The congestion control to evaluate: the one place that reads how a caller names it.

A name is that of a registered law, with keys after colons, as `airtcp compare` reads them:
`cubic:beta_cubic=0.5`. A key that the law lacks is one of the connection: `reno:ack_every=1`. A law
of one's own is named by its file, `my_law.py:Aimd:a=2`, or is a class on `airtcp.laws.Law` in one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.data.extension import core_schema, registry
from airtcp.data.plain import printable
from airtcp.laws.given import OwnLaws

if TYPE_CHECKING:
    from airtcp.laws.given import Tcp

STANDARD: Final = ("reno", "cubic")
"""The laws on the standards track: what the others are held against (RFC 5681, RFC 9438)."""
_SCALABLE: Final = ("prague",)
"""Laws that answer the share of marked packets (RFC 9331)."""
_L4S: Final[dict[str, Any]] = {"ecn": True, "accecn": True, "ect": "ect1"}
"""Keys of a connection with such a law (RFC 9331, section 4)."""
_FIXED: Final = ("congestion", "profile", "receive_buffer")
"""Keys of the connection that an evaluation sets itself."""


@dataclass(frozen=True)
class Law:
    """A congestion control by name."""

    label: str
    """The name as tables show it, with its keys."""
    name: str
    """The registered law."""
    of_law: dict[str, Any] = field(default_factory=dict[str, Any])
    of_tcp: dict[str, Any] = field(default_factory=dict[str, Any])
    sources: tuple[str, ...] = ()
    """The file or module of a law of one's own, as `--law` takes it."""
    sha256: str | None = None
    """Hash of its source."""
    in_python: bool = False
    """Whether the interpreter runs it."""

    def tcp(self, **more: Any) -> dict[str, Any]:
        """Return the table `tcp` of a flow that uses it.

        All laws run in the profile of Linux and with a buffer that never limits them: a comparison
        would else be one of profiles. A law without keys is its name, which leaves the parameters
        that the profile has for it, as Reno's growth by bytes.

        Args:
            **more: Further keys, such as `ecn`.
        """
        named = "external" if self.sources else "law"
        plain = not (self.of_law or self.sources)
        return {
            "profile": "linux",
            "receive_buffer": "64 MB",
            **more,
            **self.of_tcp,
            "congestion": self.name if plain else {named: self.name, **self.of_law},
        }

    def marked(self) -> dict[str, Any]:
        """Return the table `tcp` of a flow that uses it with ECN: a scalable law as L4S has it."""
        return self.tcp(**(_L4S if self.is_scalable else {"ecn": True}))

    @property
    def is_scalable(self) -> bool:
        """Whether it answers the share of marked packets."""
        return (self.name in _SCALABLE and not self.sources) or self.of_tcp.get("ect") == "ect1"

    def same(self, other: Law) -> bool:
        """Return whether another name means the same law with the same keys."""
        return self.tcp() == other.tcp()


CUBIC: Final = Law("cubic", "cubic")
"""The law of flows that stand for what else is on a link."""
SCALABLE: Final = Law("prague", "prague")
"""The law of the scalable flow in the queue of L4S."""


def read_law(given: Tcp, option: str = "LAW") -> Law:
    """Read a law.

    Args:
        given: Its name, and keys after colons; or a class.
        option: What has the name, for messages.

    Raises:
        LawError: If a law of one's own cannot be loaded, or is in no file.
        AirtcpError: If there is no such law or key.

    >>> law = read_law("cubic:beta_cubic=0.5:ack_every=1")
    >>> law.name, law.of_law, law.of_tcp
    ('cubic', {'beta_cubic': 0.5}, {'ack_every': 1})
    """
    own = OwnLaws()
    text = ([*own.names(given)] or [""])[0]
    if own:
        return _own(text, own)
    name, *keys = (part.strip() for part in text.split(":"))
    name = name.lower()
    laws = [entry["name"] for entry in registry("congestion")]
    if name not in laws:
        shown = printable(text)
        message = f"{option} {shown}: no congestion control has this name: one of {', '.join(laws)}"
        raise _core.AirtcpError(message)
    of_law: dict[str, Any] = {}
    of_tcp: dict[str, Any] = {}
    for key in keys:
        before, sign, value = (part.strip() for part in key.partition("="))
        known = _keys(name)
        if not sign or before in _FIXED or before not in known | _tcp_keys():
            wanted = ", ".join(sorted(known)) or "none of its own"
            message = (
                f"{option} {printable(text)}: {printable(key)}: expected KEY=VALUE with a key of"
                f" {name} ({wanted}) or of a connection"
            )
            raise _core.AirtcpError(message)
        (of_law if before in known else of_tcp)[before] = _value(value)
    return Law(":".join([name, *keys]), name, of_law, of_tcp)


def _own(text: str, own: OwnLaws) -> Law:
    """Return a law of one's own, which every run loads from its file."""
    name, *keys = text.split(":")
    if not own.sources:
        message = f"{name}: it stands in no file; write it to one, such as my_law.py"
        raise _core.LawError(message)
    pairs = (key.partition("=") for key in keys)
    values = {key.strip(): _value(value.strip()) for key, _, value in pairs}
    return Law(text, name, values, {}, tuple(own.sources), own.hashes[0], own.are_python)


def _value(text: str) -> Any:
    """Read a value: a number or a flag, else text.

    >>> _value("0.5"), _value("true"), _value("200 ms")
    (0.5, True, '200 ms')
    """
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, (bool, int, float)) else text


@cache
def _keys(name: str) -> frozenset[str]:
    """Return the keys of a law."""
    found: list[Any] = [core_schema("scenario")["$defs"]["CongestionLaw"]]
    while found:
        part = found.pop()
        if isinstance(part, list):
            found += cast("list[Any]", part)
        elif isinstance(part, dict):
            table = cast("dict[str, Any]", part)
            fields: dict[str, Any] = table.get("properties", {})
            if fields.get("law", {}).get("const") == name:
                return frozenset(fields) - {"law"}
            found += [table[key] for key in ("anyOf", "oneOf") if key in table]
    return frozenset()


@cache
def _tcp_keys() -> frozenset[str]:
    return frozenset(core_schema("scenario")["$defs"]["TcpConfig"]["properties"])
