// The numbers of a run, from its document, beside those of the run that is held.
//
// A change is called better or worse only if the replications carry it: the 95 % interval of the difference, paired
// by replication as in `airtcp compare`, excludes zero.
const Numbers = (() => {
  const { make } = Elements;
  // The value of a key of a summary, which has estimates, or of a replication, which has numbers.
  const value = (found) => (typeof found === "object" ? found?.mean : found) ?? null;
  const sum = (values) => (values.some((v) => v !== null) ? values.reduce((a, b) => a + (b ?? 0), 0) : null);
  const average = (values) => { const known = values.filter((v) => v !== null); return known.length ? sum(known) / known.length : null; };
  const ratio = (part, whole) => (part === null || !whole ? null : part / whole);
  const scaled = (number, factor) => (number === null ? null : number * factor);

  // The quantities of a run: name, unit, whether more is better (1), worse (-1) or neither (0), and a function that
  // gives the value of a summary or of a replication. A quantity with the kind `each` is the mean over the
  // replications; the kind `counts` counts events.
  function quantities({ summary }) {
    const flows = (of, key) => of.flows.map((flow) => value(flow[key]));
    const longest = (summary.links ?? []).reduce((a, b) => ((value(b.mean_queue_packets) ?? 0) > (value(a?.mean_queue_packets) ?? -1) ? b : a), null);
    const queue = (key, factor) => (of) => scaled(value(of.links.find((link) => link.name === longest.name)?.[key]), factor);
    const waits = (of) => (of.cells ?? []).flatMap((cell) => cell.stations ?? []).map((s) => value(s.queue_delay_p95_s) ?? 0);
    return [
      ["Goodput, all flows", "Mb/s", 1, (of) => scaled(value(of.total_goodput_bps), 1e-6)],
      ...(summary.flows.length > 1 ? [
        ["Least goodput of a flow", "Mb/s", 1, (of) => Math.min(...flows(of, "goodput_bps").map((v) => v ?? 0)) / 1e6, "each"],
        ["Jain's index of the endless flows", "", 1, (of) => value(of.jain_index)],
      ] : []),
      ["Mean round-trip time", "ms", -1, (of) => scaled(average(flows(of, "rtt_mean_s")), 1e3)],
      ["Retransmitted", "%", -1, (of) => scaled(ratio(sum(flows(of, "retransmissions")), sum(flows(of, "segments_sent"))), 100)],
      ["Retransmissions", "", -1, (of) => sum(flows(of, "retransmissions")), "counts"],
      ["Timeouts", "", -1, (of) => sum(flows(of, "timeouts")), "counts"],
      ["Fast retransmits", "", -1, (of) => sum(flows(of, "fast_retransmits")), "counts"],
      ...(sum(flows(summary, "ecn_reactions")) ? [["Reactions to ECN marks", "", 0, (of) => sum(flows(of, "ecn_reactions")), "counts"]] : []),
      ...(longest ? [
        [`Mean queue, ${longest.name}`, "packets", -1, queue("mean_queue_packets", 1)],
        ["95th percentile of its delay", "ms", -1, queue("queue_delay_p95_s", 1e3)],
        [`Loss rate, ${longest.name}`, "%", -1, queue("loss_rate", 100)],
        [`Utilisation, ${longest.name}`, "%", 0, queue("utilisation", 100)],
      ] : []),
      ...(waits(summary).length ? [["Longest 95th percentile of a queue delay", "ms", -1, (of) => 1e3 * Math.max(...waits(of)), "each"]] : []),
      ...(summary.cells ?? []).slice(0, 1).map(() => ["Medium busy", "%", 0, ({ cells: [c] }) => scaled(value((c.medium ?? c).busy_share), 100)]),
    ].map(([name, unit, better, of, kind]) => ({ name, unit, better, of, kind }));
  }

  // The rows of a run: quantities that have a value, with it and with the values of the replications.
  function rows(run) {
    return quantities(run).flatMap(({ of, ...row }) => {
      const single = run.replications.map(of);
      const mean = row.kind === "each" ? average(single) : of(run.summary);
      return mean === null || !Number.isFinite(mean) ? [] : [{ ...row, value: mean, single }];
    });
  }

  // The rows of a run beside those of the held one. `standing` says what the paired difference shows: "more", "less",
  // "equal" or "undecided"; null if there are no two replications to pair.
  async function compared(run, held) {
    const before = new Map(rows(held).map((row) => [row.name, row]));
    const paired = Math.min(run.replications.length, held.replications.length);
    const made = rows(run).map((row) => ({ ...row, old: before.get(row.name) ?? null, standing: null }));
    const known = (values) => values.every((v) => v !== null && Number.isFinite(v));
    const tested = made.filter(({ single, old }) => paired > 1 && old && known(single.slice(0, paired)) && known(old.single.slice(0, paired)));
    const pairs = tested.map(({ single, old, kind }) => ({ ours: single.slice(0, paired), theirs: old.single.slice(0, paired), counts: kind === "counts" }));
    const { differences } = await Engine.ask({ do: "differences", pairs });
    differences.forEach(({ standing }, i) => { tested[i].standing = standing; });
    return { rows: made, paired };
  }

  // The text of a change, and "good" or "bad" if the replications carry it.
  function change({ value: now, old, standing, better }) {
    if (!old) return { text: "–", tone: "" };
    const difference = now - old.value;
    const sign = difference > 0 ? "+" : "";
    const size = old.value === 0 ? `${sign}${Units.show(difference)}` : `${sign}${Units.show((100 * difference) / old.value, 2)} %`;
    const carried = (standing === "more" && difference > 0) || (standing === "less" && difference < 0);
    const tone = carried && better ? (difference * better > 0 ? "good" : "bad") : "";
    return { text: standing === "undecided" && difference !== 0 ? `~ ${size}` : difference === 0 ? "0 %" : size, tone };
  }

  // What the colours of the changes mean.
  function legend({ paired }) {
    if (paired < 2) return "With one replication, no change is marked better or worse: it may be chance. Two or more replications of both runs show whether it is.";
    return `Better (green) and worse (red) are marked only where the 95 % interval of the difference excludes zero, paired over ${paired} replications. ~ marks a difference that is not significant.`;
  }

  // Fills the body of the table. Returns its first rows as `[name, text]`, and the legend of the changes.
  async function fill(body, run, held, isCurrent) {
    const made = held ? await compared(run, held) : { rows: rows(run), paired: 0 };
    if (!isCurrent()) return null;
    const first = [];
    body.replaceChildren(...made.rows.map((row) => {
      const shown = Units.show(row.value);
      const name = make("th", { scope: "row", text: row.name, ...(row.unit ? { "data-unit": row.unit } : {}) });
      const line = make("tr", {}, name, make("td", { text: shown }), make("td", { class: "unit", text: row.unit }));
      const { text, tone } = held ? change(row) : {};
      if (held) {
        const word = { good: " better", bad: " worse" }[tone];
        const cell = make("td", { class: tone }, text, ...(word ? [make("span", { class: "spoken", text: word })] : []));
        line.append(make("td", { text: Units.show(row.old?.value) }), cell);
      }
      first.push([row.name, `${shown} ${row.unit}`, text]);
      return line;
    }));
    return { first: first.slice(0, 3), legend: held ? legend(made) : "" };
  }

  // Says in the body of the table that no replication is finished.
  function none(body) {
    body.replaceChildren(make("tr", {}, make("td", { colspan: 5, class: "nothing", text: "Nothing is finished: the run was stopped in its first replication." })));
  }
  return { fill, none };
})();
