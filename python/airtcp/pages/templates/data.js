// Gives each figure its data, which stand in the payload as columns. The first data of a figure are
// those of its CSV file; those of a thinned figure are all that is in view.
"use strict";
(async () => {
  const { payload, figures } = Page;

  // The places of the first and last value of a sorted column within a range, with a neighbour each.
  function within(column, from, to) {
    const place = (value) => {
      let [low, high] = [0, column.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (column[middle] < value) low = middle + 1; else high = middle;
      }
      return low;
    };
    return [Math.max(0, place(from) - 1), Math.min(column.length, place(to) + 1)];
  }

  // Rows for consecutive groups between two times, so many that they can be drawn.
  function few(columns, last, from, to) {
    if (!columns.t) return [];
    const [begin, end] = within(columns.t, from, to);
    const size = Math.max(1, Math.ceil((end - begin) / payload.most));
    const rows = [];
    for (let i = begin; i < end; i += size) {
      const until = Math.min(i + size, end) - 1;
      const cell = (key) => [key, columns[key][last.includes(key) ? until : i]];
      rows.push(Object.fromEntries(Object.keys(columns).map(cell)));
    }
    return rows;
  }

  // A figure that fills in other rows when a reader zooms along `t`.
  function thinned(figure, columns, last) {
    const inView = (from, to) => Object.fromEntries(
      Object.keys(columns).map((name) => [name, few(columns[name], last[name], from, to)]),
    );
    let shown = inView(-Infinity, Infinity);
    figure.data = () => shown;
    figure.rows = () => Object.values(shown).flat();
    let zoomed = false;
    figure.ondrawn = (view) => {
      let waiting = 0;
      const fill = (range) => {
        shown = range ? inView(Math.min(...range), Math.max(...range)) : inView(-Infinity, Infinity);
        for (const [name, rows] of Object.entries(shown)) view.data(name, rows);
        view.runAsync();
      };
      // A figure that is drawn anew, in other colours, shows everything.
      if (zoomed) fill(null);
      zoomed = false;
      view.addSignalListener("view_t", (_, range) => {
        zoomed = true;
        clearTimeout(waiting);
        waiting = setTimeout(() => fill(range), 120);
      });
    };
  }

  const tables = await Page.unpack(payload.tables);
  for (const [name, places] of Object.entries(payload.data)) {
    const last = payload.thinned?.[name];
    const data = Object.fromEntries(Object.entries(places).map(([key, place]) => [key, tables[place]]));
    if (last) thinned(figures.get(name), data, last);
    else figures.get(name).fill(data);
  }
  Tables.start(tables);
  await Items.start();
  document.documentElement.dataset.ready = "";
  Page.start();
})();
