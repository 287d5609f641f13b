import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { decades } from "./part-axis.js";
import { linesPicture } from "./part-lines.js";
import { speak, tickText } from "./part-numbers.js";
import { mapPicture, rankingPicture } from "./part-ranking.js";
import { wrapped } from "./part-svg.js";
import { addressOf, csvOf, nameOf, notesOf, nowOf, parse, periodOf, ranked, relativeText, shownLines, toggle, unitOf, valueAt, viewOf } from "./part-view.js";

const { languages } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
speak(languages[0].words);

const series = (name, area, values, more = {}) => ({ name, area, rank: 2, chart: 0, dots: true, values, status: "A", ...more });
const file = {
  title: "Cases, \"all\"", credit: "Us", sources: "A; B", license: "CC0-1.0", page: "https://a.example/cases/",
  at: [2000, 2001, 2002, 2003], names: ["2000", "2001", "2002", "2003"],
  charts: [{ unit: "cases", picked: [0, 1], behind: [2], classes: [4, 10, 20, 40] }, { unit: "per cent", picked: [3], behind: [] }],
  series: [
    series("World", "001", [100, 200, 0, 50], { rank: 0 }), series("France", "FRA", [10, null, 30, 5]),
    series("Samoa", "WSM", [null, 4, null, 2], { texts: { 2: "<5" }, below: { 2: 5 }, status: ["", "E", "Q", "retracted"] }),
    series("World", "001", [1, 2, 3, 4], { rank: 0, chart: 1 }),
  ],
  status: [["A", "normal"], ["E", "estimated"], ["Q", "kept secret"], ["F", "forecast"], ["weakened", "weakened"], ["retracted", "retracted"]],
  lost: ["retracted"], hollow: [], reach: 2,
};
const query = (view) => new URLSearchParams(Object.entries(addressOf(file, view)).filter(([, v]) => v));

test("the address has the view, and nothing at first", () => {
  assert.equal(query(viewOf(file, 0)).toString(), "");
  const view = viewOf(file, 0);
  toggle(view, 0); // away: its colour stays free
  toggle(view, 2);
  Object.assign(view, { tab: "ranking", from: 1, to: 3, zero: false, log: true, sort: "-to" });
  assert.deepEqual(view.slots, [2, 1]);
  assert.deepEqual(parse(file, query(view)), view);
  toggle(view, 2);
  assert.deepEqual(parse(file, query(view)).slots, [null, 1], "what is shown keeps its colour");
  view.slots = [];
  assert.deepEqual(parse(file, query(view)).slots.filter((i) => i != null), []);
  assert.deepEqual(parse(file, query(viewOf(file, 1))), viewOf(file, 1));
  assert.deepEqual(parse(file, new URLSearchParams("areas=XXX*YYY&time=1800..1900&tab=x&unit=y")), viewOf(file, 0));
  assert.deepEqual(parse(file, new URLSearchParams("area=WSM")).slots, [0, 1, 2], "as the search leads to it");
});

test("a bound is no number", () => {
  const view = { ...viewOf(file, 0), slots: [2] };
  assert.equal(valueAt(file, file.series[2], 2).text, "<5");
  assert.deepEqual(shownLines(file, view)[0].values, [null, 4, null, 2]);
  const bars = rankingPicture(file, { ...view, tab: "ranking", to: 2 }, 600).parts.map((g) => g.children[0].children?.[0] ?? g.children[0]);
  assert.deepEqual(bars, ["France", "Samoa", "World", "World and regions, to a scale of their own"], "between zero and its bound; what is no country stands apart");
  const wide = rankingPicture(file, { ...view, tab: "ranking", to: 1 }, 600).parts.map((g) => g.children[1]?.attributes.width);
  assert.deepEqual(wide, [442.2, 176.9, 442.2, undefined], "the world does not squeeze countries");
  const drawn = linesPicture({ ...file, series: [...file.series.slice(0, 2), { ...file.series[2], values: [9, 4, null, 3], status: "A" }] }, view, 600, 300).parts.find((p) => p.attributes.class === "s0");
  assert.deepEqual(drawn.children.map((p) => p.attributes.class).filter(Boolean), ["line", "bound"], "no line passes over a bound");
  const map = mapPicture(file, { ...view, to: 2 }, { size: [100, 50], shapes: { FRA: "M0 0z" }, dots: { WSM: [3, 4], FJI: [1, 1] } }, 500);
  assert.deepEqual(map.parts[0].children.map((c) => [c.name, c.attributes.class]), [["path", "m2"], ["circle", "none picked"]]);
});

test("a value comes with its status, and with its period if that is an earlier one", () => {
  const at = (values, status, i, more = {}) => {
    const { text, more: said } = valueAt({ ...file, series: [] }, series("", "", values, { status, ...more }), i);
    return [text, said];
  };
  assert.deepEqual(at([1, 2], "A", 1), ["2", ""]);
  assert.deepEqual(at([1, 2], ["A", "E weakened"], 1), ["2", "estimated, weakened"]);
  assert.deepEqual(at([1, null, null], "A", 2), ["1", "2000"], "the closest earlier value");
  assert.deepEqual(at([1, null, null, null], "A", 3), ["–", ""], "not farther back than the indicator allows");
  assert.deepEqual(at([1, null], ["E", "O"], 1), ["1", "2000, estimated"]);
  assert.deepEqual(at([1, 2, null], ["A", "retracted", ""], 2), ["1", "2000"], "one that was retracted is no earlier value");
  assert.deepEqual(at([1, 2], ["A", "retracted"], 1), ["1", "2000; 2001: retracted"]);
  assert.deepEqual(at([1, 2, 3], ["retracted", "retracted", "F"], 1), ["–", "2001: retracted"], "no value is shown that does not count");
  assert.deepEqual(at([1, 2], ["A", "E"], 1, { breaks: { 1: "Counted anew." } }), ["2", "estimated, Counted anew."]);
  const ahead = { ...file, series: [series("France", "FRA", [1, 2, 3, 9], { status: ["A", "A", "F", "F"] }), series("Chad", "TCD", [null, 7, null, null])], charts: [{ unit: "cases", picked: [0, 1], behind: [] }] };
  const view = viewOf(ahead, 0);
  assert.equal(nowOf(ahead, view), 1);
  assert.match(nameOf(ahead, view), /France: 2; Chad: 7$/, "a forecast is not the latest value");
  assert.equal(parse(ahead, new URLSearchParams("tab=ranking")).to, 1);
  assert.deepEqual(ranked(ahead, { ...view, tab: "ranking" }).map(({ v }) => [v.text, v.more]), [["9", "forecast"], ["7", "2001"]]);
  assert.equal(periodOf(ahead, { ...view, tab: "map" }), "2003, forecast");
  const lines = linesPicture(ahead, view, 600, 300).parts;
  assert.equal(lines.find((p) => p.attributes.class === "ahead").children[0], "projected from 2002");
  const [solid, dashed] = lines.find((p) => p.attributes.class === "s0").children.map((p) => p.attributes);
  assert.deepEqual([solid.class, solid.d.split("L").length, dashed.class, dashed.d.split("L").length], ["line", 2, "projected", 3]);
});

test("scales show what they can", () => {
  const view = viewOf(file, 0);
  assert.deepEqual(shownLines(file, { ...view, log: true })[0].values, [100, 200, null, 50]);
  const relative = { ...view, slots: [0, 1, 2], relative: true };
  assert.deepEqual(shownLines(file, relative)[0].values, [0, 100, -100, -50]);
  assert.equal(unitOf(file, relative), "change since 2000, in per cent");
  assert.deepEqual(notesOf(file, relative), ["Not shown: Samoa. They have no value above zero in 2000 to measure change from."]);
  assert.equal(relativeText(file, relative, file.series[1], 3), "−50% (5)");
  assert.match(nameOf(file, relative), /change since 2000, in per cent\. World: −50% \(50\); France/);
  const broken = { ...file, series: [{ ...file.series[0], breaks: { 2: "Counted anew." } }, ...file.series.slice(1)] };
  assert.deepEqual(shownLines(broken, relative)[0].values, [0, 100, null, null], "nothing runs across a break");
  assert.deepEqual(notesOf(broken, view), ["2002 (World): Counted anew."]);
  const rule = linesPicture(broken, view, 600, 300).parts.find((p) => p.attributes.class === "break");
  assert.equal(rule.children[1].children[0], "2002", "the reason is below the chart");
  assert.deepEqual(linesPicture(file, relative, 600, 300).parts.filter((p) => p.attributes.class === "tick").map((p) => p.children[0]), ["−100%", "0%", "+100%", "+200%"]);
  const around = { ...file, charts: [{ ...file.charts[0], classes: [-16000, -12000, -8100, -4000, 0, 6100, 12000, 18000, 25000] }] };
  const legend = mapPicture(around, { ...viewOf(around, 0), tab: "map" }, { size: [100, 50], shapes: {}, dots: {} }, 500).parts;
  assert.deepEqual(legend.filter((p) => p.name === "rect").map((p) => p.attributes.class), ["b4", "b3", "b2", "b1", "m2", "m3", "m4", "m5", "none"]);
  assert.deepEqual(decades([{ values: [3, 4000] }]), [1, 10, 100, 1000, 10000]);
  assert.deepEqual(decades([{ values: [20, 70] }]), [10, 20, 50, 100]);
  const line = linesPicture(file, { ...view, log: true }, 600, 300).parts.find((p) => p.attributes.class === "s0");
  assert.ok(line.children.some((p) => p.attributes.class === "gap"), "a zero is not passed over in silence");
  assert.deepEqual([0, 0.2, 15000, 2e6, -3e9].map(tickText), ["0", "0.2", "15 k", "2 m", "−3 bn"]);
});

test("a table has what is seen, and where it comes from", () => {
  const rows = csvOf(file, { ...viewOf(file, 0), slots: [2], from: 1 }).trimEnd().split("\r\n");
  assert.equal(rows.length, 4);
  assert.equal(rows[2], '"Cases, ""all""",Samoa,WSM,2002,<5,,,cases,kept secret,A; B,Us,CC0-1.0,https://a.example/cases/');
  assert.match(rows[3], /,2,,,cases,retracted,/);
  assert.equal(csvOf(file, { ...viewOf(file, 0), tab: "map" }).trimEnd().split("\r\n").length, 4, "all areas, of one period");
});

test("long words are cut", () => assert.deepEqual(wrapped("ab abcdefgh", 4), ["ab", "abcd", "efgh"]));
