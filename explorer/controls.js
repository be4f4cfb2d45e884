// The controls: which value of the scenario each shows, and which values of the text it sets.
// `get` returns the value, or null if the control does not apply; `set` returns pairs of path and TOML text
// (null removes a key). `s` is the description of the scenario, with the number `link` of the chosen link.
const Controls = (() => {
  const { seconds, bps, plain, timeText, rateText } = Units;
  const PACKET_BITS = 12000;

  // The directions that the page can change: one for each description of a link.
  function directions(s) {
    const found = new Map();
    for (const link of s.links) {
      const base = link.path.replace(/\.forward$/, "");
      if (/reverse|access$/.test(base) || found.has(base)) continue;
      const back = s.links.find((other) => other.from === link.to && other.to === link.from);
      found.set(base, { ...link, base, back, d: link.direction });
    }
    return [...found.values()];
  }
  const chosen = (s) => directions(s)[Math.min(s.link ?? 0, directions(s).length - 1)];
  const written = (s, path) =>
    path.split(/[.[\]]+/).filter(Boolean).reduce((at, key) => at?.[key], s.written);
  const cell = (s) => s.written.cells?.[0];
  const each = (s, key, value, when = () => true) =>
    s.written.flows.flatMap((flow, i) => (when(flow) ? [[`flows[${i}].${key}`, value]] : []));
  const quoted = (text) => JSON.stringify(text);
  const table = (pairs) =>
    `{ ${Object.entries(pairs).filter(([, v]) => v !== undefined).map(([k, v]) => `${k} = ${v}`).join(", ")} }`;
  const registered = (family) => (s) =>
    s.registry.filter((e) => e.family === family).map((e) => [e.name, e.name, e.description]);

  // Mean loss and burst length of a loss model, or null for models that the page does not change.
  function losses({ d }) {
    const { loss } = d;
    const packet = bps(d.rate) ? PACKET_BITS / bps(d.rate) : seconds(d.slot) ?? 1.2e-3;
    if (loss.model === "none") return { mean: 0, burst: 1, slot: packet };
    if (loss.model === "bernoulli") return { mean: loss.probability, burst: 1, slot: packet };
    const simple = loss.model === "gilbert-elliott" && loss.mean_loss !== undefined && loss.mean_burst !== undefined;
    if (!simple || loss.stepping === "packet") return null;
    return { mean: loss.mean_loss, burst: loss.mean_burst, slot: seconds(loss.slot) ?? packet };
  }
  function lossText(mean, burst, slot) {
    const p = /[.e]/.test(plain(mean)) ? plain(mean) : `${plain(mean)}.0`;
    if (mean === 0) return table({ model: quoted("none") });
    if (burst <= 1) return table({ model: quoted("bernoulli"), probability: p });
    return table({ model: quoted("gilbert-elliott"), mean_loss: p, mean_burst: plain(burst), slot: quoted(timeText(slot)) });
  }

  // The queue of the access point; a cell as written may have none, as resolved it has the default.
  const accessQueue = (s) => { const own = s.scenario.cells[0]; return own.access_point_queue ?? own.queue; };

  // The limit of a queue in packets, or null for one that only has a limit in bytes.
  const limit = (queue) => queue[lengthKey(queue)] ?? (queue.bytes === undefined || queue.bytes === null ? 100 : null);
  const PACKETS = ["drop-tail", "ack-filter", "per-station", "tbf"];
  const lengthKey = (queue) => (PACKETS.includes(queue.kind) ? "packets" : "limit");
  const MARKS = ["red", "codel", "fq-codel", "pie"];
  function queueText(kind, packets, ecn) {
    const length = Math.round(packets);
    const q = { kind: quoted(kind), [lengthKey({ kind })]: length };
    if (kind === "red" || kind === "jersey") q.limit = length;
    if (kind === "red") Object.assign(q, { min: plain(Math.max(length / 4, 1)), max: plain(Math.max(length * 0.9, 2)) });
    if (kind === "jersey") delete q.packets;
    if (ecn && MARKS.includes(kind)) q.ecn = true;
    return table(q);
  }

  // A queue whose kind stays keeps its other parameters.
  const lengthSet = (path, queue, packets) => [[`${path}.${lengthKey(queue)}`, String(Math.round(packets))]];

  const PROTOCOLS = [
    ["none", "None", "each packet is sent once"],
    ["ll-arq", "LL-ARQ, whole frames", "retransmits whole frames on the link"],
    ["selective", "LL-ARQ, fragments", "retransmits the fragments that are missing"],
    ["ll-harq", "LL-HARQ", "parity with each frame, more on request"],
  ];
  const PROTOCOL_TEXT = {
    none: null,
    "ll-arq": '{ kind = "ll-arq" }',
    selective: '{ kind = "ll-arq", arq = "selective" }',
    "ll-harq": '{ kind = "ll-harq" }',
  };
  const SCHEMES = ["ftca", "tap", "same-category", "leith-clifford", "dcf+", "auto-zoom", "snoop", "split-tcp", "ack-agent"];
  const stationsOf = (layout) => (typeof layout?.stations === "number" ? layout.stations : null);
  const radius = (layout) => (layout.radius_m !== undefined ? "radius_m" : layout.spacing_m !== undefined ? "spacing_m" : null);

  const LINK = [
    {
      id: "loss", label: "Mean loss", unit: "%", kind: "range", min: 0, max: 40, most: 100, step: 0.001,
      get: (s) => { const l = losses(chosen(s)); return l && l.mean * 100; },
      set: (v, s) => { const l = losses(chosen(s)); return [[`${chosen(s).base}.loss`, lossText(v / 100, l.burst, l.slot)]]; },
    },
    {
      id: "burst", label: "Mean burst", unit: "slots", kind: "range", min: 1, max: 500, step: 1,
      get: (s) => { const l = losses(chosen(s)); return l && l.mean > 0 ? l.burst : null; },
      set: (v, s) => { const l = losses(chosen(s)); return [[`${chosen(s).base}.loss`, lossText(l.mean, v, l.slot)]]; },
      note: (s) => { const l = losses(chosen(s)); return l.burst > 1 ? `${Units.show(l.burst * l.slot * 1e3)} ms` : "independent losses"; },
    },
    {
      id: "rtt", label: "Round-trip delay", unit: "ms", kind: "range", min: 0, max: 1000, step: 0.1,
      get: (s) => { const { d, back } = chosen(s); return 1e3 * (seconds(d.delay) + seconds((back?.direction ?? d).delay)); },
      set: (v, s) => {
        const { base } = chosen(s);
        const half = quoted(timeText(v / 2e3));
        const reverse = base.startsWith("topology") ? "topology.reverse" : `${base}.reverse`;
        const own = written(s, `${reverse}.delay`) !== undefined;
        return [[`${base}.delay`, half], ...(own ? [[`${reverse}.delay`, half]] : [])];
      },
      note: () => "of the link, without queues",
    },
    {
      id: "rate", label: "Rate", unit: "Mb/s", kind: "range", min: 0.1, max: 1000, step: 0.01,
      get: (s) => { const rate = bps(chosen(s).d.rate); return rate && rate / 1e6; },
      set: (v, s) => [[`${chosen(s).base}.rate`, quoted(rateText(v * 1e6))]],
    },
    {
      id: "queue", label: "Queue limit", unit: "packets", kind: "range", min: 2, max: 5000, step: 1,
      get: (s) => limit(chosen(s).d.queue),
      set: (v, s) => lengthSet(`${chosen(s).base}.queue`, chosen(s).d.queue, v),
      // The text has no queue yet.
      otherwise: (v, s) => { const q = chosen(s).d.queue; return [[`${chosen(s).base}.queue`, queueText(q.kind, v, q.ecn)]]; },
      note: (s) => { const { d } = chosen(s); const rate = bps(d.rate); return rate ? `${Units.show((limit(d.queue) ?? 0) * PACKET_BITS / rate * 1e3)} ms when full` : ""; },
    },
    {
      id: "aqm", label: "Queue discipline", kind: "select", choices: (s) => registered("queue")(s).filter(([name]) => !["airtime-fair", "per-station", "tbf"].includes(name)),
      get: (s) => chosen(s).d.queue.kind,
      set: (v, s) => { const q = chosen(s).d.queue; return [[`${chosen(s).base}.queue`, queueText(v, limit(q) ?? 100, q.ecn)]]; },
    },
    {
      id: "ecn", label: "ECN: mark, do not drop", kind: "check",
      get: (s) => { const q = chosen(s).d.queue; return MARKS.includes(q.kind) ? Boolean(q.ecn) : null; },
      set: (v, s) => [[`${chosen(s).base}.queue.ecn`, String(v)], ...each(s, "tcp.ecn", String(v))],
    },
    {
      id: "protocol", label: "Link protocol", kind: "select", choices: () => PROTOCOLS,
      get: (s) => { const p = chosen(s).d.protocol ?? { kind: "none" }; return p.kind === "ll-arq" && p.arq === "selective" ? "selective" : p.kind; },
      set: (v, s) => [[`${chosen(s).base}.protocol`, PROTOCOL_TEXT[v]]],
    },
  ];

  const CELL = [
    {
      id: "stations", label: "Stations", unit: "", kind: "range", min: 1, max: 50, step: 1,
      get: (s) => stationsOf(cell(s).layout),
      set: (v, s) => {
        const before = stationsOf(cell(s).layout);
        const prefix = `${cell(s).prefix ?? "sta"}*`;
        const counts = s.written.flows.flatMap((f, i) =>
          (f.from === prefix || f.to === prefix) && (f.count === before || f.count > v) ? [[`flows[${i}].count`, String(v)]] : []);
        return [["cells[0].layout.stations", String(v)], ...counts];
      },
    },
    {
      id: "phy", label: "Data rate", kind: "select", choices: (s) => s.cells[0].rates.map((rate) => [rate, rate, ""]),
      get: (s) => cell(s).rate ?? s.cells[0].rates.at(-1),
      set: (v) => [["cells[0].rate", quoted(v)], ["cells[0].mcs", null]],
    },
    {
      id: "control", label: "Rate control", kind: "select", choices: (s) => registered("rate-control")(s).filter(([name]) => name !== "chain" && s.cells[0].rate_controls.includes(name)),
      get: (s) => cell(s).rate_control.control,
      // The receiver's choice of rate travels in the CTS.
      set: (v) => [["cells[0].rate_control", table({ control: quoted(v) })], ...(v === "rbar" ? [["cells[0].mac.rts_threshold", quoted("0 B")]] : [])],
    },
    {
      id: "frameloss", label: "Frame loss beside collisions", unit: "%", kind: "range", min: 0, max: 60, most: 100, step: 0.5,
      get: (s) => 100 * cell(s).residual_error,
      set: (v) => [["cells[0].residual_error", quoted(`${plain(v)} %`)]],
    },
    {
      id: "distance", label: "Distance", unit: "m", kind: "range", min: 1, max: 200, step: 1,
      get: (s) => { const key = radius(cell(s).layout); return key && cell(s).layout[key]; },
      set: (v, s) => [[`cells[0].layout.${radius(cell(s).layout)}`, plain(v)]],
    },
    {
      id: "cellqueue", label: "Queue limit of the access point", unit: "packets", kind: "range", min: 2, max: 2000, step: 1,
      get: (s) => limit(accessQueue(s)),
      set: (v, s) => lengthSet("cells[0].access_point_queue", accessQueue(s), v),
      otherwise: (v, s) => { const q = accessQueue(s); return [["cells[0].access_point_queue", queueText(q.kind, v, q.ecn)]]; },
    },
    {
      id: "cellaqm", label: "Queue discipline of the access point", kind: "select", choices: (s) => registered("queue")(s).filter(([name]) => name !== "tbf"),
      get: (s) => accessQueue(s).kind,
      set: (v, s) => { const q = accessQueue(s); return [["cells[0].access_point_queue", queueText(v, limit(q) ?? 100, q.ecn)]]; },
    },
    {
      id: "rts", label: "RTS and CTS before every packet", kind: "check",
      get: (s) => cell(s).mac.rts_threshold !== undefined && cell(s).mac.rts_threshold !== null,
      set: (v) => [["cells[0].mac.rts_threshold", v ? quoted("0 B") : null]],
    },
    {
      id: "scheme", label: "Scheme", kind: "select",
      choices: (s) => [["none", "none", "the access of the standard"], ["edca", "edca", "access categories, no scheme"], ...registered("scheme")(s).filter(([name]) => SCHEMES.includes(name))],
      get: (s) => (cell(s).schemes ?? [])[0]?.scheme ?? (cell(s).mac.access === "edca" ? "edca" : "none"),
      // A scheme that the access of the cell cannot act on is tried with access categories.
      set: (v) => {
        if (v === "none") return [["cells[0].schemes", null], ["cells[0].mac.access", quoted("dcf")]];
        if (v === "edca") return [["cells[0].schemes", null], ["cells[0].mac.access", quoted("edca")]];
        return [["cells[0].schemes", `[{ scheme = ${quoted(v)} }]`]];
      },
      otherwise: (v) =>
        // A cell with other keys of EDCA keeps its access.
        v === "none" || v === "edca" ? [["cells[0].schemes", null]]
          : [["cells[0].schemes", `[{ scheme = ${quoted(v)} }]`], ["cells[0].mac.access", quoted("edca")]],
    },
  ];

  const coded = (flow) => flow.transport === "tcp" || flow.transport === "lt-tcp" || flow.transport === "sliding";
  const TCP = [
    {
      id: "transport", label: "Transport", kind: "select",
      choices: () => [["tcp", "TCP", ""], ["lt-tcp", "LT-TCP", "TCP with erasure coding"], ["sliding", "Sliding code", "sliding-window erasure coding"]],
      get: (s) => s.written.flows.find(coded)?.transport ?? null,
      set: (v, s) => each(s, "transport", quoted(v), coded),
    },
    {
      id: "law", label: "Congestion law", kind: "select", choices: registered("congestion"),
      get: (s) => { const f = s.written.flows.find(coded); return f && f.transport !== "sliding" ? f.tcp.congestion.law : null; },
      set: (v, s) => each(s, "tcp.congestion", quoted(v), coded),
    },
    {
      id: "profile", label: "TCP parameters", kind: "select",
      choices: (s) => [["", "as written", ""], ...registered("tcp-profile")(s)],
      get: (s) => { const f = s.written.flows.find(coded); return f && f.transport !== "sliding" ? "" : null; },
      set: (v, s) => (v ? each(s, "tcp", quoted(v), coded) : []),
      note: () => "replaces all TCP keys by a profile",
    },
    {
      id: "recovery", label: "Loss recovery", kind: "select", choices: registered("recovery"),
      get: (s) => { const f = s.written.flows.find(coded); return f && f.transport === "tcp" ? f.tcp.recovery : null; },
      set: (v, s) => { const sack = v.startsWith("sack"); return [...each(s, "tcp.recovery", quoted(v), coded), ...each(s, "tcp.sack", String(sack), coded)]; },
    },
  ];

  const RUN = [
    { id: "duration", label: "Simulated time", unit: "s", kind: "number", min: 0.1, max: 3600, step: "any", get: (s) => seconds(s.written.duration), set: (v) => [["duration", quoted(timeText(v))]] },
    { id: "replications", label: "Replications", unit: "", kind: "number", min: 1, max: 100, step: 1, get: (s) => s.written.replications, set: (v) => [["replications", String(Math.round(v))]] },
  ];

  // The groups of controls that a scenario has.
  const groups = (s) => [
    ...(directions(s).length ? [{ id: "link", title: "Link", of: LINK }] : []),
    ...(cell(s) ? [{ id: "cell", title: "802.11 cell", of: CELL }] : []),
    { id: "tcp", title: "TCP", of: TCP },
    { id: "run", title: "Run", of: RUN },
  ];
  return { groups, directions };
})();
