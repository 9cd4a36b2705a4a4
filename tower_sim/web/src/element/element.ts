// <cube-tower profile="amerigo" state="TOWER3..." seed="7" cubes="blue:4,red:2">: a tower with real physics in any page.
// MADE has what Python filled it with: { towers, paints, core: base64, worker: text }.


import { runsPhysics } from "../common/browser";
import { bytesOfWord } from "../common/bytes";
import type { Paint } from "../common/faces";
import { handleCanvas } from "../scene/hands";
import { seenOf } from "../scene/solids";
import { Stage } from "../scene/stage";
import { anySeed, countsOf, countsText, quote, seedText } from "../live/link";
import type { Cube, Apparatus } from "../live/state";
import { LiveTower } from "../live/tower";
import { byColour } from "../live/words";

declare const MADE: { towers: Apparatus[]; paints: Record<string, Paint>; core: string; worker: string };

let url = "";

function makeWorker(): Worker {
  url ||= URL.createObjectURL(new Blob([MADE.worker], { type: "text/javascript" }));
  return new Worker(url);
}

const Base = typeof HTMLElement === "undefined" ? (class {} as typeof HTMLElement) : HTMLElement; // where pages are made, nothing is shown
const ATTRIBUTES = ["profile", "state", "seed", "cubes"];
const STYLE = ":host{display:block;position:relative;min-height:240px;color-scheme:light dark;background:light-dark(#e9e6dd,#0e1013)}:host([hidden]){display:none}canvas[hidden],slot[hidden]{display:none}slot{display:block;height:100%}canvas{position:absolute;inset:0;width:100%;height:100%;touch-action:none}p{position:absolute;left:0;right:0;bottom:0;margin:0;padding:4px 8px;font:14px system-ui,sans-serif;color:light-dark(#a3271f,#f59a8f)}p:empty{display:none}.status{clip-path:inset(50%);width:1px;height:1px;overflow:hidden}";

/**
 * The tower of `profile` with what `state` (a token) has inside; with `seed` and `cubes` it throws them at once, as
 * `tower-sim throw` does. Events: "throw" when one begins, "out" for each cube that comes out, "rest" when all lie still,
 * "trouble" for what is wrong, in one line; what they tell is in `detail`. What stands inside the element is shown where
 * the browser cannot run the physics.
 */
export class CubeTower extends Base {
  declare profile: string | null;
  declare state: string | null;
  declare seed: string | null;
  declare cubes: string | null;
  private canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": "A cube tower. Arrow keys turn it, plus and minus zoom." });
  private line = element("p", { role: "alert" });
  private status = element("p", { class: "status", role: "status" });
  private substitute = element("slot", { hidden: "" });
  private ask = () => this.stage?.ask();
  private tower = new LiveTower(makeWorker, (word, what) => this.hear(word, what), this.ask);
  private busy: Promise<void> = Promise.resolve();
  private isAsked = true; // whether the attributes say what was not done yet
  private apparatus: Apparatus | null = null;
  stage: Stage | null = null;
  private applied: string | null = null;
  private colours: string[] = [];
  private noPicture = "";

  static get observedAttributes() {
    return ATTRIBUTES;
  }

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).append(this.canvas, this.substitute, this.line, this.status);
    const early = this as Record<string, unknown>; // what was set before this module came
    for (const name of ATTRIBUTES.filter((each) => Object.hasOwn(early, each))) {
      const value = early[name];
      delete early[name];
      early[name] = value;
    }
  }

  connectedCallback() {
    const [root, view] = [this.shadowRoot!, this.ownerDocument.defaultView];
    if (view && !root.adoptedStyleSheets.length) { // none yet, or another document took the element over
      const sheet = new view.CSSStyleSheet(); // allowed where a page's policy allows no style of ours
      sheet.replaceSync(STYLE);
      root.adoptedStyleSheets = [sheet];
    }
    if (this.stage && !this.stage.renderer) this.stage.openPicture();
    this.ask();
    this.followSoon();
  }

  /** Frameworks take elements out to put them elsewhere: only one that stays out is left. */
  disconnectedCallback() {
    queueMicrotask(() => {
      if (!this.isConnected) this.leave();
    });
  }

  attributeChangedCallback() {
    this.isAsked = true;
    this.followSoon();
  }

  /** What was asked comes to its end unseen; then worker and picture go, and the past stays. */
  private async leave(): Promise<void> {
    await this.finish();
    if (this.isConnected) return;
    this.stage?.close();
    this.tower.terminate();
  }

  private followSoon(): void {
    queueMicrotask(() => {
      if (this.isAsked && this.isConnected) this.queue(() => this.follow()).catch(() => {});
    });
  }

  /** Do what a method asks, after what the attributes say; a promise. */
  private async run<T>(action: () => T | Promise<T>): Promise<T> {
    await undefined; // what the attributes say is in the row by then
    return this.queue(async () => {
      await this.open();
      return action();
    });
  }

  private queue<T>(action: () => T | Promise<T>): Promise<T> {
    const done = this.busy.then(action);
    this.busy = done.then(() => {}, (error: Error) => {
      this.complain(error.message);
      this.tell("trouble", { message: error.message });
    });
    return done;
  }

  private complain(line: string): void {
    this.line.textContent = line || this.noPicture;
  }

  private async follow(): Promise<void> {
    if (!this.isAsked || !this.isConnected) return;
    this.isAsked = false;
    this.complain("");
    await this.open();
    const { state, seed, cubes, applied, tower } = this;
    const throws = seed !== null && cubes !== null;
    if (state !== null && state !== tower.state.token && (throws || state !== applied)) await tower.read(state);
    if (state === null && applied !== null) await tower.empty();
    this.applied = state;
    if (throws) await this.drop(cubes, seed);
  }

  private async open(): Promise<void> {
    if (!this.isConnected) throw new Error("This tower is in no page; append it to a document, then throw, knock or undo.");
    const name = this.profile ?? MADE.towers[0].name;
    const found = MADE.towers.find((tower) => tower.name === name);
    if (!found) throw new Error(`The profile ${quote(name)} is not in this element; allowed are ${MADE.towers.map((tower) => tower.name).join(", ")}.`);
    if (found === this.apparatus) return;
    if (!runsPhysics()) this.giveWay();
    await this.tower.finish();
    found.seen ??= seenOf(found.profile);
    this.openStage(found);
    this.apparatus = this.applied = null;
    await this.tower.open(found, bytesOfWord(MADE.core));
    this.apparatus = found;
  }

  private giveWay(): never {
    this.canvas.hidden = true;
    this.substitute.hidden = false;
    const instead = this.childElementCount ? "; a substitute is shown" : "; open the page in a newer one";
    throw new Error(`This browser has no WebAssembly or no workers, which the physics needs${instead}.`);
  }

  private openStage({ seen, edge }: Apparatus): void {
    this.colours = Object.keys(MADE.paints);
    const header = { edge, apparatus: seen, colours: this.colours.map((name) => MADE.paints[name]) };
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    this.stage?.close();
    this.noPicture = "";
    this.stage = new Stage(canvas, header, this, (message) => {
      this.noPicture = message;
      this.complain("");
    }, false);
    handleCanvas(canvas, this.stage.camera, this.ask);
  }

  private hear(word: string, what: any): void {
    const count = (cubes: Cube[]) => Object.fromEntries(byColour(cubes));
    if (word === "throw") {
      this.complain("");
      this.tell("throw", { kind: what.kind, seed: what.seed, cubes: what.counts ? Object.fromEntries(what.counts) : {} });
    } else if (word === "out") this.tell("out", { id: what.id, colour: what.colour });
    else if (word === "failed") this.tell("trouble", { message: what.reason || `no landing: ${what.failures.join(", ")}` });
    else if (word === "rest") {
      const { emerged, inside, board, token } = what;
      this.status.textContent = `${emerged.length} came out, ${inside.length} inside.`;
      this.tell("rest", { state: token, emerged, inside: count(inside), board: count(board) });
    }
  }

  private tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  get moves(): boolean {
    return this.tower.moves;
  }

  tick(): void {
    this.tower.tick(performance.now());
  }

  get isDark(): boolean {
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  scene() {
    const index = (name: string) => Math.max(this.colours.indexOf(name), 0);
    return { cubes: this.tower.drawn(performance.now()).map((each) => ({ ...each, colour: index(each.colour) })), lit: [] };
  }

  /** Throw cubes, such as { blue: 4 } or "blue:4", by a seed (drawn where none is given); a promise: it has begun. */
  throw(cubes: string | Record<string, number> | null = this.cubes, seed: string | number | bigint = anySeed()): Promise<void> {
    return this.run(() => this.drop(cubes, seed));
  }

  private async drop(cubes: unknown, seed: unknown): Promise<void> {
    await this.tower.move("drop", { seed: seedText(seed), counts: countsOf(cubes) });
  }

  /** Knock on the table, `strength` in g. */
  knock(strength = 1, seed: string | number | bigint = anySeed()): Promise<void> {
    return this.run(async () => void await this.tower.move("knock", { strength, seed: seedText(seed) }));
  }

  /** Take back the last of what was done here; a promise of the token of the state. */
  undo(): Promise<string> {
    return this.run(() => {
      this.tower.undo();
      return this.tower.state.token;
    });
  }

  /** See at once how what moves ends; a promise. */
  async finish(): Promise<void> {
    await undefined;
    await this.busy;
    await this.tower.finish();
  }

  /** The token of the state that is there; null before it is open. */
  get token(): string | null {
    return this.tower.state?.token ?? null;
  }
}

/** Return a value as text; a number that JavaScript has rounded as one that no reader takes. */
function exactly(value: unknown): string {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? value.toExponential() : String(value);
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Record<string, string>): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

for (const name of ATTRIBUTES) {
  Object.defineProperty(CubeTower.prototype, name, {
    get(this: CubeTower) { return this.getAttribute(name); },
    set(this: CubeTower, value: string | Record<string, number> | null | undefined) {
      if (value === null || value === undefined) this.removeAttribute(name);
      else this.setAttribute(name, typeof value === "object" ? countsText(Object.entries(value)) : exactly(value));
    },
  });
}

if (typeof customElements !== "undefined" && !customElements.get("cube-tower")) customElements.define("cube-tower", CubeTower);
