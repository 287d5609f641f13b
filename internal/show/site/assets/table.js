// The table of a kind: searched as you type, sorted, filtered, the filter in the address.
import MiniSearch from "./minisearch.js";
import { at, badge, el, fetchJSON, offer, parameters, places, select, share, stay, theirs, words } from "./part-page.js";

/** @typedef {import("./types").Row} Row */

const STEP = 100; // rows that are added at a time

const place = document.getElementById("table");
const table = place.querySelector("table");
const body = table.tBodies[0];
const { labels, standings, columns, rows } = /** @type {import("./types").TableFile} */ (await fetchJSON(at(`/search/${place.dataset.search}`)));
const { id: ID, title: TITLE, address: ADDRESS, updated: UPDATED, version: VERSION, standing: STANDING, subjects: SUBJECTS } = places(columns);
const LABELS = columns.length; // a word of each list follows
const dated = table.tHead.rows[0].cells.length > labels.length + 2; // where no record has a date, there is no column for it
const updated = dated ? table.tHead.rows[0].cells[labels.length + 1].textContent : "";
const collator = new Intl.Collator(theirs.lang || document.documentElement.lang, { numeric: true });
const state = read();
let found = rows, drawn = 0;
/** @type {Promise<MiniSearch>} */
let index;

// read takes the state from the address.
function read() {
  const given = parameters();
  return { q: given.get("q") ?? "", sort: given.get("sort") ?? "", subject: given.get("subject") ?? "", labels: labels.map((l) => given.get(l.list) ?? "") };
}

// indexed makes the search index when it is first needed, a part at a time, so that typing stays quick.
function indexed() {
  index ??= (async () => {
    const search = new MiniSearch({ fields: ["title", "id"], idField: "key", searchOptions: { prefix: true, fuzzy: (/** @type {string} */ term) => (/^\p{L}{5,}$/u.test(term) ? 0.2 : false), combineWith: "AND", boost: { title: 2 } } });
    await search.addAllAsync(rows.map((row, key) => ({ key, title: row[TITLE], id: row[ID] })), { chunkSize: 1000 });
    return search;
  })();
  return index;
}

async function find() {
  const asked = state.q;
  const wanted = (/** @type {Row} */ row) => (!state.subject || row[SUBJECTS].includes(state.subject)) && state.labels.every((word, i) => !word || row[LABELS + i] === word);
  let list = rows;
  if (asked.trim()) {
    const search = await indexed();
    if (asked !== state.q) return; // typed on in the meantime
    list = search.search(asked).map((hit) => rows[hit.id]);
  }
  found = sorted(list.filter(wanted));
  share({ q: state.q, sort: state.sort, subject: state.subject, ...Object.fromEntries(labels.map((l, i) => [l.list, state.labels[i]])) });
  draw();
}

/** @param {Row[]} list */
function sorted(list) {
  const name = state.sort.replace(/^-/, "");
  const column = sortable.find((c) => c.name === name);
  if (!column) return list;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  const key = column.key;
  return list.toSorted((a, b) => sign * (typeof key(a) === "number" ? key(a) - key(b) : collator.compare(key(a), key(b))));
}

// A label sorts by its place in the list, which goes from strong to weak, and not by the alphabet.
/** @type {{ name: string, key: (row: Row) => any }[]} */
const sortable = [
  { name: "title", key: (row) => row[TITLE] },
  ...labels.map((l, i) => ({ name: l.list, key: (/** @type {Row} */ row) => (l.words.findIndex(([w]) => w === row[LABELS + i]) + 1 || l.words.length + 1) })),
  ...(dated ? [{ name: "updated", key: (/** @type {Row} */ row) => row[UPDATED] }] : []),
  { name: "version", key: (row) => row[VERSION] },
];

// draw begins the table anew.
function draw() {
  body.replaceChildren();
  drawn = 0;
  more();
  count.textContent = `${found.length.toLocaleString("en")} ${words.of} ${rows.length.toLocaleString("en")} ${words.records}`;
  empty.hidden = found.length > 0;
  sortable.forEach((column, i) => {
    const head = table.tHead.rows[0].cells[i];
    if (state.sort === column.name) head.setAttribute("aria-sort", "ascending");
    else if (state.sort === `-${column.name}`) head.setAttribute("aria-sort", "descending");
    else head.removeAttribute("aria-sort");
  });
}

// more adds the next rows.
function more() {
  body.append(...found.slice(drawn, drawn + STEP).map(rowOf));
  drawn = Math.min(found.length, drawn + STEP);
  next.hidden = drawn >= found.length;
}

/** @param {Row} row */
function rowOf(row) {
  const title = el("th", { scope: "row" }, el("a", { href: at(row[ADDRESS] || `/${place.dataset.folder}/${row[ID]}/`), ...theirs }, row[TITLE]), " ", el("code", {}, row[ID]));
  const [word, text] = standings[row[STANDING]];
  if (row[STANDING]) title.append(" ", el("span", { class: `badge standing ${word}` }, text));
  return el("tr", {}, title, ...labels.map((l, i) => el("td", {}, row[LABELS + i] ? badge(l, row[LABELS + i]) : "")),
    ...(dated ? [row[UPDATED] ? el("td", { "data-column": updated }, el("time", {}, row[UPDATED])) : el("td")] : []), el("td", { class: "num" }, String(row[VERSION])));
}

const form = /** @type {HTMLFormElement} */ (place.querySelector("form"));
const count = /** @type {HTMLElement} */ (place.querySelector(".found"));
const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
input.value = state.q;
input.addEventListener("focus", indexed);
input.addEventListener("input", () => { state.q = input.value; find(); });

// filter fills a list of the form. The page has those that its own rows need; others may have more.
/** @type {(name: string, title: string, options: string[][], value: string, change: (value: string) => void) => void} */
function filter(name, title, options, value, change) {
  const list = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem(name));
  if (list) offer(list, options, value, change);
  else form.lastElementChild.before(select(name, title, options, value, change));
}
labels.forEach((l, i) => filter(l.list, l.name, l.words.filter(([w]) => rows.some((row) => row[LABELS + i] === w)).map(([w, text, means]) => [w, `${text}: ${means}`]),
  state.labels[i], (value) => { state.labels[i] = value; find(); }));
const subjects = [...new Set(rows.flatMap((row) => row[SUBJECTS]))].sort(collator.compare);
if (subjects.length) filter("subject", words.subject, subjects.map((s) => [s, s]), state.subject, (value) => { state.subject = value; find(); });
const empty = el("p", { hidden: true }, words.nothing);
const next = el("button", { type: "button", class: "more", hidden: true, onclick: more }, words.more);
form.addEventListener("submit", stay);
form.addEventListener("reset", () => {
  Object.assign(state, { q: "", sort: "", subject: "", labels: labels.map(() => "") });
  setTimeout(find); // when the form is empty
});

// A heading becomes a button that sorts by its column.
sortable.forEach((column, i) => {
  const head = table.tHead.rows[0].cells[i];
  head.replaceChildren(el("button", { type: "button", class: "sort", onclick: () => {
    state.sort = state.sort === column.name ? `-${column.name}` : column.name;
    find();
  } }, head.textContent));
});

place.querySelector(".pager")?.remove();
form.hidden = count.hidden = false;
place.append(empty, next);
new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting) && drawn < found.length) more(); }, { rootMargin: "600px" }).observe(next);
await find();
place.dataset.ready = "yes";
