// JSON as Python writes it: numbers that are real with their point, letters beyond ASCII as \u and four digits.

/** A real number, which Python writes otherwise than a whole one. */
export function real(number: number): { real: number } {
  return { real: number };
}

/** Return a value as Python's json writes it; reals are of `real`, `comma` and `colon` what stands between. */
export function pythonJson(value: unknown, comma = ", ", colon = ": "): string {
  if (typeof value === "string") return pythonText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return String(value + 0);
  if (Array.isArray(value)) return `[${value.map((each) => pythonJson(each, comma, colon)).join(comma)}]`;
  const { real: number } = value as { real?: unknown };
  if (typeof number === "number") return pythonReal(number);
  const items = Object.entries(value as object).map(([key, each]) => pythonText(key) + colon + pythonJson(each, comma, colon));
  return `{${items.join(comma)}}`;
}

/** Return a real number as Python's repr: the fewest digits that give it back, an exponent under 1e-4 and from 1e16 on. */
export function pythonReal(x: number): string {
  const size = Math.abs(x);
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(x) ? `${x}.0` : String(x);
  const [digits, exponent] = x.toExponential().split("e");
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
