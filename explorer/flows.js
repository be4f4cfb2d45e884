// The flows of the charts: which are shown, in which colours, and the table of all flows.
//
// A shown flow has a slot, which gives its colour and dashes in every chart. The slot stays while the flow is shown,
// also over runs.
const Flows = (() => {
  const { byId, make } = Elements;
  const COLOURS = 6;
  // More flows cannot be told apart: each colour solid, dashed and dotted.
  const MOST = 3 * COLOURS;
  const FIRST = 6;
  const MOST_ROWS = 1000;

  let names = [];
  // The name in each slot, or null; null as a whole until someone chooses.
  let slots = null;
  let changed = () => {};

  const first = () => names.slice(0, FIRST);
  const known = (list) => { const all = new Set(names); return list.map((name) => (all.has(name) ? name : null)); };
  // The slots with flows of this scenario. If it has none of the chosen flows, its first flows.
  function filled() {
    const chosen = slots ? known(slots) : first();
    return slots?.length && slots.some((name) => name !== null) && chosen.every((name) => name === null) ? first() : chosen;
  }
  const shown = () => filled().filter((name) => name !== null);
  const style = (slot) => ({ colour: `series${slot % COLOURS}`, dash: Math.floor(slot / COLOURS) % 3 });
  // The shown flows with their colours and dashes.
  const lines = () => filled().flatMap((name, slot) => (name === null ? [] : [{ name, ...style(slot) }]));

  // Sets the flows of the scenario; a new scenario (`fresh`) begins with its first flows.
  function scenario(all, { fresh }) {
    if (fresh) slots = null;
    const same = all.length === names.length && all.every((name, i) => name === names[i]);
    names = all;
    if (!same || fresh) build();
  }

  function choose(list) {
    slots = list;
    paint();
    changed();
  }
  function toggle(name, on) {
    const now = [...filled()];
    if (on) {
      const free = now.indexOf(null);
      if (free < 0) now.push(name);
      else now[free] = name;
    } else {
      now[now.indexOf(name)] = null;
    }
    choose(now);
  }

  // The check boxes, one for each flow.
  function build() {
    byId("flow-choice").hidden = names.length < 2;
    byId("flow-filter").hidden = names.length <= 2 * FIRST;
    byId("flow-filter").value = "";
    byId("flow-boxes").replaceChildren(...names.map((name) => {
      const box = make("input", { type: "checkbox", value: name });
      box.onchange = () => toggle(name, box.checked);
      return make("label", { title: name }, box, make("i"), make("span", { text: name }));
    }));
    paint();
  }

  function paint() {
    const styles = new Map(lines().map((line) => [line.name, line]));
    const full = styles.size >= MOST;
    for (const label of byId("flow-boxes").children) {
      const box = label.querySelector("input");
      const line = styles.get(box.value);
      box.checked = Boolean(line);
      box.disabled = full && !line;
      label.querySelector("i").className = line ? `dash${line.dash}` : "";
      label.querySelector("i").style.borderColor = line ? `var(--${line.colour})` : "transparent";
    }
    byId("flow-count").textContent = `${styles.size} of ${names.length} shown`;
    byId("flow-full").hidden = !full || names.length <= MOST;
  }

  function filter(text) {
    const part = text.trim().toLowerCase();
    for (const label of byId("flow-boxes").children) label.hidden = !label.title.toLowerCase().includes(part);
  }

  // Wires the choice; `tell` is called after each change, and `slowest` gives the names by goodput, or null.
  function wire(tell, slowest) {
    changed = tell;
    byId("flow-first").textContent = `First ${FIRST}`;
    byId("flow-slowest").textContent = `Slowest ${FIRST}`;
    byId("flow-full").textContent = `At most ${MOST} flows at a time.`;
    byId("flow-first").onclick = () => choose(first());
    byId("flow-slowest").onclick = () => { const order = slowest(); if (order) choose(order.slice(0, FIRST)); };
    byId("flow-none").onclick = () => choose([]);
    byId("flow-filter").oninput = ({ target }) => filter(target.value);
  }

  // Fills the table of flows.
  function table(body, { summary }) {
    const cell = (text) => make("td", { text });
    const rows = summary.flows.slice(0, MOST_ROWS).map((flow) => {
      const value = (key, factor = 1) => { const mean = flow[key]?.mean ?? null; return cell(Units.show(mean === null ? null : mean * factor)); };
      const name = make("th", { scope: "row", text: flow.name });
      return make("tr", {}, name, value("goodput_bps", 1e-6), value("rtt_mean_s", 1e3), value("retransmission_ratio", 100), value("timeouts"), value("fast_retransmits"));
    });
    const more = summary.flows.length - rows.length;
    if (more > 0) rows.push(make("tr", {}, make("td", { colspan: 6, text: `${more} more flows are in run.json.` })));
    body.replaceChildren(...rows);
  }
  return { scenario, shown, lines, style, wire, table };
})();
