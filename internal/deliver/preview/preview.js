// Reloads the page when the records have been built again, and shows what is wrong with them.
const own = document.currentScript.src;
const style = document.createElement("link");
style.rel = "stylesheet";
style.href = new URL("preview.css", own);
document.head.append(style);

let built;
let panel;

function show(findings) {
  panel?.remove();
  panel = undefined;
  if (!findings || sessionStorage.getItem("stele-closed") === findings) return;
  panel = document.createElement("div");
  panel.id = "stele-findings";
  panel.setAttribute("role", "alert");
  panel.setAttribute("aria-label", "Findings in the records");
  const title = document.createElement("strong");
  title.textContent = "The records have findings. If there are errors, this page shows the last good release.";
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
  show(state.findings);
});
