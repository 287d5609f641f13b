import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { brief, counted, speak, tickText, when, written } from "./part-numbers.js";

// What numbers.go writes, in each language.
const { languages } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));

for (const { words, numbers, briefs, ticks, counts, periods, days } of languages) {
  test(`scripts write numbers and dates as pages do: ${words.numbers.tag}`, () => {
    speak(words);
    for (const [n, text] of numbers) assert.equal(written(n), text);
    for (const [n, text] of briefs) assert.equal(brief(n), text);
    for (const [v, text] of ticks) assert.equal(tickText(v), text);
    for (const [n, text] of counts) assert.equal(counted(words.found, n, words.numbers.tag), text, `${n}`);
    for (const [period, text] of periods) assert.equal(when(period), text);
    for (const [day, text] of days) assert.equal(when(day), text);
  });
}
