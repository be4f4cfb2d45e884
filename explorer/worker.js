// Runs in a worker: an instance of the simulator, asked by messages. The page ends the worker to cancel a run.
"use strict";
let module = null;
let instance = null;

// Sends a request to the simulator and returns the text of its answer.
function ask(request) {
  instance ??= new WebAssembly.Instance(module, {});
  const { memory, airtcp_input, airtcp_call, airtcp_output, airtcp_output_length } = instance.exports;
  const said = () => new TextDecoder().decode(new Uint8Array(memory.buffer, airtcp_output(), airtcp_output_length()));
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const place = airtcp_input(bytes.length);
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    airtcp_call();
    return said();
  } catch (error) {
    // A trap ends the instance. Without a message, memory or stack was exhausted.
    const text = said();
    instance = null;
    const message = text.startsWith("panic: ")
      ? `a defect of the simulator: ${text.slice(7)}`
      : `the simulation needs more memory than the explorer has (${error.message}): use airtcp run on your computer`;
    return JSON.stringify({ error: { message, line: null, path: "" } });
  }
}

// Events in a step; least time between two reports in milliseconds; a report takes at most this part of the time.
const EVENTS = 10000;
const REPORT_MS = 150;
const REPORT_PART = 0.2;

// The flows whose series the page wants. Another choice is heard between two reports.
let wanted = [];
const series = () => JSON.parse(ask({ do: "series", flows: wanted })).series;
const pause = () => new Promise((resolve) => setTimeout(resolve));

// Runs a scenario. Meanwhile reports its series, and the document of the replications that are finished, which
// the page keeps if it ends the worker.
async function run({ id, text, name, flows }) {
  wanted = flows;
  const begun = performance.now();
  const told = (more) => postMessage({ id, ...more, ms: performance.now() - begun });
  const first = JSON.parse(ask({ do: "begin", text, name }));
  if (first.error) return told({ error: first.error });
  let next = begun + REPORT_MS;
  let kept = 0;
  let finished = 0;
  for (;;) {
    const step = JSON.parse(ask({ do: "step", events: EVENTS }));
    if (step.error) return told({ error: step.error });
    if (step.done) break;
    ({ finished } = step);
    const now = performance.now();
    if (now < next) continue;
    const { progress } = step;
    told({ series: series(), progress, finished, ...(finished > kept ? { document: ask({ do: "document" }) } : {}) });
    kept = finished;
    await pause();
    const cost = performance.now() - now;
    next = performance.now() + Math.max(REPORT_MS, cost * (1 / REPORT_PART - 1));
  }
  const ms = performance.now() - begun;
  postMessage({ id, series: series(), document: ask({ do: "document" }), progress: 1, ms, done: true });
}

onmessage = ({ data }) => {
  if (data.module) module = data.module;
  else if (data.run) run(data);
  else if (data.flows) wanted = data.flows;
  else postMessage({ id: data.id, answer: ask(data.request) });
};
