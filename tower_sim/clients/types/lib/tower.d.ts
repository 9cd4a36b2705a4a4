/** Make a tower from a document of `surrogate export NAME --to json`; the modules of `towers` do it. */
export function towerOf(MODEL: any): Readonly<{
    name: string;
    /** The digest of the tower's measures, and that of the fitted model. */
    digest: string;
    model: string;
    /** The floors' names, from top to bottom. */
    floors: readonly string[];
    /** Return the tower with no cube inside. */
    empty: <C extends string = string>() => TowerState<C>;
    /** Throw cubes. With none nothing moves and nothing is drawn, and the cubes inside grow older by a drop. */
    drop: <C extends string, L extends Luck>(state: TowerState<C>, thrown: readonly Cube<C>[], generator: L) => TowerOutcome<C, L>;
    /** Knock on the table with `strength`, the peak acceleration in g, from 0 to 5. No cube grows older. */
    knock: <C extends string, L extends Luck>(state: TowerState<C>, strength: number, generator: L) => TowerOutcome<C, L>;
    /** Refuse what is no state of this tower; `path` is what its message calls it. */
    check: (state: unknown, path?: string) => asserts state is TowerState;
    /** Say whether the data that were fitted hold drops of so many cubes onto so many inside. */
    covers: (thrown: number, inside: number) => boolean;
}>;
import type { TowerState } from "./types.js";
import type { Luck } from "./types.js";
import type { Cube } from "./types.js";
import type { TowerOutcome } from "./types.js";
