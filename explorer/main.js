// The page: one scenario as text, its controls, its run, and a run that is held for comparison.
(async () => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const shipped = JSON.parse(Engine.kept("scenarios"));
  const COLOURS = ["series0", "series1", "series2", "series3", "series4", "series5"];
  const DEBOUNCE_MS = 60;
  const state = { text: "", name: "scenario", s: null, link: 0, result: null, held: null, registry: [], turn: 0, seed: "1" };
  // The test reads the state.
  window.explorer = state;

  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") made.textContent = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };
  const file = () => `${state.name}.toml`;
  function say(message) {
    byId("problem").hidden = !message;
    byId("problem").textContent = message ?? "";
  }
  const busy = (share) => {
    byId("progress").hidden = share === null;
    if (share !== null) byId("progress").value = share;
  };

  // ---- The text -------------------------------------------------------------------------------

  // Takes a text: shows it and its controls, and runs it; a text that cannot run stays with its error.
  async function take(text, { typed = false } = {}) {
    state.turn += 1;
    const turn = state.turn;
    state.text = text;
    if (!typed) byId("toml").value = text;
    const s = await Engine.ask({ do: "describe", text, name: file() });
    if (turn !== state.turn) return;
    if (s.error) {
      Engine.cancel();
      busy(null);
      say(s.error.message);
      document.body.dataset.state = "error";
      return;
    }
    say(null);
    Object.assign(s, { link: state.link, registry: state.registry });
    state.s = s;
    // A seed above 2^53 is exact in the text only.
    const digits = /^seed\s*=\s*(\d[\d_]*)\s*(#.*)?$/m.exec(text)?.[1].replace(/_/g, "");
    state.seed = Number.isSafeInteger(s.written.seed) ? String(s.written.seed) : digits ?? String(s.written.seed);
    byId("warnings").replaceChildren(...s.warnings.map((warning) => make("li", { text: warning })));
    show();
    run();
  }

  // Changes values of the text. If the first change is refused and there is another one, takes that. Repeats
  // the change if someone writes into the text meanwhile.
  async function change(set, otherwise) {
    const edit = async (before, pairs) => {
      const { text, error } = await Engine.ask({ do: "edit", text: before, set: pairs });
      if (error) return { error };
      return { text, ...(await Engine.ask({ do: "describe", text, name: file() })) };
    };
    let before, made;
    do {
      before = state.text;
      made = await edit(before, set);
      if (made.error && otherwise) {
        const other = await edit(before, otherwise);
        if (!other.error) made = other;
      }
    } while (before !== state.text);
    if (made.error) {
      say(made.error.message);
      show();
      document.body.dataset.state = "error";
      return;
    }
    await take(made.text);
  }

  // What waits to be done, by the control that asks for it: one after the other, and of one control the last.
  const pending = new Map();
  let timer = null;
  let active = false;
  function soon(control, act, wait = 0) {
    const others = [...pending.keys()].some((other) => other !== control);
    pending.set(control, act);
    document.body.dataset.state = "running";
    clearTimeout(timer);
    if (others) work();
    else timer = setTimeout(work, wait);
  }
  async function work() {
    clearTimeout(timer);
    if (active) return;
    active = true;
    try {
      while (pending.size) {
        const [control, act] = pending.entries().next().value;
        pending.delete(control);
        await act();
      }
    } finally {
      active = false;
    }
  }
  // Another scenario: what waits for the present one is void.
  function replace(act) {
    pending.clear();
    soon("text", act);
  }

  // ---- Controls -------------------------------------------------------------------------------

  // A slider gives most of its way to small values.
  const toSlider = (c, v) => 1000 * ((v - c.min) / (c.max - c.min)) ** (1 / c.power);
  function fromSlider(c, at) {
    const v = c.min + (c.max - c.min) * (at / 1000) ** c.power;
    const digits = v === 0 ? 0 : Number(v.toPrecision(v >= 100 ? 3 : 2));
    return Math.min(c.max, Math.max(c.min, c.step >= 1 ? Math.round(digits) : digits));
  }

  const input = (c, s, value) => {
    const act = (v, wait) => soon(c.id, () => change(c.set(v, state.s), c.otherwise?.(v, state.s)), wait);
    if (c.kind === "check") {
      const box = make("input", { type: "checkbox", id: c.id });
      box.checked = value;
      box.onchange = () => act(box.checked, 0);
      return [box, make("label", { for: c.id, text: c.label })];
    }
    const label = make("label", { for: c.id, text: c.label });
    const note = make("small", { text: c.note?.(s) ?? "", id: `${c.id}-note` });
    if (c.kind === "select") {
      const choices = c.choices(s);
      if (!choices.some(([name]) => name === value)) choices.unshift([value, value, ""]);
      const select = make("select", { id: c.id }, ...choices.map(([v, text, title]) => make("option", { value: v, text, title })));
      select.value = value;
      const described = choices.find(([name]) => name === value)?.[2];
      if (described && !c.note) note.textContent = described;
      select.onchange = () => act(select.value, 0);
      return [label, select, note];
    }
    const number = make("input", { type: "number", id: c.id, min: c.min, max: c.max, step: "any", value: Units.plain(value) });
    number.onchange = () => number.value !== "" && act(Math.max(c.min, Number(number.value)), 0);
    const field = make("span", { class: "field" }, number, make("span", { class: "unit", text: c.unit }));
    if (c.kind === "number") return [label, field, note];
    const slider = make("input", { type: "range", min: 0, max: 1000, step: 1, "aria-label": `${c.label}, slider`, tabindex: 0 });
    slider.value = toSlider(c, Math.min(Math.max(value, c.min), c.max));
    slider.oninput = () => {
      const v = fromSlider(c, Number(slider.value));
      number.value = Units.plain(v);
      slider.setAttribute("aria-valuetext", `${Units.plain(v)} ${c.unit}`);
      act(v, DEBOUNCE_MS);
    };
    slider.setAttribute("aria-valuetext", `${Units.plain(value)} ${c.unit}`);
    return [label, field, slider, note];
  };

  // Shows the controls with the values of the scenario; keeps the focus, and a slider that is dragged.
  function show() {
    const { s } = state;
    if (!s) return;
    s.link = state.link;
    const focus = document.activeElement;
    const inside = byId("controls").contains(focus);
    const dragged = inside && focus.type === "range" ? focus.closest("[data-control]").dataset.control : null;
    const groups = Controls.groups(s);
    byId("controls").replaceChildren(...groups.map((group) => {
      const box = make("fieldset", { id: `group-${group.id}` }, make("legend", { text: group.title }));
      if (group.id === "link") box.append(...choice(s));
      for (const c of group.of) {
        const value = c.get(s);
        if (value === null || value === undefined) continue;
        const kept = dragged === c.id ? byId("controls").querySelector(`[data-control="${c.id}"]`) : null;
        if (kept && c.note) kept.querySelector("small").textContent = c.note(s);
        box.append(kept ?? make("div", { class: `control ${c.kind}`, "data-control": c.id }, ...input(c, s, value)));
      }
      if (group.id === "run") box.append(seed());
      return box;
    }));
    if (dragged) focus.focus();
    else if (inside && focus.id) byId(focus.id)?.focus();
    byId("command").textContent = `airtcp run ${file()} --seed ${state.seed}`;
    byId("title").textContent = s.written.title ?? "A scenario without a title";
  }

  function seed() {
    const number = make("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]*", value: state.seed });
    number.onchange = () => /^\d+$/.test(number.value) && soon("seed", () => change([["seed", number.value]]));
    const next = make("button", { type: "button", text: "Next seed" });
    next.onclick = () => soon("seed", () => change([["seed", String(BigInt(state.seed) + 1n)]]));
    return make("div", { class: "control number" }, make("label", { for: "seed", text: "Seed" }), make("span", { class: "field" }, number, next), make("small", { text: "the same seed gives the same numbers" }));
  }

  // Which link the controls are for, if there are several.
  function choice(s) {
    const all = Controls.directions(s);
    if (all.length < 2) return [];
    const select = make("select", { id: "which" }, ...all.map((l, i) => make("option", { value: i, text: `${l.name}: ${l.from} to ${l.to}` })));
    select.value = Math.min(state.link, all.length - 1);
    select.onchange = () => { state.link = Number(select.value); show(); };
    return [make("div", { class: "control select" }, make("label", { for: "which", text: "Which link" }), select)];
  }

  // ---- Runs -----------------------------------------------------------------------------------

  function run() {
    document.body.dataset.state = "running";
    busy(0);
    const { text, turn, s } = state;
    const end_s = Units.seconds(s.written.duration);
    Engine.run(text, file(), (report) => {
      if (turn !== state.turn) return;
      if (report.error) {
        busy(null);
        say(report.error.message);
        document.body.dataset.state = "error";
        return;
      }
      busy(report.document ? null : report.progress);
      if (!report.document) {
        if (report.series) draw(report.series, end_s);
        return;
      }
      const document_ = JSON.parse(report.document);
      state.result = { text, document: report.document, run: document_, series: report.series, end_s };
      draw(report.series, end_s);
      numbers();
      const simulated = end_s * document_.replications.length;
      byId("speed").textContent = `${Units.show(simulated)} s simulated in ${Units.show(report.ms / 1e3)} s, ${document_.replications.length} replication${document_.replications.length > 1 ? "s" : ""}, seed ${state.seed}, airtcp ${document_.airtcp_version}`;
      document.body.dataset.state = "done";
    });
  }

  function numbers() {
    const held = state.held?.run ?? null;
    for (const cell of document.querySelectorAll(".held-only")) cell.hidden = !held;
    Numbers.fill(byId("numbers"), state.result.run, held);
    Numbers.fillFlows(byId("flows"), state.result.run);
    const first = [...byId("numbers").rows].slice(0, 3).map((row) => {
      const [value, unit, , change] = [...row.cells].slice(1).map((cell) => cell.textContent);
      return make("span", {}, `${row.cells[0].textContent} `, make("b", { text: `${value} ${unit}` }), change ? ` (${change})` : "");
    });
    byId("glance").replaceChildren(...first);
    byId("flow-section").hidden = state.result.run.summary.flows.length < 2;
    byId("drop").hidden = !held;
    byId("key-held").hidden = !held;
  }

  const zip = (times, values) => times.map((t, i) => [t, values[i]]);
  const rates = ({ interval_s }, bps) => bps.map((v, i) => [(i + 0.5) * interval_s, v / 1e6]);
  const busiestFirst = (queues) => [...queues].sort((a, b) => Math.max(...b.packets, 0) - Math.max(...a.packets, 0)).slice(0, 3);
  const LINES = {
    goodput: (series) => series.goodput.flows.slice(0, 6).map((f) => ({ name: f.flow, points: rates(series.goodput, f.bps) })),
    window: (series) => {
      const senders = series.windows.filter((w) => w.side === "client");
      const several = senders.length > 1;
      return senders.slice(0, 6).flatMap((w) => [
        { name: several ? w.flow : "cwnd", points: zip(w.t_s, w.cwnd_bytes.map((v) => v / 1e3)) },
        ...(several ? [] : [{ name: "ssthresh", points: zip(w.t_s, w.ssthresh_bytes.map((v) => (v === null ? null : v / 1e3))), dash: true }]),
      ]);
    },
    queue: (series) => busiestFirst(series.queues).map((q) => ({ name: q.queue, points: zip(q.t_s, q.packets) })),
    rtt: (series) => series.rtts.filter((r) => r.side === "client").slice(0, 6).map((r) => ({ name: r.flow, points: zip(r.t_s, r.rtt_s.map((v) => v * 1e3)) })),
  };
  const UNITS = { goodput: "Mb/s", window: "kB", queue: "packets", rtt: "ms" };

  function draw(series, end_s) {
    for (const name of Object.keys(LINES)) {
      const lines = LINES[name](series).map((line, i) => ({ ...line, colour: COLOURS[i % COLOURS.length] }));
      const within = (line) => ({ ...line, points: line.points.filter(([t]) => t <= end_s) });
      const held = state.held ? LINES[name](state.held.series).filter((line) => !line.dash).map(within) : [];
      const marks = name === "window" ? [
        ...series.fast_retransmits.map(([, t]) => ({ t, kind: "fast" })),
        ...series.timeouts.map(([, t]) => ({ t, kind: "timeout" })),
      ].slice(0, 400) : [];
      const figure = byId(`figure-${name}`);
      const stepped = name !== "goodput";
      Charts.draw(figure.querySelector(".canvas"), { title: figure.querySelector("h3").textContent, unit: UNITS[name], lines, held, marks, end_s, stepped });
      figure.querySelector(".key").replaceChildren(...lines.map((line) => make("span", { class: line.dash ? "dash" : "" }, make("i", { style: `border-color:var(--${line.colour})` }), line.name)));
    }
  }

  // ---- Start, files, links --------------------------------------------------------------------

  // Shipped scenarios run once, for a time that gives an answer at once.
  async function ship(name) {
    const s = await Engine.ask({ do: "describe", text: shipped[name], name });
    const set = [["replications", "1"]];
    if (Units.seconds(s.written.duration) > 60) set.push(["duration", '"60 s"']);
    if (s.cells.length && Units.seconds(s.written.duration) > 12) {
      set.push(["duration", '"12 s"']);
      if (Units.seconds(s.written.warmup) > 2) set.push(["warmup", '"2 s"']);
    }
    const { text } = await Engine.ask({ do: "edit", text: shipped[name], set });
    state.name = name;
    state.link = 0;
    await take(text);
  }

  async function open(text, name) {
    const opened = await Engine.ask({ do: "open", text });
    byId("preset").value = "";
    state.link = 0;
    if (name) state.name = name;
    if (opened.error) {
      state.text = text;
      say(opened.error.message);
      document.body.dataset.state = "error";
      return;
    }
    await take(opened.text);
  }

  async function openFile(given) {
    try {
      const plain = given.name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "-") || "scenario";
      await open(await Files.ofFile(given), plain);
    } catch (error) {
      say(error.message);
      document.body.dataset.state = "error";
    }
  }

  async function fromAddress() {
    try {
      const text = await Files.ofAddress(location.hash);
      if (text === null) return false;
      await open(text, "scenario");
    } catch (error) {
      say(`the link holds no scenario: ${error.message}`);
      document.body.dataset.state = "error";
    }
    return true;
  }

  function wire() {
    const preset = byId("preset");
    const named = (name) => /^title\s*=\s*"(.*)"/m.exec(shipped[name])?.[1] ?? name;
    const group = (label, names) => make("optgroup", { label }, ...names.map((name) => make("option", { value: name, text: named(name) })));
    const cells = Object.keys(shipped).filter((name) => shipped[name].includes("[[cells]]"));
    const links = Object.keys(shipped).filter((name) => !cells.includes(name));
    preset.append(make("option", { value: "", text: "own scenario", disabled: "" }), group("Links", links), group("802.11 cells", cells));
    preset.onchange = () => replace(() => ship(preset.value));
    const toml = byId("toml");
    toml.oninput = () => {
      state.text = toml.value;
      soon("text", () => take(toml.value, { typed: true }), 400);
    };
    byId("save").onclick = () => Files.save(file(), state.text, "application/toml");
    byId("save-run").onclick = () => state.result && Files.save("run.json", state.result.document, "application/json");
    byId("file").onchange = ({ target }) => { const [chosen] = target.files; if (chosen) replace(() => openFile(chosen)); };
    byId("hold").onclick = () => { state.held = state.result; if (state.result) { draw(state.result.series, state.result.end_s); numbers(); } };
    byId("drop").onclick = () => { state.held = null; draw(state.result.series, state.result.end_s); numbers(); };
    byId("restore").onclick = () => state.held && replace(() => take(state.held.text));
    byId("copy").onclick = () => navigator.clipboard?.writeText(byId("command").textContent);
    byId("share").onclick = async () => {
      const address = `${location.href.split("#")[0]}#s=${await Files.pack(state.text)}`;
      history.replaceState(null, "", address);
      navigator.clipboard?.writeText(address).catch(() => {});
      byId("shared").textContent = "The address of this page now holds the scenario.";
    };
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => replace(fromAddress));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => { event.preventDefault(); const [dropped] = event.dataTransfer.files; if (dropped) replace(() => openFile(dropped)); });
    const scheme = byId("scheme");
    const paint = (name) => { document.documentElement.dataset.scheme = name; scheme.textContent = name === "dark" ? "Light" : "Dark"; };
    let kept = null;
    try { kept = localStorage.getItem("airtcp-scheme"); } catch { /* no storage here */ }
    const dark = kept === null ? matchMedia("(prefers-color-scheme: dark)").matches : kept === "dark";
    paint(dark ? "dark" : "light");
    scheme.onclick = () => {
      paint(document.documentElement.dataset.scheme === "dark" ? "light" : "dark");
      try { localStorage.setItem("airtcp-scheme", document.documentElement.dataset.scheme); } catch { /* kept for this page only */ }
    };
  }

  wire();
  try {
    await Engine.start();
  } catch (error) {
    say(`This browser cannot start the simulator (${error.message}). A browser of 2023 or later can.`);
    document.body.dataset.state = "error";
    return;
  }
  state.registry = (await Engine.ask({ do: "about" })).registry;
  if (!(await fromAddress())) {
    byId("preset").value = "bursty-link";
    await ship("bursty-link");
  }
})();
