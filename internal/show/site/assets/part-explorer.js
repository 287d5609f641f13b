// The explorer of the graph. The picture (sigma) and the lists beside it show the same: what is chosen, what is around it, what is filtered out.
import { at, el, fetchJSON, places, theirs, words } from "./part-page.js";
import { makePicture } from "./part-picture.js";

/** @typedef {number[]} Edge */

const HITS = 12; // of a search that are shown
const place = document.getElementById("graph");
// library loads a program that is no module. Those that are asked for one after the other run in that order.
/** @param {string} address */
const library = (address) => new Promise((loaded, failed) => {
  const script = el("script", { src: new URL(address, import.meta.url).href, onload: loaded, onerror: failed });
  script.async = false;
  document.head.append(script);
});
const [file] = await Promise.all([fetchJSON(at(`/search/${place.dataset.search}`)), library("./graphology.umd.min.js"), library("./sigma.min.js")]);
const { kinds, relations, standings, lost, columns, nodes, edges } = /** @type {import("./types").GraphFile} */ (file);
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
let chosen = numbers.get(named()) ?? -1;
let part = chosen < 0 ? null : new Set(neighbours(chosen)); // the nodes that are drawn; null for all

// named is the ID in the address.
function named() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // somebody cut it in the middle of a letter
  }
}
/** @param {number} node */
function neighbours(node) { return [node, ...around[node].map((i) => other(edges[i], node))]; }
/** @type {(edge: Edge, node: number) => number} */
function other(edge, node) { return edge[FROM] === node ? edge[TO] : edge[FROM]; }
/** @param {number} node */
const shownNode = (node) => (!part || part.has(node)) && !hiddenKinds.has(nodes[node][KIND]);
/** @param {Edge} edge */
const shownEdge = (edge) => !hiddenRelations.has(edge[RELATION]) && shownNode(edge[FROM]) && shownNode(edge[TO]);

const picture = makePicture({
  title: (node) => nodes[node][TITLE], kind: (node) => nodes[node][KIND], weight: (node) => around[node].length, classes: kinds.map(([, , name]) => name),
  lost: (node) => nodes[node][STANDING] >= lost,
  clicked(node) {
    if (node !== chosen) choose(node);
    else if (node >= 0) expand(node);
  },
});

// draw brings the picture in line with what is shown.
/** @param {number} [beside] */
function draw(beside) {
  const joined = [...edges.keys()].filter((i) => shownEdge(edges[i])).map((i) => [i, edges[i][FROM], edges[i][TO]]);
  picture?.show([...nodes.keys()].filter(shownNode), joined, chosen, close(), beside);
}

const close = () => (chosen < 0 ? [] : neighbours(chosen));

// mark notes what is chosen, in the lists and in the address.
/** @param {number} node */
function mark(node) {
  chosen = node;
  history.replaceState(null, "", node < 0 ? `#${place.id}` : `#${encodeURIComponent(nodes[node][ID])}`);
  describe();
}

/** @param {number} node */
function choose(node) {
  mark(node);
  picture?.choose(node, close());
}

// expand adds the neighbours of a node to what is drawn.
/** @param {number} node */
function expand(node) {
  if (!part) return choose(node);
  for (const n of neighbours(node)) part.add(n);
  mark(node);
  draw(node);
}

/** @param {number} node */
function only(node) {
  part = new Set(neighbours(node));
  mark(node);
  draw(node);
}

function whole() {
  part = null;
  draw();
  describe();
}

// describe writes what is chosen and what is around it, by relation.
function describe() {
  const drawnNodes = nodes.reduce((n, _, i) => n + (shownNode(i) ? 1 : 0), 0);
  count.textContent = `${drawnNodes.toLocaleString("en")} ${words.of} ${nodes.length.toLocaleString("en")} ${words.records}`;
  all.hidden = !part;
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
    el("p", { class: "buttons" }, el("a", { href: at(node[ADDRESS]) }, words.open), part ? el("button", { type: "button", class: "expand", onclick: () => expand(chosen) }, words.expand) : null, el("button", { type: "button", onclick: () => only(chosen) }, words.around)),
    ...[...groups].map(([phrase, list]) => el("section", {}, el("h3", {}, phrase, " ", el("span", { class: "count" }, String(list.length))),
      el("ul", {}, ...list.slice(0, 100).map((n) => el("li", {}, el("button", { type: "button", class: "plain", onclick: () => reveal(n), ...theirs }, nodes[n][TITLE]), standingMark(n)))))));
}

// standingMark is the mark of a node whose record does not stand as it is.
/** @param {number} node */
function standingMark(node) {
  if (!nodes[node][STANDING]) return null;
  const [word, text] = standings[nodes[node][STANDING]];
  return el("span", { class: `badge standing ${word}` }, text);
}

// reveal chooses a node and makes sure that it is drawn, and in view.
/** @param {number} node */
function reveal(node) {
  if (part && !part.has(node)) {
    const beside = chosen;
    part.add(node);
    mark(node);
    draw(beside);
  } else choose(node);
  picture?.bring(node);
}

const folded = nodes.map((node) => `${node[TITLE]} ${node[ID]}`.toLowerCase());
function search() {
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const list = terms.length ? nodes.map((_, i) => i).filter((i) => terms.every((t) => folded[i].includes(t))).slice(0, HITS) : [];
  hits.replaceChildren(...list.map((i) => el("li", {}, el("button", { type: "button", class: "plain", onclick: () => { hits.replaceChildren(); input.value = ""; reveal(i); } },
    el("span", theirs, nodes[i][TITLE]), el("span", { class: "quiet" }, ` ${kinds[nodes[i][KIND]][3]}`)))));
}

// boxes are the filters of kinds or relations: all that there are, with how many.
/** @type {(title: string, list: string[][], numbersOf: number[], hidden: Set<number>) => HTMLElement} */
function boxes(title, list, numbersOf, hidden) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const n of numbersOf) counts.set(n, (counts.get(n) ?? 0) + 1);
  return el("fieldset", {}, el("legend", {}, title), ...[...counts].sort(([a], [b]) => a - b).map(([n, many]) => {
    const box = el("input", { type: "checkbox", checked: true, value: list[n][0], onchange: () => {
      if (box.checked) hidden.delete(n); else hidden.add(n);
      draw();
      describe();
    } });
    return el("label", {}, box, list === kinds ? el("i", { class: list[n][2] }) : null, list[n][1], " ", el("span", { class: "count" }, String(many)));
  }));
}

const input = el("input", { type: "search", placeholder: words.searchHint, autocomplete: "off", oninput: search });
const hits = el("ul", { class: "hits" });
const detail = el("div", { class: "detail", "aria-live": "polite" });
const count = el("p", { class: "quiet", role: "status" });
const all = el("button", { type: "button", onclick: whole, hidden: true }, words.whole);
const tools = el("div", { class: "tools" });
if (picture) {
  tools.append(el("button", { type: "button", onclick: () => picture.zoom(1.6) }, words.zoomIn), el("button", { type: "button", onclick: () => picture.zoom(1 / 1.6) }, words.zoomOut), el("button", { type: "button", onclick: picture.fit }, words.fit), all);
} else {
  tools.append(el("p", {}, words.noPicture), all);
}
place.replaceChildren(
  el("div", { class: "panel" }, el("label", {}, words.search, input), hits, detail, el("details", {}, el("summary", {}, words.kinds), boxes(words.kinds, kinds, nodes.map((n) => n[KIND]), hiddenKinds)),
    el("details", {}, el("summary", {}, words.relations), boxes(words.relations, relations, edges.map((e) => e[RELATION]), hiddenRelations))),
  el("div", { class: "view" }, tools, picture?.stage ?? null, count));
describe();
draw();
addEventListener("hashchange", () => {
  const node = numbers.get(named());
  if (node != null && node !== chosen) reveal(node);
});
/** @type {any} */ (place).explorer = { picture, numbers }; // for tests that click where a node is drawn
place.dataset.ready = "yes";
