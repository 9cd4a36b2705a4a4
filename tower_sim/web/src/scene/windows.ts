// Where cubes were, window by window, as the physics tells it.

import { type Pose, type Vector, clamp } from "./algebra";

/** What the physics tells of some windows: the cubes that move, their poses after each, those taken out at the end. */
export interface Chunk { numbers: readonly number[]; frames: Float64Array<ArrayBuffer>; windows: number; swept: readonly number[] }
export interface Piece extends Chunk { first: number; index: Map<number, number>; isPassed: boolean }

export class Windows {
  pieces: Piece[] = [];
  length = 0;

  empty(): void {
    Object.assign(this, { pieces: [], length: 0 });
  }

  /** Add a piece: `frames` has the poses of `numbers` after each of its `windows`; then the cubes `swept` were taken out. */
  add({ numbers, frames, windows, swept }: Chunk): void {
    const index = new Map(numbers.map((id, i) => [id, i]));
    this.pieces.push({ first: this.length, windows, numbers, index, frames, swept, isPassed: false });
    this.length += windows;
  }

  /** The piece that window `k` is in; null of none. */
  pieceOf(k: number): Piece | null {
    return (k < this.length && this.pieces.findLast(({ first }) => first <= k)) || null;
  }

  /** The pose of a cube at the end of window `k`; null where it has none. */
  poseAt(id: number, k: number): Float64Array | null {
    const piece = this.pieceOf(k);
    const i = piece && piece.index.get(id);
    if (!piece || typeof i !== "number") return null;
    const at = 7 * ((k - piece.first) * piece.numbers.length + i);
    return piece.frames.subarray(at, at + 7);
  }

  /** The pose of a cube when `passed` windows have passed, a fraction included; null where it has none. */
  poseAfter(id: number, passed: number): Pose | null {
    const k = clamp(Math.floor(passed - 1), 0, this.length - 1);
    const [a, b] = [this.poseAt(id, k), this.poseAt(id, k + 1)];
    return a && (b ? mixed(a, b, clamp(passed - 1 - k, 0, 1)) : [...a]);
  }
}

export function mixed(a: Vector, b: Vector, part: number): Pose {
  const sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const pose: number[] = [];
  for (let k = 0; k < 7; k += 1) pose.push(a[k] + ((k > 2 ? sign * b[k] : b[k]) - a[k]) * part);
  const long = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
  for (let k = 3; k < 7; k += 1) pose[k] /= long;
  return pose;
}
