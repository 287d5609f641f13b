// A worker that finds places for the nodes of the graph, so that the page stays free to move. It sends what it has found again and again, until it is done or
// gets another graph.
/* global graphology, graphologyLibrary */
for (const name of ["DOMParser", "Document"]) /** @type {any} */ (globalThis)[name] ??= class {}; // the library names them as it loads, for a format that is not read here
importScripts("./graphology.umd.min.js", "./graphology-library.min.js");

const PAUSE = 120; // milliseconds of work between two answers; more for large graphs, which take long to draw
/** @type {{ graph: any, run: number, left: number } | undefined} */
let job;

onmessage = (/** @type {{ data: { x: number[], y: number[], from: number[], to: number[], run: number, iterations: number } }} */ { data }) => {
  const graph = new graphology.MultiDirectedGraph();
  data.x.forEach((x, i) => graph.addNode(i, { x, y: data.y[i] }));
  data.from.forEach((from, i) => graph.addDirectedEdge(from, data.to[i]));
  const working = job !== undefined;
  job = { graph, run: data.run, left: data.iterations };
  if (!working) work();
};

function work() {
  const { graph, run } = job;
  const layout = graphologyLibrary.layoutForceAtlas2;
  const settings = { ...layout.inferSettings(graph), barnesHutOptimize: graph.order > 300, gravity: 0.6, scalingRatio: 8, slowDown: 3 };
  const until = performance.now() + PAUSE + graph.size / 40;
  while (job.left > 0 && performance.now() < until) {
    const iterations = Math.min(job.left, graph.order > 1500 ? 3 : 10);
    layout.assign(graph, { iterations, settings });
    job.left -= iterations;
  }
  const x = new Float32Array(graph.order), y = new Float32Array(graph.order);
  graph.forEachNode((/** @type {number} */ node, /** @type {{ x: number, y: number }} */ place) => { x[node] = place.x; y[node] = place.y; });
  postMessage({ run, x, y, done: job.left <= 0 }, [x.buffer, y.buffer]);
  setTimeout(() => { // in between, another graph may have come
    if (job.left > 0) work();
    else job = undefined;
  });
}
