// Runs queries with the search engine of the pages, which reads the files of a release. Queries come as JSON, and of each
// go back the addresses and titles of the first results, what they count, and how many there are.
import { readFileSync, statSync } from "node:fs";

globalThis.document = { getElementById: () => null, documentElement: { lang: "en" } };
globalThis.fetch = async (address, { method } = {}) => {
  const path = new URL(method === "HEAD" ? "index.html" : "", address);
  const ok = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return { ok, status: ok ? 200 : 404, json: async () => JSON.parse(readFileSync(path, "utf8")) };
};

const { openIndex } = await import(new URL("part-find.js", `file://${process.argv[2]}/`).href);
const index = await openIndex();
const everything = index.head.shown.filter((kind) => kind.count);
const answers = [];
for (const query of JSON.parse(readFileSync(0, "utf8"))) {
  const found = await index.begin(query, everything);
  const results = found.results(), best = results.slice(0, 3);
  const rows = await index.rows(best.map(({ document }) => document));
  const first = rows.map(({ address, title }, i) => [address, title, Math.round(best[i].score)]);
  if (found.own) first.unshift([found.own.row.address, found.own.row.title, 0]);
  answers.push({ query, first, instead: [...found.instead.values()], missing: found.missing, count: results.length });
}
console.log(JSON.stringify(answers));
