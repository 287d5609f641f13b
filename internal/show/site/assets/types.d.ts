// What the scripts of the pages read, for the type checker.

type Words = Record<string, string> & {
  standings: Record<string, string>; keys: Record<string, string>;
  found: Record<string, string>; numbers: Numbers; lang?: string; dir?: string;
};

/** How numbers and dates are written; but for ticks, only where that is not as in English. */
interface Numbers {
  tag: string; percent: string; million: string; billion: string;
  /** from which number on, by what it is divided, and how it stands there */
  ticks: [number, number, string][];
  marks?: Record<string, string>; date: string; month: string; quarter: string; week: string; months: string[];
}

/** A row of a file; the file says what stands in which column. */
type Row = any[];

/** A closed list to filter by; of each word, how it is written and what it means. */
interface Label { name: string; list: string; words: [string, string, string][] }

interface TableFile { labels: Label[]; standings: [string, string][]; columns: string[]; rows: Row[] }

interface ChangesFile {
  labels: Label[]; kinds: [string, string][]; columns: string[]; rows: Row[];
  /** those that have a page */
  releases: string[];
}

interface GraphFile {
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
interface Graph {
  id(node: number): string; title(node: number): string; kind(node: number): string; layer(node: number): number;
  lost(node: number): boolean; layers: string[]; relation(edge: number): string; phrase(edge: number): string;
  clicked(node: number): void;
}
type Point = { x: number, y: number };
type Heights = Map<number, number>;
type Spread = (column: number[], wanted: Heights, size: (item: number) => number, at: Heights) => void;
type Edging = (edge: number[], bends: Map<number, number[]>) => SVGElement;
type ShowGraph = (nodes: number[], edges: number[][], chosen: number) => void;
type Boxes = (
  title: string, list: string[][], used: number[], hidden: Set<number>, key: (entry: string[]) => Node | string,
) => HTMLElement;

interface FoundKind {
  name: string; kind: string; folder: string; prefix: string; first: number; count: number; boost: number;
  /** the first and the last for which they have figures */
  years?: [string, string];
}

interface SearchHead {
  joining: string; asking: string; synonyms: [string, string][]; related: [string, string][];
  phrases: [string, string][]; known: string; small: string; meant: { words: string; kinds: Record<string, number> }[];
  prefix: number; buckets: number; spelling: string;
  documents: number; chunk: number; perBlock: number; shares: number; columns: string[]; shown: FoundKind[];
}

interface Series {
  name: string; detail?: string; slice?: string; id?: string;
  by?: number[]; area: string; rank: number; chart: number; dots: boolean;
  values: (number | null)[]; lower?: (number | null)[]; upper?: (number | null)[];
  /** the first period in which the area had ended, in years */
  ends?: number;
  /** of each value, or of all */
  status: string | string[];
  gaps?: number[];
  /** what stands in the place of values, by the number of the period */
  texts?: Record<number, string>;
  /** what values are below or above of, and why they do not compare with those before, likewise */
  below?: Record<number, number>; above?: Record<number, number>; breaks?: Record<number, string>;
}

interface Chart {
  unit: string; from?: number; decimals?: number; picked: number[]; behind: number[]; classes?: number[];
  /** what readers choose slices by */
  dimensions?: { label: string, values: string[] }[];
}

/** What a place of a chart had from one release until another, by their places among all. */
interface PastCell {
  s: number; p: number; from: number; until?: number; status: string; text?: string;
  value?: number; lower?: number; upper?: number; below?: number; above?: number;
}

/** How a value was joined to the one before, likewise. */
interface PastJoint { s: number; p: number; from: number; until?: number; gap?: boolean; break?: string }

/** A day on which areas changed: the series that it concerns, and which of them are one area, with a label. */
interface Turn { at: number; day: string; of: number[]; steps?: [number, number, string][]; n?: number }

interface SeriesFile {
  turns?: Turn[];
  title: string; credit: string; sources: string; license: string; page: string; release?: string; past?: PastCell[];
  joints?: PastJoint[];
  at: number[]; names: string[]; charts: Chart[]; series: Series[];
  status: [string, string][]; lost: string[]; hollow: string[]; reach: number;
}

/** What functions of charts take. */
type Of<T> = (file: SeriesFile, view: View) => T;
type OfPart<T> = (file: SeriesFile, view: { chart: number, to?: number, tab?: string }) => T;
type OfChart<T> = (file: SeriesFile, chart: number) => T;
type OfValue<T> = (file: SeriesFile, s: Series, i: number) => T;
type OfValueIn<T> = (file: SeriesFile, view: View, s: Series, i: number) => T;
/** A value as it is shown: of which period, in words, and what must be said of it. */
type Shown = { at: number, text: string, more: string, size: number | null };
type Ranked = Compared & { v: Shown };
type Compared = { s: Series, i: number, slot: number };
type Scale = (v: number) => number;
type Draw = (file: SeriesFile, s: ShownLine, x: Scale, y: Scale, zero?: number) => Shape[];
type DrawTurns = (
  file: SeriesFile, turns: Turn[], lines: ShownLine[], x: Scale, y: Scale, box: [number, number, number],
) => Shape[];
type DrawNames = (
  file: SeriesFile, lines: ShownLine[], x: Scale, y: Scale, right: number, ground: number, room: number,
) => Shape[];
type DrawView = (file: SeriesFile, view: View, width: number) => Picture;
type DrawMap = (file: SeriesFile, view: View, world: World, width: number) => Picture;
type MakeShape = (
  name: string, attributes?: Record<string, string | number>, ...children: (Shape | string)[]
) => Shape;
type MakeElement = (name: string, attributes: Record<string, any>, ...children: (Node | string)[]) => SVGElement;
type Standalone = (picture: SVGSVGElement, title: string, under: string, below: string[]) => SVGSVGElement;
type Wrap = (text: string, letters: number) => string[];
type Line = Partial<Record<"lower" | "upper" | "below" | "above", number[]>> & { values: number[] };
type Scaled = (low: number, high: number, from: number, to: number, log?: boolean) => Scale;
type Extent = (lines: Line[], zero: boolean, from?: number) => { cuttable: boolean, ticks: number[] };
type Take = (
  file: SeriesFile, view: () => View, picture: () => SVGSVGElement | null, section: HTMLElement, key: () => string,
) => HTMLElement;
type Picker = (file: SeriesFile, view: View, changed: () => void) => HTMLElement;
type Check = (text: string, change: (on: boolean) => void) => { input: HTMLInputElement, label: HTMLElement };
type Offer = (list: HTMLSelectElement, options: string[][], value: string, change: (value: string) => void) => void;
type Choice<R> = (
  name: string, title: string, options: string[][], value: string, change: (value: string) => void,
) => R;
type Stepwise = (place: HTMLElement, step: number, add: (rows: Row[]) => void) =>
  { next: HTMLElement, more: () => void, show: (found: Row[]) => void };
interface Shape { name: string; attributes: Record<string, string | number>; children: (Shape | string)[] }
interface World { size: number[]; shapes: Record<string, string>; dots: Record<string, number[]> }
interface Picture { parts: Shape[]; height: number }

type Show = (parts: Shape[], width: number, height: number) => void;
interface Column { id: string; title: string; by?: (row: Compared) => number | null }
type Button = (text: string, act: () => void, name?: string) => HTMLButtonElement;

/** What is seen of an indicator. */
interface View {
  tab: string; chart: number;
  /** the series that are shown, by the number of their colour */
  slots: (number | null)[];
  /** numbers of periods */
  from: number; to: number;
  /** the series that the search led to */
  lead?: number;
  zero: boolean; log: boolean; relative: boolean; detail: string; sort: string;
}

/** A series on the scale of a view. */
interface ShownLine {
  of: Series; slot: number; name: string;
  values: (number | null)[]; lower?: (number | null)[]; upper?: (number | null)[];
  below?: (number | null)[]; above?: (number | null)[];
}

/** Words of a file; under "", other names of words. */
type FileWords = Record<string, number[]> & { ""?: Record<string, string> };
/** A word of the index, and how much it counts. */
type Form = { word: string, rare: number, common: boolean };
/** What was typed as one word. */
type Term = { forms: Form[], found: Float64Array, count: number, weight: number, year: string };
/** all: whether it has all words */
type Result = { document: number, score: number, all: boolean };
/** A record by its ID. */
type Named = { kind: FoundKind, row: Record<string, string> };

/** What functions take and return, by their names. */
type RewindOf = (file: SeriesFile, had: (c: { from: number, until?: number }) => boolean) => void;
type AsOfOf = (section: HTMLElement) => Promise<SeriesFile>;
type SayOf = (text: string, more: Node | string) => void;
type ReachOf = (lines: Line[]) => [number, number];
type TicksOfOf = (low: number, high: number) => number[];
type YearsOf = (low: number, high: number, most: number) => number[];
type CountedOf = (forms: Record<string, string>, n: number, tag: string) => string;
type OtherOf = (edge: number[], node: number) => number;
type OwnOf = <T>(list: Record<string, T>, name: string) => T | undefined;
type NoteOf = (found: Float64Array, list: number[], rare: number, from: number) => void;
type AddOf = (term: Term, word: string, share: number) => Promise<boolean>;
type AddNamedOf = (term: Term, word: string, share: number, means?: boolean) => Promise<void>;
type LookUpOf = (word: { typed: string, word: string, said?: string }, instead: Map<string, string>) => Promise<Term>;
type GuessOf = (term: Term, typed: string, word: string, instead: Map<string, string>) => Promise<void>;
type ByIDOf = (text: string) => Promise<Named | undefined>;
type SplitOf = (text: string, words: Set<string>) => [string, boolean][];
type RowsOf = (documents: number[]) => Promise<Record<string, string>[]>;
type LettersOf = (text: string, most: number) => string;
type FilledOf = (sentence: string, values: Record<string, string>) => string;
type WrittenOf = (v: number, decimals?: number) => string;
type BadgeOf = (label: Label, word: string) => HTMLElement;
type PlacesOf = (columns: string[]) => Record<string, number>;
type PathOf = (from: Point, to: Point, bends: Point[]) => string;
type PointOf = (at: Point, right: boolean) => number[];
type SaidOf = (edge: number[], chosen: number) => SVGElement;
type BringOf = (node: number, middle?: boolean) => void;
type BitmapOf = (picture: SVGSVGElement) => Promise<Blob>;
type PatternOf = (pen: CanvasRenderingContext2D, part: Element) => CanvasPattern;
type PaintOf = (pen: CanvasRenderingContext2D, part: Element) => void;
type CopierOf = (title: string, text: () => string) => HTMLButtonElement;
type SaveOf = (blob: Blob, ending: string) => void;
type MeantOf = (typed: string, more?: string[]) => string[];
type DistanceOf = (a: string, b: string, most: number) => number;
type DrawableOf = (file: SeriesFile, s: { values: number[], of?: Series }, i: number) => boolean;
type LimitOfOf = (s: { below?: any, above?: any }, i: number) => number | undefined;
type HasOf = (file: SeriesFile, s: Series, i: number) => boolean;
type BrokenInOf = (s: Series, from: number, to: number) => boolean;
type ParseOf = (file: SeriesFile, query: URLSearchParams) => View;
type LineOfOf = (file: SeriesFile, view: View, s: Series, slot: number) => ShownLine;
type DescendingOf = (a: number | null, b: number | null) => number;
type DrawOf = (mine: number, more: number) => Promise<void>;
type AnswerOf = (mine: number, query: string) => Promise<void>;
type ByLabelOf = (label: Label, i: number) => { name: string, key: (row: Row) => any };
type SortableOf = { name: string, key: (row: Row) => any }[];
type DateCellOf = (name: string, date: string) => HTMLTableCellElement;
