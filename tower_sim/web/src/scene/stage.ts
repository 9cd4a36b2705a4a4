// A canvas with its camera and its renderer: how finely it draws, where it is cut open, in which colours.

import { onceAFrame } from "../common/browser";
import { clamp } from "./algebra";
import { Camera } from "./camera";
import { CORNERS, type Plane, type Range, type Solid, boundsOf, solidsOf } from "./solids";
import { painter } from "./gl";
import { type Drawn, type Header, QUALITIES, Renderer, type Theme } from "./renderer";

export const CUTS = ["none", "side", "front", "top"];

const STILL = 160; // ms without a change, after which a picture is drawn once more, as finely as can be

const THEMES: Record<"light" | "dark", Theme> = { // behind the table: --sunk of common.css
  light: { dark: false, background: [233, 230, 221].map((value) => value / 255), table: [0.955, 0.94, 0.905] },
  dark: { dark: true, background: [14, 16, 19].map((value) => value / 255), table: [0.2, 0.215, 0.235] },
};

/** What a stage shows: `tick` lets time pass to `at` (ms), `scene` is drawn then, `pictured` is called after each picture. */
export interface Shown { readonly moves: boolean; readonly isDark: boolean; tick(at: number): void; scene(): { cubes: Drawn[]; lit: number[] }; pictured?(): void }

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
  private finer = 0;

  /** `fail` is called with a sentence where no picture can be drawn; `hasHand`: there is room over it. */
  constructor(readonly canvas: HTMLCanvasElement, readonly header: Header, readonly shown: Shown, readonly fail: (line: string) => void, hasHand: boolean) {
    const { edge, apparatus } = header;
    const { kind, rim, hand } = apparatus;
    this.solids = solidsOf(apparatus, edge);
    this.cuttable = boundsOf(this.solids.filter((solid) => !solid.isLow));
    const shape = this.solids.flatMap((solid) => solid.vertices);
    const over = CORNERS.map(([x, y]) => [(x * hand.spread) / 2, (y * hand.spread) / 2, rim + hand.height + 5 * edge]);
    this.camera = new Camera(hasHand ? [...shape, ...over] : shape, kind);
    this.openPicture();
    new ResizeObserver(this.ask).observe(canvas);
  }

  /** Ask for the next picture; pictures follow each other while something moves. */
  ask = onceAFrame((at) => {
    const { shown } = this;
    shown.tick(at);
    this.watchPace(shown.moves ? at : null);
    this.draw(this.level);
    clearTimeout(this.finer);
    if (shown.moves) this.ask();
    else this.finer = window.setTimeout(() => this.draw(0), STILL);
  });

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

  get plane(): Plane | null {
    const axis = ({ side: 1, front: 0, top: 2 } as Record<string, number>)[this.cut];
    if (axis === undefined) return null;
    const { low, high } = this.cuttable;
    const normal = [0, 0, 0];
    normal[axis] = 1;
    return { normal, offset: low[axis] + (high[axis] - low[axis]) * clamp(this.depth, 0.002, 0.998) };
  }

  /** Draw what is there now, in a quality of QUALITIES by its number: 0 is the finest. */
  draw(level: number): void {
    const { camera, canvas, plane, renderer, shown } = this;
    camera.resize(Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight));
    const ratio = level >= 2 ? 1 : Math.min(devicePixelRatio || 1, 2);
    renderer?.draw({ scene: shown.scene(), camera, plane, quality: QUALITIES[level], ratio, theme: THEMES[shown.isDark ? "dark" : "light"] });
    shown.pictured?.();
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
