"""Puts a page together from the document, the templates and the drawing library."""

from __future__ import annotations

import hashlib
import json
import shlex
from functools import cache
from importlib import metadata, resources
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from airtcp.api.options import COMPARED
from airtcp.findings import capacity as capacity_words
from airtcp.findings import groups, run, study, words
from airtcp.findings import link as link_words
from airtcp.papers import cache as kept
from airtcp.plain import printable, printable_values
from airtcp.report import (
    capacity,
    cell_rows,
    charts_cell,
    charts_link,
    charts_run,
    charts_study,
    charts_timeline,
    link_rows,
    rows,
    run_rows,
    theme,
    timeline_rows,
)
from airtcp.report.charts import assume

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.documents import Link, RunDocument, StudyDocument

_VEGA_LITE: Final = "v6.4"
_BUNDLED: Final = "window.airtcpVega = { embed: vegaEmbed };"


@cache
def library() -> str:
    """Bundle Vega, Vega-Lite and Vega-Embed; takes a second or so, and is kept for next time."""
    store = kept.Cache(kept.default_folder())
    made_of = f"{metadata.version('vl-convert-python')} {_VEGA_LITE} {_BUNDLED}"
    name = f"vega-{hashlib.sha256(made_of.encode()).hexdigest()}"
    bundle = store.get(name)
    if not isinstance(bundle, str):
        # It takes most of the memory that a command needs.
        import vl_convert

        bundle = vl_convert.javascript_bundle(_BUNDLED, vl_version=_VEGA_LITE)
        store.put(name, bundle)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _text(name: str) -> str:
    return resources.files("airtcp.report").joinpath("templates", name).read_text("utf-8")


def _embedded(value: Any) -> str:
    """Encode for a script element, where `<` could end it early."""
    value = printable_values(value)
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _shown(value: Any) -> Any:
    """Escape what is not to be seen in a text of a result; text that is trusted is ours."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return printable(value, "\n\t") if plain else value


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("airtcp.report", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, script: str, payload: dict[str, Any], **values: Any) -> str:
    """Put a page together.

    Args:
        template: The template of the page.
        script: Its script, which runs after the one all pages share.
        payload: What its script reads; colours and the look of charts are added.
        **values: What its template reads.
    """
    payload |= {
        "config": theme.CONFIG,
        "colours": {"light": theme.LIGHT, "dark": theme.DARK},
    }
    page = _environment().get_template(template)
    raw = {
        "css": _text("page.css"),
        "library": library(),
        "script": _text("picture.js") + _text("page.js") + _text(script),
        "payload": _embedded(payload),
    }
    # Everything else is escaped; these four are ours, or encoded by `_embedded`.
    trusted = {name: Markup(text) for name, text in raw.items()}  # noqa: S704
    return page.render(**trusted, **values)


def study_page(document: StudyDocument) -> str:
    """Make the page of a study.

    Args:
        document: What `StudyResult.json` gives.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    links = document["links"]
    if document["capacities"] and not links:
        return capacity.capacity_page(document)
    payload = rows.study_payload(document)
    payload["charts"] = charts_study.study_charts(len(links))
    payload["first"] = _first(links)
    suited = _suited(links)
    if suited is not None:
        payload["charts"] |= suited["charts"]
        payload["suits"] = suited["data"]
    helped = _helped(links)
    if helped is not None:
        payload["charts"] |= helped["charts"]
        payload["suits"] = payload.get("suits", {}) | helped["data"]
    varying = capacity.parts(document["capacities"])
    if varying is not None:
        payload["charts"] |= varying["charts"]
        payload["suits"] = payload.get("suits", {}) | varying["data"]
    unknown = sum(link["tcp"].get("slot_assumed", False) for link in links)
    note = link_words.rate_note(unknown, len(links))
    payload["charts"] = assume(payload["charts"], note)
    payload["rate"] = f"packets/s ({note})" if note else "packets/s"
    several = len(links) != 1
    return render(
        "study.html.j2",
        "study.js",
        payload,
        title=f"What TCP gets over {words.counted(len(links), 'link')}"
        if several
        else _single_title(links[0]),
        lead=_lead(links),
        facts=_facts(document),
        findings=[
            *(study.study_findings(links) if links else []),
            *capacity_words.capacity_findings(document["capacities"]),
        ],
        varying=varying,
        rate_note=note,
        headings=_headings(links) if several else {},
        scales=_scales(links),
        first=links[_first(links)]["name"] if links else "No link",
        links=len(links),
        suited=suited,
        helped=helped,
        skipped=document["skipped"],
        interrupted=document["interrupted"],
        version=document["airtcp_version"],
        seed=document["seed"],
        options=json.dumps(document["options"], indent=2, ensure_ascii=False),
        command=_command(document),
    )


def _suited(links: Sequence[Link]) -> dict[str, Any] | None:
    from airtcp.report import compare

    return compare.suited(links)


def _helped(links: Sequence[Link]) -> dict[str, Any] | None:
    from airtcp.report import remedies

    return remedies.helped(links)


def _first(links: Sequence[Link]) -> int:
    """Choose the link to open with: the one that shows most, an intermediate one if there is."""

    def rank(index: int) -> tuple[bool, bool, bool, float]:
        link = links[index]
        gain = link["tcp"]["difference"]["independent"]["packets_per_second"]["mean"] or 0.0
        low, high = study.INTERMEDIATE
        window = link["tcp"]["empirical"]["cwnd"] is not None
        return window, low <= link["prr"] <= high, link["converged"], abs(gain)

    return max(range(len(links)), key=rank, default=0)


def _single_title(link: Link) -> str:
    return f"What TCP gets over {link['name']}"


def _lead(links: Sequence[Link]) -> str:
    return (
        "TCP over the measured order of successes and losses, beside TCP over links that look the"
        " same by packet reception ratio alone, and by reception ratio and burstiness."
        if links
        else "No link was studied to the end."
    )


def _facts(document: StudyDocument) -> list[tuple[str, str]]:
    options = document["options"]
    packets = sum(link["packets"] for link in document["links"])
    return [
        ("Packets", words.count(packets)),
        ("TCP profile", str(options.get("profile", "unknown"))),
        ("Replicas", str(options.get("replicas", "unknown"))),
        ("Seed", str(document["seed"])),
        ("Version", document["airtcp_version"]),
    ]


def _command(document: StudyDocument) -> str:
    paths = dict.fromkeys(link["source"]["path"] for link in document["links"])
    options = document["options"]
    command = ["airtcp", "study", *list(paths)[:3]]
    rest = " ..." if len(paths) > len(command) - 2 else ""
    tail = ["--seed", str(document["seed"])]
    for name in ("profile", "replicas", "slot"):
        if options.get(name) is not None:
            tail += [f"--{name}", str(options[name])]
    for name, links in (("compare", "compare_links"), ("remedies", "remedy_links")):
        if not options.get(links):
            tail.append(f"--no-{name}")
        elif len(document["links"]) > COMPARED:
            tail.append(f"--{name}")
    return shlex.join(command) + rest + " " + shlex.join(tail)


_FLAT: Final = 20.0


def _scales(links: Sequence[Link]) -> Callable[[str], list[tuple[str, str]]]:
    """Order the scales of a throughput plot: logarithmic first where most links lie near zero."""
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in links]
    some = [rate for rate in rates if rate > 0]
    squeezed = bool(some) and max(some) > _FLAT * median(some)

    def views(chart: str) -> list[tuple[str, str]]:
        both = [(chart, "linear"), (f"{chart}-log", "log")]
        return both[::-1] if squeezed else both

    return views


def _headings(links: Sequence[Link]) -> dict[str, str]:
    """Write the headings of the plots of all links: what each shows of these links."""
    spread = study.widest_spread(links)
    found = {
        "throughput": "Throughput follows PRR",
        "gain": "Burstiness and what it is worth to TCP",
        "chain": "Does a Gilbert-Elliott chain stand in for the trace?",
        "longest": "Longest runs, measured and modelled",
    }
    if spread is not None:
        found["throughput"] = (
            f"At PRR {words.number(spread.prr, 2)}, throughput differs"
            f" {words.number(spread.ratio, 2)}-fold"
        )
    losing = [link for link in links if link["mu"] is not None]
    if losing:
        total = words.count(len(losing))
        more, _, _ = study.sides(losing, "independent")
        found["gain"] = (
            f"{words.count(more)} of {words.counted(len(losing), 'link')} beat independent losses"
        )
        more, less, _ = study.sides(losing, "gilbert_elliott")
        found["chain"] = (
            f"The chain gives TCP too little on {words.count(more)} of {total},"
            f" too much on {words.count(less)}"
        )
        known = [
            (link["longest_success_burst"] or 0) > expected
            for link in losing
            if (expected := link_words.expected_longest(link)) is not None
        ]
        if known:
            found["longest"] = (
                f"Longest runs exceed the chain's on {words.count(sum(known))}"
                f" of {words.count(len(known))}"
            )
    return found


def run_page(
    document: RunDocument,
    series: dict[str, dict[str, list[Any]]],
    timeline: timeline_rows.Timeline | None = None,
) -> str:
    """Make the page of a run.

    Args:
        document: What `RunResult.json` gives.
        series: Its series by table name, each a table as columns; empty if none was recorded.
        timeline: What happened on the air in an interval, if that was recorded.

    Returns:
        A complete HTML document. Equal results give equal pages.
    """
    summary = document["summary"]
    replications = document["replications"]
    payload = run_rows.run_payload(document, series)
    over_time = "station_series" in series
    payload["charts"] = charts_run.run_charts(
        len(summary["flows"]), recorded=bool(series), stations=over_time
    )
    payload["ways"], payload["bits"] = link_rows.ways(document), link_rows.bits(document)
    protected = len(link_rows.used(document))
    payload["charts"] |= charts_link.link_charts(len(payload["ways"]), protected)
    payload["cells"] = cell_rows.charted(document)
    for number, cell in enumerate(payload["cells"]):
        payload["charts"] |= charts_cell.cell_charts(number, cell)
    media = _media(document, timeline, payload)
    scenario = document["scenario"]
    return render(
        "run.html.j2",
        "run.js",
        payload,
        title=scenario.get("title") or "What the flows got",
        lead="A simulated scenario: every number is a mean over replications.",
        facts=[
            ("Simulated time", str(scenario.get("duration", "unknown"))),
            ("Replications", words.count(len(replications))),
            ("Seed", str(document["seed"])),
            ("Version", document["airtcp_version"]),
        ],
        findings=_run_findings(document),
        interrupted=document["interrupted"],
        version=document["airtcp_version"],
        seed=document["seed"],
        replications=len(replications),
        recorded=bool(series),
        left_out=payload.get("left_out", {}),
        most_names=run_rows.MOST_NAMES,
        over_time=over_time,
        goodput_heading="Goodput of each flow",
        flows=run_rows.flows(document),
        directions=run_rows.directions(document),
        coding=run_rows.table(run_rows.coded(document), run_rows.CODING_COLUMNS),
        links=run_rows.table(summary["links"], run_rows.LINK_COLUMNS),
        protocols=link_rows.protocols(document) if protected else None,
        ways=len(payload["ways"]),
        cells=cell_rows.tables(document),
        media=media,
        fingerprints=[replication["fingerprint"] for replication in replications],
        conservation=_conservation(document),
        scenario=json.dumps(scenario, indent=2, ensure_ascii=False),
    )


def _media(
    document: RunDocument, timeline: timeline_rows.Timeline | None, payload: dict[str, Any]
) -> list[tuple[str, str]]:
    """Draw the timeline of each cell on the page; give the headings and captions."""
    if timeline is None:
        return []
    said: list[tuple[str, str]] = []
    start = timeline_rows.heading(timeline).split(" to ")[0].removeprefix("The medium from ")
    for number, lanes in enumerate(
        timeline_rows.lanes(document, timeline)[: len(payload["cells"])]
    ):
        payload["charts"][f"cell{number}-medium"] = charts_timeline.medium(lanes, start)
        payload["cells"][number] |= {
            "air": lanes.frames,
            "waits": lanes.waits,
            "lanes": [{"y0": lane} for lane in range(1, len(lanes.names))],
        }
        said.append((timeline_rows.heading(timeline), timeline_rows.caption(timeline, lanes)))
    return said


def _run_findings(document: RunDocument) -> list[words.Finding]:
    summary = document["summary"]
    flows = summary["flows"]
    total = run_rows.estimate(summary["total_goodput_bps"], 1e-6)
    found = [
        words.Finding("Check this first", warning, "warn")
        for warning in document.get("warnings", [])
    ]
    found += run.findings(document)
    apart = link_rows.apart(document)
    if not apart:
        all_of_it = f"{total.split(' ')[0]} Mb/s in all"
        found.append(
            words.Finding(all_of_it, f"The flows together got {total} Mb/s{groups.over(document)}.")
        )
    fairness = summary["jain_index"]
    if len(flows) > 1 and fairness["mean"] is not None and not apart:
        equal = run_rows.estimate(fairness, 1.0, words.SHARE)
        found.append(
            words.Finding(
                f"Fairness {words.number(fairness['mean'])}",
                f"Jain's index is {equal}: 1 is equal shares,"
                f" {words.number(1 / len(flows), 2)} is one flow with everything.",
            )
        )
    found += cell_rows.findings(document)
    found += link_rows.findings(document)
    return found


def _conservation(document: RunDocument) -> str:
    broken = [r["replication"] for r in document["replications"] if not r["conservation"]["ok"]]
    if broken:
        return f"Packets were lost track of in replications {broken}: a fault of airtcp."
    return "In every replication, packets created = delivered + dropped + under way at the end."
