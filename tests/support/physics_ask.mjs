// Repeats chains of throws with the physics in JavaScript (see chains.py): { physics, profiles, core } from the folder named, chains
// on the input. Prints, of all steps, how many there were and which differ. Every other step goes window by window.

import { readFileSync } from "node:fs";

const { physics, core, profiles, chains } = JSON.parse(readFileSync(0, "utf8"));
const module = await import(physics);
const { repeated } = await import(new URL("physics_repeat.js", import.meta.url));
console.log(JSON.stringify(await repeated(module, readFileSync(core), profiles, chains)));
