// Boxes that filter the lists and tables beside them.
import { sift } from "./part-terms.js";

for (const form of document.querySelectorAll("form.narrowing")) {
  const box = form.querySelector("input"), part = form.parentElement;
  form.toggleAttribute("hidden", false);
  form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", () => sift(part.querySelectorAll(".narrow :is(li, tbody tr), .series"), box.value));
}
