// The page for a wrong address: it shows the nearest one, if the server knows one, and fills in the search.

const last = decodeURIComponent(location.pathname).split("/").filter(Boolean).at(-1) ?? "";
const box = /** @type {HTMLInputElement} */ (document.querySelector("input[type=search]"));
if (box) box.value = last.replace(/^[a-z]{3}-|\.\w+$/g, "").replace(/[-_]+/g, " ");

const answer = await fetch(location.href, { headers: { Accept: "application/problem+json" } });
const { nearest } = await answer.json().catch(() => ({})); // on other hosts, it is this page again
if (nearest) {
  const place = document.getElementById("nearest"), link = place.querySelector("a");
  link.href = new URL(`..${nearest}`, new URL(".", import.meta.url)).href;
  const page = await (await fetch(link.href)).text();
  link.textContent = new DOMParser().parseFromString(page, "text/html").querySelector("h1")?.textContent ?? nearest;
  place.hidden = false;
}
