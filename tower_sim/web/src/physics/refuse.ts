// What is refused: a RangeError of one short line, which begins with the name of the field. The name is the error's `path` too.

const LONGEST = 60; // characters of a received value that are quoted
const OBEYED = // what a terminal or a page obeys and does not print
  /[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u;

/** Return the error that what the field at `path` is cannot be: `reason` says why, `allowed` what would do. */
export function refuse(path: string, reason: string, allowed: string): RangeError & { path: string } {
  const line = `${path} ${reason}; allowed is ${allowed}`.replace(new RegExp(OBEYED.source, "gu"), "?");
  return Object.assign(new RangeError(line), { path });
}

/** Return the error that the field at `path` is `value`, and what is allowed instead. */
export function wrongly(path: string, value: unknown, allowed: string) {
  return refuse(path, `is ${quote(value)}`, allowed);
}

/** Whether a terminal or a page prints all of a text. */
export function prints(text: string): boolean {
  return !OBEYED.test(text);
}

/** Return a received value as JSON writes it, cut where it is long. */
export function quote(value: unknown): string {
  let text = String(value?.constructor?.name); // of what has no form in JSON
  try {
    text = typeof value === "number" || typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? text;
  } catch {
    // a circle, or a whole number of any size within a list
  }
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

export const MADE = "a state that the model has made";

/** Return the error that a part of a state, `path` in it, has what none can have. */
export function impossible(path: string, what: string) {
  return refuse(`state.${path}`, `has ${what}`, MADE);
}
