// Says which place the release has in the log, as its proof has it. Whether the proof holds takes
// the publisher's key, and more than a page of the same host can prove.
import { at } from "./part-page.js";

const place = document.getElementById("place");
try {
  const response = await fetch(at("/manifest.json.tlog-proof"));
  if (response.status === 404) place.textContent = place.dataset.none;
  else if (response.ok) {
    const [head, checkpoint = ""] = (await response.text()).split("\n\n");
    const index = /^index (\d+)$/m.exec(head);
    const [, size] = checkpoint.split("\n");
    if (index && /^\d+$/.test(size)) {
      place.textContent = place.dataset.place
        .replace("{entry}", String(Number(index[1]) + 1)).replace("{entries}", size);
    }
  }
} catch { /* what the page says without a script stays */ }
