/** Return the error that what the field at `path` is cannot be: `reason` says why, `allowed` what would do. */
export declare function refuse(path: string, reason: string, allowed: string): RangeError & {
    path: string;
};
/** Return the error that the field at `path` is `value`, and what is allowed instead. */
export declare function wrongly(path: string, value: unknown, allowed: string): RangeError & {
    path: string;
};
/** Whether a terminal or a page prints all of a text. */
export declare function prints(text: string): boolean;
/** Return a received value as JSON writes it, cut where it is long. */
export declare function quote(value: unknown): string;
export declare const MADE = "a state that the model has made";
/** Return the error that a part of a state, `path` in it, has what none can have. */
export declare function impossible(path: string, what: string): RangeError & {
    path: string;
};
