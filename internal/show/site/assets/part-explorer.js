// The explorer of the graph. The picture and the lists beside it show the same.
import { filled, written } from "./part-numbers.js";
import { at, el, fetchJSON, places, theirs, words } from "./part-page.js";
import { makePicture } from "./part-picture.js";

const HITS = 12; // of a search that are shown
const MOST = 300; // records that are drawn
const LISTED = 100; // of a relation, in the list
const place = document.getElementById("graph");
const file = /** @type {GraphFile} */ (await fetchJSON(at(`/search/${place.dataset.search}`)));
const { kinds, layers, relations, standings, lost, columns, nodes, edges } = file;
const { id: ID, kind: KIND, title: TITLE, address: ADDRESS, standing: STANDING } = places(columns.nodes);
const { from: FROM, to: TO, relation: RELATION } = places(columns.edges);
/** @type {Map<string, number>} */
const numbers = new Map(nodes.map((node, i) => [node[ID], i]));
const around = nodes.map(() => /** @type {number[]} */ ([])); // edges at each node
edges.forEach((edge, i) => { around[edge[FROM]].push(i); around[edge[TO]].push(i); });

/** @type {Set<number>} */
const hiddenKinds = new Set();
/** @type {Set<number>} */
const hiddenRelations = new Set();
let chosen = numbers.get(named()) ?? start();
let part = chosen < 0 ? null : new Set(neighbours(chosen)); // the nodes that are drawn; null for all

function named() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // somebody cut it in the middle of a letter
  }
}
// start returns the claim with the most relations, or otherwise the record with the most; -1 if there are none.
function start() {
  /** @param {number} node */
  const rank = (node) => (kinds[nodes[node][KIND]][0] === "proof_claim" ? 1e6 : 0) + around[node].length;
  return [...nodes.keys()].reduce((best, node) => (best < 0 || rank(node) > rank(best) ? node : best), -1);
}
/** @type {OtherOf} */
function other(edge, node) { return edge[FROM] === node ? edge[TO] : edge[FROM]; }
/** @param {number} node */
function neighbours(node) { return [node, ...around[node].map((i) => other(edges[i], node))]; }
/** @param {number} node */
const wanted = (node) => (!part || part.has(node)) && !hiddenKinds.has(nodes[node][KIND]);

const picture = makePicture({
  id: (node) => nodes[node][ID], title: (node) => nodes[node][TITLE],
  kind: (node) => kinds[nodes[node][KIND]][2],
  layer: (node) => Number(kinds[nodes[node][KIND]][4]), layers,
  lost: (node) => nodes[node][STANDING] >= lost,
  relation: (edge) => relations[edges[edge][RELATION]][0], phrase: (edge) => relations[edges[edge][RELATION]][1],
  clicked(node) {
    if (node !== chosen) choose(node);
    else if (node >= 0) expand(node);
  },
});

// draw shows, of too many, what is chosen, what is next to it, and what has the most relations.
function draw() {
  const near = new Set(chosen < 0 ? [] : neighbours(chosen));
  const all = [...nodes.keys()].filter(wanted);
  /** @param {number} node */
  const rank = (node) => (node === chosen ? Infinity : near.has(node) ? 1e9 : 0) + around[node].length;
  const list = all.length > MOST ? all.toSorted((a, b) => rank(b) - rank(a) || a - b).slice(0, MOST) : all;
  const shown = new Set(list);
  const joined = [...edges.keys()].filter((i) => !hiddenRelations.has(edges[i][RELATION]) &&
    shown.has(edges[i][FROM]) && shown.has(edges[i][TO]) && edges[i][FROM] !== edges[i][TO]);
  picture.show(list.sort((a, b) => a - b), joined.map((i) => [i, edges[i][FROM], edges[i][TO]]), chosen);
  status.textContent = filled(words.graphDrawn, { drawn: written(list.length), records: written(nodes.length) });
  whole.hidden = !part;
}

/** @param {number} node */
function mark(node) {
  chosen = node;
  history.replaceState(null, "", node < 0 ? `#${place.id}` : `#${nodes[node][ID]}`);
  describe();
}

/** @param {number} node */
function choose(node) {
  mark(node);
  picture.choose(node);
}

/** @param {number} node */
function expand(node) {
  if (!part) return choose(node);
  for (const n of neighbours(node)) part.add(n);
  mark(node);
  draw();
}

/** @param {number} node */
function only(node) {
  part = new Set(neighbours(node));
  mark(node);
  draw();
}

function everything() {
  part = null;
  draw();
  describe();
}

/** @param {number} node */
function reveal(node) {
  if (part && !part.has(node)) {
    part.add(node);
    mark(node);
    draw();
  } else choose(node);
  picture.bring(node);
}

function describe() {
  if (chosen < 0) {
    detail.replaceChildren(el("p", { class: "quiet" }, words.graphHint));
    return;
  }
  const node = nodes[chosen];
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const i of around[chosen]) {
    const edge = edges[i];
    if (hiddenRelations.has(edge[RELATION]) || hiddenKinds.has(nodes[other(edge, chosen)][KIND])) continue;
    const phrase = relations[edge[RELATION]][edge[FROM] === chosen ? 1 : 2];
    if (!groups.has(phrase)) groups.set(phrase, []);
    groups.get(phrase).push(other(edge, chosen));
  }
  detail.replaceChildren(
    el("h2", theirs, node[TITLE]),
    el("p", { class: "quiet" }, kinds[node[KIND]][3], node[STANDING] ? " " : null, standingMark(chosen)),
    el("p", { class: "buttons" }, el("a", { href: at(node[ADDRESS]) }, words.open),
      part ? button(words.expand, () => expand(chosen), "expand") : null,
      button(words.around, () => only(chosen))),
    ...[...groups].map(([phrase, list]) => el("section", {},
      el("h3", {}, phrase, " ", el("span", { class: "count" }, written(list.length))),
      el("ul", {}, ...list.slice(0, LISTED).map((n) => el("li", {}, link(n), standingMark(n)))))));
}

/** @type {Button} */
function button(text, act, name) { return el("button", { type: "button", class: name, onclick: act }, text); }

/** @param {number} node */
const link = (node) =>
  el("button", { type: "button", class: "plain", onclick: () => reveal(node), ...theirs }, nodes[node][TITLE]);

/** @param {number} node */
function standingMark(node) {
  if (!nodes[node][STANDING]) return null;
  const [word, text] = standings[nodes[node][STANDING]];
  return el("span", { class: `badge standing ${word}` }, text);
}

const texts = nodes.map((node) => `${node[TITLE]} ${node[ID]}`.toLowerCase());
function search() {
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const list = [...nodes.keys()].filter((i) => terms.length && terms.every((t) => texts[i].includes(t)));
  hits.replaceChildren(...list.slice(0, HITS).map((i) => {
    const hit = link(i);
    hit.append(el("span", { class: "quiet" }, ` ${kinds[nodes[i][KIND]][3]}`));
    hit.addEventListener("click", () => {
      hits.replaceChildren();
      input.value = "";
    });
    return el("li", {}, hit);
  }));
}

// boxes are the legend, and filters.
/** @type {Boxes} */
function boxes(title, list, used, hidden, key) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const n of used) counts.set(n, (counts.get(n) ?? 0) + 1);
  return el("fieldset", {}, el("legend", {}, title), ...[...counts].sort(([a], [b]) => a - b).map(([n, many]) => {
    const box = el("input", { type: "checkbox", checked: true, value: list[n][0], onchange: () => {
      if (box.checked) hidden.delete(n); else hidden.add(n);
      draw();
      describe();
    } });
    return el("label", {}, box, key(list[n]), list[n][1], " ", el("span", { class: "count" }, written(many)));
  }));
}

const input = el("input", { type: "search", placeholder: words.searchHint, autocomplete: "off", oninput: search });
const hits = el("ul", { class: "hits" });
const detail = el("div", { class: "detail", "aria-live": "polite" });
const status = el("p", { class: "quiet", role: "status" });
const whole = button(words.whole, everything);
const tools = el("div", { class: "tools" }, button(words.zoomIn, () => picture.zoom(1.3)),
  button(words.zoomOut, () => picture.zoom(1 / 1.3)), button(words.fit, picture.fit), whole,
  el("a", { href: "#" }, words.overview));
const legend = el("div", { class: "legend" },
  boxes(words.kinds, kinds, nodes.map((n) => n[KIND]), hiddenKinds, ([, , name]) => el("i", { class: name })),
  boxes(words.relations, relations, edges.map((e) => e[RELATION]), hiddenRelations, ([name]) =>
    document.querySelector(`.overview .sample:has(.relation-${name})`)?.cloneNode(true) ?? ""));
place.replaceChildren(
  el("div", { class: "lookup" }, el("label", {}, words.search, input), hits),
  el("div", { class: "view" }, tools, picture.stage, status), legend, detail);
describe();
draw();
addEventListener("hashchange", () => {
  const node = numbers.get(named());
  if (node != null && node !== chosen) reveal(node);
});
place.dataset.ready = "yes";
