// The page that searches everything.
import { openIndex } from "./part-find.js";
import { at, count as counted, el, filled, parameters, select, share, stay, theirs, words } from "./part-page.js";

const STEP = 10; // results that are shown at a time
const place = document.getElementById("search");
if (!parameters().get("q")) place.dataset.idle = "yes"; // what is below need not make room for results

/** @typedef {import("./types").FoundKind} FoundKind */
/** @typedef {Awaited<ReturnType<typeof openIndex>>} Index */
/** @typedef {Awaited<ReturnType<Index["begin"]>>} Found */

/** @type {Index} */
let index;
let asked = 0, shown = 0;
/** @type {Found} */
let found;
/** @type {number[]} */
let current = []; // documents; those that are shown come first

// byID finds a record whose ID was typed.
/** @param {string} query */
async function byID(query) {
  const id = query.trim();
  if (!/^[A-Za-z0-9][\w.-]*$/.test(id)) return;
  const kind = index.head.shown.find((k) => k.prefix && id.startsWith(k.prefix) && k.kind !== "healthcare_statistic");
  if (!kind) return;
  const address = `/${kind.folder}/${id}/`;
  const answer = await fetch(at(address), { method: "HEAD" });
  if (answer.ok) return entry({ address, title: id }, kind);
}

/** @type {(shown: Record<string, string>, kind: FoundKind) => HTMLElement} */
const entry = ({ address, title, summary, label, text, standing }, kind) => el("li", {},
  el("span", { class: "kind" }, kind.name), " ", el("a", { href: at(address), ...theirs }, title),
  label ? el("span", { class: `badge ${label}` }, text) : null,
  standing ? el("span", { class: `badge standing ${standing}` }, words.standings[standing]) : null,
  summary ? el("p", { class: "quiet", ...theirs }, summary) : null);

// take adds what was found meanwhile, below what is shown already.
/** @param {number[]} documents */
function take(documents) {
  const before = new Set(current.slice(0, shown));
  current = [...before, ...documents.filter((document) => !before.has(document))];
}

// draw shows the next results.
/** @param {number} mine */
async function draw(mine) {
  const next = current.slice(shown, shown + STEP);
  const rows = await index.rows(next);
  if (mine !== asked) return;
  list.append(...rows.map((row, i) => entry(row, index.kindOf(next[i]))));
  shown += next.length;
  further.hidden = shown >= current.length && found.whole;
}

// spelled is a word as the results have it: the index knows words without their endings.
/** @param {string} word */
function spelled(word) {
  const text = [...list.querySelectorAll("a, p")].map((e) => e.textContent).join(" ").toLowerCase();
  return text.split(/[^\p{L}\p{Nd}]+/u).find((w) => w && index.wordsOf(w)[0] === word) ?? word;
}

// tell writes how many results there are, and of what.
/** @type {(own: boolean, some: boolean) => void} */
function tell(own, some) {
  const meant = [...found.instead.values()].map(spelled).join(", ");
  const { total } = found;
  let text = words.findNone;
  if (some) text = words.findSome;
  else if (total === undefined) {
    const [compared, documents] = [found.compared, found.within].map(counted);
    text = filled(words.findCompared, { count: counted(current.length), compared, documents });
  } else if (total || own) text = `${counted(total || 1)} ${(total || 1) === 1 ? words.findOne : words.findMany}`;
  status.textContent = (meant && (current.length || own) ? `${words.findMeant} ${meant}. ` : "") + text;
}

/** @type {(mine: number, own: boolean) => Promise<void>} */
async function compare(mine, own) {
  await found.compare();
  if (mine !== asked) return;
  take(found.results().map(({ document }) => document));
  tell(own, false);
}

// ranges are the documents of the kind that was chosen.
const ranges = () => index.head.shown.filter((k) => k.count && (!kinds.value || k.kind === kinds.value));

/** @type {(mine: number, query: string) => Promise<void>} */
async function answer(mine, query) {
  const [begun, own] = await Promise.all([index.begin(query, ranges()), byID(query)]);
  if (mine !== asked) return; // typed on in the meantime
  found = begun;
  list.replaceChildren(...(own ? [own] : []));
  [current, shown] = [[], 0];
  take(found.results().map(({ document }) => document));
  if (current.length >= STEP) await draw(mine); // the best ones need not wait for the others
  if (mine !== asked) return;
  if (!found.whole && (found.total === undefined || current.length < STEP)) await compare(mine, !!own);
  if (mine !== asked) return;
  const some = !current.length && found.whole && found.terms.length > 1;
  if (some) take(found.results(true).map(({ document }) => document));
  if (!shown) await draw(mine);
  if (mine !== asked) return;
  further.hidden = shown >= current.length && found.whole;
  tell(!!own, some && current.length > 0);
}

// attempt does what may fail, because something cannot be loaded: then it says so, and offers to try again.
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
    if (query) return answer(mine, query);
    list.replaceChildren();
    status.textContent = words.findHint;
    further.hidden = true;
  });
}

const more = () => attempt(async (mine) => {
  if (shown >= current.length) await compare(mine, list.children.length > shown);
  await draw(mine);
});

// offer fills the list of kinds, when they are known.
function offer() {
  if (kinds.options.length > 1) return;
  const named = new Map(index.head.shown.filter((k) => k.count).map((k) => [k.kind, k.name]));
  kinds.append(...[...named].map(([value, name]) => el("option", { value }, name)));
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
const list = el("ol", { class: "results" });
const further = el("button", { type: "button", class: "more", hidden: true, onclick: more }, words.more);
const form = el("form", { class: "filters", onsubmit: (/** @type {Event} */ event) => { stay(event); search(); } },
  el("label", {}, words.search, input), choice);
place.append(form, status, list, further);
await search();
input.focus();
