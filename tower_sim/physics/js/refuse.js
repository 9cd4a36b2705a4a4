// What is refused, in the words of Python's errors: what was received, what is allowed, what to try; in one line.

import { pythonReal } from "./written.js";

const LONGEST = 120; // characters of a received value that are quoted
const OBEYED = // what a terminal or a page obeys and does not print
  /[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u;

/** Return the error for a caller's mistake: a RangeError, whose `path` is what is wrong. */
export function refuse(text, path = "") {
  const line = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).join(" ");
  return Object.assign(new RangeError(written(line)), { path });
}

/**
 * Return the error that `what` is `value`, and what is allowed instead. Real numbers are { real }, lists of them { reals }, and
 * those that Python has as a tuple { tuple }.
 */
export function wrongly(what, value, allowed, advice = "change it or leave it out") {
  return refuse(`${what} is ${quoted(value)}; allowed is ${allowed}; ${advice}`, what);
}

/** Return the error that `what` is a word that is none of the known ones; the nearest of them is suggested. */
export function unknownOf(what, word, known) {
  const meant = typeof word === "string" ? nearTo(word, known) : "";
  return wrongly(what, word, `one of ${known.join(", ")}`, `check its spelling${meant}`);
}

/** Whether a terminal or a page prints all of a text. */
export function prints(text) {
  return !OBEYED.test(text);
}

/** Return a received value as Python's errors quote it, on one line and not too long. */
export function quoted(value, longest = LONGEST) {
  if ((typeof value === "number" || typeof value === "bigint") && Math.abs(Number(value)) >= 1e40 && Number.isFinite(Number(value))) {
    return typeof value === "bigint" ? `a number of about ${String(value).replace("-", "").length} digits` : pythonNumber(value);
  }
  const given = typeof value === "string" && value.length > 2 * longest ? value.slice(0, longest) + value.slice(-longest) : value;
  const text = pythonRepr(given).split(/\s+/).filter(Boolean).join(" ");
  return text.length <= longest ? text : `${text.slice(0, Math.floor((longest * 2) / 3))}...${text.slice(-Math.ceil(longest / 6))}`;
}

/** Return "; did you mean ...?" with the known word nearest to `word`, or nothing: Python's difflib, ratio 0.6 and more. */
export function nearTo(word, known) {
  const typed = word.slice(0, LONGEST);
  let [best, most] = ["", 0.6];
  for (const each of known) {
    const ratio = likeness(each, typed);
    if (ratio >= most && (ratio > most || each > best)) [best, most] = [each, ratio];
  }
  return best && `; did you mean ${best}?`;
}

/** Return how alike two texts are, 0 to 1: twice the letters in matching blocks, by Ratcliff and Obershelp. */
function likeness(a, b) {
  const total = a.length + b.length;
  return total ? (2 * matching(a, b)) / total : 1;
}

function matching(a, b) {
  let [from, at, size] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      let k = 0;
      while (i + k < a.length && j + k < b.length && a[i + k] === b[j + k]) k++;
      if (k > size) [from, at, size] = [i, j, k];
    }
  }
  if (!size) return 0;
  return size + matching(a.slice(0, from), b.slice(0, at)) + matching(a.slice(from + size), b.slice(at + size));
}

function written(text) {
  return text.replace(new RegExp(OBEYED.source, "gu"), escapedSign);
}

function escapedSign(sign) {
  const code = sign.codePointAt(0);
  if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Return a value as Python's repr writes what JSON can hold. */
function pythonRepr(value) {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return pythonNumber(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return pythonQuoted(value);
  if (typeof value?.real === "number") return pythonReal(value.real);
  if (Array.isArray(value?.reals)) return `[${value.reals.map(pythonReal).join(", ")}]`;
  if (Array.isArray(value?.tuple)) return `(${value.tuple.map(pythonReal).join(", ")})`;
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (typeof value === "function") return "a function";
  return `{${Object.entries(value).map(([key, each]) => `${pythonQuoted(key)}: ${pythonRepr(each)}`).join(", ")}}`;
}

function pythonQuoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", [mark]: `\\${mark}` };
  return mark + written(text.replace(/[\n\r\t\\]|['"]/g, (sign) => named[sign] ?? sign)) + mark;
}

function pythonNumber(x) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  return Number.isInteger(x) && Math.abs(x) < 1e16 ? String(x) : String(x).replace(/e([+-])(\d)$/, "e$10$2");
}
