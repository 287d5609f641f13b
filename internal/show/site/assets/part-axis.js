// Axes of charts, as in scale.go.

// round is the nearest of 1, 2, 5, 10, 20, … that is not smaller.
/** @param {number} raw */
export function round(raw) {
  if (!(raw > 0) || raw === Infinity) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw * (1 - 1e-9)) ?? 1;
}

// scaled answers with the place of a value between ends.
/** @type {Scaled} */
export function scaled(low, high, from, to, log) {
  const of = log ? Math.log10 : Number;
  const part = (/** @type {number} */ v) => (high === low ? 0.5 : (of(v) - of(low)) / (of(high) - of(low)));
  return (v) => Math.round((from + part(v) * (to - from)) * 10) / 10;
}

// reach is the lowest and the highest of what some lines have.
/** @type {ReachOf} */
function reach(lines) {
  const all = lines.flatMap((s) => [s.values, s.lower, s.upper, s.below, s.above].flatMap((list) => list ?? []))
    .filter((v) => v != null);
  return all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
}

// ticksOf are round numbers from the lowest to the highest.
/** @type {TicksOfOf} */
export function ticksOf(low, high) {
  if (low === high) high = low + 1;
  const step = round((high - low) / 5), first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.min(12, last - first + 1) }, (_, i) => (first + i) * step);
}

// extent returns the ticks of an axis, and whether it could start above or end below zero.
/** @type {Extent} */
export function extent(lines, zero, from) {
  let [low, high] = reach(lines);
  const cuttable = low > 0 || high < 0;
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  else if (from != null && from <= low) low = from;
  return { cuttable, ticks: ticksOf(low, high) };
}

// decades returns the ticks of a logarithmic axis.
/** @param {Line[]} lines */
export function decades(lines) {
  const [low, high] = reach(lines);
  const first = Math.floor(Math.log10(low) + 1e-9), last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  const steps = last - first < 3 ? [1, 2, 5] : [1];
  const all = Array.from({ length: last - first }, (_, i) => steps.map((m) => m * 10 ** (first + i))).flat();
  return [...all, 10 ** last];
}

/** @type {YearsOf} */
export function years(low, high, most) {
  const step = Math.max(1, round((high - low) / most)), list = [];
  for (let year = Math.ceil(low / step) * step; year <= high + 1e-9; year += step) list.push(year);
  return list.length ? list : [Math.floor(low)];
}
