"""What FTCA would do for a cell, what does better, and how a Linux host gets it.

Everything follows from the document of a comparison of schemes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import answer_cell
from airtcp.questions.compare import findings_cell as schemes

if TYPE_CHECKING:
    from airtcp.data.documents import SchemesDocument
    from airtcp.words.answer import Answer

AT_ACCESS_POINT: Final = "ftca:at=access-point"
"""What rules on the access point alone do."""
SCHEMES: Final = (AT_ACCESS_POINT, "ftca", "ack-filter", "airtime-fair")
"""The variants that are compared with the cell as it is."""
_COMMANDS: Final = {
    AT_ACCESS_POINT: "On the access point: airtcp ftca install --dev wlan0",
    "ftca": "On the access point and every Linux station: airtcp ftca install --dev wlan0",
    "ack-filter": "tc qdisc replace dev wlan0 root cake bandwidth RATE ack-filter "
    "(RATE below that of Wi-Fi)",
    "airtime-fair": "mac80211 does it by itself where the driver can: "
    "iw phy | grep AIRTIME_FAIRNESS",
}
"""How Linux gets each variant.

Without a rate below that of Wi-Fi, packets wait in mac80211 behind cake, which then has no queue to
filter. mac80211 shares airtime for drivers with NL80211_EXT_FEATURE_AIRTIME_FAIRNESS: ath9k, mt76
and others.
"""
_WITHOUT_AGGREGATES: Final = frozenset({"802.11", "802.11a", "802.11b", "802.11g"})
_AGGREGATED: Final = (
    "FTCA is simulated as voice with aggregates; mac80211 aggregates video, which install takes, "
    "and no voice."
)
"""Where the simulated scheme differs: mac80211 starts no BlockAck session for voice."""


def answer(document: SchemesDocument) -> Answer | None:
    """Return the answer of the comparison with the command that goes deeper, if one is known."""
    found = answer_cell.answer(document)
    if found is None:
        return None
    name = document["subjects"][0]["name"]
    deeper = f"All: airtcp compare {name} --schemes {','.join(SCHEMES)} --details"
    return replace(found, next=deeper)


def commands(document: SchemesDocument) -> list[str]:
    """Return how Linux gets the variants that are shown to be better in something."""
    subject = document["subjects"][0]
    helping = schemes.helping(subject)
    better = {name for question in subject["verdict"]["questions"] for name in question["better"]}
    order = [*helping, *(name for name in SCHEMES if name in better and name not in helping)]
    lines = [f"  {name}: {_COMMANDS[name]}" for name in order if name in _COMMANDS]
    said = ["How Linux gets what is better here:", *lines] if lines else []
    standards = {cell["standard"] for cell in subject["scenario"].get("cells", [])}
    return [*said, _AGGREGATED] if standards - _WITHOUT_AGGREGATES else said
