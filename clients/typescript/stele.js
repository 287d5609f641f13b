// Reads what is published with Stele, from the address of a service or, in node, from a folder.
// See stele.d.ts.

/** @import { Asking, Change, Found, ListedFile, Manifest, Options, Standing } from "./stele.js" */
/** @typedef {Manifest["kinds"][number]} Kind */
/** @typedef {NonNullable<Kind["deltas"]>[number]} Step */
/** @typedef {{ manifest(): Promise<Uint8Array | undefined>, begin(): void, renew(): void,
 *   read(listed: ListedFile): Promise<Uint8Array>, single(path: string): Promise<Uint8Array> }} Files */

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
   */
  constructor(code, message, found) {
    super(message);
    this.name = "SteleError";
    this.code = code;
    this.found = found;
  }
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
  const files = /^https?:\/\//.test(text) ? new Service(text, options) : new Folder(text);
  const release = new Release(files);
  await release.update();
  return release;
}

export class Release {
  /** @type {Files} */ #files;
  /** @type {Manifest} */ #manifest = /** @type {any} */ (undefined);
  /** @type {Map<string, ListedFile>} */ #listed = new Map();
  /** @type {Map<string, Uint8Array>} */ #kept = new Map(); // what was read and verified, by path
  /** @type {Map<string, Map<string, Uint8Array>>} */ #lines = new Map(); // by path and ID
  /** @type {Promise<Map<string, Standing>> | undefined} */ #standings;

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

  async update() {
    this.#files.renew();
    const data = await this.#files.manifest();
    if (data === undefined) return false;
    const next = readManifest(data);
    const before = this.#manifest?.release;
    this.#manifest = next;
    this.#listed = new Map(next.files.map((f) => [f.path, f]));
    this.#kept = new Map();
    this.#lines = new Map();
    this.#standings = undefined;
    this.#files.begin();
    return next.release !== before;
  }

  /**
   * @param {string} kind
   * @param {Asking} [asking]
   * @returns {AsyncGenerator<Found<any>>}
   */
  async *records(kind, { lost = false } = {}) {
    this.#files.renew();
    const of = this.#kind(kind);
    if (!of) return; // made before there was such a kind
    const standings = await this.standings();
    const lines = linesOf(await this.#read(of.collection), of.collection);
    for (const line of lines.records) {
      const found = foundIn(line, kind, standings);
      if (lost || !isLost(found.standing)) yield found;
    }
  }

  /**
   * @param {string} kind
   * @param {string} id
   * @param {Asking} [asking]
   * @returns {Promise<Found<any>>}
   */
  async get(kind, id, { lost = false } = {}) {
    this.#files.renew();
    const of = this.#kind(kind);
    let line = of && (await this.#find(of.single ? of.index : of.collection, id));
    if (of?.single && line) {
      const entry = decode(line, of.index);
      const path = of.single.replace(/\{\w+\}/, () => id);
      line = await this.#files.single(path).catch(isListed);
      if ((await digest(line)) !== entry.sha256) throw damaged(`${path} is not the record that its listing describes`);
    }
    if (!line) throw new SteleError("not_found", `there is no ${kind} with the ID ${JSON.stringify(id)}`);
    const found = foundIn(line, kind, await this.standings());
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
  async *changes(kind, since, { lost = false } = {}) {
    this.#files.renew();
    const chain = this.#chain(kind, since);
    const standings = await this.standings();
    for (const step of chain) {
      const { removed, records } = await this.#delta(kind, step);
      for (const id of removed) yield { id };
      for (const line of records) {
        const found = foundIn(line, kind, standings);
        yield lost || !isLost(found.standing) ? found : { id: found.id, standing: found.standing };
      }
    }
  }

  /** @returns {Promise<Map<string, Standing>>} */
  async standings() {
    this.#standings ??= this.#readStandings();
    try {
      return await this.#standings;
    } catch (error) {
      this.#standings = undefined; // the next one may have more luck
      throw error;
    }
  }

  async #readStandings() {
    /** @type {Map<string, Standing>} */
    const all = new Map();
    if (!this.#listed.has(standingPath)) return all;
    for (const line of linesOf(await this.#read(standingPath), standingPath).records) {
      const s = decode(line, standingPath);
      all.set(validID(s.id, standingPath), s);
    }
    return all;
  }

  async verify() {
    this.#files.renew();
    await this.standings();
    for (const of of this.#manifest.kinds) {
      const count = [...linesOf(await this.#read(of.collection, false), of.collection).records].length;
      if (count !== of.count) throw damaged(`${of.collection} has ${count} records, and not ${of.count}`);
      for (const line of linesOf(await this.#read(of.index, false), of.index).records) decode(line, of.index);
      for (const step of of.deltas ?? []) await this.#delta(of.kind, step);
    }
  }

  /** @param {string} name */
  #kind(name) {
    return this.#manifest.kinds.find((k) => k.kind === name);
  }

  /**
   * Reads a file that the manifest lists, and verifies it.
   * @param {string} path
   */
  async #read(path, keep = true) {
    const kept = this.#kept;
    const have = kept.get(path);
    if (have) return have;
    const listed = this.#listed.get(path);
    if (!listed) throw damaged(`${path} is not in the manifest`);
    const data = await this.#files.read(listed).catch(isListed);
    if (keep) kept.set(path, data);
    return data;
  }

  /**
   * The line with an ID.
   * @param {string} path
   * @param {string} id
   */
  async #find(path, id) {
    let lines = this.#lines.get(path);
    if (!lines) {
      lines = new Map();
      const all = this.#lines;
      for (const line of linesOf(await this.#read(path), path).records) {
        const plain = /^\{"id":"([\w.~-]+)"/.exec(String.fromCharCode(...line.subarray(0, 200)));
        lines.set(plain ? plain[1] : String(decode(line, path).id), line);
      }
      all.set(path, lines);
    }
    return lines.get(id);
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
   */
  async #delta(kind, step) {
    const { head, records } = linesOf(await this.#read(step.path, false), step.path);
    const first = decode(new TextEncoder().encode(utf8.decode(head) + "]}"), step.path);
    if (first.kind !== kind || first.from !== step.from || first.before !== step.before) {
      throw damaged(`${step.path} leads from another collection than the manifest says`);
    }
    const removed = first.removed ?? [];
    const all = [...records];
    if (!Array.isArray(removed) || first.count !== all.length) {
      throw damaged(`${step.path} has other records than it counts`);
    }
    return { removed: removed.map((id) => validID(id, step.path)), records: all };
  }
}

/**
 * The first line of a list of records, and those of the records.
 * @param {Uint8Array} data
 * @param {string} path
 */
function linesOf(data, path) {
  const begin = data.indexOf(10);
  if (begin < 2 || data[begin - 1] !== 91 || data[begin - 2] !== 58) {
    throw damaged(`${path} does not begin as a list of records does`);
  }
  const end = data.length - 3; // "]}\n"
  if (end <= begin || data[end - 1] !== 10 || data[end] !== 93 || data[end + 1] !== 125 || data[end + 2] !== 10) {
    throw damaged(`${path} does not end as a list of records does`);
  }
  function* records() {
    for (let at = begin + 1; at < end; ) {
      const next = data.indexOf(10, at);
      const stop = data[next - 1] === 44 ? next - 1 : next;
      if (stop - at > mostLine) throw damaged(`${path} has a record that is too large`);
      yield data.subarray(at, stop);
      at = next + 1;
    }
  }
  return { head: data.subarray(0, begin), records: records() };
}

/**
 * The object that a line has, with the digits of all numbers.
 * @param {Uint8Array} line
 * @param {string} path
 * @returns {any}
 */
function decode(line, path) {
  let value;
  try {
    value = parse(utf8.decode(line));
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
  const record = decode(line, kind);
  const id = validID(record.id, kind);
  if (record.kind !== kind) throw damaged(`${id} is not of the kind ${kind}`);
  return { id, record, standing: standings.get(id), json: utf8.decode(line) };
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
    const m = decode(data, "manifest.json");
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

/**
 * @param {Uint8Array} data
 * @param {ListedFile} listed
 */
async function verified(data, listed) {
  if (data.length === listed.size && (await digest(data)) === listed.sha256) return data;
  throw damaged(`${listed.path} is not what the manifest says of it: the service is being updated, or it is damaged`);
}

/** The files of a release in a folder. */
class Folder {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  begin() {}
  renew() {}

  async manifest() {
    return this.single("manifest.json", mostManifest);
  }

  /** @param {ListedFile} listed */
  async read(listed) {
    return verified(await this.single(listed.path, listed.size), listed);
  }

  /** @param {string} path */
  async single(path, most = mostLine) {
    if (!inNode) throw refused("a browser has no folders: give an address that begins with https://");
    const { promises, constants } = await node("fs");
    let file;
    try {
      const base = this.path.startsWith("file:") ? (await node("url")).fileURLToPath(this.path) : this.path;
      // a pipe would be waited for
      file = await promises.open(base + "/" + path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (/** @type {any} */ (error).code === "ENOENT") throw notThere(`${this.path}: ${path}`);
      throw error;
    }
    try {
      const info = await file.stat();
      if (!info.isFile()) throw damaged(`${path} is no ordinary file`);
      if (info.size > most) throw damaged(`${path} is larger than ${most} bytes`);
      return new Uint8Array(await file.readFile());
    } finally {
      await file.close();
    }
  }
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
  constructor(base, { time = 3600, bytes = 2 ** 32, redirects = false, patience = 30, pause = 0.5 }) {
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
    this.limits = { time, bytes, redirects, patience, pause };
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

  async manifest() {
    const headers = inNode ? { "Cache-Control": "no-cache", ...this.tag } : {};
    try {
      return await this.again("manifest.json", headers, async (answer) => {
        if (answer.status === 304) return undefined;
        const data = await this.content(answer, "manifest.json", mostManifest);
        if (data.length > mostManifest) throw refused("manifest.json is larger than 16 MiB");
        const h = answer.response.headers;
        const [etag, modified, sent] = ["etag", "last-modified", "date"].map((name) => h.get(name) ?? "");
        // within the second in which it was sent, it may have changed again
        const settled = Date.parse(sent) - Date.parse(modified) >= 2000;
        this.next = etag ? { "If-None-Match": etag } : settled ? { "If-Modified-Since": modified } : {};
        return data;
      });
    } catch (error) {
      if (error instanceof SteleError && error.code === "not_found") {
        throw new SteleError("not_found", "there is no release here: manifest.json is missing");
      }
      throw error;
    }
  }

  /** @param {string} path */
  async single(path) {
    return this.again(path, {}, async (answer) => {
      const data = await this.content(answer, path, mostLine);
      if (data.length > mostLine) throw damaged(`${path} is too large`);
      this.take(data.length);
      return data;
    });
  }

  /**
   * Reads a file by its digest first, because a host that is being updated may have another at the
   * path.
   * @param {ListedFile} listed
   */
  async read(listed) {
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
        return await this.again("by-hash/" + small.sha256, headers, async (answer) => {
          const data = await this.body(answer, small.size);
          return verified(small.encoding ? await unzipped(data, listed.size) : data, listed);
        });
      } catch (error) {
        if (!(error instanceof SteleError) || (error.code !== "not_found" && error.code !== "damaged")) throw error;
        this.byHash = false;
      }
    }
    return this.again(listed.path, {}, async (answer) =>
      verified(await this.content(answer, listed.path, listed.size), listed),
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
   * @param {(answer: { status: number, response: Response, stop: AbortController }) => Promise<T>} read
   * @returns {Promise<T>}
   */
  async again(name, headers, read) {
    for (let n = 0; ; n++) {
      const answer = await this.ask(name, headers);
      try {
        return await read(answer);
      } catch (error) {
        if (!(error instanceof Broken) || n > 0) throw error;
      } finally {
        answer.stop.abort(); // nothing more of it is wanted
      }
    }
  }

  /**
   * What an answer has, and no more than a byte more than there should be.
   * @param {{ response: Response, stop: AbortController }} answer
   * @param {string} name
   * @param {number} size
   */
  async content(answer, name, size) {
    const data = await this.body(answer, size);
    // a host may answer with a page, and a status of 200, for what it does not have
    const begin = String.fromCharCode(...data.subarray(0, 14)).toLowerCase();
    if (begin === "<!doctype html" || begin.startsWith("<html")) throw notThere(name);
    return data;
  }

  /**
   * @param {{ response: Response, stop: AbortController }} answer
   * @param {number} most
   */
  async body({ response, stop }, most) {
    if (!response.body) return new Uint8Array();
    const reader = response.body.getReader();
    const parts = [];
    let size = 0;
    while (size <= most) {
      const { done, value } = await this.wait(reader.read(), stop, (r) => r.value?.length ?? progress);
      if (done) break;
      parts.push(value);
      size += value.length;
    }
    return joined(parts, size);
  }

  /**
   * Waits for the service, and measures for how long.
   * @template T
   * @param {Promise<T>} promise
   * @param {AbortController} stop
   * @param {(value: T) => number} came how many bytes that is
   * @returns {Promise<T>}
   */
  async wait(promise, stop, came) {
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
   */
  async ask(name, headers) {
    for (let n = 0; ; n++) {
      let pause = this.limits.pause * 2 ** n;
      try {
        const stop = new AbortController();
        const response = await this.askOnce(name, headers, stop);
        const { status } = response;
        const conditional = "If-None-Match" in headers || "If-Modified-Since" in headers;
        if (status === 200 || (status === 304 && conditional)) return { status, response, stop };
        stop.abort();
        if (status === 404 || status === 410) throw notThere(name);
        const asked = retryAfter(response.headers.get("retry-after") ?? "");
        let text = `${name}: the service answered ${status}`;
        if (asked > mostPause) text += `, and asks to wait ${Math.round(asked)} seconds: try again then`;
        const passes = (status === 429 || status >= 500) && status !== 501 && asked <= mostPause;
        if (!passes || n === repeats) throw unavailable(text);
        pause = Math.max(pause, asked);
      } catch (error) {
        if (!(error instanceof Broken) || n === repeats || (n > 0 && error.stalled)) throw error;
      }
      this.waited += pause;
      if (this.waited > this.limits.time) {
        throw unavailable(`the service took longer than ${this.limits.time} seconds in all`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    }
  }

  /**
   * Asks once, and follows redirects within a host. A service could lead to the machine itself, or
   * to others that only it can reach. Browsers follow by themselves, and what they do is looked at.
   * @param {string} name
   * @param {Record<string, string>} headers
   * @param {AbortController} stop
   */
  async askOnce(name, headers, stop) {
    let to = new URL(this.base.href.replace(/\/*$/, "/") + name);
    for (let n = 0; n <= 10; n++) {
      const own = this.isOwn(to);
      /** @type {RequestInit} */
      const init = {
        signal: stop.signal,
        headers: this.user && own ? { ...headers, Authorization: this.user } : headers,
        redirect: inNode ? "manual" : "follow",
        cache: name === "manifest.json" ? "no-cache" : "default",
        credentials: "omit",
        referrerPolicy: "no-referrer",
      };
      const response = await this.wait(fetch(to, init), stop, () => progress);
      const location = response.headers.get("location");
      const led = inNode ? [301, 302, 303, 307, 308].includes(response.status) : response.redirected;
      if (!led) return response;
      to = new URL(inNode ? (location ?? "") : response.url, to);
      if (!/^https?:$/.test(to.protocol) || !(this.isOwn(to) || this.limits.redirects)) {
        stop.abort();
        throw refused(
          `the service leads to another host, ${to.origin}: give that address if you trust it, or {redirects: true}`,
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
 * @param {Uint8Array[]} parts
 * @param {number} size
 */
function joined(parts, size) {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Decodes gzip, up to a byte more than there should be.
 * @param {Uint8Array} data
 * @param {number} most
 */
async function unzipped(data, most) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (data)]).stream();
  const reader = stream.pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts = [];
  let size = 0;
  try {
    while (size <= most) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
    }
    if (size > most) await reader.cancel();
  } catch (error) {
    throw damaged(`what the service sends cannot be decoded: ${error}`);
  }
  return joined(parts, size);
}
