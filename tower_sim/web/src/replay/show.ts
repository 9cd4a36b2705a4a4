// What is shown of a replay: its picture, its time, the cube that is marked.

import type { Points } from "../scene/algebra";
import { find, isDark, onceAFrame, startTheme, themeColour, wantsStillness } from "../common/browser";
import { CORNERS, type Solid, solidsOf } from "../scene/solids";
import type { Drawn } from "../scene/renderer";
import { Stage } from "../scene/stage";
import { cubeName } from "./marked";
import { drawMarks } from "./marks";
import { Player } from "./player";
import { type Header, type Recorded, sceneAt } from "./record";
import { litAt } from "./zones";

const EVERY = 4; // pictures from one look at the figures to the next, while it plays
const STILL = 160; // ms without a change, after which a picture is drawn once more, as finely as can be

export class Show {
  said = ""; // a sentence under the controls
  trouble = "";
  stage!: Stage;
  player: Player;
  marked: number | null = null;
  follows = false;
  frames = 0;
  finer = 0;
  ask = onceAFrame((now) => this.frame(now));

  /** `render` is called when what stands around the picture may have changed. */
  constructor(readonly record: Recorded, readonly render: () => void) {
    this.player = new Player(record, this.ask, (sentence) => this.tell(sentence));
  }

  /** Draw on the canvas that is there now. */
  open(): void {
    const { header } = this.record;
    const solids = solidsOf(header.apparatus, header.edge);
    this.stage = new Stage(find<HTMLCanvasElement>("scene"), header, solids, [pointsOf(header, solids)], this.ask, (line) => this.complain(line));
    const resized = new ResizeObserver(this.themeChanged);
    for (const id of ["scene", "marks"]) resized.observe(find(id));
    startTheme(this.themeChanged);
    this.themeChanged();
  }

  /** Whether something is there to be shown: the first take is computed. */
  get isReady(): boolean {
    return this.record.takes.length > 0;
  }

  /** Say what went wrong, in one line. */
  complain(line: string): void {
    this.trouble = line;
    this.render();
  }

  get camera() {
    return this.stage.camera;
  }

  tell(sentence: string): void {
    this.said = sentence;
    this.ask();
  }

  /** Take the colours of the page, light or dark, and draw anew. */
  themeChanged = (): void => {
    this.stage.paint(themeColour("--sunk"), isDark());
    if (this.isReady) drawMarks(this.record, find<HTMLCanvasElement>("marks"));
    this.render();
    this.ask();
  };

  /** Draw the moment; once more, finely, when nothing moved for a while. */
  private frame(now: number): void {
    const { player } = this;
    const moved = player.playing;
    player.tick(now);
    this.stage.watchPace(moved ? now : null);
    this.drawMoment(this.stage.level);
    clearTimeout(this.finer);
    if (player.playing) this.ask();
    else this.finer = window.setTimeout(() => this.drawMoment(0), STILL);
  }

  /** Show the moment that time is at; while it plays figures are looked at less often than the picture. */
  private drawMoment(level: number): void {
    const { player, record } = this;
    this.frames += 1;
    if (!player.playing || this.frames % EVERY === 0) this.render();
    this.stage.look(0, 0);
    if (this.frames === 1) performance.mark("tower"); // first seen
    if (!this.isReady) return this.stage.draw({ cubes: [], lit: [] }, level);
    const cubes = this.drawn();
    const marked = cubes.find(({ cube }) => cube === this.marked);
    if (marked && this.follows) this.camera.lookTo(Array.from(marked.pose).slice(0, 3));
    this.showTag(marked);
    return this.stage.draw({ cubes, lit: litAt(record, player.moment) }, level);
  }

  /** Put the ring and the name of the marked cube where it is drawn. */
  private showTag(drawn: Drawn | undefined): void {
    const tag = find("tag");
    tag.hidden = !drawn;
    if (!drawn) return;
    const [x, y, metre] = this.camera.placeOf(drawn.pose);
    const wide = Math.max(20, 2 * this.record.header.edge * metre);
    Object.assign(tag.style, { left: `${x - wide / 2}px`, top: `${y - wide / 2}px`, width: `${wide}px`, height: `${wide}px` });
    find("tag-name").classList.toggle("before", x > this.camera.width - 140);
  }

  /** The cubes that are drawn now. */
  drawn(): Drawn[] {
    return sceneAt(this.record, this.player.moment, wantsStillness());
  }

  /** Mark a cube by its number, or none (null). */
  mark(cube: number | null): void {
    this.marked = cube;
    if (cube === null) this.follow(false);
    else this.tell(`${cubeName(this.record, cube)} is marked.`);
    this.render();
    this.ask();
  }

  /** Mark the next (1) or previous (-1) of the cubes that are drawn, by their numbers. */
  markNext(by: number): void {
    const cubes = this.drawn().map(({ cube }) => cube).sort((a, b) => by * (a - b));
    const next = cubes.find((cube) => this.marked === null || by * (cube - this.marked) > 0);
    this.mark(next ?? cubes[0] ?? null);
  }

  /** Let the camera follow the cube that is marked, or no more. */
  follow(follows: boolean): void {
    const does = follows && this.marked !== null;
    if (does && !this.follows) this.camera.near(Math.max(1, 2.5 / this.camera.zoom));
    if (!does && this.follows) this.camera.home();
    this.follows = does;
    this.ask();
  }

  /** The picture as it is now, finely drawn, as a data URL. */
  picture(): string {
    this.drawMoment(0);
    return find<HTMLCanvasElement>("scene").toDataURL();
  }

  /** Cut open another way; `depth` from 0 to 1. */
  cutOpen(cut: string, depth = this.stage.depth): void {
    Object.assign(this.stage, { cut, depth });
    this.ask();
  }
}

/** What is to fill the picture: the shape, and where cubes are let go. */
function pointsOf({ edge, apparatus: { rim, hand } }: Header, solids: Solid[]): Points {
  const wide = hand.spread / 2;
  const over = CORNERS.map(([x, y]) => [x * wide, y * wide, rim + hand.height + 5 * edge]);
  return [...solids.flatMap((solid) => solid.vertices), ...over];
}
