// The chart of an indicator, drawn anew so that areas can be picked and values read: with the same colours, lines and
// marks as the still one, which stands on paper and where no script runs. What is shown is decided in series.json.
import { extent, round, scaled } from "./part-axis.js";
import { count, el, fetchJSON, stay, theirs, words } from "./part-page.js";

/** @typedef {import("./types").Series} Series */
/** @typedef {(v: number) => number} Scale */

const TOP = 14, BOTTOM = 26, APART = 15; // room above, for the years; between names
const section = /** @type {HTMLElement} */ (document.querySelector(".charts"));
const file = /** @type {import("./types").SeriesFile} */ (await fetchJSON(section.dataset.series));
const { at, names, charts, series, status, lost, hollow, broken } = file;
const meaning = new Map(status);
let chart = charts[0];
let picked = new Set(chart.picked);
const wanted = new URLSearchParams(location.search).get("area"); // the search leads to an area
const asked = series.findIndex((s) => s.area === wanted && s.chart === 0);
if (asked >= 0) {
  picked.delete(chart.picked.at(-1));
  picked.add(asked);
}
/** @type {number | null} */
let cursor = null; // which period is read
let zero = chart.from == null;
/** @type {Scale} */
let x; // of the picture as it is
/** @type {Series[]} */
let shownLines = [];

/**
 * @param {string} name
 * @param {Record<string, any>} attributes
 * @param {...(Node | string)} children
 */
const svg = (name, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
/** @param {Series} s */
const look = (s) => `s${s.color}${s.dash ? ` d${s.dash}` : ""}`;
/** @type {(s: Series, i: number) => boolean} */
const drawable = (s, i) => s.values[i] != null && !lost.includes(s.status[i]);

function draw() {
  const width = Math.max(280, stage.clientWidth), height = Math.round(Math.max(260, Math.min(420, width * 0.5)));
  const room = Math.min(180, width * 0.34), right = width - room;
  const lines = [...picked].sort((a, b) => a - b).map((i) => series[i]);
  const behind = chart.behind.concat(chart.picked).filter((i) => !picked.has(i)).map((i) => series[i]);
  shownLines = lines;
  const { ticks, cuttable } = extent(lines.length ? lines : behind, zero, chart.from);
  const ground = height - BOTTOM;
  const notation = ticks.at(-1) >= 1e4 ? "compact" : "standard";
  const number = new Intl.NumberFormat(document.documentElement.lang, { notation, maximumFractionDigits: 6 });
  const left = 22 + 7 * Math.max(...ticks.map((v) => number.format(v).length));
  x = scaled(at[0], at.at(-1), left, right);
  const y = scaled(ticks[0], ticks.at(-1), ground, TOP);
  const within = (/** @type {number} */ v) => v >= ticks[0] && v <= ticks.at(-1);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  for (const v of ticks) {
    picture.append(svg("path", { class: "grid", d: `M${left - 8} ${y(v)}H${right}` }),
      svg("text", { class: "tick", x: left - 14, y: y(v) + 4 }, number.format(v)));
  }
  const step = Math.max(1, round((at.at(-1) - at[0]) / (right / 70)));
  for (let year = Math.ceil(at[0] / step) * step; year <= at.at(-1); year += step) {
    picture.append(svg("text", { class: "year", x: x(year), y: height - 6 }, String(year)));
  }
  if (ticks[0] > 0 || ticks.at(-1) < 0) {
    picture.append(svg("path", { class: "cut", d: `M${left - 14} ${ground}l4 -4l4 8l4 -8l4 4` }),
      svg("text", { class: "cut", x: left + 8, y: ground - 6 }, words.axisCut));
  }
  for (const s of behind.filter(({ values: all }) => all.every((v) => v == null || within(v)))) {
    picture.append(svg("g", { class: "other" }, line(s, y)));
  }
  for (const s of lines.toReversed()) {
    picture.append(svg("g", { class: look(s) }, ...bands(s, y), line(s, y), ...marks(s, y)));
  }
  picture.append(...lineNames(lines, y, right, ground, room), svg("path", { class: "cursor", d: "" }));
  stage.replaceChildren(picture);
  begin.hidden = !cuttable;
  tell();
}

// line leads from value to value, and breaks where nothing is known.
/** @type {(s: Series, y: Scale) => Element} */
function line(s, y) {
  let d = "", drawn = false;
  s.values.forEach((v, i) => {
    if (!drawable(s, i)) return;
    const gap = !drawn || s.gaps?.includes(i);
    d += `${gap ? "M" : "L"}${x(at[i])} ${y(v)}${gap ? "h0" : ""}`;
    drawn = true;
  });
  return svg("path", { class: "line", d });
}

// bands are the intervals of uncertainty, one for each stretch of values that are joined.
/** @type {(s: Series, y: Scale) => Element[]} */
function bands(s, y) {
  /** @type {number[][]} */
  const stretches = [];
  /** @type {number[]} */
  let last;
  s.values.forEach((v, i) => {
    if (!drawable(s, i)) return;
    if (s.lower?.[i] == null) { last = undefined; return; }
    if (last && !s.gaps?.includes(i)) last.push(i);
    else stretches.push(last = [i]);
  });
  return stretches.map((list) => {
    const above = list.map((i) => `${x(at[i])} ${y(s.upper[i])}`);
    const below = list.toReversed().map((i) => `${x(at[i])} ${y(s.lower[i])}`);
    return svg("path", { class: "band", d: `M${[...above, ...below].join("L")}Z` });
  });
}

// marks are dots, hollow ones for values that are not certain, bars for breaks, and crosses for what was retracted.
/** @type {(s: Series, y: Scale) => Element[]} */
function marks(s, y) {
  /** @type {Element[]} */
  const list = [];
  s.values.forEach((v, i) => {
    if (v == null) return;
    if (lost.includes(s.status[i])) {
      list.push(svg("path", { class: "lost", d: `M${x(at[i]) - 4} ${y(v) - 4}l8 8m0 -8l-8 8` }));
      return;
    }
    if (broken.includes(s.status[i])) list.push(svg("path", { class: "break", d: `M${x(at[i])} ${y(v) - 9}v18` }));
    const open = hollow.includes(s.status[i]);
    if (open || s.dots) list.push(svg("circle", { r: 3, cx: x(at[i]), cy: y(v), class: open ? "hollow" : "" }));
  });
  return list;
}

// lineNames stand at the ends of lines, moved apart where they would cover each other.
/** @type {(lines: Series[], y: Scale, right: number, ground: number, room: number) => Element[]} */
function lineNames(lines, y, right, ground, room) {
  const list = lines.map((s) => ({ s, i: s.values.findLastIndex((_, i) => drawable(s, i)) })).filter(({ i }) => i >= 0)
    .map(({ s, i }) => ({ s, y: y(s.values[i]) })).sort((a, b) => a.y - b.y);
  for (let i = 1; i < list.length; i++) list[i].y = Math.max(list[i].y, list[i - 1].y + APART);
  for (let i = list.length - 1, limit = ground; i >= 0; i--) {
    list[i].y = Math.min(list[i].y, limit);
    limit = list[i].y - APART;
  }
  if (list[0]?.y < TOP) list.forEach((name, i) => { name.y = Math.max(name.y, TOP + i * APART); });
  const letters = Math.floor((room - 14) / 7);
  return list.map(({ s, y }) => svg("text", { class: `name ${look(s)}`, x: right + 10, y: y + 4 },
    s.name.length > letters ? `${s.name.slice(0, letters - 1)}…` : s.name));
}

// read is a value in words, with its interval and status.
/** @type {(s: Series, i: number) => string} */
function read(s, i) {
  const value = s.values[i];
  if (value == null) return "–";
  const range = s.lower?.[i] != null ? ` (${count(s.lower[i])}–${count(s.upper[i])})` : "";
  const note = s.status[i] && s.status[i] !== "A" ? `, ${meaning.get(s.status[i])}` : "";
  return `${count(value)}${range}${note}`;
}

// tell writes the values of the period that is pointed at, of the areas that are shown.
function tell() {
  if (cursor == null) {
    values.replaceChildren(words.chartHint);
    return;
  }
  const ground = Number(stage.firstElementChild.getAttribute("height")) - BOTTOM;
  stage.querySelector(".cursor").setAttribute("d", `M${x(at[cursor])} ${TOP}V${ground}`);
  values.replaceChildren(el("strong", {}, names[cursor]), ...shownLines.map((s) =>
    el("span", theirs, el("i", { class: look(s) }), `${s.name}: ${read(s, cursor)}`)));
}

/** @param {PointerEvent} event */
function point(event) {
  const left = event.clientX - stage.getBoundingClientRect().left;
  cursor = at.reduce((best, v, i) => (Math.abs(x(v) - left) < Math.abs(x(at[best]) - left) ? i : best), 0);
  tell();
}

// With the arrow keys, the cursor moves from period to period.
/** @param {KeyboardEvent} event */
function step(event) {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {"ArrowRight" | "ArrowLeft"} */ (event.key)];
  if (!move) return;
  event.preventDefault();
  cursor = Math.min(at.length - 1, Math.max(0, (cursor ?? (move > 0 ? -1 : at.length)) + move));
  tell();
}

// A screen reader passes arrow keys on to an application only. Its name is that of the chart, its description how to
// use it, and where the same values are.
const hint = el("p", { class: "sr", id: "chart-hint" }, words.chartHint, " ", words.chartTables);
const stage = el("div", {
  class: "stage chart", tabindex: "0", role: "application", "aria-describedby": hint.id,
  "aria-label": `${words.chart}: ${document.querySelector("h1").textContent}`,
  onkeydown: step, onpointermove: point, onpointerdown: point,
});
const values = el("p", { class: "values chart", role: "status" });
const choices = el("fieldset", { class: "areas chart" });
const atZero = el("input", { type: "checkbox", onchange: () => { zero = atZero.checked; draw(); } });
atZero.checked = zero;
const begin = el("label", { class: "check" }, atZero, words.fromZero);
function offer() {
  const own = charts.indexOf(chart);
  choices.replaceChildren(el("legend", {}, words.areas), el("div", {}, ...series.flatMap((s, i) => {
    if (s.chart !== own) return [];
    const dot = el("i", { class: look(s) });
    const box = el("input", { type: "checkbox", onchange: () => {
      if (box.checked) picked.add(i); else picked.delete(i);
      dot.hidden = !box.checked;
      draw();
    } });
    box.checked = picked.has(i);
    dot.hidden = !box.checked;
    return [el("label", theirs, box, dot, s.name)];
  })));
}

const controls = el("form", { class: "filters", onsubmit: stay });
if (charts.length > 1) {
  const list = el("select", { onchange: () => {
    chart = charts[list.selectedIndex];
    picked = new Set(chart.picked);
    offer();
    draw();
  } }, ...charts.map((c) => el("option", {}, c.unit)));
  controls.append(el("label", {}, words.unit, list));
} else {
  controls.append(el("p", { class: "quiet" }, chart.unit));
}
controls.append(begin);
section.querySelector(".still").classList.add("paper");
const parts = el("div", { class: "interactive" }, controls, hint, stage, values, choices);
section.insertBefore(parts, section.querySelector(".key"));
offer();
draw();
let width = stage.clientWidth;
new ResizeObserver(() => {
  if (Math.abs(width - stage.clientWidth) <= 2) return;
  width = stage.clientWidth;
  draw();
}).observe(stage);
section.dataset.ready = "yes";
