import { frozen } from "./state.js";
export function doorOf(profile, places) { return { profile, places }; }
export function made(door, state) { return frozen(state); }
export function checkedCubes(door, state, cubes) { return cubes.map(({ id, colour }) => ({ id, colour, edge: door.profile.cube.edge })); }
export function checkedState() {}
export function checkedStrength() {}
export function checkedZone() {}
export function checkedLaunch(door, state, thrown, given) { return { ...given, cube: { ...given.cube, edge: door.profile.cube.edge } }; }
