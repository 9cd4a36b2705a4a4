export function inflated() { throw new Error("todo"); }
