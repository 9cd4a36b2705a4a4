// A CSV of recorded throws as people and spreadsheets write it, read as tower_sim/calibration reads it: spreadsheet.py and records.py.

import { type Cell, csv } from "../common/text";
import { MOST_NAMES, playerName } from "./names";
import type { Head } from "./night";

/** A CSV: what the night is of, whether its rows are the drops of a game, and these: number, counts thrown and out by colour, mark, note. */
export interface Sheet { head: Head; isGame: boolean; rows: Cell[][] }

const TITLE = "# tower_sim night 1 ";
const MOST = { cubes: 500, rows: 2000 };
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

/** Return a sheet as CSV: a line about the night, then a row for each throw. */
export function writeSheet({ head, isGame, rows }: Sheet): string {
  const columns = ["thrown", "out"].flatMap((kind) => head.colours.map((colour) => `${kind}_${colour}`));
  return `${TITLE}${JSON.stringify(head)}\r\n${csv([[isGame ? "drop" : "throw", ...columns, "mark", "note"], ...rows])}`;
}

/** Read a CSV. `usual` is the head of one that has none, or one that cannot be read. Throws an Error of one line for what is no such CSV. */
export function readSheet(text: string, usual: (colours: string[], isGame: boolean) => Head): Sheet {
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
  if (rows.length > MOST.rows) throw new Error(`The CSV has ${rows.length} rows; allowed are up to ${MOST.rows}; copy it again, whole.`);
  const isGame = counter === "drop";
  const head = headOf(title.slice(TITLE.length), colours) ?? usual(colours, isGame);
  const read = (cells: string[], i: number): Cell[] => {
    const wrong = (name: string, what: string, allowed: string) => new Error(`Row ${i + 1} of the CSV, ${name}: ${what}; allowed is ${allowed}; correct it.`);
    const whole = (name: string, cell = "0") => {
      const number = Number(/^(\d{1,9})(?:[.,]0{1,2})?$/.exec(cell || "0")?.[1] ?? NaN);
      if (Number.isNaN(number)) throw wrong(name, cell, "a whole number, or nothing for 0");
      if (number > MOST.cubes) throw wrong(name, cell, `a whole number up to ${MOST.cubes}`);
      return number;
    };
    if (cells.length > names.length) throw new Error(`Row ${i + 1} of the CSV has ${cells.length} cells; allowed are ${names.length}, as in its first line; correct it.`);
    const counts = ["thrown", "out"].flatMap((kind) => head.colours.map((colour) => whole(`${kind}_${colour}`, cells[columnOf(kind, colour)])));
    return [whole(counter, cells[names.indexOf(counter)]), ...counts, cells[names.indexOf("mark")] ?? "", cells[names.indexOf("note")] ?? ""];
  };
  return { head, isGame, rows: rows.map(read) };
}

/** Read the line about a night of these colours; null of another, and of a damaged one. */
function headOf(text: string, columns: string[]): Head | null {
  try {
    const { game, tower, edge, colours, counts, players, date } = parseHead(text);
    const isList = (value: unknown, of: (each: any) => boolean) => Array.isArray(value) && value.length <= MOST_NAMES && value.every(of);
    const isWord = (word: unknown) => typeof word === "string" && playerName(word) === word;
    const isCount = (count: unknown) => Number.isInteger(count) && (count as number) >= 0 && (count as number) <= MOST.cubes;
    const isFine = [game, tower, date].every(isWord) && edge > 0 && edge < 1000 && isList(colours, (word) => isWord(word) && word) && [...colours].sort().join() === [...columns].sort().join();
    return isFine && isList(counts, isCount) && counts.length === colours.length && isList(players, isWord) ? { game, tower, edge, colours, counts, players, date } : null;
  } catch {
    return null;
  }
}

/** Read the line about a night, also as a spreadsheet saves it: in cells, without some of its quotes. */
function parseHead(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    const bare = text.replaceAll('"', "").replace(/[;\t]/g, ",");
    const [, game, tower, edge, colours, counts, players, date] = /^\{game:(.*),tower:(.*),edge:(.*),colours:\[(.*)\],counts:\[(.*)\],players:\[(.*)\],date:([\d-]+)\}/.exec(bare)!;
    const list = (words: string) => words.split(",").filter(Boolean);
    return { game, tower, edge: Number(edge), colours: list(colours), counts: list(counts).map(Number), players: list(players), date };
  }
}
