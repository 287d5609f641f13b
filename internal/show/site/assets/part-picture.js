// Draws the graph as SVG: boxes in layers, from sources to what relies on them, and arrows.
import { el, words } from "./part-page.js";
import { drawn as shape, rowsOf } from "./part-svg.js";

const WIDTH = 178, HEIGHT = 40; // of a box
const ACROSS = 86; // between layers
const NEAR = 50, FAR = 78; // from a box to the next one in its layer, as the room allows
const BEND = 18; // that a line takes up in a layer which it crosses
const BENT = 90; // lines: if there are more, they take no room and run behind boxes
const HEAD = 34; // above the first box of a layer
const MARGIN = 12;
const SWEEPS = 10; // by which boxes come near to those that they are joined with
const LETTERS = 21; // of a line in a box, of which there are two
const SMALLEST = 0.8; // at which the letters can be read; what is larger then is scrolled
const LABELS = 16; // relations that are named in the picture

// spread moves the items of a layer close to where they want to be, without overlaps.
/** @type {Spread} */
function spread(column, wanted, size, at) {
  let shift = 0;
  column.forEach((item, i) => {
    const last = column[i - 1];
    at.set(item, i ? Math.max(wanted.get(item), at.get(last) + (size(item) + size(last)) / 2) : wanted.get(item));
    shift += wanted.get(item) - at.get(item);
  });
  for (const item of column) at.set(item, at.get(item) + shift / column.length);
}

// arrange places nodes in layers, next to those they are connected with.
/** @param {number[]} nodes @param {number[][]} edges @param {(node: number) => number} layer @param {number} room */
function arrange(nodes, edges, layer, room) {
  const layers = [...new Set(nodes.map(layer))].sort((a, b) => (document.dir === "rtl" ? b - a : a - b));
  const columns = layers.map((number) => nodes.filter((node) => layer(node) === number));
  const tallest = Math.max(1, ...columns.map((column) => column.length)), few = edges.length <= BENT;
  const next = Math.min(FAR, Math.max(NEAR, room / tallest));
  /** @type {Map<number, number[]>} */
  const joined = new Map();
  /** @type {Map<number, number[]>} */
  const bends = new Map();
  /** @type {(a: number, b: number) => void} */
  const join = (a, b) => {
    joined.set(a, [...joined.get(a) ?? [], b]);
    joined.set(b, [...joined.get(b) ?? [], a]);
  };
  let bend = 0;
  for (const [edge, from, to] of edges) {
    const a = layers.indexOf(layer(from)), b = layers.indexOf(layer(to));
    /** @type {number[]} */
    const chain = [];
    if (a === b) continue;
    for (let i = a + Math.sign(b - a); i !== b && few; i += Math.sign(b - a)) {
      chain.push(--bend);
      columns[i].push(bend);
    }
    [from, ...chain].forEach((item, i) => join(item, [...chain, to][i]));
    bends.set(edge, chain);
  }
  /** @type {Heights} */
  const at = new Map();
  /** @param {number[]} column */
  const evenly = (column) => column.forEach((item, i) => at.set(item, (i + 0.5) * (tallest / column.length) * next));
  columns.forEach(evenly);
  /** @param {number} item */
  const wanted = (item) => {
    const others = joined.get(item);
    return others ? others.reduce((sum, other) => sum + at.get(other), 0) / others.length : at.get(item);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 ? columns.toReversed() : columns) {
      const wants = new Map(column.map((item) => [item, wanted(item)]));
      column.sort((a, b) => wants.get(a) - wants.get(b) || a - b);
      if (few) spread(column, wants, (item) => (item < 0 ? BEND : next), at);
      else evenly(column);
    }
  }
  const top = MARGIN + HEAD - Math.min(...at.values());
  /** @type {Map<number, Point>} */
  const places = new Map();
  columns.forEach((column, i) => {
    for (const item of column) places.set(item, { x: MARGIN + i * (WIDTH + ACROSS), y: top + at.get(item) });
  });
  return { places, layers, bends };
}

// path leads from side to side, or around boxes of the same layer.
/** @type {PathOf} */
function path(from, to, bends) {
  const forward = from.x <= to.x;
  /** @type {PointOf} */
  const point = ({ x, y }, right) => [x + (right ? WIDTH : 0), y + HEIGHT / 2];
  if (from.x === to.x) {
    const [x, y] = point(from, true), [, below] = point(to, true);
    return `M${x} ${y}C${x + ACROSS * 0.6} ${y} ${x + ACROSS * 0.6} ${below} ${x} ${below}`;
  }
  let [x, y] = point(from, forward), text = `M${x} ${y}`;
  for (const stop of [...bends, to]) {
    const [end, below] = point(stop, !forward), middle = (x + end) / 2;
    text += `C${middle} ${y} ${middle} ${below} ${end} ${below}`;
    [x, y] = point(stop, forward);
    if (stop !== to) text += `H${x}`;
  }
  return text;
}

/** @param {Graph} graph */
export function makePicture({ id, title, kind, layer, lost, layers, relation, phrase, clicked }) {
  const svg = /** @type {SVGSVGElement} */ (shape("svg", { role: "img", "aria-label": words.picture }));
  const stage = el("div", { class: "stage", role: "group", tabindex: 0, "aria-label": words.pictureKeys }, svg);
  /** @type {Map<number, Point>} */
  let places = new Map();
  let width = 1, height = 1, scale = 1;

  /** @param {number} node */
  function box(node) {
    const { x, y } = places.get(node), text = rowsOf(title(node), LETTERS);
    const first = y + HEIGHT / 2 + (text.length > 1 ? -3 : 4.5);
    const name = `node ${kind(node)}${lost(node) ? " lost" : ""}`;
    return shape("g", { class: name, "data-node": node, "data-id": id(node) },
      shape("title", {}, title(node)),
      shape("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 4 }),
      shape("rect", { class: "band", x, y, width: 6, height: HEIGHT, rx: 2 }),
      ...text.map((line, i) => shape("text", { x: x + 13, y: first + i * 15 }, line)));
  }

  /** @param {string} name */
  const arrow = (name) => shape("marker", {
    id: `arrow-${name}`, class: `relation-${name}`, viewBox: "0 0 8 8", refX: 8, refY: 4, orient: "auto",
    markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse",
  }, shape("path", { d: "M0 0L8 4L0 8z" }));

  /** @type {Edging} */
  const line = ([edge, from, to], bends) => shape("path", {
    class: `edge relation-${relation(edge)}`, "data-from": from, "data-to": to,
    d: path(places.get(from), places.get(to), (bends.get(edge) ?? []).map((bend) => places.get(bend))),
    "marker-end": `url(#arrow-${relation(edge)})`,
  }, shape("title", {}, `${title(from)}: ${phrase(edge)}: ${title(to)}`));

  const tallest = () => Number.parseFloat(getComputedStyle(stage).maxBlockSize); // in pixels
  /** @type {number[][]} */
  let drawn = [];
  /** @type {ShowGraph} */
  function show(nodes, edges, chosen) {
    const room = tallest() / Math.max(SMALLEST, scale) - HEAD - 2 * MARGIN;
    const found = arrange(nodes, edges, layer, room);
    places = found.places;
    drawn = edges;
    svg.classList.toggle("many", edges.length > BENT);
    const all = [...places.values()];
    width = Math.max(...all.map(({ x }) => x + WIDTH), 0) + MARGIN;
    height = Math.max(...all.map(({ y }) => y + HEIGHT), 0) + MARGIN;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const names = found.layers.map((number, i) =>
      shape("text", { class: "layer", x: MARGIN + i * (WIDTH + ACROSS), y: MARGIN + 14 }, layers[number]));
    svg.replaceChildren(shape("defs", {}, ...[...new Set(edges.map(([edge]) => relation(edge)))].map(arrow)),
      ...names, ...edges.map((edge) => line(edge, found.bends)), ...nodes.map(box));
    choose(chosen);
    fit(SMALLEST);
    if (chosen >= 0) bring(chosen, true);
    else stage.scrollTo(0, 0);
  }

  // choose lets a node and those next to it stand out; -1 is none.
  /** @param {number} chosen */
  function choose(chosen) {
    const near = new Set([chosen]);
    const lit = drawn.filter(([, from, to]) => from === chosen || to === chosen);
    for (const [, from, to] of lit) near.add(from).add(to);
    for (const node of svg.querySelectorAll(".node")) {
      const number = Number(node.getAttribute("data-node"));
      node.classList.toggle("chosen", number === chosen);
      node.classList.toggle("dim", chosen >= 0 && !near.has(number));
    }
    for (const edge of svg.querySelectorAll(".edge")) {
      const at = ["data-from", "data-to"].some((end) => Number(edge.getAttribute(end)) === chosen);
      edge.classList.toggle("lit", at);
      edge.classList.toggle("dim", chosen >= 0 && !at);
    }
    for (const label of svg.querySelectorAll(".said")) label.remove();
    if (lit.length <= LABELS) svg.append(...lit.map((edge) => said(edge, chosen)));
  }

  // said is the word on a line, beside the box at its other end.
  /** @type {SaidOf} */
  function said([edge, from, to], chosen) {
    const end = places.get(from === chosen ? to : from), here = places.get(chosen);
    const x = end.x + (end.x > here.x ? -ACROSS / 2 : WIDTH + ACROSS / 2);
    const twice = drawn.filter(([e, a, b]) => e < edge && (a === from && b === to || a === to && b === from)).length;
    const attributes = { class: `said relation-${relation(edge)}`, x, y: end.y + HEIGHT / 2 - 5 + twice * 18 };
    return shape("text", attributes, phrase(edge).toLowerCase());
  }

  /** @param {number} to */
  function resize(to) {
    scale = Math.min(3, Math.max(0.2, to));
    svg.setAttribute("width", String(width * scale));
    svg.setAttribute("height", String(height * scale));
  }
  // zoom keeps what is in the middle there.
  /** @param {number} factor */
  function zoom(factor) {
    const { scrollLeft: left, scrollTop: top, clientWidth: across, clientHeight: down } = stage;
    const x = (left + across / 2) / scale, y = (top + down / 2) / scale;
    resize(scale * factor);
    stage.scrollTo(x * scale - across / 2, y * scale - down / 2);
  }
  /** @param {number} smallest */
  const fit = (smallest) =>
    resize(Math.min(1, Math.max(smallest, Math.min(stage.clientWidth / width, tallest() / height))));

  // bring scrolls to a node that is out of sight, or brings it to the middle.
  /** @type {BringOf} */
  function bring(node, middle = false) {
    if (!places.has(node)) return; // its kind is filtered out
    const x = (places.get(node).x + WIDTH / 2) * scale, y = (places.get(node).y + HEIGHT / 2) * scale;
    const { scrollLeft: left, scrollTop: top, clientWidth: across, clientHeight: down } = stage;
    if (!middle && x > left && x < left + across && y > top && y < top + down) return;
    stage.scrollTo(x - across / 2, y - down / 2);
  }

  svg.addEventListener("click", (event) => {
    const node = /** @type {Element} */ (event.target).closest(".node");
    clicked(Number(node?.getAttribute("data-node") ?? -1));
  });
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !"+-".includes(event.key)) return;
    event.preventDefault();
    zoom(event.key === "+" ? 1.3 : 1 / 1.3);
  });
  return { stage, show, choose, zoom, bring, fit: () => fit(0) };
}
