// The box that fetches an address of this site and shows the answer.
import { at, el, words } from "./part-page.js";

const SHOWN = 20_000; // characters of an answer
const section = document.getElementById("try");
const form = section.querySelector("form");
const path = /** @type {HTMLInputElement} */ (form.elements.namedItem("path"));
const answer = section.querySelector(".answer");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const address = at(path.value.trim());
  if (new URL(address).origin !== location.origin) return;
  try {
    const response = await fetch(address);
    const text = await response.text();
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    answer.replaceChildren(
      el("h3", {}, `${words.status} ${response.status}`),
      el("h3", {}, words.headers), el("pre", { tabindex: "0" }, headers),
      el("h3", {}, words.body), el("pre", { tabindex: "0", class: "body" }, pretty(text)));
  } catch {
    answer.replaceChildren(el("p", {}, words.failed));
  }
});

/** @param {string} text */
function pretty(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* not JSON: as it is */ }
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN)}\n${words.cut}` : shown;
}

section.hidden = false;
