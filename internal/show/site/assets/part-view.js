// What is seen of an indicator, as it stands in the address.
import { brief, filled, percentText, say, when } from "./part-numbers.js";

/** @type {(s: Series, i: number) => string} */
export const statusOf = (s, i) => (typeof s.status === "string" ? s.status : s.status[i]);

// drawable reports whether a value exists and was not withdrawn.
/** @type {DrawableOf} */
export const drawable = (file, s, i) =>
  s.values[i] != null && !file.lost.includes(statusOf(s.of ?? /** @type {any} */ (s), i));

// limitOf is what a value is only known to be below or above of.
/** @type {LimitOfOf} */
export const limitOf = (s, i) => s.below?.[i] ?? s.above?.[i];

// sizeOf returns the number by which a value is ranked.
/** @type {OfValue<number | null>} */
export const sizeOf = (file, s, i) =>
  (drawable(file, s, i) ? s.values[i] : s.below?.[i] != null ? s.below[i] / 2 : s.above?.[i]);

// shownOf is a value, or its text.
/** @type {(s: Series, i: number) => number | string | null} */
export const shownOf = (s, i) => s.values[i] ?? s.texts?.[i];

// has says whether a series has something in a period that was not withdrawn.
/** @type {HasOf} */
const has = (file, s, i) => shownOf(s, i) != null && !file.lost.includes(statusOf(s, i));

// real says whether that is more than a forecast.
/** @type {HasOf} */
const real = (file, s, i) => has(file, s, i) && statusOf(s, i)[0] !== "F";

// valueAt returns the value at a period, or if that is missing or retracted, the closest earlier value that is not a
// forecast. at is -1 without one.
/** @type {OfValue<Shown>} */
export function valueAt(file, s, i) {
  const least = s.ends <= file.at[i] ? i + 1 : Math.max(0, i - file.reach); // not that of another edition
  let at = i;
  if (!has(file, s, i)) while (at >= least && !real(file, s, at)) at--;
  if (at < least) at = -1;
  const { decimals } = file.charts[s.chart], retracted = at !== i && shownOf(s, i) != null;
  const text = at < 0 ? "–" : s.texts?.[at] ?? brief(s.values[at], decimals);
  const notes = [at < 0 || at === i ? "" : when(file.names[at]), noteOf(file, s, at)].filter(Boolean).join(say.comma);
  const more = [notes, retracted && `${when(file.names[i])}: ${noteOf(file, s, i)}`].filter(Boolean).join("; ");
  return { at, text, more, size: sizeOf(file, s, at) };
}

// noteOf is what a reader must know of a value; "" for a normal one.
/** @type {OfValue<string>} */
function noteOf(file, s, i) {
  const status = shownOf(s, i) == null && typeof s.status === "string" ? "" : statusOf(s, i) ?? "";
  const words = status.split(" ").filter((word) => word && word !== "A");
  return [...words.map((w) => file.status.find(([word]) => word === w)?.[1] ?? w), s.breaks?.[i]].filter(Boolean)
    .join(say.comma);
}

// nowOf returns the last period with more than forecasts, otherwise the first with forecasts.
/** @type {OfPart<number>} */
export function nowOf(file, { chart, to }) {
  const of = (/** @type {HasOf} */ some) => (/** @type {any} */ _, /** @type {number} */ i) =>
    i <= to && file.series.some((s) => s.chart === chart && some(file, s, i));
  const at = file.at.findLastIndex(of(real)), first = file.at.findIndex(of(has));
  return at >= 0 ? at : first < 0 ? to : first;
}

/** @param {string} tab */
export const isOne = (tab) => tab === "ranking" || tab === "map"; // of one period

// endOf returns the period that a view ends with at first.
/** @type {OfPart<number>} */
export function endOf(file, { chart, tab }) {
  const [, to] = rangeOf(file, chart);
  return isOne(tab) ? nowOf(file, { chart, to }) : to;
}

// brokenIn says whether a series breaks after one period, up to another.
/** @type {BrokenInOf} */
export const brokenIn = (s, from, to) => Object.keys(s.breaks ?? {}).some((i) => Number(i) > from && Number(i) <= to);

/** @param {Series} s */
const idOf = (s) => s.id ?? s.area + (s.detail ? `:${s.detail}` : "");

/** @type {OfChart<number[]>} */
export const ofChart = (file, chart) => file.series.flatMap((s, i) => (s.chart === chart ? [i] : []));

// rangeOf are the first and the last period in which a chart has a value.
/** @type {OfChart<[number, number]>} */
export function rangeOf(file, chart) {
  const list = file.series.filter((s) => s.chart === chart);
  const has = file.at.map((_, i) => list.some((s) => shownOf(s, i) != null));
  return [Math.max(0, has.indexOf(true)), Math.max(0, has.lastIndexOf(true))];
}

// isIn says whether a series is in a slice. The latest edition of an area is also in the slice without editions.
/** @type {(s: Series, slice: string) => boolean} */
const isIn = (s, slice) => (s.detail ?? "") === slice || s.slice === slice;

/** @type {OfChart<string[]>} */
export const detailsOf = (file, chart) => [...new Set(ofChart(file, chart)
  .map((i) => file.series[i]).flatMap(({ slice: latest, detail = "" }) => [latest ?? detail, detail]))];

/** @type {OfChart<View>} */
export function viewOf(file, chart) {
  const [from, to] = rangeOf(file, chart), { picked, from: begins } = file.charts[chart];
  const tab = !picked.length ? "table" : from === to && ofChart(file, chart).length > 1 ? "ranking" : "line";
  return {
    tab, chart, slots: [...picked], from, to, zero: begins == null, log: false, relative: false,
    detail: (file.charts[chart].dimensions && (file.series[picked[0]]?.slice ?? file.series[picked[0]]?.detail))
      ?? detailsOf(file, chart)[0], sort: "",
  };
}

// sliced returns the series to choose areas from: of broken-down values, those of the current slice.
/** @type {Of<number[]>} */
export const sliced = (file, { chart, detail }) => ofChart(file, chart).filter((i) =>
  !file.charts[chart].dimensions || isIn(file.series[i], detail));

// slice selects a value of a dimension, and keeps the others if possible.
/** @type {(file: SeriesFile, view: View, d: number, value: number) => void} */
export function slice(file, view, d, value) {
  const { by: now } = file.series[sliced(file, view)[0]];
  const alike = (/** @type {Series} */ { by }) => by.filter((v, n) => v === now[n]).length;
  const [best] = file.series.filter((s) => s.chart === view.chart && s.by[d] === value)
    .sort((a, b) => alike(b) - alike(a));
  view.detail = best.slice ?? best.detail ?? "";
  view.slots = inSlice(file, view);
}

// inSlice returns the selected areas in the current slice.
/** @type {Of<(number | null)[]>} */
const inSlice = (file, view) => view.slots.map((n) =>
  sliced(file, view).find((i) => file.series[i].area === file.series[n]?.area) ?? null);

// parse reads a view from an address. What is unknown is passed over.
/** @type {ParseOf} */
export function parse(file, query) {
  const unit = query.get("unit");
  const view = viewOf(file, Math.max(0, file.charts.findIndex((c) => c.unit === unit)));
  const known = new Map(); // an area alone stands for its first series, which is its newest edition
  for (const i of ofChart(file, view.chart).toReversed()) known.set(file.series[i].area, i);
  for (const i of ofChart(file, view.chart)) known.set(idOf(file.series[i]), i);
  const ids = query.get("areas")?.split(/[*~]/), areas = ids?.map((id) => known.get(id) ?? null);
  if (areas?.some((i) => i != null) || ids?.every((id) => !id)) view.slots = areas;
  const one = known.get(query.get("area")); // the search leads to an area
  if (one != null && !view.slots.includes(one)) view.slots[Math.min(view.slots.length, 7)] = one;
  if (one != null) view.lead = one;
  if (["line", "table", "ranking", "map"].includes(query.get("tab"))) view.tab = query.get("tab");
  view.to = endOf(file, view);
  const [from, to = from] = (query.get("time") ?? "").split("..").map((name) => file.names.indexOf(name));
  if (from >= 0 && to >= from) [view.from, view.to] = [from, to];
  if (query.has("zero")) view.zero = query.get("zero") === "1";
  view.log = query.get("scale") === "log";
  view.relative = query.get("scale") === "relative";
  if (detailsOf(file, view.chart).includes(query.get("detail"))) view.detail = query.get("detail");
  if (file.charts[view.chart].dimensions) view.slots = inSlice(file, view);
  view.sort = query.get("sort") ?? "";
  return view;
}

// addressOf is what stands in the address: only what is not as at first.
/** @type {Of<Record<string, string>>} */
export function addressOf(file, view) {
  const first = { ...viewOf(file, view.chart), to: endOf(file, view) }, areas = (/** @type {View} */ v) =>
    v.slots.map((i) => (i == null ? "" : idOf(file.series[i]))).join("*").replace(/\*+$/, "");
  const unlike = (/** @type {boolean} */ differs, /** @type {string} */ text) => (differs ? text : "");
  return {
    tab: unlike(view.tab !== first.tab, view.tab),
    unit: unlike(view.chart > 0, file.charts[view.chart].unit),
    areas: unlike(areas(view) !== areas(first), areas(view) || "*"),
    time: unlike(view.from !== first.from || view.to !== first.to, `${file.names[view.from]}..${file.names[view.to]}`),
    zero: unlike(view.zero !== first.zero, view.zero ? "1" : "0"),
    scale: view.log ? "log" : unlike(view.relative, "relative"),
    detail: unlike(view.detail !== first.detail, view.detail),
    sort: view.sort,
  };
}

/** @type {(view: View, i: number) => void} */
export function toggle(view, i) {
  const at = view.slots.indexOf(i), free = view.slots.indexOf(null);
  if (at >= 0) view.slots[at] = null;
  else view.slots[free >= 0 ? free : view.slots.length] = i;
}

// baseOf returns the period that relative changes start from: the first with a value.
/** @type {Of<number>} */
function baseOf(file, view) {
  const at = file.at.findIndex((_, i) =>
    i >= view.from && view.slots.some((n) => n != null && drawable(file, file.series[n], i)));
  return at < 0 ? view.from : at;
}

// lineOf scales a series. Relative changes end at a break.
/** @type {LineOfOf} */
function lineOf(file, view, s, slot) {
  const at = view.relative ? baseOf(file, view) : view.from, base = drawable(file, s, at) ? s.values[at] : 0;
  const each = (/** @type {any} */ list) => list && file.at.map((_, i) => {
    const v = list[i];
    if (v == null || i < at || i > view.to || view.log && v <= 0) return null;
    return !view.relative ? v : base > 0 && !brokenIn(s, at, i) ? (v / base - 1) * 100 : null;
  });
  const { lower, upper, below, above } = view.relative ? /** @type {any} */ ({}) : s;
  return {
    of: s, slot, name: s.name, values: each(s.values), lower: each(lower), upper: each(upper), below: each(below),
    above: each(above),
  };
}

/** @type {Of<ShownLine[]>} */
export const shownLines = (file, view) =>
  view.slots.flatMap((i, slot) => (i == null ? [] : [lineOf(file, view, file.series[i], slot)]));

// shownBehind returns the thin lines.
/** @type {Of<ShownLine[]>} */
export function shownBehind(file, view) {
  if (view.relative) return [];
  const { behind, picked } = file.charts[view.chart];
  return [...behind, ...picked].filter((i) => !view.slots.includes(i))
    .map((i) => lineOf(file, view, file.series[i], -1));
}

/** @type {Of<Compared[]>} */
export const compared = (file, view) => ofChart(file, view.chart)
  .map((i) => ({ s: file.series[i], i, slot: view.slots.indexOf(i) }))
  .filter(({ s }) => isIn(s, view.detail) && !(s.ends <= file.at[view.to]));

// ranked returns the areas with a value at or before the last period, sorted: countries, then regions.
/** @type {Of<Ranked[]>} */
export function ranked(file, view) {
  const back = view.sort === "to" ? -1 : 1;
  return compared(file, view).map((row) => ({ ...row, v: valueAt(file, row.s, view.to) }))
    .filter(({ v }) => v.at >= 0)
    .sort((a, b) => Number(a.s.rank < 2) - Number(b.s.rank < 2)
      || descending(a.v.size && back * a.v.size, b.v.size && back * b.v.size) || (a.s.name < b.s.name ? -1 : 1));
}

/** @type {Of<string>} */
export const unitOf = (file, view) => (view.relative && view.tab === "line"
  ? filled(say.relativeNote, { year: when(file.names[baseOf(file, view)]) }) : file.charts[view.chart].unit);

/** @type {Of<string>} */
export const periodOf = (file, { chart, from, to, tab }) =>
  (from === to || isOne(tab) ? "" : `${when(file.names[from])}–`) + when(file.names[to])
    + (nowOf(file, { chart, to }) < to ? say.comma + file.status.find(([word]) => word === "F")[1] : "");

// breaksOf returns the breaks of lines, with reasons.
/** @type {Of<{ i: number, text: string }[]>} */
export function breaksOf(file, view) {
  const lines = view.slots.filter((n) => n != null).map((n) => file.series[n]);
  const all = new Set(lines.flatMap((s) => Object.entries(s.breaks ?? {}).map((b) => JSON.stringify(b))));
  return [...all].map((key) => JSON.parse(key)).filter(([i]) => i > view.from && i <= view.to).map(([i, why]) => {
    const names = lines.filter((s) => s.breaks?.[i] === why).map(({ name }) => name);
    const whose = names.length < lines.length ? ` (${names.join("; ")})` : "";
    return { i: Number(i), text: `${when(file.names[i])}${whose}: ${why}` };
  }).sort((a, b) => a.i - b.i || (a.text < b.text ? -1 : 1));
}

// turnsOf are the days on which the areas of lines changed, by their numbers.
/** @type {Of<Turn[]>} */
export const turnsOf = (file, view) => (file.turns ?? []).map((t, n) => ({ ...t, n })).filter(({ at, of }) =>
  at > file.at[view.from] && at <= file.at[view.to] && of.some((i) => view.slots.includes(i)));

// notesOf returns what a reader must know of a view.
/** @type {Of<string[]>} */
export function notesOf(file, view) {
  if (view.tab !== "line") {
    const apart = compared(file, view).filter(({ s }) => s.rank > 1 && !/^[A-Z]{3}$/.test(s.area))
      .map(({ s }) => ({ s, v: valueAt(file, s, view.to) })).filter(({ v }) => v.at >= 0);
    return view.tab === "map" ? [say.mapNote, apart.map(({ s, v }) => `${s.name}: ${v.text}`).join("; ")] : [];
  }
  const at = baseOf(file, view), none = shownLines(file, view).filter((s) => view.relative && s.values[at] == null);
  const areas = none.map(({ name }) => name).join("; "), year = when(file.names[at]);
  return [...(view.log ? [say.logNote] : []), ...breaksOf(file, view).map(({ text }) => text),
    ...(areas ? [filled(say.relativeNone, { year, areas })] : [])];
}

// nameOf says what a picture shows, for those who do not see it.
/** @type {Of<string>} */
export function nameOf(file, view) {
  const all = view.tab === "line" ? shownLines(file, view).map(({ of }) => of) : ranked(file, view).map(({ s }) => s);
  const some = all.length > 8 ? [...all.slice(0, 3), all.at(-1)] : all;
  const to = isOne(view.tab) ? view.to : nowOf(file, view);
  const values = some.map((s) => `${s.name}: ${relativeText(file, view, s, to)} ${valueAt(file, s, to).more}`.trim())
    .join("; ");
  return `${file.title}. ${say[view.tab]}, ${periodOf(file, view)}, ${unitOf(file, view)}. ${values}`;
}

// relativeText formats a relative change with its value.
/** @type {OfValueIn<string>} */
export function relativeText(file, view, s, i) {
  const { at, text } = valueAt(file, s, i);
  if (!view.relative || view.tab !== "line") return text;
  const v = at < 0 ? null : lineOf(file, view, s, 0).values[at];
  return `${v == null ? "–" : percentText(Number(v.toFixed(1)))} (${text})`;
}

// descending puts what has no value last.
/** @type {DescendingOf} */
export const descending = (a, b) => (a == null || b == null ? Number(a == null) - Number(b == null) : b - a);

// csvOf returns the view as CSV.
/** @type {Of<string>} */
export function csvOf(file, view) {
  const quoted = (/** @type {any} */ v) =>
    (/[",\n\r]/.test(String(v ?? "")) ? `"${String(v).replaceAll('"', '""')}"` : v ?? "");
  const lines = () => shownLines(file, view).map(({ of }) => of);
  const list = view.tab === "line" ? lines() : compared(file, view).map(({ s }) => s);
  const first = isOne(view.tab) ? view.to : view.from, unit = file.charts[view.chart].unit;
  const rows = list.flatMap((s) => file.at.flatMap((_, i) => {
    if (i < first || i > view.to || shownOf(s, i) == null) return [];
    return [[file.title, s.name, s.area, file.names[i], s.texts?.[i] ?? s.values[i], s.lower?.[i], s.upper?.[i], unit,
      noteOf(file, s, i), file.sources, file.credit, file.license, file.page]];
  }));
  const head = ["indicator", "area", "area_code", "period", "value", "lower", "upper", "unit", "status", "source",
    "publisher", "licence", "address"];
  return [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}
