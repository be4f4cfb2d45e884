// The page of a comparison: every figure's data stand in the payload under its name.
"use strict";
(() => {
  const { payload, figures } = Page;
  for (const [name, figure] of figures) {
    const data = payload.data[name];
    if (!data) continue;
    const rows = data.windows ?? data.means ?? data.predictions ?? data.lost ?? Object.values(data)[0];
    figure.data = () => (rows.length ? data : { empty: "There is nothing to draw." });
    figure.rows = () => rows;
  }
  Page.start();
})();
