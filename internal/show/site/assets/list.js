// A box that leaves of the lists of a page what has what is typed.
import { sift } from "./part-terms.js";

const form = document.querySelector("form.filters"), box = form.querySelector("input");
form.toggleAttribute("hidden", false);
form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", () => sift(document.querySelectorAll(".narrow :is(li, tbody tr)"), box.value));
