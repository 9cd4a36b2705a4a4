// The page: joins the tower in its worker, the hand, the picture and the figures.

const STILL = 160; // ms without a change, after which a picture is drawn once more, as finely as can be
const STEP_OF_HAND = 0.004; // m a press of a key
const SHAKEN = 13; // m/s2 of a phone's movement that is a knock
const FIRST_HANDFUL = 7; // cubes in the hand when a tower is opened

class Live {
  constructor(data) {
    this.data = data;
    for (const tower of data.towers) tower.seen = { ...tower.profile, boxes: tower.profile.boxes.filter(({ part }) => part !== "table") };
    this.wood = new Wood();
    this.ask = onceAFrame((at) => this.frame(at));
    this.panels = new Panels(data, (colour, by) => this.add(colour, by));
    this.frames = 0;
    this.along = null; // a game played along
    this.last = null; // what was thrown last: {counts, seed, before: a token}
    this.kept = new Map(); // the state of each tower that stood here before
    this.busy = Promise.resolve();
  }

  /** Begin: the worker, the tower of the link or the first. */
  async start() {
    const text = new TextDecoder().decode(await bytesOf("worker"));
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.core = await bytesOf("core");
    this.tower = new LiveTower(() => new Worker(url), (word, what) => this.heard(word, what), this.ask);
    this.along = new Along(this);
    let link = null;
    try {
      link = linkRead(location.hash);
      await this.open(this.shownOf(link && link.profile));
    } catch (error) {
      this.complain(error);
      link = null;
      if (!this.shown) await this.open(this.data.towers[0]);
    }
    if (link) await this.follow(link);
  }

  /** The tower of a name; the one that stands there, or the first, of none. */
  shownOf(name) {
    if (name === null) return this.shown || this.data.towers[0];
    const found = this.data.towers.find((tower) => tower.name === name);
    if (!found) throw new Error(`The link is of ${shown(name)}, which this page has not; allowed are ${this.data.towers.map((tower) => tower.name).join(", ")}; open it in a page that has it.`);
    return found;
  }

  /** Do what a link says, after all of it is checked: a wrong link changes nothing. */
  async follow(link) {
    try {
      const shown = this.shownOf(link.profile);
      const begun = link.game ? this.along.read(link.game, shown) : null;
      const isEmpty = shown !== this.shown || begun !== null;
      if (link.counts) await this.tower.finish(); // the throw meets the state that is there then
      await this.tower.check(shown, this.core, { token: link.state, isEmpty, counts: link.counts, seed: link.seed });
      if (shown !== this.shown) await this.open(shown);
      if (link.state) await this.tower.change("read", { token: link.state });
      else if (begun) await this.tower.change("empty");
      this.along.set(begun);
      sayTrouble("");
      if (link.counts) await this.throwCounts(link.counts, link.seed);
    } catch (error) {
      this.complain(error);
    }
  }

  /** Stand a tower there. */
  async open(shown) {
    if (this.shown && this.tower.state) this.kept.set(this.shown.name, this.tower.state.token);
    this.shown = shown;
    this.solids = solidsOf(shown.seen, shown.edge);
    this.hand = new Hand(shown);
    this.last = null;
    this.header = { edge: shown.edge, apparatus: shown.seen };
    find("profile").value = shown.name;
    this.along.open(shown);
    this.dress();
    this.openStage();
    await this.tower.open(shown, this.core);
    const kept = this.kept.get(shown.name);
    if (kept) await this.tower.change("read", { token: kept });
    this.fillHand();
    this.tell("Press Throw.");
  }

  /** Take a first handful: seven cubes, mixed. */
  fillHand() {
    const { colours } = this.shown;
    for (let i = 0; i < FIRST_HANDFUL; i += 1) this.hand.add(colours[i % colours.length]);
  }

  /** Take the colours of the game that is played along, or of the tower. */
  dress() {
    const { shown, along: { game } } = this;
    const own = game ? game.colours : shown.colours;
    this.colours = [...new Set([...own, ...shown.colours, ...Object.keys(this.data.paints)])];
    this.header.colours = this.colours.map((name) => this.paintOf(name));
    this.panels.open({ ...shown, colours: own }, (name) => this.paintOf(name));
    if (this.stage) this.stage.openPicture();
    if (this.tower.state) this.panels.showPast(this.tower.state, this.tower.isBoard);
    this.ask();
  }

  openStage() {
    const { shown } = this;
    const shape = this.solids.flatMap((solid) => solid.vertices);
    const high = shown.seen.rim + shown.hand.height + 5 * shown.edge;
    const wide = shown.hand.spread / 2;
    const over = CORNERS.map(([x, y]) => [x * wide, y * wide, high]);
    const stage = new Stage(freshCanvas(), this.header, this.solids, [[...shape, ...over], shape], (line) => setText(find("no-picture"), line));
    this.stage = stage;
    handleHand(stage.canvas, stage.camera, () => this.hand, this.ask, (when) => this.letGo(when));
    handleCanvas(stage.canvas, stage.camera, this.ask, () => {});
    stage.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    stage.canvas.addEventListener("webglcontextrestored", () => {
      stage.openPicture();
      this.ask();
    });
    new ResizeObserver(() => this.themeChanged()).observe(stage.canvas);
    this.themeChanged();
  }

  /** What a colour looks like; one that nobody knows here is grey, with its first letter. */
  paintOf(name) {
    const known = this.data.paints[name];
    if (known) return known;
    return { name, rgb: "#8d99a6", ink: "#1a1a1a", letter: (name.match(/[\p{L}\p{N}]/u) || ["?"])[0].toUpperCase(), pattern: "rings" };
  }

  indexOf(colour) {
    let index = this.colours.indexOf(colour);
    if (index < 0) {
      this.colours.push(colour);
      index = this.colours.length - 1;
      this.header.colours = this.colours.map((name) => this.paintOf(name));
      this.stage.openPicture();
    }
    return index;
  }

  themeChanged() {
    if (this.stage) this.stage.paint(themeColour("--sunk"), isDark());
    this.ask();
  }

  tell(sentence) {
    setText(find("said"), sentence);
  }

  complain(error) {
    sayTrouble(error.message);
  }

  /** Do things one after the other; what goes wrong is said, and nothing is lost. */
  run(action) {
    this.busy = this.busy.then(action).catch((error) => this.complain(error));
    return this.busy;
  }

  add(colour, by) {
    if (this.along.isOn) return this.tell("The game says which cubes are thrown. Press Throw.");
    for (let i = 0; i < by; i += 1) this.hand.add(colour);
    if (by < 0) this.hand.remove(colour);
    this.tell(`${capital(countsWords(this.hand.counts()))} in your hand.`);
    return this.ask();
  }

  /** Throw what is in the hand with the model's own hand; of an empty hand the same as last. */
  throwIt() {
    if (this.along.isOn) return this.run(() => this.along.act());
    const counts = this.hand.held.length ? this.hand.counts() : this.last ? this.last.counts : [];
    if (!counts.length) return this.tell("Your hand is empty: take cubes first.");
    return this.run(() => this.throwCounts(counts, anySeed()));
  }

  async throwCounts(counts, seed) {
    await this.tower.finish();
    const before = this.tower.state.token;
    await this.tower.move("drop", { counts, seed });
    this.hand.remove();
    this.last = { counts, seed, before };
  }

  knock(strength = Number(find("strength").value)) {
    return this.run(() => this.tower.move("knock", { strength, seed: anySeed() }));
  }

  /** Let all go where the hand is. */
  letGo(when = performance.now()) {
    if (!this.hand.held.length) return this.tell("Your hand is empty: take cubes first.");
    const { hand } = this;
    const launches = hand.release(when);
    return this.run(async () => {
      const play = await this.beginHand().catch((error) => {
        hand.back(launches);
        throw error;
      });
      for (const launch of launches) await this.launch(play, launch);
      await this.endHand(play);
    });
  }

  /** Let one cube go, and go on with it while it is wanted. */
  pour() {
    if (this.pouring || !this.hand.held.length) {
      if (!this.pouring) this.tell("Your hand is empty: take cubes first.");
      return undefined;
    }
    this.pouring = true;
    return this.run(async () => {
      try {
        if (this.hand.held.length) await this.pourInto(await this.beginHand());
      } finally {
        this.pouring = false;
      }
    });
  }

  /** Let cubes go one by one while the key is down. The first goes even if the key is up again. The hand may be emptied meanwhile. */
  async pourInto(play) {
    for (let isFirst = true; (isFirst || this.pouring) && this.hand.held.length && play.isOpen && this.tower.play === play; isFirst = false) {
      const [launch] = this.hand.release(performance.now(), true);
      await this.launch(play, launch);
      await new Promise((done) => {
        setTimeout(done, 1000 * TURN_BY_TURN);
      });
    }
    await this.endHand(play);
  }

  async beginHand() {
    await this.tower.finish();
    this.last = null;
    return this.tower.move("hand", {});
  }

  async launch(play, launch) {
    const { colour, pose, velocity, spin } = launch;
    try {
      const id = this.along.numberOf(colour) ?? this.tower.state.next + play.launched;
      await this.tower.launch(play, { cube: { id, colour }, pose, velocity, spin });
      this.along.launched.add(id);
    } catch (error) {
      this.hand.back([launch]);
      this.tell(`A cube stays in your hand: ${error.message}`);
    }
  }

  async endHand(play) {
    await this.tower.close(play);
    this.ask();
  }

  undo() {
    return this.run(async () => {
      const { play } = this.tower;
      if (!play && !this.tower.state.undo) return this.tell("There is nothing to undo.");
      await this.tower.change(play ? "stop" : "undo");
      this.last = null;
      return this.tell("Undone.");
    });
  }

  /** Hear what the tower tells. */
  heard(word, what) {
    if (word === "throw") this.began(what);
    else if (word === "again") this.tell("This throw did not come to rest. It is thrown again.");
    else if (word === "failed") this.failed(what);
    else if (word === "rest") this.rested(what);
    else if (word === "state") {
      this.panels.showPast(what, this.tower.isBoard);
      this.along.show();
    }
    if (this.listener) this.listener(word, what);
  }

  began(what) {
    sayTrouble("");
    if (what.seed) setText(find("last-seed"), what.seed);
    const words = { drop: () => `${capital(countsWords(what.counts || []))} thrown.`, knock: () => `A knock of ${what.strength} g.`, hand: () => "Your hand lets go.", place: () => "Put down." };
    this.tell(words[what.kind]());
  }

  rested({ what, emerged, inside, events }) {
    const out = this.tower.isBoard ? "on the board" : "out";
    if (what.kind === "knock" && !emerged.length) return this.tell("The knock brought no cube out.");
    return this.tell(`${eventSentence(events[events.length - 1], this.tower.isBoard)} ${counted(inside.length, "cube")} ${inside.length === 1 ? "is" : "are"} inside${emerged.length ? "" : `, none came ${out}`}.`.replace(/: none came out\.(.*), none came out/, ": none came out.$1"));
  }

  failed({ what, failures, reason }) {
    if (reason) return this.complain(new Error(`The physics stopped: ${reason}`));
    if (what.kind === "hand") return this.tell(`This throw failed (${failures.join(", ")}): a cube missed the funnel or did not come to rest. Nothing has changed.`);
    return this.tell(`${failures.length} throws in a row failed (${failures.join(", ")}). Nothing has changed.`);
  }

  frame(at) {
    const { tower, stage } = this;
    if (!stage) return;
    this.wood.frame();
    const moving = tower.moves;
    tower.tick(performance.now(), (hardness) => this.wood.hit(hardness));
    stage.watchPace(moving ? at : null);
    this.draw(stage.level);
    clearTimeout(this.finer);
    if (tower.moves) this.ask();
    else this.finer = setTimeout(() => this.draw(0), STILL);
  }

  drawn() {
    const cubes = [...this.tower.drawn(performance.now()), ...this.hand.drawn()];
    return cubes.map((each) => ({ ...each, colour: this.indexOf(each.colour) }));
  }

  draw(level) {
    const { tower, hand, stage, panels } = this;
    this.frames += 1;
    const sums = panels.showCounts(hand.counts(), tower.counts());
    const where = tower.isBoard ? ["in the ship", "on the board"] : ["inside", "out"];
    setText(find("sentence"), `${sums[0]} in your hand, ${sums[1]} ${where[0]}, ${sums[2]} ${where[1]}.`);
    setText(find("result"), sums[1] + sums[2] ? `${sums[2]} ${where[1]}, ${sums[1]} ${where[0]}` : "");
    find("undo").disabled = !(tower.play || (tower.state && tower.state.undo));
    stage.look(0, 0);
    stage.draw({ cubes: this.drawn(), lit: this.lit() }, level);
    if (this.frames === 1) performance.mark("tower"); // first seen; tests/measure/live.py reads it
  }

  /** Zones in which cubes lie are lit. */
  lit() {
    const { state, play } = this.tower;
    const places = new Set(state && !play ? state.board.map(([, , place]) => place) : []);
    return this.shown.seen.zones.map((zone) => (places.has(`zone:${zone.name}`) ? 0.55 : 0));
  }

  /** The link to what is here: as it is now, or before the last throw with it to come. */
  link(isBefore) {
    const { last, tower, shown } = this;
    const address = location.href.split("#")[0];
    if (isBefore && last) return address + linkText({ profile: shown.name, state: last.before, seed: last.seed, counts: last.counts });
    return address + linkText({ profile: shown.name, state: tower.state.token, game: this.along.text });
  }
}

/** A canvas without a context, in the place of the one that was there. */
function freshCanvas() {
  const old = find("scene");
  const canvas = old.cloneNode();
  old.replaceWith(canvas);
  return canvas;
}

/** Let controls and keys act. */
function connect(live) {
  const onClick = (id, action) => find(id).addEventListener("click", action);
  const view = (action) => () => {
    action(live.stage.camera);
    live.ask();
  };
  const near = (factor) => view((camera) => camera.near(factor));
  const cutOpen = view(() => {
    live.stage.cut = CUTS[(CUTS.indexOf(live.stage.cut) + 1) % CUTS.length];
  });
  const home = view((camera) => camera.home());
  find("profile").append(...live.data.towers.map(({ name, title }) => make("option", { value: name, title, text: capital(plainName(name)) })));
  find("profile").addEventListener("change", (event) => live.run(() => live.open(live.shownOf(event.target.value))));
  onClick("throw", () => live.throwIt());
  onClick("let-go", () => live.letGo());
  onClick("pour", () => (live.pouring ? stopPouring(live) : live.pour()));
  onClick("knock", () => live.knock());
  onClick("undo", () => live.undo());
  onClick("empty-hand", () => putBack(live));
  onClick("start-anew", () => live.run(() => live.tower.change("empty")));
  onClick("clear-board", () => live.run(() => live.tower.change("take", { cubes: live.tower.state.board.map(([id]) => id) })));
  onClick("nearer", near(1.25));
  onClick("farther", near(0.8));
  onClick("home", home);
  onClick("cut", cutOpen);
  onClick("sound", () => toggleSound(live));
  onClick("shake", () => startShaking(live));
  startDialog(find("help-open"), find("help"));
  connectLink(live);
  for (const [keys, words] of KEYS) {
    const cell = make("td");
    keys.split(" ").forEach((key) => cell.append(make("kbd", { text: key }), " "));
    find("keys").append(make("tr", {}, cell, make("td", { text: words })));
  }
  const orbit = (x, y) => view((camera) => camera.orbit(x / 48, y / 60));
  handleKeys({
    Enter: () => live.throwIt(),
    g: () => live.letGo(),
    p: () => live.pour(),
    n: () => live.knock(),
    h: () => live.along.take(),
    u: () => live.undo(),
    Backspace: () => putBack(live),
    " ": () => live.tower.finish(),
    i: () => moveHand(live, 0, 1, 0),
    k: () => moveHand(live, 0, -1, 0),
    j: () => moveHand(live, -1, 0, 0),
    l: () => moveHand(live, 1, 0, 0),
    I: () => moveHand(live, 0, 0, 1),
    K: () => moveHand(live, 0, 0, -1),
    a: orbit(-1, 0),
    d: orbit(1, 0),
    w: orbit(0, 1),
    s: orbit(0, -1),
    "+": near(1.15),
    "=": near(1.15),
    "-": near(1 / 1.15),
    0: home,
    c: cutOpen,
    t: () => find("theme").click(),
    "?": () => find("help-open").click(),
  });
  document.addEventListener("keydown", (event) => digit(live, event));
  document.addEventListener("keyup", (event) => {
    if (event.key.toLowerCase() === "p") stopPouring(live);
  });
  startTheme(find("theme"), () => live.themeChanged());
  window.addEventListener("hashchange", () => {
    live.run(async () => {
      const link = linkRead(location.hash);
      if (link) await live.follow(link);
    });
  });
}

function stopPouring(live) {
  live.pouring = false;
}

function putBack(live) {
  live.hand.remove();
  live.tell("Your hand is empty.");
  live.ask();
}

/** A digit takes a cube of that colour, with shift puts one back. */
function digit(live, event) {
  const found = /^Digit([1-9])$/.exec(event.code);
  if (!found || isTakenKey(event)) return;
  const colour = live.panels.shown.colours[Number(found[1]) - 1];
  if (!colour) return;
  event.preventDefault();
  live.add(colour, event.shiftKey ? -1 : 1);
}

/** Move the hand by steps to the right, away, and up, as one looks. */
function moveHand(live, right, away, up) {
  const { turn } = live.stage.camera;
  const way = [-Math.sin(turn) * right - Math.cos(turn) * away, Math.cos(turn) * right - Math.sin(turn) * away, up];
  live.hand.move(plus(live.hand.at, times(way, STEP_OF_HAND)), performance.now());
  live.ask();
}

function toggleSound(live) {
  const isOn = !live.wood.isOn;
  find("sound").setAttribute("aria-pressed", String(isOn));
  live.wood.turn(isOn).catch(() => sayTrouble("This browser makes no sound for the page."));
}

/** Let a shaken phone knock, where it may be felt; iOS asks its owner first. */
async function startShaking(live) {
  const button = find("shake");
  if (live.shaking) {
    window.removeEventListener("devicemotion", live.shaking);
    live.shaking = null;
    button.setAttribute("aria-pressed", "false");
    return;
  }
  if (typeof DeviceMotionEvent === "undefined") {
    live.tell("This device does not feel shaking. Press Knock.");
    return;
  }
  try {
    if (DeviceMotionEvent.requestPermission && (await DeviceMotionEvent.requestPermission()) !== "granted") throw new Error("refused");
  } catch {
    live.tell("This device does not let the page feel shaking. Press Knock.");
    return;
  }
  let next = 0;
  live.shaking = ({ acceleration }) => {
    const { x, y, z } = acceleration || {};
    const much = Math.hypot(x || 0, y || 0, z || 0);
    if (much < SHAKEN || performance.now() < next) return;
    next = performance.now() + 1500;
    live.knock(clamp(Math.round(much / 9.81 * 2) / 4, 0.5, 4));
  };
  window.addEventListener("devicemotion", live.shaking);
  button.setAttribute("aria-pressed", "true");
}

function connectLink(live) {
  const show = () => {
    find("share-last").disabled = !live.last;
    find("share-link").value = live.link(find("share-last").checked);
  };
  const say = (sentence) => setText(find("share-said"), sentence);
  find("share").addEventListener("click", () => live.run(async () => {
    await live.tower.finish();
    find("share-last").checked = Boolean(live.last);
    show();
    say("");
    find("share-dialog").showModal();
  }));
  find("share-last").addEventListener("change", show);
  for (const close of find("share-dialog").querySelectorAll("[data-close]")) close.addEventListener("click", () => find("share-dialog").close());
  find("share-copy").addEventListener("click", async () => {
    find("share-link").select();
    try {
      await navigator.clipboard.writeText(find("share-link").value);
      say("The link is copied.");
    } catch {
      say("This browser does not let the page copy: the link is marked, copy it.");
    }
  });
  find("share-take").addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      const link = linkRead(find("share-given").value);
      if (!link) return;
      find("share-dialog").close();
      live.run(() => live.follow(link));
    } catch (error) {
      say(error.message);
    }
  });
}

/**
 * What other scripts may use: `state` (its token), `profile`, `busy` (a promise, done when all that was asked is begun),
 * `moves`, `counts()` (by colour {inside, out}), `held` (by colour), `handAt` (where on the page, [x, y]), `finish()`
 * (a promise: all lies still), `link(isBefore)`, `frames` (pictures drawn), `listener` (called with the word and details
 * of what happens: throw, out, again, failed, rest, state).
 */
function opened(live) {
  return {
    get state() { return live.tower.state.token; },
    get profile() { return live.shown.name; },
    get busy() { return live.busy; },
    get moves() { return live.tower.moves; },
    get held() { return live.hand.counts(); },
    get frames() { return live.frames; },
    get handAt() {
      const [at] = live.hand.places();
      return at ? live.stage.camera.placeOf(at).slice(0, 2) : null;
    },
    counts: () => Object.fromEntries(live.tower.counts()),
    finish: () => live.tower.finish(),
    link: (isBefore) => live.link(isBefore),
    set listener(listener) { live.listener = listener; },
  };
}

async function main() {
  if (typeof WebAssembly === "undefined" || typeof Worker === "undefined" || typeof DecompressionStream === "undefined") {
    sayTrouble("This browser has no WebAssembly or no workers, which the physics needs; open the page in a newer one, or in this one a throw that was recorded (tower-sim page replay).");
    return;
  }
  const live = new Live(dataOf("live"));
  connect(live);
  try {
    await live.start();
    window.towerSim = opened(live);
  } catch (error) {
    sayTrouble(`The tower cannot be shown: ${error.message}`);
  }
}

main();
