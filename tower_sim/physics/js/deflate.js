export function deflated() { throw new Error("todo"); }
