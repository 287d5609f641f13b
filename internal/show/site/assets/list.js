// A box that leaves of the lists of a page what has what is typed.
import { fold } from "./part-terms.js";

const form = document.querySelector("form.filters"), box = form.querySelector("input");
form.toggleAttribute("hidden", false);
form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", () => {
  for (const row of document.querySelectorAll(".narrow :is(li, tbody tr)")) {
    row.toggleAttribute("hidden", !fold(row.textContent).includes(fold(box.value.trim())));
  }
});
