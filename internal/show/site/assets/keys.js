// On every page: the key / leads to the search, and what scripts cannot load or do is said.

/** @param {KeyboardEvent} event */
function search(event) {
  const { key, ctrlKey, metaKey, altKey } = event, at = /** @type {Element} */ (event.target);
  if (key !== "/" || ctrlKey || metaKey || altKey) return;
  if (at.closest?.("input, select, textarea, [contenteditable]")) return;
  /** @type {HTMLInputElement} */
  const box = document.querySelector("#search input, .home-search input, .find input");
  if (!box) return;
  event.preventDefault();
  box.focus();
}
addEventListener("keydown", search);

// A script may fail to come, or when it runs.
/** @type {HTMLScriptElement} */
const own = document.querySelector("script[data-failed]");
function fail() {
  if (document.querySelector(".failed")) return;
  const notice = document.createElement("p");
  notice.className = "failed";
  notice.role = "alert";
  notice.textContent = own.dataset.failed;
  document.querySelector("main").prepend(notice);
}
addEventListener("error", (event) => {
  if (event.target instanceof HTMLScriptElement || event.error) fail();
}, true);
addEventListener("unhandledrejection", fail);
