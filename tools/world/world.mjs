// Writes the map of the charts from Natural Earth (public domain, naturalearthdata.com), as npm's world-atlas has it:
//
//	npm pack world-atlas@2.0.2 && tar xf world-atlas-2.0.2.tgz
//	node tools/world/world.mjs package > internal/show/site/assets/world.json
//
// Shapes are of the scale 1:110 million, in the Equal Earth projection, with areas as they are. What is too small to be
// seen is a dot, where 1:50 million has its largest part. Antarctica has no statistics and is left out.
import { readFileSync } from "node:fs";

const WIDTH = 1000, LEAST = 0.7, DOT = 14; // units; the area of a corner that stays, and of a country that is no dot
const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
const codes = new Map([...readFileSync("record/area.go", "utf8").matchAll(/\b([A-Z]{3})[A-Z]{2}(\d{3})\b/g)]
  .map(([, letters, digits]) => [digits, letters]));
// What Natural Earth draws apart and no code stands for belongs to what UN M49 counts it to.
const named = { Kosovo: "XKX", "N. Cyprus": "CYP", Somaliland: "SOM" };
const codeOf = ({ id, properties }) => codes.get(id) ?? named[properties.name];

// Equal Earth, by Šavrič, Patterson and Jenny (2018).
const [A1, A2, A3, A4, M] = [1.340264, -0.081106, 0.000893, 0.003796, Math.sqrt(3) / 2];
function project([lon, lat]) {
  const t = Math.asin(M * Math.sin(lat * Math.PI / 180)), t2 = t * t, t6 = t2 ** 3;
  const x = lon * Math.PI / 180 * Math.cos(t) / (M * (A1 + 3 * A2 * t2 + t6 * (7 * A3 + 9 * A4 * t2)));
  return [x, t * (A1 + A2 * t2 + t6 * (A3 + A4 * t2))];
}
const edge = project([180, 0])[0], top = project([0, 83.7])[1], bottom = project([0, -57])[1];
const scale = WIDTH / (2 * edge);
const place = (point) => (([x, y]) => [(x + edge) * scale, (top - y) * scale])(project(point));

const corner = ([ax, ay], [bx, by], [cx, cy]) => Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2;
const area = (ring) => ring.reduce((sum, [x, y], i) => {
  const [u, v] = ring[(i + 1) % ring.length];
  return sum + x * v - u * y;
}, 0) / 2;

// simple leaves out the corners that matter least (Visvalingam and Whyatt). Ends stay, so that borders meet.
function simple(line) {
  const points = [...line];
  while (points.length > 4) {
    let least = LEAST, at = 0;
    for (let i = 1; i < points.length - 1; i++) {
      const size = corner(...points.slice(i - 1, i + 2).map(place));
      if (size < least) [least, at] = [size, i];
    }
    if (!at) break;
    points.splice(at, 1);
  }
  return points;
}

// halves are a ring that crosses 180°, cut there; any other as it is.
function halves(ring) {
  let turn = 0;
  const round = ring.map(([x, y], i) => {
    const step = i ? x - ring[i - 1][0] : 0;
    if (Math.abs(step) > 180) turn -= Math.sign(step) * 360;
    return [x + turn, y];
  });
  const xs = round.map(([x]) => x), over = Math.max(...xs) > 180 ? 180 : Math.min(...xs) < -180 ? -180 : null;
  if (over === null) return [round];
  return [1, -1].map((side) => {
    const inside = ([x]) => side * (x - over) <= 0;
    const cut = round.flatMap((a, i) => {
      const b = round[(i + 1) % round.length], here = inside(a) ? [a] : [];
      if (inside(a) !== inside(b)) here.push([over, a[1] + (b[1] - a[1]) * (over - a[0]) / (b[0] - a[0])]);
      return here;
    });
    const middle = cut.reduce((sum, [x]) => sum + x, 0) / cut.length;
    const shift = middle > 180 ? -360 : middle < -180 ? 360 : 0;
    return cut.map(([x, y]) => [x + shift, y]);
  });
}

// countries are the rings of each country, of borders that are simple or as they are.
function countries({ arcs, transform: { scale: [sx, sy], translate: [tx, ty] }, objects }, thin) {
  const lines = arcs.map((arc) => {
    let x = 0, y = 0;
    return thin(arc.map(([dx, dy]) => [(x += dx) * sx + tx, (y += dy) * sy + ty]));
  });
  const ring = (list) => list.flatMap((i) => (i < 0 ? lines[~i].toReversed() : lines[i]).slice(0, -1));
  const all = new Map();
  for (const g of objects.countries.geometries) {
    const code = codeOf(g);
    if (!code || code === "ATA") continue;
    const polygons = g.type === "Polygon" ? [g.arcs] : g.arcs;
    all.set(code, (all.get(code) ?? []).concat(polygons.flatMap((p) => p.map(ring)).flatMap(halves).map((r) => r.map(place))));
  }
  return all;
}

const n = (v) => Math.round(v);
function path(rings) {
  let d = "";
  for (const ring of rings) {
    const points = ring.map(([x, y]) => [n(x), n(y)]).filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
    if (points.length < 3) continue;
    let [x, y] = points[0];
    d += `M${x} ${y}l`;
    d += points.slice(1).map(([u, v]) => {
      const step = `${u - x} ${v - y}`;
      [x, y] = [u, v];
      return step;
    }).join(" ").replaceAll(" -", "-") + "z";
  }
  return d;
}

const shapes = {}, dots = {};
const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
for (const [code, rings] of sorted(countries(read("countries-110m.json"), simple))) {
  const d = path(rings);
  if (d && rings.reduce((sum, r) => sum + Math.abs(area(r)), 0) >= DOT) shapes[code] = d;
}
for (const [code, rings] of sorted(countries(read("countries-50m.json"), (line) => line))) {
  if (shapes[code]) continue;
  const largest = rings.reduce((a, b) => (Math.abs(area(b)) > Math.abs(area(a)) ? b : a));
  const middle = [0, 1].map((axis) => n(largest.reduce((sum, p) => sum + p[axis], 0) / largest.length));
  dots[code] = middle;
}
const size = [WIDTH, n((top - bottom) * scale)];
console.log(JSON.stringify({ source: "Natural Earth, public domain", size, shapes, dots }).replaceAll('",', '",\n'));
