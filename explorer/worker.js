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

// Events in a step, and least times between two looks at the clock and two reports, in milliseconds.
const EVENTS = 10000;
const REPORT_MS = 150;

// Runs a scenario; reports its series meanwhile.
function run({ id, text, name }) {
  const begun = performance.now();
  const told = (more) => postMessage({ id, ...more, ms: performance.now() - begun });
  const first = JSON.parse(ask({ do: "begin", text, name }));
  if (first.error) return told({ error: first.error });
  let reported = begun;
  for (;;) {
    const step = JSON.parse(ask({ do: "step", events: EVENTS }));
    if (step.error) return told({ error: step.error });
    if (step.done) break;
    if (performance.now() - reported > REPORT_MS) {
      const { series } = JSON.parse(ask({ do: "partial" }));
      told({ series, progress: step.progress });
      reported = performance.now();
    }
  }
  const simulated = performance.now() - begun;
  const { series } = JSON.parse(ask({ do: "partial" }));
  const document = ask({ do: "finish" });
  postMessage({ id, series, document, progress: 1, ms: simulated });
}

onmessage = ({ data }) => {
  if (data.module) module = data.module;
  else if (data.run) run(data);
  else postMessage({ id: data.id, answer: ask(data.request) });
};
