// The page of a study: all links at once, and the one that is chosen.
"use strict";
(() => {
  const { payload, figures, Figure, byId, element, show } = Page;
  const MODELS = ["this trace", "independent losses", "Gilbert-Elliott"];
  const CLASSES = ["very poor", "poor", "intermediate", "good", "very good", "perfect"];
  const columns = payload.columns;
  const total = columns.name.length;
  const links = Array.from({ length: total }, (_, index) => {
    const link = { index };
    for (const name of Object.keys(columns)) link[name] = columns[name][index];
    return link;
  });
  let shown = links;
  const figure = (name) => figures.get(name);
  const number = (value) => typeof value === "number";

  // ---- all links -------------------------------------------------------------------------
  const modelRows = () => shown.flatMap(({ index, name, prr, ...l }) => [
    { index, name, prr, model: MODELS[1], mean: l.independent, low: l.independent_low, high: l.independent_high, order: 0 },
    ...(number(l.chain) ? [{ index, name, prr, model: MODELS[2], mean: l.chain, low: l.chain_low, high: l.chain_high, order: 1 }] : []),
    { index, name, prr, model: MODELS[0], mean: l.tcp, low: null, high: null, order: 2 },
  ]);

  function diagonal() {
    const top = Math.max(0, ...shown.map((l) => Math.max(l.tcp, l.chain_high ?? l.chain ?? 0)));
    const least = Math.min(top, ...shown.map((l) => Math.min(l.tcp, l.chain ?? l.tcp)).filter((v) => v > 0));
    return [0, least, top].map((tcp, i) => ({ tcp, low: 0.9 * tcp, high: 1.1 * tcp, top: i === 2 }));
  }
  function runs() {
    const top = (kind) => Math.max(1, ...shown.map((l) => Math.max(l[`longest_${kind}`], l[`expected_${kind}`] ?? 1)));
    return [{ success: 1, loss: 1 }, { success: top("success"), loss: top("loss") }];
  }
  // A link without an order of losses has no mu and no chain: nothing of it can be drawn there.
  const having = (key, more) => {
    const rows = shown.filter((l) => number(l[key]));
    return rows.length ? { links: rows, ...more } : { empty: "No link has an order of losses." };
  };
  const overview = { throughput: () => ({ models: modelRows() }), gain: () => having("mu", { unit: [{}] }),
    chain: () => having("chain", { diagonal: diagonal() }), longest: () => having("mu", { runs: runs() }) };
  for (const [name, data] of Object.entries(overview)) {
    if (!figure(name)) continue;
    figure(name).data = () => (shown.length ? data() : { empty: "No link passes the filter.", stays: true });
    figure(name).rows = name === "throughput" ? modelRows : () => shown;
    figure(name).onpick = (index) => choose(index, true);
  }

  // ---- one link --------------------------------------------------------------------------
  const groups = new Map();
  let detail = null;
  let current = -1;

  async function detailOf(index) {
    const group = Math.floor(index / payload.group);
    if (!groups.has(group)) groups.set(group, Page.unpack(payload.details[group]));
    return (await groups.get(group))[index % payload.group];
  }

  // Runs of one outcome go on with a fixed chance in both models: lengths are geometric.
  function burstRows(kind) {
    const histogram = detail[kind];
    if (!histogram.length) return { empty: kind === "loss" ? "Nothing was lost." : "Nothing arrived." };
    const all = histogram.reduce((sum, [, count]) => sum + count, 0);
    let below = 0;
    const rows = histogram.map(([length, count]) => {
      const tail = (all - below) / all;
      below += count;
      return { model: MODELS[0], length, count, share: below / all, tail };
    });
    const { prr } = links[current];
    const goOn = { [MODELS[1]]: kind === "loss" ? 1 - prr : prr };
    const leave = kind === "loss" ? detail.g : detail.b;
    if (number(leave)) goOn[MODELS[2]] = 1 - leave;
    const longest = histogram.at(-1)[0];
    const floor = 0.3 / all;
    for (const [model, p] of Object.entries(goOn)) {
      const steps = new Set();
      for (let e = 0; e <= 160; e++) steps.add(Math.max(1, Math.round(longest ** (e / 160))));
      for (const length of steps) {
        const tail = p ** (length - 1);
        rows.push({ model, length, count: null, share: 1 - p ** length, tail: tail >= floor ? tail : null });
      }
    }
    return { [kind]: rows };
  }

  const slot = () => payload.slots[current];
  const perLink = {
    "link-tcp": () => {
      const l = links[current];
      const means = [{ model: MODELS[0], mean: l.tcp, low: l.tcp, high: l.tcp },
        { model: MODELS[1], mean: l.independent, low: l.independent_low, high: l.independent_high }];
      if (number(l.chain)) means.push({ model: MODELS[2], mean: l.chain, low: l.chain_low, high: l.chain_high });
      const replicas = [["independent", 1], ["chain", 2]].flatMap(([key, m]) =>
        detail.replicas[key].map((value) => ({ model: MODELS[m], value })));
      return { means, replicas };
    },
    "link-time": () => {
      const [window, prr] = detail.time;
      const step = window * slot();
      const end = links[current].packets * slot();
      return { time: prr.map((p, i) => ({ from: i * step, to: Math.min((i + 1) * step, end), prr: p })) };
    },
    "link-cwnd": () => (detail.cwnd?.length
      // To the end of the trace, so that the time axis is that of the plot above.
      ? { cwnd: [...detail.cwnd, [links[current].packets * slot(), detail.cwnd.at(-1)[1]]].map(([t, cwnd]) => ({ t, cwnd })) }
      : { empty: "The window was recorded for the first links only; study this one alone to see it." }),
    "link-success": () => burstRows("success"),
    "link-loss": () => burstRows("loss"),
    "link-convergence": () => {
      const { mu, packets } = links[current];
      if (!detail.prefix.length || mu === null) return { empty: "There is no mu to follow." };
      const prefix = detail.prefix.map(([n, m]) => ({ packets: n, mu: m }));
      const first = prefix[0].packets;
      const error = detail.error;
      const band = error === null ? [] : [first, packets].map((n) => ({ packets: n, low: mu - 1.96 * error, high: mu + 1.96 * error }));
      const guides = [[10000, "10 000"], [40000, "40 000"]].filter(([n]) => n >= first && n <= packets)
        .map(([n, label]) => {
          const side = n * n > first * packets ? "right" : "left";
          return { packets: n, seen: true, left: "", right: "", [side]: label };
        });
      if (!guides.length) guides.push({ packets: first, seen: false, left: "", right: "" });
      return { prefix, band, guides };
    },
    "link-cpdf": () => (detail.cpdf.length
      ? { cpdf: detail.cpdf.map(([k, probability, samples]) => ({ k, probability, samples })),
        means: [{ model: MODELS[0], prr: links[current].prr }], unit: [{}] }
      : { empty: "No run occurs often enough." }),
    "link-autocorrelation": () => {
      const { mu, packets } = links[current];
      const noise = 1.96 / Math.sqrt(packets);
      const rows = detail.autocorrelation.filter(([, value]) => value !== null).map(([lag, value]) => ({
        lag, value, chain: mu === null ? null : mu ** lag, low: -noise, high: noise }));
      return rows.length ? { autocorrelation: rows } : { empty: "There is nothing to correlate." };
    },
  };
  const savedRows = { "link-tcp": "replicas", "link-time": "time", "link-cwnd": "cwnd", "link-success": "success",
    "link-loss": "loss", "link-convergence": "prefix", "link-cpdf": "cpdf", "link-autocorrelation": "autocorrelation" };
  for (const [name, data] of Object.entries(perLink)) {
    if (!figure(name)) continue;
    figure(name).data = () => (detail ? data() : { empty: "", stays: true });
    figure(name).rows = () => (detail ? data()[savedRows[name]] ?? [] : []);
  }

  const interval = (low, high) => (number(low) ? ` [${show(low)}, ${show(high)}]` : "");

  function describe(index) {
    const l = links[index];
    byId("link-name").textContent = l.name;
    const labels = Object.entries(detail.labels).map(([k, v]) => `${k} ${v}`).join(", ");
    byId("link-source").textContent = `${detail.source.path} (${detail.source.layout})${labels ? `; ${labels}` : ""}`;
    const sheet = [
      ["Packets", show(l.packets, 9)], ["Received", show(detail.received, 9)],
      ["PRR", show(l.prr) + interval(l.prr_low, l.prr_high)], ["Class", l.class],
      ["mu", show(l.mu) + interval(l.mu_low, l.mu_high)], ["Beta", show(l.beta)],
      ["g, success after a loss", show(detail.g)], ["b, loss after a success", show(detail.b)],
      ["Longest run of successes", show(l.longest_success, 9)], ["of the chain, about", show(l.expected_success)],
      ["Longest run of losses", show(l.longest_loss, 9)], ["of the chain, about", show(l.expected_loss)],
      ["Slot", `${show(slot() * 1000)} ms${detail.slot_assumed ? " assumed" : ""}`], ["mu has settled", l.converged ? "yes" : "no"],
    ];
    byId("link-sheet").replaceChildren(...sheet.map(([name, value]) => {
      const row = element("div");
      row.append(element("dt", name), element("dd", value));
      return row;
    }));
    byId("link-notes").replaceChildren(...detail.notes.map((note) => element("li", note)));
    byId("link-findings")?.replaceChildren(...detail.findings.map(([headline, text, tone]) => {
      const card = element("article", null, { class: `card ${tone}` });
      card.append(element("h3", headline), element("p", text));
      return card;
    }));
    for (const [name, title] of Object.entries(detail.titles)) {
      const heading = document.querySelector(`[data-title="link-${name}"]`);
      if (heading) heading.textContent = title;
    }
    Page.plainTable(byId("link-counts"), ["", payload.rate, "timeouts", "fast retransmits", "retransmitted"],
      detail.counts.map(([label, rate, timeouts, fast, share]) =>
        [label, show(rate), show(timeouts), show(fast), share === null ? "–" : `${show(100 * share)} %`]));
  }

  async function choose(index, scroll = false) {
    current = index;
    const found = await detailOf(index);
    if (current !== index) return;
    detail = found;
    Figure.chosen = index;
    describe(index);
    if (byId("link-choice")) byId("link-choice").value = String(index);
    for (const name of Object.keys(perLink)) figure(name)?.draw();
    for (const f of figures.values()) f.mark();
    if (total > 1) drawTable();
    if (scroll) {
      byId("link").open = true;
      byId("link").scrollIntoView();
    }
    if (total > 1) history.replaceState(null, "", `#link-${index}`);
    document.documentElement.dataset.link = String(index);
  }

  // ---- the table -------------------------------------------------------------------------
  const PAGE = 25;
  const heads = payload.heads;
  let sort = { key: null, up: true };
  let page = 0;
  let printing = false;

  function sorted() {
    if (!sort.key) return shown;
    const rank = (l) => (sort.key === "class" ? CLASSES.indexOf(l.class) : l[sort.key]);
    const sign = sort.up ? 1 : -1;
    return [...shown].sort((p, q) => {
      const [a, b] = [rank(p), rank(q)];
      if (a === null || b === null) return (a === null) - (b === null) || p.index - q.index;
      const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
      return sign * order || p.index - q.index;
    });
  }

  function withInterval(value, low, high) {
    const cell = element("td", show(value));
    if (number(low)) cell.append(" ", element("small", `[${show(low)}, ${show(high)}]`));
    return cell;
  }

  // A gain that is not significant has no interval and does not stand out.
  function gain(l) {
    if (l.mu === null || l.gain_percent === null) return element("td", "–");
    if (l.more_than_chance) return withInterval(l.gain_percent, l.gain_percent_low, l.gain_percent_high);
    return element("td", `~ ${show(l.gain_percent)}`, { class: "chance" });
  }

  function drawTable() {
    const rows = sorted();
    page = Math.min(page, Math.max(0, Math.ceil(rows.length / PAGE) - 1));
    const head = element("tr");
    for (const [key, label] of heads) {
      const cell = element("th", null, { scope: "col" });
      if (key === "class" || key === "name") cell.className = "text";
      if (sort.key === key) cell.setAttribute("aria-sort", sort.up ? "ascending" : "descending");
      const button = element("button", label, { type: "button" });
      button.addEventListener("click", () => {
        sort = { key, up: sort.key === key ? !sort.up : key === "name" || key === "class" };
        page = 0;
        drawTable();
      });
      cell.append(button);
      head.append(cell);
    }
    const body = element("tbody");
    for (const l of printing ? rows : rows.slice(page * PAGE, (page + 1) * PAGE)) {
      const row = element("tr", null, { class: "pick", "aria-selected": String(l.index === current) });
      const name = element("td", null, { title: l.name });
      name.append(element("button", l.name, { type: "button", class: "name" }));
      const settled = element("td");
      settled.append(l.mu === null ? "–" : element("span", l.converged ? "yes" : "no", { class: `chip ${l.converged ? "yes" : "no"}` }));
      row.append(name, element("td", show(l.packets, 9)), withInterval(l.prr, l.prr_low, l.prr_high),
        element("td", l.class, { class: "text" }), withInterval(l.mu, l.mu_low, l.mu_high), settled, element("td", show(l.tcp)),
        withInterval(l.independent, l.independent_low, l.independent_high), withInterval(l.chain, l.chain_low, l.chain_high),
        gain(l), element("td", show(l.beta)), element("td", show(l.longest_success, 9)), element("td", show(l.longest_loss, 9)));
      row.addEventListener("click", () => choose(l.index, true));
      body.append(row);
    }
    const top = element("thead");
    top.append(head);
    byId("links").replaceChildren(top, body);
    const first = rows.length ? page * PAGE + 1 : 0;
    byId("page-text").textContent = `${first}–${Math.min((page + 1) * PAGE, rows.length)} of ${rows.length}`;
    byId("page-before").disabled = page === 0;
    byId("page-after").disabled = (page + 1) * PAGE >= rows.length;
  }

  // ---- start -----------------------------------------------------------------------------
  function filter() {
    const text = byId("filter-text").value.trim().toLowerCase();
    const wanted = byId("filter-class").value;
    const settled = byId("filter-settled").checked;
    shown = links.filter((l) => (!text || `${l.name} ${l.labels}`.toLowerCase().includes(text))
      && (!wanted || l.class === wanted) && (!settled || l.converged));
    byId("filter-count").textContent = shown.length === total ? `${total} links` : `${shown.length} of ${total} links`;
    page = 0;
    drawTable();
    for (const name of Object.keys(overview)) figure(name)?.draw();
  }

  for (const [name, data] of Object.entries(payload.sections ?? {})) {
    if (!figure(name)) continue;
    figure(name).data = () => data;
    figure(name).rows = () => data.means ?? data.links;
  }
  if (figure("answer")) figure("answer").onpick = (index) => choose(index, true);
  if (total > 1) {
    for (const name of CLASSES.filter((c) => columns.class.includes(c))) {
      byId("filter-class").append(element("option", name, { value: name }));
    }
    let wait;
    byId("filter-text").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 150); });
    byId("filter-class").addEventListener("change", filter);
    byId("filter-settled").addEventListener("change", filter);
    byId("link-choice").append(...links.map((l) => element("option", l.name, { value: String(l.index) })));
    byId("link-choice").addEventListener("change", (event) => choose(Number(event.target.value)));
    byId("link-before").addEventListener("click", () => choose((current + total - 1) % total));
    byId("link-after").addEventListener("click", () => choose((current + 1) % total));
    // Paper has no next page to click on: it gets every link that passes the filter.
    for (const [moment, now] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(moment, () => { printing = now; drawTable(); });
    }
    byId("page-before").addEventListener("click", () => { page -= 1; drawTable(); });
    byId("page-after").addEventListener("click", () => { page += 1; drawTable(); });
    byId("table-csv").addEventListener("click", () => Page.download("airtcp-links.csv", Page.csv(sorted()), "text/csv"));
    filter();
  }
  const asked = /^#link-(\d+)$/.exec(location.hash);
  const first = asked && Number(asked[1]) < total ? Number(asked[1]) : payload.first;
  if (total) choose(first, Boolean(asked)).then(Page.start);
  else Page.start();
})();
