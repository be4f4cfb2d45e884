// What every page of airtcp shares: the colour scheme, drawing, saving, small tables.
// `airtcpVega` comes from the Vega-Lite library, which stands in the page before this.
"use strict";
const Page = (() => {
  const root = document.documentElement;
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const media = matchMedia("(prefers-color-scheme: dark)");
  const figures = new Map();
  let choice = root.dataset.chosen ?? "auto";

  const byId = (id) => document.getElementById(id);
  const scheme = () => (choice === "auto" ? (media.matches ? "dark" : "light") : choice);

  // Elements are made with text, never with markup: names come from files.
  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  // What `packed` of `pages/sent.py` encoded; small values stand in the page as they are.
  async function unpack(text) {
    if (typeof text !== "string") return text;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const look = (name) => ({ charts: payload.charts, config: payload.config, colours: payload.colours[name] });

  function rowsOf(sent) {
    if (Array.isArray(sent)) return sent;
    const keys = Object.keys(sent);
    return sent[keys[0]].map((_, i) => Object.fromEntries(keys.map((key) => [key, sent[key][i]])));
  }

  // One figure of the page: which chart it shows, with which data; drawn when it is near.
  class Figure {
    constructor(node) {
      this.node = node;
      this.name = node.dataset.chart;
      this.chart = node.querySelector("[data-view]")?.dataset.view ?? this.name;
      this.data = () => ({});
      this.rows = () => [];
      this.near = false;
      this.turn = 0;
      for (const button of node.querySelectorAll("[data-view]")) {
        button.addEventListener("click", () => {
          this.chart = button.dataset.view;
          for (const other of node.querySelectorAll("[data-view]")) {
            other.setAttribute("aria-pressed", String(other === button));
          }
          this.draw();
        });
      }
      for (const button of node.querySelectorAll("[data-save]")) {
        button.addEventListener("click", () => this.save(button.dataset.save));
      }
    }

    // Takes rows, or columns that name each field once; the first are those of the CSV file.
    fill(data) {
      const rows = Object.fromEntries(Object.entries(data).map(([name, sent]) => [name, rowsOf(sent)]));
      const first = Object.values(rows)[0] ?? [];
      this.data = () => (first.length ? rows : { empty: "There is nothing to draw." });
      this.rows = () => first;
    }

    async draw() {
      if (!this.near) return;
      const turn = ++this.turn;
      const canvas = this.node.querySelector(".canvas");
      const data = this.data();
      this.node.hidden = data.empty !== undefined;
      if (data.empty) {
        this.view?.finalize();
        this.view = null;
        canvas.replaceChildren(element("p", data.empty, { class: "empty" }));
        this.node.dataset.drawn = "empty";
        return;
      }
      // In a part that was folded again: the figure waits until it is seen.
      if (!canvas.clientWidth) {
        this.near = false;
        return;
      }
      const { spec, config } = Picture.complete(this.chart, data, canvas.clientWidth, look(scheme()));
      const rows = Object.values(data).reduce((sum, d) => sum + d.length, 0);
      const made = await airtcpVega.embed(canvas, spec, {
        config,
        actions: false,
        // Expressions are interpreted: the policy of the page lets no text become a script.
        ast: true,
        renderer: rows > 3000 ? "canvas" : "svg",
        tooltip: { theme: "custom" },
      });
      if (turn !== this.turn) return made.finalize();
      this.view?.finalize();
      this.view = made.view;
      this.finalize = made.finalize;
      this.ondrawn?.(this.view);
      if (this.onpick) {
        this.view.addEventListener("click", (_, item) => {
          if (item?.datum?.index !== undefined) this.onpick(item.datum.index);
        });
      }
      this.mark();
      this.node.dataset.drawn = this.chart;
    }

    // Rings the chosen link, where the chart has such a ring.
    mark() {
      if (this.view && Figure.chosen >= 0 && this.onpick) {
        this.view.signal("chosen", Figure.chosen).runAsync();
      }
    }

    async save(kind) {
      const name = `airtcp-${this.chart}`;
      if (kind === "csv") return download(`${name}.csv`, csv(this.rows()), "text/csv");
      if (!this.view) return;
      const width = this.node.querySelector(".canvas").clientWidth;
      const holder = element("div");
      const made = await Picture.still(holder, this.chart, this.data(), look("light"), { width, live: this.view });
      link(`${name}.${kind}`, await made.view.toImageURL(kind, kind === "png" ? 2 : 1));
      made.finalize();
    }

    // Draws the figure for paper beside the one for the screen, which the style sheet then hides.
    async toPaper() {
      const data = this.data();
      if (data.empty !== undefined || !this.node.clientWidth) return;
      const holder = element("div", null, { class: "on-paper" });
      this.node.querySelector(".canvas").after(holder);
      const made = await Picture.still(holder, this.chart, data, look("light"), { live: this.view });
      holder.addEventListener("airtcp-done", made.finalize);
    }

    fromPaper() {
      for (const holder of this.node.querySelectorAll(".on-paper")) {
        holder.dispatchEvent(new Event("airtcp-done"));
        holder.remove();
      }
    }
  }
  Figure.chosen = -1;

  function link(name, url) {
    const anchor = element("a", null, { href: url, download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
  }

  function download(name, text, type) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    link(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  // RFC 4180; a cell that a spreadsheet would take for a formula gets a quote in front.
  function csv(rows) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((n) => n !== "index");
    const cell = (value) => {
      if (value === null || value === undefined) return "";
      if (typeof value !== "string") return String(value);
      const text = /^[=+@\t\r-]/.test(value) ? `'${value}` : value;
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [names.join(","), ...rows.map((row) => names.map((n) => cell(row[n])).join(","))].join("\r\n") + "\r\n";
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const figure = figures.get(entry.target.dataset.chart);
      if (entry.isIntersecting && !figure.near) {
        figure.near = true;
        figure.draw();
      }
    }
  }, { rootMargin: "600px" });

  // The first figures are drawn before the page counts as loaded, so that a picture of the page
  // has them. The others are drawn when they come near the window, or one at a time while the page
  // is idle.
  const AT_ONCE = 12;
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  async function drawRest() {
    const next = [...figures.values()].find((figure) => !figure.near && figure.node.clientWidth);
    if (!next) return;
    next.near = true;
    await next.draw();
    idle(drawRest);
  }

  function start() {
    for (const figure of [...figures.values()].filter((f) => f.node.clientWidth).slice(0, AT_ONCE)) {
      figure.near = true;
      figure.draw();
    }
    for (const node of document.querySelectorAll("[data-chart]")) watcher.observe(node);
    idle(drawRest);
    addEventListener("beforeprint", () => figures.forEach((figure) => figure.toPaper()));
    addEventListener("afterprint", () => figures.forEach((figure) => figure.fromPaper()));
  }
  for (const node of document.querySelectorAll("[data-chart]")) {
    figures.set(node.dataset.chart, new Figure(node));
  }

  function applyScheme() {
    root.dataset.scheme = scheme();
    byId("scheme").textContent = scheme() === "dark" ? "Light" : "Dark";
    for (const figure of figures.values()) figure.draw();
  }
  byId("scheme").addEventListener("click", () => {
    choice = scheme() === "dark" ? "light" : "dark";
    // Some frames and private windows have no storage: there the choice ends with the page.
    try { localStorage.setItem("airtcp-scheme", choice); } catch { /* kept for this page only */ }
    applyScheme();
  });
  media.addEventListener("change", applyScheme);
  root.dataset.scheme = scheme();
  byId("scheme").textContent = scheme() === "dark" ? "Light" : "Dark";

  return { payload, figures, Figure, byId, element, unpack, download, csv, start };
})();
