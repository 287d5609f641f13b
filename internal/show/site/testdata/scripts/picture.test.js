import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { linesPicture } from "./part-lines.js";
import { speak } from "./part-numbers.js";
import { viewOf } from "./part-view.js";

// Charts as drawing.go draws them, with the files that they are drawn from here.
const { languages, pictures } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
speak(languages[0].words);

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
function markup({ name, attributes, children }) {
  const start = `<${name}${Object.entries(attributes).map(([key, v]) => ` ${key}="${escaped(v)}"`).join("")}`;
  if (!children.length) return name === "g" ? `${start}></g>` : `${start}/>`;
  return `${start}>${children.map((c) => (typeof c === "string" ? escaped(c) : markup(c))).join("")}</${name}>`;
}

test("the script draws what the page draws", () => {
  assert.ok(pictures.length > 4);
  const number = /-?\d+(\.\d+)?/g;
  for (const [want, file] of pictures) {
    const got = linesPicture(file, viewOf(file, 0), 760, 340).parts.map(markup).join("");
    assert.equal(got.replace(number, "#"), want.replace(number, "#"));
    const [a, b] = [got, want].map((text) => text.match(number).map(Number));
    a.forEach((v, i) => assert.ok(Math.abs(v - b[i]) < 0.11, `${v} is drawn, and not ${b[i]}, at ${i} of\n${want}`));
  }
});
