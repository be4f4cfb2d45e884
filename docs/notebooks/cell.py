"""What does one slow station cost the others? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# What does one slow station cost the others?

Four stations download from one access point, three at 54 Mb/s and one at 6 Mb/s. One queue at the access point sends
packets in their order of arrival, so that the slow station takes most of the airtime.
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
    scenario = root / "scenarios" / "wifi-slow-station.toml"
    shared = airtcp.compare_schemes(
        scenario, schemes=["base", "airtime-fair"], replications=3, overrides={"duration": "8 s"}
    )
    shared.table("outcomes").select(
        [
            "variant",
            "total_goodput_bps",
            "total_goodput_bps_ci_low",
            "total_goodput_bps_ci_high",
            "jain_index",
        ]
    )
    return (shared,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
A queue that shares airtime instead of packets (`airtime-fair`) lets the fast stations use their rate.
""")
    return


@app.cell
def _(alt, shared):
    _rows = [
        {"station": row["station"], "scheme": row["variant"], "goodput": row["goodput_bps"] / 1e6}
        for row in shared.table("stations").rows()
        if not row["is_access_point"]
    ]
    alt.Chart(alt.Data(values=_rows)).mark_bar().encode(
        x=alt.X("goodput:Q", title="goodput (Mb/s)"),
        y=alt.Y("scheme:N", title=None),
        color=alt.Color("scheme:N", legend=None),
        row=alt.Row("station:N", title=None),
    ).properties(width=520)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
[Four unfair cells](../guide/unfair-cells.md) has this cell and three others, with what helps each.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
