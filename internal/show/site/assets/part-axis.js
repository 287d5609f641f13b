// What the axes of a chart show. The steps are those of scale.go; a test holds the two together.

// round is the nearest of 1, 2, 5, 10, 20, … that is not smaller.
/** @param {number} raw */
export function round(raw) {
  if (!(raw > 0) || raw === Infinity) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw * (1 - 1e-9)) ?? 1;
}

// scaled answers with the place of a value, of which the ends are given.
/**
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 */
export function scaled(low, high, from, to) {
  const place = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  const part = (/** @type {number} */ v) => (high === low ? 0.5 : (v - low) / (high - low));
  return (/** @type {number} */ v) => place(from + part(v) * (to - from));
}

// extent is what a picture of some lines has to cover, as round numbers from the lowest to the highest: from zero, or
// from where the publisher wants it, or from the lowest value on. cuttable says whether zero is outside of the values.
/**
 * @param {{ values: number[], lower?: number[], upper?: number[] }[]} lines
 * @param {boolean} zero
 * @param {number | undefined} from
 */
export function extent(lines, zero, from) {
  let low = Infinity, high = -Infinity;
  for (const s of lines) s.values.forEach((v, i) => {
    if (v == null) return;
    low = Math.min(low, v, s.lower?.[i] ?? v);
    high = Math.max(high, v, s.upper?.[i] ?? v);
  });
  if (low > high) [low, high] = [0, 1];
  const cuttable = low > 0 || high < 0;
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  else if (from != null && from <= low) low = from;
  if (low === high) high = low + 1;
  const step = round((high - low) / 5), first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return { cuttable, ticks: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step) };
}
