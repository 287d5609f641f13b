// Expands JSON-LD documents and prints, for each, how many things it has of each type. Nothing is fetched, and a name that means nothing is an error.
import { readFileSync } from "node:fs";
import jsonld from "jsonld";

const documentLoader = (url) => {
  throw new Error("the document wants " + url);
};
const all = {};
for (const path of process.argv.slice(2)) {
  const expanded = await jsonld.expand(JSON.parse(readFileSync(path, "utf8")), { documentLoader, safe: true, base: "https://measles.example.org/" });
  const counts = (all[path] = {});
  const visit = (value) => {
    if (value === null || typeof value !== "object") return;
    if (Array.isArray(value)) return value.forEach(visit);
    for (const type of value["@value"] === undefined ? (value["@type"] ?? []) : []) counts[type] = (counts[type] ?? 0) + 1;
    Object.values(value).forEach(visit);
  };
  visit(expanded);
}
console.log(JSON.stringify(all));
