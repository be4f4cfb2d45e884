"""What do bursts of losses do to TCP? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# What do bursts of losses do to TCP?

Three links of the demonstration receive about the same share of their packets. Their losses come alone, in bursts, or in
bursts between long runs of successes.
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
    result = airtcp.study(
        root / "demo" / "synthetic-*-60.txt.gz", replicas=10, compare=False, remedies=False
    )
    result.links.select(["name", "prr", "mu", "gain_percent"])
    return (result,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
`gain_percent` compares TCP over the link with TCP over independent losses of the same packet reception ratio. Each point of
the picture is TCP over one synthetic link of a model. The bars are TCP over the links themselves.
""")
    return


@app.cell
def _(alt, result):
    _links = [
        {
            "link": row["name"].removeprefix("synthetic-"),
            "throughput": row["tcp_packets_per_second"],
        }
        for row in result.links.rows()
    ]
    _models = [
        {
            "link": row["link"].removeprefix("synthetic-"),
            "throughput": row["packets_per_second"],
            "model": row["model"],
        }
        for row in result.table("replicas").rows()
    ]
    _x = alt.X("throughput:Q", title="throughput (packets/s)").scale(type="log")
    _bars = (
        alt.Chart(alt.Data(values=_links))
        .mark_tick(thickness=4, size=30, color="#1b2430")
        .encode(x=_x, y=alt.Y("link:N", title=None))
    )
    _points = (
        alt.Chart(alt.Data(values=_models))
        .mark_point()
        .encode(x=_x, y="link:N", color=alt.Color("model:N", title="synthetic links"))
    )
    (_points + _bars).properties(width=520, height=150)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
A burst costs TCP one reaction for many losses, and the long runs of successes let its window grow.
[What does a link do to TCP?](../guide/study.md) explains the study.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
