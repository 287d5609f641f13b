// The chart of an indicator, drawn anew so that areas can be picked and values read. Without this script, and on paper, the still chart stands.
/* global uPlot */
import { el, fetchJSON, words } from "./part-page.js";

const NAMED = 8; // lines that have a colour each
const PICKED = 6; // areas that are picked at first
const section = document.querySelector(".charts");
const { at, names, series, status, lost } = await fetchJSON(section.dataset.series);
const meaning = new Map(status);
const hollow = new Set(["P", "F", "U", "I"]);
const broken = new Set(["B", "D"]);
const gone = new Set(lost); // values that were taken back

const units = [...new Set(series.map((s) => s.unit))];
let unit = units[0];
const picked = new Set(first());
let plot;

// Where a period has no value, the line goes on to the next one; where the value is known to be missing, there is a gap.
// A value that was taken back is drawn apart from the line.
for (const s of series) s.points = s.values.map((value, i) => (gone.has(s.status[i]) ? undefined : value ?? (s.status[i] === "O" ? null : undefined)));

// first picks the areas that are shown at first: those with the most values, as many as can be told apart, of about the same size.
function first() {
  const list = series.filter((s) => s.unit === unit);
  const top = (s) => Math.max(...s.values.map((v) => Math.abs(v ?? 0)));
  const fits = (a, b) => a <= 30 * b && b <= 30 * a;
  return list.filter((s) => fits(top(s), top(list[0]))).slice(0, PICKED);
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const palette = () => ["--k1", "--k0", "--k3", "--k2", "--k11", "--k9", "--k5", "--k10"].map(color);
const font = () => `12px ${getComputedStyle(document.body).fontFamily}`;

function draw() {
  plot?.destroy();
  const lines = series.filter((s) => picked.has(s));
  const colors = palette();
  for (const s of series.filter((s) => s.dot)) {
    s.dot.hidden = !picked.has(s);
    s.dot.style.background = colors[Math.max(0, lines.indexOf(s)) % NAMED];
  }
  const quiet = color("--quiet"), grid = color("--line"), ground = color("--ground");
  const data = [at], options = [{}], bands = [];
  lines.forEach((s, i) => {
    const stroke = colors[i % NAMED];
    options.push({ label: s.name, stroke, width: 2, spanGaps: false, dash: i < NAMED ? undefined : [6, 3], value: (_, v, __, at) => read(s, v, at),
      points: { show: false } });
    data.push(s.points);
    if (s.lower) {
      bands.push({ series: [data.length, data.length + 1], fill: `${stroke}2b` });
      for (const edge of [s.upper, s.lower]) {
        options.push({ label: "", stroke: "transparent", width: 0, points: { show: false } });
        data.push(edge);
      }
    }
  });
  const axis = { stroke: quiet, font: font(), grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  plot = new uPlot({
    width: stage.clientWidth, height: Math.max(260, Math.min(420, stage.clientWidth * 0.5)), series: options, bands,
    scales: { x: { time: false }, y: { range: (_, low, high) => uPlot.rangeNum(low > 0 && low < high / 2 ? 0 : low, high, 0.05, true) } },
    axes: [{ ...axis, values: (_, v) => v.map((y) => (Number.isInteger(y) ? String(y) : "")) }, { ...axis, size: 70, values: (_, v) => v.map((n) => n.toLocaleString("en")) }],
    legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
    hooks: { draw: [(u) => marks(u, lines, colors, ground)], setCursor: [(u) => tell(u, lines, colors)] },
  }, data, stage);
}

// read is a value in words, with its interval and status.
function read(s, value, i) {
  if (value == null || i == null) return "–";
  const range = s.lower?.[i] != null ? ` (${s.lower[i].toLocaleString("en")}–${s.upper[i].toLocaleString("en")})` : "";
  const note = s.status[i] && s.status[i] !== "A" ? `, ${meaning.get(s.status[i])}` : "";
  return `${value.toLocaleString("en")}${range}${note}`;
}

// marks draws dots, hollow ones for uncertain values, and bars for breaks.
function marks(u, lines, colors, ground) {
  const c = u.ctx, r = 3.2 * devicePixelRatio;
  lines.forEach((s, i) => {
    s.values.forEach((value, j) => {
      if (value == null || at[j] < u.scales.x.min || at[j] > u.scales.x.max) return;
      const x = u.valToPos(at[j], "x", true), y = u.valToPos(value, "y", true);
      c.strokeStyle = colors[i % NAMED];
      c.lineWidth = 2 * devicePixelRatio;
      if (gone.has(s.status[j])) {
        c.beginPath(); c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); c.stroke();
        return;
      }
      if (broken.has(s.status[j])) {
        c.beginPath(); c.moveTo(x, y - 3 * r); c.lineTo(x, y + 3 * r); c.stroke();
      }
      c.fillStyle = hollow.has(s.status[j]) ? ground : colors[i % NAMED];
      c.beginPath(); c.arc(x, y, r, 0, 2 * Math.PI); c.fill();
      if (hollow.has(s.status[j])) c.stroke();
    });
  });
}

// tell writes the values at the place that is pointed at.
function tell(u, lines, colors) {
  const i = u.cursor.idx;
  if (i == null) return;
  values.replaceChildren(el("strong", {}, names[i]), ...lines.map((s, n) => {
    const dot = el("i");
    dot.style.background = colors[n % NAMED];
    return el("span", {}, dot, `${s.name}: ${read(s, s.values[i], i)}`);
  }));
}

// With the arrow keys, the cursor moves from period to period.
function step(event) {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const from = plot.cursor.idx ?? (move > 0 ? -1 : at.length);
  const i = Math.min(at.length - 1, Math.max(0, from + move));
  plot.setCursor({ left: plot.valToPos(at[i], "x"), top: 10 });
}

const stage = el("div", { class: "stage", tabindex: "0", role: "application", "aria-label": words.chartHint, onkeydown: step });
const values = el("p", { class: "values", role: "status" }, words.chartHint);
const choices = el("fieldset", { class: "areas" });
function offer() {
  choices.replaceChildren(el("legend", {}, words.areas), ...series.filter((s) => s.unit === unit).map((s) => {
    const box = el("input", { type: "checkbox", onchange: () => { if (box.checked) picked.add(s); else picked.delete(s); draw(); } });
    box.checked = picked.has(s);
    s.dot = el("i");
    return el("label", {}, box, s.dot, s.name);
  }));
}

const controls = el("form", { class: "filters", onsubmit: (event) => event.preventDefault() });
if (units.length > 1) {
  const list = el("select", { onchange: () => { unit = list.value; picked.clear(); first().forEach((s) => picked.add(s)); offer(); draw(); } }, ...units.map((u) => el("option", {}, u)));
  controls.append(el("label", {}, words.value, list));
} else {
  controls.append(el("p", { class: "quiet" }, unit));
}
section.querySelector(".still").classList.add("paper");
section.insertBefore(el("div", { class: "interactive" }, controls, stage, values, choices), section.querySelector(".key"));
offer();
draw();
new ResizeObserver(() => { if (plot && Math.abs(plot.width - stage.clientWidth) > 2) plot.setSize({ width: stage.clientWidth, height: plot.height }); }).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
section.dataset.ready = "yes";
