// What the scripts of the pages read, for the type checker.

export type Words = Record<string, string> & {
  standings: Record<string, string>; found: Record<string, string>; numbers: Numbers; lang?: string; dir?: string;
};

/** How numbers and dates are written; but for ticks, only where that is not as in English. */
export interface Numbers {
  tag: string;
  /** from which number on, by what it is divided, and how it stands there */
  ticks: [number, number, string][];
  marks?: Record<string, string>; date?: string; month?: string; months?: string[];
}

/** A row of a file; the file says what stands in which column. */
export type Row = any[];

/** A closed list to filter by; of each word, how it is written and what it means. */
export interface Label { name: string; list: string; words: [string, string, string][] }

export interface TableFile { labels: Label[]; standings: [string, string][]; columns: string[]; rows: Row[] }

export interface ChangesFile { labels: Label[]; kinds: [string, string][]; columns: string[]; rows: Row[] }

export interface GraphFile {
  /** name, words for many, class, words for one, number of the layer */
  kinds: [string, string, string, string, string][];
  layers: string[];
  /** name, words from here, words from there */
  relations: [string, string, string][];
  standings: [string, string][];
  lost: number;
  columns: { nodes: string[]; edges: string[] };
  nodes: Row[];
  edges: number[][];
}

export interface FoundKind {
  name: string; kind: string; folder: string; prefix: string; first: number; count: number; boost: number;
}

export interface SearchHead {
  joining: string; asking: string; synonyms: [string, string][]; related: [string, string][];
  phrases: [string, string][]; known: string; meant: { words: string; kinds: Record<string, number> }[];
  prefix: number; buckets: number; spelling: string;
  documents: number; chunk: number; perBlock: number; shares: number; columns: string[]; shown: FoundKind[];
}

export interface Series {
  name: string; detail?: string; area: string; rank: number; chart: number; dots: boolean;
  values: (number | null)[]; lower?: (number | null)[]; upper?: (number | null)[];
  /** of each value, or of all */
  status: string | string[];
  gaps?: number[];
  /** what stands in the place of values, by the number of the period */
  texts?: Record<number, string>;
}

export interface Chart { unit: string; from?: number; decimals?: number; picked: number[]; behind: number[] }

export interface SeriesFile {
  title: string; credit: string; sources: string; license: string; page: string;
  at: number[]; names: string[]; charts: Chart[]; series: Series[];
  status: [string, string][]; lost: string[]; hollow: string[]; broken: string[];
}

/** What is seen of an indicator. */
export interface View {
  tab: string; chart: number;
  /** the series that are shown, by the number of their colour */
  slots: (number | null)[];
  /** numbers of periods */
  from: number; to: number;
  zero: boolean; log: boolean; relative: boolean; detail: string; sort: string;
}

/** A series on the scale of a view. */
export interface ShownLine {
  of: Series; slot: number; name: string;
  values: (number | null)[]; lower?: (number | null)[]; upper?: (number | null)[];
}
