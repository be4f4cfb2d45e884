"""Which TCP is best for a link? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# Which TCP is best for a link?

A link of 10 Mb/s and 80 ms loses 1 % of its packets at random. Each TCP meets the same losses, so that a difference comes from
the TCP.
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
    result = airtcp.compare(
        root / "scenarios" / "lossy-link.toml",
        tcp=["reno", "cubic", "westwood+", "bbr"],
        replications=4,
        overrides={"duration": "15 s"},
    )
    outcomes = result.table("outcomes")
    outcomes.select(
        ["variant", "goodput_bps", "difference_percent", "rtt_mean_s", "retransmission_ratio"]
    )
    return outcomes, result


@app.cell
def _(alt, outcomes):
    _rows = [
        {
            "TCP": row["variant"],
            "goodput": row["goodput_bps"] / 1e6,
            "low": max(row["goodput_bps_ci_low"], 0) / 1e6,
            "high": row["goodput_bps_ci_high"] / 1e6,
        }
        for row in outcomes.rows()
    ]
    _base = alt.Chart(alt.Data(values=_rows)).encode(y=alt.Y("TCP:N", title=None, sort="-x"))
    _bars = _base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="goodput (Mb/s), with its 95 % interval"), x2="high:Q"
    )
    _points = _base.mark_point(filled=True, size=80).encode(x="goodput:Q")
    (_bars + _points).properties(width=520, height=140)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
The conclusions in words:
""")
    return


@app.cell
def _(mo, result):
    mo.md("\n".join(f"- **{finding.headline}** {finding.text}" for finding in result.findings))
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
[Which TCP is best for a link?](../guide/compare.md) explains the verdict.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
