// How a search reads what is typed. Words become what they are in the index, which internal/show/search made; a test
// holds the two together.

/** @typedef {import("./types").SearchHead} SearchHead */
/** @typedef {Pick<SearchHead, "joining" | "synonyms" | "prefix" | "buckets" | "spelling">} TermsHead */

// makeTerms answers with what the head of an index says of words.
/** @param {TermsHead} head */
export function makeTerms({ joining, synonyms, prefix, buckets, spelling }) {
  const skipped = new Set(joining.split(" ")), same = new Map(synonyms);
  /** @type {string[]} */
  let known;

  /** @param {string} word */
  function stem(word) {
    if (skipped.has(word)) return "";
    const letters = [...word];
    if (letters.length > 32) word = letters.slice(0, 32).join("");
    else if (letters.length < 2 && word.charCodeAt(0) < 128) return "";
    if (/^[0-9]{5,}$/.test(word)) return "";
    word = word.replace("isation", "ization");
    if (word.length > 4 && word.endsWith("ies")) word = `${word.slice(0, -3)}y`;
    else if (word.length > 3 && /[^sui]s$/.test(word)) word = word.slice(0, -1);
    return same.get(word) ?? word;
  }

  return {
    // wordsOf are the words of a text, each once.
    /** @param {string} text */
    wordsOf(text) {
      const letters = text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
      return [...new Set(letters.split(/[^\p{L}\p{Nd}]+/u).filter(Boolean).map(stem).filter(Boolean))];
    },

    // bucket is the file that a word is in, by its first letters.
    /** @param {string} word */
    bucket(word) {
      let hash = 0x811c9dc5;
      const first = [...word].slice(0, prefix).join("");
      for (const byte of new TextEncoder().encode(first)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
      return hash % buckets;
    },

    // meant are the known words that a misspelt one comes nearest to.
    /** @param {string} word */
    meant(word) {
      known ??= spelling.split(" ");
      let least = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
      /** @type {string[]} */
      let found = [];
      for (const other of known) {
        const d = distance(word, other, least);
        if (d > least || d === 0) continue;
        if (d < least) found = [];
        least = d;
        found.push(other);
      }
      return found.slice(0, 3);
    },
  };
}

// distance counts the letters to insert, delete, replace or swap, as far as there are not more than some.
/**
 * @param {string} a
 * @param {string} b
 * @param {number} most
 */
export function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  /** @type {number[]} */
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
