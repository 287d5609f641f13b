// The picture of the graph, drawn with sigma.
//
// A browser that draws without a graphics card pays for every dot and every line, and about ten times as much for those that are instances of a shape, which
// is what sigma draws by itself. So dots are points here, many lines are a pixel wide, and while the view moves many lines are left out, as is the hidden
// drawing that tells which dot is under the pointer.
/* global graphology, Sigma */
import { el, words } from "./part-page.js";

const MANY = 1500; // lines: more are drawn a pixel wide, and only while the view rests
const CROWD = 4000; // lines: if there are more, those that do not end at the chosen node are hidden
const ROOM = 1000; // nodes that are drawn in full size
const LABEL = 7; // size of the smallest node that has a label
const LETTERS = 42; // of a label; the whole title is in the list, and on the dot that is pointed at
const REST = 120; // milliseconds without movement after which the view rests
const GLIDE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 150; // milliseconds that a step of the view takes
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @param {string} name */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// makePicture answers with a picture of nodes, which have a title, a kind and a weight by their number, or with null where there is no WebGL. It calls
// clicked with the number of a node, or with -1 for the ground.
/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {Point & { size: number, label: string, forceLabel: boolean }} Dot
 * @param {{ title: (node: number) => string, kind: (node: number) => number, weight: (node: number) => number, classes: string[], lost: (node: number) => boolean, clicked: (node: number) => void }} graph
 */
export function makePicture({ title, kind, weight, classes, lost, clicked }) {
  if (!document.createElement("canvas").getContext("webgl2")) return null;
  const stage = el("div", { class: "stage", role: "img", tabindex: 0, "aria-label": words.picture });
  const layout = new Worker(new URL("./part-layout.js", import.meta.url));
  /** @type {Map<number, Point>} */
  const places = new Map(); // of nodes that were drawn before
  let graph = new graphology.MultiDirectedGraph();
  /** @type {any} */
  let sigma;
  let chosen = -1; // a node
  /** @type {Set<number>} */
  let close = new Set(); // and those next to it
  let run = 0; // layouts that were asked for
  /** @type {{ x: number[], y: number[], done: boolean } | null} */
  let found = null; // what the last one has found, if it is not yet shown
  let scale = 1; // of the dots: if there are many, all are smaller
  let moving = 0; // a timer, while the view moves

  class Dots extends Sigma.rendering.NodePointProgram {
    /** @param {any} params */
    render(params) {
      /** @type {any} */
      const pick = this.pickProgram;
      if (moving) this.pickProgram = null;
      super.render(params);
      this.pickProgram = pick;
    }
    /** @type {(params: any, program: any) => void} */
    setUniforms(params, program) {
      super.setUniforms(program.isPicking ? { ...params, sizeRatio: params.sizeRatio * scale } : params, program); // small dots can be hit like large ones
    }
  }
  class Lines extends Sigma.rendering.EdgeLineProgram {
    /** @param {any} params */
    render(params) {
      if (!moving) super.render(params);
    }
  }

  function move() {
    clearTimeout(moving);
    moving = window.setTimeout(rest, REST);
  }
  function rest() {
    clearTimeout(moving);
    moving = 0;
    settle();
    sigma.refresh({ partialGraph: {}, skipIndexation: true }); // draws all, and at once
  }

  /** @type {(node: number, neighbours: number[]) => void} */
  function stand(node, neighbours) {
    chosen = node;
    close = new Set(neighbours);
  }

  // add puts a node into the picture: where it was, or beside the one that it belongs to, or else in a ring of its kind.
  /** @type {(node: number, beside?: number) => Point} */
  function add(node, beside) {
    const turn = node * 2.399963; // the golden angle: no two in a line
    const near = places.get(beside), ring = 10 + kind(node);
    const where = places.get(node) ?? (near ? { x: near.x + Math.cos(turn), y: near.y + Math.sin(turn) } : { x: ring * Math.cos(turn), y: ring * Math.sin(turn) });
    graph.addNode(node, { x: where.x, y: where.y, label: title(node), size: scale * Math.min(14, 3 + Math.sqrt(weight(node))) });
    return where;
  }

  // show draws these nodes and edges and no others, then lets the worker find places for them. Nodes that are new begin beside the one that is named last.
  // The graph is built before sigma sees it: sigma would answer to every single node and edge that is added.
  /** @type {(nodes: number[], edges: number[][], node: number, neighbours: number[], beside?: number) => void} */
  function show(nodes, edges, node, neighbours, beside) {
    stand(node, neighbours);
    graph.forEachNode((/** @type {string} */ node, /** @type {Point} */ { x, y }) => places.set(+node, { x, y }));
    graph = new graphology.MultiDirectedGraph();
    scale = Math.min(1, Math.sqrt(ROOM / nodes.length));
    const where = nodes.map((node) => add(node, beside));
    const number = new Map(nodes.map((node, i) => [node, i]));
    for (const [key, from, to] of edges) graph.addDirectedEdgeWithKey(key, from, to);
    found = null;
    delete stage.dataset.settled;
    layout.postMessage({
      run: ++run, x: where.map((p) => p.x), y: where.map((p) => p.y), from: edges.map(([, from]) => number.get(from)), to: edges.map(([, , to]) => number.get(to)),
      iterations: nodes.length > 1500 ? 90 : 300,
    });
    if (sigma) sigma.setGraph(graph);
    else start();
  }

  layout.onmessage = ({ data }) => {
    if (data.run !== run) return; // of a graph that is no longer shown
    found = data;
    if (!moving) settle();
  };
  // settle moves the nodes to where the worker wants them. That takes longer than a frame, so it waits while the view moves.
  function settle() {
    if (!found) return;
    const { x, y, done } = found;
    let i = 0;
    graph.updateEachNodeAttributes((/** @type {string} */ _, /** @type {Point} */ node) => {
      node.x = x[i];
      node.y = y[i++];
      return node;
    }, { attributes: ["x", "y"] });
    if (done) stage.dataset.settled = "yes";
    found = null;
  }

  /** @type {string[]} */
  let kindColors = [];
  /** @type {Record<string, string>} */
  let colors = {};
  function paint() {
    kindColors = classes.map((name) => color(`--${name}`));
    colors = { ink: color("--ink"), bad: color("--bad-ink"), ground: color("--ground"), panel: color("--panel"), line: color("--line"), strong: color("--line-strong") };
    sigma?.refresh();
  }
  // beside is where a label of some width begins: to the right of its dot, or to the left, or else where it is not cut off.
  /** @type {(data: Dot, width: number) => number} */
  function beside(data, width) {
    const right = data.x + data.size, left = data.x - data.size - width;
    if (right + width <= stage.clientWidth) return right;
    return left >= 0 ? left : Math.max(0, stage.clientWidth - width);
  }
  // short is a text that fits into the stage, in at most so many letters.
  /** @type {(text: string, most: number) => string} */
  const short = (text, most) => {
    const room = Math.min(most, Math.floor(stage.clientWidth / 8) - 4);
    return text.length > room ? `${text.slice(0, room - 1).trimEnd()}…` : text;
  };
  /** @type {{ x: number, y: number, right: number }[]} */
  let labels = []; // of this frame, which keep others away
  /** @type {(context: CanvasRenderingContext2D, data: Dot, settings: any) => void} */
  function drawLabel(context, data, settings) {
    if (!data.label || data.size < LABEL * scale && !data.forceLabel) return;
    const text = short(data.label, LETTERS);
    context.font = `${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(text).width, x = beside(data, width + 8) + 4, y = data.y + settings.labelSize / 3;
    if (labels.some((l) => x < l.right && l.x < x + width && Math.abs(y - l.y) < settings.labelSize)) return;
    labels.push({ x, y, right: x + width });
    context.strokeStyle = colors.ground; // around the letters, so that they can be read on lines and dots
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    context.fillStyle = colors.ink;
    context.fillText(text, x, y);
  }
  /** @type {(context: CanvasRenderingContext2D, data: Dot, settings: any) => void} */
  function drawHover(context, data, settings) {
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const text = short(data.label, Infinity), width = context.measureText(text).width + 12, x = beside(data, width + 4) + 2;
    context.fillStyle = colors.panel;
    context.strokeStyle = colors.strong;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x, data.y - 12, width, 24, 3);
    context.fill();
    context.stroke();
    context.fillStyle = colors.ink;
    context.fillText(text, x + 6, data.y + settings.labelSize / 3);
  }
  // While something is chosen, what is not next to it steps back. What a reducer gets is sigma's own copy.
  /** @type {(key: string, data: any) => any} */
  function reduceNode(key, data) {
    const node = +key, here = chosen < 0 || close.has(node);
    data.color = here ? (lost(node) ? colors.bad : kindColors[kind(node)]) : colors.line;
    if (!here) data.label = "";
    data.zIndex = here ? 1 : 0;
    data.forceLabel = node === chosen || graph.order <= 40;
    data.highlighted = node === chosen;
    return data;
  }
  /** @type {(key: string, data: any) => any} */
  function reduceEdge(key, data) {
    const lit = chosen >= 0 && (+graph.source(key) === chosen || +graph.target(key) === chosen);
    data.color = lit ? colors.strong : colors.line;
    data.size = lit ? 1.6 : 0.6;
    data.type = (lit ? close.size : graph.size) > MANY ? "line" : "ribbon";
    data.zIndex = lit ? 1 : 0;
    data.hidden = chosen >= 0 && !lit && graph.size > CROWD;
    return data;
  }
  function start() {
    paint();
    sigma = new Sigma.Sigma(graph, stage, {
      labelFont: getComputedStyle(document.body).fontFamily, labelSize: 13, labelRenderedSizeThreshold: 0, labelDensity: 0.4, labelGridCellSize: 140,
      nodeProgramClasses: { circle: Dots }, edgeProgramClasses: { line: Lines, ribbon: Sigma.rendering.EdgeRectangleProgram }, nodeReducer: reduceNode, edgeReducer: reduceEdge,
      zIndex: true, defaultDrawNodeLabel: drawLabel, defaultDrawNodeHover: drawHover, minCameraRatio: 0.02, maxCameraRatio: 4,
    });
    sigma.on("beforeRender", () => { labels = []; });
    sigma.getCamera().on("updated", move);
    sigma.on("clickNode", (/** @type {{ node: string }} */ { node }) => clicked(+node));
    sigma.on("clickStage", () => clicked(-1));
    stage.addEventListener("pointerdown", () => { if (moving) rest(); }, { capture: true }); // so that what is clicked on is known
    stage.addEventListener("keydown", step);
    new ResizeObserver(() => { sigma.resize(); sigma.scheduleRefresh(); }).observe(stage); // which sigma does for the window only
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  }

  const camera = () => sigma.getCamera();
  /** @param {number} factor */
  const zoom = (factor) => camera().animate({ ratio: camera().ratio / factor }, { duration: GLIDE });
  // step moves the view with the arrow keys, and zooms with plus and minus.
  /** @param {KeyboardEvent} event */
  function step(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { x, y, ratio } = camera().getState(), [right, up] = KEYS[event.key] ?? [0, 0];
    if (right || up) camera().animate({ x: x + right * ratio * 0.12, y: y + up * ratio * 0.12 }, { duration: GLIDE });
    else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.6 : 1 / 1.6);
    else return;
    event.preventDefault();
  }

  return {
    stage, show, zoom,
    fit: () => camera().animate({ x: 0.5, y: 0.5, ratio: 1 }, { duration: GLIDE }),
    // choose lets a node and those next to it stand out; -1 is none.
    /** @type {(node: number, neighbours: number[]) => void} */
    choose(node, neighbours) {
      stand(node, neighbours);
      sigma.refresh();
    },
    // bring moves the view to a node that is out of it.
    /** @param {number} node */
    bring(node) {
      if (!graph.hasNode(node)) return; // its kind is filtered out
      const { x, y } = sigma.graphToViewport(graph.getNodeAttributes(node));
      if (x > 0 && y > 0 && x < stage.clientWidth && y < stage.clientHeight) return;
      const there = sigma.getNodeDisplayData(node);
      camera().animate({ x: there.x, y: there.y }, { duration: GLIDE });
    },
    at: (/** @type {number} */ node) => sigma.graphToViewport(graph.getNodeAttributes(node)),
    drawn: () => [graph.order, graph.size],
  };
}
