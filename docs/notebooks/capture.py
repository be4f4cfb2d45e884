"""What did TCP do in a packet capture? A notebook of marimo."""

import marimo

app = marimo.App()


@app.cell(hide_code=True)
def _():
    import marimo as mo

    mo.md("""
# What did TCP do in a packet capture?

A simulated transfer over a lossy link writes a capture at its sender, as `tcpdump` would. The analysis sees only the
capture.
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

    path = Path(mkdtemp()) / "upload.pcapng"
    airtcp.run(
        root / "scenarios" / "lossy-link.toml",
        replications=1,
        overrides={"duration": "15 s"},
        pcap=path,
    )
    result = airtcp.capture(path, series=True)
    result.retransmissions.select(["time_s", "cause", "sequence", "length", "srtt_s"]).head(5)
    return (result,)


@app.cell
def _(alt, result):
    _rows = [
        {"time": row["time_s"], "window": row["in_flight_bytes"] / 1e3}
        for row in result.table("window_series").rows()
        if row["in_flight_bytes"] is not None
    ]
    alt.Chart(alt.Data(values=_rows[:: max(1, len(_rows) // 800)])).mark_line(strokeWidth=1).encode(
        x=alt.X("time:Q", title="time (s)"), y=alt.Y("window:Q", title="data in flight (kB)")
    ).properties(width=560, height=200)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
Each loss reduces the window. The conclusions in words:
""")
    return


@app.cell
def _(mo, result):
    mo.md("\n".join(f"- **{finding.headline}** {finding.text}" for finding in result.findings))
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
[What did TCP do in a packet capture?](../guide/captures.md) has the rest; [what would help?](../guide/diagnose.md) replays the transfer.
""")
    return


if __name__ == "__main__":
    from _terminal import show

    show(app.run()[0], __file__)
