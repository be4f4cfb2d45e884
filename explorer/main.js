// The page: one scenario as text, its controls, files and links.
(async () => {
  "use strict";
  const { byId, make } = Elements;
  const { state, file, say, enter, mark, fail, abandon, run, stop, hold, numbers, draw, choose, command } = Runs;
  const shipped = JSON.parse(Engine.kept("scenarios"));
  // The values of each control in this scenario; a scenario that is opened is fresh.
  const values = new Map();
  let fresh = true;

  // ---- The text -------------------------------------------------------------------------------

  // Takes a text: shows it and its controls, and runs it; a text that cannot run stays with its error.
  async function take(text, { typed = false } = {}) {
    state.turn += 1;
    const turn = state.turn;
    state.text = text;
    if (!typed) byId("toml").value = text;
    mark();
    const s = await Engine.ask({ do: "describe", text, name: file() });
    if (turn !== state.turn) return;
    if (s.error) {
      Engine.cancel();
      abandon();
      fail(s.error.message);
      return;
    }
    say(null);
    Object.assign(s, { link: state.link, registry: state.registry });
    state.s = s;
    if (fresh) values.clear();
    Flows.scenario(s.flows.map((flow) => flow.name), { fresh });
    fresh = false;
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
      show();
      fail(made.error.message);
      return;
    }
    await take(made.text);
  }

  // What waits to be done, by the control that asks for it: one after the other, and of one control the last.
  const pending = new Map();
  let timer = null;
  let active = false;
  state.isBusy = () => pending.size > 0 || active;
  function soon(control, act, wait = 0) {
    const others = [...pending.keys()].some((other) => other !== control);
    pending.set(control, act);
    enter("running");
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

  // The values that a control has had in this scenario: stops of its slider.
  function seen(c, value) {
    const key = `${c.id} ${state.link}`;
    if (!values.has(key)) values.set(key, new Set());
    return [...values.get(key).add(Number(Units.plain(value)))];
  }
  const input = (c, s, value) => {
    const act = (v, wait) => soon(c.id, () => change(c.set(v, state.s), c.otherwise?.(v, state.s)), wait);
    return Fields.of(c, s, value, c.kind === "range" ? seen(c, value) : [], act);
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
    command();
    byId("title").textContent = (s.written.title ?? "A scenario without a title").replace(/(\d) (?=%)/g, "$1\u00a0");
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
    fresh = true;
    await take(text);
  }

  async function open(text, name) {
    const opened = await Engine.ask({ do: "open", text });
    byId("preset").value = "";
    state.link = 0;
    fresh = true;
    if (name) state.name = name;
    if (opened.error) {
      state.text = text;
      fail(opened.error.message);
      return;
    }
    await take(opened.text);
  }

  async function openFile(given) {
    try {
      const plain = given.name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "-") || "scenario";
      await open(await Files.ofFile(given), plain);
    } catch (error) {
      fail(error.message);
    }
  }

  async function fromAddress() {
    try {
      const text = await Files.ofAddress(location.hash);
      if (text === null) return false;
      await open(text, "scenario");
    } catch (error) {
      fail(`the link holds no scenario: ${error.message}`);
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
      mark();
      soon("text", () => take(toml.value, { typed: true }), 400);
    };
    byId("save").onclick = () => Files.save(file(), state.text, "application/toml");
    byId("save-run").onclick = () => state.result?.document && Files.save("run.json", state.result.document, "application/json");
    byId("file").onchange = ({ target }) => { const [chosen] = target.files; if (chosen) replace(() => openFile(chosen)); };
    byId("hold").onclick = hold;
    byId("drop").onclick = () => { state.held = null; draw(); numbers(); };
    byId("stop").onclick = stop;
    byId("again").onclick = () => replace(() => take(state.text, { typed: true }));
    addEventListener("keydown", (event) => { if (event.key === "Escape") stop(); });
    Flows.wire(choose, () => state.result?.run && [...state.result.run.summary.flows].sort((a, b) => (a.goodput_bps.mean ?? 0) - (b.goodput_bps.mean ?? 0)).map((flow) => flow.name));
    let width = innerWidth;
    addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(); } });
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
    fail(`This browser cannot start the simulator (${error.message}). A browser of 2023 or later can.`);
    return;
  }
  state.registry = (await Engine.ask({ do: "about" })).registry;
  if (!(await fromAddress())) {
    byId("preset").value = "bursty-link";
    await ship("bursty-link");
  }
})();
