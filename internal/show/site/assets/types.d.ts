// What the scripts of the pages read, for the type checker.

export type Words = Record<string, string> & {
  standings: Record<string, string>; found: Record<string, string>; numbers: Numbers; lang?: string; dir?: string;
};

/** How numbers and dates are written; but for ticks, only where that is not as in English. */
export interface Numbers {
  tag: string; percent: string;
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

/** What the picture of the graph shows, by the numbers of nodes and edges; -1 is the ground. */
export interface Graph {
  id(node: number): string; title(node: number): string; kind(node: number): string; layer(node: number): number;
  lost(node: number): boolean; layers: string[]; relation(edge: number): string; phrase(edge: number): string;
  clicked(node: number): void;
}
export type Point = { x: number, y: number };
export type Heights = Map<number, number>;
export type Spread = (column: number[], wanted: Heights, size: (item: number) => number, at: Heights) => void;
export type Edging = (edge: number[], bends: Map<number, number[]>) => SVGElement;
export type ShowGraph = (nodes: number[], edges: number[][], chosen: number) => void;
export type Boxes = (
  title: string, list: string[][], used: number[], hidden: Set<number>, key: (entry: string[]) => Element,
) => HTMLElement;

export interface FoundKind {
  name: string; kind: string; folder: string; prefix: string; first: number; count: number; boost: number;
}

export interface SearchHead {
  joining: string; asking: string; synonyms: [string, string][]; related: [string, string][];
  phrases: [string, string][]; known: string; small: string; meant: { words: string; kinds: Record<string, number> }[];
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
  /** what values are below or above of, and why they do not compare with those before, likewise */
  below?: Record<number, number>; above?: Record<number, number>; breaks?: Record<number, string>;
}

export interface Chart {
  unit: string; from?: number; decimals?: number; picked: number[]; behind: number[]; min?: number; max?: number;
}

/** What a place of a chart had from one release until another, by their places among all. */
export interface PastCell {
  s: number; p: number; from: number; until?: number; status: string; text?: string;
  value?: number; lower?: number; upper?: number; below?: number; above?: number;
}

/** How a value was joined to the one before, likewise. */
export interface PastJoint { s: number; p: number; from: number; until?: number; gap?: boolean; break?: string }

export interface SeriesFile {
  title: string; credit: string; sources: string; license: string; page: string; release?: string; past?: PastCell[];
  joints?: PastJoint[];
  at: number[]; names: string[]; charts: Chart[]; series: Series[];
  status: [string, string][]; lost: string[]; hollow: string[];
}

/** What functions of charts take. */
export type Of<T> = (file: SeriesFile, view: View) => T;
export type OfChart<T> = (file: SeriesFile, chart: number) => T;
export type OfValue<T> = (file: SeriesFile, s: Series, i: number) => T;
export type OfValueIn<T> = (file: SeriesFile, view: View, s: Series, i: number) => T;
export type Compared = { s: Series, i: number, slot: number };
export type Scale = (v: number) => number;
export type Draw = (file: SeriesFile, s: ShownLine, x: Scale, y: Scale, zero?: number) => Shape[];
export type DrawNames = (
  file: SeriesFile, lines: ShownLine[], y: Scale, right: number, ground: number, room: number,
) => Shape[];
export type DrawView = (file: SeriesFile, view: View, width: number) => Picture;
export type DrawMap = (file: SeriesFile, view: View, world: World, width: number) => Picture;
export type MakeShape = (
  name: string, attributes?: Record<string, string | number>, ...children: (Shape | string)[]
) => Shape;
export type MakeElement = (name: string, attributes: Record<string, any>, ...children: (Node | string)[]) => SVGElement;
export type Standalone = (picture: SVGSVGElement, title: string, under: string, below: string[]) => SVGSVGElement;
export type Wrap = (text: string, letters: number) => string[];
export type Line = Partial<Record<"lower" | "upper" | "below" | "above", number[]>> & { values: number[] };
export type Scaled = (low: number, high: number, from: number, to: number, log?: boolean) => Scale;
export type Extent = (lines: Line[], zero: boolean, from?: number) => { cuttable: boolean, ticks: number[] };
export type Take = (
  file: SeriesFile, view: () => View, picture: () => SVGSVGElement | null, section: HTMLElement,
) => HTMLElement;
export type Pick = (file: SeriesFile, view: View, changed: () => void) => HTMLElement;
export type Check = (
  name: "zero" | "log" | "relative", text: string,
) => { input: HTMLInputElement, label: HTMLElement };
export interface Shape { name: string; attributes: Record<string, string | number>; children: (Shape | string)[] }
export interface World { size: number[]; shapes: Record<string, string>; dots: Record<string, number[]> }
export interface Picture { parts: Shape[]; height: number }

export type Show = (parts: Shape[], width: number, height: number) => void;
export interface Column { id: string; title: string; by?: (row: Compared) => number | null }
export type Button = (text: string, act: () => void, name?: string) => HTMLButtonElement;

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
  below?: (number | null)[]; above?: (number | null)[];
}
