// Reloads the page when the records have been built again, and shows what is wrong with them.
const own = document.currentScript.src;
const style = document.createElement("link");
style.rel = "stylesheet";
style.href = new URL("preview.css", own);
document.head.append(style);

let built;
let panel;
const note = document.createElement("p");
note.id = "stele-old";
note.setAttribute("role", "status");
note.textContent =
  "The records have errors, so this is the last good release. It does not show your latest changes.";

function show(findings) {
  panel?.remove();
  panel = undefined;
  if (!findings || sessionStorage.getItem("stele-closed") === findings) return;
  panel = document.createElement("div");
  panel.id = "stele-findings";
  panel.setAttribute("role", "alert");
  panel.setAttribute("aria-label", "Findings in the records");
  const title = document.createElement("strong");
  title.textContent = "The records have findings.";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => {
    sessionStorage.setItem("stele-closed", findings);
    show("");
  });
  const text = document.createElement("pre");
  text.tabIndex = 0; // to scroll it by keyboard
  text.textContent = findings;
  panel.append(title, close, text);
  document.body.append(panel);
}

const events = new EventSource(new URL("events", own));
events.addEventListener("message", (event) => {
  const state = JSON.parse(event.data);
  if (built !== undefined && built !== state.built) {
    location.reload();
    return;
  }
  built = state.built;
  if (state.old && !("blank" in document.body.dataset)) document.body.prepend(note);
  else note.remove();
  show(state.findings);
});
