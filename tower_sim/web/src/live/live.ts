// What the page is made of: joins the tower in its worker, the hand, the picture and a game that is played along.

import { type Paint } from "../common/faces";
import { address, bytesOf } from "../common/browser";
import { capital, plural } from "../common/text";
import { plus, times } from "../scene/algebra";
import { handleCanvas } from "../scene/hands";
import { type Header } from "../scene/renderer";
import { type Key, Show } from "../scene/show";
import { seenOf } from "../scene/solids";
import { Along, readBegun, playBy } from "./along";
import { Hand, type Leaving, TURN_BY_TURN, handleHand } from "./hand";
import { keep, restore } from "./kept";
import { type Counts, type Link, anySeed, readLink, writeLink, quote } from "./link";
import { Wood } from "./sound";
import type { Contents, Apparatus, State } from "./state";
import { LiveTower, type Play } from "./tower";
import { countsWords, eventSentence } from "./words";

const FIRST_HANDFUL = 7; // cubes in the hand when a tower is opened
const STEP_OF_HAND = 0.004; // m a press of a key

export class Live extends Show {
  noPicture = "";
  lastSeed = "–";
  strength = "1"; // g, of the knock that the page offers
  followed = ""; // the part of the address after # that was done as it says, or refused
  apparatus: Apparatus | null = null;
  colours: string[] = [];
  wood = new Wood();
  along = new Along(this);
  hand!: Hand;
  header!: Header;
  tower: LiveTower;
  core!: ArrayBuffer;
  again: Counts = []; // what an empty hand throws
  kept = new Map<string, State[]>(); // the past of each tower that stood here before
  busy: Promise<void> = Promise.resolve();
  pouring = false;
  shaking: ((event: DeviceMotionEvent) => void) | null = null;
  listener: ((word: string, what: unknown) => void) | null = null;

  constructor(readonly data: Contents, makeWorker: () => Worker, render: () => void) {
    super(render);
    playBy(data.house);
    for (const tower of data.towers) tower.seen = seenOf(tower.profile);
    this.tower = new LiveTower(makeWorker, (word, what) => this.hear(word, what), this.ask);
  }

  async start(): Promise<void> {
    this.core = await bytesOf("core");
    let link: Link | null = null;
    try {
      await restore(this).catch(() => (this.kept.clear(), (this.followed = ""))); // nothing that this page wrote
      if (this.followed !== location.hash) link = readLink(location.hash);
      if (!this.apparatus) await this.open(this.findApparatus(link && link.profile));
    } catch (error) {
      this.complain((error as Error).message);
      link = null;
      if (!this.apparatus) await this.open(this.data.towers[0]);
    }
    if (link) await this.follow(link);
  }

  /** The tower of a name; the one that stands there, or the first, of none. */
  findApparatus(name: string | null): Apparatus {
    if (name === null) return this.apparatus || this.data.towers[0];
    const found = this.data.towers.find((tower) => tower.name === name);
    if (!found) throw new Error(`The link is of ${quote(name)}, which this page has not; allowed are ${this.data.towers.map((tower) => tower.name).join(", ")}; open it in a page that has it.`);
    return found;
  }

  async follow(link: Link): Promise<void> {
    const { hash } = location;
    try {
      const given = this.findApparatus(link.profile);
      const begun = link.game ? readBegun(link.game, given) : null;
      const isEmpty = given !== this.apparatus || begun !== null;
      await this.tower.finish(); // what the link says follows from the state that is there then
      await this.tower.check(given, this.core, { token: link.state ?? (isEmpty ? null : this.tower.state.token), counts: link.counts, seed: link.seed });
      if (given !== this.apparatus) await this.open(given);
      if (link.state) await this.tower.read(link.state);
      else if (begun) await this.tower.empty();
      this.along.set(begun);
      this.followed = hash;
      if (link.counts) await this.throwCounts(link.counts, link.seed!);
    } catch (error) {
      this.followed = hash;
      this.complain((error as Error).message);
    }
  }

  async open(given: Apparatus): Promise<void> {
    await this.tower.finish();
    if (this.apparatus && this.tower.state) this.kept.set(this.apparatus.name, this.tower.steps);
    this.apparatus = given;
    this.hand = new Hand(given);
    this.again = [];
    this.header = { edge: given.edge, apparatus: given.seen, colours: [] };
    this.along.open(given);
    this.dress();
    this.render(); // with a canvas of its own
    this.noPicture = "";
    this.openStage(this.header, (line) => {
      this.noPicture = line;
    });
    const { canvas, camera } = this.stage;
    handleHand(canvas, camera, () => this.hand, this.ask, (when) => this.letGo(when));
    handleCanvas(canvas, camera, this.ask);
    await this.tower.open(given, this.core, this.kept.get(given.name));
    for (let i = 0; i < FIRST_HANDFUL; i += 1) this.hand.add(given.colours[i % given.colours.length]);
    this.tell("Press Throw.");
  }

  dress(): void {
    this.colours = [...new Set([...this.offered, ...this.apparatus!.colours, ...Object.keys(this.data.paints)])];
    this.header.colours = this.colours.map((name) => this.paintOf(name));
    this.stage?.openPicture();
    this.ask();
  }

  get offered(): string[] {
    return this.along.begun ? this.along.begun.game.colours : this.apparatus!.colours;
  }

  /** What a colour looks like; one that nobody knows here is grey, with its first letter. */
  paintOf(name: string): Paint {
    return (this.data.paints[name] ??= { name, rgb: "#8d99a6", ink: "#1a1a1a", letter: (name.match(/[\p{L}\p{N}]/u) || ["?"])[0].toUpperCase(), pattern: "rings" });
  }

  indexOf(colour: string): number {
    let index = this.colours.indexOf(colour);
    if (index < 0) {
      index = this.colours.push(colour) - 1;
      this.header.colours = this.colours.map((name) => this.paintOf(name));
      this.stage.openPicture();
    }
    return index;
  }

  run(action: () => unknown): Promise<void> {
    this.busy = this.busy.then(action as () => Promise<void>).catch((error: Error) => this.complain(error.message));
    return this.busy;
  }

  add(colour: string, by: number): void {
    if (this.along.isOn) return this.tell("The game says which cubes are thrown. Press Throw.");
    for (let i = 0; i < by; i += 1) this.hand.add(colour);
    if (by < 0) this.hand.remove(colour);
    return this.tell(`${capital(countsWords(this.hand.counts()))} in your hand.`);
  }

  putBack(): void {
    this.hand.remove();
    this.tell("Your hand is empty.");
  }

  throwIt(): unknown {
    if (this.along.isOn) return this.run(() => this.along.act());
    const counts = this.hand.held.length ? this.hand.counts() : this.again;
    if (!counts.length) return this.tell("Your hand is empty: take cubes first.");
    return this.run(() => this.throwCounts(counts, anySeed()));
  }

  async throwCounts(counts: Counts, seed: string): Promise<void> {
    await this.tower.move("drop", { counts, seed });
    this.hand.remove();
    this.again = counts;
  }

  knock(strength = Number(this.strength)): Promise<void> {
    return this.run(() => this.tower.move("knock", { strength, seed: anySeed() }));
  }

  letGo(when = performance.now()): unknown {
    if (!this.hand.held.length) return this.tell("Your hand is empty: take cubes first.");
    const { hand } = this;
    const launches = hand.release(when);
    return this.run(async () => {
      const play = await this.tower.move("hand", {}).catch((error) => {
        hand.back(launches);
        throw error;
      });
      for (const launch of launches) await this.launch(play, launch);
      await this.tower.close(play);
    });
  }

  /** Let one cube go, and go on with it while it is wanted. */
  pour(): unknown {
    if (this.pouring) return undefined;
    if (!this.hand.held.length) return this.tell("Your hand is empty: take cubes first.");
    this.pouring = true;
    return this.run(async () => {
      try {
        if (this.hand.held.length) await this.pourInto(await this.tower.move("hand", {}));
      } finally {
        this.pouring = false;
      }
    });
  }

  /** Let cubes go one by one while the key is down. The first goes even if the key is up again. The hand may be emptied meanwhile. */
  private async pourInto(play: Play): Promise<void> {
    for (let isFirst = true; (isFirst || this.pouring) && this.hand.held.length && play.isOpen && this.tower.play === play; isFirst = false) {
      const [launch] = this.hand.release(performance.now(), true);
      await this.launch(play, launch);
      await new Promise((done) => {
        setTimeout(done, 1000 * TURN_BY_TURN);
      });
    }
    await this.tower.close(play);
  }

  private async launch(play: Play, launch: Leaving): Promise<void> {
    const { colour, pose, velocity, spin } = launch;
    try {
      const id = this.along.numberOf(colour) ?? this.tower.state.next + play.launched;
      await this.tower.launch(play, { cube: { id, colour }, pose, velocity, spin });
      this.along.launched.add(id);
    } catch (error) {
      this.hand.back([launch]);
      this.tell(`A cube stays in your hand: ${(error as Error).message}`);
    }
  }

  undo(): Promise<void> {
    this.pouring = false;
    return this.run(() => this.tell(this.tower.undo() ? "Undone." : "There is nothing to undo."));
  }

  hear(word: string, what: any): void {
    if (word === "throw") this.tellThrow(what);
    else if (word === "again") this.tell("This throw did not come to rest. It is thrown again.");
    else if (word === "failed") this.tellFailure(what);
    else if (word === "rest") this.tellRest(what);
    else if (word === "state") this.along.read();
    if (word === "state" || word === "throw") keep(this);
    if (this.listener) this.listener(word, what);
  }

  private tellThrow(what: any): void {
    this.complain("");
    if (what.seed) this.lastSeed = what.seed;
    const words: Record<string, () => string> = { drop: () => `${capital(countsWords(what.counts || []))} thrown.`, knock: () => `A knock of ${what.strength} g.`, hand: () => "Your hand lets go." };
    this.tell(words[what.kind]());
  }

  private tellRest({ what, emerged, inside, events }: any): void {
    if (what.kind === "knock" && !emerged.length) return this.tell("The knock brought no cube out.");
    const event = eventSentence(events[events.length - 1], this.tower.isBoard);
    const none = emerged.length || event.endsWith("none came out.") ? "" : `, none came ${this.tower.isBoard ? "on the board" : "out"}`;
    return this.tell(`${event} ${plural(inside.length, "cube")} ${inside.length === 1 ? "is" : "are"} inside${none}.`);
  }

  private tellFailure({ what, failures, reason }: any): void {
    if (reason) return this.complain(`The physics stopped: ${reason}`);
    if (what.kind === "hand") return this.tell(`This throw failed (${failures.join(", ")}): a cube missed the funnel or did not come to rest. Nothing has changed.`);
    return this.tell(`${failures.length} throws in a row failed (${failures.join(", ")}). Nothing has changed.`);
  }

  get moves(): boolean {
    return this.tower.moves;
  }

  tick(): void {
    this.wood.frame();
    this.tower.tick(performance.now(), (hardness) => this.wood.hit(hardness));
  }

  scene() {
    const cubes = [...this.tower.drawn(performance.now()), ...this.hand.drawn()];
    return { cubes: cubes.map((each) => ({ ...each, colour: this.indexOf(each.colour) })), lit: this.lit() };
  }

  private lit(): number[] {
    const { state, play } = this.tower;
    const places = new Set(state && !play ? state.board.map(([, , place]) => place) : []);
    return this.apparatus!.seen.zones.map((zone) => (places.has(`zone:${zone.name}`) ? 0.55 : 0));
  }

  link(isBefore: boolean): string {
    const { tower, apparatus: here } = this;
    const { last } = tower;
    if (isBefore && last) return address() + writeLink({ profile: here!.name, state: last.before, seed: last.seed, counts: last.counts });
    return address() + writeLink({ profile: here!.name, state: tower.state.token, game: this.along.text });
  }

  /** Move the hand by steps to the right, away, and up, as one looks. */
  private moveHand(right: number, away: number, up: number): void {
    const { turn } = this.stage.camera;
    const way = [-Math.sin(turn) * right - Math.cos(turn) * away, Math.cos(turn) * right - Math.sin(turn) * away, up];
    this.hand.move(plus(this.hand.at, times(way, STEP_OF_HAND)), performance.now());
    this.ask();
  }

  get keys(): Key[] {
    const hand = (right: number, away: number, up: number) => () => this.moveHand(right, away, up);
    return [
      { names: "1 2 3 …", words: "take a cube of the first, second, third colour; with shift put one back", does: {} }, // whatever shift writes
      { names: "Enter", words: "throw the cubes in your hand; with an empty hand, the same cubes again", does: { Enter: () => this.throwIt() } },
      { names: "I J K L", words: "move your hand away, left, nearer, right; with shift higher (I) and lower (K)", does: { i: hand(0, 1, 0), k: hand(0, -1, 0), j: hand(-1, 0, 0), l: hand(1, 0, 0), I: hand(0, 0, 1), K: hand(0, 0, -1) } },
      { names: "G", words: "let all go where your hand is", does: { g: () => this.letGo() } },
      { names: "P", words: "let one cube go; held down they pour", does: { p: () => this.pour() } },
      { names: "N", words: "knock on the table", does: { n: () => this.knock() } },
      { names: "H", words: "in a game: take the cubes of this phase into your hand", does: { h: () => this.along.take() } },
      { names: "U", words: "undo", does: { u: () => this.undo() } },
      { names: "Backspace", words: "put the cubes in the hand back", does: { Backspace: () => this.putBack() } },
      { names: "Space", words: "jump to the end of the throw", does: { " ": () => this.tower.finish() } },
      ...super.keys,
    ];
  }
}
