// A CSV of recorded throws as people and spreadsheets write it, read as tower_sim/calibration reads it: spreadsheet.py and records.py.

import { csv, joinWords } from "../common/text";
import { type Head, TITLE, headOf } from "./night";

const SEPARATORS = [",", ";", "\t"];
const ANY = "any"; // the colour of cubes whose colours were not recorded
const UTF_16: Record<string, string> = { "255,254": "utf-16le", "254,255": "utf-16be" };

/** Return the text of a file: UTF-8, UTF-16 with a byte-order mark, or else Windows-1252. Throws an Error of one line for no text. */
export function decode(bytes: ArrayBuffer): string {
  const marked = UTF_16[new Uint8Array(bytes.slice(0, 2)).join()];
  for (const encoding of marked ? [marked] : ["utf-8", "windows-1252"]) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      if (!text.includes("\0")) return text;
    } catch {
      // another encoding
    }
  }
  throw new Error("The file is no text; allowed is a CSV; in a spreadsheet, save it as CSV (UTF-8).");
}

const nameOf = (cell: string) => cell.toLowerCase().replace(/^(thrown|out)\s+(?=\S)/, "$1_");
const isColumn = (cell: string) => /^(drop|throw|mark|note|thrown|out|(thrown|out)_.+)$/.test(nameOf(cell));

function cellsOf(line: string, separator: string): string[] {
  const cells = `${separator}${line}`.matchAll(new RegExp(`${separator} *(?:"((?:[^"]|"")*)" *(?=${separator}|$)|([^${separator}]*))`, "g"));
  return [...cells].map(([, quoted, bare]) => (quoted?.replaceAll('""', '"') ?? bare).trim());
}

/** Return the CSV as this page writes it. `usual` is the head of one that has none, or one that cannot be read. Throws an Error of one line for what is no such CSV. */
export function canonical(text: string, usual: (colours: string[], isGame: boolean) => Head): string {
  let [separator, title] = ["", ""];
  const lines: string[][] = [];
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const bare = line.trim();
    if (/^"*#/.test(bare)) title ||= bare.replace(/^"+/, "").startsWith(TITLE) ? bare.replace(/^"+/, "") : "";
    else if (bare && (separator || !/^"?sep=."?$/i.test(bare))) {
      const score = (sign: string) => cellsOf(line, sign).filter(isColumn).length;
      separator ||= SEPARATORS.reduce((best, sign) => (score(sign) > score(best) ? sign : best));
      const cells = cellsOf(line, separator);
      while (cells.length && !cells[cells.length - 1]) cells.pop();
      if (cells.length) lines.push(cells);
    }
  }
  const [names = [], ...rows] = lines.map((cells, i) => (i ? cells : cells.map(nameOf)));
  const colours = names.flatMap((name) => (name === "thrown" ? [ANY] : name.startsWith("thrown_") ? [name.slice(7)] : []));
  const counter = names.find((name) => name === "drop" || name === "throw");
  const columnOf = (kind: string, colour: string) => names.indexOf(colour === ANY && names.includes(kind) ? kind : `${kind}_${colour}`);
  const strange = names.filter((name) => !isColumn(name));
  const missing = colours.filter((colour) => columnOf("out", colour) < 0);
  if (!counter || !colours.length) throw new Error("This is no night; allowed is a CSV with the columns drop (or throw), thrown_COLOUR and out_COLOUR, or a link to one; copy it again, whole.");
  if (strange.length || missing.length) throw new Error(`The CSV ${strange.length ? `has the column ${strange[0]}` : `lacks the column out_${missing[0]}`}; allowed are ${counter}, thrown_COLOUR and out_COLOUR of each colour, mark and note; correct its first line.`);
  const head = readTitle(title, colours) ?? usual(colours, counter === "drop");
  const texts = rows.map((cells, i) => {
    const whole = (name: string, cell = "0") => {
      const number = /^(\d{1,9})(?:[.,]0{1,2})?$/.exec(cell || "0")?.[1];
      if (number === undefined) throw new Error(`Row ${i + 1} of the CSV, ${name}: ${cell}; allowed is a whole number, or nothing for 0; correct it.`);
      return Number(number);
    };
    if (cells.length > names.length) throw new Error(`Row ${i + 1} of the CSV has ${cells.length} cells; allowed are ${names.length}, as in its first line; correct it.`);
    const counts = ["thrown", "out"].flatMap((kind) => head.colours.map((colour) => whole(`${kind}_${colour}`, cells[columnOf(kind, colour)])));
    return [whole(counter, cells[names.indexOf(counter)]), ...counts, cells[names.indexOf("mark")] ?? "", cells[names.indexOf("note")] ?? ""];
  });
  const columns = ["thrown", "out"].flatMap((kind) => head.colours.map((colour) => `${kind}_${colour}`));
  return `${TITLE}${JSON.stringify(head)}\r\n${csv([[counter, ...columns, "mark", "note"], ...texts])}`;
}

/** The head of a line about a night, if it has these colours; null of another. */
function readTitle(title: string, colours: string[]): Head | null {
  try {
    const head = headOf(title.slice(TITLE.length));
    return joinWords([...head.colours].sort()) === joinWords([...colours].sort()) ? head : null;
  } catch {
    return null;
  }
}
