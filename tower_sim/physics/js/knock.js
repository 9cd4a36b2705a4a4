// Knock: the table jerks for a moment, in the frame of the apparatus a short swing of gravity; as tower_sim/physics/knock.py.

import { uniform } from "./draws.js";

export const GRAVITY = 9.81; // m/s2
export const MAX_STRENGTH = 5; // g
export const HOLD = 0.1; // g: a weaker knock wakes nothing
export const SHAKING = 0.1; // s

/** Draw the direction of a knock of `strength` (g): { strength, gravity(time) }, the gravity (m/s2) `time` s after it began. */
export function drawnShake(core, strength, rng) {
  const angle = uniform(rng, 0, 2 * Math.PI);
  const [x, y] = [core.cos(angle), core.sin(angle)];
  const gravity = (time) => {
    const sine = time < SHAKING ? core.sin((Math.PI * time) / SHAKING) : 0;
    const u = sine * sine;
    const swing = strength * GRAVITY * (4 * u * u - 3 * u);
    return [swing * x, swing * y, -GRAVITY];
  };
  return { strength, gravity };
}
