import type { Tower } from "../lib/types.js";

/** What `verify` looks for beside the log. */
export interface VerifyOptions {
  /** The towers whose drops are drawn again. */
  readonly towers?: readonly Tower[];
  /** The server's public key, 64 hexadecimal digits, from elsewhere than the log. */
  readonly key?: string;
  /** What a player has kept and must be in the log: hashes of lines, commitments, words. */
  readonly noted?: readonly string[];
}

/** What is wrong, in one sentence, and in which line, from 1; 0 for none of them. */
export interface Finding {
  readonly line: number;
  readonly what: string;
}

/** What was found. */
export interface Verified {
  /** Whether nothing is wrong; look at `signed` and `unchecked`, too. */
  readonly holds: boolean;
  /** Whether signatures were checked: not every browser has Ed25519. */
  readonly signed: boolean;
  /** Two sentences that a player understands. */
  readonly says: readonly [string, string];
  readonly findings: readonly Finding[];
  /** How many draws there are, came out the same here, cannot be made again here. */
  readonly draws: number;
  readonly redrawn: number;
  readonly unchecked: number;
  /** How many of those drawn again here began with a tower that no draw before them had left. */
  readonly brought: number;
  /** How many rounds opened with a commitment that was noted: only that shows that the secret was there before the words. */
  readonly committed: number;
  readonly lines: number;
  /** The hash of the last line. */
  readonly head: string;
  /** The keys that signed, one after another. */
  readonly keys: readonly string[];
  readonly rounds: readonly {
    readonly round: string;
    readonly commitment: string;
    readonly words: string | null;
    readonly secret: string | null;
    readonly draws: number;
  }[];
}

/**
 * Check the log of a service's verifiable draws, without the service. Drops of `towers` by their surrogate are drawn again.
 * @throws {RangeError} for what is no log at all
 */
export declare function verify(log: string | ArrayBuffer | Uint8Array, options?: VerifyOptions): Promise<Verified>;
