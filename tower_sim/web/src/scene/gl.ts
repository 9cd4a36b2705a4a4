// WebGL 2 in few words: programs, buffers, textures. 6 kB, minified; ogl, twgl and PicoGL add 54 to 65 kB to each page (November 2026).

import { SHADER_HEAD, SHADERS } from "./shaders";
import { canvasOf } from "../common/browser";
import { type Paint, drawFace } from "../common/faces";

export type GL = WebGL2RenderingContext;
type Layout = [name: string, count: number][];
export interface Program { program: WebGLProgram; uniforms: Record<string, WebGLUniformLocation | null> }

const PLACES = ["a_at", "a_normal", "a_look", "a_face", "a_zone", "a_from", "a_to", "a_corner", "a_one", "a_other"];

/**
 * What all pictures of a page are drawn with: browsers keep about 16 contexts of WebGL, and lose the oldest for a new one.
 * A picture is drawn here and copied to its own canvas at once.
 */
export class Painter {
  canvas = document.createElement("canvas");
  gl: GL;
  programs = new Map<string, Program>();
  maps = new Map<number, ReturnType<typeof depthMap>>();
  samples = new Map<number, Samples>();
  restored = new Set<() => void>(); // called when a context that was lost is back, with nothing in it

  /** Throws an Error where there is no WebGL 2. */
  constructor() {
    const { canvas } = this;
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, powerPreference: "high-performance" });
    if (!gl) throw new Error("This browser shows no 3D picture (it has no WebGL 2); counters and steps work all the same.");
    this.gl = gl;
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      for (const kept of [this.programs, this.maps, this.samples]) kept.clear();
      for (const begin of this.restored) begin();
    });
  }

  /** Whether a processor draws that is made for other things, slowly. */
  get isSlow() {
    const { gl } = this;
    let name = gl.getParameter(gl.RENDERER);
    const known = /^webkit/i.test(name) && gl.getExtension("WEBGL_debug_renderer_info"); // who hides it tells it so
    if (known) name = gl.getParameter(known.UNMASKED_RENDERER_WEBGL);
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
  }

  program(name: string, taps: number, cut: number): Program {
    const key = `${name} ${taps} ${cut}`;
    if (!this.programs.has(key)) this.programs.set(key, programOf(this.gl, name, taps, cut));
    return this.programs.get(key)!;
  }

  mapOf(side: number) {
    if (!this.maps.has(side)) this.maps.set(side, depthMap(this.gl, side));
    return this.maps.get(side)!;
  }

  samplesOf(many: number): Samples | null {
    if (many && !this.samples.has(many)) this.samples.set(many, new Samples(this.gl, many));
    return this.samples.get(many) ?? null;
  }

  resize(width: number, height: number): void {
    resize(this.canvas, width, height);
  }

  copyTo(canvas: HTMLCanvasElement): void {
    resize(canvas, this.canvas.width, this.canvas.height);
    canvas.getContext("2d", { alpha: false })!.drawImage(this.canvas, 0, 0);
  }
}

function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}

let shared: Painter | null = null;

/** The painter of this page. Throws an Error where there is no WebGL 2. */
export function painter(): Painter {
  return (shared ??= new Painter());
}

/** A program of SHADERS by name, with the places of its uniforms. Throws an Error with the compiler's words. */
export function programOf(gl: GL, name: string, taps: number, cut: number): Program {
  const program = gl.createProgram();
  SHADERS[name].forEach((source, i) => {
    const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER)!;
    gl.shaderSource(shader, `${SHADER_HEAD}#define TAPS ${taps}\n#define CUT ${cut}\n${source}`);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(`${name}: ${gl.getShaderInfoLog(shader)}`);
    }
    gl.attachShader(program, shader);
  });
  PLACES.forEach((place, i) => gl.bindAttribLocation(program, i, place));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`${name}: ${gl.getProgramInfoLog(program)}`);
  }
  const uniforms: Program["uniforms"] = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i += 1) {
    const { name: uniform } = gl.getActiveUniform(program, i)!;
    uniforms[uniform.replace("[0]", "")] = gl.getUniformLocation(program, uniform);
  }
  return { program, uniforms };
}

/**
 * The vertices of triangles on the graphics processor, and how a program reads them: `layout` is [attribute, how many
 * numbers], ... in the order in which they stand. There are no instances: without a graphics processor each would cost
 * as much as a drawing of its own.
 */
export class Vertices {
  array: WebGLVertexArrayObject;
  buffer: WebGLBuffer;
  stride: number;
  room = 0;
  count = 0;

  constructor(readonly gl: GL, layout: Layout, data = new Float32Array(0)) {
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.stride = layout.reduce((sum, [, count]) => sum + count, 0);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    let at = 0;
    for (const [name, count] of layout) {
      const place = PLACES.indexOf(name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, 4 * this.stride, 4 * at);
      at += count;
    }
    this.fill(data);
  }

  fill(data: Float32Array<ArrayBuffer>): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (data.length > this.room) {
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      this.room = data.length;
    } else gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
    this.count = data.length / this.stride;
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
  }
}

/** A texture of a canvas, seen from near and far. */
export function textureOf(gl: GL, canvas: HTMLCanvasElement): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, true);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

/** The faces of cubes, a layer a colour; `slant` is how finely they are looked up when they are seen from the side. */
export function facesOf(gl: GL, colours: Paint[], slant: number): WebGLTexture {
  const side = 128;
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 8, gl.RGBA8, side, side, Math.max(1, colours.length));
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, true);
  colours.forEach((paint, layer) => {
    const [canvas, context] = canvasOf(side, side);
    drawFace(context, 0, 0, side, paint);
    context.strokeStyle = paint.ink;
    context.globalAlpha = 0.22;
    context.lineWidth = 5;
    context.strokeRect(0, 0, side, side);
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, side, side, 1, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
  });
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
  gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  const sharper = gl.getExtension("EXT_texture_filter_anisotropic");
  if (sharper && slant > 1) gl.texParameterf(gl.TEXTURE_2D_ARRAY, sharper.TEXTURE_MAX_ANISOTROPY_EXT, slant);
  return texture;
}

/** A map of depths as a lamp sees them, and the frame it is drawn into. */
export function depthMap(gl: GL, side: number) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, side, side);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return { texture, frame, side };
}

/** A frame of several samples a pixel, to be resolved into the picture. */
export class Samples {
  samples: number;
  frame: WebGLFramebuffer;
  colour: WebGLRenderbuffer;
  depth: WebGLRenderbuffer;
  width = 0;
  height = 0;

  constructor(readonly gl: GL, most: number) {
    this.samples = Math.min(most, gl.getParameter(gl.MAX_SAMPLES));
    this.frame = gl.createFramebuffer();
    this.colour = gl.createRenderbuffer();
    this.depth = gl.createRenderbuffer();
  }

  bind(width: number, height: number): void {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    for (const [buffer, format, point] of [
      [this.colour, gl.RGBA8, gl.COLOR_ATTACHMENT0],
      [this.depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT],
    ] as const) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, buffer);
    }
  }

  resolve() {
    const { gl, width, height } = this;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
