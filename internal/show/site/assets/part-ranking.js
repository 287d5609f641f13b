// The picture of areas by size, and the map: both of one period.
import { scaled, ticksOf } from "./part-axis.js";
import { look } from "./part-lines.js";
import { tickText } from "./part-numbers.js";
import { shape } from "./part-svg.js";
import { compared, descending, drawable, ofChart, textOf } from "./part-view.js";

/** @typedef {import("./part-svg.js").Shape} Shape */
/** @typedef {import("./types").SeriesFile} SeriesFile */
/** @typedef {import("./types").View} View */

const ROW = 21;

// rankingPicture has a bar for each area, the largest first. Regions are there when they are picked.
/** @type {(file: SeriesFile, view: View, width: number) => { parts: Shape[], height: number }} */
export function rankingPicture(file, view, width) {
  const all = compared(file, view).filter(({ s }) => (drawable(file, s, view.to) || s.texts?.[view.to]));
  const countries = all.some(({ s }) => s.rank === 2);
  const rows = all.filter(({ s, slot }) => !countries || s.rank === 2 || slot >= 0)
    .sort((a, b) => descending(a.s.values[view.to], b.s.values[view.to]) || (a.s.name < b.s.name ? -1 : 1));
  const values = rows.map(({ s }) => s.values[view.to] ?? 0);
  const left = Math.min(width * 0.4, 16 + 7 * Math.max(0, ...rows.map(({ s }) => s.name.length)));
  const room = 14 + 7.5 * Math.max(0, ...rows.map(({ s }) => textOf(file, s, view.to).length));
  const x = scaled(Math.min(0, ...values), Math.max(0, ...values) || 1, left, width - room);
  const most = Math.floor((left - 10) / 7);
  const parts = rows.map(({ s, i, slot }, row) => {
    const v = s.values[view.to], y = 4 + row * ROW;
    const name = s.name.length > most ? `${s.name.slice(0, most - 1)}…` : s.name;
    const from = Math.min(x(0), x(v ?? 0)), wide = Math.abs(x(v ?? 0) - x(0));
    return shape("g", { class: slot >= 0 ? look(slot) : "other", "data-series": i },
      shape("text", { class: "tick", x: left - 8, y: y + 13 }, name),
      shape("rect", { class: "bar", x: from, y: y + 2, width: Math.max(wide, v == null ? 0 : 1), height: ROW - 6 }),
      shape("text", { class: "value", x: from + wide + 6, y: y + 13 }, textOf(file, s, view.to)));
  });
  return { parts, height: 8 + rows.length * ROW };
}

// classesOf are the limits between the colours of a map, the same for all periods: round numbers, and powers of ten
// where a few values are much larger than most.
/** @type {(file: SeriesFile, chart: number) => number[]} */
export function classesOf(file, chart) {
  const values = ofChart(file, chart).flatMap((n) => file.series[n].values.filter((v, i) =>
    v != null && file.series[n].rank === 2 && drawable(file, file.series[n], i))).sort((a, b) => a - b);
  if (!values.length) return [];
  const [low, middle, high] = [values[0], values[values.length >> 1], values.at(-1)];
  if (low < 0 || high <= 30 * middle || high <= 0) return ticksOf(Math.min(0, low), high).slice(1, -1);
  const top = Math.floor(Math.log10(high));
  return Array.from({ length: 6 }, (_, i) => 10 ** (top - 5 + i));
}

/** @typedef {{ size: number[], shapes: Record<string, string>, dots: Record<string, number[]> }} World */
/** @typedef {{ parts: Shape[], height: number }} Picture */

// mapPicture has a colour for each area that the map knows.
/** @type {(file: SeriesFile, view: View, world: World, width: number, none: string) => Picture} */
export function mapPicture(file, view, world, width, none) {
  const by = width / world.size[0], limits = classesOf(file, view.chart);
  const of = new Map(compared(file, view).map((row) => [row.s.area, row]));
  const classOf = (/** @type {number} */ v) => `m${limits.filter((limit) => v >= limit).length}`;
  const part = (/** @type {string} */ name, /** @type {string} */ code, /** @type {Record<string, any>} */ place) => {
    const row = of.get(code), has = row && drawable(file, row.s, view.to);
    const more = row ? { "data-series": row.i } : {}, picked = row?.slot >= 0 ? " picked" : "";
    return shape(name, { class: (has ? classOf(row.s.values[view.to]) : "none") + picked, ...place, ...more });
  };
  const land = Object.entries(world.shapes).map(([code, d]) => part("path", code, { d }));
  const dots = Object.entries(world.dots).filter(([code]) => of.has(code))
    .map(([code, [cx, cy]]) => part("circle", code, { cx, cy, r: Math.min(5, 3 / by) }));
  const step = Math.min(70, (width - 110) / (limits.length + 1)), y = world.size[1] * by + 18;
  const legend = Array.from({ length: limits.length + 1 }, (_, i) => [
    shape("rect", { class: `m${i}`, x: 8 + i * step, y, width: step, height: 12 }),
    ...(i ? [shape("text", { class: "year", x: 8 + i * step, y: y + 28 }, tickText(limits[i - 1]))] : []),
  ]).flat();
  legend.push(shape("rect", { class: "none", x: 24 + (limits.length + 1) * step, y, width: 16, height: 12 }),
    shape("text", { x: 46 + (limits.length + 1) * step, y: y + 10 }, none));
  const transform = `translate(0 4) scale(${by.toFixed(4)})`;
  return { parts: [shape("g", { class: "land", transform }, ...land, ...dots), ...legend], height: y + 36 };
}
