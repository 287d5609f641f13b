// The time line of changes, with filters.
import { filled, written } from "./part-numbers.js";
import {
  at, badge, el, fetchJSON, meanings, parameters, places, select, share, stay, stepwise, theirs, time, words,
} from "./part-page.js";

const STEP = 200;

const place = document.getElementById("changes");
const file = /** @type {ChangesFile} */ (await fetchJSON(at(`/search/${place.dataset.search}`)));
const { labels: [types], kinds, columns, rows, releases } = file;
const {
  id: ID, date: DATE, release: RELEASE, type: TYPE, kind: KIND, title: TITLE, address: ADDRESS, before: BEFORE,
  after: AFTER, summary: SUMMARY, fields: FIELDS, figure: FIGURE,
} = places(columns);
const kindName = new Map(kinds);
const given = parameters();
const state = { kind: given.get("kind") ?? "", type: given.get("type") ?? "", since: given.get("since") ?? "" };

function find() {
  const found = rows.filter((row) => (!state.kind || row[KIND] === state.kind) &&
    (!state.type || row[TYPE] === state.type) && row[DATE] >= state.since);
  share(state);
  list.replaceChildren();
  steps.show(found);
  status.textContent = filled(words.shown, { n: written(found.length), all: written(rows.length) });
}

// add adds events, each to the section of its release.
/** @param {Row[]} events */
function add(events) {
  for (const row of events) {
    let section = /** @type {HTMLElement} */ (list.lastElementChild);
    if (section?.dataset.release !== row[RELEASE]) {
      section = el("section", { class: "release", "data-release": row[RELEASE] },
        el("h2", {}, time(row[DATE]), " ", row[RELEASE] === row[DATE] ? null : el("a", {
          class: "quiet", href: releases.includes(row[RELEASE]) ? at(`/releases/${row[RELEASE]}/`) : null,
        }, `${words.release} `, el("code", {}, row[RELEASE]))), el("ul"));
      list.append(section);
    }
    section.lastElementChild.append(entry(row));
  }
}

/** @param {Row} row */
function entry(row) {
  const both = row[BEFORE] && row[AFTER] && row[BEFORE] !== row[AFTER];
  const [before, after] = [row[BEFORE], row[AFTER]].map((n) => written(n));
  const version = both ? `${before} ${words.arrow} ${after}` : row[AFTER] ? after : "";
  const counted = row[ID].startsWith("group-") || row[TYPE] === "relicensed"; // many records, in words of the page
  const title = counted ? {} : theirs;
  const kind = kindName.get(row[KIND]) ?? row[KIND];
  return el("li", { id: row[ID] }, badge(types, row[TYPE]), el("div", {},
    row[ADDRESS] ? el("a", { href: at(row[ADDRESS]), ...title }, row[TITLE]) : el("span", title, row[TITLE]), " ",
    row[FIGURE] ? el("strong", {}, `${row[FIGURE]} `) : null,
    el("span", { class: "quiet" }, kind, version ? ` · ${words.version} ${version}` : ""),
    ...row[SUMMARY].split("\n").filter(Boolean).map((/** @type {string} */ line) => el("p", theirs, line)),
    row[FIELDS] ? el("p", { class: "quiet" }, `${words.changed}: ${row[FIELDS]}.`) : null));
}

const since = el("input", { type: "date", name: "since", value: state.since, onchange: () => {
  state.since = since.value;
  find();
} });
const form = el("form", { class: "filters", onsubmit: stay }, el("label", {}, words.since, since),
  select("kind", words.kind, kinds, state.kind, (value) => { state.kind = value; find(); }),
  select("type", types.name, meanings(types), state.type, (value) => { state.type = value; find(); }));
const status = el("p", { class: "quiet found", role: "status" });
const list = el("div");
place.replaceChildren(form, status, list);
const steps = stepwise(place, STEP, add);
find();
place.dataset.ready = "yes";
