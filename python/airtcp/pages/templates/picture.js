// What a figure is drawn from: its specification with the colours of a scheme and legends that fit,
// and pictures for paper, which are light and opaque whatever the screen shows.
"use strict";
const Picture = (() => {
  const PAPER_WIDTH = 680; // px: the width of an A4 or Letter page between its margins, at 96 px an inch
  const CHARACTER = 6.9; // px: a wide character of a legend's label at 12 px
  const SYMBOL = 32; // px: symbol and padding of a legend's entry

  // Puts the scheme's colours in place of their roles.
  function coloured(value, colours) {
    if (typeof value === "string") return value[0] === "@" && colours[value] ? colours[value] : value;
    if (Array.isArray(value)) return value.map((v) => coloured(v, colours));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, colours)]));
    }
    return value;
  }

  // The names of a nominal channel: those of its scale, or those that its data have.
  function names(channel, rows) {
    const domain = channel.scale?.domain;
    if (Array.isArray(domain)) return domain;
    return [...new Set(rows.map((row) => row[channel.field]))];
  }

  // Sets every legend in as many columns as fit the width, so that it lists every name.
  function fitLegends(spec, data, width, inherited) {
    const source = spec.data?.name ?? inherited;
    for (const channel of Object.values(spec.encoding ?? {})) {
      if (channel?.type !== "nominal" || channel.legend === null || !("legend" in channel)) continue;
      const shown = names(channel, data[source] ?? []);
      const longest = Math.max(1, ...shown.map((name) => String(name).length));
      // A name is cut only if it is wider than the figure.
      const label = Math.min(CHARACTER * longest, width - 40 - SYMBOL);
      const columns = Math.floor((width - 40) / (SYMBOL + label));
      channel.legend = {
        ...channel.legend,
        labelLimit: Math.max(1, label),
        columns: Math.max(1, Math.min(columns, shown.length)),
        symbolLimit: Math.max(1, shown.length),
      };
    }
    for (const layer of spec.layer ?? []) fitLegends(layer, data, width, source);
  }

  // A specification, complete but for its width, and the look of its parts.
  function complete(chart, data, width, { charts, config, colours }) {
    const spec = { ...coloured(charts[chart], colours), datasets: data };
    fitLegends(spec, data, width);
    return { spec, config: coloured(config, colours) };
  }

  // Draws a figure for paper in `holder`: light, opaque, and moved and picked as the `live` one is.
  // It waits for nothing but itself, so that it is done before a browser goes on to print.
  async function still(holder, chart, data, look, { width = PAPER_WIDTH, live = null } = {}) {
    const { spec, config } = complete(chart, data, width, look);
    if (spec.width === "container") spec.width = width;
    const made = await airtcpVega.embed(holder, spec, {
      config: { ...config, background: look.colours["@surface"] },
      actions: false,
      ast: true,
      renderer: "svg",
      tooltip: false,
    });
    const state = live?.getState({
      signals: (name) => /_[xy]$|^chosen$/.test(name),
      data: (name) => name.endsWith("_store"),
      recurse: false,
    });
    for (const [name, value] of Object.entries(state?.signals ?? {})) made.view.signal(name, value);
    for (const [name, values] of Object.entries(state?.data ?? {})) made.view.data(name, values ?? []);
    await made.view.runAsync();
    return made;
  }

  return { complete, still };
})();
