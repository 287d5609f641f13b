// Checks a data package against the profiles that its reader carries.
import { readFileSync } from "node:fs";
import datapackage from "datapackage";

const { valid, errors } = await datapackage.validate(JSON.parse(readFileSync(process.argv[2], "utf8")));
console.log(valid ? "valid" : errors.map(String).join("\n"));
