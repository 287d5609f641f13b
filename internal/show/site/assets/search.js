// The page that searches everything.
import { openIndex } from "./part-find.js";
import { counted, filled, local, unitBeside, written } from "./part-numbers.js";
import { fold, PIECE } from "./part-terms.js";
import { at, el, fetchJSON, parameters, select, share, stay, theirs, words } from "./part-page.js";

const STEP = 10; // results of a group that are added at a time, and that the only one begins with
const FIRST = 5, FEW = 3; // results of the best group and of the others at first
const YEAR = /(?<!\d)(1[89]|20)\d\d(?!\d)/;
const LEAST = /(^|\s)(least|lowest|fewest|(ال)?(ادني|اقل))(?=\s|$)/;
const RANKED = /(^|\s)(most|best|worst|highest|rank\w*|(ال)?(اعلي|اكثر))(?=\s|$)/;
const place = document.getElementById("search");
if (!parameters().get("q")) place.dataset.idle = "yes"; // nothing has to make room for results

/** @typedef {Awaited<ReturnType<typeof openIndex>>} Index */
/** @typedef {Awaited<ReturnType<Index["begin"]>>} Found */
/** @typedef {ReturnType<typeof newGroup>} Group */

/** @type {Index} */
let index;
let asked = 0;
/** @type {Found} */
let found;
/** @type {Map<string, Group>} */
let groups = new Map();

/** @param {string} text */
const marked = (text) => index.split(text, found.words).map(([piece, hit]) => (hit ? el("mark", {}, piece) : piece));

// led adds the row, the year or the ranking to the address of an indicator.
/** @param {string} address */
function led(address) {
  const typed = input.value.trim(), query = fold(typed);
  if (!address.startsWith("/healthcare-statistics/")) return address;
  if (/^sta-\S+$/.test(query)) return `${address}#${typed}`;
  const year = YEAR.exec(query)?.[0], area = address.replace(/areas\/(.+)\/$/, "?area=$1");
  if (year) return `${area}${area.includes("?") ? "&" : "?"}time=${year}..${year}`;
  if (/[?]|areas/.test(address)) return address;
  return LEAST.test(query) ? `${address}?tab=ranking&sort=to` : RANKED.test(query) ? `${address}?tab=ranking` : address;
}

// tellYear shows the value of the year in the query.
/** @param {string} address @param {Element} value */
async function tellYear(address, value) {
  if (!value) return;
  const year = YEAR.exec(fold(input.value))?.[0];
  const [, folder, area] = /^(\/healthcare-statistics\/[^/?]+\/)(?:areas\/|\?area=)?([^/?]*)/.exec(address) ?? [];
  if (!year || !folder) return;
  const { valueAt } = await import("./part-view.js");
  const loaded = fetchJSON(at(`${folder}series.json`)).catch(() => /** @type {any} */ (null));
  const file = /** @type {SeriesFile} */ (await loaded);
  const i = file?.names.indexOf(year), list = file?.series.filter((s) => !area || s.area === area) ?? [];
  const s = area || list.length === 1 ? list.find(({ detail }) => !detail) ?? list[0] : list.find(({ rank }) => !rank);
  const v = s && i >= 0 ? valueAt(file, s, i) : null;
  if (!v || v.at < 0) return;
  const of = [s.name, v.at === i ? local(year) : "", v.more].filter(Boolean).join(words.comma);
  value.textContent = `${of}: ${v.text} ${unitBeside(v.text, file.charts[s.chart].unit)}`;
}

/** @param {Record<string, string>} shown */
const entry = ({ address, title, summary, label, text, standing, value }) => el("li", {},
  el("a", { href: at(led(address)), ...theirs }, ...marked(title)),
  label ? el("span", { class: `badge ${label}` }, text) : null,
  standing ? el("span", { class: `badge standing ${standing}` }, words.standings[standing]) : null,
  value ? el("p", { class: "value", ...theirs }, value) : null,
  summary ? el("p", { class: "quiet", ...theirs }, ...marked(summary)) : null);

/** @param {string} name */
function newGroup(name) {
  const list = el("ol", { class: "results" }), count = el("span", { class: "quiet" });
  const further = el("button", { type: "button", class: "more", hidden: true }, words.more);
  const group = {
    documents: /** @type {number[]} */ ([]), shown: 0, list,
    section: el("section", {}, el("h2", {}, name, " ", count), list, further),

    /** @type {DrawOf} */
    async draw(mine, more) {
      const next = group.documents.slice(group.shown, group.shown + more);
      const rows = await index.rows(next);
      if (mine !== asked) return;
      const entries = rows.map(entry);
      list.append(...entries);
      group.shown += next.length;
      await Promise.all(rows.map(({ address }, i) => tellYear(address, entries[i].querySelector(".value"))));
    },

    tell() {
      count.textContent = found.whole ? written(group.documents.length) : "";
      further.hidden = group.shown >= group.documents.length && found.whole;
    },
  };
  further.addEventListener("click", () => attempt(async (mine) => {
    if (group.shown >= group.documents.length) await compare(mine);
    await group.draw(mine, STEP);
    group.tell();
  }));
  return group;
}

function gather() {
  const results = found.results();
  /** @type {Map<string, number[]>} */
  const all = new Map();
  for (const { document } of results) {
    const { name } = index.kindOf(document);
    if (!all.get(name)?.push(document)) all.set(name, [document]);
  }
  for (const [name, documents] of all) {
    const group = groups.get(name) ?? newGroup(name);
    groups.set(name, group);
    const before = new Set(group.documents.slice(0, group.shown));
    group.documents = [...before, ...documents.filter((document) => !before.has(document))];
  }
  tell(results);
}

// spelled is a word as results have it: the index lacks endings.
/** @param {string} word */
function spelled(word) {
  const text = [...lists.querySelectorAll("a, p")].map((e) => e.textContent).join(" ").toLowerCase();
  return text.split(/[^\p{L}\p{Nd}]+/u).find((w) => w && index.wordsOf(w)[0] === word) ?? word;
}

/** @param {{ all: boolean }[]} results */
function tell(results) {
  const own = found.own ? 1 : 0, total = (found.total ?? results.length) + own;
  const all = results.filter((result) => result.all).length + own;
  const typed = input.value.split(PIECE), tag = words.numbers.tag;
  const missing = found.missing.map((word) => typed.find((piece) => fold(piece) === word) ?? word);
  const lacks = missing.length
    ? filled(words.findLacks, { words: new Intl.ListFormat(tag, { type: "disjunction" }).format(missing) }) : "";
  const numbers = missing.length && missing.every((word) => /^\d{3,}$/.test(fold(word).replace(/\D/g, "")));
  const many = (/** @type {number} */ n) => counted(words.found, n, tag);
  let text = many(total);
  if (!total) text = lacks ? "" : words.findNone;
  else if (found.total === undefined) {
    const [compared, documents] = [found.compared, found.within].map((n) => written(n));
    text = filled(words.findCompared, { count: written(total), compared, documents });
  } else if (!all) text = words.findSome;
  else if (all < total) {
    text = filled(words.findAll, { results: many(all), more: written(total - all) });
  }
  const meant = [...found.instead.values()].map(spelled).join(", ");
  const instead = meant && total && `${words.findMeant} ${meant}.`;
  status.textContent = [lacks, numbers && words.findNumbers, instead, text].filter(Boolean).join(" ");
  for (const group of groups.values()) group.tell();
}

/** @param {number} mine */
async function compare(mine) {
  await found.compare();
  if (mine === asked) gather();
}

const ranges = () => index.head.shown.filter((k) => k.count && (!kinds.value || k.kind === kinds.value));

/** @type {AnswerOf} */
async function answer(mine, query) {
  const begun = await index.begin(query, ranges());
  if (mine !== asked) return; // typed on in the meantime
  found = begun;
  groups = new Map();
  gather();
  const list = [...groups.values()];
  await Promise.all(list.map((group, i) => group.draw(mine, list.length === 1 ? STEP : i ? FEW : FIRST)));
  if (mine !== asked) return;
  const own = found.own ? [el("ol", { class: "results" }, entry(found.own.row))] : [];
  lists.className = found.results()[0]?.all && !own.length ? "best" : "";
  lists.replaceChildren(...own, ...list.map(({ section }) => section));
  tell(found.results());
}

// attempt does what may fail to load: then it says so, and offers to try again.
/** @param {(mine: number) => Promise<void>} work */
async function attempt(work) {
  const mine = ++asked;
  delete place.dataset.ready;
  try {
    index ??= await openIndex();
    offer();
    if (mine === asked) await work(mine);
  } catch {
    if (mine !== asked) return;
    const again = el("button", { type: "button", onclick: () => attempt(work) }, words.again);
    status.replaceChildren(words.findFailed, " ", again);
  }
  if (mine === asked) place.dataset.ready = "yes";
}

function search() {
  const query = input.value.trim();
  return attempt(async (mine) => {
    share({ q: query, kind: kinds.value });
    if (query) {
      delete place.dataset.idle;
      return answer(mine, query);
    }
    place.dataset.idle = "yes";
    lists.replaceChildren();
    status.textContent = words.findHint;
  });
}

function offer() {
  if (kinds.options.length > 1) return;
  const named = new Map(index.head.shown.filter((k) => k.count).toReversed().map((k) => [k.kind, k.name]));
  kinds.append(...[...named].toReversed().map(([value, name]) => el("option", { value }, name)));
  kinds.value = named.has(given.get("kind")) ? given.get("kind") : "";
}

const given = parameters();
/** @type {ReturnType<typeof setTimeout>} */
let timer;
const input = el("input", {
  type: "search", name: "q", value: given.get("q") ?? "", placeholder: words.findHint, autocomplete: "off",
  spellcheck: "false", "aria-label": words.search,
  oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  },
});
const choice = select("kind", words.kind, [], "", search);
const kinds = choice.querySelector("select");
const status = el("p", { class: "quiet found", role: "status" });
const lists = el("div");
const form = el("form", { class: "filters", onsubmit: (/** @type {Event} */ event) => { stay(event); search(); } },
  el("label", {}, words.search, input), choice);
place.append(form, status, lists);
await search();
