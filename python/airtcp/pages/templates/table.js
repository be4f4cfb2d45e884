// Tables sort, show all rows, find some and save themselves; folded sections open for a link to them
// and for paper.
"use strict";
const Tables = (() => {
  const { element } = Page;

  // Rows of a table from its columns, as the template makes the first ones.
  function rows({ columns, picks }) {
    return columns[0].cells.map((_, i) => {
      const row = element("tr", null, picks ? { "data-pick": picks[i] } : {});
      for (const { cells, keys, tones, left } of columns) {
        const long = cells[i].length > 40 ? "long" : "";
        const cell = element("td", cells[i], { class: `${left ? "words" : ""} ${tones?.[i] ?? ""} ${long}` });
        cell.dataset.key = (keys ?? cells)[i] ?? "";
        row.append(cell);
      }
      return row;
    });
  }

  function ready(table, tables) {
    const panel = table.closest(".panel");
    const rest = table.querySelector("tbody.rest");
    const more = panel.querySelector("[data-more]");
    const first = table.tBodies[0].rows.length;
    rest?.append(...rows(tables[rest.dataset.rest]));
    for (const row of table.querySelectorAll("tr[data-pick]")) {
      const name = element("button", row.cells[0].textContent, { type: "button", class: "name" });
      row.cells[0].replaceChildren(name);
    }
    function all() {
      rest.hidden = false;
      more.remove();
    }
    more?.addEventListener("click", all);
    panel.querySelector("[data-find]")?.addEventListener("input", ({ target }) => {
      all();
      const wanted = target.value.trim().toLowerCase();
      for (const body of table.tBodies) {
        for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      }
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
      const sorted = [...table.tBodies].flatMap((body) => [...body.rows]);
      sorted.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        const order = typeof x === "number" && typeof y === "number" ? x - y
          : String(x).localeCompare(String(y), "en", { numeric: true });
        return down ? -order : order;
      });
      table.tBodies[0].append(...sorted.slice(0, first));
      rest?.append(...sorted.slice(first));
    }));
    panel.querySelector("[data-table]").addEventListener("click", () => {
      const names = heads.map((head) => head.textContent);
      const found = [...table.tBodies].flatMap((body) => [...body.rows]).map((row) =>
        Object.fromEntries(names.map((name, i) => [name, row.cells[i].textContent])));
      Page.download("airtcp-table.csv", Page.csv(found), "text/csv");
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

  function start(tables) {
    for (const table of document.querySelectorAll("table.sortable")) ready(table, tables);
  }
  return { rows, start };
})();
