// What the pages share that show an apparatus with its cubes: the live page, and its replays.

import { find, isDark, openDialog, themeColour } from "../common/browser";
import type { Camera } from "./camera";
import type { Drawn, Header } from "./renderer";
import { type Animated, CUTS, Stage, animate } from "./stage";

export abstract class Show implements Animated {
  message = ""; // a sentence under the controls
  trouble = "";
  stage!: Stage;
  frames = 0;
  ask = animate(this);

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
    this.stage = new Stage(find<HTMLCanvasElement>("scene"), header, this.ask, fail, true);
    new ResizeObserver(() => this.themeChanged()).observe(this.stage.canvas);
    this.themeChanged();
  }

  themeChanged(): void {
    this.stage?.paint(themeColour("--sunk"), isDark());
    this.ask();
  }

  draw(level: number): void {
    this.frames += 1;
    this.showFigures();
    this.stage.look();
    this.stage.draw(this.scene(), level);
    if (this.frames === 1) performance.mark("tower"); // first seen; calibration/validation reads it
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

  get keys(): Record<string, () => void> {
    const orbit = (x: number, y: number) => this.look((camera) => camera.orbit(x / 48, y / 60));
    const near = (factor: number) => this.look((camera) => camera.near(factor));
    return {
      a: orbit(-1, 0), d: orbit(1, 0), w: orbit(0, 1), s: orbit(0, -1),
      "+": near(1.15), "=": near(1.15), "-": near(1 / 1.15), 0: this.look((camera) => camera.home()),
      c: () => this.cutOpen(),
      t: () => find("theme").click(),
      "?": () => openDialog("help"),
    };
  }
}
