// Helps in the forms: findings while one writes, records found by words, pasted cells, and a
// warning before what is not saved is left. Without it the forms do the same by their buttons.
const form = document.querySelector("form.record");
let changed = false;
let asked = 0;
let asking = 0;

// send sends the form as a button would, and returns the page that it gets.
async function send(action) {
  const data = new URLSearchParams(new FormData(form));
  data.set("do", action);
  const answer = await fetch(location.href, { method: "POST", body: data });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// check brings the findings of what is written so far to their fields.
async function check() {
  const turn = ++asked;
  let page;
  try {
    page = await send("live");
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

// find shows records whose titles have the words of a field.
async function find(input) {
  const turn = ++asking;
  const query = new URLSearchParams({ path: input.name, q: input.value, kinds: input.dataset.find });
  const answer = await fetch("/.stele/edit/find?" + query);
  const list = document.getElementById("c-" + input.name);
  const found = input.value ? await answer.text() : "";
  if (!answer.ok || !list || turn !== asking || list.dataset.found === found) return;
  list.dataset.found = found;
  list.innerHTML = found;
  input.setAttribute("aria-expanded", String(!!list.querySelector("button")));
}

form?.addEventListener("input", (event) => {
  changed = true;
  if (event.target.dataset?.find !== undefined) find(event.target);
  if (form.querySelector(".found")) later(check);
});

// What only changes the form is done in place, so that nothing jumps.
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
  } else if (["add", "remove", "up"].includes(action) && form.querySelector(".found")) {
    event.preventDefault();
    const page = await send(button.value);
    const now = page.querySelector("form.record");
    if (!now) return form.submit();
    const open = [...form.querySelectorAll("details")].map((d) => d.open);
    form.replaceChildren(...now.childNodes);
    [...form.querySelectorAll("details")].forEach((d, i) => { if (open[i]) d.open = true; });
    changed = true;
    const list = action === "add" ? what : what.replace(/\.\d+$/, "");
    const group = document.getElementById("f-" + list);
    const elements = group?.querySelectorAll(":scope > .element");
    const last = elements?.[elements.length - 1] ?? group;
    last?.querySelector("input:not([type=hidden]), textarea, select, button")?.focus();
  } else if (!["add", "remove", "up", "today"].includes(action)) {
    changed = false;
  }
});

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
  for (const line of text.split(/\r?\n/)) {
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
    line.split("\t").forEach((value, i) => { if (inputs[column + i]) inputs[column + i].value = value; });
    row = row.nextElementSibling;
  }
  changed = true;
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

addEventListener("beforeunload", (event) => {
  if (changed) event.preventDefault();
});
document.querySelector(".summary")?.focus();
if (location.hash) document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
