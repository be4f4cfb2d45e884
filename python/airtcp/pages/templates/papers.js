// The page of reproduced papers: every figure's data stand in the payload under its name.
"use strict";
(() => {
  const { payload, figures } = Page;
  for (const [name, figure] of figures) {
    const data = payload.data[name];
    figure.data = () => (Object.keys(data).length ? data : { empty: "There is nothing to draw." });
    figure.rows = () => Object.entries(data).flatMap(([layer, rows]) =>
      rows.map((row) => ({ layer, ...row })));
  }
  Page.start();
})();
