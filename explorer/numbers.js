// The numbers of a run, from its document, beside those of the run that is held.
const Numbers = (() => {
  const mean = (estimate) => estimate?.mean ?? null;
  const sum = (values) => (values.some((v) => v !== null) ? values.reduce((a, b) => a + (b ?? 0), 0) : null);
  const average = (values) => { const known = values.filter((v) => v !== null); return known.length ? sum(known) / known.length : null; };

  // The rows: name, unit, value, and whether more is better (1), worse (-1) or neither (0).
  function rows({ summary, replications }) {
    const flows = summary.flows;
    const of = (key) => flows.map((flow) => mean(flow[key]));
    const links = summary.links ?? [];
    const queue = links.reduce((a, b) => ((mean(b.mean_queue_packets) ?? 0) > (mean(a?.mean_queue_packets) ?? -1) ? b : a), null);
    const waits = (summary.cells ?? []).flatMap((cell) => cell.stations ?? []);
    const made = [
      ["Goodput, all flows", "Mb/s", mean(summary.total_goodput_bps) / 1e6, 1],
      ...(flows.length > 1 ? [
        ["Least goodput of a flow", "Mb/s", Math.min(...of("goodput_bps").map((v) => v ?? 0)) / 1e6, 1],
        ["Jain's index of the endless flows", "", mean(summary.jain_index), 1],
      ] : []),
      ["Mean round-trip time", "ms", scaled(average(of("rtt_mean_s")), 1e3), -1],
      ["Retransmitted", "%", scaled(ratio(sum(of("retransmissions")), sum(of("segments_sent"))), 100), -1],
      ["Retransmissions", "", sum(of("retransmissions")), -1],
      ["Timeouts", "", sum(of("timeouts")), -1],
      ["Fast retransmits", "", sum(of("fast_retransmits")), -1],
      ...(sum(of("ecn_reactions")) ? [["Reactions to ECN marks", "", sum(of("ecn_reactions")), 0]] : []),
      ...(queue ? [
        [`Mean queue, ${queue.name}`, "packets", mean(queue.mean_queue_packets), -1],
        [`95th percentile of its delay`, "ms", scaled(mean(queue.queue_delay_p95_s), 1e3), -1],
        [`Loss rate, ${queue.name}`, "%", scaled(mean(queue.loss_rate), 100), -1],
        [`Utilisation, ${queue.name}`, "%", scaled(mean(queue.utilisation), 100), 0],
      ] : []),
      ...(waits.length ? [["Longest 95th percentile of a queue delay", "ms", scaled(Math.max(...waits.map((s) => mean(s.queue_delay_p95_s) ?? 0)), 1e3), -1]] : []),
      ...(summary.cells ?? []).slice(0, 1).filter((c) => mean(c.busy_share) !== null).map((c) => ["Medium busy", "%", 100 * mean(c.busy_share), 0]),
    ];
    return made.filter(([, , value]) => value !== null && Number.isFinite(value)).map(([name, unit, value, better]) => ({ name, unit, value, better }));
  }
  const ratio = (part, whole) => (part === null || !whole ? null : part / whole);
  const scaled = (value, factor) => (value === null ? null : value * factor);

  const cellOf = (tag, text, name) => { const made = document.createElement(tag); made.textContent = text; if (name) made.className = name; return made; };

  // Fills the body of the table.
  function fill(body, run, held) {
    const before = new Map((held ? rows(held) : []).map((row) => [row.name, row.value]));
    body.replaceChildren(...rows(run).map(({ name, unit, value, better }) => {
      const row = document.createElement("tr");
      const head = cellOf("th", name);
      head.scope = "row";
      row.append(head, cellOf("td", Units.show(value)), cellOf("td", unit, "unit"));
      if (held) {
        const old = before.get(name);
        const change = old ? (value - old) / old : null;
        const tone = change === null || Math.abs(change) < 5e-4 || !better ? "" : change * better > 0 ? "good" : "bad";
        const percent = change === null ? "–" : `${change > 0 ? "+" : ""}${Units.show(100 * change, 2)} %`;
        row.append(cellOf("td", Units.show(old)), cellOf("td", old === 0 && value === 0 ? "0 %" : percent, tone));
      }
      return row;
    }));
  }

  // Fills the table of flows.
  function fillFlows(body, { summary }) {
    body.replaceChildren(...summary.flows.slice(0, 50).map((flow) => {
      const row = document.createElement("tr");
      const head = cellOf("th", flow.name);
      head.scope = "row";
      const value = (key, factor = 1) => cellOf("td", Units.show(scaled(mean(flow[key]), factor)));
      row.append(head, value("goodput_bps", 1e-6), value("rtt_mean_s", 1e3), value("retransmission_ratio", 100), value("timeouts"), value("fast_retransmits"));
      return row;
    }));
  }
  return { rows, fill, fillFlows };
})();
