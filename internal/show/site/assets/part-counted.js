// What is counted, in the form that the language has for the number.
import { filled, written } from "./part-numbers.js";

/** @type {CountedOf} */
export const counted = (forms, n, tag) => filled(forms[new Intl.PluralRules(tag).select(n)], { n: written(n) });
