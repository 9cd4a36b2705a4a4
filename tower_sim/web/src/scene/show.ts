// What the pages share that show an apparatus with its cubes: the live page, and its replays.

import { find, isDark, openDialog } from "../common/browser";
import type { Camera } from "./camera";
import type { Drawn, Header } from "./renderer";
import { CUTS, type Shown, Stage } from "./stage";

/** A row of the help: keys, what they do, and the action of each. */
export interface Key { names: string; words: string; does: Record<string, () => unknown> }

export abstract class Show implements Shown {
  message = ""; // a sentence under the controls
  trouble = "";
  stage!: Stage;
  frames = 0;
  ask = () => this.stage?.ask();

  abstract get moves(): boolean;
  abstract tick(at: number): void;
  abstract scene(): { cubes: Drawn[]; lit: number[] };

  /** `render` is called when what stands around the picture may have changed. */
  constructor(readonly render: () => void) {}

  tell(sentence: string): void {
    this.message = sentence;
    this.ask();
  }

  complain(line: string): void {
    this.trouble = line;
    this.render();
  }

  /** Draw an apparatus on the canvas that is there now; `fail` is told why there is no picture. */
  openStage(header: Header, fail: (line: string) => void): void {
    this.stage?.close();
    this.stage = new Stage(find<HTMLCanvasElement>("scene"), header, this, fail, true);
  }

  themeChanged(): void {
    this.ask();
  }

  get isDark(): boolean {
    return isDark();
  }

  pictured(): void {
    this.frames += 1;
    if (this.frames === 1) performance.mark("tower"); // first seen; calibration/validation reads it
    this.showFigures();
  }

  showFigures(): void {
    this.render();
  }

  /** Return what lets the camera do something, and draws what it sees then. */
  look(action: (camera: Camera) => void): () => void {
    return () => {
      action(this.stage.camera);
      this.ask();
    };
  }

  /** Cut the apparatus open another way; `depth` from 0 to 1. */
  cutOpen(cut = CUTS[(CUTS.indexOf(this.stage.cut) + 1) % CUTS.length], depth = this.stage.depth): void {
    Object.assign(this.stage, { cut, depth });
    this.ask();
  }

  get keys(): Key[] {
    const orbit = (x: number, y: number) => this.look((camera) => camera.orbit(x / 48, y / 60));
    const near = (factor: number) => this.look((camera) => camera.near(factor));
    return [
      { names: "A D W S", words: "turn the picture (also the arrows, when the picture has the focus; with shift they move it)", does: { a: orbit(-1, 0), d: orbit(1, 0), w: orbit(0, 1), s: orbit(0, -1) } },
      { names: "+ − 0", words: "zoom in, zoom out, reset the view", does: { "+": near(1.15), "=": near(1.15), "-": near(1 / 1.15), 0: this.look((camera) => camera.home()) } },
      { names: "C", words: "cut it open: from the side, from the front, from above; then close it", does: { c: () => this.cutOpen() } },
      { names: "T", words: "light or dark", does: { t: () => find("theme").click() } },
      { names: "?", words: "this help", does: { "?": () => openDialog("help") } },
    ];
  }
}
