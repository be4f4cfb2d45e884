// A section that shows one of many things: a reader chooses it in the list, in a row of a table, or at
// a dot of a chart. The things are packed in groups; a group is unpacked when one of it is chosen.
"use strict";
const Items = (() => {
  const { payload, figures, Figure, byId, element } = Page;
  const { items } = payload;
  const groups = [];
  let current = -1;

  async function itemOf(index) {
    const group = Math.floor(index / items.group);
    groups[group] ??= Page.unpack(items.packed[group]);
    return (await groups[group])[index % items.group];
  }

  function describe(part, item) {
    const place = (name) => part.querySelector(`[data-${name}]`);
    place("name").textContent = items.names[current];
    place("about").textContent = item.about;
    place("notes").replaceChildren(...item.notes.map((note) => element("li", note)));
    place("facts").hidden = !item.facts.length;
    place("facts").replaceChildren(...item.facts.map(([name, value]) => {
      const row = element("div");
      row.append(element("dt", name), element("dd", value));
      return row;
    }));
    place("grid").parentElement.hidden = !item.grid;
    const head = element("tr");
    head.append(...item.heads.map((text) => element("th", text, { scope: "col" })));
    place("grid").replaceChildren(head, ...(item.grid ? Tables.rows(item.grid) : []));
    if (place("choice")) place("choice").value = String(current);
  }

  function draw(figure, [heading, data]) {
    const { node } = figure;
    figure.fill(data);
    node.hidden = !heading;
    if (!heading) node.dataset.drawn = "empty";
    else if (node.dataset.drawn === "empty") delete node.dataset.drawn;
    if (heading) node.querySelector("h3").textContent = heading;
    figure.draw();
  }

  async function choose(index, scroll = false) {
    current = index;
    const item = await itemOf(index);
    if (current !== index) return;
    const part = byId(items.id);
    describe(part, item);
    for (const name of items.plots) draw(figures.get(name), item.plots[name] ?? ["", {}]);
    Figure.chosen = index;
    for (const figure of figures.values()) figure.mark();
    for (const row of document.querySelectorAll("tr[data-pick]")) {
      row.setAttribute("aria-selected", String(row.dataset.pick === String(index)));
    }
    if (scroll) {
      part.open = true;
      part.scrollIntoView();
    }
    if (items.names.length > 1) history.replaceState(null, "", `#${items.id}-${index}`);
    document.documentElement.dataset.item = String(index);
  }

  async function start() {
    if (!items) return;
    const total = items.names.length;
    const part = byId(items.id);
    for (const figure of figures.values()) {
      if (payload.charts[figure.name].params?.some((one) => one.name === "chosen")) {
        figure.onpick = (index) => choose(index, true);
      }
    }
    const choice = part.querySelector("[data-choice]");
    choice?.append(...items.names.map((name, index) => element("option", name, { value: String(index) })));
    choice?.addEventListener("change", () => choose(Number(choice.value)));
    for (const button of part.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => choose((current + Number(button.dataset.step) + total) % total));
    }
    document.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-pick]");
      if (row) choose(Number(row.dataset.pick), true);
    });
    const asked = location.hash.startsWith(`#${items.id}-`) ? Number(location.hash.slice(items.id.length + 2)) : NaN;
    const known = Number.isInteger(asked) && asked >= 0 && asked < total;
    await choose(known ? asked : items.first, known);
  }
  return { start };
})();
