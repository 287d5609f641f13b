// Writes internal/show/search/names.txt: for each country and region the words of its names in the languages that most
// people read, from CLDR. It is run by hand, when there is a new CLDR:
//
//   npm install --no-save --prefix /tmp/cldr cldr-localenames-modern@45.0.0 cldr-core@45.0.0
//   node tools/names/names.mjs /tmp/cldr/node_modules > internal/show/search/names.txt
import { readFileSync } from "node:fs";

const LANGUAGES = "ar bn de en es fa fr hi id it ja ko nl pl pt ru sv sw tr uk ur vi zh zh-Hant".split(" ");
const CONTINENTS = ["001", "002", "009", "019", "142", "150"];
const MOST = 6; // countries that a word may name; "republic" names none

const modules = process.argv[2];
const read = (path) => JSON.parse(readFileSync(`${modules}/${path}`, "utf8"));
const fold = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const { codeMappings } = read("cldr-core/supplemental/codeMappings.json").supplemental;

const names = new Map(); // words by code
for (const language of LANGUAGES) {
  const { localeDisplayNames } = read(`cldr-localenames-modern/main/${language}/territories.json`).main[language];
  for (const [key, name] of Object.entries(localeDisplayNames.territories)) {
    const [code] = key.split("-");
    const place = CONTINENTS.includes(code) ? code : codeMappings[code]?._alpha3;
    if (!place) continue;
    const words = fold(name).split(/[^\p{L}\p{Nd}]+/u).filter((word) => word.length > 2 || /[^\p{Script=Latin}]{2}/u.test(word));
    names.set(place, new Set([...(names.get(place) ?? []), ...words]));
  }
}
const counts = new Map();
for (const words of names.values()) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
for (const [place, words] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const telling = [...words].filter((word) => counts.get(word) <= MOST).sort();
  if (telling.length) console.log(`${place}: ${telling.join(" ")}`);
}
