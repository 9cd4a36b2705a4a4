// The zones of a board: which cubes lie in each, how strongly each is lit.

import { clamp } from "../scene/algebra";
import { type Moment, type Recorded, placesAt } from "./record";

/** The cubes that lie in each zone, in the order of the zones. */
export function lyingAt(record: Recorded, moment: Moment): number[][] {
  const { zones } = record.header.apparatus;
  const lying: number[][] = zones.map(() => []);
  const indexOf = new Map(zones.map((zone, i) => [`zone:${zone.name}`, i]));
  if (!zones.length) return lying;
  for (const [cube, { where, place }] of placesAt(record, moment)) {
    if (where === "out" && place && indexOf.has(place)) lying[indexOf.get(place)!].push(cube);
  }
  return lying;
}

/** How strongly each zone is lit: 0 where no cube lies, 1 where one has just come to rest. */
export function litAt(record: Recorded, moment: Moment): number[] {
  const news = newsAt(record, moment);
  const { zones } = record.header.apparatus;
  return lyingAt(record, moment).map((cubes, i) =>
    cubes.length ? 0.55 + 0.45 * (news.get(`zone:${zones[i].name}`) || 0) : 0,
  );
}

/** Which places a cube came to rest in lately: from 1 at once to 0 after a second. */
function newsAt(record: Recorded, { take, frame }: Moment): Map<string, number> {
  const found = new Map<string, number>();
  for (const [at, word, , place] of take.events) {
    if (word === "rest" && place && at <= frame) found.set(place, clamp(1 - (frame - at) / record.rate, 0, 1));
  }
  return found;
}
