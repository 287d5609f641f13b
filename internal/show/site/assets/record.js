// A button beside each text that is there to be copied.
for (const text of document.querySelectorAll("pre.copy")) {
  const { copy, copied } = /** @type {HTMLElement} */ (text.closest("[data-copy]")).dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = copied;
    } catch { // not allowed here: select it, so that one key is enough
      getSelection().selectAllChildren(text);
    }
  });
  text.after(button);
}
