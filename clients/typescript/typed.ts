// What must compile, and what must not: a test compiles it.

import { Digits, isLost, open, SteleError, type Change, type Signal } from "./stele.mjs";

const release = await open("https://data.example.org", { redirects: true });
for await (const { record, standing } of release.records("signal")) {
  const signal: Signal = record;
  const kind: "signal" = signal.kind;
  console.log(kind, signal.title.length, signal.x_mine, isLost(standing), standing?.since);
  // @ts-expect-error: no signal has it
  console.log(signal.titel);
}
const { value } = (await release.get("healthcare_statistic", "sta-1")).record;
const computed: number = Number(value ?? 0);
console.log(computed, value instanceof Digits && value.text);
const unknown: unknown = (await release.get("a_new_kind", "new-1")).record.anything;
for await (const change of release.changes("entity", release.id, { lost: true })) {
  const same: Change<unknown> = change;
  console.log(same.id, change.record?.name, unknown);
  // @ts-expect-error: it may be gone
  console.log(change.record.name);
}
try {
  await release.verify();
} catch (error) {
  if (error instanceof SteleError && error.code === "damaged") console.log(error.message);
}
