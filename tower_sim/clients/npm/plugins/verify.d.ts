import type { Tower } from "../lib/types.js";
import type { PhysicsModel } from "../physics.js";

/** What `verify` looks for beside the log. */
export interface VerifyOptions {
  /** The towers whose drops are drawn again. */
  readonly towers?: readonly Tower[];
  /** The models of `tower-sim/physics` whose drops are drawn again: `[await openPhysics("amerigo")]`. */
  readonly physics?: readonly PhysicsModel[];
  /** The server's public key, 64 hexadecimal digits, from elsewhere than the log. */
  readonly key?: string;
  /** What a player has kept of a round: its commitment, words, its number, hashes of lines. All must be of one round. */
  readonly noted?: readonly string[];
}

/** What is wrong, in one sentence, and in which line, from 1; 0 for none of them. */
export interface Finding {
  readonly line: number;
  readonly what: string;
}

/** What the player noted, and the round that it is of. */
export interface Noted {
  /** The number of that round; null where what was noted is not of one. */
  readonly round: string | null;
  /** Why what was noted is not of one round in which something was drawn; empty when it is. */
  readonly wrong: string;
  /** What each text is in the log. */
  readonly found: readonly ("commitment" | "words" | "number" | "hash of a line")[];
  /** The draws of that round, as the log tells them. */
  readonly draws: readonly { readonly line: number; readonly hash: string; readonly asked: unknown; readonly answer: unknown }[];
}

/** What was found. */
export interface Verified {
  /** Whether nothing is wrong with the log (`findings` is empty) and it is what was noted; look at `signed` and `unchecked`, too. */
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
  /** What was noted, null for nothing. */
  readonly noted: Noted | null;
  /** 1 when the round that was noted opened with a noted commitment, else 0: only that shows that the secret was there before the words. */
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
 * @throws {RangeError} for what is no log at all, no key, and an empty note
 */
export declare function verify(log: string | ArrayBuffer | Uint8Array, options?: VerifyOptions): Promise<Verified>;
