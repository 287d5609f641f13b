// The picture of lines, as drawing.go draws it when the release is built; a test holds the two together.
import { decades, extent, scaled, years } from "./part-axis.js";
import { local, tickText, when } from "./part-numbers.js";
import { shape } from "./part-svg.js";
import { drawable, shownLines, shownBehind, statusOf } from "./part-view.js";

/** @typedef {import("./part-svg.js").Shape} Shape */
/** @typedef {import("./types").SeriesFile} SeriesFile */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").ShownLine} ShownLine */
/** @typedef {(v: number) => number} Scale */

export const TOP = 14;
const BOTTOM = 26, NUMBERS = 22, DIGIT = 7, LETTER = 7.5, LEADER = 26, SHARE = 0.34, APART = 15, HUES = 8;

// look is the class of a line: its colour, and how it is drawn where another has the same.
/** @param {number} slot */
export const look = (slot) => `s${slot % HUES}${slot >= HUES ? ` d${Math.floor(slot / HUES) % 4}` : ""}`;

/** @type {(text: string, most: number) => string} */
const letters = (text, most) => ([...text].length > most ? `${[...text].slice(0, most).join("")}…` : text);

// rowsOf is a name in one row, or in two where one has no room for it and it has several words.
/** @type {(text: string, most: number) => string[]} */
const rowsOf = (text, most) => {
  const all = [...text], at = all.lastIndexOf(" ", most);
  if (all.length <= most || at < 1) return [letters(text, most)];
  return [all.slice(0, at).join(""), letters(all.slice(at + 1).join(""), most)];
};

// linesPicture draws the lines of a view. What it says of places is for those who point at it.
/**
 * @param {SeriesFile} file
 * @param {View} view
 * @param {number} width
 * @param {number} height
 * @param {string} cut what is said of an axis that does not begin at zero
 */
export function linesPicture(file, view, width, height, cut) {
  const lines = shownLines(file, view), behind = shownBehind(file, view);
  const { from } = file.charts[view.chart];
  const of = lines.length ? lines : behind;
  const begins = view.relative ? undefined : from;
  const axis = view.log ? { cuttable: false, ticks: decades(of) } : extent(of, view.zero, begins);
  const { ticks } = axis, [low, high] = [ticks[0], ticks.at(-1)];
  const longest = Math.max(0, ...lines.map(({ name }) => [...name].length));
  const room = Math.min(LEADER + 10 + LETTER * longest, SHARE * width);
  const left = NUMBERS + DIGIT * Math.max(...ticks.map((v) => tickText(v).length)), right = width - room;
  const ground = height - BOTTOM;
  const x = scaled(file.at[view.from], file.at[view.to], left, right), y = scaled(low, high, ground, TOP, view.log);
  /** @type {Shape[]} */
  const parts = [];
  for (const v of ticks) {
    parts.push(shape("path", { class: "grid", d: `M${left - 8} ${y(v)}H${right}` }),
      shape("text", { class: "tick", x: left - 14, y: y(v) + 4 }, tickText(v)));
  }
  for (const year of years(file.at[view.from], file.at[view.to], Math.trunc(Math.trunc(right) / 70))) {
    parts.push(shape("text", { class: "year", x: x(year), y: height - 6 }, local(String(year))));
  }
  if (!view.log && (low > 0 || high < 0)) {
    parts.push(shape("path", { class: "cut", d: `M${left - 14} ${ground}l4 -4l4 8l4 -8l4 4` }),
      shape("text", { class: "cut", x: left + 8, y: ground - 6 }, cut));
  }
  for (const s of behind) {
    if (s.values.every((v) => v == null || v >= low && v <= high)) {
      parts.push(shape("g", { class: "other" }, ...path(file, s, x, y)));
    }
  }
  for (const s of lines.toReversed()) {
    const drawn = [bands, path, marks].flatMap((draw) => draw(file, s, x, y));
    parts.push(shape("g", { class: look(s.slot) }, ...drawn));
  }
  parts.push(...lineNames(file, lines, x, y, right, ground, room));
  return { parts, lines, x, y, left, right, ground, cuttable: axis.cuttable };
}

// path leads from value to value, dotted where it passes over periods without one.
/** @type {(file: SeriesFile, s: ShownLine, x: Scale, y: Scale) => Shape[]} */
function path(file, s, x, y) {
  let d = "", gaps = "", last = -1;
  s.values.forEach((v, i) => {
    if (!drawable(file, s, i)) return;
    const skipped = s.of.values.slice(last + 1, i).some((other) => other != null); // what this scale cannot show
    const gap = last < 0 || s.of.gaps?.includes(i) || skipped, here = `${x(file.at[i])} ${y(v)}`;
    d += gap ? `M${here}h0` : `L${here}`;
    if (gap && last >= 0) gaps += `M${x(file.at[last])} ${y(s.values[last])}L${here}`;
    last = i;
  });
  return [shape("path", { class: "line", d }), ...(gaps ? [shape("path", { class: "gap", d: gaps })] : [])];
}

// bands are the intervals of uncertainty, one for each stretch of values that are joined.
/** @type {(file: SeriesFile, s: ShownLine, x: Scale, y: Scale) => Shape[]} */
function bands(file, s, x, y) {
  /** @type {number[][]} */
  const stretches = [];
  /** @type {number[]} */
  let last;
  s.values.forEach((_, i) => {
    if (!drawable(file, s, i)) return;
    if (s.lower?.[i] == null) { last = undefined; return; }
    if (last && !s.of.gaps?.includes(i)) last.push(i);
    else stretches.push(last = [i]);
  });
  return stretches.map((list) => {
    const above = list.map((i) => `${x(file.at[i])} ${y(s.upper[i])}`);
    const below = list.toReversed().map((i) => `${x(file.at[i])} ${y(s.lower[i])}`);
    return shape("path", { class: "band", d: `M${[...above, ...below].join("L")}Z` });
  });
}

// marks are dots, hollow ones for values that are not certain, bars for breaks, and crosses for what was retracted.
/** @type {(file: SeriesFile, s: ShownLine, x: Scale, y: Scale) => Shape[]} */
function marks(file, s, x, y) {
  /** @type {Shape[]} */
  const list = [];
  s.values.forEach((v, i) => {
    if (v == null) return;
    const status = statusOf(s.of, i), [cx, cy] = [x(file.at[i]), y(v)];
    if (file.lost.includes(status)) {
      const title = `${when(file.names[i])}: ${file.status.find(([word]) => word === status)[1]}`;
      list.push(shape("path", { class: "lost", d: `M${cx - 4} ${cy - 4}l8 8m0 -8l-8 8` }, shape("title", {}, title)));
      return;
    }
    if (file.broken.includes(status)) list.push(shape("path", { class: "break", d: `M${cx} ${cy - 9}v18` }));
    if (file.hollow.includes(status)) list.push(shape("circle", { r: 3, cx, cy, class: "hollow" }));
    else if (s.of.dots) list.push(shape("circle", { r: 3, cx, cy }));
  });
  return list;
}

// lineNames stand behind the ends of lines, moved apart where they would cover each other, each with a thin line that
// leads to it.
/**
 * @param {SeriesFile} file
 * @param {ShownLine[]} lines
 * @param {Scale} x
 * @param {Scale} y
 * @param {number} right
 * @param {number} ground
 * @param {number} room
 */
function lineNames(file, lines, x, y, right, ground, room) {
  const most = Math.trunc((room - LEADER) / LETTER);
  const rows = new Map(lines.map((s) => [s, rowsOf(s.name, most)]));
  if ([...rows.values()].flat().length * APART > ground - TOP) {
    for (const s of lines) rows.set(s, [letters(s.name, most)]);
  }
  const half = (/** @type {ShownLine} */ s) => (rows.get(s).length - 1) * APART / 2;
  const list = lines.map((s) => ({ s, i: s.values.findLastIndex((_, i) => drawable(file, s, i)) }))
    .filter(({ i }) => i >= 0)
    .map(({ s, i }) => ({ s, endX: x(file.at[i]), endY: y(s.values[i]), y: y(s.values[i]) })).sort((a, b) => a.y - b.y);
  for (const name of list) name.y -= half(name.s);
  for (let i = 1; i < list.length; i++) {
    list[i].y = Math.max(list[i].y, list[i - 1].y + APART * rows.get(list[i - 1].s).length);
  }
  for (let i = list.length - 1, limit = ground; i >= 0; i--) {
    list[i].y = Math.min(list[i].y, limit - 2 * half(list[i].s));
    limit = list[i].y - APART;
  }
  if (list[0]?.y < TOP) {
    let at = TOP;
    for (const name of list) {
      name.y = Math.max(name.y, at);
      at += APART * rows.get(name.s).length;
    }
  }
  const end = right + LEADER - 5;
  return list.flatMap(({ s, endX, endY, y: at }) => {
    const d = `M${endX + 5} ${endY}L${right + 5} ${endY}L${end} ${at + half(s)}`, color = look(s.slot);
    return [shape("path", { class: `leader ${color}`, d }), ...rows.get(s).map((row, i) =>
      shape("text", { class: `name ${color}`, x: right + LEADER, y: at + 4 + i * APART }, row))];
  });
}
