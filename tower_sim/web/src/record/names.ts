// Names of players and colours, from what was typed: none is lost without a word.

import { joinWords, oneLine, plural } from "../common/text";

const LONGEST = 20; // letters of a name
export const MOST_NAMES = 24; // players, or colours, of a night
const SEPARATORS = /[,;\n،؛、，；]/u;

/** Return a name on one line without blanks around it, of at most `most` letters; "" of what cannot be seen. A CSV writes ' before =, + and the like. */
export function playerName(name: string, most = LONGEST): string {
  const bare = (text: string) => text.replace(/^[\s\u200c\u200d]+|[\s\u200c\u200d]+$/gu, "").replace(/^'+(?=[=+\-@])/, "");
  const line = bare(oneLine(bare(oneLine(name, name.length)), most));
  return /[^\p{Cf}\p{M}\p{Z}]/u.test(line) ? line : "";
}

/** Return the colours in a text, each once, as the columns of a CSV have them. */
export function readColours(text: string, before: string[]): string[] {
  const typed = text.split(SEPARATORS).map((name) => playerName(name.replace(/\p{C}/gu, "").toLowerCase(), text.length).trim());
  return distinct([...new Set(typed)].filter((name) => name && !before.includes(name)), before);
}

/** Return the players in a text; a name that is there already, or was before, gets a number. */
export function readPlayers(text: string, before: string[] = []): string[] {
  return distinct(text.split(SEPARATORS).filter((name) => playerName(name)), before);
}

function distinct(names: string[], before: string[]): string[] {
  const found: string[] = [];
  for (const typed of names) {
    let name = playerName(typed);
    for (let n = 2; before.includes(name) || found.includes(name); n++) name = `${playerName(typed, LONGEST - 1 - String(n).length)} ${n}`;
    found.push(name);
  }
  return found;
}

/** What the page read in the names that were typed, in a sentence. */
export function wordsOfNames(names: string[], one: string, typed: string): string {
  if (names.length > MOST_NAMES) return `${names.length} ${one}s; a night has at most ${MOST_NAMES}: leave some out.`;
  const whole = typed.split(SEPARATORS).map((name) => playerName(name, typed.length)).filter(Boolean);
  const isChanged = whole.some((name) => !names.includes(name) && !names.includes(name.toLowerCase())) || new Set(whole).size < whole.length;
  return `${plural(names.length, one)}: ${joinWords(names)}.${isChanged ? ` Each name is there once, with at most ${LONGEST} letters.` : ""}`;
}
