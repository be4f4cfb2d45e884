// The page of a run: its figures and their data.
"use strict";
(() => {
  const { payload, figures } = Page;
  const goodput = figures.get("goodput");
  if (goodput) {
    goodput.data = () => ({ means: payload.means, replications: payload.replications });
    goodput.rows = () => payload.replications;
  }
  const limited = figures.get("limited");
  if (limited) {
    limited.data = () => ({ limited: payload.limited });
    limited.rows = () => payload.limited;
  }
  for (const [name, value] of [["window", "cwnd"], ["rtt", "rtt"], ["queue", "packets"],
    ["airtime", "share"], ["rate", "mbps"]]) {
    const figure = figures.get(name);
    if (!figure) continue;
    const rows = payload[name].flatMap(([who, points]) =>
      points.map(([t, v]) => ({ name: who, t, [value]: v })));
    figure.data = () => (rows.length ? { [name]: rows } : { empty: "Nothing was recorded." });
    figure.rows = () => rows;
  }
  payload.over_time.flows.forEach((flow, i) => {
    const [window, rtt, queue] = ["window", "rtt", "queue"].map((name) => figures.get(`flow${i}-${name}`));
    const cwnd = flow.window.map(([t, v]) => ({ t, cwnd: v }));
    const marks = flow.marks.map(([t, v, what]) => ({ t, cwnd: v, what }));
    const trips = flow.rtt.map(([t, v]) => ({ t, rtt: v }));
    const waiting = flow.queue.flatMap(([name, points]) => points.map(([t, v]) => ({ name, t, packets: v })));
    if (window) [window.data, window.rows] = [() => (marks.length ? { window: cwnd, marks } : { window: cwnd }), () => cwnd];
    if (rtt) [rtt.data, rtt.rows] = [() => ({ rtt: trips }), () => trips];
    if (queue) [queue.data, queue.rows] = [() => ({ queue: waiting }), () => waiting];
  });
  for (const [name, data] of [["trade-off", "paths"], ["bits", "bits"]]) {
    const figure = figures.get(name);
    if (!figure) continue;
    figure.data = () => ({ [data]: payload[data] });
    figure.rows = () => payload[data];
  }
  for (const [delay, rows] of Object.entries(payload.delays)) {
    const figure = figures.get(`delay_${delay}`);
    if (!figure) continue;
    figure.data = () => ({ [`delay_${delay}`]: rows });
    figure.rows = () => rows;
  }
  payload.cells.forEach((cell, i) => {
    for (const [name, data] of [["map", "stations"], ["losses", "losses"], ["goodput", "goodput"], ["airtime", "airtime"], ["rates", "rates"]]) {
      const figure = figures.get(`cell${i}-${name}`);
      if (!figure) continue;
      figure.data = () => (cell[data].length ? { [data]: cell[data] } : { empty: "Nothing of the kind happened." });
      figure.rows = () => cell[data];
    }
    if (cell.neighbours.length && figures.has(`cell${i}-map`)) {
      figures.get(`cell${i}-map`).data = () => ({ stations: cell.stations, neighbours: cell.neighbours });
    }
    const medium = figures.get(`cell${i}-medium`);
    if (medium) {
      medium.data = () => (cell.air.length || cell.waits.length
        ? { frames: cell.air, waits: cell.waits, lanes: cell.lanes }
        : { empty: "Nothing was on the air." });
      medium.rows = () => cell.air;
    }
  });
  Page.start();
})();
