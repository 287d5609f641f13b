// Says which place the release has in the log, as its proof has it. Whether the proof holds takes
// the publisher's key, and more than a page of the same host can prove.
import { filled } from "./part-numbers.js";
import { at } from "./part-page.js";

const place = document.getElementById("place");
const response = await fetch(at("/manifest.json.tlog-proof"));
if (response.status === 404) place.textContent = place.dataset.none;
else if (!response.ok) throw new Error(`${response.status} ${response.url}`);
else {
  const [head, checkpoint = ""] = (await response.text()).split("\n\n");
  const index = /^index (\d+)$/m.exec(head);
  const [, size] = checkpoint.split("\n");
  if (!index || !/^\d+$/.test(size)) throw new Error("this is no proof");
  place.textContent = filled(place.dataset.place, { entry: String(Number(index[1]) + 1), entries: size });
}
