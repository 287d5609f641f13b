import type { Kinds } from "./records.mjs";

export type * from "./records.mjs";

/**
 * Opens the release at an address or, in node, in a folder. It reads the manifest.
 *
 * Nothing is handed out that was not verified: a file is read to its end and held to the SHA-256 in
 * the manifest first. In node it waits in a file without a name meanwhile, so memory is needed for
 * some records at a time; in a browser it waits in memory. Signatures are checked by
 * verifyRecord alone. No stability is promised, of this module or of any schema.
 */
export function open(where: string | URL, options?: Options): Promise<Release>;

/**
 * Makes sure, offline, that a record is part of a signed release, from the contents of five files:
 * the record's own file, or its line in the collection without the comma at the end; the listing of
 * its kind, such as index/signals.json; manifest.json; manifest.json.tlog-proof; log/checkpoint.
 *
 * It throws "damaged" if they do not fit together, and "refused" if the key, NAME+NUMBER+BASE64, did
 * not sign. It follows no changes of keys, and does not show whether the record still stands.
 */
export function verifyRecord(
  files: {
    record: Uint8Array;
    index: Uint8Array;
    manifest: Uint8Array;
    proof: Uint8Array;
    checkpoint: Uint8Array;
  },
  key: string,
): Promise<Proven>;

/** A record that is part of a signed release. */
export interface Proven {
  id: string;
  record: Record<string, unknown>;
  /** The ID of the release, and its date. */
  release: string;
  date: string;
  /** The address of the publisher's service. */
  service: string;
  /** The place of the release in the publisher's log, from 0 on. */
  entry: number;
}

export interface Options extends Ending {
  /** What is called in place of the global fetch, such as one with a proxy or a cache. */
  fetch?: typeof fetch;
  /** Header lines that are sent to the host of the address, and to no other. */
  headers?: HeadersInit;
  /** Seconds that one call waits for an address in all; 3600 unless given. */
  time?: number;
  /** Bytes that an address may send for one call; 4 GiB unless given. */
  bytes?: number;
  /** Whether an address may lead to another host. */
  redirects?: boolean;
  /** Seconds without 32 KiB, the beginning of an answer or its end, after which to give up; 30. */
  patience?: number;
  /** Seconds before a request is repeated, at first; 0.5 unless given. */
  pause?: number;
}

export interface Ending {
  /** Ends this call, which then throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Asking extends Ending {
  /** Whether to hand out records that were retracted, or that nothing supports any more. */
  lost?: boolean;
}

/** The type of the records of a kind. */
export type RecordOf<K> = K extends keyof Kinds ? Kinds[K] : Record<string, unknown>;

/** The name of a kind. Services may have others than this module knows. */
export type KindName = keyof Kinds | (string & {});

/** An open release. */
export class Release {
  private constructor();
  /** The manifest, as it was published. */
  readonly manifest: Manifest;
  /** The ID of the release: keep it to ask for changes later. */
  readonly id: string;
  readonly date: string;
  /**
   * Goes on to the newest release, and tells whether it is another one than before. Where it fails,
   * everything is as it was.
   */
  update(ending?: Ending): Promise<boolean>;
  /**
   * Reads the records of a kind in their order; without those that are lost, unless asked for. The
   * collection is verified before the first record is handed out.
   */
  records<K extends KindName>(kind: K, asking?: Asking): AsyncGenerator<Found<RecordOf<K>>>;
  /** Reads one record. It throws "not_found" if there is none, and "lost" if it is lost. */
  get<K extends KindName>(kind: K, id: string, asking?: Asking): Promise<Found<RecordOf<K>>>;
  /**
   * Reads what came, changed or went in a kind since an earlier release, in its order. A record that
   * changed twice comes twice, and the last one is how it is. It throws "too_old" if the release does
   * not reach back so far: read all records then. That a record which did not change itself has
   * another standing is in standings() alone.
   */
  changes<K extends KindName>(kind: K, since: string, asking?: Asking): AsyncGenerator<Change<RecordOf<K>>>;
  /** Reads the records that are not valid as they are, by their IDs. All others are valid. */
  standings(ending?: Ending): Promise<ReadonlyMap<string, Standing>>;
  /**
   * Reads the area of a statistic, which has the two arguments as ref_area_scheme and ref_area. It
   * throws "not_found" if the release has no such scheme or code: countries have none.
   */
  area(scheme: string, code: string, ending?: Ending): Promise<Area>;
  /**
   * Reads every collection, listing and delta, and the standings. It throws "damaged" if one is not
   * what the manifest says. Pages and downloads are not read.
   */
  verify(ending?: Ending): Promise<void>;
}

/** An area of a scheme of the publisher. */
export interface AreaCode {
  code: string;
  /** The name at the time. */
  name: string;
  level?: string;
  parent?: string;
  /** The first and the last day, if they are known. */
  valid_from?: string;
  valid_to?: string;
  /** Names in other languages. */
  names?: { [language: string]: string };
}

/** An area with those that it came from, and those that came after it. */
export interface Area extends AreaCode {
  predecessors: AreaCode[];
  successors: AreaCode[];
}

/** A record with its standing. */
export interface Found<R> {
  id: string;
  record: R;
  /** Why it does not stand as it is; undefined if it does. */
  standing?: Standing;
  /** The record as it was published, to be passed on. */
  json: string;
}

/** A record that came, changed or went. */
export interface Change<R> {
  id: string;
  /** Undefined if it is gone, or lost and not asked for. */
  record?: R;
  /** Undefined if it stands, or is gone. */
  standing?: Standing;
  json?: string;
}

/** Why a record does not stand as it is. */
export interface Standing {
  id: string;
  kind: string;
  /** Such as "weakened", "unsupported" or "retracted". */
  standing: string;
  /** When what it comes from happened. */
  since: string;
  /** What happened. */
  cause: string;
  /** The records from this one to the one at which it happened, without this one. */
  path: string[];
  /** The date of the release that first had it so. */
  noticed: string;
}

/** Whether a record was retracted, or nothing supports it any more. */
export function isLost(standing: Standing | undefined): boolean;

/**
 * A number whose digits JavaScript would change, such as 0.050: others are plain numbers. It computes
 * as a number does, and is written as its author wrote it.
 */
export class Digits {
  constructor(text: string);
  readonly text: string;
  valueOf(): number;
  toString(): string;
  /** As it was written where JSON.rawJSON is known, and else the number. */
  toJSON(): unknown;
}

/** Why something is not handed out. */
export class SteleError extends Error {
  /**
   * - not_found: there is no such record, file or release
   * - lost: the record was retracted, or nothing supports it any more; found has it
   * - too_old: the release does not tell what changed since then: read all records
   * - damaged: something is not what the manifest says of it: the service is being updated, or it is
   *   damaged; who calls update() and asks again may have more luck
   * - refused: the service does or sends something that is not accepted
   * - unavailable: the service does not answer, or not with what was asked for; later it may
   */
  readonly code: "not_found" | "lost" | "too_old" | "damaged" | "refused" | "unavailable";
  readonly found?: Found<unknown>;
  /** The address or the folder, without user and password. The message begins with it. */
  readonly where?: string;
}

/** What this module reads of a manifest. There is more in it. */
export interface Manifest {
  format: string;
  release: string;
  date: string;
  title: string;
  publisher: string;
  license: string;
  notice: string;
  previous?: { release: string; date: string };
  earlier?: { release: string; date: string }[];
  kinds: {
    kind: string;
    count: number;
    collection: string;
    index: string;
    single?: string;
    since?: string;
    deltas?: { from: string; path: string; before: string }[];
  }[];
  files: ListedFile[];
}

export interface ListedFile {
  path: string;
  size: number;
  sha256: string;
  variants?: { encoding: string; path: string; size: number; sha256: string }[];
}
