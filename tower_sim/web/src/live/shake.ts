// A phone that is shaken knocks on the table.

import { clamp } from "../scene/algebra";
import type { Live } from "./live";
import { GRAVITY } from "./tower";

const SHAKEN = 13; // m/s2 of a phone's movement that is a knock
const REST = 1500; // ms from one knock to the next

/** Let a shaken phone knock, where it may be felt, or no more; iOS asks its owner first. */
export async function startShaking(live: Live): Promise<void> {
  if (live.shaking) {
    window.removeEventListener("devicemotion", live.shaking);
    live.shaking = null;
    return live.ask();
  }
  if (typeof DeviceMotionEvent === "undefined") return live.tell("This device does not feel shaking. Press Knock.");
  const asked = DeviceMotionEvent as unknown as { requestPermission?(): Promise<string> };
  const answer = asked.requestPermission ? await asked.requestPermission().catch(() => "denied") : "granted";
  if (answer !== "granted") return live.tell("This device does not let the page feel shaking. Press Knock.");
  let next = 0;
  live.shaking = ({ acceleration }: DeviceMotionEvent) => {
    const { x, y, z } = acceleration ?? {};
    const much = Math.hypot(x ?? 0, y ?? 0, z ?? 0);
    if (much < SHAKEN || performance.now() < next) return;
    next = performance.now() + REST;
    live.knock(clamp(Math.round((much / GRAVITY) * 2) / 4, 0.5, 4));
  };
  window.addEventListener("devicemotion", live.shaking);
  return live.ask();
}
