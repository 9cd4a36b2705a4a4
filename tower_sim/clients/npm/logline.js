// The lines of a log of verifiable draws: JSON that every reader reads alike, and the fields that a line of each kind has.
// tower_sim/service/verifiable/lines.py and form.py say the same, in the same words.

const SCHEMA = "tower-sim/verifiable-log";
const FRAME = /^\{"entry":(\{[ -~]*\}),"signature":"([0-9a-f]{128})"\}$/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WHOLE = /^-?\d+$/;
const REAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MOST_DEPTH = 40;
const MOST_DIGITS = 60;
const CHANGED = "it has not the form of a line of such a log: something in it was changed";
const TWICE = "it says a key twice, so that two readers may read it otherwise";

/** Return a line's `entry` as signed, its `signature` and the `fields` of the entry; or what is `wrong`. */
export function takenApart(line) {
  const [, entry, signature] = FRAME.exec(line) ?? [];
  if (entry === undefined) return { wrong: CHANGED };
  const isReal = (token) => REAL.test(token) && !WHOLE.test(token) && Number.isInteger(Number(token));
  let fields;
  try {
    // 1.0 is no whole number, though JavaScript has one number for both: it is left as a text, which no number equals
    fields = JSON.parse(entry.replace(TOKEN, (token) => (isReal(token) ? `"${token}"` : token)));
  } catch {
    return { wrong: CHANGED };
  }
  const wrong = misread(entry);
  return wrong === undefined ? { entry, signature, fields } : { wrong };
}

/** Say what is wrong with JSON that other readers read otherwise or not at all. */
function misread(json) {
  const open = []; // the keys of each object that is open, null for a list
  let isTwice = false;
  const tokens = json.match(TOKEN);
  for (const [i, token] of tokens.entries()) {
    if (token === "}" || token === "]") open.pop();
    else if (tokens[i + 1] === ":") {
      const name = JSON.parse(token);
      const keys = open[open.length - 1];
      isTwice ||= keys.has(name);
      keys.add(name);
    } else if (token !== ":" && token !== ",") {
      if (open.length > MOST_DEPTH) return CHANGED;
      if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
      else if (WHOLE.test(token) && (token === "-0" || token.replace("-", "").length > MOST_DIGITS)) return CHANGED;
      else if (REAL.test(token) && !Number.isFinite(Number(token))) return CHANGED;
    }
  }
  return isTwice ? TWICE : undefined;
}

const hexOf = (digits) => (value) => isHex(value) && value.length === digits;
const isText = (value) => typeof value === "string";
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0 && value <= 1e15;
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isOf = (forms) => (value) => isTable(value) && compared(value, forms) === undefined;
const isLink = isOf({ old: hexOf(64), new: hexOf(64), signature: isHex });
const isSuccession = (value) => Array.isArray(value) && value.every(isLink);
const isBy = isOf({ tower_sim: isText, model: isText, edge: (value) => typeof value === "number" || REAL.test(value) });
const isAnything = () => true;

const EVERY = { number: isWhole, previous: hexOf(64), kind: isText };
const ROUND = { round: hexOf(32) };
const FIELDS = new Map([
  ["log", { schema: isText, version: isWhole, log: hexOf(32), tower_sim: isText, key: hexOf(64), succession: isSuccession }],
  ["key", { succession: isSuccession }],
  ["round", { ...ROUND, commitment: hexOf(64) }],
  ["words", { ...ROUND, words: isWords }],
  ["draw", { ...ROUND, index: isWhole, asked: isTable, answer: isAnything, by: isBy }],
  ["reveal", { ...ROUND, secret: hexOf(64), draws: isWhole }],
]);

/** Say what is wrong with the form of an entry: another field than its kind has, none, or one of another form. */
export function wrongForm(fields) {
  const { kind, schema, version } = fields;
  if (kind === "log" && (schema !== SCHEMA || version !== 1)) return "it is of another kind or version of log than this program can check";
  const forms = FIELDS.get(kind);
  return forms ? compared(fields, { ...EVERY, ...forms }) : "it does not say what such a line must say";
}

function compared(fields, forms) {
  const [more] = Object.keys(fields).filter((name) => !Object.hasOwn(forms, name)).sort();
  if (more !== undefined) return `it says more than such a line may say${/^[A-Za-z0-9_]{1,40}$/.test(more) ? `: '${more}'` : ""}`;
  const wrong = Object.keys(forms).find((name) => !Object.hasOwn(fields, name) || !forms[name](fields[name]));
  return wrong && `it does not say what such a line must say: look at its '${wrong}'`;
}

function isHex(value) {
  return isText(value) && !/[^0-9a-f]/.test(value);
}

/** Return whether these are words that Python calls printable, as far as languages agree on what letters there are. */
function isWords(value) {
  if (!isText(value) || /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value)) return false;
  const { length } = [...value];
  return length >= 8 && length <= 256;
}
