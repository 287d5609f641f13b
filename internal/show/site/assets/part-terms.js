// Splits queries into words, as internal/show/search does.

/** @typedef {Omit<SearchHead, "documents" | "chunk" | "perBlock" | "shares" | "columns" | "shown">} TermsHead */

const IN_WORD = "[\\p{L}\\p{Nd}]";
const DOTTED = "\\p{L}(?:\\.\\p{L})+"; // an abbreviation
const THOUSANDS = "[1-9]\\d{0,2}(?:[,.'\u2019 \u00a0\u202f]\\d{3})+";
const JOINED = new RegExp(`(?<!${IN_WORD})(?:${DOTTED}|${THOUSANDS})(?!${IN_WORD})`, "gu");
const WORD = `${IN_WORD}[\\p{L}\\p{M}\\p{Nd}]*`;
const WORDS = new RegExp(WORD, "gu");
const DOI = /\b10\.\d{4,9}\/\S+/g;

export const PIECE = new RegExp(`(${JOINED.source}|${WORD})`, "u");

// LETTERS have no accent to take away; people write others instead.
/** @type {Record<string, string>} */
const LETTERS = {
  ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ة: "ه", ى: "ي", ی: "ي", ک: "ك", ء: "", ـ: "",
};

for (const digits of ["٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"]) [...digits].forEach((d, i) => { LETTERS[d] = String(i); });

/** @param {string} text */
export const fold = (text) => text.toLowerCase().replace(/[^\0-~]/g, (letter) => LETTERS[letter] ?? letter)
  .normalize("NFD").replace(/\p{M}/gu, "");

// sift hides the elements that do not contain a text, or whose summary does not if they have one.
/** @param {Iterable<Element>} list @param {string} text */
export function sift(list, text) {
  const wanted = fold(text.trim());
  for (const e of list) {
    e.toggleAttribute("hidden", !fold((e.querySelector("summary") ?? e).textContent).includes(wanted));
  }
}

// whole returns the word for a text that is found only as a whole. It is reversed, as such texts differ at their ends.
/** @param {string} text */
export const whole = (text) => `${[...fold(text).replace(/[^\p{L}\p{Nd}]/gu, "")].slice(0, 32).reverse().join("")}=`;

/** @param {TermsHead} head */
export function makeTerms(head) {
  const { joining, asking, synonyms, related, phrases, meant, known: other, small, prefix, buckets, spelling } = head;
  const skipped = new Set(joining.split(" ")), asked = new Set(asking.split(" ")), same = new Map(synonyms);
  const correct = new Set([...synonyms.flat(), ...other.split(" ")]), tiny = new Set(small.split(" "));
  const besides = new Map(related.flatMap(([words, others]) =>
    words.split(" ").map((word) => [word, others.split(" ")])));
  /** @type {string[]} */
  let known;

  /** @param {string} word */
  function stem(word) {
    if (skipped.has(word)) return "";
    const letters = [...word];
    let { length } = letters;
    if (length < 2 && word.charCodeAt(0) < 128) return "";
    if (length > 32) [word, length] = [letters.slice(0, 32).join(""), 32];
    if (length > 3) word = word.replace(/^\u0648?\u0627\u0644/, "");
    length = [...word].length;
    word = word.replace("isation", "ization");
    if (length > 4 && word.endsWith("ies")) word = `${word.slice(0, -3)}y`;
    else if (length > 3 && /[^sui]s$/.test(word)) word = word.slice(0, -1);
    return same.get(word) ?? word;
  }

  /** @param {string} text */
  const pieces = (text) => text.replace(JOINED, (m) => m.replace(/[^\p{L}\p{Nd}]/gu, "")).match(WORDS) ?? [];

  /** @param {string} text */
  const wordsOf = (text) => [...new Set(pieces(fold(text)).map(stem).filter(Boolean))];

  return {
    wordsOf, // the words of a text, each once

    // read returns the words to search for, without those of a question if there are others.
    /** @param {string} text */
    read(text) {
      let rest = fold(text);
      const identifiers = rest.match(DOI) ?? [];
      for (const doi of identifiers) rest = rest.replace(doi, " ");
      if (identifiers.length) rest = rest.replace(/https?:\/\/(dx\.)?(doi\.org)?|\bdoi\b/g, " ");
      /** @type {Map<string, string>} */
      const said = new Map(); // phrases, by the words that they are looked for as
      for (const [phrase, word] of phrases) {
        if (rest.includes(phrase)) said.set(word, phrase);
        rest = rest.replaceAll(phrase, word);
      }
      const list = pieces(rest);
      const questions = list.filter((word, i) => asked.has(word) || (word === "who" && asked.has(list[i + 1])));
      const telling = list.filter((word) => !questions.includes(word));
      /** @type {Map<string, string>} */
      const found = new Map();
      for (const typed of telling.some(stem) || identifiers.length ? telling : list) {
        const word = stem(typed);
        if (word && !found.has(word)) found.set(word, typed);
      }
      for (const typed of identifiers) found.set(whole(typed), typed);
      return [...found].map(([word, typed]) => ({ word, typed, said: said.get(typed) }));
    },

    // kindsMeant is how much more kinds of records count for a question.
    /** @param {string} text */
    kindsMeant(text) {
      /** @type {Record<string, number>} */
      const kinds = {};
      const asks = fold(text).trim();
      for (const { words, kinds: more } of meant) if (new RegExp(words).test(asks)) Object.assign(kinds, more);
      return kinds;
    },

    /** @type {(typed: string, word: string) => string[]} */
    besides: (typed, word) => besides.get(typed) ?? besides.get(word) ?? [],

    // bucket is the file that a word is in, by its first letters.
    /** @param {string} word */
    bucket(word) {
      let hash = 0x811c9dc5;
      const first = [...word].slice(0, prefix).join("");
      for (const byte of new TextEncoder().encode(first)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
      return hash % buckets;
    },

    // meant returns corrections of a misspelt word: one letter away, or two for long words, with the same first letter.
    /** @type {MeantOf} */
    meant(typed, more = []) {
      const { length } = typed;
      if (length < 4 || /\d/.test(typed) || correct.has(typed) || correct.has(stem(typed))) return [];
      known ??= [...new Set([...spelling.split(" "), ...same.keys(), ...besides.keys()])];
      let least = length < 8 ? 1 : 2;
      /** @type {string[]} */
      let found = [];
      for (const other of new Set([...known, ...more])) {
        if (other[0] !== typed[0] || (length === 4 && other.length === 4 && !swapped(typed, other))) continue;
        const d = Math.min(distance(typed, other, least), distance(stem(typed) || typed, other, least));
        if (d > least || d === 0) continue;
        if (d < least) found = [];
        least = d;
        found.push(other);
      }
      return found.slice(0, 3);
    },
    small: (/** @type {string} */ typed) => tiny.has(typed), // does not count where no record has it
    stem,
  };
}

// swapped: whether two words have the same letters
/** @type {(a: string, b: string) => boolean} */
const swapped = (a, b) => [...a].sort().join() === [...b].sort().join();

// distance counts inserted, deleted, replaced and swapped letters, up to most.
/** @type {DistanceOf} */
export function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  /** @type {number[]} */
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (exchanged) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
