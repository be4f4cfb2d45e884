// The page of a run: its figures and their data.
"use strict";
(() => {
  const { payload, figures } = Page;
  const goodput = figures.get("goodput");
  goodput.data = () => (payload.means.length
    ? { means: payload.means, replications: payload.replications }
    : { empty: "There are no flows." });
  goodput.rows = () => payload.replications;
  for (const [name, value] of [["window", "cwnd"], ["rtt", "rtt"], ["queue", "packets"]]) {
    const figure = figures.get(name);
    if (!figure) continue;
    const rows = payload[name].flatMap(([who, points]) =>
      points.map(([t, v]) => ({ name: who, t, [value]: v })));
    figure.data = () => (rows.length ? { [name]: rows } : { empty: "Nothing was recorded." });
    figure.rows = () => rows;
  }
  Page.start();
})();
