// JSON as Python writes it: numbers that are real with their point, letters beyond ASCII as \u and four digits.

/** A real number, which Python writes otherwise than a whole one. */
export function real(number) {
  return { real: number };
}

/** Return a value as Python's json writes it; reals are of `real`, `comma` and `colon` what stands between. */
export function pythonJson(value, comma = ", ", colon = ": ") {
  if (typeof value === "string") return pythonText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return String(value + 0);
  if (Array.isArray(value)) return `[${value.map((each) => pythonJson(each, comma, colon)).join(comma)}]`;
  if (typeof value.real === "number") return pythonReal(value.real);
  const items = Object.entries(value).map(([key, each]) => pythonText(key) + colon + pythonJson(each, comma, colon));
  return `{${items.join(comma)}}`;
}

/** Return a real number as Python's repr: the fewest digits that give it back, an exponent under 1e-4 and from 1e16 on. */
export function pythonReal(x) {
  const size = Math.abs(x);
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(x) ? `${x}.0` : String(x);
  const [digits, exponent] = x.toExponential().split("e");
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function pythonText(text) {
  return JSON.stringify(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Return a number as Python's format "g" with so many digits. */
export function general(x, digits) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [shown, exponent] = x.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < digits) return short(x.toFixed(Math.max(digits - 1 - power, 0)));
  return `${short(shown)}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
