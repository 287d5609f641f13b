// The search over everything. It reads how the words are divided, the files of the words that are looked for, and a few
// small files of what the results show: never the whole index.
import { at, el, fetchJSON, parameters, select, share, theirs, words } from "./part-page.js";
import { makeTerms } from "./part-terms.js";

const STEP = 10; // results that are shown at a time
const place = document.getElementById("search");
if (!parameters().get("q")) place.dataset.idle = "yes"; // what is below need not make room for results
/** @type {Map<string, Promise<any>>} */
const files = new Map();
/** @param {string} path */
const file = (path) => files.get(path) ?? files.set(path, fetchJSON(at(`/search/${path}.json`))).get(path);
const head = /** @type {import("./types").SearchHead} */ (await file("head"));
const { wordsOf, bucket, meant } = makeTerms(head);
/** @typedef {import("./types").FoundKind} FoundKind */
/** @typedef {Record<string, string>} Shown what a result shows, by the names of columns */

// postings are the documents that have a word, each with what it counts.
/** @type {(word: string, share: number, into: Map<number, number>) => Promise<number>} */
async function postings(word, share, into) {
  const [count, ...list] = (await file(`words/${bucket(word)}`))[word] ?? [0];
  const rare = share * Math.log(1 + head.documents / Math.max(1, count));
  let sum = 0;
  for (const step of list) {
    sum += step;
    const document = Math.floor(sum / 16);
    into.set(document, Math.max(into.get(document) ?? 0, (sum % 16) * rare));
  }
  return count;
}

// lookUp finds a word: as it is, as the beginning of others, or else as what it was meant to be.
/** @type {(word: string, typing: boolean, instead: Map<string, string>) => Promise<Map<number, number>>} */
async function lookUp(word, typing, instead) {
  /** @type {Map<number, number>} */
  const found = new Map();
  let count = await postings(word, 1, found);
  if (typing && [...word].length >= head.prefix) {
    const longer = Object.keys(await file(`words/${bucket(word)}`)).filter((w) => w !== word && w.startsWith(word)).slice(0, 40);
    for (const w of longer) count += await postings(w, 0.4, found);
  }
  if (!count) {
    const near = meant(word);
    for (const w of near) await postings(w, 0.7, found);
    if (near.length) instead.set(word, near[0]);
  }
  return found;
}

/** @param {number} document */
const kindOf = (document) => head.shown.findLast((k) => k.count && k.first <= document);

// find ranks the documents that have the most of the words.
/** @param {string} query */
async function find(query) {
  const list = wordsOf(query);
  /** @type {Map<string, string>} */
  const instead = new Map();
  /** @type {Map<number, [number, number]>} */
  const scores = new Map();
  await Promise.all(list.map(async (word, i) => {
    for (const [document, score] of await lookUp(word, i === list.length - 1, instead)) {
      const entry = scores.get(document) ?? [0, 0];
      scores.set(document, [entry[0] + 1, entry[1] + score]);
    }
  }));
  const all = [...scores].map(([document, [count, score]]) => ({ document, count, score: score * kindOf(document).boost }))
    .sort((a, b) => b.count - a.count || b.score - a.score || a.document - b.document);
  const whole = all.filter((r) => r.count === list.length);
  return { results: whole.length ? whole : all, partial: !whole.length && all.length > 0 && list.length > 1, instead };
}

// byID finds a record whose ID was typed.
/** @param {string} query */
async function byID(query) {
  const id = query.trim();
  if (!/^[A-Za-z0-9][\w.-]*$/.test(id)) return;
  const kind = head.shown.find((k) => k.prefix && id.startsWith(k.prefix) && k.kind !== "healthcare_statistic");
  if (!kind) return;
  const address = at(`/${kind.folder}/${id}/`);
  const answer = await fetch(address, { method: "HEAD" }).catch(() => /** @type {Response} */ (undefined));
  if (answer?.ok) return entry({ address: `/${kind.folder}/${id}/`, title: id }, kind);
}

/** @type {(shown: Shown, kind: FoundKind) => HTMLElement} */
const entry = ({ address, title, summary, label, text, standing }, kind) => el("li", {},
  el("span", { class: "kind" }, kind.name), " ", el("a", { href: at(address), ...theirs }, title),
  label ? el("span", { class: `badge ${label}` }, text) : null,
  standing ? el("span", { class: `badge standing ${standing}` }, words.standings[standing]) : null,
  summary ? el("p", { class: "quiet", ...theirs }, summary) : null);

let shown = 0, asked = 0;
/** @type {{ document: number }[]} */
let current = [];
async function more() {
  const mine = asked;
  const next = current.slice(shown, shown + STEP);
  const rows = await Promise.all(next.map(async ({ document }) => (await file(`rows/${Math.floor(document / head.chunk)}`))[document % head.chunk]));
  if (mine !== asked) return;
  const named = (/** @type {string[]} */ row) => Object.fromEntries(head.columns.map((name, i) => [name, row[i]]));
  list.append(...rows.map((row, i) => entry(named(row), kindOf(next[i].document))));
  shown += next.length;
  further.hidden = shown >= current.length;
}

// spelled is a word as the results have it: the index knows words without their endings.
const spelled = (/** @type {string} */ word) => [...list.querySelectorAll("a, p")].map((e) => e.textContent).join(" ").toLowerCase().split(/[^\p{L}\p{Nd}]+/u).find((w) => w && wordsOf(w)[0] === word) ?? word;

async function search() {
  const mine = ++asked, query = input.value;
  share({ q: query.trim(), kind: kinds.value });
  delete place.dataset.ready;
  if (!query.trim()) { list.replaceChildren(); note.textContent = words.findHint; further.hidden = true; current = []; place.dataset.ready = "yes"; return; }
  const [{ results, partial, instead }, own] = await Promise.all([find(query), byID(query)]);
  if (mine !== asked) return; // typed on in the meantime
  current = results.filter(({ document }) => !kinds.value || kindOf(document).kind === kinds.value);
  list.replaceChildren(...(own ? [own] : []));
  shown = 0;
  await more();
  if (mine !== asked) return;
  const corrected = instead.size ? `${words.findMeant} ${[...instead.values()].map(spelled).join(", ")}. ` : "";
  note.textContent = current.length || own ? `${corrected}${partial ? words.findSome : `${current.length.toLocaleString("en")} ${words.findResult}`}` : words.findNone;
  place.dataset.ready = "yes";
}

const given = parameters();
/** @type {ReturnType<typeof setTimeout>} */
let timer;
const input = el("input", { type: "search", name: "q", value: given.get("q") ?? "", placeholder: words.findHint, autocomplete: "off", spellcheck: "false", "aria-label": words.search,
  oninput: () => { clearTimeout(timer); timer = setTimeout(search, 120); } });
const offered = [...new Map(head.shown.filter((k) => k.count).map((k) => [k.kind, k.name])).entries()];
const choice = select("kind", words.kind, offered, given.get("kind") ?? "", search);
const kinds = choice.querySelector("select");
const note = el("p", { class: "quiet found", role: "status" });
const list = el("ol", { class: "results" });
const further = el("button", { type: "button", class: "more", hidden: true, onclick: more }, words.more);
place.append(el("form", { class: "filters", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); search(); } }, el("label", {}, words.search, input), choice), note, list, further);
await search();
input.focus();
