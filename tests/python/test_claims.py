"""Findings agree with the numbers and with each other."""

from __future__ import annotations

import airtcp
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare.answer_remedies import helps

LINK = """
duration = "20 s"
replications = 3
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
{more}
[[flows]]
from = "a"
to = "b"
"""


def test_remedies_that_change_nothing_are_not_higher() -> None:
    text = LINK.format(more='loss = { model = "bernoulli", probability = 1e-9 }')
    remedies = airtcp.compare("s.toml", text=text, tcp="sack", remedies=["lt-tcp", "cubic"])
    found = remedies.json["subjects"][0]["remedies"]
    assert found is not None
    assert not any(remedies_words.raises(found, outcome) for outcome in found["outcomes"])
    assert str(helps(None, found)).startswith(("No remedy", "Remedies against"))
