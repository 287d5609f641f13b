import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { distance, makeTerms } from "./part-terms.js";

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

test("what was meant is nearest, and no short word is guessed at", () => {
  const { meant } = makeTerms({ ...head, spelling: "measles measure samoa uk vaccine" });
  assert.deepEqual(meant("measels"), ["measles"]);
  assert.deepEqual(meant("vacine"), ["vaccine"]);
  assert.deepEqual(meant("samao"), ["samoa"]);
  assert.deepEqual(meant("us"), []);
  assert.deepEqual(meant("xyzzy"), []);
});
