// Writes internal/author/reading/settings/places/names.txt: what each country and continent is called in the languages that most
// people read, from CLDR. It is run by hand, when there is a new CLDR:
//
//   npm install --no-save --prefix /tmp/cldr cldr-localenames-modern@45.0.0 cldr-core@45.0.0
//   node tools/names/names.mjs /tmp/cldr/node_modules > internal/author/reading/settings/places/names.txt
import { readFileSync } from "node:fs";

const LANGUAGES = "ar bn de en es fa fr hi id it ja ko nl pl pt ru sv sw tr uk ur vi zh zh-Hant".split(" ");
const CONTINENTS = ["001", "002", "009", "019", "142", "150"];

const modules = process.argv[2];
const read = (path) => JSON.parse(readFileSync(`${modules}/${path}`, "utf8"));
const { codeMappings } = read("cldr-core/supplemental/codeMappings.json").supplemental;

const names = new Map(); // by code, for each language; other forms of a name follow after a bar
LANGUAGES.forEach((language, i) => {
  const { localeDisplayNames } = read(`cldr-localenames-modern/main/${language}/territories.json`).main[language];
  for (const [key, name] of Object.entries(localeDisplayNames.territories)) {
    const [code, alt] = key.split("-alt-");
    const place = CONTINENTS.includes(code) ? code : codeMappings[code]?._alpha3;
    if (!place) continue;
    if (!names.has(place)) names.set(place, LANGUAGES.map(() => []));
    if (alt) names.get(place)[i].push(name);
    else names.get(place)[i].unshift(name);
  }
});
console.log(["code", ...LANGUAGES].join("\t"));
for (const [place, list] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log([place, ...list.map((forms) => forms.join("|"))].join("\t"));
}
