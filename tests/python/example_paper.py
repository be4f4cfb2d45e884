"""A paper with one figure, as files that tests change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

PAPER = """
id = "T1"
title = "A paper"
authors = "Somebody"
"""
SCENARIO = f'duration = "3 s"\n{LOSSY_LINK}'
FIGURE = """
id = "T1.fig1"
title = "Goodput over loss"
kind = "figure"
measures = "goodput"
source = { item = "Figure 1", section = "2" }

[experiment]
driver = "sweep"
scenario = "scenarios/link.toml"
runs = 2

[[experiment.sweep]]
name = "loss"
path = "links[0].loss.probability"
values = [0.0, 0.05]

[[experiment.measure]]
name = "goodput"
of = "goodput_bps"
scale = 1e-6
unit = "Mb/s"

[[published]]
metric = "goodput"
at = { loss = 0.0 }
value = 9
unit = "Mb/s"
tolerance = 0.2
tolerance_reason = "a test"
plot = "goodput"
x = 0
y = 9

[[published]]
metric = "goodput"
at = { loss = 0.05 }
value = 9
unit = "Mb/s"
tolerance = 0.2
tolerance_reason = "a test"
reason = "losses cost"

[[claim]]
words = "loss costs"
left = "goodput[loss=0.05]"
op = "<"
right = "goodput[loss=0]"
margin = 0.1
says = "losses cost throughput"

[[assumption]]
name = "queue"
status = "choice"
parameter = "set"
value = {}
alternatives = [{ "links[0].rate" = "1 Mb/s" }]
why = "the paper does not say <script>alert(1)</script>"
"""


BARE = 'id = "T1"\ntitle = "A paper"\nauthors = "Somebody"\n'
"""A paper without anything that figures need not have."""


def write_paper(
    home: Path,
    *,
    paper: str = PAPER,
    figure: str = FIGURE,
    scenario: tuple[str, str] = ("link.toml", SCENARIO),
) -> Path:
    """Write a paper with one figure into a new folder; `scenario` is a name and a text."""
    for folder in ("T1", "ensembles", "scenarios"):
        (home / folder).mkdir(parents=True)
    (home / "T1" / "paper.toml").write_text(paper)
    (home / "T1" / "fig-1.toml").write_text(figure)
    name, text = scenario
    (home / "scenarios" / name).write_text(text)
    return home


def changed(papers: Path, old: str, new: str) -> Path:
    """Replace a piece of the figure."""
    path = papers / "T1" / "fig-1.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return papers
