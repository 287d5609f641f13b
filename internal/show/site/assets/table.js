// The table of a kind: searched as you type, sorted, filtered, the filter in the address.
import { openIndex } from "./part-find.js";
import { filled, written } from "./part-numbers.js";
import {
  at, badge, el, fetchJSON, meanings, offer, parameters, places, select, share, stay, stepwise, theirs, time, words,
} from "./part-page.js";
import { fold } from "./part-terms.js";

const STEP = 100; // rows that are added at a time
const MOST = 4; // times that the search compares more records, before it shows what it has found
const NEAR = 0.25; // how much of the best result's score a record has to have that lacks words

const place = document.getElementById("table");
const table = place.querySelector("table");
const body = table.tBodies[0];
const file = /** @type {TableFile} */ (await fetchJSON(at(`/search/${place.dataset.search}`)));
const { labels, standings, columns, rows } = file;
const {
  id: ID, title: TITLE, address: ADDRESS, summary: SUMMARY, updated: UPDATED, verified: VERIFIED, version: VERSION,
  standing: STANDING, subjects: SUBJECTS,
} = places(columns);
const LABELS = columns.length; // a word of each list follows
const heads = table.tHead.rows[0].cells;
const latest = table.querySelector("[aria-sort]");
const dated = heads.length > labels.length + 2; // where no record has a date, there is no column for it
const last = heads[heads.length - 1];
const verified = !last.classList.contains("num"); // in place of the version
const updated = dated ? heads[labels.length + 1].textContent : "";
const collator = new Intl.Collator(theirs.lang || document.documentElement.lang, { numeric: true });
const state = read();

function read() {
  const given = parameters();
  const value = (/** @type {string} */ name) => given.get(name) ?? "";
  return { q: value("q"), sort: value("sort"), subject: value("subject"), labels: labels.map((l) => value(l.list)) };
}

/** @type {string[]} */
let texts;
const byID = rows.toSorted((a, b) => (a[ID] < b[ID] ? -1 : 1)); // as the search numbers them

// search returns the rows that match all words or nearly, the best first, then those with the text in title or ID.
/** @param {string} query */
async function search(query) {
  const { head, begin } = await openIndex();
  const kind = head.shown.find((k) => k.count && k.folder === place.dataset.folder);
  /** @type {Set<Row>} */
  const list = new Set();
  if (kind) {
    const hits = await begin(query, [kind]);
    for (let i = 0; i < MOST && !hits.whole; i++) await hits.compare();
    const results = hits.results(), least = (results[0]?.score ?? 0) * NEAR;
    for (const { document, all, score } of results) if (all || score > least) list.add(byID[document - kind.first]);
  }
  texts ??= rows.map((row) => fold(`${row[TITLE]} ${row[ID]}`));
  const typed = fold(query).split(/\s+/).filter(Boolean);
  rows.forEach((row, i) => { if (typed.every((word) => texts[i].includes(word))) list.add(row); });
  return [...list];
}

/** @param {Row} row */
const wanted = (row) => (!state.subject || row[SUBJECTS].includes(state.subject)) &&
  state.labels.every((word, i) => !word || row[LABELS + i] === word);

async function find() {
  const asked = state.q;
  let list = rows;
  if (asked.trim()) {
    try {
      list = await search(asked);
    } catch {
      status.replaceChildren(words.findFailed, " ", el("button", { type: "button", onclick: find }, words.again));
      return;
    }
    if (asked !== state.q) return; // typed on in the meantime
  }
  const found = sorted(list.filter(wanted));
  const chosen = Object.fromEntries(labels.map((l, i) => [l.list, state.labels[i]]));
  share({ q: state.q, sort: state.sort, subject: state.subject, ...chosen });
  body.replaceChildren();
  steps.show(found);
  status.textContent = filled(words.shownRecords, { n: written(found.length), all: written(rows.length) });
  const by = state.sort || !asked && latest && "-updated";
  sortable.forEach(({ name }, i) => {
    heads[i].setAttribute("aria-sort", by === name ? "ascending" : by === `-${name}` ? "descending" : "none");
  });
}

/** @param {Row[]} list */
function sorted(list) {
  const name = state.sort.replace(/^-/, "");
  const column = sortable.find((c) => c.name === name);
  if (!column) return list;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  return list.toSorted((a, b) => sign * collator.compare(column.key(a), column.key(b)));
}

// Labels sort from strong to weak.
/** @type {ByLabelOf} */
const byLabel = ({ list, words: known }, i) => ({
  name: list, key: (row) => known.findIndex(([w]) => w === row[LABELS + i]) + 1 || known.length + 1,
});

/** @type {SortableOf} */
const sortable = [
  { name: "title", key: (row) => row[TITLE] },
  ...labels.map(byLabel),
  ...(dated ? [{ name: "updated", key: (/** @type {Row} */ row) => row[UPDATED] }] : []),
  verified ? { name: "verified", key: (row) => row[VERIFIED] } : { name: "version", key: (row) => row[VERSION] },
];

/** @param {Row} row */
function rowOf(row) {
  const address = at(row[ADDRESS] || `/${place.dataset.folder}/${row[ID]}/`);
  const title = el("th", { scope: "row" },
    el("a", { href: address, ...theirs }, row[TITLE]), " ", el("code", {}, row[ID]));
  const [word, text] = standings[row[STANDING]];
  if (row[STANDING]) title.append(" ", el("span", { class: `badge standing ${word}` }, text));
  const cells = labels.map((l, i) => el("td", {}, row[LABELS + i] ? badge(l, row[LABELS + i]) : ""));
  if (row[SUMMARY]) title.append(el("span", { class: "summary", ...theirs }, row[SUMMARY]));
  if (dated) cells.push(dateCell(updated, row[UPDATED]));
  cells.push(verified ? dateCell(last.textContent, row[VERIFIED]) : el("td", { class: "num" }, written(row[VERSION])));
  return el("tr", {}, title, ...cells);
}

/** @type {DateCellOf} */
const dateCell = (name, date) => date ? el("td", { "data-column": name }, time(date)) : el("td");

const form = /** @type {HTMLFormElement} */ (place.querySelector("form"));
const status = /** @type {HTMLElement} */ (place.querySelector(".found"));
const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
input.value = state.q;
input.addEventListener("input", () => { state.q = input.value; find(); });

// filter fills a list of the form. The page has those that its own rows need; others may have more.
/** @type {Choice<void>} */
function filter(name, title, options, value, change) {
  const list = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem(name));
  if (list) offer(list, options, value, change);
  else form.lastElementChild.before(select(name, title, options, value, change));
}
labels.forEach((l, i) => {
  filter(l.list, l.name, meanings(l), state.labels[i], (value) => { state.labels[i] = value; find(); });
});
const subjects = [...new Set(rows.flatMap((row) => row[SUBJECTS]))].sort(collator.compare);
if (subjects.length) {
  const options = subjects.map((s) => [s, s]);
  filter("subject", words.subject, options, state.subject, (value) => { state.subject = value; find(); });
}
form.addEventListener("submit", stay);
form.addEventListener("reset", () => {
  Object.assign(state, { q: "", sort: "", subject: "", labels: labels.map(() => "") });
  setTimeout(find); // when the form is empty
});

// A heading becomes a button that sorts by its column.
sortable.forEach((column, i) => {
  const sort = () => {
    state.sort = state.sort === column.name ? `-${column.name}` : column.name;
    find();
  };
  heads[i].replaceChildren(el("button", { type: "button", class: "sort", onclick: sort }, heads[i].textContent));
});

place.querySelector(".pager")?.remove();
form.hidden = status.hidden = false;
const steps = stepwise(place, STEP, (some) => body.append(...some.map(rowOf)));
new IntersectionObserver((entries) => {
  if (entries.some((e) => e.isIntersecting) && !steps.next.hidden) steps.more();
}, { rootMargin: "600px" }).observe(steps.next);
await find();
place.dataset.ready = "yes";
