// The explorer of the graph. The picture (sigma) and the lists beside it show the same: what is chosen, what is around it, what is filtered out.
/* global graphology, Sigma */
import { at, el, fetchJSON, words } from "./part-page.js";

const ID = 0, KIND = 1, TITLE = 2, ADDRESS = 3; // of a node
const FROM = 0, TO = 1, RELATION = 2; // of an edge
const HITS = 12; // of a search that are shown
const place = document.getElementById("graph");
const { kinds, relations, nodes, edges } = await fetchJSON(at(`/search/${place.dataset.search}`));
const numbers = new Map(nodes.map((node, i) => [node[ID], i]));
const around = nodes.map(() => []); // edges at each node
edges.forEach((edge, i) => { around[edge[FROM]].push(i); around[edge[TO]].push(i); });

const hiddenKinds = new Set(), hiddenRelations = new Set();
let chosen = numbers.get(decodeURIComponent(location.hash.slice(1))) ?? -1;
let part = chosen < 0 ? null : new Set(neighbours(chosen)); // the nodes that are drawn; null for all

function neighbours(node) { return [node, ...around[node].map((i) => other(edges[i], node))]; }
function other(edge, node) { return edge[FROM] === node ? edge[TO] : edge[FROM]; }
const shownNode = (node) => (!part || part.has(node)) && !hiddenKinds.has(nodes[node][KIND]);
const shownEdge = (edge) => !hiddenRelations.has(edge[RELATION]) && shownNode(edge[FROM]) && shownNode(edge[TO]);

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// picture draws with sigma what is shown. Where there is no WebGL it does nothing, and the lists are all there is.
const picture = (() => {
  if (!document.createElement("canvas").getContext("webgl2")) return null;
  const graph = new graphology.MultiDirectedGraph();
  const stage = el("div", { class: "stage", role: "img", "aria-label": words.picture });
  const layout = new Worker(new URL("./part-layout.js", import.meta.url));
  const places = new Map(); // of nodes that were drawn before
  let sigma, order = [], run = 0;

  // add puts a node into the picture: where it was, or beside the one that it belongs to, or else in a ring of its kind.
  function add(node, beside) {
    const turn = node * 2.399963; // the golden angle: no two in a line
    const near = beside == null ? null : places.get(beside);
    const where = places.get(node) ?? (near ? { x: near.x + Math.cos(turn), y: near.y + Math.sin(turn) }
      : { x: (10 + nodes[node][KIND]) * Math.cos(turn), y: (10 + nodes[node][KIND]) * Math.sin(turn) });
    graph.addNode(node, { ...where, label: nodes[node][TITLE], size: Math.min(14, 3 + Math.sqrt(around[node].length)) });
  }

  // update brings nodes and edges in line with what is shown, then lets the worker find places for them.
  function update(beside) {
    graph.forEachNode((node, where) => places.set(+node, { x: where.x, y: where.y }));
    graph.clear();
    order = nodes.map((_, node) => node).filter(shownNode);
    for (const node of order) add(node, beside);
    const number = new Map(order.map((node, i) => [node, i])), from = [], to = [];
    edges.forEach((edge, i) => {
      if (!shownEdge(edge)) return;
      graph.addDirectedEdgeWithKey(i, edge[FROM], edge[TO]);
      from.push(number.get(edge[FROM]));
      to.push(number.get(edge[TO]));
    });
    delete stage.dataset.settled;
    const where = order.map((node) => graph.getNodeAttributes(node));
    layout.postMessage({ run: ++run, x: where.map((p) => p.x), y: where.map((p) => p.y), from, to, iterations: order.length > 1500 ? 90 : 300 });
  }
  layout.onmessage = ({ data }) => {
    if (data.run !== run) return; // of a graph that is no longer shown
    let i = 0;
    graph.updateEachNodeAttributes((_, node) => ({ ...node, x: data.x[i], y: data.y[i++] }), { attributes: ["x", "y"] });
    if (data.done) stage.dataset.settled = "yes";
  };

  // While something is chosen, what is not next to it steps back.
  let close = new Set();
  const near = (node) => chosen < 0 || close.has(node);
  let colors = {};
  function paint() {
    colors = { kinds: kinds.map(([, , name]) => color(`--${name}`)), ink: color("--ink"), ground: color("--ground"), panel: color("--panel"), line: color("--line"), strong: color("--line-strong"), accent: color("--accent") };
    sigma?.setSetting("labelColor", { color: colors.ink });
    sigma?.refresh();
  }
  function hover(context, data, settings) {
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width + 12;
    context.fillStyle = colors.panel;
    context.strokeStyle = colors.strong;
    context.beginPath();
    context.roundRect(data.x + data.size + 2, data.y - 12, width, 24, 3);
    context.fill();
    context.stroke();
    context.fillStyle = colors.ink;
    context.fillText(data.label, data.x + data.size + 8, data.y + settings.labelSize / 3);
  }
  function start() {
    paint();
    sigma = new Sigma.Sigma(graph, stage, {
      labelColor: { color: colors.ink }, labelFont: getComputedStyle(document.body).fontFamily, labelSize: 13, labelRenderedSizeThreshold: 7, labelDensity: 0.4, labelGridCellSize: 140,
      hideEdgesOnMove: true, zIndex: true, defaultDrawNodeHover: hover, minCameraRatio: 0.02, maxCameraRatio: 4,
      nodeReducer: (key, data) => {
        const node = +key, here = near(node);
        return { ...data, color: here ? colors.kinds[nodes[node][KIND]] : colors.line, label: here ? data.label : "", zIndex: here ? 1 : 0, forceLabel: node === chosen || graph.order <= 40, highlighted: node === chosen };
      },
      edgeReducer: (key, data) => {
        const edge = edges[+key], here = chosen < 0 || edge[FROM] === chosen || edge[TO] === chosen;
        return { ...data, color: here && chosen >= 0 ? colors.strong : colors.line, size: here && chosen >= 0 ? 1.6 : 0.6, zIndex: here ? 1 : 0, hidden: !here && graph.size > 4000 };
      },
    });
    sigma.on("clickNode", ({ node }) => (+node === chosen ? expand(+node) : choose(+node)));
    sigma.on("clickStage", () => choose(-1));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    update();
  }
  const camera = () => sigma.getCamera();
  return {
    stage, start, update, refresh: () => { close = new Set(chosen < 0 ? [] : neighbours(chosen)); sigma?.refresh({ skipIndexation: true }); }, zoom: (factor) => camera().animatedZoom({ factor, duration: 150 }), unzoom: (factor) => camera().animatedUnzoom({ factor, duration: 150 }),
    fit: () => camera().animatedReset({ duration: 150 }), at: (node) => sigma.graphToViewport(graph.getNodeAttributes(node)), drawn: () => [graph.order, graph.size],
  };
})();

// choose selects a node, in the picture, in the lists and in the address.
function choose(node) {
  chosen = node;
  history.replaceState(null, "", node < 0 ? location.pathname : `#${encodeURIComponent(nodes[node][ID])}`);
  picture?.refresh();
  describe();
}

// expand adds the neighbours of a node to what is drawn.
function expand(node) {
  if (part) for (const n of neighbours(node)) part.add(n);
  choose(node);
  picture?.update(node);
}

function only(node) {
  part = new Set(neighbours(node));
  choose(node);
  picture?.update(node);
}

function whole() {
  part = null;
  picture?.update();
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
  const node = nodes[chosen], groups = new Map();
  for (const i of around[chosen]) {
    const edge = edges[i];
    if (hiddenRelations.has(edge[RELATION]) || hiddenKinds.has(nodes[other(edge, chosen)][KIND])) continue;
    const phrase = relations[edge[RELATION]][edge[FROM] === chosen ? 1 : 2];
    if (!groups.has(phrase)) groups.set(phrase, []);
    groups.get(phrase).push(other(edge, chosen));
  }
  detail.replaceChildren(
    el("h2", {}, node[TITLE]),
    el("p", { class: "quiet" }, kinds[node[KIND]][1]),
    el("p", { class: "buttons" }, el("a", { href: at(node[ADDRESS]) }, words.open), el("button", { type: "button", class: "expand", onclick: () => expand(chosen) }, words.expand), el("button", { type: "button", onclick: () => only(chosen) }, words.around)),
    ...[...groups].map(([phrase, list]) => el("section", {}, el("h3", {}, phrase, " ", el("span", { class: "count" }, String(list.length))),
      el("ul", {}, ...list.slice(0, 100).map((n) => el("li", {}, el("button", { type: "button", class: "plain", onclick: () => reveal(n) }, nodes[n][TITLE])))))));
}

// reveal chooses a node and makes sure that it is drawn.
function reveal(node) {
  if (part && !part.has(node)) {
    part.add(node);
    picture?.update(chosen < 0 ? undefined : chosen);
  }
  choose(node);
}

const folded = nodes.map((node) => `${node[TITLE]} ${node[ID]}`.toLowerCase());
function search() {
  const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const list = terms.length ? nodes.map((_, i) => i).filter((i) => terms.every((t) => folded[i].includes(t))).slice(0, HITS) : [];
  hits.replaceChildren(...list.map((i) => el("li", {}, el("button", { type: "button", class: "plain", onclick: () => { hits.replaceChildren(); input.value = ""; reveal(i); } },
    nodes[i][TITLE], el("span", { class: "quiet" }, ` ${kinds[nodes[i][KIND]][1]}`)))));
}

// boxes are the filters of kinds or relations: all that there are, with how many.
function boxes(title, list, numbersOf, hidden) {
  const counts = new Map();
  for (const n of numbersOf) counts.set(n, (counts.get(n) ?? 0) + 1);
  return el("fieldset", {}, el("legend", {}, title), ...[...counts].sort(([a], [b]) => a - b).map(([n, many]) => {
    const box = el("input", { type: "checkbox", checked: true, value: list[n][0], onchange: () => {
      if (box.checked) hidden.delete(n); else hidden.add(n);
      picture?.update();
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
  tools.append(el("button", { type: "button", onclick: () => picture.zoom(1.6) }, words.zoomIn), el("button", { type: "button", onclick: () => picture.unzoom(1.6) }, words.zoomOut), el("button", { type: "button", onclick: picture.fit }, words.fit), all);
} else {
  tools.append(el("p", {}, words.noPicture), all);
}
place.append(
  el("div", { class: "panel" }, el("label", {}, words.search, input), hits, detail, el("details", {}, el("summary", {}, words.kinds), boxes(words.kinds, kinds, nodes.map((n) => n[KIND]), hiddenKinds)),
    el("details", {}, el("summary", {}, words.relations), boxes(words.relations, relations, edges.map((e) => e[RELATION]), hiddenRelations))),
  el("div", { class: "view" }, tools, picture?.stage ?? null, count));
place.hidden = false;
describe();
picture?.start();
picture?.refresh();
addEventListener("hashchange", () => {
  const node = numbers.get(decodeURIComponent(location.hash.slice(1)));
  if (node != null && node !== chosen) reveal(node);
});
place.explorer = { picture, numbers }; // for tests that click where a node is drawn
place.dataset.ready = "yes";
