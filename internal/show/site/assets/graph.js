// The page of the graph: its overview, or the explorer in its place, when somebody asks for that: by the link, or by an
// address that names a record.
import { words } from "./part-page.js";

const place = document.getElementById("graph");
const overview = document.querySelectorAll(".explore, .overview");
let begun = false;

// asked says whether the address names the explorer or a record.
function asked() {
  const name = location.hash.slice(1);
  return name !== "" && (name === place.id || !document.getElementById(name));
}

async function begin() {
  const exploring = asked();
  place.hidden = !exploring;
  for (const part of overview) /** @type {HTMLElement} */ (part).hidden = exploring;
  if (begun || !exploring) return;
  begun = true;
  place.textContent = words.loading;
  try {
    await import("./part-explorer.js");
  } catch {
    place.textContent = words.notLoaded;
    place.role = "alert";
  }
}

addEventListener("hashchange", begin);
begin();
