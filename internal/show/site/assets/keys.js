// The key / leads to the search, unless somebody is typing.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /** @type {Element} */ (event.target).closest?.("input, select, textarea, [contenteditable]")) return;
  /** @type {HTMLInputElement} */
  const box = document.querySelector("#search input, .home-search input, .find input");
  if (!box) return;
  event.preventDefault();
  box.focus();
});
