// How numbers, dates and what is counted are written, as numbers.go does when the release is built; a test holds the
// two together.

/** @type {import("./types").Numbers} */
let how;
/** @type {Intl.PluralRules} */
let rules;

// speak says in which language. The page has what belongs to it.
/** @param {import("./types").Numbers} numbers */
export function speak(numbers) {
  how = numbers;
  rules = new Intl.PluralRules(how.tag);
}

// local writes a number that has English digits and marks.
/** @param {string} text */
export const local = (text) => (how.digits ? text.replace(/[\d,.−-]/g, (c) =>
  (c === "," ? how.group : c === "." ? how.point : how.digits[Number(c)] ?? how.minus)) : text);

// filled is a sentence with what belongs into its holes.
/** @type {(sentence: string, values: Record<string, string>) => string} */
export const filled = (sentence, values) => sentence.replace(/{(\w+)}/g, (_, name) => values[name]);

// written is a number.
/** @type {(v: number, decimals?: number) => string} */
export const written = (v, decimals) => local(v.toLocaleString("en", {
  minimumFractionDigits: decimals ?? 0, maximumFractionDigits: decimals ?? 12,
}).replace("-", "−"));

// counted says something of a number.
/** @type {(forms: Record<string, string>, n: number) => string} */
export const counted = (forms, n) => filled(forms[rules.select(n)] ?? forms.other, { n: written(n) });

// tickText writes a round number short.
/** @param {number} v */
export function tickText(v) {
  const short = (/** @type {number} */ n) => String(Math.round(n * 1e6) / 1e6), size = Math.abs(v);
  const fill = (/** @type {string} */ form, /** @type {string} */ text) => filled(form, { n: local(text) });
  if (size >= 1e9) return fill(how.billions, String(v / 1e9));
  if (size >= 1e6) return fill(how.millions, short(v / 1e6));
  return size >= 1e4 ? fill(how.thousands, short(v / 1e3)) : local(v && size < 1e-6 ? String(v) : short(v));
}

// date writes a day or a month.
/** @param {string} day */
export function date(day) {
  const [year, mm, dd] = day.split("-").map(local), [, month, d] = day.split("-").map(Number);
  return filled(dd ? how.date : how.month, { year, mm, dd, month: how.months?.[month - 1], d: local(String(d)) });
}

// when writes a period: a year, a month or a day in words, any other as it is.
/** @param {string} period */
export function when(period) {
  if (/^\d{4}$/.test(period)) return local(period);
  if (!how.months) return period;
  return /^\d{4}-\d\d(-\d\d)?$/.test(period) ? date(period) : `\u2066${period}\u2069`; // a code, from left to right
}
