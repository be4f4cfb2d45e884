"""Names of TCPs and schemes as `airtcp list` prints them, in the forms that a comparison reads.

A listed name that stands for nothing by itself is refused with the form that is expected.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp._core import AirtcpError
from airtcp.data.extension import registry
from airtcp.words.sentences import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

_LAWS: Final = ("recovery", "congestion")
_FORMS: Final = {
    "queue": ("a queue discipline", "write it behind an @, as in cubic@{}"),
    "link-protocol": ("a link protocol", "write it behind an @, as in cubic@{}"),
    "tcp-profile": ("a profile of TCP parameters", "write --profile {}, or cubic:profile={}"),
    "slow-start": ("a slow start", "write it as a key, as in cubic:slow_start={}"),
    "scheme": ("a scheme of an 802.11 cell", "write --schemes {}"),
    "transport": ("a transport, no TCP", "name one of airtcp list congestion, lt-tcp or sliding"),
    "code": ("an erasure code", "name a transport with one, lt-tcp or sliding"),
}
"""What a name is that is no TCP, and how it is written, by family."""
_TRANSPORTS: Final = ("lt-tcp", "sliding")
_ALONE: Final = ("ll-arq", "ll-harq")
"""Link protocols that stand for SACK over them."""
_AS_LISTED: Final = {"per-station": "per-station:controller={}"}
"""Schemes that do nothing without a key, with what `all` runs."""
_NEEDS: Final = {"tbf": (("rate", "burst"), "tbf:rate=10 Mb/s:burst=30 kB")}
"""Queue disciplines with keys that have no default: the keys, and the form."""


_USUAL: Final = (
    *("newreno", "sack", "cubic", "westwood+", "veno", "vegas", "jersey", "bbr"),
    "bbr1",
)
"""The TCPs of a comparison that names none. Linux's `bbr` is `bbr1` here."""
_USUAL_RECOVERIES: Final = ("newreno", "sack")
_OWN_RECOVERIES: Final = {"s0": "sack-ns2"}
"""Profiles whose recovery is none of these."""


def usual(texts: Iterable[str], flow: str | None = None) -> list[str]:
    r"""Return the TCPs that are compared if none is named, with every scenario's own among them.

    Args:
        texts: The scenarios, in TOML.
        flow: The only flow whose TCP is replaced, if there is one.

    >>> usual(['[[flows]]\ntcp = { congestion = "hybla" }'])[-2:]
    ['bbr1', 'own']
    >>> usual(['[[flows]]\ntcp = { congestion = "cubic" }'])[-1]
    'bbr1'
    """
    return [*_USUAL, *(["own"] if any(_is_other(text, flow) for text in texts) else [])]


def _is_other(text: str, flow: str | None) -> bool:
    """Return whether the TCP of a scenario is none of the usual ones, or its flows differ."""
    try:
        scenario = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False  # The extension says what is wrong.
    flows: list[Any] = scenario.get("flows") or []
    tables = [cast("dict[str, Any]", each) for each in flows if isinstance(each, dict)]
    asked = [
        each.get("tcp", {})
        for each in tables
        if each.get("transport", "tcp") == "tcp" and flow in {None, each.get("name")}
    ]
    return any(each != asked[0] or _is_unusual(each) for each in asked)


def _is_unusual(tcp: Any) -> bool:
    table = cast("dict[str, Any]", tcp) if isinstance(tcp, dict) else {"profile": tcp}
    law, profile = table.get("congestion", "reno"), table.get("profile", "rfc")
    law = cast("dict[str, Any]", law).get("law") if isinstance(law, dict) else law
    recovery = table.get("recovery") or _OWN_RECOVERIES.get(str(profile), "sack")
    return law not in {"reno", *_USUAL} or recovery not in _USUAL_RECOVERIES


@cache
def _names(family: str) -> frozenset[str]:
    return frozenset(entry["name"] for entry in registry(family))


def _base(name: str) -> str:
    """Return what stands before keys, link protocols and queues.

    >>> _base("CUBIC:beta=0.5@codel")
    'cubic'
    """
    return re.split("[:@]", name, maxsplit=1)[0].strip().lower()


def check_tcps(names: Iterable[str], option: str = "--tcp") -> None:
    """Refuse a listed name that is no TCP, with the form that is expected.

    Args:
        names: The names.
        option: The option with them, for messages. `--share` takes a TCP only.

    Raises:
        AirtcpError: If a name is listed, and is no TCP. Other names are the extension's to read.
    """
    for name in names:
        refused = _no_tcp(_base(name), option)
        if refused is not None:
            message = f"{option} {name}: {refused}"
            raise AirtcpError(message)
        before = name.split("@")[0]
        for part in name.split("@")[1:]:
            _check_keys(f"{option} {name}", part, f"{before}@")


def _no_tcp(base: str, option: str) -> str | None:
    """Return why a listed name is no TCP, and what is expected instead."""
    if base in _TRANSPORTS and option == "--share":
        return f"{base} is no TCP; name one of airtcp list congestion or airtcp list recovery"
    taken = {*_TRANSPORTS, *_ALONE} if option != "--share" else set[str]()
    if option == "--remedies":
        taken |= {"usual", "none"}
    if base in taken or any(base in _names(family) for family in _LAWS):
        return None
    for family, (what, form) in _FORMS.items():
        if base in _names(family):
            return f"{base} is {what}; {form.replace('{}', base)}"
    return None


def _check_keys(name: str, part: str, before: str = "") -> None:
    keys, form = _NEEDS.get(_base(part), ((), ""))
    given = part.replace(" ", "").lower()
    if any(f":{key}=" not in given for key in keys):
        needs = f"{_base(part)} needs the keys {listed(keys)}"
        message = f"{name}: {needs}, as in {before}{form}"
        raise AirtcpError(message)


def schemes(names: Iterable[str]) -> list[str]:
    """Return the names of schemes in the forms that run; a listed name is accepted as it is.

    Args:
        names: The names, in which a plus sign joins several.

    Raises:
        AirtcpError: If a listed name needs a key, or is no scheme.

    >>> schemes(["per-station", "ftca+per-station", "dcf+"])
    ['per-station:controller={}', 'ftca+per-station:controller={}', 'dcf+']
    """
    return [_scheme(name) for name in names]


def _scheme(name: str) -> str:
    # A plus sign at the end of a part belongs to its name, as in dcf+.
    parts = re.split(r"\+(?=[^+,\s])", name)
    for part in parts:
        base = _base(part)
        _check_keys(f"--schemes {name}", part)
        if base in _names("scheme") or base in _names("queue"):
            continue
        for family in ("congestion", "recovery", "transport", "link-protocol"):
            if base in _names(family) and base != "none":
                what = "a link protocol" if family == "link-protocol" else "a TCP"
                no_scheme = f"{base} is {what}, no scheme of an 802.11 cell"
                message = f"--schemes {name}: {no_scheme}; compare it with --tcp"
                raise AirtcpError(message)
        if base in _names("rate-control"):
            no_scheme = f"{base} is a rate control of stations, no scheme"
            give = f"--set cells[0].rate_control.control={base}"
            message = f"--schemes {name}: {no_scheme}; give every scheme this one with {give}"
            raise AirtcpError(message)
    return "+".join(_AS_LISTED.get(part.strip().lower(), part) for part in parts)
