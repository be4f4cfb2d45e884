// The first screen of a page: its table sorts, shows all rows and saves itself; folded sections open
// for a link to them and for paper.
"use strict";
(() => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const panel = table.closest(".panel");
    const rest = table.querySelector("tbody.rest");
    const more = panel.querySelector("[data-more]");
    const first = table.tBodies[0].rows.length;
    more?.addEventListener("click", () => {
      rest.hidden = false;
      more.remove();
    });
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const text = row.cells[column].dataset.key;
        return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
      };
      const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        const order = typeof x === "number" && typeof y === "number" ? x - y
          : String(x).localeCompare(String(y), "en", { numeric: true });
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows.slice(0, first));
      rest?.append(...rows.slice(first));
    }));
    panel.querySelector("[data-table]").addEventListener("click", () => {
      const names = heads.map((head) => head.textContent);
      const rows = [...table.tBodies].flatMap((body) => [...body.rows]).map((row) =>
        Object.fromEntries(names.map((name, i) => [name, row.cells[i].textContent])));
      Page.download("airtcp-table.csv", Page.csv(rows), "text/csv");
    });
  }

  function openFor(id) {
    const target = document.getElementById(id);
    const part = target?.closest("details.part");
    if (!part || part.open) return;
    part.open = true;
    part.scrollIntoView();
  }
  addEventListener("hashchange", () => openFor(location.hash.slice(1)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) openFor(link.getAttribute("href").slice(1));
  });
  openFor(location.hash.slice(1));

  // Registered before the figures prepare themselves for paper, which need a size.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.part:not([open]), .card details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
    closed = [];
  });
})();
