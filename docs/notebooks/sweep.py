"""How do loss and delay together limit TCP? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# How do loss and delay together limit TCP?

A sweep runs one scenario at many points. Here the loss and the delay of a link of 10 Mb/s vary.
""")
    return (mo,)


@app.cell
def _(mo):
    import altair as alt

    import airtcp

    root = mo.notebook_dir().parents[1]
    return airtcp, alt, root


@app.cell
def _(airtcp, root):
    from pathlib import Path
    from tempfile import mkdtemp

    result = airtcp.sweep(
        {
            "title": "Loss and delay over 10 Mb/s",
            "of": str(root / "scenarios" / "lossy-link.toml"),
            "replications": 3,
            "set": {"duration": "20 s"},
            "vary": {
                "loss": {"key": "links[0].loss.probability", "values": ["0.1 %", "1 %", "5 %"]},
                "delay": {"key": "links[0].delay", "values": ["5 ms", "20 ms", "80 ms"]},
            },
        },
        out=Path(mkdtemp()) / "sweep",
        workers=2,
        report=False,
    )
    _flows = [row for row in result.points.rows() if row["kind"] == "flow"]
    points = [{name: row[name] for name in ("loss", "delay_s", "goodput_bps")} for row in _flows]
    airtcp.Table.from_rows(points)
    return (points,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
A higher loss costs more where the round-trip time is longer: the window that the path needs is larger, and each loss reduces
it.
""")
    return


@app.cell
def _(alt, points):
    _rows = [{**row, "goodput": row["goodput_bps"] / 1e6} for row in points]
    alt.Chart(alt.Data(values=_rows)).mark_line(point=True).encode(
        x=alt.X("loss:Q", title="loss")
        .scale(type="log")
        .axis(format="%", values=[0.001, 0.01, 0.05]),
        y=alt.Y("goodput:Q", title="goodput (Mb/s)").scale(type="log"),
        color=alt.Color("delay_s:N", title="one-way delay (s)"),
    ).properties(width=480, height=220)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
`airtcp sweep` does the same from a file, on this machine or on a cluster.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
