// A night as it was recorded: what was tapped, what that says of the tower, and its CSV, which `tower-sim tower test` reads.

import { bytesOfWord, wordOf } from "../common/bytes";
import { joinWords, sumOf } from "../common/text";
import { playerName } from "./names";
import { type Sheet, readSheet, writeSheet } from "./sheet";

/** What the night is of: `counts` cubes of each colour; `edge` in mm; the tower is one of the page's, or "mine". */
export interface Head { game: string; tower: string; edge: number; colours: string[]; counts: number[]; players: string[]; date: string }
/** One throw as it was told; `begins`: the tower was empty before, and a game or a series begins. Counts are by colour. Nobody counted those
 * thrown if `isProposed`: they are all that lay outside by the throws before, also after a correction of these. A recount is no throw: those
 * thrown minus those out are inside, and a game goes on with the phase `next`. */
export interface Throw { begins: boolean; thrown: number[]; isProposed: boolean; out: number[]; marks: string[]; who: string; next: number }
/** The throw that is being told: null is what the game proposes. `at` is the place of an earlier one that is corrected; the throw that
 * was being told is put `aside` meanwhile. Of a recount `thrown` are those inside. */
export interface Draft { begins: boolean; thrown: number[] | null; out: number[]; marks: string[]; who: string | null; next: number; side: "in" | "out"; at: number | null; isNew: boolean; aside: Draft | null }
export interface Night { head: Head; throws: Throw[]; draft: Draft }
export type Action =
  | ["begin", Head] | ["open", string] | ["head", Head, Record<string, string>] | ["in" | "out", number, number] | ["side", "in" | "out"] | ["mark" | "who", string]
  | ["done"] | ["empty"] | ["game"] | ["recount"] | ["next", number] | ["edit", number, boolean] | ["cancel"] | ["remove"];

/** A throw and what follows from those before: cubes inside `before` and `after`, its `phase` (0 the set-up), what cannot be. `isDue`: what was
 * thrown lay outside, and nothing of these colours was left there. */
export interface Played extends Throw { number: number; game: number; phase: number; before: number[]; after: number[]; wrong: string[]; isOdd: boolean; isDue: boolean }
/** What comes next: the phase, what the game proposes to throw, phases skipped because all their cubes are inside. `setup`: all cubes of the game. */
export interface Due { number: number; game: number; phase: number; before: number[]; setup: number[]; thrown: number[]; skipped: number[]; isOver: boolean }

export interface Rules { title: string; colours: string[]; counts: number[]; phases: number[]; rounds: number }

export const FREE = "free";
const MARKS = ["beside", "miscount", "knock", "spilled", "emptied", "recount"];

const none = (night: Night) => night.head.colours.map(() => 0);

/** Whether nothing was thrown, and something else happened: no phase of a game. */
export function isHappening(each: Pick<Throw, "thrown" | "marks">): boolean {
  return !sumOf(each.thrown) || isRecount(each);
}

export function isRecount({ marks }: Pick<Throw, "marks">): boolean {
  return marks.includes("recount");
}

/** The counts of a recount: all cubes of a game, and those of them that are not inside. */
function recount(inside: number[], all: number[] | null): Pick<Throw, "thrown" | "out"> {
  const thrown = all ?? inside;
  return { thrown, out: thrown.map((cubes, c) => cubes - inside[c]) };
}

/** Follow the throws of a night by the rules of its game, null of free throws; then what is due. */
export function follow({ head, throws }: Pick<Night, "head" | "throws">, rules: Rules | null, begins = false): { played: Played[]; due: Due } {
  const zeros = head.colours.map(() => 0);
  let [inside, setup, number, game, phase] = [zeros, zeros, 0, 0, 0];
  const skips = (): number[] => {
    const skipped: number[] = [];
    if (rules && number) while (phase <= rules.rounds * rules.phases.length && setup[colourOf(rules, phase)] <= inside[colourOf(rules, phase)]) skipped.push(phase++);
    return skipped;
  };
  const played = throws.map((each): Played => {
    if (each.begins || !game) [inside, number, game, phase] = [zeros, 0, game + 1, 0];
    const outside = number ? inside.map((held, c) => setup[c] - held) : head.counts;
    const thrown = each.isProposed ? each.thrown.map((cubes, c) => cubes && (outside[c] || cubes)) : each.thrown;
    if (!number) setup = thrown;
    if (number && !isHappening(each)) skips();
    const wrong: string[] = [];
    thrown.forEach((cubes, c) => {
      if (rules && number && cubes && !isRecount(each) && cubes !== outside[c]) wrong.push(`${cubes} ${head.colours[c]} went in, and by the throws before ${outside[c]} lay outside`);
    });
    const isCounted = wrong.length > 0 || each.marks.includes("miscount");
    const before = isRecount(each) ? zeros : rules && number && isCounted ? inside.map((held, c) => (thrown[c] ? Math.max(setup[c] - thrown[c], 0) : held)) : inside;
    each.out.forEach((cubes, c) => {
      const there = before[c] + thrown[c];
      if (cubes < 0) wrong.push(`${thrown[c] - cubes} ${head.colours[c]} inside, and the game has ${thrown[c]}`);
      if (cubes > there) wrong.push(`${cubes} ${head.colours[c]} out, and only ${there} can be there (${thrown[c]} in, ${before[c]} inside)`);
    });
    const marks = MARKS.filter((mark) => each.marks.includes(mark) || (mark === "miscount" && wrong.length));
    const after = before.map((held, c) => (marks.includes("emptied") ? 0 : Math.max(held + thrown[c] - each.out[c], 0)));
    const isOdd = marks.some((mark) => mark !== "beside");
    const isDue = !isRecount(each) && thrown.every((cubes, c) => !cubes || cubes === outside[c]);
    const now: Played = { ...each, thrown, marks, number, game, phase, before, after, wrong, isOdd, isDue };
    inside = after;
    if (isRecount(each)) phase = each.next;
    else if (!isHappening(each)) phase++;
    number++;
    return now;
  });
  if (begins || !game) [inside, number, game, phase] = [zeros, 0, game + 1, 0];
  const skipped = skips();
  const isOver = rules !== null && phase > rules.rounds * rules.phases.length;
  let thrown = zeros;
  if (rules && !number) thrown = head.counts;
  else if (rules && !isOver) thrown = zeros.map((_, c) => (c === colourOf(rules, phase) ? setup[c] - inside[c] : 0));
  return { played, due: { number, game, phase, before: inside, setup: number ? setup : head.counts, thrown, skipped, isOver } };
}

/** The colour of a phase, which count from 1. */
export function colourOf(rules: Rules, phase: number): number {
  return rules.phases[(phase - 1) % rules.phases.length];
}

/** What is due at the place of the draft: at the end, or where an earlier throw is corrected. */
export function dueOf(night: Night, rules: Rules | null): Due {
  const { draft, throws, head } = night;
  return follow({ head, throws: throws.slice(0, draft.at ?? throws.length) }, rules, draft.begins).due;
}

export function readDraft(night: Night, rules: Rules | null): Throw {
  const { draft } = night;
  const due = dueOf(night, rules);
  const begins = draft.begins || !(draft.at ?? night.throws.length);
  if (isRecount(draft)) return { begins, ...recount(draft.thrown ?? due.before, rules && due.setup), isProposed: false, marks: draft.marks, who: "", next: draft.next || Math.max(due.phase, 1) };
  const thrown = draft.thrown ?? due.thrown;
  const isKnock = !sumOf(thrown) && (draft.thrown !== null || draft.marks.length + sumOf(draft.out) > 0);
  const who = draft.who ?? (isKnock ? "" : nextWho(night)); // a knock is nobody's turn
  return { begins, thrown, isProposed: rules !== null && !draft.thrown, out: draft.out, marks: draft.marks, who, next: 0 };
}

/** The throw of the draft as it would be played, for what cannot be. */
export function tryDraft(night: Night, rules: Rules | null): Played {
  const before = night.throws.slice(0, night.draft.at ?? night.throws.length);
  return follow({ head: night.head, throws: [...before, readDraft(night, rules)] }, rules).played.at(-1)!;
}

function nextWho({ head: { players }, throws, draft }: Night): string {
  const last = throws.slice(0, draft.at ?? throws.length).findLast((each) => players.includes(each.who) && !isHappening(each));
  return players.length ? players[last ? (players.indexOf(last.who) + 1) % players.length : 0] : "";
}

function newDraft(head: Head, begins = false): Draft {
  return { begins, thrown: null, out: head.colours.map(() => 0), marks: [], who: null, next: 0, side: head.game === FREE ? "in" : "out", at: null, isNew: false, aside: null };
}

/** Return the night after an action; `rules` of the game that a head names. */
export function after(night: Night | null, action: Action, rulesOf: (head: Head) => Rules | null): Night {
  if (action[0] === "begin") return { head: action[1], throws: [], draft: newDraft(action[1], true) };
  if (action[0] === "open") return nightOf(readSheet(action[1], () => { throw new Error("The line about the night is damaged; copy it again, whole."); }), rulesOf);
  if (!night) throw new Error("no night is begun");
  const { head, throws, draft } = night;
  const rules = rulesOf(head);
  const drafting = (part: Partial<Draft>): Night => ({ ...night, draft: { ...draft, ...part } });
  const put = (each: Throw): Night => {
    const at = draft.at ?? throws.length;
    const aside = draft.at === null && draft.begins ? null : draft.aside; // the game has begun
    return { head, throws: [...throws.slice(0, at), each, ...throws.slice(draft.at === null || draft.isNew ? at : at + 1)], draft: aside ?? newDraft(head) };
  };
  /** The night with what was told of the throw so far, if anything was. */
  const finish = (): Night => {
    const told = readDraft(night, rules);
    if (draft.thrown || sumOf(told.out)) return put(told);
    return told.marks.length ? put({ ...told, thrown: none(night), isProposed: false, who: draft.who ?? "" }) : night;
  };
  switch (action[0]) {
    case "head": return changeHead(night, action[1], action[2], rulesOf);
    case "recount": return { head, throws, draft: { ...newDraft(head, draft.begins), marks: ["recount"], aside: draft } };
    case "next": return drafting({ next: action[1] });
    case "in": {
      const now = [...(draft.thrown ?? dueOf(night, rules)[isRecount(draft) ? "before" : "thrown"])];
      now[action[1]] = action[2];
      return drafting({ thrown: now });
    }
    case "out": return drafting({ out: draft.out.map((cubes, c) => (c === action[1] ? action[2] : cubes)) });
    case "side": return drafting({ side: action[1] });
    case "mark": return drafting({ marks: draft.marks.includes(action[1]) ? draft.marks.filter((mark) => mark !== action[1]) : [...draft.marks, action[1]] });
    case "who": return drafting({ who: action[1] });
    case "done": return put(readDraft(night, rules));
    case "empty": {
      const told = finish();
      const all: Throw = { begins: false, thrown: none(night), isProposed: false, out: follow(told, rules).due.before, marks: ["emptied"], who: "", next: 0 };
      return { head, throws: [...told.throws, all], draft: newDraft(head) };
    }
    case "game": return { ...finish(), draft: newDraft(head, true) };
    case "edit": {
      const [, at, isNew] = action;
      const edited: Draft = { ...newDraft(head), at, isNew, aside: draft.at === null ? draft : draft.aside };
      if (isNew) return { head, throws, draft: edited };
      const now = follow(night, rules).played[at];
      if (isRecount(now)) return { head, throws, draft: { ...edited, begins: now.begins, marks: now.marks, thrown: now.after, next: now.next } };
      const { thrown } = dueOf({ head, throws, draft: { ...edited, begins: now.begins } }, rules);
      const isProposed = now.isProposed && thrown.every((cubes, c) => cubes === now.thrown[c]);
      return { head, throws, draft: { ...edited, begins: now.begins, out: now.out, marks: throws[at].marks, who: now.who, thrown: isProposed ? null : now.thrown } };
    }
    case "remove": {
      const left = throws.filter((_, i) => i !== draft.at);
      if (draft.at !== null && throws[draft.at].begins && left[draft.at]) left[draft.at] = { ...left[draft.at], begins: true };
      return { head, throws: left, draft: draft.aside ?? newDraft(head, !left.length) };
    }
    case "cancel": return { head, throws, draft: draft.aside ?? newDraft(head, !throws.length) };
  }
}

/** Return the night as one of another game, tower or players; throws an Error of one line where that would lose cubes. */
function changeHead(night: Night, head: Head, renamed: Record<string, string>, rulesOf: (head: Head) => Rules | null): Night {
  const { head: before, draft } = night;
  const { played } = follow(night, rulesOf(before));
  const gone = before.colours.filter((colour, c) => !head.colours.includes(colour) && played.some((each) => (isRecount(each) ? each.after[c] : each.thrown[c] || each.out[c])));
  if (gone.length) throw new Error(`The night has ${joinWords(gone)} cubes. Choose a game with these colours, or first correct the throws that have them.`);
  const move = (counts: number[]) => head.colours.map((colour) => counts[before.colours.indexOf(colour)] ?? 0);
  const nameOf = (who: string) => (Object.hasOwn(renamed, who) ? renamed[who] : who);
  const rules = rulesOf(head);
  const throws = played.map((each, i): Throw => {
    const inside = move(each.after);
    const counts = isRecount(each) ? recount(inside, rules && head.counts.map((cubes, c) => Math.max(cubes, inside[c]))) : { thrown: move(each.thrown), out: move(each.out) };
    return { ...night.throws[i], ...counts, who: nameOf(each.who) };
  });
  const moveDraft = (told: Draft): Draft => ({
    ...told, thrown: told.thrown && move(told.thrown), out: move(told.out), who: told.who && nameOf(told.who),
    side: head.game === before.game ? told.side : newDraft(head).side, aside: told.aside && moveDraft(told.aside),
  });
  return { head, throws: head.game === before.game ? throws : proposals(head, throws, rules), draft: moveDraft(draft) };
}

/** Return the night as CSV: a row for each throw. */
export function csvOf(night: Night, rules: Rules | null): string {
  const rows = follow(night, rules).played.map((each) => [each.number, ...each.thrown, ...each.out, each.marks.join(" "), rules && isRecount(each) ? `phase ${each.next}` : each.who]);
  return writeSheet({ head: night.head, isGame: rules !== null, rows });
}

/** Return the night of a sheet; throws an Error of one line for a mark that there is not. */
function nightOf({ head, rows }: Sheet, rulesOf: (head: Head) => Rules | null): Night {
  const half = head.colours.length;
  const throws = rows.map((row, i): Throw => {
    const [number, ...counts] = row.slice(0, -2) as number[];
    const [marks, note] = [String(row.at(-2)).split(" ").filter(Boolean), String(row.at(-1))];
    if (!marks.every((mark) => MARKS.includes(mark))) throw new Error(`Row ${i + 1} of the night: a mark other than ${MARKS.join(", ")}; correct it.`);
    const each = { begins: number === 0, thrown: counts.slice(0, half), isProposed: false, out: counts.slice(half), marks, who: playerName(note, note.length), next: 0 };
    return isRecount(each) ? { ...each, who: "", next: Number(/^phase (\d{1,3})$/.exec(each.who)?.[1] ?? 1) } : each;
  });
  return { head, throws: proposals(head, throws, rulesOf(head)), draft: newDraft(head, !throws.length) };
}

/** Return throws, of which the page cannot know who counted what: what is as due nobody need have counted, and what cannot be is a miscount anyhow. */
function proposals(head: Head, throws: Throw[], rules: Rules | null): Throw[] {
  const { played } = follow({ head, throws }, rules);
  return throws.map((each, i) => ({ ...each, isProposed: rules !== null && played[i].isDue, marks: each.marks.filter((mark) => mark !== "miscount" || !played[i].wrong.length) }));
}

const MOST_BYTES = 5_000_000; // of a night that a link unpacks to

/** Return a text as a word for an address. */
export async function pack(text: string): Promise<string> {
  return wordOf(new Uint8Array(await stream(new Blob([text]), new CompressionStream("deflate-raw"))));
}

/** Return the text that `packed` made a word of; throws an Error of one line for any other. */
export async function unpack(word: string): Promise<string> {
  try {
    return new TextDecoder().decode(await stream(new Blob([bytesOfWord(word)]), new DecompressionStream("deflate-raw")));
  } catch {
    throw new Error("The link is damaged; copy it again, whole.");
  }
}

async function stream(blob: Blob, through: GenericTransformStream): Promise<ArrayBuffer> {
  const reader = blob.stream().pipeThrough(through as ReadableWritablePair<Uint8Array<ArrayBuffer>>).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value!.length;
    if (size > MOST_BYTES) throw new Error("more than a night has");
    chunks.push(value!);
  }
  return new Blob(chunks).arrayBuffer();
}
