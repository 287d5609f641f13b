// The search engine of the pages.
import { at, fetchJSON } from "./part-page.js";
import { makeTerms, PIECE, whole } from "./part-terms.js";

const STEP = 8; // blocks that are compared at a time
const LONGER = 40; // words that begin with the one that is being typed
const WEIGHTS = 16;
const IN_PASSING = 5; // what a word counts at most where it is only mentioned
const STATISTIC = "healthcare_statistic";
const YEAR = /^(1[89]|20)\d\d$/;

// How much a word counts that was not typed so.
const RELATED = 0.5, NAMED = 0.5, LONGER_SHARE = 0.4, MEANT = 1, SHORTER = 0.6, CODE = 0.4;

/** @type {Map<string, Promise<any>>} */
const files = new Map();

// file reads a file of the index once, or again if it could not be read.
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

/** @type {OwnOf} */
const own = (list, name) => (Object.hasOwn(list, name) ? list[name] : undefined);

export async function openIndex() {
  const head = /** @type {SearchHead} */ (await file("head"));
  const { wordsOf, read, kindsMeant, besides, bucket, meant, small, stem } = makeTerms(head);

  // note keeps what a word counts in documents, which stand there as distances.
  /** @type {NoteOf} */
  function note(found, list, rare, from) {
    let sum = from * WEIGHTS;
    for (const step of list) {
      sum += step;
      const document = Math.floor(sum / WEIGHTS);
      found[document] = Math.max(found[document], (sum % WEIGHTS) * rare);
    }
  }

  // add adds the documents of a word, and reports whether it is more than mentioned.
  /** @type {AddOf} */
  async function add(term, word, share) {
    const entry = own(await file(`words/${bucket(word)}`), word);
    if (!entry) return false;
    const [count, ...list] = entry;
    if (!term.forms.some((form) => form.word === word)) {
      const rare = share * Math.log(1 + head.documents / count);
      note(term.found, list, rare, 0);
      term.forms.push({ word, rare, common: count > list.length });
      term.count += count;
      term.weight = Math.max(term.weight, rare);
    }
    let sum = 0;
    return list.some((/** @type {number} */ step) => (sum += step) % WEIGHTS > IN_PASSING);
  }

  // addNamed adds a word, and what it names elsewhere.
  /** @type {AddNamedOf} */
  async function addNamed(term, word, share, means = false) {
    const titled = await add(term, word, share);
    const named = titled ? share * NAMED : share;
    const names = /** @type {FileWords} */ (await file(`words/${bucket(word)}`))[""] ?? {};
    for (const target of own(names, word)?.split(" ") ?? []) {
      await add(term, target, target === whole(word) ? share * (means ? CODE / 2 : CODE) : named);
    }
  }

  // lookUp finds a word, or else longer ones, or what it was meant to be.
  /** @type {LookUpOf} */
  async function lookUp({ typed, word, said }, instead) {
    /** @type {Term} */
    const term = { forms: [], found: new Float64Array(head.documents), count: 0, weight: 0, year: "" };
    if (YEAR.test(word)) term.year = word;
    await add(term, word, 1);
    const others = besides(typed, word);
    for (const other of others) await add(term, other, term.forms.length ? RELATED : 1);
    await addNamed(term, word, 1, others.length > 0);
    if (!term.forms.length && !word.endsWith("=") && !/^\d/.test(word) && !small(typed) && !said) {
      await guess(term, typed, word, instead);
    }
    term.weight ||= Math.log(1 + head.documents);
    return term;
  }

  /** @type {GuessOf} */
  async function guess(term, typed, word, instead) {
    const words = /** @type {FileWords} */ (await file(`words/${bucket(word)}`));
    const names = Object.keys(words[""] ?? {}), beside = [...Object.keys(words), ...names];
    if ([...word].length >= head.prefix) {
      const longer = beside.filter((w) => w.startsWith(word) && !w.endsWith("=")).slice(0, LONGER);
      for (const w of longer) await addNamed(term, w, LONGER_SHARE);
    }
    if (term.forms.length) return;
    const near = meant(typed, beside.filter((w) => /^[^=\d]+$/.test(w)));
    for (const w of near) await addNamed(term, stem(w), MEANT);
    if (term.forms.length) instead.set(typed, near[0]);
    else {
      const least = /\p{Script=Han}/u.test(word) ? 2 : 5;
      const shorter = beside.filter((w) => word.startsWith(w) && [...w].length >= least)
        .reduce((a, b) => (b.length > a.length ? b : a), "");
      if (shorter) await addNamed(term, shorter, SHORTER);
    }
  }

  /** @param {number} document */
  const kindOf = (document) => head.shown.findLast((k) => k.count && k.first <= document);

  /** @type {ByIDOf} */
  async function byID(text) {
    const typed = text.trim();
    if (!/^[A-Za-z0-9][\w.-]*$/.test(typed)) return;
    for (const id of new Set([typed, typed.toLowerCase()])) {
      const kind = head.shown.find((k) => k.prefix && id.startsWith(k.prefix) && k.kind !== STATISTIC);
      const address = `/${kind?.folder}/${id}/`;
      if (kind && (await fetch(at(address), { method: "HEAD" })).ok) return { kind, row: { address, title: id } };
    }
  }

  // split divides a text into what matched and what stands between.
  /** @type {SplitOf} */
  const split = (text, words) => text.split(PIECE)
    .map((piece, i) => [piece, i % 2 === 1 && wordsOf(piece).some((w) => words.has(w))]);

  // begin searches the files of the words.
  /** @type {(text: string, ranges: FoundKind[]) => Promise<Found>} */
  async function begin(text, ranges) {
    /** @type {Map<string, string>} */
    const instead = new Map();
    const own = await byID(text), kinds = kindsMeant(text);
    const begun = head.shown.find(({ prefix }) => prefix && text.trim().startsWith(prefix)); // an ID, typed in part
    if (begun) kinds[begun.kind] = 4;
    const list = read(begun ? text.trim().slice(begun.prefix.length) : text);
    const all = await Promise.all(list.map((word) => lookUp(word, instead)));
    const has = all.map(({ forms, year }, i) => !!forms.length || !!year || list[i].word.endsWith("="));
    const counts = all.filter((_, i) => has[i] || !small(list[i].typed));
    const found = new Found(counts, instead, ranges, kinds);
    found.missing = list.filter(({ typed }, i) => !has[i] && !(counts.length && small(typed)))
      .map(({ typed, said }) => said ?? typed);
    if (found.total === undefined || found.left.length <= STEP) await found.compare();
    if (own) await found.lead(own);
    return found;
  }

  class Found {
    /**
     * @param {Term[]} terms
     * @param {Map<string, string>} instead
     * @param {FoundKind[]} ranges
     * @param {Record<string, number>} kinds how much more they count
     */
    constructor(terms, instead, ranges, kinds) {
      /** @type {Named | undefined} */
      this.own = undefined; // the record whose ID was typed, where it is not among the results
      /** @type {string[]} */
      this.missing = []; // words that matter and that nothing has, as they were typed
      this.leading = -1; // its document, where it is
      this.terms = terms;
      this.instead = instead;
      this.ranges = ranges;
      this.kinds = kinds;
      this.words = new Set(terms.flatMap(({ forms }) => forms.map(({ word }) => word)));
      this.within = ranges.reduce((sum, range) => sum + range.count, 0);
      this.left = this.needed();
      /** @type {Result[] | null} */
      this.sorted = null;
    }

    // needed returns the blocks to read, those of rare words first, and how many documents each has.
    needed() {
      const common = this.terms.filter(({ forms }) => forms.some((form) => form.common));
      if (!common.length) return [];
      const blockOf = (/** @type {number} */ document) => Math.floor(document / head.perBlock);
      /** @type {Map<number, number>} */
      const blocks = new Map();
      const size = (/** @type {Term} */ { found }) => found.reduce((n, score) => n + Math.sign(score), 0);
      const [few] = this.terms.filter((term) => !common.includes(term)).sort((a, b) => size(a) - size(b));
      few?.found.forEach((score, document) => { if (score) blocks.set(blockOf(document), 0); });
      for (const { first, count } of this.ranges) {
        for (let i = first, next; i < first + count; i = next) {
          next = Math.min(first + count, (blockOf(i) + 1) * head.perBlock);
          blocks.set(blockOf(i), (blocks.get(blockOf(i)) ?? 0) + next - i);
        }
      }
      return [...blocks].filter(([, n]) => n);
    }

    get whole() { return !this.left.length; }

    get total() {
      const [only, more] = this.terms;
      if (this.whole) return this.results().length;
      return !more && only.forms.length === 1 && this.within === head.documents ? only.count : undefined;
    }

    get compared() { return this.within - this.left.reduce((sum, [, n]) => sum + n, 0); }

    async compare() {
      const next = this.left.slice(0, STEP);
      await Promise.all(next.flatMap(([block]) => this.terms.flatMap(({ forms, found }) =>
        forms.filter((form) => form.common).map(async ({ word, rare }) => {
          const words = await file(`blocks/${block * head.shares + (bucket(word) % head.shares)}`);
          note(found, own(words, word) ?? [], rare, block * head.perBlock);
        }))));
      this.left = this.left.filter((block) => !next.includes(block));
      this.sorted = null;
    }

    /** @param {Named} named */
    async lead(named) {
      const best = this.results().slice(0, 4 * STEP).map(({ document }) => document);
      const shown = await rows(best);
      const i = shown.findIndex(({ address }) => address === named.row.address);
      if (i < 0) this.own = named;
      else this.leading = best[i];
      this.sorted = null;
    }

    // ofYears returns all indicators with figures for the years, if nothing else was typed.
    /** @type {() => Result[]} */
    ofYears() {
      const { terms } = this;
      return !terms.length ? [] : this.ranges.filter(({ years }) =>
        years && terms.every(({ year }) => year && year >= years[0] && year <= years[1]))
        .flatMap(({ first, count }) =>
          Array.from({ length: count }, (_, i) => ({ document: first + i, all: true, score: 1 })));
    }

    // results are the documents that have words, the best first.
    /** @type {() => Result[]} */
    results() {
      if (this.sorted) return this.sorted;
      const whole = this.terms.reduce((sum, { weight }) => sum + weight, 0);
      const years = this.terms.filter(({ year }) => year);
      /** @type {Result[]} */
      const results = [];
      for (const { first, count, kind, boost } of this.ranges) {
        const dates = kind === STATISTIC ? years : [], more = boost * (this.kinds[kind] ?? 1);
        for (let document = first; document < first + count; document++) {
          let weight = 0, score = 0, all = true;
          for (const term of this.terms) {
            const counts = term.found[document];
            score += counts;
            if (counts) weight += term.weight;
            else all = false;
          }
          if (!weight) continue;
          const dated = dates.reduce((sum, t) => sum + (t.found[document] ? 0 : t.weight), 0);
          const share = (weight + dated) / whole;
          if (share < 0.5 && score / weight < IN_PASSING) continue;
          results.push({ document, all, score: score * share ** 3 * more });
        }
      }
      if (!results.length) results.push(...this.ofYears());
      results.sort((a, b) => b.score - a.score || a.document - b.document);
      const leads = results.findIndex(({ document }) => document === this.leading);
      if (leads > 0) results.unshift(...results.splice(leads, 1));
      return this.sorted = results;
    }
  }

  // rows are what is shown of documents, by the names of columns.
  /** @type {RowsOf} */
  const rows = (documents) => Promise.all(documents.map(async (document) => {
    const row = (await file(`rows/${Math.floor(document / head.chunk)}`))[document % head.chunk];
    return Object.fromEntries(head.columns.map((name, i) => [name, row[i]]));
  }));

  return { head, wordsOf, kindOf, begin, rows, split };
}
