// Line charts, as in drawing.go.
import { decades, extent, scaled, years } from "./part-axis.js";
import { filled, local, percentText, say, tickText, when } from "./part-numbers.js";
import { letters, rowsOf, shape } from "./part-svg.js";
import {
  breaksOf, drawable, limitOf, shownLines, shownBehind, sizeOf, statusOf, turnsOf,
} from "./part-view.js";

export const TOP = 14;
const BOTTOM = 26, NUMBERS = 22, DIGIT = 7, LETTER = 7.5, LEADER = 26, SHARE = 0.34, APART = 15, HUES = 8;

// look returns the class of a line.
/** @param {number} slot */
export const look = (slot) => `s${slot % HUES}${slot >= HUES ? ` d${Math.floor(slot / HUES) % 4}` : ""}`;

/** @param {SeriesFile} file @param {View} view @param {number} width @param {number} height */
export function linesPicture(file, view, width, height) {
  const lines = shownLines(file, view), behind = shownBehind(file, view);
  const { from } = file.charts[view.chart];
  const of = lines.length ? lines : behind;
  const begins = view.relative ? undefined : from;
  const axis = view.log ? { cuttable: false, ticks: decades(of) } : extent(of, view.zero, begins);
  const { ticks } = axis, [low, high] = [ticks[0], ticks.at(-1)];
  const longest = Math.max(0, ...lines.map(({ name }) => [...name].length));
  const narrow = width < 480; // the table below has the names
  const room = narrow ? 12 : Math.min(LEADER + 10 + LETTER * longest, SHARE * width);
  const tick = view.relative ? percentText : tickText;
  const left = NUMBERS + DIGIT * Math.max(...ticks.map((v) => tick(v).length)), right = width - room;
  const ground = height - BOTTOM;
  const x = scaled(file.at[view.from], file.at[view.to], left, right), y = scaled(low, high, ground, TOP, view.log);
  /** @type {Shape[]} */
  const parts = [];
  for (const v of ticks) {
    parts.push(shape("path", { class: "grid", d: `M${left - 8} ${y(v)}H${right}` }),
      shape("text", { class: "tick", x: left - 14, y: y(v) + 4 }, tick(v)));
  }
  for (const year of years(file.at[view.from], file.at[view.to], Math.trunc(Math.trunc(right) / 70))) {
    parts.push(shape("text", { class: "year", x: x(year), y: height - 6 }, local(String(year))));
  }
  [...new Set(breaksOf(file, view).map(({ i }) => i))].forEach((i, n) => {
    parts.push(rule("break", x(file.at[i]), [left, right, ground], TOP + 13 + n % 3 * 14, when(file.names[i])));
  });
  parts.push(...turned(file, turnsOf(file, view), lines, x, y, [left, right, ground]));
  if (!view.log && (low > 0 || high < 0)) {
    parts.push(shape("path", { class: "cut", d: `M${left - 14} ${ground}l4 -4l4 8l4 -8l4 4` }),
      shape("text", { class: "cut", x: left + 8, y: ground - 6 }, say.axisCut));
  }
  const ahead = file.at.findIndex((_, i) => i >= view.from && i <= view.to
    && lines.some((s) => drawable(file, s, i) && statusOf(s.of, i)[0] === "F"));
  if (ahead >= 0) {
    const text = filled(say.projected, { year: when(file.names[ahead]) });
    parts.push(shape("text", { class: "ahead", x: right, y: TOP - 4 }, text));
  }
  for (const s of behind) {
    if (s.values.every((v) => v == null || v >= low && v <= high)) {
      parts.push(shape("g", { class: "other" }, ...path(file, s, x, y)));
    }
  }
  const zero = y(view.log ? low : Math.max(low, Math.min(0, high)));
  for (const s of lines.toReversed()) {
    const drawn = [bands, path, marks].flatMap((draw) => draw(file, s, x, y, zero));
    parts.push(shape("g", { class: look(s.slot) }, ...drawn));
  }
  if (!narrow) parts.push(...lineNames(file, lines, x, y, right, ground, room));
  return { parts, lines, x, y, left, right, ground, cuttable: axis.cuttable };
}

// rule is a vertical line with a text on the side that has more room.
/** @type {(name: string, at: number, room: number[], y: number, text: string) => Shape} */
function rule(name, at, [left, right, ground], y, text) {
  const end = right - at < at - left;
  return shape("g", { class: name }, shape("path", { d: `M${at} ${TOP}V${ground}` }),
    shape("text", { class: end ? "end" : "start", x: end ? at - 5 : at + 5, y }, text));
}

// turned are the days on which areas changed, and the steps between codes of the same area.
/** @type {DrawTurns} */
const turned = (file, turns, lines, x, y, [left, right, ground]) => {
  const days = [...new Set(turns.map(({ at }) => at))];
  return turns.flatMap(({ at: day, day: text, steps }, n) => {
    const at = x(day), first = turns.findIndex((t) => t.at === day) === n;
    return [...(steps ?? []).flatMap(([a, b, label]) => {
      const [from, to] = [a, b].map((i) => lines.find(({ of }) => of === file.series[i]));
      const i = from?.values.findLastIndex((_, i) => drawable(file, from, i));
      const j = to?.values.findIndex((_, i) => drawable(file, to, i));
      if (!(i >= 0 && j >= 0)) return [];
      const [above, below] = [y(from.values[i]), y(to.values[j])];
      const d = `M${x(file.at[i])} ${above}H${at}V${below}H${x(file.at[j])}`;
      return [shape("g", { class: look(to.slot) }, shape("path", { class: "step", d }),
        shape("text", { class: "step", x: at + 5, y: (above + below) / 2 - 6 }, label))];
    }), ...(first ? [rule("turn", at, [left, right, ground], ground - 8 - days.indexOf(day) % 3 * 14, text)] : [])];
  });
};

// path is dotted over periods without a value.
/** @type {Draw} */
function path(file, s, x, y) {
  let d = "", gaps = "", projected = "", last = -1;
  s.values.forEach((v, i) => {
    if (!drawable(file, s, i)) return;
    const skipped = s.of.values.slice(last + 1, i).some((other) => other != null); // what this scale cannot show
    const gap = last < 0 || s.of.gaps?.includes(i) || skipped, here = `${x(file.at[i])} ${y(v)}`;
    const solid = !gap && statusOf(s.of, i)[0] !== "F", bridge = `M${x(file.at[last])} ${y(s.values[last])}L${here}`;
    d += solid ? `L${here}` : `M${here}h0`;
    const severed = file.at.some((_, n) => n > last && n <= i && (s.of.breaks?.[n] ?? limitOf(s.of, n)) != null);
    if (gap && last >= 0 && !severed) gaps += bridge;
    if (!gap && !solid) projected += bridge;
    last = i;
  });
  return Object.entries({ line: d, gap: gaps, projected }).filter(([name, path]) => path || name === "line")
    .map(([name, path]) => shape("path", { class: name, d: path }));
}

// bands are the intervals of uncertainty.
/** @type {Draw} */
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

const MARKS = ["hollow", "projected", "break", "band", "gap", "bound", "lost", "turn", "step"];

// keyOf explains the marks that occur in a picture.
/** @param {Element} picture */
export const keyOf = (picture) =>
  MARKS.filter((mark) => picture?.querySelector(`.${mark}`)).map((mark) => say.keys[mark]).join(" ");

// marks returns dots, bounds and crosses.
/** @type {Draw} */
function marks(file, s, x, y, zero) {
  /** @type {Shape[]} */
  const list = [];
  s.values.forEach((v, i) => {
    const limit = limitOf(s, i), end = s.below?.[i] != null ? `V${zero}` : "v-14m-3 4l3 -4l3 4";
    if (limit != null) {
      const at = x(file.at[i]);
      list.push(shape("path", { class: "bound", d: `M${at - 4} ${y(limit)}h8M${at} ${y(limit)}${end}` }));
    }
    if (v == null) return;
    const status = statusOf(s.of, i), [cx, cy] = [x(file.at[i]), y(v)];
    if (file.lost.includes(status)) {
      const title = `${when(file.names[i])}: ${file.status.find(([word]) => word === status)[1]}`;
      list.push(shape("path", { class: "lost", d: `M${cx - 4} ${cy - 4}l8 8m0 -8l-8 8` }, shape("title", {}, title)));
      return;
    }
    if (file.hollow.includes(status[0])) list.push(shape("circle", { r: 3, cx, cy, class: "hollow" }));
    else if (s.of.dots) list.push(shape("circle", { r: 3, cx, cy }));
  });
  return list;
}

// lineNames are at the right, moved apart, or at the ends of lines that ended earlier.
/** @type {DrawNames} */
function lineNames(file, lines, x, y, right, ground, room) {
  const most = Math.trunc((room - LEADER) / LETTER);
  const rows = new Map(lines.map((s) => [s, rowsOf(s.name, most)]));
  if ([...rows.values()].flat().length * APART > ground - TOP) {
    for (const s of lines) rows.set(s, [letters(s.name, most)]);
  }
  const half = (/** @type {ShownLine} */ s) => (rows.get(s).length - 1) * APART / 2;
  const sized = (/** @type {ShownLine} */ s, /** @type {number} */ i) =>
    (drawable(file, s, i) ? s.values[i] : limitOf(s, i) != null ? sizeOf(file, s.of, i) : null);
  const list = lines.map((s) => ({ s, i: s.values.findLastIndex((_, i) => sized(s, i) != null) }))
    .filter(({ i }) => i >= 0)
    .map(({ s, i }) => ({ s, at: x(file.at[i]), end: y(sized(s, i)), y: y(sized(s, i)) })).sort((a, b) => a.y - b.y);
  /** @param {{ s: ShownLine, at: number, end: number, y: number }[]} list */
  const spread = (list) => {
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
    return list;
  };
  const ends = (/** @type {{ at: number }} */ { at }) => at < right - 2 * LEADER;
  const ended = spread(list.filter(ends)), others = spread(list.filter((name) => !ends(name)));
  return [...others, ...ended].flatMap(({ s, at: from, end, y: at }, n) => {
    const alive = n < others.length, before = right + LEADER, color = look(s.slot);
    const d = `M${from + 5} ${end}L${before - 5} ${at + half(s)}`;
    return [...(alive ? [shape("path", { class: `leader ${color}`, d })] : []), ...rows.get(s).map((row, i) =>
      shape("text", { class: `name ${color}`, x: alive ? before : from + 8, y: at + 4 + i * APART }, row))];
  });
}
