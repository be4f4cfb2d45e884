// The page of fits: a figure for each form, with the links it estimates.
"use strict";
(() => {
  const { payload, figures } = Page;
  for (const [name, figure] of figures) {
    const points = payload.points[name];
    figure.data = () => ({ points, line: payload.line });
    figure.rows = () => points;
  }
  Page.start();
})();
