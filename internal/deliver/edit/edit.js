// Helps in the forms: findings while you write, records found by words, pasted cells, and text that
// stays in this tab until it is saved. Without this script the forms do the same by their buttons.
const form = document.querySelector("form.record");
const key = "stele " + location.pathname + location.search;
let changed = false;
let asked = 0;
let asking = 0;

// post sends fields as a button would, and returns the page of the answer.
async function post(fields, action) {
  fields.set("do", action);
  const answer = await fetch(location.href, { method: "POST", body: fields });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

const fields = () => new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));

// replace puts the form of another page in place of this one, and keeps open what was open.
function replace(page) {
  const now = page.querySelector("form.record");
  if (!now) return false;
  const open = [...form.querySelectorAll("details")].map((d) => d.open);
  form.replaceChildren(...now.childNodes);
  [...form.querySelectorAll("details")].forEach((d, i) => { if (open[i]) d.open = true; });
  return true;
}

// store keeps the text of the form in this tab. Without room for it, the form works as before.
function store() {
  changed = true;
  try {
    sessionStorage.setItem(key, fields().toString());
  } catch {
    sessionStorage.removeItem(key);
  }
}

// restore shows stored text in a form that was opened again.
async function restore() {
  const stored = sessionStorage.getItem(key);
  if (!stored || stored === fields().toString()) return;
  changed = true;
  if (!form.dataset.fresh) return;
  try {
    if (!replace(await post(new URLSearchParams(stored), "check"))) return;
  } catch {
    return; // the server is gone; the text stays stored
  }
  const note = document.createElement("p");
  note.className = "note";
  note.setAttribute("role", "status");
  note.textContent = form.dataset.restored + " ";
  const discard = document.createElement("button");
  discard.type = "button";
  discard.className = "second";
  discard.textContent = form.dataset.discard;
  discard.addEventListener("click", () => {
    sessionStorage.removeItem(key);
    changed = false;
    location.reload();
  });
  note.append(discard);
  form.before(note);
}

// check shows the findings of the text so far at their fields.
async function check() {
  const turn = ++asked;
  let page;
  try {
    page = await post(fields(), "live");
  } catch {
    return; // the server is gone; saving shows it
  }
  if (turn !== asked) return;
  for (const slot of form.querySelectorAll(".found")) {
    const now = page.getElementById(slot.id);
    if (!now) continue;
    slot.innerHTML = now.innerHTML;
    const field = document.getElementById(slot.id.replace("at-", "i-"));
    if (now.childElementCount) field?.setAttribute("aria-invalid", "true");
    else field?.removeAttribute("aria-invalid");
  }
  const summary = page.getElementById("summary");
  if (summary) document.getElementById("summary")?.replaceWith(summary);
}

let waiting;
function later(run) {
  clearTimeout(waiting);
  waiting = setTimeout(run, 200);
}

const matches = (input) => [...(document.getElementById("c-" + input.name)?.querySelectorAll("button") ?? [])];

// find shows records whose titles have the words of a field.
async function find(input) {
  const turn = ++asking;
  const query = new URLSearchParams({ path: input.name, q: input.value, kinds: input.dataset.find });
  const answer = await fetch(new URL("find?" + query, import.meta.url));
  const list = document.getElementById("c-" + input.name);
  const found = input.value ? await answer.text() : "";
  if (!answer.ok || !list || turn !== asking || list.dataset.found === found) return;
  list.dataset.found = found;
  list.innerHTML = found;
  matches(input).forEach((button, i) => { button.id = `m-${input.name}-${i}`; button.tabIndex = -1; });
  input.setAttribute("aria-expanded", String(matches(input).length > 0));
  input.removeAttribute("aria-activedescendant");
}

// The arrow keys move through the records that were found, Enter takes one, and Escape closes them.
form?.addEventListener("keydown", (event) => {
  const input = event.target;
  if (input.dataset?.find === undefined || event.isComposing) return;
  const list = matches(input);
  if (!list.length) return;
  const at = list.findIndex((button) => button.classList.contains("active"));
  const mark = (i) => {
    list.forEach((button, n) => button.classList.toggle("active", n === i));
    input.setAttribute("aria-activedescendant", list[i].id);
    list[i].scrollIntoView({ block: "nearest" });
  };
  if (event.key === "ArrowDown") mark((at + 1) % list.length);
  else if (event.key === "ArrowUp") mark((at + list.length - (at < 0 ? 0 : 1)) % list.length);
  else if (event.key === "Enter") list[Math.max(at, 0)].click();
  else if (event.key === "Escape") document.getElementById("c-" + input.name).replaceChildren();
  else return;
  event.preventDefault();
});

form?.addEventListener("input", (event) => {
  if (event.target.dataset?.find !== undefined) find(event.target);
  if (form.querySelector(".found")) later(check);
  store();
});

// Buttons that only change the form do so in place, so that nothing jumps.
form?.addEventListener("click", async (event) => {
  const button = event.target.closest("button[name=do]");
  if (!button) return;
  const [action, what] = button.value.split(/ (.*)/);
  const fill = (name, value) => {
    const input = document.getElementById("i-" + name);
    if (!input) return false;
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
    return true;
  };
  if (action === "today" && fill(button.dataset.fill, button.dataset.value)) {
    event.preventDefault();
  } else if (action === "set") {
    const at = what.indexOf("=");
    if (fill(what.slice(0, at), what.slice(at + 1))) event.preventDefault();
  } else if (["add", "remove", "up"].includes(action)) {
    event.preventDefault();
    if (!replace(await post(fields(), button.value))) return form.submit();
    store();
    const list = action === "add" ? what : what.replace(/\.\d+$/, "");
    const group = document.getElementById("f-" + list);
    const elements = group?.querySelectorAll(":scope > .element");
    const last = elements?.[elements.length - 1] ?? group;
    last?.querySelector("input:not([type=hidden]), textarea, select, button")?.focus();
  }
});
form?.addEventListener("submit", () => {
  changed = false;
  if (form.dataset.restored) sessionStorage.setItem("stele form", key);
});

// cells splits what a spreadsheet puts on the clipboard: cells with line breaks are in quotation
// marks.
function cells(text) {
  const rows = [[""]];
  for (let i = 0, quoted = false; i < text.length; i++) {
    const c = text[i], row = rows[rows.length - 1], cell = row[row.length - 1];
    if (quoted && c === '"' && text[i + 1] === '"') row[row.length - 1] += text[++i];
    else if (c === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (c === "\t" && !quoted) row.push("");
    else if (c === "\n" && !quoted) rows.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  const last = rows[rows.length - 1];
  if (rows.length > 1 && last.length === 1 && last[0] === "") rows.pop();
  return rows;
}

// Cells of a spreadsheet fill the grid from where they are pasted.
document.querySelector(".grid")?.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain").replace(/\r?\n$/, "");
  const cell = event.target.closest("input");
  if (!cell || !/[\t\n]/.test(text)) return;
  event.preventDefault();
  const body = event.currentTarget.tBodies[0];
  const column = [...cell.closest("tr").querySelectorAll("input")].indexOf(cell);
  let row = cell.closest("tr");
  const count = form.elements["n.#"];
  let lost = 0;
  for (const line of cells(text)) {
    if (!row) {
      row = body.rows[body.rows.length - 1].cloneNode(true);
      const next = Number(count.value);
      for (const input of row.querySelectorAll("input")) {
        input.name = input.name.replace(/^n\.\d+/, "n." + next);
        input.value = "";
      }
      count.value = String(next + 1);
      body.append(row);
    }
    const inputs = row.querySelectorAll("input");
    line.forEach((value, i) => {
      if (inputs[column + i]) inputs[column + i].value = value;
      else if (value) lost++;
    });
    row = row.nextElementSibling;
  }
  if (lost) {
    const note = document.createElement("p");
    note.className = "note";
    note.setAttribute("role", "alert");
    note.textContent = form.dataset.lost.replace("{n}", lost);
    event.currentTarget.closest(".scroll").after(note);
  }
  store();
});

// A table can be dropped anywhere on the page that takes one.
const upload = document.querySelector(".upload input[type=file]");
if (upload) {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) {
      upload.files = event.dataTransfer.files;
      upload.form.requestSubmit();
    }
  });
}

// show opens what a field is folded in, and moves the keyboard to it.
function show() {
  const field = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!field) return;
  for (let d = field.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  field.scrollIntoView();
  field.querySelector("input:not([type=hidden]), textarea, select")?.focus();
}

addEventListener("hashchange", show);
addEventListener("beforeunload", (event) => {
  if (changed) event.preventDefault();
});
if (document.querySelector("[data-saved]")) {
  sessionStorage.removeItem(sessionStorage.getItem("stele form"));
  sessionStorage.removeItem("stele form");
}
if (form?.dataset.restored) await restore();
document.querySelector(".summary")?.focus();
show();
