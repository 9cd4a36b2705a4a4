// Statistics of paired games by the compiled functions of tower_sim/compiled/paired.py, with what studies/comparison/paired.py says of them.

import { type Compiled, reals } from "../common/compiled";

export interface Estimate { mean: number; sd: number; low: number; high: number; half: number }
export type Verdict = "shown" | "likely" | "alike" | "open";

/** What the games say of a figure; all but `a` only where there is a B. `p` is adjusted for all figures together. */
export interface Row { a: Estimate; b: Estimate; difference: Estimate; isConstant: boolean; p: number; adjusted: number; shown: boolean; verdict: Verdict }

const LEVEL = 0.05; // chance that any figure without a difference is shown
export const CERTAIN = 1e-4;
const ALIKE = 0.1; // of A's mean: two means that differ by less are about the same
const Z = 1.959963984540054; // of the normal law, two-sided 95 %
const [SUMS, COLUMNS] = [7, 11]; // of paired.py

const estimateOf = (mean: number, sd: number, half: number): Estimate => ({ mean, sd, low: mean - half, high: mean + half, half });

/** Counts pairs of games: the values of the figures in A and in B, or in A alone. */
export class Pairs {
  n = 0;
  private a: number[] = [];
  private b: number[] = [];

  constructor(readonly compiled: Compiled, readonly figures: number) {}

  add(a: ArrayLike<number>, b = a): void {
    this.n++;
    for (let i = 0; i < this.figures; i++) {
      this.a.push(a[i]);
      this.b.push(b[i]);
    }
  }

  /** Return the row of each figure, of at least 2 pairs. */
  rows(): Row[] {
    const { compiled: { call }, figures, n } = this;
    const [sums, table] = [reals([SUMS, figures]), reals([figures, COLUMNS])];
    call("sum_pairs", [reals([n, figures], this.a), reals([n, figures], this.b), sums]);
    call("compare_pairs", [sums, table], n);
    return Array.from({ length: figures }, (_, i) => {
      const [meanA, sdA, halfA, meanB, sdB, halfB, mean, sd, half, p, adjusted] = table.values.subarray(COLUMNS * i, COLUMNS * (i + 1));
      const isConstant = Number.isNaN(half); // no pair differs from another
      const difference = estimateOf(mean, sd, isConstant ? 0 : half);
      const row = { a: estimateOf(meanA, sdA, halfA), b: estimateOf(meanB, sdB, halfB), difference, isConstant, p, adjusted, shown: adjusted <= LEVEL };
      return { ...row, verdict: verdict(row) };
    });
  }
}

/** Return a mean with its interval, from the sums of n numbers and of their squares. */
export function estimate(compiled: Compiled, sum: number, squares: number, n: number): Estimate {
  const mean = sum / n;
  const sd = Math.sqrt(Math.max(squares / n - mean * mean, 0) * (n / (n - 1)));
  return estimateOf(mean, sd, (compiled.run("student_point", 0.95, n - 1) * sd) / Math.sqrt(n));
}

/** Return what the pairs say of a difference, as Sureness has it in Python. */
function verdict({ shown, isConstant, difference: { low, high }, a }: Omit<Row, "verdict">): Verdict {
  if (shown) return "shown";
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
