// Pictures as trees of elements, for pages, files and bitmaps.

/** @type {MakeShape} */
export const shape = (name, attributes = {}, ...children) => ({ name, attributes, children });

const SPACE = "http://www.w3.org/2000/svg";

// drawn makes an element of the page. Texts are set as texts.
/** @type {MakeElement} */
export function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return /** @type {SVGElement} */ (made);
}

/** @type {(node: Shape) => SVGElement} */
export const element = ({ name, attributes, children }) =>
  drawn(name, attributes, ...children.map((child) => (typeof child === "string" ? child : element(child))));

const looks = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "unicode-bidi"];

// styled is a copy of an element, with the looks that the style sheet gives it.
/** @param {Element} from */
function styled(from) {
  const copy = /** @type {Element} */ (from.cloneNode(false)), style = getComputedStyle(from);
  copy.removeAttribute("class");
  for (const name of looks) copy.setAttribute(name, style.getPropertyValue(name));
  for (const child of from.childNodes) {
    copy.append(child instanceof Element && child.localName !== "title" ? styled(child) : child.cloneNode(true));
  }
  return copy;
}

/** @type {LettersOf} */
export const letters = (text, most) => ([...text].length > most ? `${[...text].slice(0, most).join("")}…` : text);

// rowsOf is a name in one row, or in two where one has no room for it.
/** @type {Wrap} */
export const rowsOf = (text, most) => {
  const all = [...text], at = all.lastIndexOf(" ", most);
  if (all.length <= most || at < 1) return [letters(text, most)];
  return [all.slice(0, at).join(""), letters(all.slice(at + 1).join(""), most)];
};

/** @type {Wrap} */
export function wrapped(text, letters) {
  /** @type {string[]} */
  const lines = [];
  const some = new RegExp(`.{1,${Math.floor(letters)}}`, "gu"); // an address may be longer than a line
  for (const word of text.split(" ").flatMap((w) => [...w.matchAll(some)].map(([part]) => part))) {
    const last = lines.at(-1);
    if (last != null && last.length + word.length < letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

// standalone returns a picture with a title above and notes below.
/** @type {Standalone} */
export function standalone(picture, title, under, below) {
  const style = getComputedStyle(picture), body = getComputedStyle(document.body);
  const { width, height } = picture.viewBox.baseVal;
  const ink = { fill: body.color, "font-family": style.fontFamily, "unicode-bidi": "plaintext" };
  const line = (/** @type {string} */ text, /** @type {number} */ y, /** @type {number} */ size, weight = 400) =>
    shape("text", { ...ink, x: 16, y, "font-size": size, "font-weight": weight }, text);
  /** @type {Shape[]} */
  const texts = [];
  let y = 14;
  for (const text of wrapped(title, width / 9)) texts.push(line(text, y += 20, 17, 600));
  for (const text of wrapped(under, width / 6.6)) texts.push(line(text, y += 18, 13));
  const top = y + 12;
  y = top + height + 8;
  for (const text of below.flatMap((t) => wrapped(t, width / 6))) texts.push(line(text, y += 16, 11));
  const size = { width: width + 32, height: y + 14 };
  const made = element(shape("svg", { xmlns: SPACE, viewBox: `0 0 ${size.width} ${size.height}`, ...size },
    shape("rect", { ...size, fill: body.backgroundColor }), ...texts,
    shape("g", { transform: `translate(16 ${top})` })));
  made.lastElementChild.append(...[...picture.children].map(styled));
  return /** @type {SVGSVGElement} */ (made);
}

// bitmap draws a picture at twice its size. It needs no image URL, which the policy would refuse.
/** @type {BitmapOf} */
export function bitmap(picture) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  [canvas.width, canvas.height] = ["width", "height"].map((side) => 2 * Number(picture.getAttribute(side)));
  pen.scale(2, 2);
  for (const child of picture.children) paint(pen, child);
  return new Promise((done) => { canvas.toBlob(done); });
}

// patternOf draws the only pattern of the picture that a part belongs to.
/** @type {PatternOf} */
function patternOf(pen, part) {
  while (part.parentElement) part = part.parentElement;
  const pattern = part.querySelector("pattern"), tile = document.createElement("canvas");
  [tile.width, tile.height] = ["width", "height"].map((side) => Number(pattern.getAttribute(side)));
  for (const child of pattern.children) paint(tile.getContext("2d"), child);
  return pen.createPattern(tile, "repeat");
}

/** @type {PaintOf} */
function paint(pen, part) {
  const of = (/** @type {string} */ name) => part.getAttribute(name) ?? "";
  const n = (/** @type {string} */ name) => parseFloat(of(name)) || 0;
  pen.save();
  pen.globalAlpha *= of("opacity") === "" ? 1 : n("opacity");
  const [, dx, dy] = /translate\(([\d.-]+)[ ,]+([\d.-]+)/.exec(of("transform")) ?? [];
  if (dx) pen.translate(Number(dx), Number(dy));
  const by = Number(/scale\(([\d.]+)/.exec(of("transform"))?.[1] ?? 1);
  pen.scale(by, by);
  if (part.localName === "g") for (const child of part.children) paint(pen, child);
  else if (part.localName === "text") {
    pen.font = `${of("font-weight") || 400} ${n("font-size")}px ${of("font-family")}`;
    pen.textAlign = /** @type {CanvasTextAlign} */ ({ middle: "center", end: "right" }[of("text-anchor")] ?? "left");
    pen.direction = /^\P{L}*[\u0590-\u08ff]/u.test(part.textContent) ? "rtl" : "ltr";
    pen.fillStyle = of("fill");
    pen.fillText(part.textContent, n("x"), n("y"));
  } else {
    const path = new Path2D(of("d")), ink = of("fill").startsWith("url") ? patternOf(pen, part) : of("fill");
    if (part.localName === "circle") path.arc(n("cx"), n("cy"), n("r"), 0, 7);
    if (part.localName === "rect") path.rect(n("x"), n("y"), n("width"), n("height"));
    if (ink !== "none") { pen.fillStyle = ink; pen.fill(path); }
    if (!["none", ""].includes(of("stroke"))) {
      pen.strokeStyle = of("stroke");
      pen.lineWidth = n("stroke-width");
      pen.lineCap = /** @type {CanvasLineCap} */ (of("stroke-linecap") || "butt");
      pen.lineJoin = "round";
      pen.setLineDash(of("stroke-dasharray").split(/[ ,]+/).map(parseFloat).filter((v) => v >= 0));
      pen.stroke(path);
    }
  }
  pen.restore();
}
