// The input elements of a control.
const Fields = (() => {
  const { make } = Elements;
  const DEBOUNCE_MS = 60;

  function check(c, value, act) {
    const box = make("input", { type: "checkbox", id: c.id });
    box.checked = value;
    box.onchange = () => act(box.checked, 0);
    return [box, make("label", { for: c.id, text: c.label })];
  }

  function select(c, s, value, act, note) {
    const choices = c.choices(s);
    if (!choices.some(([name]) => name === value)) choices.unshift([value, value, ""]);
    const made = make("select", { id: c.id }, ...choices.map(([v, text, title]) => make("option", { value: v, text, title })));
    made.value = value;
    const described = choices.find(([name]) => name === value)?.[2];
    if (described && !c.note) note.textContent = described;
    made.onchange = () => act(made.value, 0);
    return made;
  }

  // A number, and a slider if the control has `stops`. Keys move both by steps.
  function quantity(c, value, stops, act) {
    const number = make("input", { type: "number", id: c.id, step: "any", value: Units.plain(value) });
    const field = make("span", { class: "field" }, number, make("span", { class: "unit", text: c.unit }));
    number.onchange = () => number.value !== "" && act(Number(number.value), 0);
    let slider = null;
    const put = (v) => {
      number.value = Units.plain(v);
      if (slider) {
        slider.value = Stops.place(stops, v);
        slider.setAttribute("aria-valuetext", `${Units.plain(v)} ${c.unit}`);
      }
      act(v, DEBOUNCE_MS);
    };
    number.onkeydown = (event) => {
      const steps = event.key.endsWith("Left") || event.key.endsWith("Right") ? 0 : Stops.steps(event);
      if (steps === 0 || number.value === "" || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const v = Number(number.value);
      put(stops ? Stops.moved(stops, v, steps) : Math.min(Math.max(v + steps, c.min), Math.max(c.max, v)));
    };
    if (!stops) return [field];
    slider = make("input", { type: "range", min: 0, max: stops.length - 1, step: 1, "aria-label": `${c.label}, slider`, tabindex: 0 });
    slider.value = Stops.place(stops, value);
    slider.setAttribute("aria-valuetext", `${Units.plain(value)} ${c.unit}`);
    slider.oninput = () => put(stops[Number(slider.value)]);
    slider.onkeydown = (event) => {
      const steps = Stops.steps(event);
      if (steps === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const to = Math.min(Math.max(Number(slider.value) + steps, 0), stops.length - 1);
      if (to !== Number(slider.value)) put(stops[to]);
    };
    return [field, slider];
  }

  // The elements of a control with a value. `seen` are the values that the scenario has had; `act` gets a new value,
  // and how long to wait for a further one.
  function of(c, s, value, seen, act) {
    if (c.kind === "check") return check(c, value, act);
    const label = make("label", { for: c.id, text: c.label });
    const note = make("small", { text: c.note?.(s) ?? "", id: `${c.id}-note` });
    if (c.kind === "select") return [label, select(c, s, value, act, note), note];
    const stops = c.kind === "range" ? Stops.of(c, seen) : null;
    return [label, ...quantity(c, value, stops, act), note];
  }
  return { of };
})();
