/** A real number, which Python writes otherwise than a whole one. */
export declare function real(number: number): {
    real: number;
};
/** Return a value as Python's json writes it; reals are of `real`, `comma` and `colon` what stands between. */
export declare function pythonJson(value: unknown, comma?: string, colon?: string): string;
/** Return a real number as Python's repr: the fewest digits that give it back, an exponent under 1e-4 and from 1e16 on. */
export declare function pythonReal(x: number): string;
