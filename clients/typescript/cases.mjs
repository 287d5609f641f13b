// Runs the table of cases. In node: cases.mjs [--fetch] CASES FOLDERS ADDRESS FIRST, which writes what
// comes of each as JSON.

import { open, SteleError } from "./stele.mjs";

function show({ id, record, standing }) {
  if (!record) return standing ? `${id}!${standing.standing}` : "-" + id;
  return `${id}@${record.version}${standing ? ":" + standing.standing : ""}`;
}

async function all(found) {
  const texts = [];
  for await (const f of found) texts.push(show(f));
  return texts.join(" ");
}

const steps = (first) => ({
  records: (release, [kind, lost]) => all(release.records(kind, { lost: lost === "lost" })),
  get: async (release, [kind, id, lost]) => {
    const found = await release.get(kind, id, { lost: lost === "lost" });
    if (JSON.parse(found.json).id !== id) throw new Error(found.json);
    return show(found);
  },
  changes: (release, [kind, since, lost]) =>
    all(release.changes(kind, since.replace("@first", first), { lost: lost === "lost" })),
  digits: async (release, [kind, id, member]) => String((await release.get(kind, id)).record[member]),
  standing: async (release, [id]) => {
    const s = (await release.standings()).get(id);
    return s ? `${s.standing} ${s.since}` : "stands";
  },
  area: async (release, [kind, id]) => {
    const { ref_area_scheme, ref_area } = (await release.get(kind, id)).record;
    const a = await release.area(ref_area_scheme, ref_area);
    const codes = (list) => list.map((c) => c.code).join(" ");
    return `${a.code} ${a.name}: ${codes(a.predecessors)} > ${codes(a.successors)}`;
  },
  update: async (release) => ((await release.update()) ? "yes" : "no"),
  stop: async (release, [kind]) => {
    const reason = new Error("enough");
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 100);
    try {
      for await (const _ of release.records(kind, { signal: stop.signal }));
    } catch (error) {
      if (error === reason) return "stopped";
      throw error;
    }
  },
  verify: async (release) => (await release.verify()) ?? "ok",
});

async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SteleError) return `${error.code}\t${error.message}`;
    return `error\t${error.stack}`;
  }
}

async function run({ trick, user = "", headers, do: todo }, folders, address, first, fetch) {
  let where = `${address.replace("//", "//" + user)}/${trick}`;
  if (trick.startsWith("folder ")) where = `${folders}/${trick.slice("folder ".length)}`;
  if (trick.startsWith("address ")) where = trick.slice("address ".length);
  const release = await attempt(() => open(where, { time: 60, patience: 1, pause: 0.01, headers, fetch }));
  if (typeof release === "string") return [release];
  const results = [];
  for (const [name, ...args] of todo) results.push(await attempt(() => steps(first)[name](release, args)));
  return results;
}

/** Runs all cases but those that a language leaves out. */
export async function runAll(language, cases, ...args) {
  const results = {};
  for (const c of cases) {
    if (!c.without?.includes(language)) results[c.name] = await run(c, ...args);
  }
  return results;
}

if (globalThis.process) {
  const own = process.argv[2] === "--fetch";
  const [cases, ...args] = process.argv.slice(own ? 3 : 2);
  const { readFileSync } = await import("node:fs");
  const global = globalThis.fetch;
  if (own) {
    args.push((to, init) => global(to, init));
    globalThis.fetch = () => {
      throw new Error("the global fetch is called");
    };
  }
  console.log(JSON.stringify(await runAll("node", JSON.parse(readFileSync(cases, "utf-8")), ...args)));
}
