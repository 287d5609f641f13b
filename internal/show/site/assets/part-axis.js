// What the axes of a chart show. The steps are those of scale.go; a test holds the two together.

// round is the nearest of 1, 2, 5, 10, 20, … that is not smaller.
/** @param {number} raw */
export function round(raw) {
  if (!(raw > 0) || raw === Infinity) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw * (1 - 1e-9)) ?? 1;
}

// scaled answers with the place of a value, of which the ends are given; log is for a logarithmic axis.
/** @type {(low: number, high: number, from: number, to: number, log?: boolean) => (v: number) => number} */
export function scaled(low, high, from, to, log) {
  const of = log ? Math.log10 : Number;
  const part = (/** @type {number} */ v) => (high === low ? 0.5 : (of(v) - of(low)) / (of(high) - of(low)));
  return (v) => Math.round((from + part(v) * (to - from)) * 10) / 10;
}

/** @typedef {{ values: number[], lower?: number[], upper?: number[] }} Line */

// reach is the lowest and the highest of the values of some lines, with their intervals.
/** @type {(lines: Line[]) => [number, number]} */
function reach(lines) {
  let low = Infinity, high = -Infinity;
  for (const s of lines) s.values.forEach((v, i) => {
    if (v == null) return;
    low = Math.min(low, v, s.lower?.[i] ?? v);
    high = Math.max(high, v, s.upper?.[i] ?? v);
  });
  return low > high ? [0, 1] : [low, high];
}

// ticksOf are round numbers from the lowest to the highest.
/** @type {(low: number, high: number) => number[]} */
export function ticksOf(low, high) {
  if (low === high) high = low + 1;
  const step = round((high - low) / 5), first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.min(12, last - first + 1) }, (_, i) => (first + i) * step);
}

// extent is what a picture of some lines has to cover, as round numbers from the lowest to the highest: from zero, or
// from where the publisher wants it, or from the lowest value on. cuttable says whether zero is outside of the values.
/** @type {(lines: Line[], zero: boolean, from: number | undefined) => { cuttable: boolean, ticks: number[] }} */
export function extent(lines, zero, from) {
  let [low, high] = reach(lines);
  const cuttable = low > 0 || high < 0;
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  else if (from != null && from <= low) low = from;
  return { cuttable, ticks: ticksOf(low, high) };
}

// decades are the ticks of a logarithmic axis: powers of ten, and 2 and 5 times that where they are few.
/** @param {Line[]} lines */
export function decades(lines) {
  const [low, high] = reach(lines);
  const first = Math.floor(Math.log10(low) + 1e-9), last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  const steps = last - first < 3 ? [1, 2, 5] : [1];
  const all = Array.from({ length: last - first }, (_, i) => steps.map((m) => m * 10 ** (first + i))).flat();
  return [...all, 10 ** last];
}

// years are round years from low to high.
/** @type {(low: number, high: number, most: number) => number[]} */
export function years(low, high, most) {
  const step = Math.max(1, round((high - low) / most)), list = [];
  for (let year = Math.ceil(low / step) * step; year <= high + 1e-9; year += step) list.push(year);
  return list.length ? list : [Math.floor(low)];
}
