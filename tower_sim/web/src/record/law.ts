// What the model says of a throw, and the test of `tower-sim tower test`: calibration/expected.py and bets.py, compiled, which say what its tables are.
// Python fits the reference; here its tables are filled and read.

import { type Call, type Table, openCompiled, reals, wholes, words } from "../common/compiled";
import { sumOf } from "../common/text";

/** Beta-binomial laws of a group of cubes: coefficients of the terms, then the logarithm of the size. */
type Laws = number[][];
export interface Reference {
  model: string; games: number; seed: string; setups: Record<string, Laws>; later: { thrown: Laws; resident: Laws } | null;
  thrown: [number, number]; inside: [number, number]; drops: [number, number]; ages: { later: number[]; setup: number[] };
}
/** What Python says of the test: see bets.py. */
export interface Constants { ages: number[]; directions: string[]; readily: string[]; why: string[]; sizes: Record<"fine" | "bets" | "tilts", number>; strong: number; hint: number; very: number }

/** A recorded throw: counts by colour, `after` those inside after it. */
export interface Row { thrown: number[]; out: number[]; after: number[]; marks: string[]; game: number; isOdd: boolean }
export interface Bet { drops: number; e: number[]; out: number; predicted: number; evidence: Record<string, number>; between: [number, number] }
export interface Colours { e: number[]; drops: number; out: number[]; expected: number[]; most: { colour: number; more: boolean; share: number } }
export interface Check { e: number[]; setup: Bet; later: Bet; colours: Colours; skipped: string[] }

let call: Call;

/** Open the compiled module; before that the model says nothing of a throw, and nothing can be tested. */
export async function openBets(module: BufferSource): Promise<void> {
  ({ call } = await openCompiled(module));
}

export const canTest = () => call !== undefined;

function lawOf(of: Reference, { ages }: Constants, most = Infinity): Table[] {
  const some = (laws: Laws) => laws.slice(0, most);
  const setups = Object.values(of.setups).map(some);
  const later = of.later ? [of.later.thrown, of.later.resident].map(some) : [[], []];
  return [
    wholes([setups.length], Object.keys(of.setups).map(Number)), reals([setups.length, lawsOf(of, most), 2], setups.flat(2)),
    ...later.map((laws) => reals([laws.length, 5], laws.flat())), wholes([3, 2], [...of.thrown, ...of.inside, ...of.drops]),
    reals([2, ages.length], [...of.ages.later, ...of.ages.setup]), wholes([ages.length], ages),
  ];
}

function lawsOf({ setups, later }: Reference, most = Infinity): number {
  return Math.min((later?.thrown ?? Object.values(setups)[0]).length, most);
}

const nightOf = (throws: number, colours: number, rows: Row[] = []): Table[] => [
  ...(["thrown", "out", "after"] as const).map((key) => wholes([throws, colours], rows.flatMap((row) => row[key]))),
  wholes([throws, 3], rows.flatMap(({ game, isOdd, marks }) => [game, Number(isOdd), Number(marks.includes("emptied"))])),
];
const lookFor = (throws: number, colours: number): Table[] => [
  wholes([throws, colours]), wholes([throws]), wholes([throws]), reals([throws]), reals([throws, colours]), reals([colours, throws + 2]), reals([throws + 2]),
];
const workFor = (cubes: number, laws: number, colours: number, { fine, bets, tilts }: Constants["sizes"]): Table[] => [
  [5, cubes + 1], [fine, cubes + 1], [1 + bets, laws], [fine, laws], [fine], [colours * tilts], [colours, cubes + 1], [2, 1 + bets, laws], [4],
].map((shape) => reals(shape));

/** Follow the throws of a night: what a function takes, the number of the reason why each is not covered, and the most cubes that may come out. */
function follow(rows: Row[], of: Reference, constants: Constants) {
  const colours = rows[0].thrown.length;
  const [law, night, look] = [lawOf(of, constants), nightOf(rows.length, colours, rows), lookFor(rows.length, colours)];
  call("follow", [...law.slice(-2), ...night, ...look]);
  call("cover", [...law, ...night, ...look]);
  const most = Math.max(...rows.map(({ thrown }, i) => sumOf(thrown) + sumOf((look[0].values as Int32Array).subarray(colours * i, colours * (i + 1)))));
  const work = workFor(most, lawsOf(of), colours, constants.sizes);
  return { given: [...law, ...night, ...look], work, why: look[2].values as Int32Array, most, colours };
}

/** Why the reference does not cover a throw. */
function whyNot(of: Reference, { marks }: Row, why: string): string {
  const known = Object.keys(of.setups).join(", ") || "no";
  const reasons: Record<string, string> = {
    odd: `marked ${marks.join(" ")}`, nothing: "nothing thrown", setup: `the model knows first throws of ${known} cubes`, later: "the model knows first throws alone",
    thrown: `the model knows throws of ${of.thrown.join(" to ")} cubes`, inside: `the model knows ${of.inside.join(" to ")} cubes inside`, drops: `the model knows the first ${of.drops[1] + 1} throws`,
  };
  return reasons[why];
}

export interface Expected { chances: number[]; mean: number; low: number; high: number; tail: number }

/** Return what was expected of each throw; null where the model does not know. `tail` is the chance of a number as far out. */
export function expectations(rows: Row[], of: Reference, constants: Constants): (Expected | null)[] {
  if (!rows.length || !canTest()) return rows.map(() => null);
  const { given, work, why, most } = follow(rows, of, constants);
  const [chances, ends] = [reals([rows.length, most + 1]), reals([rows.length, 4])];
  call("expect", [...given, work[0], chances, ends]);
  return rows.map((_, i) => {
    const [mean, low, high, tail] = ends.values.subarray(4 * i, 4 * i + 4);
    return why[i] ? null : { chances: [...chances.values.subarray((most + 1) * i, (most + 1) * (i + 1))], mean, low, high, tail };
  });
}

export function check(rows: Row[], of: Reference, constants: Constants): Check {
  const { given, work, why, colours } = follow(rows, of, constants);
  const [e, numbers, byColour] = [reals([3, rows.length]), reals([2, 9]), reals([colours, 4])];
  const compared = call("judge_night", [...given, ...work, e, numbers, byColour]);
  const [first, second, third] = [0, 1, 2].map((i) => [...e.values.subarray(rows.length * i, rows.length * (i + 1))]);
  const [setup, later] = [first, second].map((own, i): Bet => {
    const [drops, out, predicted, low, high, ...shares] = numbers.values.subarray(9 * i, 9 * i + 9);
    return { drops, e: own, out, predicted, evidence: Object.fromEntries(constants.directions.map((name, k) => [name, shares[k]])), between: [low, high] };
  });
  const column = (k: number) => Array.from({ length: colours }, (_, c) => byColour.values[4 * c + k]);
  const sides = column(0).flatMap((_, colour) => [false, true].map((more) => ({ colour, more, share: byColour.values[4 * colour + (more ? 3 : 2)] })));
  const most = sides.reduce((best, side) => (side.share > best.share ? side : best));
  const skipped = rows.flatMap((row, i) => (why[i] ? [whyNot(of, row, constants.why[why[i]])] : []));
  return { e: first.map((each, i) => each * second[i]), setup, later, colours: { e: third, drops: compared, out: column(0), expected: column(1), most }, skipped };
}

/** How many nights it takes to tell a tower with other odds from the model. */
export interface Power { tilt: number; inside: number; one: number; nights: number | null }

export const NIGHTS = 32; // that are played of each tower
const [SEQUENCES, LONGEST, LAWS] = [400, 24, 16]; // drawn of these nights, at most so long, tested by so many of the laws

/** Return how surely such towers are told from the model: nights drawn from the model itself, tilted; then sequences of them. */
export async function power(of: Reference, counts: number[], phases: number[], rounds: number, tilts: number[], constants: Constants, rest: () => Promise<boolean>): Promise<Power[] | null> {
  const [law, laws, bets] = [lawOf(of, constants, LAWS), lawsOf(of, LAWS), constants.sizes.bets + 1];
  const order = [-1, ...Array.from({ length: rounds }, () => phases).flat()];
  const cubes = counts.flatMap((many, colour) => Array<number>(many).fill(colour));
  const work = workFor(cubes.length + of.thrown[0], laws, counts.length, constants.sizes);
  const game = [wholes([order.length], order), wholes([cubes.length], cubes), wholes([cubes.length]), ...nightOf(order.length, counts.length), ...lookFor(order.length, counts.length)];
  const state = words([4], [0x9e3779b9, 0x243f6a88, 0xb7e15162, 7]); // the same each time
  const found: Power[] = [];
  for (const tilt of tilts) {
    const nights = reals([NIGHTS, 2, bets, laws]);
    let inside = 0;
    for (let i = 0; i < NIGHTS; i++) {
      const sums = { shape: [2, bets, laws], values: nights.values.subarray(2 * bets * laws * i, 2 * bets * laws * (i + 1)) };
      inside += call("play_night", [...law, ...game, ...work, state, sums], tilt) / NIGHTS;
      if (!(await rest())) return null;
    }
    const when = wholes([SEQUENCES], Array<number>(SEQUENCES).fill(LONGEST));
    call("find_nights", [nights, ...work, state, when]);
    const sorted = when.values.map((night) => night || LONGEST + 1).sort();
    const nine = sorted[Math.ceil(0.9 * SEQUENCES) - 1];
    found.push({ tilt, inside, one: sorted.filter((night) => night === 1).length / SEQUENCES, nights: nine > LONGEST ? null : nine });
  }
  return found;
}

/** How likely a bet ever gets as far as these e-values if the model is right: at most that (Ville). */
export function pValue(e: number[]): number {
  return 1 / Math.max(1, ...e);
}
