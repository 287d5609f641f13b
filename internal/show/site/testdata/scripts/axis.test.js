import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { extent, round, scaled } from "./part-axis.js";

// The steps that scale.go chooses.
const { steps } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));

test("steps are those of the chart that the page draws", () => {
  for (const [raw, step] of steps) assert.ok(Math.abs(round(raw) - step) < 1e-9 * step, `${raw}: ${round(raw)}, want ${step}`);
  for (const raw of [0, -1, NaN, Infinity]) assert.equal(round(raw), 1);
});

test("an axis begins at zero, unless somebody wants it otherwise", () => {
  const lines = [{ values: [82, null, 95] }];
  assert.deepEqual(extent(lines, true, undefined), { cuttable: true, ticks: [0, 20, 40, 60, 80, 100] });
  assert.deepEqual(extent(lines, false, undefined).ticks, [80, 85, 90, 95]);
  assert.deepEqual(extent(lines, false, 70).ticks, [70, 75, 80, 85, 90, 95]);
  assert.deepEqual(extent(lines, false, 90).ticks[0], 80, "what lies below where the publisher begins is shown");
  assert.deepEqual(extent([{ values: [-3, 4] }], true, undefined), { cuttable: false, ticks: [-4, -2, 0, 2, 4] });
});

test("intervals are inside, and there is always something to draw", () => {
  assert.equal(extent([{ values: [5], lower: [1], upper: [19] }], true, undefined).ticks.at(-1), 20);
  assert.deepEqual(extent([], true, undefined).ticks, [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  assert.equal(extent([{ values: [7, 7] }], false, undefined).ticks.length, 6);
  assert.equal(extent([{ values: [0] }], true, undefined).ticks.at(-1), 1);
});

test("values have their places", () => {
  const y = scaled(0, 100, 300, 20);
  assert.deepEqual([0, 50, 100].map(y), [300, 160, 20]);
  assert.equal(scaled(5, 5, 0, 10)(5), 5);
});
