// The picture of areas by size, and the map: both of one period.
import { scaled } from "./part-axis.js";
import { look } from "./part-lines.js";
import { say, tickText } from "./part-numbers.js";
import { shape } from "./part-svg.js";
import { compared, limitOf, ranked, valueAt } from "./part-view.js";

const ROW = 21;

// rankingPicture draws bars of countries, then of regions to a scale of their own.
/** @type {DrawView} */
export function rankingPicture(file, view, width) {
  const rows = ranked(file, view);
  const cut = rows.findIndex(({ s }) => s.rank < 2), end = cut > 0 ? cut : rows.length, both = end < rows.length;
  const size = (/** @type {Ranked} */ { s, v }) => limitOf(s, v.at) ?? s.values[v.at];
  const said = (/** @type {Ranked} */ { v }) => v.text + (v.more && ` (${v.more})`);
  const left = Math.min(width * (width < 480 ? 0.3 : 0.4), 16 + 7 * Math.max(0, ...rows.map(({ s }) => s.name.length)));
  const room = 14 + 6.6 * Math.max(0, ...rows.map((row) => said(row).length));
  const scales = [rows.slice(0, end), rows.slice(end)].map((list) => {
    const values = list.map((row) => size(row) ?? 0);
    return scaled(Math.min(0, ...values), Math.max(0, ...values) || 1, left, width - room);
  });
  const most = Math.floor((left - 10) / 7);
  const parts = rows.map((of, row) => {
    const { s, i, slot } = of, v = size(of), part = Number(row >= end), x = scales[part];
    const y = 4 + (row + 2 * part) * ROW;
    const name = s.name.length > most ? `${s.name.slice(0, most - 1)}…` : s.name;
    const bar = s.below?.[of.v.at] != null ? "bar bound" : "bar";
    const from = Math.min(x(0), x(v ?? 0)), wide = Math.abs(x(v ?? 0) - x(0));
    return shape("g", { class: slot >= 0 ? look(slot) : "other", "data-series": i },
      shape("text", { class: "tick", x: left - 8, y: y + 13 }, name),
      shape("rect", { class: bar, x: from, y: y + 2, width: Math.max(wide, v == null ? 0 : 1), height: ROW - 6 }),
      shape("text", { class: "value", x: from + wide + 6, y: y + 13 }, said(of)));
  });
  if (both) parts.push(shape("text", { class: "group", x: 4, y: 17 + (cut + 1) * ROW }, say.ownScale));
  return { parts, height: 8 + (rows.length + (both ? 2 : 0)) * ROW };
}

const MISSING = { fill: "url(#missing)" };

/** @type {DrawMap} */
export function mapPicture(file, view, world, width) {
  const by = width / world.size[0], ends = file.charts[view.chart].classes ?? [], limits = ends.slice(1, -1);
  const of = new Map(compared(file, view).map((row) => [row.s.area, row]));
  const below = limits.indexOf(0) + 1; // how many classes are of values below zero
  const nameOf = (/** @type {number} */ i) => (i < below ? `b${below - i}` : `m${below ? i - below + 2 : i}`);
  const classOf = (/** @type {number} */ v) => nameOf(limits.filter((limit) => v >= limit).length);
  const part = (/** @type {string} */ name, /** @type {string} */ code, /** @type {Record<string, any>} */ place) => {
    const row = of.get(code), v = row?.s.values[valueAt(file, row.s, view.to).at];
    const more = row ? { "data-series": row.i } : {}, picked = row?.slot >= 0 ? " picked" : "";
    const filled = v != null ? { class: classOf(v) + picked } : { ...MISSING, class: `none${picked}` };
    return shape(name, { ...filled, ...place, ...more });
  };
  const land = Object.entries(world.shapes).map(([code, d]) => part("path", code, { d }));
  const dots = Object.entries(world.dots).filter(([code]) => of.has(code))
    .map(([code, [cx, cy]]) => part("circle", code, { cx, cy, r: Math.min(5, 3 / by) }));
  const step = Math.min(70, (width - 170) / (limits.length + 1)), y = world.size[1] * by + 18;
  const legend = ends.slice(1).map((_, i) =>
    shape("rect", { class: nameOf(i), "data-class": nameOf(i), x: 30 + i * step, y, width: step, height: 12 }));
  legend.push(...ends.map((v, i) => shape("text", { class: "year", x: 30 + i * step, y: y + 28 }, tickText(v))));
  const last = 56 + (limits.length + 1) * step;
  legend.push(shape("rect", { ...MISSING, class: "none", "data-class": "none", x: last, y, width: 16, height: 12 }),
    shape("text", { x: last + 22, y: y + 10 }, say.noValue));
  const transform = `translate(0 4) scale(${by.toFixed(4)})`;
  const hatch = shape("pattern", { id: "missing", width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    shape("rect", { class: "blank", width: 6, height: 6 }),
    shape("path", { class: "hatch", d: "M-1 1L1-1M0 6L6 0M5 7L7 5" }));
  const map = shape("g", { class: "land", transform }, ...land, ...dots);
  return { parts: [map, ...legend, shape("defs", {}, hatch)], height: y + 36 };
}
