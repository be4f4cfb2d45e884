"""A name that `airtcp list` prints is accepted as it is, or refused with the form expected."""

from __future__ import annotations

from typing import Any

import pytest

import airtcp
from airtcp import AirtcpError

LINK = """
duration = "300 ms"
[[links]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "5 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
from = "a"
to = "b"
"""
CELL = """
duration = "200 ms"
[[cells]]
layout = { kind = "star", stations = 2, radius_m = 5 }
[[flows]]
count = 2
from = "sta*"
to = "ap"
"""


def _names(family: str) -> list[str]:
    return [entry["name"] for entry in airtcp.registry(family)]


def _compared(**options: Any) -> list[str]:
    options = {"remedies": False} | options
    result = airtcp.compare("link.toml", text=LINK, replications=1, **options)
    return result.json["variants"]


def _refused(**options: Any) -> str:
    with pytest.raises(AirtcpError) as refused:
        _compared(**options)
    return str(refused.value)


def test_every_law_and_recovery_is_a_tcp_and_a_rival() -> None:
    names = list(dict.fromkeys([*_names("recovery"), *_names("congestion")]))
    assert len(_compared(tcp=names)) == len(names)
    for name in ("tahoe", "cubic"):
        assert _compared(tcp="sack", share=name) == ["sack"]


def test_every_queue_and_link_protocol_stands_behind_an_at() -> None:
    behind = [name for name in (*_names("queue"), *_names("link-protocol")) if name != "tbf"]
    assert len(_compared(tcp=[f"cubic@{name}" for name in behind])) == len(behind)
    needs = "needs the keys rate and burst, as in cubic@tbf:rate=10 Mb/s:burst=30 kB"
    assert needs in _refused(tcp="cubic@tbf")
    assert _compared(tcp="cubic@tbf:rate=10 Mb/s:burst=30 kB")


def test_a_listed_name_that_is_no_tcp_is_refused_with_its_form() -> None:
    forms = {
        "queue": "behind an @, as in cubic@{}",
        "link-protocol": "behind an @, as in cubic@{}",
        "tcp-profile": "write --profile {}, or cubic:profile={}",
        "slow-start": "as in cubic:slow_start={}",
        "scheme": "",
        "code": "name a transport with one",
        "transport": "name one of airtcp list congestion",
    }
    accepted = {*_names("congestion"), "ll-arq", "ll-harq", "lt-tcp", "sliding"}
    for family, form in forms.items():
        for name in set(_names(family)) - accepted:
            text = _refused(tcp=name)
            assert text.startswith(f"--tcp {name}: ")
            assert family == "scheme" or form.replace("{}", name) in text
    # The named forms run.
    assert _compared(tcp="cubic:slow_start=hystart++,cubic:profile=s2,cubic@codel")
    assert "behind an @, as in cubic@codel" in _refused(tcp="sack", remedies="codel")
    assert "lt-tcp is no TCP" in _refused(tcp="sack", share="lt-tcp")


def test_every_transport_and_link_protocol_is_a_remedy() -> None:
    for name in ("lt-tcp", "sliding", "ll-arq", "ll-harq", "cubic@ll-arq:arq=selective"):
        assert _compared(tcp="sack", remedies=name) == ["sack"]


def test_every_scheme_and_queue_is_a_scheme_of_a_cell() -> None:
    crossing = {"snoop", "split-tcp", "ack-agent", "eln"}
    names = [
        name for name in (*_names("scheme"), *_names("queue")) if name not in {"tbf", *crossing}
    ]
    result = airtcp.compare_schemes("cell.toml", text=CELL, schemes=names, replications=1)
    variants = [variant["variant"] for variant in result.json["subjects"][0]["variants"]]
    assert len(variants) == 1 + len(set(names))
    assert "per-station:controller={}" in variants
    joined = airtcp.compare_schemes(
        "cell.toml",
        text=CELL,
        schemes="rts+per-station,dcf+",
        reference="per-station",
        replications=1,
    )
    assert joined.json["reference"] == "per-station:controller={}"
    for name in crossing:
        with pytest.raises(AirtcpError, match="no TCP flow crosses the access point"):
            airtcp.compare_schemes("cell.toml", text=CELL, schemes=name, replications=1)
    for name, form in (
        ("tbf", "as in tbf:rate="),
        ("cubic", "with --tcp"),
        ("ll-arq", "with --tcp"),
    ):
        with pytest.raises(AirtcpError, match=form):
            airtcp.compare_schemes("cell.toml", text=CELL, schemes=name, replications=1)
