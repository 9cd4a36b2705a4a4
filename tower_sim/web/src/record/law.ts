// What the model says of a throw, and the test of `tower-sim tower test`: tower_sim/calibration/reference.py and e_values.py,
// whose numbers these are to the last digits that floats keep. Python fits the reference; here it is only used.

import { sumOf } from "../common/text";
import { clamp } from "../scene/algebra";

/** Beta-binomial laws of a group of cubes: coefficients of the terms, then the logarithm of the size. */
type Laws = number[][];
export interface Reference {
  model: string; games: number; seed: string; setups: Record<string, Laws>; later: { thrown: Laws; resident: Laws } | null;
  thrown: [number, number]; inside: [number, number]; drops: [number, number]; ages: { later: number[]; setup: number[] };
}
/** The numbers of the test that Python writes: see e_values.py. */
export interface Constants { ages: number[]; alternatives: [string, number][]; colour_tilts: number[]; fine: [number, number, number]; strong: number; hint: number; very: number }

/** A recorded throw: counts by colour, `after` those inside after it. */
export interface Row { thrown: number[]; out: number[]; after: number[]; marks: string[]; game: number; isOdd: boolean }
interface Situation { row: Row; thrown: number; inside: number; out: number; drops: number; loose: number; cubes: number[]; odds: number[] }
export interface Bet { drops: number; e: number[]; out: number; predicted: number; evidence: Record<string, number>; between: [number, number] }
export interface Colours { e: number[]; drops: number; out: number[]; expected: number[]; most: { colour: number; more: boolean; share: number } }
export interface Check { e: number[]; setup: Bet; later: Bet; colours: Colours; skipped: string[] }

const expit = (x: number) => 1 / (1 + Math.exp(-x));

function logSum(values: ArrayLike<number>): number {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  if (most === -Infinity) return most;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i] - most);
  return most + Math.log(sum);
}

/** Probabilities of 0 to n cubes of a beta-binomial law, from the ratios of neighbours. */
function betaBinomial(n: number, mean: number, size: number): Float64Array {
  const [a, b] = [mean * size, (1 - mean) * size];
  const logs = new Float64Array(n + 1);
  for (let k = 0; k < n; k++) logs[k + 1] = logs[k] + Math.log(((n - k) / (k + 1)) * ((a + k) / (b + n - k - 1)));
  const all = logSum(logs);
  return logs.map((log) => Math.exp(log - all));
}

const meanOf = (law: number[], terms: number[]) => expit(clamp(terms.reduce((sum, term, i) => sum + term * law[i], 0), -20, 20));
const sizeOf = (law: number[]) => Math.exp(law[law.length - 1]);

export function pmfs(of: Reference, at: Situation): Float64Array[] {
  const { thrown: n, inside: m, loose } = at;
  if (isSetup(at)) return of.setups[n].map((law) => betaBinomial(n, meanOf(law, [1]), sizeOf(law)));
  const terms = [1, Math.log1p(n), m / 10, loose];
  return of.later!.thrown.map((law, i) => {
    const other = of.later!.resident[i];
    const [a, b] = [betaBinomial(n, meanOf(law, terms), sizeOf(law)), betaBinomial(m, meanOf(other, terms), sizeOf(other))];
    const both = new Float64Array(n + m + 1);
    for (let i = 0; i <= n; i++) for (let j = 0; j <= m; j++) both[i + j] += a[i] * b[j];
    return both;
  });
}

const isSetup = ({ drops, thrown }: Situation) => drops === 0 && thrown > 0;

/** Why the reference does not cover a throw; "" if it does. */
export function whyNot(of: Reference, at: Situation): string {
  if (at.row.isOdd) return `marked ${at.row.marks.join(" ")}`;
  if (!at.thrown) return "nothing thrown";
  if (isSetup(at)) return at.thrown in of.setups ? "" : `the model knows first throws of ${Object.keys(of.setups).join(", ") || "no"} cubes`;
  if (!of.later) return "the model knows first throws alone";
  const isIn = (value: number, [low, high]: [number, number]) => low <= value && value <= high;
  if (!isIn(at.thrown, of.thrown)) return `the model knows throws of ${of.thrown.join(" to ")} cubes`;
  if (!isIn(at.inside, of.inside)) return `the model knows ${of.inside.join(" to ")} cubes inside`;
  return isIn(at.drops, of.drops) ? "" : `the model knows the first ${of.drops[1] + 1} throws`;
}

/** The odds of cubes to come out at ages 0 to `drops` throws, in a tower that was empty so many throws ago. */
function oddsAt({ ages }: Reference, classes: number[], drops: number): number[] {
  const classOf = (age: number) => classes.findLastIndex((least) => least <= age);
  return Array.from({ length: drops + 1 }, (_, age) => (age === drops ? ages.setup : ages.later)[classOf(age)]);
}

/** Follows a tower throw by throw: `look` tells what an owner knows before a throw, `done` takes what came out. */
class Follower {
  private drops = 0;
  private game = 0;
  private before: number[] = [];
  private ages: number[][] = []; // expected cubes by colour and age
  private odds: number[] = [];

  constructor(readonly of: Reference, readonly constants: Constants) {}

  look(row: Row): Situation {
    if (row.game !== this.game) [this.game, this.drops, this.before, this.ages] = [row.game, 0, row.thrown.map(() => 0), row.thrown.map(() => [])];
    const { of, drops, before } = this;
    const odds = (this.odds = oddsAt(of, this.constants.ages, drops));
    const held = sumOf(this.ages.flat());
    let loose = 0;
    if (drops) {
      const mean = held > 0 ? this.ages.reduce((sum, each) => sum + each.reduce((part, cubes, age) => part + cubes * odds[age + 1], 0), 0) / held : of.ages.later[1];
      loose = Math.log(mean);
    }
    this.ages = this.ages.map((each, c) => [row.thrown[c], ...each]);
    const weights = this.ages.map((each) => each.reduce((sum, cubes, age) => sum + cubes * odds[age], 0));
    return { row, thrown: sumOf(row.thrown), inside: sumOf(before), out: sumOf(row.out), drops, loose, cubes: row.thrown.map((cubes, c) => cubes + before[c]), odds: weights };
  }

  done(row: Row): void {
    this.ages = this.ages.map((each, c) => left(each, row.out[c], this.odds));
    this.before = row.after;
    if (row.isOdd) this.ages = this.ages.map((each, c) => recount(each, row.after[c]));
    if (row.marks.includes("emptied")) [this.drops, this.ages] = [0, this.ages.map(() => [])];
    else if (sumOf(row.thrown)) this.drops++;
    else this.ages = this.ages.map((each) => each.slice(1));
  }
}

export function situations(rows: Row[], of: Reference, constants: Constants): Situation[] {
  const follower = new Follower(of, constants);
  return rows.map((row) => {
    const now = follower.look(row);
    follower.done(row);
    return now;
  });
}

/** The expected cubes by age that stay after so many came out. */
function left(ages: number[], out: number, odds: number[]): number[] {
  let [low, high] = [-40, 40];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    const many = ages.reduce((sum, cubes, age) => sum + cubes * expit(middle + Math.log(odds[age])), 0);
    if (many > out) high = middle;
    else low = middle;
  }
  return ages.map((cubes, age) => cubes * (1 - expit((low + high) / 2 + Math.log(odds[age]))));
}

function recount(ages: number[], inside: number): number[] {
  const now = sumOf(ages) < 1e-9 ? [1, ...ages.slice(1)] : ages;
  const all = sumOf(now);
  return now.map((cubes) => cubes * (inside / all));
}

export interface Expected { chances: number[]; mean: number; low: number; high: number; tail: number }

/** Return what was expected of each throw; null where the model does not know. `tail` is the chance of a number as far out. */
export function expectations(rows: Row[], of: Reference, constants: Constants): (Expected | null)[] {
  return situations(rows, of, constants).map((at) => {
    if (whyNot(of, at)) return null;
    const all = pmfs(of, at);
    const chances = Array.from(all[0], (_, k) => sumOf(all.map((pmf) => pmf[k])) / all.length);
    const up = (k: number) => sumOf(chances.slice(0, k + 1));
    const at95 = (share: number) => chances.findIndex((_, k) => up(k) >= share);
    const tail = Math.min(1, 2 * Math.min(up(at.out), 1 - up(at.out - 1)));
    return { chances, mean: chances.reduce((sum, p, k) => sum + p * k, 0), low: at95(0.05), high: at95(0.95), tail };
  });
}

/** Sums of log-likelihoods over throws: of each law, and of each alternative (by alternative, then law). */
interface Likelihoods { null: Float64Array; other: Float64Array[] }

function openSums(of: Reference, { alternatives }: Constants): Likelihoods {
  const laws = (of.later?.thrown ?? Object.values(of.setups)[0]).length;
  return { null: new Float64Array(laws), other: alternatives.map(() => new Float64Array(laws)) };
}

function bet(sums: Likelihoods, all: Float64Array[], out: number, { alternatives }: Constants): void {
  all.forEach((pmf, law) => {
    const logs = pmf.map((p) => Math.log(Math.max(p, 1e-300)));
    sums.null[law] += logs[out];
    alternatives.forEach(([name, value], i) => {
      const tilted = isTilt(name) ? logs.map((log, k) => log + value * k) : logs.map((log) => log * value);
      sums.other[i][law] += tilted[out] - logSum(tilted);
    });
  });
}

const isTilt = (name: string) => name === "lets more go" || name === "keeps more";

/** The logarithm of the e-value: the mean over alternatives, by their stakes, against the mean over laws. */
function worth(sums: Likelihoods, { alternatives }: Constants): { log: number; shares: Record<string, number> } {
  const names = [...new Set(alternatives.map(([name]) => name))];
  const ofName = (name: string) => alternatives.filter(([other]) => other === name).length;
  const staked = alternatives.map(([name], i) => logSum(sums.other[i]) - Math.log(names.length * ofName(name)));
  const all = logSum(staked);
  const shares = Object.fromEntries(names.map((name) => [name, sumOf(staked.map((log, i) => (alternatives[i][0] === name ? Math.exp(log - all) : 0)))]));
  return { log: all - logSum(sums.null), shares };
}

const exp = (log: number) => Math.exp(Math.min(log, 340));

function part(drops: (Situation | null)[], of: Reference, constants: Constants): Bet {
  const sums = openSums(of, constants);
  const laws = sums.null.length;
  const [from, to, count] = constants.fine;
  const tilts = Array.from({ length: count }, (_, i) => from + (i * (to - from)) / (count - 1));
  const fine = tilts.map(() => new Float64Array(laws));
  const shifts = new Float64Array(count);
  let [out, predicted, seen] = [0, 0, 0];
  const e = drops.map((drop) => {
    if (drop) {
      const all = pmfs(of, drop);
      const most = all[0].length - 1;
      bet(sums, all, drop.out, constants);
      const means = all.map((pmf) => pmf.reduce((sum, p, k) => sum + p * k, 0));
      tilts.forEach((tilt, i) => {
        const powers = Float64Array.from({ length: most + 1 }, (_, k) => Math.exp(tilt * (k - most / 2)));
        all.forEach((pmf, law) => {
          let [mass, mean] = [0, 0];
          for (let k = 0; k <= most; k++) {
            const p = pmf[k] * powers[k];
            mass += p;
            mean += p * k;
          }
          fine[i][law] += Math.log(Math.max(pmf[drop.out], 1e-300)) + tilt * (drop.out - most / 2) - Math.log(mass);
          shifts[i] += (mean / mass - means[law]) / laws;
        });
      });
      [out, predicted, seen] = [out + drop.out, predicted + sumOf(means) / laws, seen + 1];
    }
    return exp(worth(sums, constants).log);
  });
  const some = Math.max(seen, 1);
  return { drops: seen, e, out: out / some, predicted: predicted / some, evidence: worth(sums, constants).shares, between: findShifts(sums, fine, shifts.map((shift) => shift / some), constants) };
}

/** The least and the greatest mean shift whose tilt is not rejected. */
function findShifts({ other }: Likelihoods, fine: Float64Array[], shifts: Float64Array, { alternatives, strong }: Constants): [number, number] {
  const tilts = other.filter((_, i) => isTilt(alternatives[i][0]));
  const own = logSum(tilts.flatMap((logs) => [...logs])) - Math.log(tilts.length);
  const kept = [...fine.keys()].filter((i) => own - logSum(fine[i]) < Math.log(strong));
  return [shifts[Math.max(kept[0] - 1, 0)], shifts[Math.min(kept[kept.length - 1] + 1, shifts.length - 1)]];
}

/** Bet that one colour comes out more or less readily than the others: Fisher's noncentral hypergeometric laws. */
function colourBets(drops: Situation[], { colour_tilts: tilts }: Constants): Colours {
  const names = drops[0].cubes.length;
  const logE = Array.from({ length: names }, () => new Float64Array(tilts.length));
  const [out, expected] = [new Array(names).fill(0), new Array(names).fill(0)];
  let count = 0;
  const e = drops.map((drop) => {
    const { row, cubes, odds } = drop;
    const rows = cubes.flatMap((many, c) => (many && (isSetup(drop) || !row.thrown[c]) ? [c] : []));
    const came = sumOf(rows.map((c) => row.out[c]));
    if (rows.length > 1 && !row.isOdd && came > 0 && came < sumOf(rows.map((c) => cubes[c]))) {
      colourLaws(rows.map((c) => cubes[c]), rows.map((c) => odds[c] / cubes[c]), came).forEach((law, i) => {
        const c = rows[i];
        tilts.forEach((tilt, j) => (logE[c][j] += tilt * row.out[c] - logSum(law.map((p, k) => tilt * k + Math.log(p)))));
        expected[c] += law.reduce((sum, p, k) => sum + p * k, 0);
        out[c] += row.out[c];
      });
      count++;
    }
    return exp(logSum(logE.flatMap((logs) => [...logs])) - Math.log(names * tilts.length));
  });
  const all = logSum(logE.flatMap((logs) => [...logs]));
  const sides = logE.flatMap((logs, colour) => [false, true].map((more) => ({ colour, more, share: sumOf(tilts.map((tilt, j) => (tilt > 0 === more ? Math.exp(logs[j] - all) : 0))) })));
  return { e, drops: count, out, expected, most: sides.reduce((best, side) => (side.share > best.share ? side : best)) };
}

function colourLaws(cubes: number[], weights: number[], out: number): number[][] {
  const logs = weights.map(Math.log);
  let [low, high] = [-50 - Math.max(...logs), 50 - Math.min(...logs)];
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (sumOf(cubes.map((n, c) => n * expit(logs[c] + middle))) > out) high = middle;
    else low = middle;
  }
  const series = cubes.map((n, c) => binomial(n, logs[c] + (low + high) / 2));
  return series.map((own, i) => {
    const rest = series.reduce((sum, other, j) => (j === i ? sum : convolve(sum, other)), [1]);
    const law = own.map((p, k) => p * (rest[out - k] ?? 0));
    const all = sumOf(law);
    return law.map((p) => p / all);
  });
}

function convolve(a: number[], b: number[]): number[] {
  const both = new Array(a.length + b.length - 1).fill(0);
  a.forEach((p, i) => b.forEach((q, j) => (both[i + j] += p * q)));
  return both;
}

function binomial(n: number, logOdds: number): number[] {
  const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  let choose = 0;
  return Array.from({ length: n + 1 }, (_, k) => {
    if (k) choose += Math.log((n - k + 1) / k);
    return Math.exp(choose - k * softplus(-logOdds) - (n - k) * softplus(logOdds));
  });
}

export function check(rows: Row[], of: Reference, constants: Constants): Check {
  const drops = situations(rows, of, constants);
  const why = drops.map((drop) => whyNot(of, drop));
  const [setup, later] = [true, false].map((first) => part(drops.map((drop, i) => (!why[i] && isSetup(drop) === first ? drop : null)), of, constants));
  return { e: setup.e.map((e, i) => e * later.e[i]), setup, later, colours: colourBets(drops, constants), skipped: why.filter(Boolean) };
}

/** How likely a bet ever gets as far as these e-values if the model is right: at most that (Ville). */
export function pValue(e: number[]): number {
  return 1 / Math.max(1, ...e);
}

/** A simulated night of a tower whose odds are exp(tilt) times the model's: how its bet went, and the mean cubes inside. */
interface Simulated { first: Likelihoods; later: Likelihoods; inside: number }

/** How many nights it takes to tell a tower with other odds from the model. */
export interface Power { tilt: number; inside: number; one: number; nights: number | null }

export const NIGHTS = 32; // that are played of each tower
const [SEQUENCES, LONGEST, LAWS] = [400, 24, 16]; // drawn of these nights, at most so long, tested by so many of the laws

/** Return how surely such towers are told from the model: nights drawn from the model itself, tilted; then sequences of them. */
export async function power(whole: Reference, counts: number[], phases: number[], rounds: number, tilts: number[], constants: Constants, rest: () => Promise<boolean>): Promise<Power[] | null> {
  const few = (laws: Laws) => laws.slice(0, LAWS);
  const setups = Object.fromEntries(Object.entries(whole.setups).map(([cubes, laws]) => [cubes, few(laws)]));
  const of = { ...whole, setups, later: whole.later && { thrown: few(whole.later.thrown), resident: few(whole.later.resident) } };
  const found: Power[] = [];
  const random = drawer(7);
  for (const tilt of tilts) {
    const nights: Simulated[] = [];
    while (nights.length < NIGHTS) {
      nights.push(simulateNight(of, counts, phases, rounds, tilt, constants, random));
      if (!(await rest())) return null;
    }
    const when = Array.from({ length: SEQUENCES }, () => {
      const [first, later] = [openSums(of, constants), openSums(of, constants)];
      for (let night = 1; night <= LONGEST; night++) {
        const drawn = nights[Math.floor(random() * NIGHTS)];
        for (const [sums, more] of [[first, drawn.first], [later, drawn.later]]) {
          more.null.forEach((log, i) => (sums.null[i] += log));
          more.other.forEach((logs, j) => logs.forEach((log, i) => (sums.other[j][i] += log)));
        }
        if (worth(first, constants).log + worth(later, constants).log >= Math.log(constants.strong)) return night;
      }
      return Infinity;
    }).sort((a, b) => a - b);
    const nine = when[Math.ceil(0.9 * SEQUENCES) - 1];
    found.push({ tilt, inside: sumOf(nights.map(({ inside }) => inside)) / NIGHTS, one: when.filter((night) => night === 1).length / SEQUENCES, nights: Number.isFinite(nine) ? nine : null });
    if (!(await rest())) return null;
  }
  return found;
}

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
function drawer(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function simulateNight(of: Reference, counts: number[], phases: number[], rounds: number, tilt: number, constants: Constants, random: () => number): Simulated {
  const [first, later] = [openSums(of, constants), openSums(of, constants)];
  const cubes = counts.flatMap((many, colour) => Array.from({ length: many }, () => ({ colour, since: -1 }))); // -1: outside
  const inside = () => counts.map((_, c) => cubes.filter(({ colour, since }) => colour === c && since >= 0).length);
  const follower = new Follower(of, constants);
  let drops = 0;
  let held = 0;
  for (const phase of [-1, ...Array.from({ length: rounds }, () => phases).flat()]) {
    const thrown = counts.map((many, c) => (phase < 0 ? many : 0));
    if (phase >= 0) thrown[phase] = counts[phase] - inside()[phase];
    if (!sumOf(thrown)) continue;
    for (const cube of cubes) if (cube.since < 0 && thrown[cube.colour]) cube.since = drops;
    const row: Row = { thrown, out: counts.map(() => 0), after: [], marks: [], game: 1, isOdd: false };
    const at = follower.look(row);
    const laws = isSetup(at) ? pmfs(of, at) : pmfs(of, { ...at, thrown: clamp(at.thrown, ...of.thrown), inside: at.inside });
    const law = laws[Math.floor(random() * laws.length)].map((p, k) => p * Math.exp(tilt * k));
    let much = random() * sumOf(law);
    let many = law.findIndex((p) => (much -= p) < 0);
    at.out = many = many < 0 ? law.length - 1 : many;
    if (!whyNot(of, at)) bet(isSetup(at) ? first : later, laws, many, constants);
    const odds = oddsAt(of, constants.ages, drops);
    const there = cubes.filter(({ since }) => since >= 0);
    for (many = Math.min(many, there.length); many; many--) {
      let at = random() * sumOf(there.map(({ since }) => odds[drops - since]));
      const i = Math.max(there.findIndex(({ since }) => (at -= odds[drops - since]) < 0), 0);
      row.out[there[i].colour]++;
      there[i].since = -1;
      there.splice(i, 1);
    }
    row.after = inside();
    follower.done(row);
    if (drops++) held += sumOf(row.after);
  }
  return { first, later, inside: held / (drops - 1) };
}
