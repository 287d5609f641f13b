// The page of the graph. Its explorer is large, so it is loaded when somebody asks for it: by the link, or by an address
// that names a record.
import { words } from "./part-page.js";

const place = document.getElementById("graph");
let begun = false;

// asked says whether the address names the explorer or a record, and not another part of the page.
function asked() {
  const name = location.hash.slice(1);
  return name !== "" && (name === place.id || !document.getElementById(name));
}

async function begin() {
  if (begun || !asked()) return;
  begun = true;
  document.querySelector(".explore").remove();
  place.textContent = words.loading;
  place.hidden = false;
  try {
    await import("./part-explorer.js");
  } catch (error) {
    place.textContent = words.notLoaded;
    throw error;
  }
}

addEventListener("hashchange", begin);
begin();
