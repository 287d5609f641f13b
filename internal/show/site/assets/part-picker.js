// The list of areas to pick from, which can be filtered and skipped.
import { look } from "./part-lines.js";
import { el, theirs, words } from "./part-page.js";
import { fold } from "./part-terms.js";
import { shownOf, sliced, toggle } from "./part-view.js";

/** @type {Picker} */
export function picker(file, view, changed) {
  // Areas that change are offered in the years that are shown.
  const offered = (/** @type {Series} */ s) => !file.turns
    || s.values.some((_, i) => i >= view.from && i <= view.to && shownOf(s, i) != null);
  const near = (/** @type {number} */ i) => {
    const seen = new Set(view.slots.map((n) => file.series[n]?.area));
    return (file.turns ?? []).filter(({ of }) => of.includes(i)).flatMap(({ of }) => of).filter((n) => {
      const { area, chart } = file.series[n], again = seen.has(area);
      seen.add(area); // the newest edition is first
      return !again && chart === view.chart;
    });
  };
  const rows = sliced(file, view).map((i) => ({ i, s: file.series[i] }))
    .filter(({ i, s }) => view.slots.includes(i) || offered(s))
    .sort((a, b) => a.s.rank - b.s.rank || a.s.name.localeCompare(b.s.name)).map(({ i, s }) => {
      const dot = el("i", {}), box = el("input", { type: "checkbox", onchange: () => pick(i) });
      const label = el("label", theirs, box, dot, s.name), more = el("span", { class: "near" });
      return { i, box, dot, more, name: fold(`${s.name} ${s.area}`), label };
    });
  /** @param {number} i */
  function pick(i) {
    toggle(view, i);
    refresh();
    changed();
  }
  const refresh = () => {
    for (const { i, box, dot, more } of rows) {
      const slot = view.slots.indexOf(i);
      box.checked = slot >= 0;
      dot.className = slot >= 0 ? look(slot) : "";
      dot.hidden = slot < 0;
      more.replaceChildren(...(slot < 0 ? [] : near(i)).map((n) => el("button", {
        type: "button", class: "plain", ...theirs, onclick: () => pick(n),
      }, `+ ${file.series[n].name}`)));
    }
  };
  refresh();
  const none = el("p", { class: "quiet", hidden: true }, words.nothing);
  const named = { placeholder: words.findArea, "aria-label": words.findArea };
  const filter = el("input", { type: "search", ...named, oninput: () => {
    const wanted = fold(filter.value.trim());
    for (const { label, more, name } of rows) label.hidden = more.hidden = !name.includes(wanted);
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
    } }, words.skipAreas), el("div", {}, ...rows.flatMap(({ label, more }) => [label, more]), none), end);
}
