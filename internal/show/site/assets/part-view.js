// What is seen of an indicator: which areas, periods and scale. It stands in the address, and is what is taken away.
import { written } from "./part-numbers.js";

/** @typedef {import("./types").SeriesFile} SeriesFile */
/** @typedef {import("./types").Series} Series */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").ShownLine} ShownLine */

/** @type {(s: Series, i: number) => string} */
export const statusOf = (s, i) => (typeof s.status === "string" ? s.status : s.status[i]);

// drawable says whether a line goes through a value: there is one, and it was not taken back.
/** @type {(file: SeriesFile, s: { values: number[], of?: Series }, i: number) => boolean} */
export const drawable = (file, s, i) =>
  s.values[i] != null && !file.lost.includes(statusOf(s.of ?? /** @type {any} */ (s), i));

// idOf names a series in the address.
/** @param {Series} s */
const idOf = (s) => s.area + (s.detail ? `:${s.detail}` : "");

// ofChart are the numbers of the series of a chart.
/** @type {(file: SeriesFile, chart: number) => number[]} */
export const ofChart = (file, chart) => file.series.flatMap((s, i) => (s.chart === chart ? [i] : []));

// rangeOf are the first and the last period in which a chart has a value.
/** @type {(file: SeriesFile, chart: number) => [number, number]} */
export function rangeOf(file, chart) {
  const list = file.series.filter((s) => s.chart === chart);
  const has = file.at.map((_, i) => list.some((s) => (s.values[i] ?? s.texts?.[i]) != null));
  return [Math.max(0, has.indexOf(true)), Math.max(0, has.lastIndexOf(true))];
}

// detailsOf are the breakdowns of a chart's series.
/** @type {(file: SeriesFile, chart: number) => string[]} */
export const detailsOf = (file, chart) => [...new Set(ofChart(file, chart).map((i) => file.series[i].detail ?? ""))];

// viewOf is a chart as it is seen at first.
/** @type {(file: SeriesFile, chart: number) => View} */
export function viewOf(file, chart) {
  const [from, to] = rangeOf(file, chart), { picked, from: begins } = file.charts[chart];
  const tab = !picked.length ? "table" : from === to && ofChart(file, chart).length > 1 ? "ranking" : "line";
  return {
    tab, chart, slots: [...picked], from, to, zero: begins == null, log: false, relative: false,
    detail: detailsOf(file, chart)[0], sort: "",
  };
}

// parse reads a view from an address. What is unknown is passed over.
/** @type {(file: SeriesFile, query: URLSearchParams) => View} */
export function parse(file, query) {
  const unit = query.get("unit");
  const view = viewOf(file, Math.max(0, file.charts.findIndex((c) => c.unit === unit)));
  const known = new Map(ofChart(file, view.chart).map((i) => [idOf(file.series[i]), i]));
  const ids = query.get("areas")?.split(/[*~]/), areas = ids?.map((id) => known.get(id) ?? null);
  if (areas?.some((i) => i != null) || ids?.every((id) => !id)) view.slots = areas;
  const one = known.get(query.get("area")); // the search leads to an area
  if (one != null && !view.slots.includes(one)) view.slots[Math.min(view.slots.length, 7)] = one;
  const [from, to] = (query.get("time") ?? "").split("..").map((name) => file.names.indexOf(name));
  if (from >= 0 && to >= from) [view.from, view.to] = [from, to];
  if (["line", "table", "ranking", "map"].includes(query.get("tab"))) view.tab = query.get("tab");
  if (query.has("zero")) view.zero = query.get("zero") === "1";
  view.log = query.get("scale") === "log";
  view.relative = query.get("scale") === "relative";
  if (detailsOf(file, view.chart).includes(query.get("detail"))) view.detail = query.get("detail");
  view.sort = query.get("sort") ?? "";
  return view;
}

// addressOf is what stands in the address: only what is not as at first.
/** @type {(file: SeriesFile, view: View) => Record<string, string>} */
export function addressOf(file, view) {
  const first = viewOf(file, view.chart), areas = (/** @type {View} */ v) =>
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

// toggle shows an area or takes it away. The others keep their colours.
/** @type {(view: View, i: number) => void} */
export function toggle(view, i) {
  const at = view.slots.indexOf(i), free = view.slots.indexOf(null);
  if (at >= 0) view.slots[at] = null;
  else view.slots[free >= 0 ? free : view.slots.length] = i;
}

// lineOf is a series as the scale of a view has it.
/** @type {(file: SeriesFile, view: View, s: Series, slot: number) => ShownLine} */
function lineOf(file, view, s, slot) {
  const base = view.relative && s.values.find((_, i) => i >= view.from && drawable(file, s, i));
  const scale = (/** @type {number} */ v, /** @type {number} */ i) => {
    if (v == null || i < view.from || i > view.to || view.log && v <= 0) return null;
    return view.relative ? (base > 0 ? (v / base - 1) * 100 : null) : v;
  };
  const bounds = view.relative ? undefined : s.lower;
  return {
    of: s, slot, name: s.name, values: s.values.map(scale),
    lower: bounds?.map(scale), upper: bounds && s.upper.map(scale),
  };
}

/** @type {(file: SeriesFile, view: View) => ShownLine[]} */
export const shownLines = (file, view) =>
  view.slots.flatMap((i, slot) => (i == null ? [] : [lineOf(file, view, file.series[i], slot)]));

// shownBehind are drawn thin behind the lines, unless the scale is another than theirs.
/** @type {(file: SeriesFile, view: View) => ShownLine[]} */
export function shownBehind(file, view) {
  if (view.relative) return [];
  const { behind, picked } = file.charts[view.chart];
  return [...behind, ...picked].filter((i) => !view.slots.includes(i))
    .map((i) => lineOf(file, view, file.series[i], -1));
}

// compared are the series that stand side by side in a table, a ranking or a map.
/** @type {(file: SeriesFile, view: View) => { s: Series, i: number, slot: number }[]} */
export const compared = (file, view) => ofChart(file, view.chart)
  .map((i) => ({ s: file.series[i], i, slot: view.slots.indexOf(i) }))
  .filter(({ s }) => (s.detail ?? "") === view.detail);

// textOf is the value of a period in words; "–" where there is none.
/** @type {(file: SeriesFile, s: Series, i: number) => string} */
export const textOf = (file, s, i) =>
  s.texts?.[i] ?? (s.values[i] == null ? "–" : written(s.values[i], file.charts[s.chart].decimals));

// descending puts the largest first, and what has no value last.
/** @type {(a: number | null, b: number | null) => number} */
export const descending = (a, b) => (a == null || b == null ? Number(a == null) - Number(b == null) : b - a);

// noteOf is what a reader must know of a value; "" for a normal one.
/** @type {(file: SeriesFile, s: Series, i: number) => string} */
export function noteOf(file, s, i) {
  const status = statusOf(s, i);
  if (!status || status === "A" || s.values[i] == null && !s.texts?.[i] && typeof s.status === "string") return "";
  return file.status.find(([word]) => word === status)?.[1] ?? status;
}

// csvOf is what is seen as a table: a row for each value, with where it comes from and how it may be used.
/** @type {(file: SeriesFile, view: View) => string} */
export function csvOf(file, view) {
  const quoted = (/** @type {any} */ v) =>
    (/[",\n\r]/.test(String(v ?? "")) ? `"${String(v).replaceAll('"', '""')}"` : v ?? "");
  const lines = () => shownLines(file, view).map(({ of }) => of);
  const list = view.tab === "line" ? lines() : compared(file, view).map(({ s }) => s);
  const first = view.tab === "ranking" || view.tab === "map" ? view.to : view.from, unit = file.charts[view.chart].unit;
  const rows = list.flatMap((s) => file.at.flatMap((_, i) => {
    if (i < first || i > view.to || (s.values[i] ?? s.texts?.[i]) == null) return [];
    return [[file.title, s.name, s.area, file.names[i], s.texts?.[i] ?? s.values[i], s.lower?.[i], s.upper?.[i], unit,
      noteOf(file, s, i), file.sources, file.credit, file.license, file.page]];
  }));
  const head = ["indicator", "area", "area_code", "period", "value", "lower", "upper", "unit", "status", "source",
    "publisher", "licence", "address"];
  return [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}
