// The simulator: one worker answers questions about texts, another one runs.
const Engine = (() => {
  let module = null;
  let number = 0;
  const waiting = new Map();
  const kept = (id) => document.getElementById(id).textContent.trim();

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  function worker(receive) {
    const source = new Blob([kept("worker")], { type: "text/javascript" });
    const address = URL.createObjectURL(source);
    const made = new Worker(address);
    made.onmessage = ({ data }) => receive(data);
    made.onerror = (event) => receive({ id: null, error: { message: event.message } });
    made.postMessage({ module });
    return made;
  }

  let clerk = null;
  let runner = null;
  // The run in progress: its number, and what gets its reports.
  let running = null;

  const answered = ({ id, answer }) => {
    waiting.get(id)?.resolve(JSON.parse(answer));
    waiting.delete(id);
  };

  async function start() {
    module = await WebAssembly.compile(await unpacked(kept("simulator")));
    clerk = worker(answered);
  }

  const request = (to, asked) =>
    new Promise((resolve) => {
      number += 1;
      waiting.set(number, { resolve, to });
      to.postMessage({ id: number, request: asked });
    });

  // Asks about a text; the answer has `error` if the request failed.
  const ask = (asked) => request(clerk, asked);

  // The series of flows of the last run, or of all its flows; null if its worker has ended.
  const series = async (flows) => (runner ? ((await request(runner, { do: "series", flows })).series ?? null) : null);

  // Reports of the run in progress have the series of these flows from now on.
  const want = (flows) => runner?.postMessage({ flows });

  // Ends the run in progress, if any, with its worker.
  function cancel() {
    if (!running) return;
    running = null;
    runner.terminate();
    for (const [id, { resolve, to }] of waiting) {
      if (to !== runner) continue;
      waiting.delete(id);
      resolve({});
    }
    runner = null;
  }

  // Runs a text in place of the run in progress. `tell` gets each report of the worker.
  function run({ text, name, flows }, tell) {
    cancel();
    number += 1;
    running = { id: number, tell };
    runner ??= worker((report) => {
      if (report.answer !== undefined) return answered(report);
      if (!running || (report.id !== null && report.id !== running.id)) return;
      const { tell: act } = running;
      if (report.done || report.error) running = null;
      act(report);
    });
    runner.postMessage({ id: number, run: true, text, name, flows });
  }

  return { start, ask, series, want, run, cancel, kept };
})();
