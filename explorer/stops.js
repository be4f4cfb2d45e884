// The values at which a slider stops: round numbers, so that a key press moves by one of them.
//
// A stop has two significant digits and is a multiple of the control's step. Small values are therefore closer to
// each other than large ones. Each value that the scenario has had is a stop, too, and extends the range.
const Stops = (() => {
  // A multiple of 10 to the power of `exponent`, without an error of floating-point numbers.
  const scaled = (n, exponent) => Number(`${n}e${exponent}`);
  const exponentOf = (value) => Math.floor(Math.log10(value) + 1e-9);

  // The round value, 1, 2 or 5 times a power of ten, that is not below a value.
  function above(value) {
    const exponent = exponentOf(value);
    return [1, 2, 5, 10].map((n) => scaled(n, exponent)).find((round) => round >= value * (1 - 1e-12));
  }

  // The stops of a control for the values that the scenario has had, in rising order.
  function of({ min, max, most = Infinity, step }, values) {
    const positive = values.filter((value) => value > 0);
    const low = Math.min(min, ...values);
    const high = Math.max(max, ...positive.filter((value) => value > max).map((value) => Math.min(above(value), Math.max(most, value))));
    // A value below the usual range brings smaller steps.
    const least = Math.min(min > 0 ? min : step, ...positive);
    const unit = least < step ? scaled(1, exponentOf(least)) : step;
    const stops = new Set([low, min, high, ...values]);
    for (let exponent = exponentOf(least) - 1; scaled(10, exponent) <= high; exponent += 1) {
      for (let n = 10; n < 100; n += 1) {
        const value = scaled(n, exponent);
        const multiple = value / unit;
        if (value >= least && value <= high && Math.abs(multiple - Math.round(multiple)) < 1e-6) stops.add(value);
      }
    }
    return [...stops].sort((a, b) => a - b);
  }

  // The place of a value among the stops: of an equal stop, or of the nearest one.
  function place(stops, value) {
    let best = 0;
    stops.forEach((stop, i) => { if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i; });
    return best;
  }

  // The stop that is `steps` after a value, or before it if negative.
  function moved(stops, value, steps) {
    const near = 1e-9 * Math.max(Math.abs(value), Number.MIN_VALUE);
    const from = steps > 0 ? stops.findLastIndex((stop) => stop <= value + near) : stops.findIndex((stop) => stop >= value - near);
    const at = from < 0 ? (steps > 0 ? -1 : stops.length) : from;
    return stops[Math.min(Math.max(at + steps, 0), stops.length - 1)];
  }

  // How many steps a key moves by; 0 for other keys.
  const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
  const steps = ({ key }) => STEPS[key] ?? 0;
  return { of, place, moved, steps };
})();
