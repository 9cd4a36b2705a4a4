/** Details of the events of <cube-tower>: "throw", "out", "rest" and "trouble". */
export interface ThrowDetail { readonly kind: "drop" | "knock"; readonly seed: string; readonly cubes: Readonly<Record<string, number>> }
export interface OutDetail { readonly id: number; readonly colour: string }
/** The token of the state after it, the numbers of the cubes that came out, and counts by colour. */
export interface RestDetail {
  readonly state: string; readonly emerged: readonly number[];
  readonly inside: Readonly<Record<string, number>>; readonly board: Readonly<Record<string, number>>;
}
export interface TroubleDetail { readonly message: string }

/** <cube-tower profile state seed cubes>: a tower with real physics; attributes are properties too. */
export declare class CubeTower extends HTMLElement {
  profile: string | null; state: string | null; seed: string | null;
  get cubes(): string | null; set cubes(cubes: string | Readonly<Record<string, number>> | null);
  /** The token of the state that is there now. */
  readonly token: string | null;
  throw(cubes?: string | Readonly<Record<string, number>> | null, seed?: string | number | bigint): Promise<void>;
  knock(strength?: number, seed?: string | number | bigint): Promise<void>;
  undo(): Promise<string>;
  finish(): Promise<void>;
}
