// What the choices of a battle are.

export const KINDS: Record<string, string> = { ship: "another player's ship", merchant: "a merchant (the non-player)", building: "a fort or a garrison" };
export const BUILDINGS = [2, 5, 7]; // cubes of a garrison, a fort, both
