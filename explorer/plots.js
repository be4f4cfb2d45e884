// The four charts: the lines of a run, and in grey those of the run that is held.
const Plots = (() => {
  const { byId, make } = Elements;
  const UNITS = { goodput: "Mb/s", window: "kB", queue: "packets", rtt: "ms" };
  const NAMES = Object.keys(UNITS);

  const zip = (times, values) => times.map((t, i) => [t, values[i]]);
  const rates = ({ interval_s }, bps) => bps.map((v, i) => [(i + 0.5) * interval_s, v / 1e6]);

  // Of each flow the end that sends: of two, the one with more rows.
  function senders(all) {
    const ends = new Map();
    for (const end of all) if (end.t_s.length > (ends.get(end.flow)?.t_s.length ?? 0)) ends.set(end.flow, end);
    return ends;
  }

  // The lines of a chart for flows `{name, colour, dash}`.
  const LINES = {
    goodput: (series, flows) => {
      const found = new Map(series.goodput.flows.map((f) => [f.flow, f]));
      return flows.filter(({ name }) => found.has(name)).map((flow) => ({ ...flow, points: rates(series.goodput, found.get(flow.name).bps) }));
    },
    window: (series, flows) => {
      const found = senders(series.windows);
      const drawn = flows.filter(({ name }) => found.has(name));
      return drawn.flatMap((flow) => {
        const { t_s, cwnd_bytes, ssthresh_bytes } = found.get(flow.name);
        const window = { ...flow, points: zip(t_s, cwnd_bytes.map((v) => v / 1e3)) };
        if (drawn.length > 1) return [window];
        const threshold = zip(t_s, ssthresh_bytes.map((v) => (v === null ? null : v / 1e3)));
        return [{ ...window, name: "cwnd" }, { ...Flows.style(1), name: "ssthresh", points: threshold, dash: 1, second: true }];
      });
    },
    queue: (series) => series.queues.map((q, i) => ({ ...Flows.style(i), name: q.queue, points: zip(q.t_s, q.packets) })),
    rtt: (series, flows) => {
      const found = senders(series.rtts);
      return flows.filter(({ name }) => found.has(name)).map((flow) => ({ ...flow, points: zip(found.get(flow.name).t_s, found.get(flow.name).rtt_s.map((v) => v * 1e3)) }));
    },
  };

  // The lines of the held run: of the same flows, or of its first ones if it has none of them.
  function heldLines(name, { series }, flows, end_s) {
    const has = new Set(series.goodput.flows.map((f) => f.flow));
    const same = flows.filter((flow) => has.has(flow.name));
    const drawn = same.length || !flows.length ? same : [...has].slice(0, flows.length).map((flow) => ({ name: flow }));
    const within = (line) => ({ ...line, points: line.points.filter(([t]) => t <= end_s) });
    return LINES[name](series, drawn).filter((line) => !line.second).map(within);
  }

  function marks(series, flows) {
    const shown = new Set(flows.map(({ name }) => name));
    const of = (list, kind) => list.filter(([flow]) => shown.has(flow)).map(([, t]) => ({ t, kind }));
    return [...of(series.fast_retransmits, "fast"), ...of(series.timeouts, "timeout")];
  }

  // Draws a run `{series, end_s}`, which may have no series yet.
  function draw({ series, end_s }, held, flows) {
    for (const name of NAMES) {
      const figure = byId(`figure-${name}`);
      const lines = series ? LINES[name](series, flows) : [];
      const past = series && held?.series ? heldLines(name, held, flows, end_s) : [];
      const title = figure.querySelector("h3").textContent;
      const canvas = figure.querySelector(".canvas");
      Charts.draw(canvas, {
        title, unit: UNITS[name], lines, held: past, marks: series && name === "window" ? marks(series, flows) : [], end_s, stepped: name !== "goodput",
      });
      const keys = lines.map((line) => make("span", {}, make("i", { class: `dash${line.dash}`, style: `border-color:var(--${line.colour})` }), line.name));
      const more = series && name === "queue" ? series.queues_in_all - lines.length : 0;
      if (more > 0) keys.push(make("span", { text: `and ${more} shorter queues` }));
      if (!lines.length) keys.push(make("span", { text: series && name !== "queue" && !flows.length ? "no flow is chosen" : "nothing was recorded" }));
      figure.querySelector(".key").replaceChildren(...keys);
    }
  }

  // Marks the charts as those of an earlier run, or no longer.
  function stale(are) {
    for (const name of NAMES) byId(`figure-${name}`).toggleAttribute("data-stale", are);
  }
  return { draw, stale };
})();
