// Statistics of paired games, as tower_sim/compare/paired.py has them: means, differences with Student's intervals, and p
// adjusted for all figures together.

/** Sums over pairs of games, a number a figure: of A, of B, of their difference, and of the squares. */
export interface Moments { n: number; a: Float64Array; b: Float64Array; d: Float64Array; aa: Float64Array; bb: Float64Array; dd: Float64Array }
export interface Estimate { mean: number; sd: number; low: number; high: number; half: number }
export type Verdict = "shown" | "likely" | "alike" | "open";

/** What the games say of a figure; all but `a` only where there is a B. */
export interface Row { a: Estimate; b: Estimate; difference: Estimate; isConstant: boolean; p: number; adjusted: number; shown: boolean; verdict: Verdict }

const LEVEL = 0.05; // chance that any figure without a difference is shown
export const CERTAIN = 1e-4;
const ALIKE = 0.1; // of A's mean: two means that differ by less are about the same
const Z = 1.959963984540054; // of the normal law, two-sided 95 %

/** Return sums over pairs of k figures, to which `add` adds one pair; without `b` those of A alone. */
export function moments(k: number): Moments {
  const [a, b, d, aa, bb, dd] = Array.from({ length: 6 }, () => new Float64Array(k));
  return { n: 0, a, b, d, aa, bb, dd };
}

export function add(sums: Moments, a: ArrayLike<number>, b: ArrayLike<number> | null): void {
  sums.n++;
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b ? b[i] : 0;
    sums.a[i] += x;
    sums.b[i] += y;
    sums.d[i] += y - x;
    sums.aa[i] += x * x;
    sums.bb[i] += y * y;
    sums.dd[i] += (y - x) * (y - x);
  }
}

/** Return the p-value, two-sided, of a standard normal number: its error is below 1.2e-7 of it. */
function normalP(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * x);
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ];
  return t * Math.exp(-x * x + terms.reduce((sum, term) => sum * t + term, 0));
}

/** Return the p-value of Student's law, by the normal number that is as far out (Wallace 1959). */
function studentP(t: number, degrees: number): number {
  const z = ((8 * degrees + 1) / (8 * degrees + 3)) * Math.sqrt(degrees * Math.log1p((t * t) / degrees));
  return normalP(z);
}

/** Return Student's 97.5 % point, by Cornish and Fisher's expansion: to 1e-5 from 50 degrees of freedom on. */
function student(degrees: number): number {
  const z = Z;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

export function estimate(sum: number, squares: number, n: number): Estimate {
  const mean = sum / n;
  const sd = Math.sqrt(Math.max(squares / n - mean * mean, 0) * (n / (n - 1)));
  const half = (student(n - 1) * sd) / Math.sqrt(n);
  return { mean, sd, low: mean - half, high: mean + half, half };
}

/** Return the rows of figures: { key, title, unit, a, b, difference, low, high, p, shown, verdict }; of A alone without B. */
export function rows<F>(sums: Moments, figuresOf: F[], isPaired: boolean): (F & Row)[] {
  const n = sums.n;
  const found = figuresOf.map((figure, i) => {
    const a = estimate(sums.a[i], sums.aa[i], n);
    if (!isPaired) return { ...figure, a } as F & Row;
    const difference = estimate(sums.d[i], sums.dd[i], n);
    const isConstant = difference.sd <= 1e-9 * Math.max(1, Math.abs(sums.a[i] / n));
    const t = difference.mean / (difference.sd / Math.sqrt(n));
    const never = Math.abs(difference.mean) <= 1e-12;
    const p = isConstant ? (never ? 1 : 2 ** (1 - n)) : studentP(t, n - 1);
    return { ...figure, a, b: estimate(sums.b[i], sums.bb[i], n), difference, isConstant, p } as F & Row;
  });
  if (isPaired) holm(found);
  return found;
}

/** Adjust the p-values of rows for being several (Holm 1979), and say which differences are shown. */
function holm(found: Row[]): void {
  const order = [...found].sort((x, y) => x.p - y.p);
  let most = 0;
  order.forEach((row, i) => {
    most = Math.max(most, Math.min(1, row.p * (order.length - i)));
    row.adjusted = most;
    row.shown = most <= LEVEL;
    row.verdict = verdict(row);
  });
}

/** Return what the pairs say of a difference: "shown", "likely", "alike" or "open", as Sureness has it in Python. */
function verdict({ shown, isConstant, difference, a }: Row): Verdict {
  if (shown) return "shown";
  const [low, high] = isConstant ? [difference.mean, difference.mean] : [difference.low, difference.high];
  if (!isConstant && (low > 0 || high < 0)) return "likely";
  return Math.max(-low, high) <= ALIKE * Math.abs(a.mean) ? "alike" : "open";
}

/** Return a share with Wilson's 95 % interval. */
export function share(hits: number, n: number): { share: number; low: number; high: number } {
  const p = hits / n;
  const middle = (p + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  return { share: p, low: middle - half, high: middle + half };
}
