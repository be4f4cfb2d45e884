"""The forms of the files of a publication: which keys a table, a claim or an assumption has."""

from __future__ import annotations

from typing import Final

from airtcp_papers.form import Form, Key

KINDS: Final = ("figure", "table", "text")
SOURCE: Final[Form] = {
    "item": Key("text", "the table or figure, as the publication calls it", required=True),
    "section": Key("text", "the section that speaks of it"),
    "caption": Key("text", "its caption, or what it shows"),
}
_CAUSE: Final[Form] = {
    "shown_by": Key(
        "texts",
        "the experiments that show the reason: ids of figures, names of assumptions of this "
        "figure, commands, or programs below docs/figures",
    ),
    "tried": Key("text", "what was tried without finding the cause, in place of a reason"),
}
PUBLISHED: Final[Form] = {
    "metric": Key("text", "the measure, as the driver calls it", required=True),
    "at": Key("conditions", "the conditions it is measured at", default={}),
    "value": Key("number", "the published value"),
    "interval": Key("interval", "a range as printed, or the interval that words stand for"),
    "ci_low": Key("number", "lower end of the published confidence interval"),
    "ci_high": Key("number", "upper end of the published confidence interval"),
    "at_least": Key("number", "the value stands for: this or more"),
    "at_most": Key("number", "the value stands for: this or less"),
    "unit": Key("text", "unit of the value", default=""),
    "tolerance": Key("number", "difference to the value that still counts as met, relative to it"),
    "tolerance_abs": Key("number", "difference to the value that still counts as met, in the unit"),
    "tolerance_reason": Key("text", "why this much"),
    "plot": Key("text", "name of the driver's plot that the value belongs on"),
    "x": Key("number", "where on it; without it, a line across"),
    "y": Key("number", "where on it; without it, a line up"),
    "says": Key("text", "the words of the publication"),
    "own": Key("text", "why it is our own statement: the value under a reading that is ours"),
    "by_construction": Key("text", "why this is met by the way the links are made"),
    "reason": Key("text", "why it is not met, if it is not"),
    **_CAUSE,
}
CLAIM: Final[Form] = {
    "words": Key(
        "text", "the claim in words; {name} stands for a condition of `each`", required=True
    ),
    "left": Key("text", "a measure: metric[condition=value, ...]", required=True),
    "op": Key(
        "text",
        "how it compares; ~ is: the same, give or take the margin, either way",
        required=True,
        accepted=("<", "<=", ">", ">=", "~"),
    ),
    "right": Key("any", "a measure or a number", required=True),
    "margin": Key("number", "by how much at least, relative to the right side", default=0.0),
    "each": Key("open", "conditions with several values: the claim for each of them", default={}),
    "says": Key("text", "the words of the publication; without them the claim is our own"),
    "own": Key("text", "why it is our own statement, though the publication has words on it"),
    "by_construction": Key("text", "why this holds by the way the links are made"),
    "reason": Key("text", "why it does not hold, if it does not"),
    **_CAUSE,
}
ASSUMPTION: Final[Form] = {
    "name": Key("text", "a short name", required=True),
    "status": Key(
        "text", "where the value comes from", required=True, accepted=("choice", "derived")
    ),
    "parameter": Key(
        "text", "the parameter of the driver, as a path: tcp.ack_every", required=True
    ),
    "value": Key("any", "the value taken", required=True),
    "alternatives": Key("list", "the values it might have had instead", required=True),
    "why": Key("text", "why this value", required=True),
    "metrics": Key("texts", "the measures it bears on; all if left out"),
    "derived_from": Key(
        "texts",
        "what a derived value was derived from: ids of figures, each alone or with a measure "
        '("S0.table5 timeouts"), or "text". Rows of these figures are marked',
    ),
}
FIGURE: Final[Form] = {
    "id": Key("text", "paper and item, as the file is called: S1.fig13", required=True),
    "title": Key("text", "what it shows, in a line", required=True),
    "kind": Key("text", "what it is in the publication", required=True, accepted=KINDS),
    "source": Key("table", "where it stands", required=True, of=SOURCE),
    "measures": Key("text", "what is measured, and how", required=True),
    "experiment": Key("open", "`driver`, and the parameters of that driver", required=True),
    "own": Key("text", "why all orderings of this file are our own statements, if they are"),
    "published": Key("tables", "published values", of=PUBLISHED, default=[]),
    "claim": Key("tables", "what the text claims as an ordering", of=CLAIM, default=[]),
    "assumption": Key("tables", "parameters that are left open", of=ASSUMPTION, default=[]),
    "assumptions": Key("texts", "names of such parameters that `paper.toml` has", default=[]),
}  # fmt: skip
PAPER: Final[Form] = {
    "id": Key("text", "the name of the folder", required=True),
    "title": Key("text", "title of the publication", required=True),
    "authors": Key("text", "who wrote it", required=True),
    "year": Key("whole", "year of publication"),
    "venue": Key("text", "where it was published"),
    "defaults": Key("open", "parameters for every driver that has them", default={}),
    "assumption": Key("tables", "parameters it leaves open", of=ASSUMPTION, default=[]),
}
