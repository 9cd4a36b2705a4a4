// Draws one picture: lamp's depth map, ground, solids, zones, cubes, cuts, clear walls, edges.

import { type Vector, plus, minus, times, dot, cross, size, unit, turned, product, boxView, lookAt } from "./algebra";
import { BOX_FACES, CORNERS, type Plane, type Range, type Seen, type Solid, normalOf, strengthFor, trianglesOf, edgesOf, cutsOf } from "./solids";
import { type GL, type Painter, Vertices, textureOf, facesOf } from "./gl";
import { contactOf, openZones } from "./prints";
import type { Paint } from "../common/faces";
import type { Camera } from "./camera";

const TONES = [
  [0.87, 0.77, 0.62], [0.8, 0.67, 0.48], [0.76, 0.62, 0.43], [0.84, 0.73, 0.56],
  [0.79, 0.7, 0.57], [0.72, 0.63, 0.5], [0.82, 0.76, 0.66], [0.68, 0.6, 0.5],
];
const FELT = [0.2, 0.42, 0.33]; // in the tray; its index is TONES.length, as SOLID_FRAGMENT knows
const PLASTIC: Record<string, number[]> = { printed: [0.74, 0.76, 0.79], pane: [0.72, 0.82, 0.88] }; // by surface; behind felt, without grain
const LOOK: [string, number][] = [["a_at", 3], ["a_normal", 3], ["a_look", 2]];
const LAMP = 1.45; // how far the lamp's map reaches, in the reach of what is looked at
const NO_PLANE = [0, 0, 0, 1];
const EVERYTHING = 2; // for u_clear: solids of any strength
const UNCUT = 2; // the strength of a solid that is drawn whole where others are cut

/** What is drawn how finely: samples a pixel, looks at the lamp's map, the map's side, the picture's scale, whether
 * clear walls alone have edges. */
export const QUALITIES: Quality[] = [
  { samples: 4, taps: 12, map: 2048, scale: 1 },
  { samples: 4, taps: 5, map: 1024, scale: 1 },
  { samples: 0, taps: 1, map: 512, scale: 1, few: true },
  { samples: 0, taps: 1, map: 512, scale: 0.75, few: true },
  { samples: 0, taps: 0, map: 512, scale: 0.6, few: true },
];

/** What a renderer draws: the cubes' edge, their colours, and the apparatus. */
export interface Header { edge: number; apparatus: Seen; colours: Paint[] }
/** A cube that is drawn: `colour` is the index of its own, `size` a part of it. */
export interface Drawn { cube: number; colour: number; pose: Vector; size: number }
export interface Theme { dark: boolean; background: number[]; table: number[] }
interface Quality { samples: number; taps: number; map: number; scale: number; few?: boolean }
interface Picture { scene: { cubes: Drawn[]; lit: number[] }; camera: Camera; plane: Plane | null; quality: Quality; ratio: number; theme: Theme }
type Values = Record<string, number | Vector | { unit: number }>;

export class Renderer {
  gl: GL;
  middle: number[];
  reach: number;
  tones: number[];
  shape!: Vertices; // as it is seen from outside
  opened!: Vertices; // with what a cut shows; the same where no part is of pieces of a surface
  shown!: Vertices; // in this picture
  cuts!: Vertices;
  edges!: Vertices;
  cubes!: Vertices;
  ground!: Vertices;
  faces!: WebGLTexture;
  contact!: WebGLTexture;
  contactBox!: number[];
  zones!: ReturnType<typeof openZones>;
  strengths!: WebGLTexture;
  strengthRows!: number;

  /**
   * Draw `solids` on a canvas; `header` has the cubes' `edge`, their `colours` and the `apparatus` with its zones, `box`
   * is what is looked at.
   */
  constructor(readonly painter: Painter, readonly canvas: HTMLCanvasElement, readonly header: Header, readonly solids: Solid[], readonly box: Range) {
    this.gl = painter.gl;
    this.middle = times(plus(box.low, box.high), 0.5);
    this.reach = size(minus(box.high, box.low)) / 2;
    const parts = [...new Set(solids.map((solid) => solid.part))];
    this.tones = solids.map((solid) => {
      const plastic = Object.keys(PLASTIC).indexOf(solid.surface);
      if (plastic >= 0) return TONES.length + 1 + plastic;
      return isFelt(solid, header.edge) ? TONES.length : parts.indexOf(solid.part) % TONES.length;
    });
    this.upload();
  }

  upload() {
    const { gl, header, solids } = this;
    this.shape = new Vertices(gl, LOOK, trianglesOf(solids, this.tones, false));
    this.opened = solids.some(({ least }) => least) ? new Vertices(gl, LOOK) : this.shape;
    this.cuts = new Vertices(gl, LOOK);
    this.edges = new Vertices(gl, [["a_from", 3], ["a_to", 3], ["a_corner", 3], ["a_one", 3], ["a_other", 3]], edgesOf(solids));
    this.cubes = new Vertices(gl, [["a_at", 3], ["a_normal", 3], ["a_face", 3]]);
    this.ground = new Vertices(gl, [["a_at", 2]], new Float32Array([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1]));
    this.faces = facesOf(gl, header.colours, this.painter.isSlow ? 1 : 4);
    const contact = contactOf(solids);
    this.contact = textureOf(gl, contact.canvas);
    this.contactBox = contact.box;
    this.zones = openZones(gl, header.apparatus);
    this.strengths = gl.createTexture();
    this.strengthRows = Math.ceil(solids.length / 256) || 1;
  }

  /** Take a program and set its uniforms; those that it does not have are passed over. */
  use(name: string, taps: number, values: Values): void {
    const { gl } = this;
    const { program, uniforms } = this.painter.program(name, taps, values.u_plane === NO_PLANE ? 0 : 1);
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      const place = uniforms[key];
      if (!place) continue;
      if (typeof value === "number") gl.uniform1f(place, value);
      else if ("unit" in value) gl.uniform1i(place, value.unit);
      else if (value.length === 16) gl.uniformMatrix4fv(place, false, value as Float32Array);
      else if (key === "u_tones") gl.uniform3fv(place, value as Float32Array);
      else if (key === "u_lit") gl.uniform1fv(place, value as Float32Array);
      else gl[`uniform${value.length as 2 | 3 | 4}fv`](place, value as number[]);
    }
  }

  /**
   * Draw `scene`, {cubes: [{cube, colour, pose, size}], lit: a strength for each zone}, as `camera` sees it, cut by `plane` or null,
   * in a quality of QUALITIES; `ratio` is pixels a CSS pixel, `theme` has background, table and ink from 0 to 1.
   */
  draw({ scene, camera, plane, quality, ratio, theme }: Picture): void {
    const { gl, canvas, painter } = this;
    if (gl.isContextLost()) return;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio * quality.scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio * quality.scale));
    painter.resize(width, height);
    this.cubes.fill(cubeTriangles(scene.cubes, this.header.edge / 2));
    const cut = plane && turnedTo(plane, camera.eye);
    this.shown = cut ? this.opened : this.shape;
    if (!this.shown.count) this.shown.fill(trianglesOf(this.solids, this.tones, true));
    this.fillStrengths(camera.eye, cut !== null);
    const values = this.valuesFor(camera, cut, quality, theme, [width, height], scene.lit);
    if (quality.taps) this.drawDepth(values, quality);
    this.bindTextures(quality);
    const samples = painter.samplesOf(quality.samples);
    if (samples) samples.bind(width, height);
    else gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(theme.background[0], theme.background[1], theme.background[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    this.drawSolid(values, quality.taps, cut);
    this.drawClear(values, quality.taps);
    if (samples) samples.resolve();
    painter.copyTo(canvas);
  }

  drawSolid(values: Values, taps: number, cut: Plane | null): void {
    this.use("cube", taps, values);
    this.cubes.draw();
    this.use("solid", taps, { ...values, u_clear: 0 });
    this.shown.draw();
    if (this.zones) {
      this.use("zone", taps, values);
      this.zones.vertices.draw();
    }
    if (cut) {
      this.cuts.fill(cutsOf(this.solids, this.tones, cut));
      this.use("hatch", taps, { ...values, u_clear: EVERYTHING });
      this.gl.disable(this.gl.CULL_FACE);
      this.cuts.draw();
      this.gl.enable(this.gl.CULL_FACE);
    }
    this.use("ground", taps, values);
    this.ground.draw();
  }

  drawClear(values: Values, taps: number): void {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.use("solid", taps, { ...values, u_clear: 1 });
    this.shown.draw();
    gl.disable(gl.CULL_FACE);
    this.use("edge", taps, values);
    this.edges.draw();
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawDepth(values: Values, quality: Quality): void {
    const { gl } = this;
    const map = this.painter.mapOf(quality.map);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.strengths);
    gl.bindFramebuffer(gl.FRAMEBUFFER, map.frame);
    gl.viewport(0, 0, map.side, map.side);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2.5, 6);
    gl.disable(gl.CULL_FACE);
    const seen = { ...values, u_view: values.u_lampView, u_clear: 0 };
    this.use("solidDepth", 0, seen);
    this.shown.draw();
    this.use("cubeDepth", 0, { ...seen, u_plane: NO_PLANE });
    this.cubes.draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  valuesFor(camera: Camera, cut: Plane | null, quality: Quality, theme: Theme, picture: number[], lit: number[]): Values {
    const turn = camera.turn + 0.75;
    const sun = unit([Math.cos(turn), Math.sin(turn), 1.7]);
    const lamp = product(boxView(LAMP * this.reach), lookAt(plus(this.middle, times(sun, 0.01)), this.middle).matrix);
    const pixel = picture[0] / Math.max(1, this.canvas.clientWidth);
    const brightness = theme.dark ? 0.8 : 1;
    return {
      u_view: camera.matrix,
      u_lampView: lamp,
      u_sun: sun,
      u_eye: camera.eye,
      u_sky: times([0.66, 0.69, 0.74], brightness),
      u_under: times([0.5, 0.45, 0.4], brightness),
      u_bias: 0.004 * LAMP * this.reach,
      u_soft: 0.0045,
      u_shadow: { unit: 0 },
      u_strengths: { unit: 1 },
      u_faces: { unit: 2 },
      u_contact: { unit: 3 },
      u_print: { unit: 4 },
      u_tones: new Float32Array([...TONES, FELT, ...Object.values(PLASTIC)].flat()),
      u_plane: cut ? [...cut.normal, cut.offset] : NO_PLANE,
      u_middle: this.middle,
      u_reach: 3.2 * this.reach,
      u_table: theme.table,
      u_background: theme.background,
      u_contactBox: this.contactBox,
      u_box: this.zones ? this.zones.box : [0, 0, 1, 1],
      u_lit: new Float32Array(32).map((_, i) => lit[i] || 0),
      u_glow: [1.0, 0.8, 0.3],
      u_ink: theme.dark ? [0.06, 0.05, 0.04] : [0.2, 0.14, 0.08],
      u_most: quality.few && !cut ? 0.999 : UNCUT,
      u_pixel: pixel,
      u_picture: picture,
      u_width: 1.1 * Math.max(1, pixel),
    };
  }

  bindTextures(quality: Quality): void {
    const { gl } = this;
    const print = this.zones ? this.zones.print : null;
    const bound = [this.painter.mapOf(quality.map).texture, this.strengths, null, this.contact, print];
    bound.forEach((texture, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      if (i === 2) gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.faces);
      else gl.bindTexture(gl.TEXTURE_2D, texture || this.contact);
    });
  }

  fillStrengths(eye: Vector, isCut: boolean): void {
    const { gl } = this;
    const data = new Float32Array(256 * this.strengthRows);
    this.solids.forEach((solid, i) => {
      if (isCut) data[i] = solid.isLow ? UNCUT : 1;
      else data[i] = strengthFor(solid, eye);
    });
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.strengths);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, 256, this.strengthRows, 0, gl.RED, gl.FLOAT, data);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }
}

function isFelt(solid: Solid, edge: number): boolean {
  const heights = solid.vertices.map((vertex) => vertex[2]);
  return solid.part === "tray" && Math.max(...heights) - Math.min(...heights) < 0.7 * edge;
}

/** A plane with its normal towards the eye: what is before it is cut away. */
function turnedTo({ normal, offset }: Plane, eye: Vector): Plane {
  const isAway = normal[2] < 0.5 && dot(normal, eye) < offset;
  return isAway ? { normal: times(normal, -1), offset: -offset } : { normal, offset };
}

/** The faces of a cube from -1 to 1: normal, corners of its two triangles, where they are on the face's picture. */
const CUBE = BOX_FACES.map((face) => {
  const corners = face.map((index) => CORNERS[index]);
  const normal = normalOf(corners, [0, 1, 2, 3]);
  const up = normal[2] ? [0, 1, 0] : [0, 0, 1];
  const right = cross(up, normal);
  const points = [0, 1, 2, 0, 2, 3].map((k) => {
    const corner = corners[k];
    return { index: face[k], across: 0.5 + 0.5 * dot(right, corner), upwards: 0.5 + 0.5 * dot(up, corner) };
  });
  return { normal, points };
});

/** The triangles of cubes of a scene: x y z, normal, place on the face and layer of its colour. */
function cubeTriangles(cubes: Drawn[], half: number): Float32Array<ArrayBuffer> {
  const data = new Float32Array(cubes.length * 36 * 9);
  let at = 0;
  for (const { pose, colour, size: part } of cubes) {
    const turn: number[] = Array.from(pose).slice(3);
    const corners = CORNERS.map((corner) => plus(pose, turned(turn, times(corner, half * part))));
    for (const { normal, points } of CUBE) {
      const way = turned(turn, normal);
      for (const { index, across, upwards } of points) {
        data.set(corners[index], at);
        data.set(way, at + 3);
        data[at + 6] = across;
        data[at + 7] = upwards;
        data[at + 8] = colour;
        at += 9;
      }
    }
  }
  return data;
}
