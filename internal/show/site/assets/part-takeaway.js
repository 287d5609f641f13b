// What is seen of an indicator, to take away.
import { at, el, words } from "./part-page.js";
import { bitmap, standalone } from "./part-svg.js";
import { csvOf, notesOf, periodOf, unitOf } from "./part-view.js";

/** @type {CopierOf} */
function copier(title, text) {
  const button = el("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = words.copied;
    } catch { // not allowed here: the address stands in the browser
      button.textContent = words.notCopied;
    }
  } }, title);
  return button;
}

// takeaway returns the download buttons. picture returns the picture, or null for a table.
/** @type {Take} */
export function takeaway(file, view, picture, section, key) {
  const credit = () => [...notesOf(file, view()), key(), `${words.source}: ${file.sources}.`,
    `${file.credit}. ${words.licence}: ${file.license}. ${file.page}${location.search}`];
  const under = () => `${unitOf(file, view())}, ${periodOf(file, view())}`;
  const alone = () => standalone(picture(), file.title, under(), credit());
  /** @type {SaveOf} */
  const save = (blob, ending) => {
    const address = URL.createObjectURL(blob), name = new URL(file.page).pathname.split("/").filter(Boolean).at(-1);
    el("a", { href: address, download: `${name}-${view().tab}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  /** @type {Button} */
  const button = (title, onclick) => el("button", { type: "button", onclick }, title);
  const code = el("pre", { class: "copy", tabindex: "0" });
  const frame = () => {
    const escaped = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const address = escaped(at(section.dataset.embed) + location.search), title = escaped(file.title);
    return `<iframe src="${address}" title="${title}" width="100%" height="640" loading="lazy"></iframe>`;
  };
  const pictures = el("span", {}, button("SVG", () => {
    save(new Blob([new XMLSerializer().serializeToString(alone())], { type: "image/svg+xml" }), "svg");
  }), button("PNG", async () => save(await bitmap(alone()), "png")));
  const embed = el("details", { ontoggle: () => { code.textContent = frame(); } }, el("summary", {}, words.embed), code,
    copier(words.copy, frame));
  const row = el("div", { class: "takeaway" }, el("span", { class: "quiet" }, words.download), pictures,
    button("CSV", () => save(new Blob([csvOf(file, view())], { type: "text/csv" }), "csv")),
    copier(words.copyLink, () => {
      const link = new URL(location.href);
      if (file.release && !link.searchParams.has("as-of")) link.searchParams.set("as-of", file.release);
      return link.href;
    }),
    document.getElementById("files") && el("a", { href: "#files" }, words.allValues), embed);
  section.addEventListener("change", () => {
    pictures.hidden = view().tab === "table";
    code.textContent = embed.open ? frame() : "";
  });
  pictures.hidden = view().tab === "table";
  return row;
}
