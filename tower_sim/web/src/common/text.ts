// Words and numbers as people read them.

/** "1 cube", "2 cubes"; `many` where it is not made by an s. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A sentence in whose {names} the values stand. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** "red", "red and blue", "red, blue and green". */
export function joinWords(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export const LONGEST_LINK = 250_000; // characters: some 300 throws by hand

/** Refuse a link, or what was pasted for one, that is longer than any that a page writes, before anything in it is read. */
export function checkLength(link: string): void {
  if (link.length > LONGEST_LINK) throw new RangeError(`The link has ${link.length} characters; allowed are up to ${LONGEST_LINK}; copy it again, whole and alone.`);
}

/** A name of a zone, a reading or a figure, as people read it: "coins and cargo" of "coins_and_cargo". */
export function plainName(name: string): string {
  return name.replaceAll("_", " ");
}

/** A text on one line, of at most so many letters as people count them: joiners and accents stay with theirs. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu, " ");
  const letters = typeof Intl.Segmenter === "function" ? Array.from(new Intl.Segmenter().segment(line), ({ segment }) => [...segment].slice(0, 16).join("")) : [...line];
  return letters.slice(0, most).join("");
}

export function capital(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

export function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

/** Return rows as CSV: cells of words in quotes, those that a spreadsheet would take for a formula begin with '. */
export type Cell = string | number | null;

export function csv(rows: Cell[][]): string {
  const cell = (value: Cell) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
