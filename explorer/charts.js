// Charts over time, in SVG: lines of the run, and in grey those of the run that is held.
const Charts = (() => {
  const HIGH = 190;
  const EDGE = { left: 46, right: 16, top: 10, bottom: 24 };
  const SPACE = "http://www.w3.org/2000/svg";

  function node(tag, attributes = {}, text) {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Round values from 0 to at least `most`, about `count` of them.
  function ticks(most, count) {
    if (!(most > 0)) return [0, 1];
    const raw = most / count;
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = unit * [1, 2, 5, 10].find((n) => n * unit >= raw);
    const last = Math.ceil(most / step - 1e-9);
    return Array.from({ length: last + 1 }, (_, i) => Number((i * step).toPrecision(12)));
  }

  // The path of a line. Points that share a pixel become the lowest and the highest of them.
  function path(points, x, y, stepped) {
    const out = [];
    let column = null;
    const put = (px, py) => out.push(`${out.length ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`);
    const flush = () => {
      if (!column) return;
      put(column.px, y(column.first));
      if (column.low < column.first || column.low < column.last) put(column.px, y(column.low));
      if (column.high > column.first || column.high > column.last) put(column.px, y(column.high));
      put(column.px, y(column.last));
    };
    // A single point is a dot.
    const ended = () => `${out.join("")}${new Set(out.map((one) => one.slice(1))).size === 1 ? "h2" : ""}`;
    let gap = false;
    const parts = [];
    for (const [t, value] of points) {
      if (value === null || value === undefined) { gap = true; continue; }
      const px = x(t);
      if (gap && column) { flush(); parts.push(ended()); out.length = 0; column = null; }
      gap = false;
      if (column && Math.abs(px - column.px) < 1) {
        column.low = Math.min(column.low, value);
        column.high = Math.max(column.high, value);
        column.last = value;
        continue;
      }
      const before = column;
      flush();
      if (stepped && before) put(px, y(before.last));
      column = { px, first: value, low: value, high: value, last: value };
    }
    flush();
    parts.push(ended());
    return parts.join("");
  }

  // Draws lines `{name, points, colour, dash}`, with `dash` 0 (solid), 1 or 2, over the time from 0 to `end_s`. `marks` are `{t, kind}`.
  function draw(holder, { title, unit, lines, held = [], marks = [], end_s, stepped }) {
    const WIDE = Math.max(holder.clientWidth, 240);
    const values = (all) => all.flatMap((line) => line.points.map((p) => p[1] ?? 0));
    let most = 0;
    for (const value of values([...lines, ...held])) if (value > most) most = value;
    const ys = ticks(most * 1.02, 4);
    const xs = ticks(end_s, WIDE > 500 ? 6 : 4).filter((t) => t <= end_s * 1.0001);
    const x = (t) => EDGE.left + (t / (end_s || 1)) * (WIDE - EDGE.left - EDGE.right);
    const y = (v) => HIGH - EDGE.bottom - (v / ys.at(-1)) * (HIGH - EDGE.top - EDGE.bottom);
    const svg = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": spoken(title, unit, lines, end_s) });
    for (const v of ys) {
      svg.append(node("line", { x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(v), y2: y(v), class: "grid" }));
      svg.append(node("text", { x: EDGE.left - 8, y: y(v) + 4, class: "tick end" }, Units.show(v)));
    }
    xs.forEach((t, i) => {
      const text = `${Units.show(t)}${i === xs.length - 1 ? " s" : ""}`;
      svg.append(node("text", { x: x(t), y: HIGH - 6, class: "tick middle" }, text));
    });
    for (const line of held) svg.append(node("path", { d: path(line.points, x, y, stepped), class: "held" }));
    for (const line of lines) {
      const drawn = node("path", { d: path(line.points, x, y, stepped), class: `line dash${line.dash}${line.second ? " second" : ""}`, style: `stroke:var(--${line.colour})` });
      drawn.append(node("title", {}, line.name));
      svg.append(drawn);
    }
    const places = new Map(marks.map((mark) => [`${mark.kind} ${Math.round(x(mark.t))}`, mark]));
    for (const { t, kind } of places.values()) {
      const d = kind === "timeout" ? `M${x(t).toFixed(1)} ${EDGE.top}v9l-4 -9h8l-4 9` : `M${x(t).toFixed(1)} ${EDGE.top}v5`;
      svg.append(node("path", { d, class: `mark ${kind}` }));
    }
    holder.replaceChildren(svg);
  }

  function spoken(title, unit, lines, end_s) {
    const ends = lines.slice(0, 4).map((line) => {
      const known = line.points.filter((p) => p[1] !== null);
      return known.length ? `${line.name} ends at ${Units.show(known.at(-1)[1])} ${unit}` : line.name;
    });
    return `${title} over ${Units.show(end_s)} s. ${ends.join(", ")}.`;
  }
  return { draw };
})();
