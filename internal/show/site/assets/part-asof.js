// The figures of an earlier release that the address names: ?as-of=RELEASE.
import { when, filled } from "./part-numbers.js";
import { at, el, fetchJSON, parameters, words } from "./part-page.js";
import { shownOf } from "./part-view.js";

/** @type {RewindOf} */
function rewind(file, had) {
  for (const fills of [false, true]) {
    for (const c of file.past.filter((c) => had(c) === fills)) {
      const s = /** @type {any} */ (file.series[c.s]);
      if (typeof s.status === "string") {
        s.status = file.names.map((_, i) => shownOf(s, i) == null ? "" : s.status);
      }
      for (const name of /** @type {const} */ (["value", "lower", "upper", "status", "text", "below", "above"])) {
        const all = { value: "values", text: "texts" }[/** @type {string} */ (name)] ?? name;
        (s[all] ??= {})[c.p] = fills ? c[name] : undefined;
      }
      [s.gaps, s.breaks] = [[], {}];
    }
  }
  for (const c of file.joints.filter(had)) {
    const s = file.series[c.s];
    if (c.gap) s.gaps.push(c.p);
    if (c.break) s.breaks[c.p] = c.break;
  }
}

/** @type {AsOfOf} */
export async function asOf(section) {
  const release = parameters().get("as-of"), { series, past } = section.dataset;
  if (!release) return fetchJSON(at(series));
  const top = el("div", { class: "warning", role: "status" }, words.loading);
  const todays = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(
    ".latest, .opening .meta, .credit, .still, .readout, #ranking, #figures, #files, #use, #past")]);
  const hide = (/** @type {boolean} */ hidden) => { for (const each of todays) each.hidden = hidden; };
  /** @type {SayOf} */
  const say = (text, more) => top.replaceChildren(el("p", {}, text, " ", more));
  const newer = el("a", { href: location.pathname }, words.asOfNewer);
  hide(true);
  section.before(top);
  try {
    const { records } = await fetchJSON(at("/index/releases.json"));
    const place = records.findIndex((/** @type {any} */ r) => r.release === release);
    if (place >= 0) {
      const file = /** @type {SeriesFile} */ (await fetchJSON(at(past ?? series))), date = when(records[place].date);
      const sentence = filled(words.asOf, { release, date });
      const newest = !file.past?.some((c) => c.from > place || c.until > place);
      if (file.past) rewind(file, (c) => c.from <= place && !(c.until <= place));
      if (newest) {
        hide(false);
        say(sentence, words.asOfNewest);
        return file;
      }
      for (const each of todays) if (each.matches(".still")) each.replaceChildren(); else each.remove();
      file.credit += `, ${words.release} ${release}, ${date}`;
      say(sentence, newer);
      top.append(el("p", { class: "quiet" }, `${file.title}. ${file.credit}. ${file.page}?as-of=${release}`));
      return file;
    }
    say(filled(words.asOfUnknown, { release }), newer);
  } catch {
    say(words.failed, newer);
  }
  section.remove();
  return new Promise(() => {});
}
