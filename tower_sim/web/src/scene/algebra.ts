// Vectors are arrays of 3; quaternions (x, y, z, w); matrices 16 numbers, column after column, as WebGL takes them.

export type { Pose } from "../physics/index.js";
export type Vector = ArrayLike<number>;
export type Points = readonly (readonly number[])[];

export const plus = (a: Vector, b: Vector) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vector, b: Vector) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vector, factor: number) => [a[0] * factor, a[1] * factor, a[2] * factor];
export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const size = (a: Vector) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vector) => times(a, 1 / (size(a) || 1));
export const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** From 0 at `low` to 1 at `high`, level at both ends. */
export function smooth(value: number, low: number, high: number): number {
  const x = clamp((value - low) / (high - low), 0, 1);
  return x * x * (3 - 2 * x);
}

export function turned(q: Vector, v: Vector): number[] {
  const t = times(cross(q, v), 2);
  return plus(plus(v, times(t, q[3])), cross(q, t));
}

/** The matrix product: first `b`, then `a`. */
export function product(a: Vector, b: Vector): Float32Array<ArrayBuffer> {
  const rows = [0, 1, 2, 3];
  return Float32Array.from({ length: 16 }, (_, i) => rows.reduce((sum, k) => sum + a[4 * k + (i % 4)] * b[i - (i % 4) + k], 0));
}

/** What a lens sees: `tall` is the tangent of half the angle upwards, `wide` sideways. */
export function perspective(wide: number, tall: number, near: number, far: number): Float32Array<ArrayBuffer> {
  const depth = 1 / (near - far);
  const [scale, shift] = [(far + near) * depth, 2 * far * near * depth];
  return new Float32Array([1 / wide, 0, 0, 0, 0, 1 / tall, 0, 0, 0, 0, scale, -1, 0, 0, shift, 0]);
}

/** A lamp's view without perspective: `reach` to all sides, and three times that far towards it and away. */
export function boxView(reach: number): Float32Array<ArrayBuffer> {
  return new Float32Array([1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, -1 / (3 * reach), 0, 0, 0, 0, 1]);
}

/** The view from `eye` to `middle`, z up, and its axes: `right`, `up`, and `back` towards the eye. */
export function lookAt(eye: Vector, middle: Vector) {
  const back = unit(minus(eye, middle));
  const right = unit(Math.abs(back[2]) > 0.9999 ? [0, 1, 0] : cross([0, 0, 1], back));
  const up = cross(back, right);
  const matrix = new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
  return { matrix, right, up, back };
}
