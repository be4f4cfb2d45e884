// Pages whose figures have their data in the payload, under the name of the figure. The first data
// are those of the CSV file.
"use strict";
(() => {
  const { payload, figures } = Page;
  for (const [name, figure] of figures) {
    const data = payload.data[name];
    if (!data) continue;
    const rows = Object.values(data)[0] ?? [];
    figure.data = () => (rows.length ? data : { empty: "There is nothing to draw." });
    figure.rows = () => rows;
  }
  Page.start();
})();
