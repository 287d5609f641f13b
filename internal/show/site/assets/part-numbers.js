// Formats numbers and dates, as numbers.go does.

/** @type {Numbers} */
let how;
/** @type {Words} */
export let say;

/** @param {Words} words */
export function speak(words) { [say, how] = [words, words.numbers]; }

// local writes a number that has English digits and marks.
/** @param {string} text */
export const local = (text) => (how.marks ? text.replace(/[\d,.−-]/g, (c) => how.marks[c]) : text);

/** @type {FilledOf} */
export const filled = (sentence, values) => sentence.replace(/{(\w+)}/g, (_, name) => values[name]);

/** @type {WrittenOf} */
export const written = (v, decimals) => local(v.toLocaleString("en", {
  minimumFractionDigits: decimals ?? 0, maximumFractionDigits: decimals ?? 12,
}).replace("-", "−"));

// counted writes a number of things in the form that the language has for it.
/** @type {CountedOf} */
export const counted = (forms, n, tag) => filled(forms[new Intl.PluralRules(tag).select(n)], { n: written(n) });

// brief writes a value or, if it is very small, in millionths or billionths.
/** @type {WrittenOf} */
export function brief(v, decimals) {
  const size = Math.abs(v), tiny = size < 1e-7;
  if (!v || size >= 1e-4) return written(v, decimals);
  return filled(tiny ? how.billion : how.million, { n: written(Number((v * (tiny ? 1e9 : 1e6)).toPrecision(4))) });
}

// unitBeside is a unit next to a value. Next to 1 it is in parentheses, as its words may be a plural.
/** @param {string} value @param {string} unit */
export const unitBeside = (value, unit) => (value === written(1) ? `(${unit})` : unit);

// tickText writes a round number short.
/** @param {number} v */
export function tickText(v) {
  const size = Math.abs(v), [, by, form] = how.ticks.find(([least]) => size >= least);
  return filled(form, { n: local(String(v && size < 1e-6 ? v : Math.round(v / by * 1e6) / 1e6).replace(/^-/, "−")) });
}

// percentText writes a change, with its sign.
/** @param {number} v */
export const percentText = (v) => (v > 0 ? "+" : "") + filled(how.percent, { n: tickText(v) });

// when formats a period.
/** @param {string} period */
export function when(period) {
  const [, year, part, n, mm, dd] = /^(\d{4})(?:-(?:([QW])0?(\d+)|(\d\d)(?:-(\d\d))?))?$/.exec(period) ?? [];
  if (!year) return how.marks ? `\u2066${period}\u2069` : period; // a code, from left to right
  const names = { year, n, mm, dd, d: String(Number(dd)), month: how.months[Number(mm) - 1] };
  return local(part ? filled(part === "Q" ? how.quarter : how.week, names)
    : mm ? filled(dd ? how.date : how.month, names) : year);
}
