// The interactive view of an indicator, which replaces the still chart.
import { asOf } from "./part-asof.js";
import { at, el, fetchJSON, parameters, share, stay, theirs, words } from "./part-page.js";
import { keyOf, linesPicture, look, TOP } from "./part-lines.js";
import { brief, unitBeside, when, written } from "./part-numbers.js";
import { picker } from "./part-picker.js";
import { mapPicture, rankingPicture } from "./part-ranking.js";
import { element, shape } from "./part-svg.js";
import { takeaway } from "./part-takeaway.js";
import { sift } from "./part-terms.js";
import {
  addressOf, brokenIn, compared, descending, detailsOf, endOf, isOne, nameOf, notesOf, nowOf, parse, ranked,
  rangeOf, relativeText, slice, sliced, toggle, turnsOf, unitOf, valueAt, viewOf,
} from "./part-view.js";

const section = /** @type {HTMLElement} */ (document.querySelector(".charts[data-series]"));
const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (section.querySelector(name));
const file = await asOf(section);
let view = parse(file, parameters());
/** @type {number} */
let cursor = null; // which period is read
/** @type {number} */
let hot = null; // which series is pointed at
/** @type {ReturnType<typeof linesPicture>} */
let drawn; // the lines, and where they are
/** @type {any} */
let world; // the map, once somebody wants it
/** @type {any} */
let playing;

function update() {
  share(addressOf(file, view));
  draw();
}

function draw() {
  const width = Math.max(280, plot.clientWidth), tab = view.tab;
  stage.hidden = tab === "table";
  table.hidden = tab !== "table";
  stage.className = `stage chart ${tab}`;
  stage.setAttribute("role", tab === "ranking" ? "img" : "application");
  stage.setAttribute("aria-label", nameOf(file, view));
  stage.tabIndex = 0;
  drawn = null;
  if (tab === "line") {
    const few = view.to - view.from < 3, height = Math.round(Math.max(260, few ? 0 : Math.min(440, width * 0.47)));
    drawn = linesPicture(file, view, width, height);
    show(drawn.parts.concat(shape("path", { class: "cursor", d: "" }), shape("g", { class: "snap" })), width, height);
  } else if (tab === "ranking") {
    const { parts, height } = rankingPicture(file, view, width - 20);
    show(parts, width - 20, height);
  } else if (tab === "map") drawMap(width);
  else fillTable();
  key.textContent = keyOf(stage);
  const seen = tab === "line" ? turnsOf(file, view).map(({ n }) => n) : [];
  section.querySelectorAll(".turns li").forEach((li, n) => li.toggleAttribute("hidden", !seen.includes(n)));
  adjust();
  tell();
}

/** @type {Show} */
function show(parts, width, height) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  stage.replaceChildren(element(shape("svg", { ...size, "aria-hidden": "true" }, ...parts)));
}

/** @param {number} width */
async function drawMap(width) {
  if (!world) {
    stage.replaceChildren(el("p", { class: "quiet" }, words.loading));
    world = await fetchJSON(at(section.dataset.world)).finally(() => view.tab === "map" && stage.replaceChildren());
    if (view.tab !== "map") return;
  }
  const { parts, height } = mapPicture(file, view, world, width);
  show(parts, width, height);
}

// fillTable writes the first and the last value, and what changed between them.
function fillTable() {
  const { decimals } = file.charts[view.chart];
  const { from: a, to: b } = view;
  const change = (/** @type {Series} */ s) => {
    const [from, to] = [a, b].map((i) => valueAt(file, s, i).at), [before, after] = [s.values[from], s.values[to]];
    return before == null || after == null || from >= to || brokenIn(s, from, to) ? null : after - before;
  };
  /** @type {Column[]} */
  const all = [
    { id: "area", title: words.area },
    { id: "from", title: when(file.names[a]), by: ({ s }) => valueAt(file, s, a).size },
    { id: "to", title: when(file.names[b]), by: ({ s }) => valueAt(file, s, b).size },
    { id: "change", title: words.change, by: ({ s }) => change(s) },
  ];
  const columns = all.filter(({ id }) => a !== b || id === "area" || id === "to");
  const [, back, id] = /^(-?)(.*)$/.exec(view.sort), by = columns.find((c) => c.id === id);
  const rows = compared(file, view);
  const key = (/** @type {Compared} */ row) => by.by(row) && (back ? 1 : -1) * by.by(row);
  if (by?.by) rows.sort((a, b) => descending(key(a), key(b)));
  else if (by && back) rows.reverse();
  const head = columns.map((c) => el("th", {
    scope: "col", class: c.by ? "num" : null, "aria-sort": c === by ? (back ? "descending" : "ascending") : null,
  }, el("button", { type: "button", class: "sort", onclick: () => {
    view.sort = c !== by ? (c.by ? `-${c.id}` : c.id) : back ? c.id : `-${c.id}`;
    update();
    /** @type {HTMLElement} */ (table.querySelectorAll(".sort")[columns.indexOf(c)]).focus();
  } }, c.title)));
  table.replaceChildren(el("table", {}, el("caption", { class: "sr" }, file.charts[view.chart].unit),
    el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...columns.map((c) => {
      if (!c.by) return el("th", { scope: "row", ...theirs }, row.s.name);
      const v = c.by(row);
      if (c.id !== "change") {
        const { text, more } = valueAt(file, row.s, c.id === "from" ? a : b);
        return el("td", { class: "num" }, text, more ? el("span", { class: "quiet" }, ` ${more}`) : null);
      }
      const text = v == null ? "–" : (v > 0 ? "+" : "") + written(Number(v.toPrecision(12)), decimals);
      return el("td", { class: "num" }, text);
    }))))));
  siftRows();
}

// siftRows leaves of the table the areas that the list of areas is searched for.
function siftRows() {
  const box = /** @type {HTMLInputElement | null} */ (side.querySelector("input[type=search]"));
  sift(table.querySelectorAll("tbody tr"), box?.value ?? "");
}

const heads = [words.area, words.value, words.interval, words.status];

// rowsAt are the areas that are shown, the largest first.
const rowsAt = (/** @type {number} */ i) => view.slots.map((n, slot) => ({ n, slot, s: file.series[n] }))
  .concat(hot == null || view.slots.includes(hot) ? [] : { n: hot, slot: -1, s: file.series[hot] })
  .filter(({ s }) => s).map((row) => ({ ...row, v: valueAt(file, row.s, i) }))
  .sort((a, b) => descending(a.v.size, b.v.size));

// tell writes the values of the period that is pointed at.
function tell() {
  const i = isOne(view.tab) ? view.to : cursor ?? nowOf(file, view), { decimals } = file.charts[view.chart];
  const rows = rowsAt(i).filter(({ s }) => view.tab !== "map" || s.rank === 2);
  readout.hidden = view.tab === "table" || !rows.length;
  readout.replaceChildren(
    el("caption", {}, el("strong", {}, when(file.names[i])), " ", el("span", theirs, unitOf(file, view))),
    el("thead", { class: "sr" }, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map(({ n, s, slot, v }) => el("tr", { class: n === hot ? "hot" : null },
      el("th", { scope: "row", ...theirs }, el("i", { class: slot >= 0 ? look(slot) : "other" }), s.name),
      el("td", { class: "num" }, relativeText(file, view, s, i)),
      el("td", { class: "num" }, s.lower?.[v.at] == null || view.relative ? ""
        : `${brief(s.lower[v.at], decimals)}${s.upper[v.at] < 0 ? " – " : "–"}${brief(s.upper[v.at], decimals)}`),
      el("td", { class: "quiet" }, v.more)))));
  for (const e of stage.querySelectorAll(".land > [data-series]")) e.classList.toggle("hot", seriesOf(e) === hot);
  if (drawn) mark();
}

// mark draws where the cursor is, and dims the lines that are not pointed at.
function mark() {
  const { x, y, ground, lines } = drawn, i = cursor;
  stage.querySelector(".cursor").setAttribute("d", i == null ? "" : `M${x(file.at[i])} ${TOP}V${ground}`);
  stage.querySelector(".snap").replaceChildren(...(i == null ? [] : lines.filter((s) => s.values[i] != null).map((s) =>
    element(shape("g", { class: look(s.slot) }, shape("circle", { r: 4, cx: x(file.at[i]), cy: y(s.values[i]) }))))));
  const at = hot == null ? -1 : view.slots.indexOf(hot);
  for (const each of stage.querySelectorAll("g[class^=s], .name, .leader")) {
    each.classList.toggle("dim", at >= 0 && !each.matches(".snap") && !each.matches(`.s${at % 8}`));
  }
}

// seriesOf is the series that a part of the picture belongs to.
/** @param {Element} e */
function seriesOf(e) {
  const number = e.closest("[data-series]")?.getAttribute("data-series");
  return number == null ? null : Number(number);
}

/** @param {PointerEvent} event */
function point(event) {
  const before = `${cursor} ${hot}`;
  if (drawn) {
    const box = stage.getBoundingClientRect(), left = event.clientX - box.left, top = event.clientY - box.top;
    const away = (/** @type {number} */ i) => Math.abs(drawn.x(file.at[i]) - left);
    cursor = view.from;
    for (let i = view.from; i <= view.to; i++) if (away(i) < away(cursor)) cursor = i;
    const near = drawn.lines.filter((s) => s.values[cursor] != null)
      .map((s) => ({ n: view.slots[s.slot], far: Math.abs(drawn.y(s.values[cursor]) - top) }))
      .sort((a, b) => a.far - b.far)[0];
    hot = near?.far < 24 ? near.n : null;
  } else {
    const on = /** @type {Element} */ (event.target), pointed = on.getAttribute("data-class"); // of the map's legend
    hot = seriesOf(on);
    for (const each of stage.querySelectorAll(".land > *")) {
      each.classList.toggle("unlike", pointed != null && !each.classList.contains(pointed));
    }
  }
  if (before !== `${cursor} ${hot}`) tell();
}

/** @param {Event} event */
function press(event) {
  const on = seriesOf(/** @type {Element} */ (event.target));
  if (on != null && !drawn) choose(on);
}

/** @param {number} series */
function choose(series) {
  toggle(view, series);
  pickAnew();
  update();
}

/** @param {KeyboardEvent} event */
function step(event) {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {"ArrowRight" | "ArrowLeft"} */ (event.key)];
  if (view.tab === "map" && event.key === "Enter" && hot != null) choose(hot);
  if (!move || !drawn && view.tab !== "map") return;
  event.preventDefault();
  if (drawn) {
    cursor = Math.min(view.to, Math.max(view.from, (cursor ?? (move > 0 ? view.from - 1 : view.to + 1)) + move));
    hot = null;
  } else { // from the largest value to the smallest
    const all = ranked(file, view).filter(({ s }) => s.rank === 2).map(({ i }) => i);
    hot = all.at((all.indexOf(hot) + (hot == null && move < 0 ? 0 : move)) % all.length) ?? null;
  }
  tell();
}

// Screen readers pass arrow keys only to an application with a description.
const hint = el("p", { class: "sr", id: "chart-hint" }, words.chartHint, " ", words.chartTables);
const still = part(".still"), plot = part(".plot"), side = part(".side"), views = part(".views");
side.addEventListener("input", siftRows);
const stage = el("div", {
  class: "stage chart", "aria-describedby": hint.id,
  onkeydown: step, onpointermove: point, onpointerdown: point, onclick: press,
  onpointerleave: () => { cursor = hot = null; tell(); },
});
const latest = /** @type {HTMLElement} */ (document.querySelector(".latest")), first = [...latest?.childNodes ?? []];
const key = part(".key span");
const table = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": words.table });
const readout = el("table", { class: "readout chart" });
part(".readout")?.remove();

const places = file.series.filter((s) => /^[A-Z]{3}$/.test(s.area)).length;
const tabs = [["line", words.line], ["table", words.table], ["ranking", words.ranking], ["map", words.map]]
  .filter(([name]) => name === "table" || file.charts.some((c) => c.picked.length)
    && (name !== "map" || places > 2) && (name !== "ranking" || file.series.length > 1))
  .map(([name, text]) => {
    const input = el("input", { type: "radio", name: "view", value: name, onchange: () => {
      const whole = view.to === endOf(file, view);
      view.tab = name;
      if (whole) view.to = endOf(file, view);
      hot = null;
      stop();
      update();
    } });
    return { name, input, label: el("label", {}, input, text) };
  });

/** @type {Check} */
const check = (text, change) => {
  const input = el("input", { type: "checkbox", onchange: () => {
    change(input.checked);
    update();
  } });
  return { input, label: el("label", { class: "check" }, input, text) };
};
const checks = {
  zero: check(words.fromZero, (on) => { view.zero = on; }),
  log: check(words.logAxis, (on) => Object.assign(view, { log: on, relative: view.relative && !on })),
  relative: check(words.relative, (on) => Object.assign(view, { relative: on, log: view.log && !on })),
  lowest: check(words.lowestFirst, (on) => { view.sort = on ? "to" : ""; }),
};
const units = el("select", { onchange: () => {
  view = { ...viewOf(file, units.selectedIndex), tab: view.tab };
  cursor = hot = null;
  pickAnew();
  update();
} }, ...file.charts.map((c) => el("option", theirs, c.unit)));
const details = el("select", { onchange: () => { view.detail = details.value; update(); } });
const menus = el("span", { class: "menus" });
const unitLabel = el("label", {}, words.unit, units), detailLabel = el("label", {}, words.breakdown, details);

/** @param {"from" | "to"} end */
const slider = (end) => {
  const input = el("input", { type: "range", step: "1", oninput: () => {
    view[end] = Number(input.value);
    if (view.from > view.to) view[end === "from" ? "to" : "from"] = view[end];
    cursor = null;
    if (file.turns) pickAnew(); // other years have other areas
    update();
  } });
  const name = el("span", {}), out = el("output", {});
  return { input, name, out, label: el("label", {}, name, input, out) };
};
const from = slider("from"), to = slider("to");
const play = el("button", { type: "button", onclick: () => {
  if (playing) { stop(); return; }
  if (view.to === rangeOf(file, view.chart)[1]) view.to = rangeOf(file, view.chart)[0] - 1;
  playing = setInterval(forward, 600);
  forward();
} });

function forward() {
  view.to++;
  if (view.from > view.to) view.from = view.to;
  if (view.to >= rangeOf(file, view.chart)[1]) stop();
  update();
}

function stop() {
  clearInterval(playing);
  playing = undefined;
  play.textContent = words.play;
}

// adjust shows the controls that have a meaning for the view.
function adjust() {
  const [first, last] = rangeOf(file, view.chart);
  for (const { name, input } of tabs) input.checked = name === view.tab;
  const line = view.tab === "line";
  const values = view.slots.flatMap((i) => (i == null ? [] : file.series[i].values.filter((v) => v != null)));
  const least = Math.min(...values.filter((v) => v > 0)), most = Math.max(...values);
  for (const name of /** @type {const} */ (["zero", "log", "relative"])) checks[name].input.checked = view[name];
  checks.zero.label.hidden = !line || view.log || !drawn?.cuttable;
  checks.log.label.hidden = !line || !(view.log || values.every((v) => v >= 0) && most > 100 * least);
  checks.relative.label.hidden = !line || !(view.relative || values.every((v) => v >= 0) && last > first);
  const list = detailsOf(file, view.chart);
  details.replaceChildren(...list.map((d) => el("option", { value: d, ...theirs }, d || words.total)));
  details.value = view.detail;
  const { dimensions } = file.charts[view.chart], { by } = file.series[sliced(file, view)[0]] ?? {};
  detailLabel.hidden = !!dimensions || line || list.length < 2;
  menus.hidden = !dimensions;
  menus.replaceChildren(...(dimensions ?? []).map(({ label, values }, d) => {
    const menu = el("select", { onchange: () => {
      slice(file, view, d, menu.selectedIndex);
      pickAnew();
      update();
    } }, ...values.map((text, i) => el("option", { selected: by[d] === i, ...theirs }, text)));
    return el("label", theirs, label, menu);
  }));
  checks.lowest.label.hidden = view.tab !== "ranking";
  checks.lowest.input.checked = view.sort === "to";
  units.selectedIndex = view.chart;
  unitLabel.hidden = file.charts.length < 2;
  for (const [end, value] of /** @type {const} */ ([[from, view.from], [to, view.to]])) {
    Object.assign(end.input, { min: first, max: last, value });
    end.out.textContent = when(file.names[value]);
    end.input.setAttribute("aria-valuetext", end.out.textContent);
  }
  from.name.textContent = words.from;
  const one = isOne(view.tab);
  to.name.textContent = one ? words.period : words.to;
  from.label.hidden = one;
  play.hidden = !one;
  play.textContent = playing ? words.pause : words.play;
  time.hidden = last - first < (one ? 1 : 2);
  unit.textContent = unitOf(file, view);
  note.textContent = notesOf(file, view).join(" ");
  note.hidden = !note.textContent;
  head();
}

// head writes the value above the chart: of the area from the search, of the only one, or of the world.
function head() {
  if (!latest) return;
  const { areas, unit, time } = addressOf(file, view), same = !(areas || unit || time) && view.lead == null;
  const slots = view.slots.filter((n) => n != null), world = slots.find((n) => !file.series[n].rank);
  const s = file.series[slots.includes(view.lead) ? view.lead : slots.length === 1 ? slots[0] : world];
  const i = isOne(view.tab) ? view.to : nowOf(file, view), v = s && valueAt(file, s, i);
  latest.hidden = !same && !(v?.at >= 0);
  latest.replaceChildren(...(same || latest.hidden ? first : [el("strong", {}, v.text), " ",
    el("span", theirs, unitBeside(v.text, file.charts[view.chart].unit)), " ", el("span", { class: "quiet" },
      [s.name, v.at === i ? when(file.names[i]) : "", v.more].filter(Boolean).join(words.comma))]));
}

function pickAnew() {
  const several = file.series.length > 1 && tabs.length > 1; // a table alone has all areas
  section.classList.toggle("several", several);
  if (several) side.replaceChildren(picker(file, view, update));
}

const time = el("div", { class: "time" }, from.label, to.label, play), note = el("p", { class: "quiet note" });
const unit = el("p", { class: "quiet unit", ...theirs });
stop();
views.replaceChildren(
  el("fieldset", { class: "tabs" }, el("legend", { class: "sr" }, words.view), ...tabs.map(({ label }) => label)),
  el("form", { class: "filters", onsubmit: stay }, unitLabel, menus, detailLabel,
    ...Object.values(checks).map(({ label }) => label)));
still.classList.add("paper");
plot.append(hint, unit, stage, table, note, time, readout);
section.insertBefore(takeaway(file, () => view, () => {
  if (drawn && plot.clientWidth < 480) { // names have no room here
    show(linesPicture(file, view, 760, 357).parts, 760, 357);
    requestAnimationFrame(draw);
  }
  return stage.querySelector("svg");
}, section, () => key.textContent), part(".key"));
pickAnew();
draw();
let width = plot.clientWidth;
new ResizeObserver(() => {
  if (Math.abs(width - plot.clientWidth) <= 2) return;
  width = plot.clientWidth;
  draw();
}).observe(plot);
section.dataset.ready = "yes";
