// A canvas with its camera and its renderer: how finely it draws, where it is cut open, in which colours.

import { onceAFrame } from "../common/browser";
import { clamp } from "./algebra";
import { Camera } from "./camera";
import { CORNERS, type Plane, type Range, type Solid, boundsOf, solidsOf } from "./solids";
import { painter } from "./gl";
import { type Drawn, type Header, QUALITIES, Renderer, type Theme } from "./renderer";

export const CUTS = ["none", "side", "front", "top"];

const STILL = 160; // ms without a change, after which a picture is drawn once more, as finely as can be

/** What is animated: `tick` lets time pass to `at` (ms), `draw` draws in a quality of QUALITIES, 0 the finest. */
export interface Animated { readonly stage: Stage | null; readonly moves: boolean; tick(at: number): void; draw(level: number): void }

/** Return what asks for the next picture; pictures follow each other while something moves. */
export function animate(what: Animated): () => void {
  let finer = 0;
  const ask = onceAFrame((at) => {
    const { stage, moves } = what;
    if (!stage) return;
    what.tick(at);
    stage.watchPace(moves ? at : null);
    what.draw(stage.level);
    clearTimeout(finer);
    if (what.moves) ask();
    else finer = window.setTimeout(() => what.draw(0), STILL);
  });
  return ask;
}

/** A canvas on which the apparatus of a `header` (see Renderer) is drawn with cubes; at first it fills the picture. */
export class Stage {
  solids: Solid[];
  cuttable: Range;
  camera: Camera;
  cut = "none";
  depth = 0.5;
  level = 1;
  fixed = false;
  pace: { last: number | null; slow: number; seen: number } = { last: null, slow: 0, seen: 0 };
  renderer: Renderer | null = null;
  theme!: Theme;

  /** `ask` is called when all is to be drawn again, `fail` with a sentence where no picture can be drawn; `hasHand`: there is room over it. */
  constructor(readonly canvas: HTMLCanvasElement, readonly header: Header, readonly ask: () => void, readonly fail: (line: string) => void, hasHand: boolean) {
    const { edge, apparatus } = header;
    const { kind, rim, hand } = apparatus;
    this.solids = solidsOf(apparatus, edge);
    this.cuttable = boundsOf(this.solids.filter((solid) => !solid.isLow));
    const shape = this.solids.flatMap((solid) => solid.vertices);
    const over = CORNERS.map(([x, y]) => [(x * hand.spread) / 2, (y * hand.spread) / 2, rim + hand.height + 5 * edge]);
    this.camera = new Camera(hasHand ? [...shape, ...over] : shape, kind);
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
      this.fail((error as Error).message);
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

  get plane(): Plane | null {
    const axis = ({ side: 1, front: 0, top: 2 } as Record<string, number>)[this.cut];
    if (axis === undefined) return null;
    const { low, high } = this.cuttable;
    const normal = [0, 0, 0];
    normal[axis] = 1;
    return { normal, offset: low[axis] + (high[axis] - low[axis]) * clamp(this.depth, 0.002, 0.998) };
  }

  look(): void {
    this.camera.resize(Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight));
  }

  /** Draw `scene` as Renderer.draw takes it, in a quality of QUALITIES by its number. */
  draw(scene: { cubes: Drawn[]; lit: number[] }, level: number): void {
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
