// Of pako's functions the two that are used here.

export function deflate(data: Uint8Array, options: { level: number; legacyHash: boolean }): Uint8Array<ArrayBuffer>;
export class Inflate { msg: string; result: Uint8Array; onData: (chunk: Uint8Array) => void; push(data: Uint8Array, isLast: boolean): boolean }
