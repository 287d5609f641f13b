// Compiles the schemas of a folder in the strict mode of ajv, which takes no rule that it does not
// know, no type that is left open and no member that is required and not described.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const Ajv = createRequire(import.meta.url)("@redocly/ajv/dist/2020.js").default;
let failed = 0;
for (const path of process.argv.slice(2)) {
  const ajv = new Ajv({ strict: true, formats: { date: true, uri: true, "uri-reference": true, "date-time": true } });
  try {
    ajv.compile(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    console.log(path + ": " + error.message);
    failed++;
  }
}
process.exitCode = failed ? 1 : 0;
