// The fixed parts as convex solids: their faces, which of them are outer walls, and what a plane cuts of them.

import type { Profile } from "../physics/index.js";
import { type Points, type Vector, plus, minus, times, dot, cross, unit, smooth, turned } from "./algebra";

export const CORNERS = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z])));
export const BOX_FACES = [[4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4]];

/**
 * A convex body with flat faces; its normals look outwards. `wall` is the way out through an outer wall, null of others. A
 * piece of a larger surface has `least`, its Hull's least cosines: only its face 0 is seen, its others are in the material.
 */
export interface Solid { part: string; surface: string; vertices: Points; faces: Points; least: readonly number[] | null; normals: number[][]; centre: number[]; isLow: boolean; wall: number[] | null }

export type Seen = Pick<Profile, "kind" | "rim" | "floor" | "hand" | "boxes" | "hulls" | "zones">;

/** What is drawn of a profile: all but the table. */
export function seenOf(profile: Profile): Seen {
  return { ...profile, boxes: profile.boxes.filter(({ part }) => part !== "table") };
}

export interface Range { low: number[]; high: number[] }
export interface Plane { normal: number[]; offset: number }

const ONE = 0.985; // the cosine of the angle from which two faces of a solid have an edge
const ROUND = 0.866; // of two pieces of a surface: a round one is printed of facets
const LOW = 2.2; // of a cube's edge: what is no higher hides little, carries cubes, and is never cut open

/** The solids of an apparatus whose cubes have this edge (m). */
export function solidsOf(apparatus: Seen, edge: number): Solid[] {
  const boxes = apparatus.boxes.map((box) => ({
    part: box.part,
    surface: box.surface,
    vertices: CORNERS.map((corner) => plus(box.centre, turned(box.turn, corner.map((sign, k) => sign * box.half[k])))),
    faces: BOX_FACES,
    least_cosines: undefined,
  }));
  const solids: Solid[] = [...boxes, ...apparatus.hulls].map((solid) => {
    const normals = solid.faces.map((face) => normalOf(solid.vertices, face));
    const centre = middleOf(solid.vertices);
    const isLow = Math.max(...solid.vertices.map((vertex) => vertex[2])) < LOW * edge;
    return { ...solid, least: solid.least_cosines ?? null, normals, centre, isLow, wall: null };
  });
  for (const solid of solids) solid.wall = solid.least ? pieceOfWall(solid, edge) : wallOf(solid, edge);
  const at = gridOf(solids, edge);
  for (const solid of solids) if (solid.wall && isBehindAnother(solid, at, edge)) solid.wall = null;
  return solids;
}

/** Return what gives the solids near a point: those whose boxes reach into its cell of a grid of this width. */
function gridOf(solids: Solid[], width: number): (point: number[]) => Solid[] | null {
  const cells = new Map<string, Solid[]>();
  const cell = (x: number) => Math.floor(x / width);
  const { low: least, high: most } = rangeOf(solids.flatMap(({ vertices }) => vertices));
  for (const solid of solids) {
    const { low, high } = rangeOf(solid.vertices);
    const [from, to] = [low.map(cell), high.map(cell)];
    for (let x = from[0]; x <= to[0]; x += 1) for (let y = from[1]; y <= to[1]; y += 1) for (let z = from[2]; z <= to[2]; z += 1) {
      const key = `${x} ${y} ${z}`;
      if (!cells.get(key)?.push(solid)) cells.set(key, [solid]);
    }
  }
  return (point) => (point.every((x, k) => x >= least[k] && x <= most[k]) ? cells.get(point.map(cell).join(" ")) ?? [] : null);
}

function middleOf(points: Points): number[] {
  return times(points.reduce((a, b) => plus(a, b), [0, 0, 0]), 1 / points.length);
}

/** The unit normal of a face, outwards, by Newell's sum. */
export function normalOf(vertices: Points, face: readonly number[]): number[] {
  const sum = [0, 0, 0];
  face.forEach((index, i) => {
    const a = vertices[index];
    const b = vertices[face[(i + 1) % face.length]];
    for (let k = 0; k < 3; k += 1) sum[k] += (a[(k + 1) % 3] - b[(k + 1) % 3]) * (a[(k + 2) % 3] + b[(k + 2) % 3]);
  });
  return unit(sum);
}

/** The way out through an upright plate beside the middle: its normal away from the axis; null for other solids. */
function wallOf(solid: Solid, edge: number): number[] | null {
  const depths = solid.normals.map((normal, i) => {
    const over = dot(normal, solid.vertices[solid.faces[i][0]]);
    return Math.max(...solid.vertices.map((vertex) => over - dot(normal, vertex)));
  });
  const thickness = Math.min(...depths);
  const heights = solid.vertices.map((vertex) => vertex[2]);
  const tall = Math.max(...heights) - Math.min(...heights);
  let out = solid.normals[depths.indexOf(thickness)];
  const flat = [solid.centre[0], solid.centre[1], 0];
  if (dot(out, flat) < 0) out = times(out, -1);
  const isPlate = thickness < 0.4 * Math.max(...depths);
  return isPlate && Math.abs(out[2]) < 0.85 && dot(out, flat) > edge && tall > 1.6 * edge ? out : null;
}

/** The same for a piece of a surface, of any size. */
function pieceOfWall({ normals: [out], centre, isLow }: Solid, edge: number): number[] | null {
  return !isLow && Math.abs(out[2]) < 0.85 && dot(out, [centre[0], centre[1], 0]) > edge ? out : null;
}

/** Whether another solid stands further out than a wall, at its middle's height: then it is within. `at` gives those near a point. */
function isBehindAnother(solid: Solid, at: (point: number[]) => Solid[] | null, edge: number): boolean {
  const from = solid.least ? middleOf(solid.faces[0].map((index) => solid.vertices[index])) : solid.centre;
  const way = unit([solid.wall![0], solid.wall![1], 0]);
  const isHit = (other: Solid) => other !== solid && (firstHit(from, way, other) ?? 0) > 1e-4;
  for (let k = 0; ; k += 1) {
    const there = at(plus(from, times(way, (k * edge) / 2)));
    if (!there || there.some(isHit)) return there !== null;
  }
}

/** How far along a ray a convex solid begins, null if it is missed or the ray begins in it. */
function firstHit(from: Vector, way: Vector, solid: Solid): number | null {
  let enter = 0;
  let leave = Infinity;
  for (let i = 0; i < solid.faces.length; i += 1) {
    const normal = solid.normals[i];
    const gap = dot(normal, minus(solid.vertices[solid.faces[i][0]], from));
    const speed = dot(normal, way);
    if (Math.abs(speed) < 1e-12) {
      if (gap < 0) return null;
    } else if (speed > 0) leave = Math.min(leave, gap / speed);
    else enter = Math.max(enter, gap / speed);
  }
  return enter > 0 && enter < leave ? enter : null;
}

/** The box around solids and the table under them: {low, high}. */
export function boundsOf(solids: { vertices: Points }[]): Range {
  const { low, high } = rangeOf(solids.flatMap(({ vertices }) => vertices));
  return { low: [low[0], low[1], Math.min(low[2], 0)], high };
}

/** The box around points: {low, high}; of none, the origin. */
function rangeOf(points: Points): Range {
  const ends = (pick: (a: number, b: number) => number) => [0, 1, 2].map((k) => points.reduce((best, point) => pick(best, point[k]), (points[0] || [0, 0, 0])[k]));
  return { low: ends(Math.min), high: ends(Math.max) };
}

/** How strongly a solid is drawn for an eye there: 1, less for a wall whose outside the eye sees. */
export function strengthFor(solid: Solid, eye: Vector): number {
  if (!solid.wall) return 1;
  return 1 - 0.94 * smooth(dot(solid.wall, unit(minus(eye, solid.centre))), 0.02, 0.22);
}

/** The triangles of solids as numbers for WebGL: x y z, normal, tone, index of the solid; with what `isCut` open shows, or as seen from outside. */
export function trianglesOf(solids: Solid[], tones: number[], isCut: boolean): Float32Array<ArrayBuffer> {
  const out: number[] = [];
  solids.forEach((solid, index) => {
    solid.faces.slice(0, solid.least && !isCut ? 1 : undefined).forEach((face, f) => {
      for (let k = 1; k + 1 < face.length; k += 1) {
        for (const corner of [face[0], face[k], face[k + 1]]) {
          out.push(...solid.vertices[corner], ...solid.normals[f], tones[index], index);
        }
      }
    });
  });
  return new Float32Array(out);
}

const STRIP = [[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]]; // two triangles: which end, which side

/** The edges of solids as EDGE_VERTEX takes them; those between faces or pieces that are nearly one are left out. */
export function edgesOf(solids: Solid[]): Float32Array<ArrayBuffer> {
  const out: number[] = [];
  solids.forEach((solid, index) => {
    const sides = new Map<string, { a: number; b: number; faces: number[] }>();
    solid.faces.forEach((face, f) => {
      face.forEach((a, i) => {
        const b = face[(i + 1) % face.length];
        const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
        sides.set(key, { a, b, faces: [...(sides.get(key) || { faces: [] }).faces, f] });
      });
    });
    for (const { a, b, faces } of sides.values()) {
      const { least, normals } = solid;
      const [first, second = first] = faces; // of a piece, its surface first
      if (least ? first !== 0 || least[second] > ROUND : second !== first && dot(normals[first], normals[second]) > ONE) continue;
      const [one, other] = [first, least ? first : second].map((f) => normals[f]);
      for (const corner of STRIP) out.push(...solid.vertices[a], ...solid.vertices[b], ...corner, index, ...one, ...other);
    }
  });
  return new Float32Array(out);
}

/** What the plane {normal, offset} cuts of solids, as triangles like trianglesOf: each cut is convex. */
export function cutsOf(solids: Solid[], tones: number[], plane: Plane): Float32Array<ArrayBuffer> {
  const out: number[] = [];
  const across = unit(cross(plane.normal, Math.abs(plane.normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const along = cross(plane.normal, across);
  solids.forEach((solid, index) => {
    const points = solid.isLow ? [] : cutThrough(solid, plane);
    if (points.length < 3) return;
    const middle = times(points.reduce(plus), 1 / points.length);
    const angle = (p: number[]) => Math.atan2(dot(minus(p, middle), along), dot(minus(p, middle), across));
    points.sort((a, b) => angle(a) - angle(b));
    for (let k = 1; k + 1 < points.length; k += 1) {
      for (const point of [points[0], points[k], points[k + 1]]) {
        out.push(...point, ...plane.normal, tones[index], index);
      }
    }
  });
  return new Float32Array(out);
}

function cutThrough(solid: Solid, plane: Plane): number[][] {
  const over = solid.vertices.map((vertex) => dot(plane.normal, vertex) - plane.offset);
  const points: number[][] = [];
  for (const face of solid.faces) {
    face.forEach((a, i) => {
      const b = face[(i + 1) % face.length];
      if (a < b && over[a] < 0 !== over[b] < 0) {
        const part = over[a] / (over[a] - over[b]);
        points.push(plus(solid.vertices[a], times(minus(solid.vertices[b], solid.vertices[a]), part)));
      }
    });
  }
  return points;
}
