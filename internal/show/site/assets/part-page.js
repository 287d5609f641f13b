// What the scripts of several pages need.
import { speak, when } from "./part-numbers.js";

// root is the root of the site, wherever that is served.
export const root = new URL("..", import.meta.url);

/** @type {Words} */
export const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

speak(words);

// theirs are the attributes of text in another language than the page.
export const theirs = { lang: words.lang, dir: words.dir };

// at is an address of the site, given from its root with a slash before it.
/** @param {string} address */
export const at = (address) => new URL(address.replace(/^\//, ""), root).href;

const PAUSE = 400; // milliseconds before a fetch that failed is tried again

// fetchJSON reads a file, and tries again once unless the file is missing.
/** @param {string} address */
export async function fetchJSON(address) {
  let response = await fetch(address).catch(() => /** @type {Response | null} */ (null));
  if (!response || response.status >= 500) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    response = await fetch(address);
  }
  if (!response.ok) throw new Error(`${response.status} ${address}`);
  return response.json();
}

// el makes an element. Texts are set as texts, so that nothing in a record can become markup.
/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} attributes
 * @param {...(Node | string | null)} children
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** @param {string} day */
export const time = (day) => el("time", when(day) === day ? {} : { datetime: day }, when(day));

// badge is a word of a closed list, as the pages show it.
/** @type {BadgeOf} */
export const badge = (label, word) => {
  const entry = label.words.find(([w]) => w === word);
  return el("span", { class: `badge ${label.list} ${word}`, title: entry?.[2] }, entry?.[1] ?? word);
};

// meanings returns the words of a closed list with their meanings, to choose from.
/** @param {Label} label */
export const meanings = ({ words }) => words.map(([word, text, means]) => [word, `${text}: ${means}`]);

/** @type {Offer} */
export function offer(list, options, value, change) {
  const all = [["", words.any], ...options];
  list.replaceChildren(...all.map(([v, text]) => el("option", { value: v }, text)));
  list.value = options.some(([v]) => v === value) ? value : "";
  list.addEventListener("change", () => change(list.value));
}

/** @type {Choice<HTMLLabelElement>} */
export function select(name, title, options, value, change) {
  const list = el("select", { name });
  offer(list, options, value, change);
  return el("label", {}, title, list);
}

// stepwise shows rows in steps, the next ones at the press of a button, which it returns.
/** @type {Stepwise} */
export function stepwise(place, step, add) {
  /** @type {Row[]} */
  let rows = [];
  let drawn = 0;
  const empty = el("p", { hidden: true }, words.nothing);
  const next = el("button", { type: "button", class: "more", hidden: true, onclick: more }, words.more);
  function more() {
    add(rows.slice(drawn, drawn += step));
    next.hidden = drawn >= rows.length;
  }
  place.append(empty, next);
  return { next, more, show(found) {
    rows = found;
    drawn = 0;
    more();
    empty.hidden = rows.length > 0;
  } };
}

/** @param {Event} event */
export const stay = (event) => event.preventDefault();

// places are the numbers of the columns in a file of rows, by their names.
/** @type {PlacesOf} */
export const places = (columns) => Object.fromEntries(columns.map((name, i) => [name, i]));

// Filters live in the address, so that a view can be shared and found again.
export const parameters = () => new URLSearchParams(location.search);

/** @param {Record<string, string>} values */
export function share(values) {
  const query = new URLSearchParams(), asOf = parameters().get("as-of");
  if (asOf) query.set("as-of", asOf);
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  const text = query.toString();
  history.replaceState(null, "", (text ? `?${text}` : location.pathname) + location.hash);
}
