// Reads what is published with Stele, from the address of a service or, in node, from a folder.
// See stele.d.mts.

/** @import { Area, AreaCode, Asking, Change, Ending, Found, ListedFile, Manifest, Options, Standing } from "./stele.mjs" */
/** @typedef {Manifest["kinds"][number]} Kind */
/** @typedef {NonNullable<Kind["deltas"]>[number]} Step */
/** @typedef {AbortSignal | undefined} Signal */
/** @typedef {{ place: number, line: Uint8Array }} Line */
/** @typedef {AsyncIterable<Uint8Array>} Parts */
/** @typedef {{ parts(): Parts, at(place: number, size: number): Promise<Uint8Array> }} Verified */
/** @typedef {{ where: string, begin(): void, renew(): void,
 *   manifest(signal: Signal): Promise<Uint8Array | undefined>,
 *   read(listed: ListedFile, signal: Signal): Promise<Verified>,
 *   single(path: string, signal: Signal): Promise<Uint8Array> }} Files */

const format = 3; // the newest form of release that this module reads
const mostManifest = 16 << 20;
const mostLine = 64 << 20;
const standingPath = "index/standing.json";
// other runtimes than browsers say so of themselves, and leave redirects and caches to us
const inNode = Boolean(/** @type {any} */ (globalThis).process?.versions?.node);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class SteleError extends Error {
  /**
   * @param {"not_found" | "lost" | "too_old" | "damaged" | "refused" | "unavailable"} code
   * @param {string} message
   * @param {Found<unknown>} [found]
   * @param {string} [where]
   */
  constructor(code, message, found, where) {
    super(where === undefined ? message : `${where}: ${message}`);
    this.name = "SteleError";
    this.code = code;
    this.found = found;
    this.where = where;
  }
}

/**
 * Returns an error that names the address or folder.
 * @param {unknown} error
 * @param {Files} files
 */
function named(error, files) {
  if (!(error instanceof SteleError) || error.where !== undefined) return error;
  return new SteleError(error.code, error.message, error.found, files.where);
}

/** @param {string} message */
const damaged = (message) => new SteleError("damaged", message);
/** @param {string} message */
const refused = (message) => new SteleError("refused", message);
/** @param {string} message */
const unavailable = (message) => new SteleError("unavailable", message);
/** @param {string} name */
const notThere = (name) => new SteleError("not_found", `${name} is not in the release`);

/**
 * That a file which the release lists is not there does not say that a record is not.
 * @param {unknown} error
 * @returns {never}
 */
function isListed(error) {
  if (!(error instanceof SteleError) || error.code !== "not_found") throw error;
  throw damaged(`${error.message}, which lists it`);
}

export class Digits {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  valueOf() {
    return Number(this.text);
  }

  toString() {
    return this.text;
  }

  toJSON() {
    const raw = /** @type {{ rawJSON?: (text: string) => unknown }} */ (JSON).rawJSON;
    return raw ? raw(this.text) : Number(this.text);
  }
}

/** @param {Standing | undefined} standing */
export const isLost = (standing) => standing?.standing === "retracted" || standing?.standing === "unsupported";

/**
 * @param {string | URL} where
 * @param {Options} [options]
 */
export async function open(where, options = {}) {
  const text = String(where);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1].toLowerCase();
  if (scheme && !["http", "https", "file"].includes(scheme)) {
    throw refused(
      `${text.replace(/\/\/[^/]*@/, "//")}: ${scheme}:// is not read by this module: give the https:// address at ` +
        "which the release is served, or make a copy with `stele mirror` and give its folder",
    );
  }
  const files = scheme?.startsWith("http") ? new Service(text, options) : new Folder(text);
  const release = new Release(files);
  await release.update(options);
  return release;
}

export class Release {
  /** @type {Files} */ #files;
  /** @type {Manifest} */ #manifest = /** @type {any} */ (undefined);
  /** @type {Map<string, ListedFile>} */ #listed = new Map();
  /** @type {Map<string, Verified>} */ #kept = new Map(); // what was read and verified, by path
  /** @type {Map<string, Places>} */ #places = new Map(); // of lines, by path
  /** @type {Map<string, Standing> | undefined} */ #standings;

  /** @param {Files} files */
  constructor(files) {
    this.#files = files;
  }

  get manifest() {
    return this.#manifest;
  }

  get id() {
    return this.#manifest.release;
  }

  get date() {
    return this.#manifest.date;
  }

  /** @param {Ending} [ending] */
  async update({ signal } = {}) {
    try {
      signal?.throwIfAborted();
      this.#files.renew();
      const data = await this.#files.manifest(signal);
      if (data === undefined) return false;
      const next = readManifest(data);
      const before = this.#manifest?.release;
      this.#manifest = next;
      this.#listed = new Map(next.files.map((f) => [f.path, f]));
      this.#kept = new Map();
      this.#places = new Map();
      this.#standings = undefined;
      this.#files.begin();
      return next.release !== before;
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /**
   * @param {string} kind
   * @param {Asking} [asking]
   * @returns {AsyncGenerator<Found<any>>}
   */
  async *records(kind, { lost = false, signal } = {}) {
    try {
      this.#files.renew();
      const of = this.#kind(kind);
      if (!of) return; // made before there was such a kind
      const standings = await this.#allStandings(signal);
      for await (const lines of linesOf(await this.#read(of.collection, signal), of.collection, signal)) {
        for (const { line } of lines) {
          const found = foundIn(line, kind, standings);
          if (lost || !isLost(found.standing)) yield found;
        }
      }
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /**
   * @param {string} kind
   * @param {string} id
   * @param {Asking} [asking]
   * @returns {Promise<Found<any>>}
   */
  async get(kind, id, asking = {}) {
    try {
      return await this.#get(kind, id, asking);
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /**
   * @param {string} kind
   * @param {string} id
   * @param {Asking} asking
   * @returns {Promise<Found<any>>}
   */
  async #get(kind, id, { lost = false, signal }) {
    this.#files.renew();
    const of = this.#kind(kind);
    let line = of && (await this.#find(of.single ? of.index : of.collection, id, signal));
    if (of?.single && line) {
      const entry = decode(utf8Of(line, of.index), of.index);
      const path = of.single.replace(/\{\w+\}/, () => id);
      line = await this.#files.single(path, signal).catch(isListed);
      if ((await digest(line)) !== entry.sha256) throw damaged(`${path} is not the record that its listing describes`);
    }
    if (!line) throw new SteleError("not_found", `there is no ${kind} with the ID ${JSON.stringify(id)}`);
    const found = foundIn(line, kind, await this.#allStandings(signal));
    if (found.id !== id) throw damaged(`the record ${found.id} stands where ${id} should`);
    if (!lost && isLost(found.standing)) {
      const { standing, since } = /** @type {Standing} */ (found.standing);
      throw new SteleError("lost", `${id} is ${standing} since ${since}: {lost: true} reads it`, found);
    }
    return found;
  }

  /**
   * @param {string} kind
   * @param {string} since
   * @param {Asking} [asking]
   * @returns {AsyncGenerator<Change<any>>}
   */
  async *changes(kind, since, { lost = false, signal } = {}) {
    try {
      this.#files.renew();
      const chain = this.#chain(kind, since);
      const standings = await this.#allStandings(signal);
      for (const step of chain) {
        const { removed, records } = await this.#delta(kind, step, signal);
        for (const id of removed) yield { id };
        for (const line of records) {
          const found = foundIn(line, kind, standings);
          yield lost || !isLost(found.standing) ? found : { id: found.id, standing: found.standing };
        }
      }
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /**
   * @param {Ending} [ending]
   * @returns {Promise<Map<string, Standing>>}
   */
  async standings({ signal } = {}) {
    try {
      return await this.#allStandings(signal);
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /**
   * @param {string} scheme
   * @param {string} code
   * @param {Ending} [ending]
   * @returns {Promise<Area>}
   */
  async area(scheme, code, { signal } = {}) {
    try {
      this.#files.renew();
      const path = `areas/${scheme}.json`;
      if (!this.#listed.has(path)) throw notThere(path);
      const text = utf8Of(await bytesOf((await this.#read(path, signal)).parts()), path);
      const { codes = [], changes = [] } = decode(text, path);
      const all = new Map(codes.map((/** @type {AreaCode} */ c) => [c.code, c]));
      const area = all.get(code);
      if (!area) throw new SteleError("not_found", `the scheme ${scheme} has no area ${JSON.stringify(code)}`);
      /** @type {(one: string, other: string) => AreaCode[]} */
      const across = (one, other) => {
        const codes = changes.filter((/** @type {any} */ c) => c[one] === code).map((/** @type {any} */ c) => c[other]);
        return [...new Set(codes)].filter((c) => c !== code && all.has(c)).map((c) => all.get(c));
      };
      return { ...area, predecessors: across("to_code", "from_code"), successors: across("from_code", "to_code") };
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /** @param {Signal} signal */
  async #allStandings(signal) {
    if (this.#standings) return this.#standings;
    /** @type {Map<string, Standing>} */
    const all = new Map();
    const release = this.#manifest;
    if (this.#listed.has(standingPath)) {
      for await (const lines of linesOf(await this.#read(standingPath, signal), standingPath, signal)) {
        for (const { line } of lines) {
          const s = decode(utf8Of(line, standingPath), standingPath);
          all.set(validID(s.id, standingPath), s);
        }
      }
    }
    if (release === this.#manifest) this.#standings = all; // it may have been updated meanwhile
    return all;
  }

  /** @param {Ending} [ending] */
  async verify({ signal } = {}) {
    try {
      this.#files.renew();
      await this.#allStandings(signal);
      for (const of of this.#manifest.kinds) {
        let count = 0;
        for await (const lines of linesOf(await this.#read(of.collection, signal, false), of.collection, signal)) {
          count += lines.length;
        }
        if (count !== of.count) throw damaged(`${of.collection} has ${count} records, and not ${of.count}`);
        for await (const lines of linesOf(await this.#read(of.index, signal, false), of.index, signal)) {
          for (const { line } of lines) decode(utf8Of(line, of.index), of.index);
        }
        for (const step of of.deltas ?? []) await this.#delta(of.kind, step, signal);
      }
    } catch (error) {
      throw named(error, this.#files);
    }
  }

  /** @param {string} name */
  #kind(name) {
    return this.#manifest.kinds.find((k) => k.kind === name);
  }

  /**
   * Reads a file that the manifest lists, and verifies it.
   * @param {string} path
   * @param {Signal} signal
   */
  async #read(path, signal, keep = true) {
    signal?.throwIfAborted();
    const kept = this.#kept;
    const have = kept.get(path);
    if (have) return have;
    const listed = this.#listed.get(path);
    if (!listed) throw damaged(`${path} is not in the manifest`);
    const file = await this.#files.read(listed, signal).catch(isListed);
    if (keep) kept.set(path, file);
    return file;
  }

  /**
   * The line with an ID.
   * @param {string} path
   * @param {string} id
   * @param {Signal} signal
   */
  async #find(path, id, signal) {
    const all = this.#places;
    const file = await this.#read(path, signal);
    let places = all.get(path);
    if (!places) {
      places = new Places();
      for await (const lines of linesOf(file, path, signal)) {
        for (const { place, line } of lines) places.add(idOf(line, path), place, line.length);
      }
      all.set(path, places);
    }
    const place = places.of(id);
    return place && file.at(place[0], place[1]);
  }

  /**
   * The deltas that lead from an earlier release to this one.
   * @param {string} kind
   * @param {string} since
   */
  #chain(kind, since) {
    const of = this.#kind(kind);
    if (of && since === this.id) return [];
    const order = (this.#manifest.earlier ?? []).map((e) => e.release);
    const from = order.indexOf(since);
    const reach = of?.since ? order.indexOf(of.since) : -1;
    if (!of || from < 0 || reach < 0 || from < reach) {
      throw new SteleError("too_old", `the release does not tell what changed in ${kind} since ${since}`);
    }
    return (of.deltas ?? []).filter((d) => order.indexOf(d.from) >= from);
  }

  /**
   * @param {string} kind
   * @param {Step} step
   * @param {Signal} signal
   */
  async #delta(kind, step, signal) {
    let head = "";
    const all = [];
    const begin = (/** @type {string} */ text) => (head = text);
    for await (const lines of linesOf(await this.#read(step.path, signal, false), step.path, signal, begin)) {
      for (const { line } of lines) all.push(line);
    }
    const first = decode(head + "]}", step.path);
    if (first.kind !== kind || first.from !== step.from || first.before !== step.before) {
      throw damaged(`${step.path} leads from another collection than the manifest says`);
    }
    const removed = first.removed ?? [];
    if (!Array.isArray(removed) || first.count !== all.length) {
      throw damaged(`${step.path} has other records than it counts`);
    }
    return { removed: removed.map((id) => validID(id, step.path)), records: all };
  }
}

/** Where the lines of a file begin, and their sizes, by their IDs. */
class Places {
  /** @type {Map<string, number>} */ #numbers = new Map();
  /** @type {number[]} */ #places = []; // and, after each, its size

  /**
   * @param {string} id
   * @param {number} place
   * @param {number} size
   */
  add(id, place, size) {
    this.#numbers.set(id, this.#places.push(place, size) - 2);
  }

  /** @param {string} id */
  of(id) {
    const n = this.#numbers.get(id);
    return n === undefined ? undefined : this.#places.slice(n, n + 2);
  }
}

/**
 * The ID in a line.
 * @param {Uint8Array} line
 * @param {string} path
 */
function idOf(line, path) {
  const end = line.indexOf(34, 7);
  if (end > 7 && end < 300) {
    const text = utf8.decode(line.subarray(0, end + 1));
    if (/^\{"id":"[\w.~-]+"$/.test(text)) return text.slice(7, -1);
  }
  return String(decode(utf8Of(line, path), path).id);
}

/**
 * Reads the records of a list, some at a time, each with where it begins. begin gets the first line.
 * @param {Verified} file
 * @param {string} path
 * @param {Signal} signal
 * @param {(text: string) => void} [begin]
 * @returns {AsyncGenerator<Line[]>}
 */
async function* linesOf(file, path, signal, begin) {
  /** @type {Uint8Array[]} */
  let open = []; // the beginning of a line
  let size = 0; // of it
  let place = 0;
  let begun = false;
  let ended = false;
  for await (const part of file.parts()) {
    signal?.throwIfAborted();
    const lines = [];
    let from = 0;
    for (let next = part.indexOf(10); next >= 0; next = part.indexOf(10, from)) {
      let line = part.subarray(from, next);
      if (open.length) line = joined([...open, line], size + line.length);
      if (ended) throw damaged(`${path} does not end as a list of records does`);
      const last = line[line.length - 1];
      if (!begun) {
        if (last !== 91 || line[line.length - 2] !== 58) throw damaged(`${path} does not begin as a list of records does`);
        begun = true;
        begin?.(utf8Of(line, path));
      } else if (line.length === 2 && line[0] === 93 && last === 125) {
        ended = true;
      } else {
        lines.push({ place, line: last === 44 ? line.subarray(0, -1) : line });
      }
      place += line.length + 1;
      from = next + 1;
      open = [];
      size = 0;
    }
    if (from < part.length) open.push(part.subarray(from));
    size += part.length - from;
    if (size > mostLine) throw damaged(`${path} has a record that is too large`);
    yield lines;
  }
  if (!ended || open.length) throw damaged(`${path} does not end as a list of records does`);
}

/**
 * @param {Uint8Array} data
 * @param {string} path
 */
function utf8Of(data, path) {
  try {
    return utf8.decode(data);
  } catch {
    throw damaged(`${path} has bytes that are no text`);
  }
}

/**
 * The object that a text has, with the digits of all numbers.
 * @param {string} text
 * @param {string} path
 * @returns {any}
 */
function decode(text, path) {
  let value;
  try {
    value = parse(text);
  } catch (error) {
    throw damaged(`${path}: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw damaged(`${path} has something else than an object`);
  }
  return value;
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const mark = "\u0001digits ";

/**
 * Parses JSON. Numbers whose digits would change become Digits: they are put into quotation marks
 * with a mark before them.
 * @param {string} text
 */
function parse(text) {
  let out = "";
  let from = 0;
  for (let i = 0; i < text.length; ) {
    const c = text.charCodeAt(i);
    if (c === 34) {
      i = endOfString(text, i);
    } else if (c === 45 || (c >= 48 && c <= 57)) {
      number.lastIndex = i;
      const digits = number.exec(text)?.[0] ?? "-";
      if (String(Number(digits)) !== digits && digits !== "-") {
        out += `${text.slice(from, i)}"\\u0001digits ${digits}"`;
        from = i + digits.length;
      }
      i += digits.length;
    } else {
      i++;
    }
  }
  if (from === 0) return JSON.parse(text);
  return JSON.parse(out + text.slice(from), (_, v) =>
    typeof v === "string" && v.startsWith(mark) ? new Digits(v.slice(mark.length)) : v,
  );
}

/**
 * Where a string ends that begins somewhere.
 * @param {string} text
 * @param {number} begin
 */
function endOfString(text, begin) {
  for (let i = text.indexOf('"', begin + 1); i >= 0; i = text.indexOf('"', i + 1)) {
    let slash = i;
    while (text.charCodeAt(slash - 1) === 92) slash--;
    if ((i - slash) % 2 === 0) return i + 1;
  }
  return text.length;
}

/**
 * @param {Uint8Array} line
 * @param {string} kind
 * @param {Map<string, Standing>} standings
 * @returns {Found<any>}
 */
function foundIn(line, kind, standings) {
  const json = utf8Of(line, kind);
  const record = decode(json, kind);
  const id = validID(record.id, kind);
  if (record.kind !== kind) throw damaged(`${id} is not of the kind ${kind}`);
  return { id, record, standing: standings.get(id), json };
}

/** @param {unknown} text */
function isPath(text) {
  if (typeof text !== "string" || text.length > 1024) return false;
  const segments = text.split("/");
  return segments.length <= 32 && segments.every((s) => /^[\w.~-]{1,255}$/.test(s) && !s.includes("..") && s !== ".");
}

/**
 * @param {unknown} id
 * @param {string} path
 */
function validID(id, path) {
  if (typeof id !== "string" || id.includes("/") || !isPath(id)) {
    throw damaged(`${path}: ${String(id).slice(0, 80)} is not an ID`);
  }
  return id;
}

/**
 * @param {Uint8Array} data
 * @returns {Manifest}
 */
function readManifest(data) {
  try {
    const m = decode(utf8Of(data, "manifest.json"), "manifest.json");
    const made = /^stele-release\/([1-9][0-9]{0,8})$/.exec(m.format);
    if (!made) throw damaged("manifest.json does not describe a release of Stele");
    if (Number(made[1]) > format) throw damaged("the release was made by a newer version of Stele: update this module");
    checkManifest(m);
    return m;
  } catch (error) {
    if (error instanceof SteleError) throw refused(error.message);
    throw refused(`manifest.json does not have the form of a manifest: ${error}`);
  }
}

/**
 * Refuses what cannot be a manifest.
 * @param {any} m
 */
function checkManifest(m) {
  /** @type {(ok: unknown, what: string) => void} */
  const must = (ok, what) => {
    if (!ok) throw damaged("manifest.json " + what);
  };
  /** @param {unknown} text */
  const isDate = (text) => typeof text === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text);
  /** @param {any} f */
  const isPinned = (f) =>
    Number.isSafeInteger(f.size) && f.size >= 0 && f.size <= 2 ** 40 && /^[0-9a-f]{64}$/.test(f.sha256);
  validID(m.release, "manifest.json");
  must(isDate(m.date), "has no date");
  /** @type {string[]} */
  const order = (m.earlier ?? []).map((/** @type {any} */ e) => {
    must(isDate(e.date), "has an earlier release without a date");
    return validID(e.release, "manifest.json");
  });
  const paths = new Set();
  let last = "";
  for (const f of m.files) {
    must(isPath(f.path), `lists ${String(f.path).slice(0, 80)}, which is no path`);
    must(last < f.path && f.path !== "manifest.json", `lists ${f.path} twice or not in order`);
    must(isPinned(f) && (f.variants ?? []).every(isPinned), `has no size and digest of ${f.path}`);
    paths.add(f.path);
    last = f.path;
  }
  const names = new Set();
  for (const k of m.kinds) {
    must(/^[a-z0-9_]{1,64}$/.test(k.kind) && !names.has(k.kind), `has the kind ${String(k.kind).slice(0, 80)}`);
    names.add(k.kind);
    must(paths.has(k.collection) && paths.has(k.index), `does not list the files of ${k.kind}`);
    must(Number.isSafeInteger(k.count), `does not count ${k.kind}`);
    const cut = /^([^{}]*)\{[a-z0-9_]{1,64}\}([^{}]*)$/.exec(k.single ?? "{x}");
    must(cut && isPath(cut[1] + "x" + cut[2]), `has no path of single records of ${k.kind}`);
    let reach = k.since ? order.indexOf(k.since) : -1;
    must(!k.since || reach >= 0, `has deltas of ${k.kind} since no earlier release`);
    (k.deltas ?? []).forEach((/** @type {any} */ d, /** @type {number} */ i) => {
      const at = order.indexOf(d.from);
      must(reach >= 0 && at >= reach && (i === 0 || at > reach), `has deltas of ${k.kind} out of order`);
      must(paths.has(d.path), `does not list the deltas of ${k.kind}`);
      reach = at;
    });
  }
}

/** @type {SubtleCrypto | undefined} */
let subtle = globalThis.crypto?.subtle;

/** @param {Uint8Array} data */
async function digest(data) {
  if (!subtle && inNode) subtle = (await node("crypto")).webcrypto.subtle;
  if (!subtle) throw refused("digests cannot be checked here: open the page over https");
  const sum = new Uint8Array(await subtle.digest("SHA-256", /** @type {Uint8Array<ArrayBuffer>} */ (data)));
  return Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * Imports a module of node, which tools that pack scripts for browsers do not look for.
 * @param {string} name
 */
const node = (name) => import(/* @vite-ignore */ "node:" + name);

const blockSize = 64 << 10;

/** @param {ListedFile} listed */
const isOther = (listed) =>
  damaged(`${listed.path} is not what the manifest says of it: the service is being updated, or it is damaged`);

/**
 * Reads parts to their end and holds them to the manifest. In node they wait in a file without a
 * name, so memory is needed for a part; in a browser they wait in memory.
 * @param {Parts} parts
 * @param {ListedFile} listed
 * @returns {Promise<Verified>}
 */
async function verified(parts, listed) {
  if (inNode) {
    const file = await unnamedFile();
    return file.fill(parts, listed);
  }
  const data = await bytesOf(parts);
  if (data.length !== listed.size || (await digest(data)) !== listed.sha256) throw isOther(listed);
  return {
    async *parts() {
      yield data;
    },
    at: async (place, size) => data.subarray(place, place + size),
  };
}

/** A file on disk, of which each block is held to its digest again when it is read. */
class DiskFile {
  /** @type {string[]} */ #sums = [];
  #size = 0;

  /**
   * @param {any} fs the functions of node:fs that are used, as promises
   * @param {number} number of the open file, which is closed when nothing refers to this any more
   */
  constructor(fs, number) {
    this.fs = fs;
    this.number = number;
    closers.register(this, () => fs.closeSync(number));
  }

  /**
   * Takes parts, writes them, and holds them to the manifest.
   * @param {Parts} parts
   * @param {ListedFile} listed
   */
  async fill(parts, listed, write = true) {
    const { createHash } = await node("crypto");
    const whole = createHash("sha256");
    let block = createHash("sha256");
    for await (const part of parts) {
      if (this.#size + part.length > listed.size) throw isOther(listed);
      whole.update(part);
      for (let at = 0; at < part.length; ) {
        const some = part.subarray(at, at + blockSize - (this.#size % blockSize));
        if (write) await this.#write(some);
        block.update(some);
        at += some.length;
        this.#size += some.length;
        if (this.#size % blockSize === 0) {
          this.#sums.push(block.digest("latin1"));
          block = createHash("sha256");
        }
      }
    }
    this.#sums.push(block.digest("latin1"));
    if (this.#size !== listed.size || whole.digest("hex") !== listed.sha256) throw isOther(listed);
    return this;
  }

  /** @param {Uint8Array} data which goes behind what is there */
  async #write(data) {
    for (let at = 0; at < data.length; ) {
      at += (await this.fs.write(this.number, data, at, data.length - at, this.#size + at)).bytesWritten;
    }
  }

  /** @param {number} n */
  async #block(n) {
    const { createHash } = await node("crypto");
    const data = await this.read(n * blockSize, Math.min(blockSize, this.#size - n * blockSize));
    if (createHash("sha256").update(data).digest("latin1") !== this.#sums[n]) {
      throw damaged("a file was changed after it was verified");
    }
    return data;
  }

  /**
   * @param {number} place
   * @param {number} size
   */
  async read(place, size) {
    const data = new Uint8Array(size);
    let at = 0;
    for (let n = 1; at < size && n > 0; at += n) {
      n = (await this.fs.read(this.number, data, at, size - at, place + at)).bytesRead;
    }
    return data.subarray(0, at);
  }

  async *parts() {
    for (let n = 0; n * blockSize < this.#size; n++) yield await this.#block(n);
  }

  /**
   * @param {number} place
   * @param {number} size
   */
  async at(place, size) {
    const first = Math.floor(place / blockSize);
    const blocks = [];
    for (let n = first; n * blockSize < place + size; n++) blocks.push(await this.#block(n));
    return joined(blocks).subarray(place - first * blockSize, place - first * blockSize + size);
  }
}

/** Closes files that nothing refers to any more. */
const closers = new FinalizationRegistry((/** @type {() => void} */ close) => close());

async function diskFunctions() {
  const [fs, { promisify }] = await Promise.all([node("fs"), node("util")]);
  return {
    open: promisify(fs.open), unlink: promisify(fs.unlink), fstat: promisify(fs.fstat),
    read: promisify(fs.read), write: promisify(fs.write), constants: fs.constants, closeSync: fs.closeSync,
  };
}

/** Makes a file that has no name any more, and is gone with the program at the latest. */
async function unnamedFile() {
  const [fs, os, crypto] = await Promise.all([diskFunctions(), node("os"), node("crypto")]);
  const path = `${os.tmpdir()}/stele-${crypto.randomUUID()}`;
  const file = new DiskFile(fs, await fs.open(path, "wx+", 0o600));
  await fs.unlink(path);
  return file;
}

/** The files of a release in a folder. */
class Folder {
  /** @param {string} path */
  constructor(path) {
    this.where = path;
  }

  begin() {}
  renew() {}

  async manifest() {
    try {
      return await this.single("manifest.json", undefined, mostManifest);
    } catch (error) {
      throw isNoRelease(error);
    }
  }

  /** @param {ListedFile} listed */
  async read(listed) {
    const { file, size } = await this.#open(listed.path, listed.size);
    const read = async function* () {
      for (let at = 0; at < size; at += blockSize) yield await file.read(at, blockSize);
    };
    return file.fill(read(), listed, false);
  }

  /**
   * @param {string} path
   * @param {Signal} [_]
   */
  async single(path, _, most = mostLine) {
    const { file, size } = await this.#open(path, most);
    return file.read(0, size);
  }

  /**
   * @param {string} path
   * @param {number} most
   */
  async #open(path, most) {
    if (!inNode) throw refused("a browser has no folders: give an address that begins with https://");
    const fs = await diskFunctions();
    const base = this.where.startsWith("file:") ? (await node("url")).fileURLToPath(this.where) : this.where;
    // a pipe would be waited for
    const flags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);
    const number = await fs.open(base + "/" + path, flags).catch((/** @type {any} */ error) => {
      throw error.code === "ENOENT" ? notThere(path) : error;
    });
    const file = new DiskFile(fs, number);
    const info = await fs.fstat(number);
    if (!info.isFile()) throw damaged(`${path} is no ordinary file`);
    if (info.size > most) throw damaged(`${path} is larger than ${most} bytes`);
    return { file, size: info.size };
  }
}

/**
 * @param {unknown} error
 */
function isNoRelease(error) {
  if (!(error instanceof SteleError) || error.code !== "not_found") return error;
  return new SteleError("not_found", "there is no release here: manifest.json is missing");
}

const repeats = 3; // of a request that failed for a reason which may pass; after a stall it is one
const mostPause = 20; // seconds that a service may ask to wait, so that it is asked again
const progress = 32 << 10; // bytes that must come while nothing else does

/** An answer that did not come to its end, or not at all. */
class Broken extends SteleError {
  /**
   * @param {string} message
   * @param {boolean} [stalled]
   */
  constructor(message, stalled = false) {
    super("unavailable", message);
    this.stalled = stalled;
  }
}

/**
 * @typedef {{ status: number, response: Response, stop: AbortController, signal: Signal }} Answer
 */

/** The files of a release at an address. */
class Service {
  waited = 0; // seconds, in this call
  quiet = 0; // seconds since there was progress
  came = 0; // bytes since then
  taken = 0; // bytes, in this call
  byHash = true;
  /** @type {Record<string, string>} */
  tag = {}; // by which to ask whether the manifest is another
  /** @type {Record<string, string>} */
  next = {}; // the same of the one that was read last

  /**
   * @param {string} base
   * @param {Options} options
   */
  constructor(base, options) {
    const { time = 3600, bytes = 2 ** 32, redirects = false, patience = 30, pause = 0.5 } = options;
    const wrong = refused("this is not the address of a service: write https://host or https://host/path");
    try {
      this.base = new URL(base);
    } catch {
      throw wrong; // without the address, which may have a password in it
    }
    if (this.base.search || this.base.hash) throw wrong;
    this.user = "";
    if (this.base.username || this.base.password) {
      const pair = `${decodeURIComponent(this.base.username)}:${decodeURIComponent(this.base.password)}`;
      this.user = "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(pair)));
      this.base.username = this.base.password = "";
    }
    this.where = this.base.href.replace(/\/+$/, "");
    this.limits = { time, bytes, redirects, patience, pause };
    this.fetch = options.fetch ?? fetch;
    this.headers = new Headers(options.headers);
    if (this.user) this.headers.set("Authorization", this.user);
  }

  /** Gives the service all the time and bytes again that the limits allow. */
  renew() {
    this.waited = this.quiet = this.came = this.taken = 0;
  }

  /** Takes the manifest that was read last for the one to go by. */
  begin() {
    this.tag = this.next;
    this.byHash = true; // there may be others than before
  }

  /** @param {Signal} signal */
  async manifest(signal) {
    /** @type {Record<string, string>} */
    const headers = inNode ? { "Cache-Control": "no-cache", ...this.tag } : {};
    try {
      return await this.again("manifest.json", headers, signal, async (answer) => {
        if (answer.status === 304) return undefined;
        const data = await bytesOf(this.content(answer, "manifest.json", mostManifest));
        if (data.length > mostManifest) throw refused("manifest.json is larger than 16 MiB");
        const h = answer.response.headers;
        const [etag, modified, sent] = ["etag", "last-modified", "date"].map((name) => h.get(name) ?? "");
        // within the second in which it was sent, it may have changed again
        const settled = Date.parse(sent) - Date.parse(modified) >= 2000;
        this.next = etag ? { "If-None-Match": etag } : settled ? { "If-Modified-Since": modified } : {};
        return data;
      });
    } catch (error) {
      throw isNoRelease(error);
    }
  }

  /**
   * @param {string} path
   * @param {Signal} signal
   */
  async single(path, signal) {
    return this.again(path, {}, signal, async (answer) => {
      const data = await bytesOf(this.content(answer, path, mostLine));
      if (data.length > mostLine) throw damaged(`${path} is too large`);
      this.take(data.length);
      return data;
    });
  }

  /**
   * Reads a file by its digest first, because a host that is being updated may have another at the
   * path.
   * @param {ListedFile} listed
   * @param {Signal} signal
   */
  async read(listed, signal) {
    this.take(listed.size);
    if (this.byHash) {
      /** @type {{ size: number, sha256: string, encoding?: string }} */
      let small = listed;
      for (const v of listed.variants ?? []) {
        if (v.encoding === "gzip" && v.size < small.size && typeof DecompressionStream !== "undefined") small = v;
      }
      try {
        /** @type {Record<string, string>} */
        const headers = inNode ? { "Accept-Encoding": "identity" } : {};
        return await this.again("by-hash/" + small.sha256, headers, signal, (answer) => {
          const parts = this.body(answer, small.size);
          return verified(small.encoding ? unzipped(parts, listed.size) : parts, listed);
        });
      } catch (error) {
        if (!(error instanceof SteleError) || (error.code !== "not_found" && error.code !== "damaged")) throw error;
        this.byHash = false;
      }
    }
    return this.again(listed.path, {}, signal, (answer) =>
      verified(this.content(answer, listed.path, listed.size), listed),
    );
  }

  /** @param {number} size */
  take(size) {
    this.taken += size;
    if (this.taken > this.limits.bytes) {
      throw refused(`the service sends more than is read from one: ${this.limits.bytes} bytes`);
    }
  }

  /**
   * Asks for a file and reads it, and once again if it broke off.
   * @template T
   * @param {string} name
   * @param {Record<string, string>} headers
   * @param {Signal} signal
   * @param {(answer: Answer) => Promise<T>} read
   * @returns {Promise<T>}
   */
  async again(name, headers, signal, read) {
    for (let n = 0; ; n++) {
      const answer = await this.ask(name, headers, signal);
      try {
        return await read(answer);
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        if (n > 0) throw unavailable(`${name}: ${error.message}`);
      } finally {
        answer.stop.abort(); // nothing more of it is wanted
      }
    }
  }

  /**
   * What an answer has, and no more than a part more than there should be.
   * @param {Answer} answer
   * @param {string} name
   * @param {number} size
   */
  async *content(answer, name, size) {
    let first = true;
    for await (const part of this.body(answer, size)) {
      // a host may answer with a page, and a status of 200, for what it does not have
      const begin = String.fromCharCode(...part.subarray(0, 14)).toLowerCase();
      if (first && (begin === "<!doctype html" || begin.startsWith("<html"))) throw notThere(name);
      first = false;
      yield part;
    }
  }

  /**
   * @param {Answer} answer
   * @param {number} most
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *body({ response, stop, signal }, most) {
    if (!response.body) return;
    const reader = response.body.getReader();
    let size = 0;
    while (size <= most) {
      const { done, value } = await this.wait(reader.read(), stop, signal, (r) => r.value?.length ?? progress);
      if (done) return;
      size += value.length;
      yield value;
    }
  }

  /**
   * Waits for the service, and measures for how long.
   * @template T
   * @param {Promise<T>} promise
   * @param {AbortController} stop
   * @param {Signal} signal
   * @param {(value: T) => number} came how many bytes that is
   * @returns {Promise<T>}
   */
  async wait(promise, stop, signal, came) {
    const { time, patience } = this.limits;
    const began = performance.now();
    const left = Math.min(time - this.waited, patience - this.quiet);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop.abort();
    }, Math.max(left, 0) * 1000);
    try {
      const value = await promise;
      this.came += came(value);
      return value;
    } catch (error) {
      signal?.throwIfAborted();
      if (!late) throw brokenBy(error);
      if (time - this.waited <= patience - this.quiet) {
        throw unavailable(`the service took longer than ${time} seconds in all`);
      }
      throw new Broken("the service stopped sending, or sends too slowly", true);
    } finally {
      clearTimeout(timer);
      const seconds = (performance.now() - began) / 1000;
      this.waited += seconds;
      this.quiet += seconds;
      if (late || this.came >= progress) this.quiet = this.came = 0;
    }
  }

  /**
   * Asks for a file, and again if that may help.
   * @param {string} name
   * @param {Record<string, string>} headers
   * @param {Signal} signal
   * @returns {Promise<Answer>}
   */
  async ask(name, headers, signal) {
    for (let n = 0; ; n++) {
      let pause = this.limits.pause * 2 ** n;
      const stop = stopWith(signal);
      try {
        const response = await this.askOnce(name, headers, stop, signal);
        const { status } = response;
        const conditional = "If-None-Match" in headers || "If-Modified-Since" in headers;
        if (status === 200 || (status === 304 && conditional)) return { status, response, stop, signal };
        if (status === 404 || status === 410) throw notThere(name);
        const asked = retryAfter(response.headers.get("retry-after") ?? "");
        let text = `${name}: the service answered ${status}`;
        if (asked > mostPause) text += `, and asks to wait ${Math.round(asked)} seconds: try again then`;
        const passes = (status === 429 || status >= 500) && status !== 501 && asked <= mostPause;
        if (!passes || n === repeats) throw unavailable(text);
        pause = Math.max(pause, asked);
        stop.abort();
      } catch (error) {
        stop.abort();
        if (!(error instanceof Broken)) throw error;
        if (n === repeats || (n > 0 && error.stalled)) throw unavailable(`${name}: ${error.message}`);
      }
      this.waited += pause;
      if (this.waited > this.limits.time) {
        throw unavailable(`the service took longer than ${this.limits.time} seconds in all`);
      }
      await sleep(pause, signal);
    }
  }

  /**
   * Asks once, and follows redirects within a host. A service could lead to the machine itself, or
   * to others that only it can reach. Browsers follow by themselves, and what they do is looked at.
   * @param {string} name
   * @param {Record<string, string>} headers
   * @param {AbortController} stop
   * @param {Signal} signal
   */
  async askOnce(name, headers, stop, signal) {
    let to = new URL(this.base.href.replace(/\/*$/, "/") + name);
    for (let n = 0; n <= 10; n++) {
      const all = new Headers(this.isOwn(to) ? this.headers : undefined);
      for (const [key, value] of Object.entries(headers)) all.set(key, value);
      /** @type {RequestInit} */
      const init = {
        signal: stop.signal,
        headers: all,
        redirect: inNode ? "manual" : "follow",
        cache: name === "manifest.json" ? "no-cache" : "default",
        credentials: "omit",
        referrerPolicy: "no-referrer",
      };
      const ask = this.fetch; // which is no method
      const response = await this.wait(ask(to, init), stop, signal, () => progress);
      const location = response.headers.get("location");
      const led = inNode ? [301, 302, 303, 307, 308].includes(response.status) : response.redirected;
      if (!led) return response;
      to = new URL(inNode ? (location ?? "") : response.url, to);
      if (!/^https?:$/.test(to.protocol) || !(this.isOwn(to) || this.limits.redirects)) {
        stop.abort();
        throw refused(
          `the service leads to another host, ${to.protocol}//${to.host}: give that address if you trust it, or {redirects: true}`,
        );
      }
      if (!inNode) return response;
      await response.body?.cancel();
    }
    throw refused(`${name}: the service leads in a circle, or nowhere`);
  }

  /** @param {URL} to */
  isOwn(to) {
    const upgrade = this.base.protocol === "http:" && to.protocol === "https:" && !this.base.port && !to.port;
    return this.base.hostname === to.hostname && (upgrade || this.base.origin === to.origin);
  }
}

/** @param {unknown} error */
function brokenBy(error) {
  const { message, cause } = /** @type {{ message: string, cause?: { code?: string, message?: string } }} */ (error);
  const code = cause?.code ?? "";
  if (/CERT|ALTNAME|UNABLE_TO_VERIFY/.test(code)) {
    return refused(`the service does not have a certificate for its name: ${cause?.message}`);
  }
  return new Broken(`the connection broke off: ${cause?.message || message}`);
}

/** @param {string} text */
function retryAfter(text) {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  return Math.max(0, (Date.parse(text) - Date.now()) / 1000) || 0;
}

/**
 * Makes a controller that ends a request, and that a signal ends.
 * @param {Signal} signal
 */
function stopWith(signal) {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const end = () => stop.abort();
  signal?.addEventListener("abort", end);
  stop.signal.addEventListener("abort", () => signal?.removeEventListener("abort", end));
  return stop;
}

/**
 * @param {number} seconds
 * @param {Signal} signal
 */
async function sleep(seconds, signal) {
  const stop = stopWith(signal);
  await new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
    stop.signal.addEventListener("abort", resolve);
  });
  signal?.throwIfAborted();
  stop.abort();
}

/**
 * @param {Uint8Array[]} parts
 * @param {number} [size] of all of them
 */
function joined(parts, size = parts.reduce((sum, part) => sum + part.length, 0)) {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {Parts} parts */
async function bytesOf(parts) {
  const all = [];
  for await (const part of parts) all.push(part);
  return joined(all);
}

/**
 * Decodes gzip, up to a part more than there should be.
 * @param {AsyncGenerator<Uint8Array>} parts
 * @param {number} most
 */
async function* unzipped(parts, most) {
  /** @type {unknown} */
  let broken;
  const source = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        broken = error;
        controller.error(error);
      }
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let size = 0; size <= most; ) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      yield value;
    }
  } catch (error) {
    throw broken ?? damaged(`what the service sends cannot be decoded: ${error}`);
  } finally {
    reader.cancel().catch(() => {}); // it was read, or is of no use
  }
}

/**
 * @param {Uint8Array} data
 * @param {number} from
 * @param {number} byte
 */
const cutAt = (data, from, byte) => {
  const at = data.indexOf(byte, from);
  return at < 0 ? data.length : at;
};

/**
 * @param {{ record: Uint8Array, index: Uint8Array, manifest: Uint8Array, proof: Uint8Array,
 *   checkpoint: Uint8Array }} files
 * @param {string} key
 */
export async function verifyRecord({ record, index, manifest, proof, checkpoint }, key) {
  const { name, number, publicKey } = await readKey(key);
  const m = decode(utf8Of(manifest, "the manifest"), "the manifest");
  const r = decode(utf8Of(record, "the record"), "the record");
  let kind, leaf;
  try {
    kind = await kindOf(m, index);
    const previous = m.previous ? m.previous.release : "none";
    leaf =
      `stele-release/1\nservice ${m.base_url}\nrelease ${m.release}\ndate ${m.date}\nprevious ${previous}\n` +
      `manifest ${await digest(manifest)} ${manifest.length}\n`;
  } catch (error) {
    if (error instanceof SteleError) throw error;
    throw damaged(`the manifest does not have the form of a manifest: ${error}`);
  }
  if (r.kind !== kind || !isListedIn(index, r.id, await digest(record))) {
    throw damaged("the index does not list the record with its digest");
  }
  const text = utf8Of(proof, "the proof");
  const cut = text.indexOf("\n\n");
  if (cut < 0) throw damaged("the proof has no checkpoint");
  const signed = readCheckpoint(text.slice(cut + 2), "the proof");
  const latest = readCheckpoint(utf8Of(checkpoint, "the checkpoint"), "the checkpoint");
  const { entry, root } = await rootOf(text.slice(0, cut), leaf, signed.size);
  if (root !== signed.root) throw damaged("the proof does not lead from the manifest to the checkpoint in it");
  if (signed.size > latest.size || (signed.size === latest.size && signed.root !== latest.root)) {
    throw damaged("the checkpoint does not continue the log of the proof");
  }
  for (const c of [signed, latest]) {
    if (c.name !== name || !(await isSigned(c, number, publicKey))) {
      throw refused(`the key of ${name} did not sign the log of ${c.name}`);
    }
  }
  return { id: r.id, record: r, release: m.release, date: m.date, service: m.base_url, entry };
}

/**
 * The kind whose listing has these bytes.
 * @param {any} m
 * @param {Uint8Array} index
 */
async function kindOf(m, index) {
  const sum = await digest(index);
  /** @type {Map<string, ListedFile>} */
  const files = new Map(m.files.map((/** @type {ListedFile} */ f) => [f.path, f]));
  for (const k of m.kinds) {
    const f = files.get(k.index);
    if (f?.size === index.length && f?.sha256 === sum) return k.kind;
  }
  throw damaged("the index is not what the manifest says of one");
}

/**
 * @param {Uint8Array} index
 * @param {unknown} id
 * @param {string} sum
 */
function isListedIn(index, id, sum) {
  for (let at = 0; at < index.length; at = cutAt(index, at, 10) + 1) {
    const line = utf8Of(index.subarray(at, cutAt(index, at, 10)), "the index");
    if (!line.includes(sum)) continue;
    const entry = decode(line.replace(/,$/, ""), "the index");
    if (entry.id === id && entry.sha256 === sum) return true;
  }
  return false;
}

/**
 * Decodes base64 that is written in the one right way.
 * @param {string} text
 * @param {number} [size]
 */
function exactly(text, size) {
  let data;
  try {
    data = atob(text);
  } catch {
    data = "";
  }
  if (btoa(data) !== text || (size !== undefined && data.length !== size)) {
    throw damaged("a line of the proof or of the checkpoint is not the base64 that it should be");
  }
  return Uint8Array.from(data, (c) => c.charCodeAt(0));
}

/** @param {string} text */
function wholeNumber(text) {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) {
    throw damaged("the proof or the checkpoint has something else than a number");
  }
  return Number(text);
}

/**
 * @param {string} data
 * @param {string} what
 */
function readCheckpoint(data, what) {
  const cut = data.indexOf("\n\n");
  const lines = data.slice(0, cut).split("\n");
  if (cut < 0 || lines.length !== 3 || !data.endsWith("\n")) {
    throw damaged(`${what} does not have the lines of a checkpoint and a signature`);
  }
  const begin = `\u2014 ${lines[0]} `;
  const signatures = data.slice(cut + 2, -1).split("\n").filter((line) => line.startsWith(begin));
  exactly(lines[2], 32);
  return {
    name: lines[0], size: wholeNumber(lines[1]), root: lines[2], text: new TextEncoder().encode(data.slice(0, cut + 1)),
    signatures: signatures.map((line) => exactly(line.slice(begin.length))),
  };
}

/**
 * The place of a leaf by a proof, and the root to which that leads (RFC 9162, 2.1.3.2).
 * @param {string} head
 * @param {string} leaf
 * @param {number} size
 */
async function rootOf(head, leaf, size) {
  const lines = head.split("\n");
  if (lines[1]?.startsWith("extra ")) {
    const extra = utf8Of(exactly(lines.splice(1, 1)[0].slice(6)), "the proof");
    if (!/^(rollback-from|unpublished) [!-~]+\n$/.test(extra)) throw damaged("the proof has an unknown line");
    leaf += extra;
  }
  if (lines[0] !== "c2sp.org/tlog-proof@v1" || !lines[1]?.startsWith("index ")) {
    throw damaged("the proof does not begin as one does");
  }
  const entry = wholeNumber(lines[1].slice(6));
  let first = entry;
  let last = size - 1;
  if (first > last) throw damaged("the proof is of an entry that the log does not have");
  let node = await sumOf(0, new TextEncoder().encode(leaf));
  for (const line of lines.slice(2)) {
    const beside = exactly(line, 32);
    if (last === 0) throw damaged("the proof goes on behind the root");
    if (first % 2 === 1 || first === last) {
      node = await sumOf(1, beside, node);
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)];
    } else {
      node = await sumOf(1, node, beside);
    }
    [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
  }
  return { entry, root: last === 0 ? btoa(String.fromCharCode(...node)) : "" };
}

/**
 * @param {number} first
 * @param {Uint8Array[]} parts
 */
async function sumOf(first, ...parts) {
  const hex = await digest(joined([Uint8Array.of(first), ...parts]));
  return Uint8Array.from(hex.match(/../g) ?? [], (b) => parseInt(b, 16));
}

/**
 * The name of a key, its number, and the public key.
 * @param {string} text
 */
async function readKey(text) {
  const [, name, number, rest] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? [];
  const data = await Promise.resolve(rest ?? "").then((t) => exactly(t, 33)).catch(() => new Uint8Array(1));
  const sum = await digest(joined([new TextEncoder().encode(name + "\n"), data]));
  if (data[0] !== 1 || sum.slice(0, 8) !== number) {
    throw refused("this is not a public key of a log: it is one line, such as data.example.org+4b3c2d1e+AX…");
  }
  return { name, number, publicKey: data.slice(1) };
}

/**
 * @param {ReturnType<typeof readCheckpoint>} c
 * @param {string} number
 * @param {Uint8Array} publicKey
 */
async function isSigned(c, number, publicKey) {
  let key;
  try {
    key = await subtle?.importKey("raw", /** @type {any} */ (publicKey), { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    throw refused(`signatures cannot be checked here: ${error}`);
  }
  for (const s of c.signatures) {
    const of = Array.from(s.subarray(0, 4), (b) => b.toString(16).padStart(2, "0")).join("");
    const holds = () => subtle?.verify("Ed25519", /** @type {any} */ (key), /** @type {any} */ (s.slice(4)), c.text);
    if (of === number && s.length === 68 && (await holds())) return true;
  }
  return false;
}
