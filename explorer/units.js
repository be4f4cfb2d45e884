// Quantities: texts of a scenario as numbers in SI units, and numbers for the reader.
const Units = (() => {
  const TIMES = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
  const RATES = { "b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9 };

  function read(text, scales) {
    if (typeof text === "number") return text;
    const parts = /^\s*([\d.]+(?:e[-+]?\d+)?)\s*(\D.*?)\s*$/i.exec(text ?? "");
    const scale = parts ? scales[parts[2]] : undefined;
    return scale === undefined ? null : Number(parts[1]) * scale;
  }
  const seconds = (text) => read(text, TIMES);
  const bps = (text) => read(text, RATES);

  // A number without noise in its last digits, as a scenario writes it.
  const plain = (value) => String(Number(value.toPrecision(6)));
  const timeText = (s) => (s >= 1 ? `${plain(s)} s` : s >= 1e-3 ? `${plain(s * 1e3)} ms` : `${plain(s * 1e6)} us`);
  const rateText = (rate) => (rate >= 1e6 ? `${plain(rate / 1e6)} Mb/s` : `${plain(rate / 1e3)} kb/s`);

  // A few significant digits, never an exponent.
  function show(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 10 ** (digits - 1) || Number.isInteger(value)) {
      return Math.round(value).toLocaleString("en").replace(/,/g, "\u202f").replace("-", "−");
    }
    const decimals = Math.min(digits - 1 - Math.floor(Math.log10(size)), digits + 2);
    return value.toFixed(decimals).replace("-", "−");
  }
  return { seconds, bps, plain, timeText, rateText, show };
})();
