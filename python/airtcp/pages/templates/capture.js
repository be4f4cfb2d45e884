// The page of a capture: its figures, and the points of time-sequence diagrams that are in view.
"use strict";
(async () => {
  const { payload, figures } = Page;
  const MOST = 2500; // marks of a kind that are drawn at once

  // The places of the first and last value of a sorted column within a range, with a neighbour each.
  function within(column, from, to) {
    const place = (value) => {
      let [low, high] = [0, column.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (column[middle] < value) low = middle + 1; else high = middle;
      }
      return low;
    };
    return [Math.max(0, place(from) - 1), Math.min(column.length, place(to) + 1)];
  }

  // Rows of consecutive groups of a column of points, so many that they can be drawn.
  function grouped(column, [from, to], row) {
    const size = Math.max(1, Math.ceil((to - from) / MOST));
    const rows = [];
    for (let i = from; i < to; i += size) rows.push(row(i, Math.min(i + size, to) - 1));
    return rows;
  }

  // The part of a diagram between two times.
  function inView(points, from, to) {
    const { first, again, acks, sacks } = points;
    const segments = grouped(first, within(first.t, from, to), (i, last) => ({
      what: "first", t: first.t[i], t2: first.t[last],
      b: first.offset_bytes[i], e: first.offset_bytes[last] + first.length[last],
    }));
    const repeated = grouped(again, within(again.t, from, to), (i) => ({
      what: again.what[i], t: again.t[i], t2: again.t[i],
      fate: again.spurious[i] === null ? "not sent again" : again.spurious[i] ? "spurious" : "needed",
      b: again.offset_bytes[i], e: again.offset_bytes[i] + again.length[i],
    }));
    const blocks = grouped(sacks, within(sacks.t, from, to), (i) => ({
      what: sacks.duplicate[i] ? "duplicate SACK" : "SACK block", t: sacks.t[i], t2: sacks.t[i],
      b: sacks.start_offset_bytes[i], e: sacks.end_offset_bytes[i],
    }));
    const seen = within(acks.t, from, to);
    const lines = [
      ...grouped(acks, seen, (i) => ({ what: "ACK", t: acks.t[i], b: acks.ack_offset_bytes[i] })),
      ...grouped(acks, seen, (i) => ({ what: "receive window", t: acks.t[i], b: acks.edge[i] })),
    ];
    return { segments, again: repeated, blocks, lines };
  }

  async function sequence(number, connection) {
    const figure = figures.get(`sequence${number}`);
    if (!figure) return;
    const points = await Page.unpack(connection.points);
    let shown = inView(points, -Infinity, Infinity);
    figure.data = () => shown;
    figure.rows = () => [...shown.segments, ...shown.again, ...shown.blocks, ...shown.lines];
    let zoomed = false;
    figure.ondrawn = (view) => {
      let waiting = 0;
      const fill = (range) => {
        const [from, to] = range ? [Math.min(...range), Math.max(...range)] : [-Infinity, Infinity];
        shown = inView(points, from, to);
        for (const [name, rows] of Object.entries(shown)) view.data(name, rows);
        view.runAsync();
      };
      // A figure that is drawn anew, in other colours, shows everything.
      if (zoomed) fill(null);
      zoomed = false;
      view.addSignalListener("view_t", (_, range) => {
        zoomed = true;
        clearTimeout(waiting);
        waiting = setTimeout(() => fill(range), 120);
      });
    };
  }

  for (const [number, connection] of payload.connections.entries()) {
    await sequence(number, connection);
    for (const name of ["rtt", "window", "gaps"]) {
      const figure = figures.get(`${name}${number}`);
      if (!figure) continue;
      const rows = connection[name];
      figure.data = () => (rows.length ? { [name]: rows } : { empty: "Nothing was measured." });
      figure.rows = () => rows;
    }
  }
  const flight = figures.get("flight");
  if (flight) {
    flight.data = () => payload.flight;
    flight.rows = () => [...payload.flight.flight, ...payload.flight.marks];
  }
  for (const name of ["rates", "rate_losses"]) {
    const figure = figures.get(name);
    if (!figure) continue;
    figure.data = () => ({ rates: payload.rates });
    figure.rows = () => payload.rates;
  }
  for (const [name, rows] of Object.entries(payload.air)) {
    const figure = figures.get(name);
    if (!figure) continue;
    const data = name === "air_airtime" ? "stations" : "links";
    figure.data = () => ({ [data]: rows });
    figure.rows = () => rows;
  }
  for (const name of ["timeout_attempts", "timeout_latency"]) {
    const figure = figures.get(name);
    if (!figure) continue;
    figure.data = () => ({ packets: payload.packets });
    figure.rows = () => payload.packets;
  }
  Page.start();
})();
