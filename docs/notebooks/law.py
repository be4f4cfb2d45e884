"""How does a congestion control of one's own come to be? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# How does a congestion control of one's own come to be?

A congestion control, here called a law, is designed, checked, evaluated and repaired. It is to keep queues short: it grows as
Reno does while packets wait for less than a target, and shrinks by a little when they wait for longer.
""")
    return (mo,)


@app.cell
def _():
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    import altair as alt

    import airtcp

    folder = Path(tempfile.mkdtemp())
    return airtcp, alt, folder, subprocess, sys


@app.cell
def _(folder, mo):
    DRAFT = '''from airtcp.laws import Ack, Congestion, Law


class Gentle(Law):
    """Keeps packets waiting for `wait` seconds"""

    wait: float = 0.01

    def on_ack(self, ack: Ack) -> None:
        if self.slow_start(ack) or self.recovering(ack):
            return
        if ack.rtt is not None and ack.rtt - ack.min_rtt > self.wait:
            self.cwnd -= 0.5 * self.mss * ack.acked / self.cwnd
        else:
            self.grow(self.mss * ack.acked / self.cwnd)

    def reduced(self, c: Congestion) -> float:
        return 0.5 * self.cwnd
'''
    draft = folder / "draft.py"
    draft.write_text(DRAFT)
    mo.md(
        f"## Design\n\nThe first draft takes every acknowledgement itself:\n\n```python\n{DRAFT}```"
    )
    return DRAFT, draft


@app.cell
def _(airtcp, folder, subprocess, sys):
    def checked(file):
        """Check a law as `airtcp law check` does."""
        words = [sys.executable, "-m", "airtcp", "law", "check", file.name]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        return done.stdout.strip() or done.stderr.strip()

    def judged(result):
        """Return a table of the criteria that were evaluated."""
        rows = [row for row in result.criteria.rows() if row["verdict"] != "not evaluated"]
        return airtcp.Table.from_rows(rows).select(
            ["id", "title", "verdict", "check", "quantity", "value"]
        )

    return checked, judged


@app.cell
def _(checked, draft, mo):
    mo.md(f"## Check\n\nRandom calls find what the draft does wrong:\n\n```\n{checked(draft)}\n```")
    return


@app.cell
def _(DRAFT, checked, folder, mo):
    repaired = folder / "gentle.py"
    repaired.write_text(
        DRAFT.replace("def on_ack(", "def avoid(").replace(
            "        if self.slow_start(ack) or self.recovering(ack):\n            return\n", ""
        )
    )
    mo.md(f"""
`avoid` is called only where a window may grow: above the slow-start threshold, outside recovery, and when the window was the
limit. With `avoid` in place of `on_ack` the law keeps the rules:

```
{checked(repaired)}
```
""")
    return (repaired,)


@app.cell
def _(airtcp, judged, repaired):
    first = airtcp.evaluate(f"{repaired}:Gentle", only="E3,E12", effort="quick", replications=2)
    judged(first)
    return (first,)


@app.cell
def _(first, mo):
    mo.md(f"""
## Evaluate

{first.json["answer"]["headline"]}

Short queues have a price. Beside a law that fills the queue, packets of both wait for long, and only Gentle gives way.
""")
    return


@app.cell
def _(airtcp, judged, repaired):
    second = airtcp.evaluate(
        f"{repaired}:Gentle:wait=0.1", only="E3,E12", effort="quick", replications=2
    )
    judged(second)
    return (second,)


@app.cell
def _(alt, first, second):
    def shares(result, name):
        """Return the share of a link beside CUBIC over the length of the queue."""
        checks = next(one for one in result.json["criteria"] if one["id"] == "E12")["checks"]
        return [
            {"law": name, "queue": check["at"]["buffer_bdp"], "share": 100 * check["value"]}
            for check in checks
            if check["quantity"] == "own share" and "beside cubic" in check["name"]
        ]

    _rows = shares(first, "wait = 10 ms") + shares(second, "wait = 100 ms")
    alt.Chart(alt.Data(values=_rows)).mark_line(point=True).encode(
        x=alt.X("queue:Q", title="queue (bandwidth-delay products)", scale=alt.Scale(type="log")),
        y=alt.Y("share:Q", title="share beside CUBIC (%)", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color("law:N", title=None),
    ).properties(width=420, height=200)
    return


@app.cell
def _(mo, second):
    mo.md(f"""
## Repair

With `wait = 100 ms` the target is as long as the queues of most links. {second.json["answer"]["headline"]}
""")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
No target suits all: a short one keeps queues short and loses to others, a long one shares and fills the queue. Laws that want
both estimate who shares the link with them, as Copa does. [Write a congestion control](../guide/write-a-law.md) lists what a law may
do, and [the evaluation](../guide/evaluate.md) has 26 more criteria.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
