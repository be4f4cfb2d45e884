// The run in progress and the last one: what the page shows of both.
const Runs = (() => {
  const { byId, make } = Elements;
  // `running` is the run in progress and `result` the last one that ended, with the text that each belongs to; `s` is
  // the description of the text, and `turn` counts the texts. `isBusy` says whether a change waits to be made.
  const state = { text: "", name: "scenario", s: null, link: 0, running: null, result: null, held: null, registry: [], turn: 0, seed: "1", isBusy: () => false };
  // The test reads the state.
  window.explorer = state;

  const file = () => `${state.name}.toml`;
  function say(message) {
    byId("problem").hidden = !message;
    byId("problem").textContent = message ?? "";
  }

  // True if a result belongs to the text and no run is to replace it.
  const current = () => state.result !== null && state.result.text === state.text && !state.running;
  // The run of the charts: the one in progress as soon as it has series.
  const charted = () => (state.running?.series ? state.running : state.result);
  const finished = (result) => (result?.run ? result.run.replications.length : 0);

  // Enters a state of the page, and marks what it shows of an earlier run.
  function enter(name) {
    document.body.dataset.state = name;
    mark();
  }
  function mark() {
    const { running, result } = state;
    const on = running !== null || document.body.dataset.state === "running";
    byId("progress").hidden = !on;
    byId("progress").value = running?.progress ?? 0;
    byId("stop").hidden = !on;
    byId("again").hidden = on || document.body.dataset.state !== "stopped";
    const stale = result !== null && !current();
    for (const id of ["numbers-section", "flow-section", "glance"]) byId(id).toggleAttribute("data-stale", stale);
    byId("of-run").textContent = stale ? "Last run" : "This run";
    Plots.stale(stale && charted() !== running);
    byId("hold").disabled = byId("save-run").disabled = !current() || finished(result) === 0;
  }
  // Gives up the run in progress: the charts are those of the last run again.
  function abandon() {
    state.running = null;
    draw();
  }
  function fail(message) {
    say(message);
    enter("error");
  }

  function run() {
    const { text, turn, s, seed } = state;
    const end_s = Units.seconds(s.written.duration);
    state.running = { text, end_s, seed, all: s.written.replications, series: null, progress: 0, document: null };
    byId("speed").classList.add("past");
    enter("running");
    Engine.run({ text, name: file(), flows: Flows.shown() }, (report) => {
      if (turn !== state.turn) return;
      if (report.error) {
        abandon();
        fail(report.error.message);
        return;
      }
      const { running } = state;
      running.progress = report.progress;
      running.series = report.series ?? running.series;
      running.document = report.document ?? running.document;
      if (report.done) {
        end(running, "done", ({ airtcp_version, replications: { length: n } }) => `${Units.show(end_s * n)} s simulated in ${Units.show(report.ms / 1e3)} s, ${n} replication${n > 1 ? "s" : ""}, seed ${seed}, airtcp ${airtcp_version}`);
        return;
      }
      tell(state.result ? "Running. The numbers in grey are those of the last run." : "Running.");
      draw();
      mark();
    });
  }

  // Ends the run in progress: its replications that are finished become the result. `words` says what happened.
  async function end({ text, end_s, seed, series, document: whole }, how, words) {
    const run = whole ? JSON.parse(whole) : null;
    const result = { text, document: whole, run, series, end_s, seed };
    state.result = result;
    state.running = null;
    draw();
    if (how === "done") choose();
    command();
    await numbers();
    if (state.result !== result || state.running) return;
    tell(words(run));
    if (!state.isBusy() && document.body.dataset.state === "running") enter(how);
    else mark();
  }
  function tell(text) {
    if (byId("speed").textContent !== text) byId("speed").textContent = text;
    byId("speed").classList.remove("past");
  }

  // Ends the run in progress and its worker at once. What is finished stays.
  function stop() {
    const { running } = state;
    if (!running) return;
    Engine.cancel();
    const { all, series, end_s } = running;
    end(running, "stopped", (run) => {
      const n = run?.replications.length ?? 0;
      if (n) return `Stopped. ${n} of ${all} replications ${n > 1 ? "are" : "is"} finished: the numbers are of ${n > 1 ? `these ${n}` : "this one"}.`;
      return `Stopped at ${Units.show(series?.until_s ?? 0)} s of ${Units.show(end_s)} s in the first of ${all} replication${all > 1 ? "s" : ""}. Nothing is finished, so there are no numbers.`;
    });
  }

  // The command that gives the numbers of the page.
  function command() {
    const n = finished(state.result);
    const part = n && state.result.run.interrupted && state.result.text === state.text ? ` --replications ${n}` : "";
    byId("command").textContent = `airtcp run ${file()} --seed ${state.seed}${part}`;
  }

  async function numbers() {
    const { result } = state;
    const held = state.held?.run ?? null;
    for (const cell of document.querySelectorAll(".held-only")) cell.hidden = !held;
    byId("drop").hidden = !held;
    byId("key-held").hidden = !held;
    byId("legend").textContent = "";
    if (!result) return;
    byId("flow-section").hidden = !result.run || result.run.summary.flows.length < 2;
    byId("glance").replaceChildren();
    if (!finished(result)) {
      byId("glance").textContent = "Nothing is finished.";
      Numbers.none(byId("numbers"));
      return;
    }
    Flows.table(byId("flows"), result.run);
    const filled = await Numbers.fill(byId("numbers"), result.run, held, () => state.result === result && (state.held?.run ?? null) === held);
    if (!filled) return;
    byId("legend").textContent = filled.legend;
    byId("glance").replaceChildren(...filled.first.map(([name, value, change]) => make("span", {}, `${name} `, make("b", { text: value }), change ? ` (${change})` : "")));
  }

  function draw() {
    const shown = charted();
    if (shown) Plots.draw(shown, state.held, Flows.lines());
  }

  // Another choice of flows. Only the worker has the series of the flows that were not shown; it has ended if the run
  // was stopped.
  async function choose() {
    const flows = Flows.shown();
    Engine.want(flows);
    const { result } = state;
    byId("flow-missing").hidden = true;
    if (result?.series && !state.running) {
      const has = new Set(result.series.goodput.flows.map((f) => f.flow));
      const missing = flows.filter((flow) => !has.has(flow));
      if (missing.length) {
        const series = await Engine.series(flows);
        if (state.result !== result || state.running) return;
        if (series) result.series = series;
        byId("flow-missing").hidden = Boolean(series) || result.text !== state.text;
      }
    }
    draw();
  }

  async function hold() {
    const { result } = state;
    if (!current() || !finished(result)) return;
    const held = { ...result };
    state.held = held;
    draw();
    numbers();
    // Another choice of flows shows these flows of the held run, too.
    const series = await Engine.series(null);
    if (series && state.held === held) held.series = series;
  }

  return { state, file, say, enter, mark, fail, abandon, run, stop, hold, numbers, draw, choose, command };
})();
