// The list of areas to pick from, which can be filtered and skipped.
import { look } from "./part-lines.js";
import { el, theirs, words } from "./part-page.js";
import { fold } from "./part-terms.js";
import { ofChart, toggle } from "./part-view.js";

/** @type {Picker} */
export function picker(file, view, changed) {
  const rows = ofChart(file, view.chart).map((i) => ({ i, s: file.series[i] }))
    .sort((a, b) => a.s.rank - b.s.rank || a.s.name.localeCompare(b.s.name)).map(({ i, s }) => {
      const dot = el("i", {}), box = el("input", { type: "checkbox", onchange: () => {
        toggle(view, i);
        refresh();
        changed();
      } });
      return { i, box, dot, name: fold(`${s.name} ${s.area}`), label: el("label", theirs, box, dot, s.name) };
    });
  const refresh = () => {
    for (const { i, box, dot } of rows) {
      const slot = view.slots.indexOf(i);
      box.checked = slot >= 0;
      dot.className = slot >= 0 ? look(slot) : "";
      dot.hidden = slot < 0;
    }
  };
  refresh();
  const none = el("p", { class: "quiet", hidden: true }, words.nothing);
  const named = { placeholder: words.findArea, "aria-label": words.findArea };
  const filter = el("input", { type: "search", ...named, oninput: () => {
    const wanted = fold(filter.value.trim());
    for (const { label, name } of rows) label.hidden = !name.includes(wanted);
    none.hidden = rows.some(({ label }) => !label.hidden);
  } });
  const clear = el("button", { type: "button", onclick: () => {
    view.slots = [];
    refresh();
    changed();
  } }, words.clearAreas);
  const end = el("span", { id: "after-areas", tabindex: "-1" });
  return el("fieldset", { class: "areas chart" }, el("legend", {}, words.areas), filter, clear,
    el("a", { class: "skip", href: "#after-areas", onclick: (/** @type {Event} */ event) => {
      event.preventDefault(); // the address keeps the view
      end.focus();
    } }, words.skipAreas), el("div", {}, ...rows.map(({ label }) => label), none), end);
}
