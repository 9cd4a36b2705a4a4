// A canvas with its camera and its renderer: how finely it draws, where it is cut open, in which colours.

import { type Points, clamp } from "./algebra";
import { type Plane, type Range, type Solid, boundsOf } from "./solids";
import { Camera } from "./camera";
import { painter } from "./gl";
import { type Drawn, type Header, QUALITIES, Renderer, type Theme } from "./renderer";

export const CUTS = ["none", "side", "front", "top"];

/** A canvas on which the apparatus of a `header` (see Renderer) is drawn with cubes; `scenes` as the Camera takes them. */
export class Stage {
  cuttable: Range;
  camera: Camera;
  cut = "none";
  depth = 0.5;
  level = 1;
  fixed = false;
  pace: { last: number | null; slow: number; seen: number } = { last: null, slow: 0, seen: 0 };
  renderer: Renderer | null = null;
  theme!: Theme;

  /** `ask` is called when all is to be drawn again, `trouble` with a sentence where no picture can be drawn. */
  constructor(readonly canvas: HTMLCanvasElement, readonly header: Header, readonly solids: Solid[], scenes: Points[], readonly ask: () => void, readonly trouble: (line: string) => void) {
    this.cuttable = boundsOf(solids.filter((solid) => !solid.isLow));
    this.camera = new Camera(scenes, boundsOf([{ vertices: scenes[0] }]), header.apparatus.kind);
    this.openPicture();
  }

  /** Begin to draw; where that cannot be, say so: all else does without. */
  openPicture = (): void => {
    try {
      const { restored, isSlow } = painter();
      this.renderer = new Renderer(painter(), this.canvas, this.header, this.solids, this.camera.box);
      if (!this.fixed) this.level = isSlow ? 2 : 1;
      restored.add(this.openPicture);
      this.ask();
    } catch (error) {
      this.renderer = null;
      this.trouble((error as Error).message);
    }
  };

  /** Draw no more; openPicture begins again. */
  close(): void {
    if (this.renderer) painter().restored.delete(this.openPicture);
    this.renderer = null;
  }

  /** Take what is behind the table ([red, green, blue] from 0 to 255), light or dark. */
  paint(background: number[], dark: boolean): void {
    const table = dark ? [0.2, 0.215, 0.235] : [0.955, 0.94, 0.905];
    this.theme = { dark, background: background.map((value) => value / 255), table };
  }

  /** The plane of the section, or null. */
  get plane(): Plane | null {
    const axis = ({ side: 1, front: 0, top: 2 } as Record<string, number>)[this.cut];
    if (axis === undefined) return null;
    const { low, high } = this.cuttable;
    const normal = [0, 0, 0];
    normal[axis] = 1;
    return { normal, offset: low[axis] + (high[axis] - low[axis]) * clamp(this.depth, 0.002, 0.998) };
  }

  /** Let the camera know how large the canvas is, and look at scene `one`, or `part` of the way from it to the next. */
  look(one: number, part: number): void {
    const { canvas, camera } = this;
    camera.resize(Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight));
    camera.show(one, part ? one + 1 : one, part);
  }

  /** Draw `scene` as Renderer.draw takes it, in a quality of QUALITIES by its number. */
  draw(scene: { cubes: Drawn[]; lit: number[] }, level = this.level): void {
    if (!this.renderer) return;
    this.renderer.draw({
      scene,
      camera: this.camera,
      plane: this.plane,
      quality: QUALITIES[level],
      ratio: level >= 2 ? 1 : Math.min(devicePixelRatio || 1, 2),
      theme: this.theme,
    });
  }

  /** Draw less finely where pictures come too slowly; `now` is their time (ms), null one that follows no other. */
  watchPace(now: number | null): void {
    const { pace } = this;
    if (now !== null && pace.last !== null) {
      pace.seen += 1;
      if (now - pace.last > 21) pace.slow += 1;
    }
    pace.last = now;
    if (pace.seen < 24) return;
    if (!this.fixed && pace.slow > 12 && this.level < QUALITIES.length - 1) this.level += 1;
    pace.seen = pace.slow = 0;
  }

  /** Draw moving pictures in this quality from now on. */
  fix(level: number): void {
    this.level = clamp(Math.round(level), 0, QUALITIES.length - 1);
    this.fixed = true;
  }
}
