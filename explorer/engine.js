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
  let running = null;
  const tellers = new Map();

  async function start() {
    module = await WebAssembly.compile(await unpacked(kept("simulator")));
    clerk = worker(({ id, answer }) => {
      waiting.get(id)?.(JSON.parse(answer));
      waiting.delete(id);
    });
  }

  // Asks about a text; the answer has `error` if the request failed.
  const ask = (request) =>
    new Promise((resolve) => {
      number += 1;
      waiting.set(number, resolve);
      clerk.postMessage({ id: number, request });
    });

  // Ends the run in progress, if any.
  function cancel() {
    if (!running) return;
    running = null;
    tellers.clear();
    runner.terminate();
    runner = null;
  }

  // Runs a text in place of the run in progress. `tell` gets each report of the worker.
  function run(text, name, tell) {
    cancel();
    number += 1;
    const id = number;
    running = id;
    runner ??= worker((report) => {
      if (report.id !== null && report.id !== running) return;
      const act = tellers.get(report.id ?? running);
      if (report.document || report.error) {
        running = null;
        tellers.clear();
      }
      act?.(report);
    });
    tellers.set(id, tell);
    runner.postMessage({ id, run: true, text, name });
  }

  return { start, ask, run, cancel, kept };
})();
