// Pages whose figures have points of their own, and share a line on which an estimate is right.
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
