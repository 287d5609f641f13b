import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { distance, makeTerms, PIECE } from "./part-terms.js";

// What internal/show/search makes of texts and words.
const { head, texts, buckets } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
const terms = makeTerms(head);

test("words are those of the index", () => {
  for (const [text, words] of texts) assert.deepEqual(terms.wordsOf(text).sort(), words, text);
});

test("words are looked for where the index has them", () => {
  for (const [word, bucket] of buckets) assert.equal(terms.bucket(word), bucket, word);
});

test("distances", () => {
  for (const [a, b, want] of [["", "", 0], ["measles", "measles", 0], ["measels", "measles", 1], ["mesles", "measles", 1], ["meazles", "measles", 1], ["kitten", "sitting", 3], ["a", "abcdef", 4]]) {
    assert.equal(distance(a, b, 3), want, `${a} ${b}`);
    assert.equal(distance(b, a, 3), want, `${b} ${a}`);
  }
});

test("what was meant is nearest, begins alike, and is no number", () => {
  const { meant } = makeTerms({ ...head, spelling: "measles measure samoa uk vaccine chile eastern comoros cite" });
  for (const [typed, want] of [
    ["measels", ["measles"]], ["vacine", ["vaccine"]], ["vacination", ["vaccination"]], ["samao", ["samoa"]],
    ["us", []], ["xyzzy", []], ["2015", []], ["masern", []], ["children", []], ["cohort", []], ["cote", []], ["malaria", []],
  ]) assert.deepEqual(meant(typed), want, typed);
});

test("a question is read for what it asks about", () => {
  const words = (text) => terms.read(text).map(({ word }) => word);
  assert.deepEqual(words("How many children died of measles?"), ["child", "death", "measle"]);
  assert.deepEqual(words("Who should get two doses?"), ["two", "dose"]);
  assert.deepEqual(words("who"), ["who"]);
  assert.deepEqual(words("how many"), ["how", "many"]);
  assert.deepEqual(words("see https://doi.org/10.1234/AB(5).6"), ["see", "65ba432101="]);
  assert.deepEqual(words("whooping cough"), ["pertussis"]);
});

test("what matched is told from the rest", () => {
  assert.deepEqual("Of 133,802 U.S. cases".split(PIECE), ["", "Of", " ", "133,802", " ", "U.S", ". ", "cases", ""]);
});
