// What is shown of a replay: its picture, its time, the cube that is marked.

import { find, startTheme, wantsStillness } from "../common/browser";
import type { Drawn } from "../scene/renderer";
import { type Key, Show } from "../scene/show";
import { cubeName } from "./marked";
import { Player } from "./player";
import { type Recorded, litAt, sceneAt } from "./record";

const EVERY = 4; // pictures from one look at the figures to the next, while it plays

export class Replay extends Show {
  player: Player;
  marked: number | null = null;
  follows = false;
  private told = { sentence: "", at: 0 }; // what is told of a moment

  constructor(readonly record: Recorded, render: () => void) {
    super(render);
    this.player = new Player(record, this.ask, (sentence) => {
      this.tell(sentence);
      this.told = { sentence, at: this.player.time };
    });
  }

  /** The sentence under the controls; one that is told of a moment stands as long as that moment. */
  get line(): string {
    const { sentence, at } = this.told;
    return this.message === sentence && at !== this.player.time ? "" : this.message;
  }

  open(): void {
    this.openStage(this.record.header, (line) => this.complain(line));
    startTheme(() => this.themeChanged());
  }

  /** Whether something is there to be shown: the first take is computed. */
  get isReady(): boolean {
    return this.record.takes.length > 0;
  }

  get moves(): boolean {
    return this.player.playing;
  }

  tick(at: number): void {
    this.player.tick(at);
  }

  showFigures(): void {
    if (!this.moves || this.frames % EVERY === 0) this.render();
  }

  themeChanged(): void {
    this.ask();
    this.render();
  }

  scene() {
    if (!this.isReady) return { cubes: [], lit: [] };
    const cubes = this.drawn();
    const marked = cubes.find(({ cube }) => cube === this.marked);
    if (marked && this.follows) this.stage.camera.lookTo(Array.from(marked.pose).slice(0, 3));
    this.showTag(marked);
    return { cubes, lit: litAt(this.record, this.player.moment) };
  }

  private showTag(drawn: Drawn | undefined): void {
    const tag = find("tag");
    tag.hidden = !drawn;
    if (!drawn) return;
    const { camera } = this.stage;
    const [x, y, metre] = camera.placeOf(drawn.pose);
    const wide = Math.max(20, 2 * this.record.header.edge * metre);
    Object.assign(tag.style, { left: `${x - wide / 2}px`, top: `${y - wide / 2}px`, width: `${wide}px`, height: `${wide}px` });
    find("tag-name").classList.toggle("before", x > camera.width - 140);
  }

  drawn(): Drawn[] {
    return sceneAt(this.record, this.player.moment, wantsStillness());
  }

  mark(cube: number | null): void {
    this.marked = cube;
    if (cube === null) this.follow(false);
    else this.tell(`${cubeName(this.record, cube)} is marked.`);
    this.render();
  }

  /** Mark the next (1) or previous (-1) of the cubes that are drawn, by their numbers. */
  markNext(by: number): void {
    const cubes = this.drawn().map(({ cube }) => cube).sort((a, b) => by * (a - b));
    const next = cubes.find((cube) => this.marked === null || by * (cube - this.marked) > 0);
    this.mark(next ?? cubes[0] ?? null);
  }

  follow(follows: boolean): void {
    const { camera } = this.stage;
    const does = follows && this.marked !== null;
    if (does && !this.follows) camera.near(Math.max(1, 2.5 / camera.zoom));
    if (!does && this.follows) camera.home();
    this.follows = does;
    this.ask();
  }

  /** The picture as it is now, finely drawn, as a data URL. */
  picture(): string {
    this.stage.draw(0);
    return find<HTMLCanvasElement>("scene").toDataURL();
  }

  get keys(): Key[] {
    const { player, record } = this;
    return [
      { names: "Space", words: "play or pause", does: { " ": () => player.toggle() } },
      { names: "← →", words: "a quarter of a second back or on", does: { ArrowLeft: () => player.stopAt(player.time - 0.25), ArrowRight: () => player.stopAt(player.time + 0.25) } },
      { names: ", .", words: "a frame back or on", does: { ",": () => player.frame(-1), ".": () => player.frame(1) } },
      { names: "P N", words: "previous or next event", does: { p: () => player.event(-1), n: () => player.event(1) } },
      { names: "[ ]", words: "previous or next drop", does: { "[": () => player.step(-1), "]": () => player.step(1) } },
      { names: "Home End", words: "to the beginning or the end", does: { Home: () => player.seek(0), End: () => player.seek(record.duration) } },
      { names: "< >", words: "slower or faster", does: { "<": () => player.faster(-1), ">": () => player.faster(1) } },
      { names: "M", words: "mark a cube, or the next one (with shift the one before); Esc marks none", does: { m: () => this.markNext(1), M: () => this.markNext(-1), Escape: () => this.mark(null) } },
      { names: "F", words: "follow the cube that is marked, or no more", does: { f: () => this.follow(!this.follows) } },
      ...super.keys,
    ];
  }
}
