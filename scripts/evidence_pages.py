"""Pages that are made of kept results: the gallery, and what was validated."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from reference_pages import GENERATED, cell, code, table

from airtcp_papers import record
from airtcp_papers.verdict import MET

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
_NOT_MET: Final = ("not reproduced", "undecided")


def gallery_page() -> str:
    """Lay out every figure of the documentation that a declaration makes."""
    parts = [
        "# Gallery\n\nEvery picture is made by the file that is linked below it. The command makes the picture and its "
        "numbers again; it needs a clone of the repository. Processor times are those of the declarations.\n\n"
        f"{GENERATED}\n"
    ]
    for path in sorted((DOCS / "figures").glob("*.toml")):
        of = tomllib.loads(path.read_text("utf-8"))
        for name in of["outputs"]:
            if name.endswith(".svg"):
                parts.append(_picture(path.stem, name, of))
    return "".join(parts)


def _picture(name: str, picture: str, of: dict[str, Any]) -> str:
    maker = of["run"].split(":")[0].replace(".", "/") + ".py" if ":" in of["run"] else of["run"]
    numbers = [output for output in of["outputs"] if output.endswith(".csv")]
    links = [f"[{maker}](figures/{maker})", f"[{name}.toml](figures/{name}.toml)"]
    links += [f"[{output}](figures/{output})" for output in numbers]
    pages = [
        f"[{page.read_text('utf-8').splitlines()[0].removeprefix('# ')}]({page.relative_to(DOCS)})"
        for folder in ("guide", "models", "papers")
        for page in sorted((DOCS / folder).glob("*.md"))
        if f"figures/{picture}" in page.read_text("utf-8")
    ]
    shown = f" Explained in {', '.join(pages)}." if pages else ""
    title = of["title"]
    needs = f", needs {', '.join(of['needs'])}" if of.get("needs") else ""
    return (
        f"\n## {title}{'' if picture == f'{name}.svg' else f' ({picture})'}\n\n{of['measures']}{shown}\n\n"
        f"![{title}](figures/{picture})\n\n"
        f"Made by {', '.join(links)}: `make figures NAMES={name}` ({of['cpu_s']:g} s of processor time{needs}).\n"
    )


def validation_page() -> str:
    """Lay out what was held against what, with the misses."""
    papers = {
        path.stem: [
            row for one in record.read(path.parent, path.stem).values() for row in one["rows"]
        ]
        for path in sorted((DOCS / "papers" / "results").glob("*.json"))
    }
    parts = [
        "# How were results validated, and what was missed?\n\nairtcp is held against published results, against other "
        "programs, and against closed forms. This page counts what agrees and lists what does not. "
        "[Does airtcp reproduce a published result?](guide/reproduce.md#reading-the-table) explains the verdicts.\n\n"
        f"{GENERATED}\n\n## Published results\n\n"
        "A row is a published number, or an order of two published numbers. *By construction*: a row that is met because an "
        "input was derived from it; it is counted among those met and is no evidence.\n\n",
        _counts(papers, own=False),
        "\n## Own statements about the papers\n\nWhat the pages on papers state beyond the published rows is checked by the "
        "same program.\n\n",
        _counts(papers, own=True),
        "\n## The misses\n\nEvery published row that is not reproduced or undecided, by its cause. The pages on papers list "
        "the rows themselves. *Shown by* names the experiment that shows the cause; without one, the cause is an "
        "explanation that no experiment confirms.\n",
    ]
    for name, rows in papers.items():
        parts.append(f"\n### {name}\n\n{_title(name)}\n\n{_misses(rows)}")
    return "".join([*parts, _models()])


def _title(paper: str) -> str:
    page = DOCS / "papers" / f"{paper}.md"
    return f"[{page.read_text('utf-8').splitlines()[0].removeprefix('# ')}](papers/{paper}.md)"


def _counts(papers: dict[str, list[dict[str, Any]]], *, own: bool) -> str:
    lines: list[list[str]] = []
    whole = Counter[str]()
    for name, rows in papers.items():
        found = tally([row for row in rows if bool(row["own"]) == own])
        whole += Counter(found)
        lines.append([_title(name), *(str(found[key]) for key in COLUMNS)])
    lines.append(["all", *(str(whole[key]) for key in COLUMNS)])
    return table(["paper", *COLUMNS], lines)


COLUMNS: Final = ("rows", "met", "of these by construction", "not reproduced", "undecided")


def tally(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Count rows by their verdict."""
    met = [row for row in rows if row["verdict"] in MET]
    constructed = [row for row in met if row.get("by_construction")]
    missed = [sum(row["verdict"] == verdict for row in rows) for verdict in _NOT_MET]
    return dict(zip(COLUMNS, [len(rows), len(met), len(constructed), *missed], strict=True))


def _misses(rows: list[dict[str, Any]]) -> str:
    """Group what is not met by its cause."""
    causes: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["verdict"] in _NOT_MET and not row["own"]:
            cause = row["cause"] or (
                "too few runs to tell" if row["verdict"] == "undecided" else "not found out"
            )
            causes.setdefault((row["verdict"], cause), []).append(row)
    lines = [
        [
            verdict,
            str(len(of)),
            cell(cause),
            ", ".join(
                code(one) for one in dict.fromkeys(s for row in of for s in row.get("shown_by", []))
            ),
        ]
        for (verdict, cause), of in causes.items()
    ]
    return table(["verdict", "rows", "cause", "shown by"], lines) if lines else "None.\n"


def _models() -> str:
    lines: list[str] = []
    for page in sorted((DOCS / "models").glob("*.md")):
        text = page.read_text("utf-8")
        if re.search(r"^## Validation$", text, re.MULTILINE):
            title = text.splitlines()[0].removeprefix("# ")
            lines.append(f"- [{title}](models/{page.name}#validation)")
    listed = "\n".join(lines)
    return (
        "\n## Other programs\n\n"
        "- [Linux kernel](models/kernel.md): the same scenarios with the TCP of a real kernel\n"
        "- [ns-2](models/validation-ns2.md): the same scenarios, also packet by packet\n"
        "- [Goodput of every TCP on one link](models/goodput.md): beside ns-2 and ns-3, with the cause of each difference\n"
        f"\n## Models\n\nEach page lists what its model is held against, and what the model leaves out.\n\n{listed}\n"
    )
