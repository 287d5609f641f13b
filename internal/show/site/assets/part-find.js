// The search engine of the pages: of everything, and of the table of a kind. It reads how the words are divided, the
// files of the words that are looked for, and a few small files of what the results show: never the whole index.
import { at, fetchJSON } from "./part-page.js";
import { makeTerms } from "./part-terms.js";

const STEP = 8; // blocks that are compared at a time
const LONGER = 40; // words that begin with the one that is being typed
const WEIGHTS = 16;

/** @type {Map<string, Promise<any>>} */
const files = new Map();

// file reads a file of the index once. One that could not be read is tried again when it is needed again.
/** @param {string} path */
function file(path) {
  let content = files.get(path);
  if (!content) {
    content = fetchJSON(at(`/search/${path}.json`));
    files.set(path, content);
    content.catch(() => files.delete(path));
  }
  return content;
}

/** @type {(words: Record<string, number[]>, word: string) => number[] | undefined} */
const own = (words, word) => (Object.hasOwn(words, word) ? words[word] : undefined);

/**
 * @typedef {{ word: string, rare: number, common: boolean }} Form a word of the index, and how much it counts
 * @typedef {{ forms: Form[], found: Map<number, number>, count: number }} Term what was typed as one word
 * @typedef {{ document: number, score: number }} Result
 * @typedef {{ first: number, count: number }} Range documents
 */

export async function openIndex() {
  const head = /** @type {import("./types").SearchHead} */ (await file("head"));
  const { wordsOf, bucket, meant } = makeTerms(head);

  // note keeps what a word counts in documents, which stand there as distances.
  /** @type {(found: Map<number, number>, list: number[], rare: number, from: number) => void} */
  function note(found, list, rare, from) {
    let sum = from * WEIGHTS;
    for (const step of list) {
      sum += step;
      const document = Math.floor(sum / WEIGHTS);
      found.set(document, Math.max(found.get(document) ?? 0, (sum % WEIGHTS) * rare));
    }
  }

  /** @type {(term: Term, word: string, share: number) => Promise<void>} */
  async function add(term, word, share) {
    const entry = own(await file(`words/${bucket(word)}`), word);
    if (!entry) return;
    const [count, ...list] = entry;
    const rare = share * Math.log(1 + head.documents / count);
    note(term.found, list, rare, 0);
    term.forms.push({ word, rare, common: count > list.length });
    term.count += count;
  }

  // lookUp finds a word: as it is, as the beginning of others, or else as what it was meant to be.
  /** @type {(word: string, typing: boolean, instead: Map<string, string>) => Promise<Term>} */
  async function lookUp(word, typing, instead) {
    /** @type {Term} */
    const term = { forms: [], found: new Map(), count: 0 };
    await add(term, word, 1);
    if (typing && [...word].length >= head.prefix) {
      const beside = Object.keys(await file(`words/${bucket(word)}`));
      const longer = beside.filter((w) => w !== word && w.startsWith(word)).slice(0, LONGER);
      for (const w of longer) await add(term, w, 0.4);
    }
    if (!term.forms.length) {
      const near = meant(word);
      for (const w of near) await add(term, w, 0.7);
      if (near.length) instead.set(word, near[0]);
    }
    return term;
  }

  /** @param {number} document */
  const kindOf = (document) => head.shown.findLast((k) => k.count && k.first <= document);

  // begin looks for the documents that have all words of a text, within ranges. It knows at first those in which words
  // count the most; compare adds to them, block by block, until all are found.
  /** @type {(text: string, ranges: Range[]) => Promise<Found>} */
  async function begin(text, ranges) {
    /** @type {Map<string, string>} */
    const instead = new Map();
    const list = wordsOf(text);
    const terms = await Promise.all(list.map((word, i) => lookUp(word, i === list.length - 1, instead)));
    return new Found(terms, instead, ranges);
  }

  class Found {
    /**
     * @param {Term[]} terms
     * @param {Map<string, string>} instead
     * @param {Range[]} ranges
     */
    constructor(terms, instead, ranges) {
      this.terms = terms;
      this.instead = instead;
      this.ranges = ranges;
      this.within = ranges.reduce((sum, range) => sum + range.count, 0);
      this.left = this.needed();
    }

    /** @param {number} document */
    has(document) {
      return this.ranges.some(({ first, count }) => document >= first && document < first + count);
    }

    // needed are the blocks that may have documents which are not known yet: of those with all words, only where the
    // words of few documents have one.
    needed() {
      const common = this.terms.filter(({ forms }) => forms.some((form) => form.common));
      if (!common.length) return [];
      /** @type {Set<number>} */
      const blocks = new Set();
      const [few] = this.terms.filter((term) => !common.includes(term)).sort((a, b) => a.found.size - b.found.size);
      if (few?.found.size) {
        const wanted = [...few.found.keys()].filter((document) => this.has(document));
        for (const document of wanted) blocks.add(Math.floor(document / head.perBlock));
      } else {
        for (const { first, count } of this.ranges) {
          for (let i = first; i < first + count; i = (Math.floor(i / head.perBlock) + 1) * head.perBlock) {
            blocks.add(Math.floor(i / head.perBlock));
          }
        }
      }
      return [...blocks].sort((a, b) => a - b);
    }

    get whole() { return !this.left.length; }

    // total is how many documents there are, if that is known.
    get total() {
      const [only, more] = this.terms;
      if (this.whole) return this.results().length;
      return !more && only.forms.length === 1 && this.within === head.documents ? only.count : undefined;
    }

    // compared is in how many documents all words were looked for.
    get compared() {
      return this.within - this.left.reduce((sum, block) => sum + this.ranges.reduce((inside, { first, count }) => {
        const from = Math.max(first, block * head.perBlock);
        const to = Math.min(first + count, (block + 1) * head.perBlock);
        return inside + Math.max(0, to - from);
      }, 0), 0);
    }

    // compare reads the next blocks.
    async compare() {
      const next = this.left.slice(0, STEP);
      await Promise.all(next.flatMap((block) => this.terms.flatMap(({ forms, found }) =>
        forms.filter((form) => form.common).map(async ({ word, rare }) => {
          const words = await file(`blocks/${block * head.shares + (bucket(word) % head.shares)}`);
          note(found, own(words, word) ?? [], rare, block * head.perBlock);
        }))));
      this.left = this.left.filter((block) => !next.includes(block));
    }

    // results are the documents that have all words, the best first; with some, those that have at least one.
    /** @type {(some?: boolean) => Result[]} */
    results(some = false) {
      /** @type {Map<number, [number, number]>} */
      const scores = new Map();
      for (const { found } of this.terms) {
        for (const [document, score] of found) {
          const entry = scores.get(document) ?? [0, 0];
          scores.set(document, [entry[0] + 1, entry[1] + score]);
        }
      }
      return [...scores].filter(([document, [count]]) => (some || count === this.terms.length) && this.has(document))
        .map(([document, [count, score]]) => ({ document, count, score: score * kindOf(document).boost }))
        .sort((a, b) => b.count - a.count || b.score - a.score || a.document - b.document);
    }
  }

  // rows are what is shown of documents, by the names of columns.
  /** @type {(documents: number[]) => Promise<Record<string, string>[]>} */
  const rows = (documents) => Promise.all(documents.map(async (document) => {
    const row = (await file(`rows/${Math.floor(document / head.chunk)}`))[document % head.chunk];
    return Object.fromEntries(head.columns.map((name, i) => [name, row[i]]));
  }));

  return { head, wordsOf, kindOf, begin, rows };
}
